# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs from objects of other libraries, and back."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import lux
from lux.errors import ConfigurationError, FormatError, GraphError, ParameterError

ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 99)), min_size=1, max_size=20)


@pytest.mark.parametrize("names", [("source", "target"), ("source", "destination"), ("from", "to"), ("u", "v")])
def test_columns_of_ends_have_their_usual_names(names):
    frame = pd.DataFrame({"cost": [5, 6], names[0]: [1, 2], names[1]: [2, 3]})
    assert [ends.tolist() for ends in lux.from_pandas(frame).edge_arrays()] == [[1, 2], [2, 3]]
    assert lux.from_pandas(frame, "cost", names[0]).n_vertices == 4


@given(rows=ROWS, names=st.booleans(), directed=st.booleans(), multi=st.booleans())
def test_networkx(rows, names, directed, multi):
    kind = {(0, 0): nx.Graph, (0, 1): nx.MultiGraph, (1, 0): nx.DiGraph, (1, 1): nx.MultiDiGraph}[directed, multi]
    graph = kind()
    graph.add_nodes_from(["alone", "é"] if names else [77, 100])
    graph.add_weighted_edges_from([(f"n{u}", f"n{v}", w) if names else (u, v, w) for u, v, w in rows])
    made = lux.from_networkx(graph)
    found = made.to_networkx()
    assert made.directed is directed
    assert set(found) == set(graph)
    assert nx.utils.edges_equal(
        nx.MultiDiGraph(found).edges(data=True), nx.MultiDiGraph(graph).edges(data=True), directed=True
    )


@given(rows=ROWS, directed=st.booleans())
def test_scipy(rows, directed):
    u, v, w = np.array(rows).T
    matrix = sparse.coo_array((w, (u, v)), shape=(10, 10)).tocsr()
    given_matrix = matrix if directed else (matrix + matrix.T).tocsr()
    graph = lux.from_scipy(given_matrix, directed=directed)
    assert graph.n_vertices == 10
    assert (graph.to_scipy() != given_matrix).nnz == 0


@given(rows=ROWS)
def test_pandas(rows):
    frame = pd.DataFrame(rows, columns=["source", "target", "weight"])
    frame["name"] = "x"
    stored = _sorted(frame.drop(columns="name"))
    pd.testing.assert_frame_equal(_sorted(lux.from_pandas(frame).to_pandas()), stored, check_dtype=False)
    named = frame.assign(source="n" + frame["source"].astype(str), target="m" + frame["target"].astype(str))
    back = lux.from_pandas(named, edge_attr=["weight"]).to_pandas()
    expected = _sorted(named[["source", "target", "weight"]])
    assert _sorted(back).to_numpy().tolist() == expected.to_numpy().tolist()


def _sorted(frame):
    return frame.sort_values(list(frame.columns), ignore_index=True)


def test_edges():
    graph = lux.from_edges([1, 2], [2, 7], [5, 6], directed=False, colour=[0.5, 1])
    sources, destinations = graph.edge_arrays()
    assert (sources.tolist(), destinations.tolist()) == ([2, 1, 7, 2], [1, 2, 2, 7])
    assert list(graph.property_types) == ["weight", "colour"]
    kept = lux.from_edges([1, 2], [2, 0], n_vertices=9)
    assert (kept.n_vertices, kept.ids.is_identity, kept.id_dtype) == (9, True, np.uint32)
    assert lux.from_edges([], [], n_vertices=3).n_edges == 0
    both = lux.from_edges([1], [1], bipartite=True, directed=False)
    assert both.ids.labels(0, 2).tolist() == ["left:1", "right:1"]


