# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A graph: its degrees and weights, the graphs made of it, and its memory."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.errors import GraphError, ParameterError
from lux.graph.core.stored_graph import graph_bytes


@st.composite
def graphs(draw):
    """What a graph is made of, and the dense matrix of its weights' sums."""
    n = draw(st.integers(1, 10))
    vertex = st.integers(0, n - 1)
    rows = draw(st.lists(st.tuples(vertex, vertex, st.integers(1, 9)), max_size=25))
    directed = draw(st.booleans())
    u, v, w = np.array(rows, np.int64).reshape(-1, 3).T
    matrix = np.zeros((n, n), np.int64)
    np.add.at(matrix, (u, v), w)
    if not directed:
        other = u != v
        np.add.at(matrix, (v[other], u[other]), w[other])
    return (u, v, w, n, directed), matrix


def made(u, v, w, n, directed):
    return lux.from_edges(u, v, w, n_vertices=n, directed=directed)


def pairs(graph):
    u, v = graph.dense_edge_arrays()
    return list(zip(u.tolist(), v.tolist(), strict=True))


@settings(max_examples=30)
@given(graphs())
def test_degrees_weights_and_edges(case):
    given_edges, matrix = case
    graph = made(*given_edges)
    n = graph.n_vertices
    assert graph.to_scipy().toarray().tolist() == matrix.tolist()
    assert graph.dense_out_weights().tolist() == matrix.sum(axis=1).tolist()
    assert graph.dense_out_weights().dtype == np.float64
    counts = np.zeros((n, n), int)
    np.add.at(counts, graph.dense_edge_arrays(), 1)
    assert graph.dense_out_degrees().tolist() == counts.sum(axis=1).tolist()
    assert graph.dense_in_degrees().tolist() == counts.sum(axis=0).tolist()
    u, v = np.divmod(np.arange(n * n), n)
    assert graph.has_dense_edges(u, v).tolist() == (matrix.ravel() > 0).tolist()
    assert graph.weights_ok()


@settings(max_examples=20)
@given(graphs())
def test_reverse(case):
    given_edges, matrix = case
    graph = made(*given_edges)
    back = graph.reverse()
    assert back.to_scipy().toarray().tolist() == matrix.T.tolist()
    assert (back is graph) == (not graph.directed)
    assert graph.reverse() is back
    assert back.directed == graph.directed
    assert back.reverse().to_scipy().toarray().tolist() == matrix.tolist()


@settings(max_examples=20)
@given(graphs())
def test_symmetrized(case):
    given_edges, matrix = case
    graph = made(*given_edges)
    both = graph.symmetrized()
    assert not both.directed
    assert both is graph.symmetrized()
    if graph.directed:
        given_pairs = pairs(graph)
        assert sorted(pairs(both)) == sorted(given_pairs + [(v, u) for u, v in given_pairs if u != v])
        assert both.to_scipy().toarray().tolist() == (matrix + matrix.T - np.diag(np.diag(matrix))).tolist()
    else:
        assert both is graph


@settings(max_examples=20)
@given(graphs(), st.data())
def test_subgraph(case, data):
    given_edges, matrix = case
    graph = made(*given_edges)
    chosen = data.draw(st.lists(st.integers(0, graph.n_vertices - 1), min_size=1, unique=True))
    part = graph.subgraph(chosen)
    kept = sorted(chosen)
    assert part.ids.labels(0, len(kept)).tolist() == kept
    assert part.to_scipy().toarray().tolist() == matrix[np.ix_(kept, kept)].tolist()
    assert part.directed == graph.directed


@pytest.mark.check
def test_subgraph_of_named_vertices():
    graph = lux.from_edges(["a", "b", "c", "d"], ["b", "c", "d", "a"])
    part = graph.subgraph(["d", "c", "c"])
    assert list(part.to_networkx().edges()) == [("c", "d")]
    with pytest.raises(GraphError, match="vertex 'x' is not in the graph"):
        graph.subgraph(["x"])
    with pytest.raises(GraphError, match="subgraph: no vertices were passed"):
        graph.subgraph([])


def test_subgraph_of_a_bipartite_graph():
    graph = lux.from_edges([2, 10, 2], [1, 1, 3], bipartite=True)
    part = graph.subgraph(["left:2", "left:10", "right:3"])
    assert list(part.to_networkx().edges()) == [("left:2", "right:3")]


