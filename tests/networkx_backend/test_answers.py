# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of NetworkX answer the same with Lux as without."""

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from lux_cases.stores import recorded

nx.config.warnings_to_ignore.add("cache")

GRAPHS = {
    "undirected": nx.relabel_nodes(nx.karate_club_graph(), lambda v: (v, "node")),
    "directed": nx.gnp_random_graph(40, 0.08, seed=3, directed=True),
    "multigraph": nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 3), ("a", 3), (3, 3)]),
}
CALLS = [
    ("pagerank", {}, ()), ("closeness_centrality", {}, ()), ("harmonic_centrality", {}, ()),
    ("closeness_centrality", {"distance": "weight"}, ()), ("eccentricity", {"weight": "weight"}, ("directed",)),
    ("average_shortest_path_length", {"weight": "weight"}, ("directed",)), ("diameter", {}, ("directed",)),
    ("all_pairs_dijkstra_path_length", {}, ()), ("all_pairs_bellman_ford_path_length", {}, ()),
    ("all_pairs_shortest_path_length", {}, ()), ("all_pairs_shortest_path_length", {"cutoff": 2}, ()),
    ("betweenness_centrality", {}, ()), ("betweenness_centrality", {"k": 4, "seed": 7}, ()),
    ("degree_centrality", {}, ()), ("number_of_isolates", {}, ()), ("global_efficiency", {}, ("directed",)),
    ("hits", {}, ("multigraph",)), ("katz_centrality", {"alpha": 0.02}, ("multigraph",)),
    ("eigenvector_centrality", {"max_iter": 1000}, ("multigraph", "directed")),
    ("core_number", {}, ("multigraph",)), ("k_core", {}, ("multigraph",)),
    ("connected_components", {}, ("directed",)), ("is_connected", {}, ("directed",)),
    ("weakly_connected_components", {}, ("undirected", "multigraph")), ("wiener_index", {}, ("directed",)),
]  # fmt: skip
"""Functions, arguments, and the kinds of graphs for which NetworkX does not have them, or not with one answer."""
FROM_FIRST = [
    "bfs_edges", "bfs_tree", "bfs_predecessors", "bfs_successors", "bfs_layers", "descendants", "ancestors",
    "single_source_shortest_path", "single_source_shortest_path_length", "single_target_shortest_path",
    "single_target_shortest_path_length", "predecessor", "single_source_dijkstra_path_length",
    "single_source_bellman_ford_path_length",
]  # fmt: skip
"""Functions of a graph and a node."""
LAUNCHLESS = {
    "average_shortest_path_length", "bellman_ford_path_length", "betweenness_centrality",
    "betweenness_centrality_subset", "closeness_centrality", "connected_components", "core_number", "descendants",
    "diameter", "dijkstra_path_length", "eccentricity", "eigenvector_centrality", "global_efficiency",
    "harmonic_centrality", "has_path", "hits", "is_connected", "katz_centrality", "multi_source_dijkstra_path_length",
    "pagerank", "shortest_path_length", "single_source_dijkstra_path_length", "weakly_connected_components",
    "wiener_index",
}  # fmt: skip
"""Functions that answer on small graphs without a launch, unless a number of partitions is asked for."""


def same(found, expected):
    if isinstance(expected, nx.Graph):
        return found.adj == expected.adj and found.nodes == expected.nodes
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[key], expected[key]) for key in expected)
    if isinstance(expected, float):
        return found == pytest.approx(expected, rel=1e-5, abs=1e-7)
    if isinstance(expected, tuple):
        return all(map(same, found, expected))
    if hasattr(found, "__next__"):
        return list(found) == list(expected)
    return found == expected


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("name, arguments, without", CALLS)
def test_whole_graph(kind, name, arguments, without):
    if kind not in without:
        function = getattr(nx, name)
        expected = function(GRAPHS[kind], **arguments, backend="networkx")
        assert same(function(GRAPHS[kind], **arguments, backend="lux"), expected)


@pytest.mark.filterwarnings(r"ignore:\s*bfs_predecessors is deprecated")
@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("name", FROM_FIRST)
def test_from_one_node(kind, name):
    function, graph = getattr(nx, name), GRAPHS[kind]
    node = next(iter(graph))
    assert same(function(graph, node, backend="lux"), function(graph, node, backend="networkx"))