@pytest.mark.check
@pytest.mark.parametrize(
    "make,error,message",
    [
        (lambda: lux.from_edges([1], [1, 2]), ParameterError, "pass two arrays of one length"),
        (lambda: lux.from_edges([], []), GraphError, r"no vertices: lux.from_edges\(\[\], \[\], n_vertices=N\)"),
        (lambda: lux.from_edges([1], [2], [3, 4]), ParameterError, "weight has shape"),
        (lambda: lux.from_edges([1], [2], ["x"]), ParameterError, "pass numbers"),
        (
            lambda: lux.from_edges([1], [2], n_vertices=2),
            ParameterError,
            "n_vertices - 1 = 1, and are integers from 2",
        ),
        (
            lambda: lux.from_edges(["a", None], ["b", "c"]),
            ParameterError,
            "None is among them: an id is missing .* dropna",
        ),
        (
            lambda: lux.from_edges(["a", np.nan], ["b", "c"]),
            ParameterError,
            r"nan is among them: .* in pandas by dropna\(\)",
        ),
        (lambda: lux.from_edges(["a", 3], ["b", "c"]), ParameterError, "all strings, and the int 3 is among them"),
        (
            lambda: lux.from_edges(pd.array(["a", None]), ["b", "c"]),
            ParameterError,
            r"(<NA>|nan) is among them: .* by dropna\(\)",
        ),
        (lambda: lux.from_edges([1], [2], directed="no"), ParameterError, "directed='no' was passed; allowed are True"),
        (lambda: lux.from_edges([-1], [1], n_vertices=2), ParameterError, "sources must be integers"),
        (lambda: lux.from_edges([1], [1], n_vertices=2, bipartite=True), ParameterError, "contradict"),
        (lambda: lux.from_scipy(sparse.coo_array(np.ones((2, 3)))), ParameterError, "2 x 3"),
        (lambda: lux.from_scipy(sparse.coo_array(1j * np.ones((2, 2)))), ParameterError, "complex128"),
        (lambda: lux.from_edges(1, 2), ParameterError, r"sources have shape \(\).*pass two arrays"),
        (lambda: lux.from_edges(iter([1]), iter([2])), ParameterError, "pass two arrays of one length"),
        (lambda: lux.from_edges([1], [2], vertices=5), ParameterError, r"vertices have shape \(\): pass a list"),
        (
            lambda: lux.from_edges(["a\udc80"], ["b"]),
            ParameterError,
            r"'a\\udc80' is among the ids, half of a character",
        ),
        (lambda: lux.from_edges([2**64], [1]), ParameterError, "to 18446744073709551616, and no type .* pass strings"),
        (lambda: lux.from_edges([-(2**70)], [2**63]), ParameterError, "no type of 64 bits has all"),
        (
            lambda: lux.from_edges(np.array([2**63, -1], object), [1, 2]),
            ParameterError,
            "from -1 to 9223372036854775808, and no type",
        ),
        (lambda: lux.from_edges([1], [2], np.ma.array([1], mask=[True])), ParameterError, "1 of 1 entries are masked"),
        (lambda: lux.from_networkx(nx.Graph([(1, 2, {"weight": np.complex64(1)})])), ParameterError, "complex64"),
        (lambda: lux.from_networkx(nx.Graph([(1, 2, {"weight": 10**30})])), ParameterError, "weight holds object"),
        (lambda: lux.from_networkx(nx.Graph()), GraphError, "no nodes"),
        (lambda: lux.from_networkx(nx.grid_2d_graph(2, 2)), ParameterError, "all strings; one is"),
        (lambda: lux.from_networkx(nx.Graph([(1, "a")])), ParameterError, "all strings; one is 'a'"),
        (
            lambda: lux.from_networkx(nx.Graph([(1, 2, {"x": 1}), (2, 3, {})])),
            ParameterError,
            "'x' is no number on .*: None",
        ),
        (
            lambda: lux.from_networkx(nx.Graph([(1, 2, {"weight": "3"})])),
            ParameterError,
            "'weight' is no number on .*: '3'",
        ),
        (
            lambda: lux.from_pandas(pd.DataFrame({"u": [1], "v": [2], "weight": ["3"]})),
            ParameterError,
            "'weight' holds no numbers, .*: pass numbers, or edge_attr=",
        ),
        (lambda: lux.from_pandas(pd.DataFrame({"source": [1]})), ParameterError, "no column 'target'"),
    ],
)
def test_mistakes(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("given, kept", [("f2", "f4"), (">f2", "f4"), (">f8", "f8"), (">i4", "i4"), (">u2", "u2")])
def test_numbers_of_types_that_kernels_lack(given, kept):
    numbers = np.array([3, 5], given)
    graph = lux.from_edges(np.array([1, 2], ">i4"), [2, 7], numbers, vertices=np.array([9], ">i8"))
    assert graph.property_types == {"weight": np.dtype(kept)}
    assert graph.out_weights().to_dict() == {1: 3, 2: 5, 7: 0, 9: 0}
    frame = pd.DataFrame({"source": [1, 2], "target": [2, 7], "weight": numbers})
    assert lux.from_pandas(frame).out_weights().to_dict() == {1: 3, 2: 5, 7: 0}


@pytest.mark.check
def test_edges_without_a_weight_weigh_one():
    graph = nx.Graph([(1, 2, {"weight": 2.5}), (2, 3, {"colour": "red"})])
    assert lux.from_networkx(graph).to_pandas()["weight"].tolist() == [2.5, 1]


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("starts", [[0, 3, 1, 0, 0], [0, -2, 0, 0, 0], [1, 1, 1, 1, 2]])
def test_matrices_whose_rows_do_not_follow_one_another(form, starts, tmp_path):
    """SciPy looks at the pointers only where the last is not 0, and its conversions write where they say."""
    matrix = getattr(sparse, f"{form}_array")(np.eye(4))
    matrix.indptr = np.array(starts, np.int32)
    with pytest.raises(ParameterError, match="index pointers do not grow from 0"):
        lux.from_scipy(matrix)
    arrays = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": (4, 4), "format": form}
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(FormatError, match=r"a\.npz .*index pointer"):
        lux.read_graph(tmp_path / "a.npz")


class _Tensor:
    """An array that offers DLPack alone, as tensors do."""

    def __init__(self, values, device=(1, 0)):
        self.values, self.device = np.asarray(values), device

    def __dlpack__(self, **asked):
        return self.values.__dlpack__(**{name: value for name, value in asked.items() if name != "stream"})

    def __dlpack_device__(self):
        return self.device


@pytest.mark.parametrize("ids", [np.int32, np.uint16, np.int64])
def test_columns_may_offer_dlpack_alone(ids):
    ends = np.array([10, 20, 20], ids), np.array([20, 30, 10], ids)
    made = lux.from_edges(*map(_Tensor, ends), weight=_Tensor(np.array([1.5, 2.5, 3.5])))
    expected = lux.from_edges(*ends, weight=[1.5, 2.5, 3.5])
    assert made.to_pandas().equals(expected.to_pandas())


def test_tensors_of_a_gpu_need_one():
    with pytest.raises(ConfigurationError, match="Legate was given no GPU"):
        lux.from_edges(_Tensor([0], (2, 0)), _Tensor([1], (2, 0)))
