# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Formats that declare their vertices: DIMACS, METIS, Matrix Market, SciPy's .npz."""

import gzip
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import io as scipy_io
from scipy import sparse

from lux.errors import FileError, FormatError, GraphError, ParameterError, ParseError
from lux.io import open_graph_file, write_mtx
from lux_cases.edges import to_networkx, to_scipy


def stored(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    return path


@st.composite
def matrices(draw: st.DrawFn) -> sparse.coo_array:
    n = draw(st.integers(1, 9))
    cells = draw(st.dictionaries(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), st.integers(1, 99)))
    places = np.array(list(cells), np.int64).reshape(-1, 2)
    return sparse.coo_array((np.array(list(cells.values()), np.int64), (places[:, 0], places[:, 1])), shape=(n, n))


@given(matrix=matrices(), compressed=st.booleans())
def test_dimacs(tmp_path_factory, matrix, compressed):
    arcs = zip(matrix.row + 1, matrix.col + 1, matrix.data, strict=True)
    lines = ["c toy", f"p sp {matrix.shape[0]} {matrix.nnz}", *(f"a {u} {v} {w}" for u, v, w in arcs)]
    name = "toy.gr.gz" if compressed else "toy.gr"
    edges = open_graph_file(stored(tmp_path_factory.mktemp("gr"), name, "\n".join(lines)))
    assert (to_scipy(edges) != matrix).nnz == 0
    assert (edges.directed, edges.ids.dense("1")) == (True, 0)


@pytest.mark.parametrize(
    "content,error,message",
    [
        ("c x\n", FormatError, "has no line 'p sp"),
        ("c x\na 1 2 3\n", ParseError, "line 2: a DIMACS .gr file starts with"),
        ("p sp 2 2\na 1 2 3\n", FormatError, "has 1 arcs, but its line 'p' says 2"),
        ("p sp 2 1\n\na 1 3 3\n", ParseError, "line 3: vertex 3 is not in 1 to 2"),
        ("p sp 2 1\nb 1 2 3\n", ParseError, "line 2: the line does not start with 'a'"),
        ("p sp 2 1\na 1 2\n", ParseError, "line 2: .*field 4 is missing"),
        ("p sp -2 0\n", ParseError, "line 1: a DIMACS .gr file starts with"),
        ("p sp 9223372036854775808 0\n", ParseError, "line 1: a DIMACS .gr file starts with"),
        (f"p sp 2 {'9' * 5000}\n", ParseError, "line 1: a DIMACS .gr file starts with"),
        (f"p sp 2 1\na 1 2 {'9' * 5000}x\n", ParseError, "line 2: .* is not a number"),
    ],
)
@pytest.mark.parametrize("name", ["toy.gr", "toy.gr.gz"])
def test_dimacs_mistakes(tmp_path, name, content, error, message):
    with pytest.raises(error, match=message):
        open_graph_file(stored(tmp_path, name, content))


def metis(graph: nx.Graph, *, weighted: bool, vertex_weights: int, sizes: bool) -> str:
    fmt = f"{int(sizes)}{int(vertex_weights > 0)}{int(weighted)}"
    lines = ["% toy", f"{len(graph)} {graph.number_of_edges()} {fmt} {max(vertex_weights, 1)}"]
    for u in graph:
        fields = [9] * (sizes + vertex_weights)
        for v in graph[u]:
            fields += [v + 1, graph[u][v]["weight"]] if weighted else [v + 1]
        lines.append(" ".join(map(str, fields)))
    return "\n".join(lines) + "\n"


@given(
    seed=st.integers(0, 99), n=st.integers(1, 12), weighted=st.booleans(), extra=st.integers(0, 2), sizes=st.booleans()
)
def test_metis(tmp_path_factory, seed, n, weighted, extra, sizes):
    graph = nx.gnp_random_graph(n, 0.4, seed=seed)
    for u, v in graph.edges:
        graph[u][v]["weight"] = u * v + 1
    text = metis(graph, weighted=weighted, vertex_weights=extra, sizes=sizes)
    edges = open_graph_file(stored(tmp_path_factory.mktemp("metis"), "toy.graph.gz", text))
    assert (edges.n_vertices, edges.directed) == (n, False)
    found = to_networkx(edges)
    assert {frozenset((u - 1, v - 1)) for u, v in found.edges} == {frozenset(edge) for edge in graph.edges}
    if weighted:
        assert all(found[u][v]["weight"] == graph[u - 1][v - 1]["weight"] for u, v in found.edges)
    else:
        assert edges.properties == {}