@pytest.mark.parametrize("directed", [False, True])
def test_lengths_and_paths_of_hops_are_those_of_networkx_in_its_order(directed):
    graph = nx.gnp_random_graph(60, 0.07, seed=2, directed=directed)
    for name in ("single_source_shortest_path_length", "single_target_shortest_path_length"):
        for cutoff in (None, 2, 2.5):
            found, expected = (getattr(nx, name)(graph, 7, cutoff, backend=each) for each in ("lux", "networkx"))
            assert list(found.items()) == list(expected.items())
    for end in graph:
        ways = []
        for each in ("lux", "networkx"):
            try:
                ways.append(nx.bidirectional_shortest_path(graph, 7, end, backend=each))
            except nx.NetworkXNoPath:
                ways.append(None)
        assert ways[0] == ways[1]


@pytest.mark.parametrize("kind", GRAPHS)
def test_paths_along_weights_have_the_length_that_is_said(kind):
    graph = GRAPHS[kind]
    node = next(iter(graph))
    lengths, paths = nx.single_source_dijkstra(graph, node, backend="lux")
    assert lengths == nx.single_source_dijkstra_path_length(graph, node, backend="networkx")
    if kind == "undirected":
        assert all(nx.path_weight(graph, path, "weight") == lengths[end] for end, path in paths.items())
    assert all(path[0] == node and path[-1] == end for end, path in paths.items())


@pytest.mark.parametrize("weights", [(1, 5), (0, 3)])
def test_paths_from_each_node_have_the_length_that_is_said(weights):
    graph = nx.gnp_random_graph(70, 0.08, seed=5, directed=True)  # more nodes than searches of one run
    rng = np.random.default_rng(1)
    for _, _, values in graph.edges(data=True):
        values["weight"] = int(rng.integers(*weights))
    expected = dict(nx.all_pairs_dijkstra_path_length(graph, backend="networkx"))
    for node, (lengths, paths) in nx.all_pairs_dijkstra(graph, backend="lux"):
        assert lengths == expected[node]
        assert lengths == {end: nx.path_weight(graph, path, "weight") for end, path in paths.items()}
        assert all(path[0] == node and path[-1] == end for end, path in paths.items())


def test_cycles_of_negative_length_are_refused():
    graph = nx.DiGraph([(0, 1), (1, 2), (2, 0)])
    nx.set_edge_attributes(graph, {(0, 1): 1, (1, 2): -3, (2, 0): 1}, "weight")
    with pytest.raises(nx.NetworkXUnbounded):
        nx.all_pairs_bellman_ford_path_length(graph, backend="lux")
    assert nx.bellman_ford_path_length(graph, 0, 0, backend="lux") == 0


def test_hits_of_a_bipartite_graph():
    hubs, authorities = nx.hits(nx.star_graph(9), backend="lux")
    assert hubs == pytest.approx(dict.fromkeys(range(10), 0.1))
    assert authorities == pytest.approx({0: 0.5} | dict.fromkeys(range(1, 10), 1 / 18))


def test_hits_take_finite_weights():
    graph = nx.DiGraph([(0, 1, {"weight": math.inf}), (1, 2, {"weight": 1.0})])
    with pytest.raises(NotImplementedError, match="hits"):
        nx.hits(graph, backend="lux")


@pytest.mark.parametrize("name", sorted(LAUNCHLESS))
@pytest.mark.parametrize("kind", GRAPHS)
def test_small_graphs_need_no_launch(kind, name):
    graph, function = GRAPHS[kind], getattr(nx, name)
    nodes = list(graph)
    ends = {"source": nodes[0], "target": nodes[-1]}
    arguments = {
        "betweenness_centrality_subset": {"sources": nodes[:3], "targets": nodes[2:7]},
        "descendants": {"source": nodes[0]},
        "eigenvector_centrality": {"max_iter": 1000},
        "katz_centrality": {"alpha": 0.02},
        "multi_source_dijkstra_path_length": {"sources": nodes[:2]},
        "single_source_dijkstra_path_length": {"source": nodes[0], "weight": None},
        **dict.fromkeys(("has_path", "shortest_path_length", "dijkstra_path_length", "bellman_ford_path_length"), ends),
    }.get(name, {})  # fmt: skip
    try:
        expected = function(graph, **arguments, backend="networkx")
        expected = list(expected) if hasattr(expected, "__next__") else expected
    except (nx.NetworkXError, nx.NetworkXNotImplemented, nx.PowerIterationFailedConvergence):
        pytest.skip(f"NetworkX has no {name} of this graph")
    with recorded() as launches:
        assert same(function(graph, **arguments, backend="lux"), expected)
    assert not launches
    with nx.config.backends.lux(parts=1), recorded() as launches:
        assert same(function(graph, **arguments, backend="lux"), expected)
    assert launches