@pytest.mark.check
def test_networkx_and_back():
    reference = nx.DiGraph([("a", "b"), ("b", "c")])
    reference.add_node("lone")
    found = lux.from_networkx(reference).to_networkx()
    assert set(found) == set(reference)
    assert set(found.edges()) == set(reference.edges())


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 3, 6])
def test_bad_weights_are_found_anywhere(bad, place):
    weights = np.ones(7)
    assert lux.from_edges(np.arange(7), np.arange(1, 8), weights).weights_ok()
    weights[place] = bad
    assert not lux.from_edges(np.arange(7), np.arange(1, 8), weights).weights_ok()


def test_a_property_that_is_not_there():
    for method in ("out_weights", "weights_ok"):
        with pytest.raises(GraphError, match="miles"):
            getattr(lux.toy.two_triangles(), method)("miles")


@pytest.mark.parametrize("name", ["edge weight", "sources", "offsets", "destinations", "km/h"])
def test_properties_of_any_name(name, tmp_path):
    frame = pytest.importorskip("pandas").DataFrame({"source": [0, 1], "target": [1, 2], name: [2.0, 3.0]})
    graph = lux.from_pandas(frame, edge_attr=[name])
    assert graph.reverse().dense_edge_list().properties[name].tolist() == [2, 3]
    graph.save(tmp_path / "saved.lux")
    assert lux.load_graph(tmp_path / "saved.lux").dense_edge_list().properties[name].tolist() == [2, 3]


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("name", [lambda v: v, lambda v: f"v{v}"])
def test_degrees_and_edges_take_and_give_the_users_ids(name, order):
    u, v = [name(x) for x in (30, 30, 7, 30)], [name(x) for x in (7, 1412, 30, 5)]
    graph = lux.from_edges(u, v, weight=[1.0, 2.0, 4.0, 8.0]).reordered(order)
    assert graph.out_degrees()[name(30)] == 3
    assert graph.in_degrees().to_dict() == {name(x): 1 for x in (5, 7, 30, 1412)}
    assert graph.out_weights().top(1) == [(name(30), 11.0)]
    assert graph.out_weights().name == "out_weight"
    assert sorted(zip(*(ends.tolist() for ends in graph.edge_arrays()), strict=True)) == sorted(zip(u, v, strict=True))
    assert graph.has_edges([name(30), name(30)], [name(1412), name(30)]).tolist() == [True, False]
    assert graph.has_edges(name(30), v).tolist() == [True, True, False, True]
    assert graph.has_edges(name(7), name(30)) == True  # noqa: E712  # an array without axes
    with pytest.raises(GraphError, match=r"vertex .*8.* is not in the graph"):
        graph.has_edges([name(30)], [name(8)])
    with pytest.raises(ParameterError, match="pass two arrays of one length"):
        graph.has_edges([name(30)], [name(7), name(30)])
    taken = graph.dense_out_degrees()
    np.asarray(graph.out_degrees())[:] = 9
    assert graph.dense_out_degrees().tolist() == taken.tolist() == graph.out_degrees().to_numpy().tolist()


def test_memory_needed():
    graph = lux.from_edges([0, 1], [1, 2], weight=np.array([1, 2], np.float32), kind=np.array([1, 2], np.int8))
    assert graph.memory_needed() == 12 * 3 + 8 + 2 * (4 + 4 + 1)
    assert graph_bytes(2**32 + 1, 10, {}) == 12 * (2**32 + 1) + 8 + 80


