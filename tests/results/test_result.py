# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What functions return."""

import pickle

import numpy as np
import pandas as pd
import pytest

import lux
from lux.errors import GraphError, LuxError, ParameterError
from lux_cases.builtin import BreadthFirstSearch
from lux_cases.stores import values_of

IDS = {
    "plain": (lambda: lux.toy.path(4), [0, 1, 2, 3]),
    "one-based": (lambda: lux.from_edges([1, 2, 3], [2, 3, 4]), [1, 2, 3, 4]),
    "gaps": (lambda: lux.from_edges([-5, 7, 10**12], [7, 10**12, 30]), [-5, 7, 30, 10**12]),
    "strings": (lambda: lux.from_edges(["b", "a", "é"], ["a", "é", "c"]), ["a", "b", "c", "é"]),
    "bipartite": (
        lambda: lux.from_edges([2, 10, 2], [1, 1, 3], bipartite=True),
        ["left:2", "left:10", "right:1", "right:3"],
    ),
}


@pytest.mark.parametrize("kind", IDS)
def test_users_ids_everywhere(kind):
    make, names = IDS[kind]
    graph = make()
    values = values_of(graph, [2.5, 0.5, 2.5, 1.0])
    assert len(values) == 4
    assert values.to_dict() == dict(zip(names, [2.5, 0.5, 2.5, 1.0], strict=True))
    assert values.top(3) == [(names[0], 2.5), (names[2], 2.5), (names[3], 1.0)]
    assert [values[name] for name in names] == [2.5, 0.5, 2.5, 1.0]
    with pytest.raises(GraphError, match="is not in the graph"):
        values["nobody"]
    vertices = values_of(graph, np.array([3, -1, 0, 2], np.int64), vertices=True)
    none = "" if isinstance(names[0], str) else -1
    expected = [names[3], none, names[0], names[2]]
    assert vertices.to_numpy().tolist() == expected
    assert vertices[names[1]] == none
    result = lux.components(graph)
    frame = result.to_pandas()
    assert (frame.index.name, list(frame.columns)) == ("vertex", ["label"])
    assert frame.index.tolist() == names
    assert frame["label"].tolist() == [names[0]] * 4
    assert isinstance(frame, pd.DataFrame)


def test_results_of_one_graph_join():
    graph = lux.from_edges([10, 20], [20, 40])
    frame = lux.pagerank(graph).to_pandas().join([lux.components(graph).to_pandas(), graph.out_degrees().to_pandas()])
    assert list(frame.columns) == ["rank", "label", "out_degree"]
    assert frame.loc[20].tolist() == [lux.pagerank(graph).ranks[20], 10, 1]
    ranks = lux.pagerank(graph).ranks
    for series in (ranks.to_pandas(), pd.Series(ranks)):
        assert series.to_dict() == ranks.to_dict()
    assert (ranks.to_pandas().name, ranks.to_pandas().index.name) == ("rank", "vertex")
    vectors = values_of(graph, np.arange(6.0), length=2, name="p").to_pandas()
    assert vectors.loc[40].to_dict() == {"p_0": 4.0, "p_1": 5.0}


@pytest.mark.check
def test_top():
    graph = lux.toy.path(6)
    values = values_of(graph, np.array([3, 9, 3, 9, 3, 1], np.int32))
    assert values.top(1) == [(1, 9)]
    assert values.top(3) == [(1, 9), (3, 9), (0, 3)]
    assert values.top(4) == [(1, 9), (3, 9), (0, 3), (2, 3)]
    assert values.top(99) == [(1, 9), (3, 9), (0, 3), (2, 3), (4, 3), (5, 1)]
    assert values.top(0) == []
    with pytest.raises(ParameterError, match="allowed are whole numbers from 0"):
        values.top(-1)
    assert values_of(graph, [True, False, True, False, False, False]).top(2) == [(0, True), (2, True)]
    assert values_of(graph, np.array([0, 1, 2, 3, 4, 5], np.uint32)).top(2) == [(5, 5), (4, 4)]