@pytest.mark.parametrize(
    "content,error,message",
    [
        ("% x\n", FormatError, "has no line 'VERTICES EDGES"),
        ("3\n", ParseError, "line 1: a METIS file starts with"),
        ("2 1 7\n2\n1\n", ParseError, "line 1: a METIS file starts with"),
        ("1 0 011 -5\n 7 7 7 7 7\n", ParseError, "line 1: a METIS file starts with"),  # wrote before an array's start
        ("2 -1\n2\n1\n", ParseError, "line 1: a METIS file starts with"),
        ("-2 0\n", ParseError, "line 1: a METIS file starts with"),
        (f"{10**30} 0\n", ParseError, "line 1: a METIS file starts with"),
        (f"2 {'9' * 5000}\n2\n1\n", ParseError, "line 1: a METIS file starts with"),
        ("2 1 0 1 1\n2\n1\n", ParseError, "line 1: a METIS file starts with"),
        (f"2 1 010 {2**62}\n9 2\n9 1\n", ParseError, "line 2: a weight is missing"),
        ("9999999999999 0\n", FormatError, "fewer lines than its 9999999999999 vertices"),
        ("2 1\n2\n", FormatError, "lists 1 neighbours, but its first line says 1 edges, which takes 2"),
        ("3 1\n2\n", FormatError, "fewer lines than its 3 vertices"),
        ("2 2\n2\n1\n", FormatError, "lists 2 neighbours, but its first line says 2 edges, which takes 4"),
        ("2 1\n2 2\n1 1\n", FormatError, "lists 4 neighbours"),
        ("2 1\n% x\n3\n1\n", ParseError, "line 3: a neighbour is not in 1 to 2"),
        ("2 1\n2\nx\n", ParseError, "line 3: a field is not an integer"),
        ("2 1\n2\n1\n1\n", ParseError, "line 4: there are more lines than the 2 vertices"),
        ("2 1 001\n2 5\n1\n", ParseError, "line 3: a weight is missing"),
        ("2 1 001\n2 5\n1 6\n", FormatError, "between 1 and 2 is not the same at both ends"),
        ("4 2\n2\n\n4\n1\n", FormatError, "lists 3"),
        ("3 2\n2 3\n1\n2\n", FormatError, "not symmetric: the edge between 1 and 3"),
        ("3 2\n2 3\n1 3\n\n", FormatError, "not symmetric: the edge between 1 and 3 stands at one end only"),
    ],
)
def test_metis_mistakes(tmp_path, content, error, message):
    with pytest.raises(error, match=message):
        open_graph_file(stored(tmp_path, "toy.graph", content))


@pytest.mark.check
def test_undirected_formats_refuse_a_direction(tmp_path):
    with pytest.raises(ParameterError, match=r"METIS .graph is undirected"):
        open_graph_file(stored(tmp_path, "toy.graph", "2 1\n2\n1\n"), directed=True)
    scipy_io.mmwrite(tmp_path / "toy.mtx", sparse.coo_array(np.ones((2, 2))), symmetry="symmetric")
    with pytest.raises(ParameterError, match="a symmetric matrix is undirected"):
        open_graph_file(tmp_path / "toy.mtx", directed=True)