@pytest.mark.parametrize("name", ["pagerank", "katz_centrality", "eigenvector_centrality", "hits"])
def test_rankings_take_one_launch(name):
    graph, function = nx.karate_club_graph(), getattr(nx, name)
    with nx.config.backends.lux(precision="float32"):  # as NumPy ranks small graphs in float64
        function(graph, backend="lux")
        with recorded() as launches:
            function(graph, backend="lux")
    assert len(launches) == 1


@pytest.mark.parametrize("given", ["personalization", "nstart", "dangling"])
@pytest.mark.parametrize("kind", GRAPHS)
def test_pagerank_of_a_small_graph_with_shares(kind, given):
    graph = GRAPHS[kind]
    shares = {node: 1.0 + place for place, node in enumerate(list(graph)[:4])}
    expected = nx.pagerank(graph, **{given: shares}, backend="networkx")
    with recorded() as launches:
        assert same(nx.pagerank(graph, **{given: shares}, backend="lux"), expected)
    assert not launches


def test_a_small_graph_without_edges_that_count():
    graph = nx.DiGraph([(0, 1), (1, 2)])
    nx.set_edge_attributes(graph, 0.0, "weight")
    assert same(nx.pagerank(graph, backend="lux"), nx.pagerank(graph, backend="networkx"))
    graph.remove_edges_from(list(graph.edges))
    assert same(nx.pagerank(graph, backend="lux"), nx.pagerank(graph, backend="networkx"))
    assert nx.hits(graph, backend="lux")[0] == {0: 0.0, 1: 0.0, 2: 0.0}
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.katz_centrality(nx.complete_graph(5), alpha=1.0, max_iter=20, backend="lux")


def test_several_sources():
    graph = GRAPHS["undirected"]
    sources = [(0, "node"), (33, "node")]
    found = nx.multi_source_dijkstra_path_length(graph, sources, backend="lux")
    assert found == nx.multi_source_dijkstra_path_length(graph, sources, backend="networkx")


@pytest.mark.check
def test_table_becomes_a_graph_of_lux():
    frame = pd.DataFrame({"a": ["x", "y", "x", "z"], "b": ["y", "x", "z", "z"], "weight": [1.0, 5.0, 2.0, 3.0]})
    for kind in (None, nx.DiGraph):
        arguments = {"source": "a", "target": "b", "edge_attr": "weight", "create_using": kind}
        graph = nx.from_pandas_edgelist(frame, **arguments, backend="lux")
        expected = nx.from_pandas_edgelist(frame, **arguments, backend="networkx")
        assert graph.adj == expected.adj
        assert list(graph) == list(expected)
        assert {node: list(row) for node, row in graph.adj.items()} == {
            node: list(row) for node, row in expected.adj.items()
        }
        assert same(nx.pagerank(graph), nx.pagerank(expected))
        assert (len(graph), graph.number_of_edges()) == (3, expected.number_of_edges())
        with pytest.raises(nx.NetworkXError, match="Frozen"):
            graph.add_edge(1, 2)
        with pytest.raises(nx.NodeNotFound, match="'w'"):
            nx.single_source_shortest_path_length(graph, "w")


def test_single_precision_and_partitions():
    graph = GRAPHS["directed"]
    expected = nx.pagerank(graph, backend="networkx")
    with nx.config.backends.lux(precision="float32", parts=2, device="cpu"):
        found = nx.pagerank(graph, backend="lux")
    assert np.allclose([found[v] for v in graph], [expected[v] for v in graph], rtol=1e-4)