def test_top_of_large_integers():
    values = values_of(lux.toy.path(3), np.array([2**62, 2**62 + 1, 5], np.int64))
    assert values.top(2) == [(1, 2**62 + 1), (0, 2**62)]


def test_arrays():
    ranks = lux.pagerank(lux.toy.kite()).ranks
    array = np.asarray(ranks)
    assert array.dtype == np.float64
    assert array.tolist() == ranks.to_numpy().tolist() == ranks.dense().tolist()
    assert np.asarray(ranks, np.float32).dtype == np.float32
    array[:] = 7
    assert ranks.to_numpy().sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="always a copy"):
        np.array(ranks, copy=False)


def test_cupynumeric_shares_the_store():
    result = lux.pagerank(lux.toy.kite())
    cn = pytest.importorskip("cupynumeric")
    ranks = cn.asarray(result.ranks)
    assert float(ranks.sum()) == pytest.approx(1)
    assert ranks.shape == (10,)
    ranks[3] = 42.0
    assert result.ranks[3] == 42


@pytest.mark.check
def test_results_say_what_they_are():
    result = lux.bfs(lux.toy.path(4), 1)
    assert repr(result).splitlines()[:2] == [
        "<BFSResult: distance, parent of 4 vertices, 3 iterations>", "vertex  distance  parent",
    ]  # fmt: skip
    assert repr(result.distances).startswith("<Values of 4 vertices, int32>\n")
    assert result["distance"] is result.distances is result.main
    assert result.seconds > 0
    assert result.top(1) == [(3, 2)]
    with pytest.raises(AttributeError):
        result.iterations = 5


def test_an_unset_vertex_is_none_in_a_users_program_too():
    graph = lux.from_edges([5, 7], [7, 9])
    found = lux.run(BreadthFirstSearch, graph, source=7)["parent"].to_dict()
    assert found == {5: -1, 7: 7, 9: 7}


def test_values_are_like_the_dict_of_networkx():
    graph = lux.from_edges(["b", "a", "é"], ["a", "é", "c"])
    distances = lux.bfs(graph, "b").distances
    assert list(distances) == distances.keys() == ["a", "b", "c", "é"]
    assert dict(distances) == distances.to_dict() == lux.bfs(graph, "b").to_dict()
    assert distances.values() == distances.to_numpy().tolist()
    assert "é" in distances
    assert "z" not in distances
    assert None not in distances
    with pytest.raises(ParameterError, match=r"slice\(0, 2, None\) was passed; allowed are a vertex and a list of"):
        distances[0:2]


def test_one_value_is_read_alone(monkeypatch):
    graph = lux.from_edges([5, 7, 9], [7, 9, 30])
    parents = lux.bfs(graph, 7).parents
    vectors = values_of(graph, np.arange(8.0), length=2)
    monkeypatch.setattr(type(vectors), "dense", None)
    assert [parents[v] for v in (5, 7, 9, 30)] == [-1, 7, 7, 9]
    assert vectors[9] == [4.0, 5.0]


def test_a_column_that_is_not_there():
    with pytest.raises(ParameterError, match=r"there is no column 'ranks': did you mean rank\? This result has rank"):
        lux.pagerank(lux.toy.kite())["ranks"]
    with pytest.raises(ParameterError, match=r"there is no column 3\. .* of a vertex is result\['rank'\]\[vertex\]"):
        lux.pagerank(lux.toy.kite())[3]


@pytest.mark.check
def test_values_serve_as_a_dict():
    levels = lux.bfs(lux.toy.path(4), 1).distances
    assert max(levels, key=levels.get) == 3
    assert (levels.get(9), levels.get("x", 5)) == (None, 5)


def test_results_and_graphs_are_not_pickled():
    graph = lux.toy.kite()
    for what in (graph, lux.bfs(graph, 0)):
        with pytest.raises(LuxError, match=r"cannot be pickled or copied: pass on result\.to_pandas\(\)"):
            pickle.dumps(what)