@pytest.mark.check
def test_layouts():
    graph = lux.toy.cycle(12)
    assert graph.layout(3) is graph.layout(3)
    assert graph.layout(3).points.tolist() == [0, 4, 8, 12]
    assert graph.layout().parts == graph.default_parts() == 1
    with pytest.raises(ParameterError, match="allowed are 1 to 12"):
        graph.layout(13)


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda g: lux.pagerank(nx.path_graph(3)),
            "takes a graph of Lux, not the Graph .*: lux.from_networkx makes",
        ),
        (lambda g: lux.bfs(0, g), "lux.bfs takes a graph of Lux, not the int 0"),
        (lambda g: lux.sssp(None, 0), "lux.sssp takes a graph of Lux, not None"),
        (lambda g: lux.components("web.el"), "lux.read_graph reads a file"),
        (lambda g: lux.betweenness([]), "lux.betweenness takes"),
        (lambda g: lux.factorize(3), "lux.factorize takes"),
        (lambda g: lux.run(g, g), "lux.run takes a subclass of lux.Program, then a graph, not the Graph"),
        (lambda g: lux.explain(3, g), "lux.explain takes a subclass of lux.Program or a function"),
        (lambda g: lux.explain(lux.bfs, 3), "lux.explain takes a graph of Lux, not the int 3"),
        (lambda g: lux.pagerank(g, "0.85"), "alpha='0.85' was passed; allowed are numbers from 0 to 1"),
        (lambda g: lux.pagerank(g, nstart=5), "nstart=5 was passed; allowed is a dict"),
        (lambda g: lux.pagerank(g, dtype="nope"), "dtype='nope' was passed; allowed are float32 and float64"),
        (lambda g: lux.pagerank(g, weight="nope"), "weight='nope' was passed, and this graph's edge properties are"),
        (lambda g: lux.pagerank(g, weight=["weight"]), r"weight=\['weight'\] was passed, and this graph's edge prop"),
        (lambda g: lux.betweenness(g, weight=["weight"]), r"weight=\['weight'\] was passed, and this graph's edge"),
        (lambda g: lux.betweenness(g, normalized="no"), "normalized='no' was passed; allowed are True and False"),
        (lambda g: lux.betweenness(g, endpoints="no"), "endpoints='no' was passed; allowed are True and False"),
        (lambda g: lux.bfs(g, 0, deterministic="no"), "deterministic='no' was passed; allowed are True and False"),
        (lambda g: lux.generate("grid:2x2", drop_loops="no"), "drop_loops='no' was passed; allowed are True and F"),
        (lambda g: lux.from_edges([1], [2], drop_repeats=1), "drop_repeats=1 was passed; allowed are True and F"),
        (lambda g: g.write("g.el", format=5), "format=5 is unknown: pass one of"),
        (lambda g: lux.field(float, constant="yes"), "constant='yes' was passed; allowed are True and False"),
        (lambda g: lux.bfs(g, 0).top("a"), "k='a' was passed; allowed are whole numbers from 0"),
        (lambda g: lux.factorize(g, tol="a"), "tol='a' was passed"),
        (lambda g: lux.generate(5), "lux.generate takes a text, one of kronecker:.*, not the int 5"),
        (lambda g: lux.generate("kronecker:5", weights=3), "weights=3 was passed; allowed are two whole numbers"),
        (lambda g: lux.from_scipy(np.eye(3)), "from_scipy takes a SciPy sparse matrix or array, not the ndarray"),
        (lambda g: lux.from_networkx(3), "from_networkx takes a graph of NetworkX, not the int 3"),
        (lambda g: lux.from_pandas(3), "from_table takes a DataFrame of pandas or Polars, .*, not the int 3"),
        (lambda g: lux.from_edges([1], [2], weigth=[3]), "an edge property 'weigth': pass weight="),
        (lambda g: lux.from_edges([1], [2], weights=[3]), "an edge property 'weights': pass weight="),
        (lambda g: lux.from_edges([1], [2], cost=3), r"cost has shape \(\): pass one value for each of the 1 edges"),
        (lambda g: lux.from_edges([1], [2], n_vertices="a"), "n_vertices='a' was passed"),
        (lambda g: g.to_scipy("nope"), "weight='nope' was passed, and the edge properties are: none"),
        (lambda g: lux.read_graph(3), "path=3 was passed; allowed is the name of a file"),
        (lambda g: g.write(3), "path=3 was passed"),
        (lambda g: g.save(3), "path=3 was passed"),
        (lambda g: lux.load_graph(3), "path=3 was passed"),
        (lambda g: lux.bfs(g, 0).write(3), "path=3 was passed"),
        (lambda g: lux.toy.path(-1), "n=-1 was passed; allowed are whole numbers from 1"),
        (lambda g: lux.toy.grid(2, 0), "columns=0 was passed; allowed are whole numbers from 1"),
        (lambda g: g.subgraph(3), "subgraph: vertices=3 was passed; allowed is a list of the graph's vertices"),
    ],
)
def test_likely_mistakes(call, message):
    with pytest.raises(lux.LuxError, match=message):
        call(lux.toy.kite())


@settings(max_examples=30)
@given(graphs(), st.sampled_from(["given", "degree"]))
def test_a_vertex_is_looked_at_as_in_networkx(case, order):
    (u, v, w, n, directed), _ = case
    graph = lux.from_edges(10 * u, 10 * v, w, vertices=10 * np.arange(n), directed=directed).reordered(order)
    same = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    same.add_nodes_from(10 * np.arange(n))
    same.add_edges_from(zip((10 * u).tolist(), (10 * v).tolist(), strict=True))
    assert len(graph) == len(same)
    assert list(graph) == sorted(same)
    assert 10 * n not in graph
    for vertex in graph:
        assert vertex in graph
        assert graph.neighbors(vertex).tolist() == sorted(same.neighbors(vertex))
        before = same.predecessors(vertex) if directed else same.neighbors(vertex)
        assert graph.predecessors(vertex).tolist() == sorted(before)
        assert graph.degree(vertex) == same.degree(vertex)
    with pytest.raises(GraphError, match="is not in the graph"):
        graph.neighbors(-1)