@given(matrix=matrices(), field=st.sampled_from(["integer", "real", "pattern"]), symmetric=st.booleans())
def test_matrix_market(tmp_path_factory, matrix, field, symmetric):
    path = tmp_path_factory.mktemp("mtx") / "toy.mtx"
    given_matrix = (matrix + matrix.T).tocoo() if symmetric else matrix
    scipy_io.mmwrite(path, given_matrix, field=field, symmetry="symmetric" if symmetric else "general")
    packed = path.with_suffix(".mtx.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for edges in (open_graph_file(path), open_graph_file(packed)):
        expected = given_matrix.astype(bool).astype(int) if field == "pattern" else given_matrix
        assert (to_scipy(edges) != expected).nnz == 0
        assert edges.directed is not symmetric
        assert ("weight" in edges.properties) is (b"pattern" not in path.read_bytes())
    copy = path.with_name("copy.mtx")
    weights = edges.properties.get("weight")
    half = edges.n_edges // 2
    chunks = [
        (edges.sources[s], edges.destinations[s], None if weights is None else weights[s])
        for s in (slice(half), slice(half, None))
    ]
    kind = None if weights is None else weights.dtype
    write_mtx(copy, chunks, n_vertices=edges.n_vertices, n_edges=edges.n_edges, symmetric=symmetric, weight=kind)
    assert (sparse.coo_array(scipy_io.mmread(copy)) != expected).nnz == 0
    assert len(list(path.parent.iterdir())) == 3


def test_general_matrix_as_undirected(tmp_path):
    path = tmp_path / "toy.mtx"
    scipy_io.mmwrite(path, sparse.coo_array(np.array([[0, 5], [5, 0]])), symmetry="general")
    edges = open_graph_file(path, directed=False)
    assert (edges.n_edges, edges.directed, edges.properties["weight"].tolist()) == (1, False, [5])
    scipy_io.mmwrite(path, sparse.coo_array(np.array([[0, 5], [6, 0]])), symmetry="general")
    with pytest.raises(GraphError, match="values at \\(0, 1\\) and \\(1, 0\\) differ"):
        open_graph_file(path, directed=False)


@pytest.mark.check
def test_rectangular_matrices_are_bipartite(tmp_path):
    matrix = sparse.coo_array(np.array([[1, 0, 2], [0, 3, 0]]))
    scipy_io.mmwrite(tmp_path / "toy.mtx", matrix)
    sparse.save_npz(tmp_path / "toy.npz", matrix)
    for name, last in (("toy.mtx", "right:3"), ("toy.npz", "right:2")):
        with pytest.raises(ParameterError, match="2 x 3: pass a square one, or bipartite=True"):
            open_graph_file(tmp_path / name)
        edges = open_graph_file(tmp_path / name, bipartite=True)
        assert (edges.n_vertices, edges.directed, edges.ids.dense(last)) == (5, False, 4)
        assert sorted(edges.destinations.tolist()) == [2, 3, 4]


@pytest.mark.parametrize(
    "content,error,message",
    [
        ("1 2\n", FormatError, "does not start with %%MatrixMarket"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", FormatError, "complex values"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", FormatError, "no valid Matrix Market"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 x 1\n", ParseError, "line 3"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n", ParseError, "line 3"),
    ],
)
def test_matrix_market_mistakes(tmp_path, content, error, message):
    for name in ("toy.mtx", "toy.mtx.gz"):
        with pytest.raises(error, match=message):
            open_graph_file(stored(tmp_path, name, content))


def test_write_mtx_mistakes(tmp_path):
    edges = (np.array([0]), np.array([1]), None)
    with pytest.raises(FormatError, match="2 edges were announced and 1 came"):
        write_mtx(tmp_path / "toy.mtx", [edges], n_vertices=2, n_edges=2)
    with pytest.raises(FormatError, match="not complex128"):
        write_mtx(tmp_path / "toy.mtx", [], n_vertices=2, n_edges=0, weight=np.complex128)
    with pytest.raises(FileError, match="no folder"):
        write_mtx(tmp_path / "none" / "toy.mtx", [edges], n_vertices=2, n_edges=1)
    assert list(tmp_path.iterdir()) == []


@given(matrix=matrices())
def test_npz(tmp_path_factory, matrix):
    path = tmp_path_factory.mktemp("npz") / "toy.npz"
    sparse.save_npz(path, matrix)
    edges = open_graph_file(path)
    assert (to_scipy(edges) != matrix).nnz == 0
    assert (edges.directed, edges.ids.is_identity) == (True, True)
    sparse.save_npz(path, matrix.astype(bool))
    assert open_graph_file(path).properties == {}


def test_npz_mistakes(tmp_path):
    np.savez(tmp_path / "toy.npz", x=np.arange(3))
    with pytest.raises(FormatError, match="no sparse matrix"):
        open_graph_file(tmp_path / "toy.npz")
    with pytest.raises(FormatError, match=r"is text, not .npz"):
        open_graph_file(stored(tmp_path, "text.npz", "1 2\n"))
