# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search beside NetworkX and closed forms."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

import lux
from lux.algorithms.bfs.bfs import verify
from lux.errors import GraphError, LuxError, ParameterError
from lux_cases.examples import some
from lux_cases.stores import with_columns

MODELS = ("auto", "pull", "push")


def runs(n):
    return [(p, m) for p in (None, 1, 2, 3, 7) if (p or 1) <= n for m in MODELS]


@settings(max_examples=30)
@given(
    n=st.integers(1, 15),
    pairs=st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=40),
    source=st.integers(0, 14),
    directed=st.booleans(),
    max_iter=st.sampled_from([None, 0, 1, 2]),
    chance=st.integers(0, 1 << 32),
)
def test_networkx(n, pairs, source, directed, max_iter, chance):
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T % n
    reference = nx.MultiDiGraph() if directed else nx.MultiGraph()
    reference.add_nodes_from(range(n))
    reference.add_edges_from(zip(u.tolist(), v.tolist(), strict=True))
    source %= n
    far = nx.single_source_shortest_path_length(reference, source, cutoff=max_iter)
    distances = [far.get(x, -1) for x in range(n)]
    # Of all valid parents the first.
    before = reference.predecessors if directed else reference.neighbors
    parents = [
        x if x == source else min((y for y in before(x) if far.get(y, n) == far[x] - 1), default=-1) if x in far else -1
        for x in range(n)
    ]
    graph = lux.from_edges(u, v, n_vertices=n, directed=directed)
    iterations = set()
    for parts, model in some(runs(n), chance):
        result = lux.bfs(graph, source, parts=parts, model=model, max_iter=max_iter)
        assert result.distances.dense().tolist() == distances, f"parts={parts}, model={model}"
        assert result.parents.dense().tolist() == parents, f"parts={parts}, model={model}"
        iterations.add((result.iterations, result.converged))
        verify(result)
    assert len(iterations) == 1
    if max_iter is None:
        assert iterations == {(max(distances) + 1, True)}


@pytest.mark.check
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("parts", [1, 4])
def test_closed_forms(parts, model):
    def distances(graph, source):
        return lux.bfs(graph, source, parts=parts, model=model).distances.dense().tolist()

    n = 30
    assert distances(lux.toy.path(n), 10) == [-1] * 10 + list(range(20))
    assert distances(lux.toy.path(n, directed=False), 10) == [abs(v - 10) for v in range(n)]
    assert distances(lux.toy.cycle(n), 7) == [(v - 7) % n for v in range(n)]
    assert distances(lux.toy.cycle(n, directed=False), 7) == [min((v - 7) % n, (7 - v) % n) for v in range(n)]
    assert distances(lux.toy.complete(n), 3) == [int(v != 3) for v in range(n)]
    assert distances(lux.toy.star(n), 3) == [1] + [0 if v == 3 else -1 for v in range(1, n)]
    assert distances(lux.toy.star(n, directed=False), 3) == [1] + [0 if v == 3 else 2 for v in range(1, n)]
    assert distances(lux.toy.grid(5, 6), 8) == [abs(v // 6 - 1) + abs(v % 6 - 2) for v in range(30)]


def test_larger_random_graphs_in_all_ways():
    """Frontiers large enough for bitmaps and for both models in one run."""
    for directed in (True, False):
        reference = nx.gnm_random_graph(3000, 30_000, seed=4, directed=directed)
        u, v = np.array(list(reference.edges())).T
        graph = lux.from_edges(u, v, n_vertices=3000, directed=directed)
        far = nx.single_source_shortest_path_length(reference, 18)
        first = lux.bfs(graph, 18)
        assert {s.model for s in first.statistics} == {"pull", "push"}
        assert first.distances.dense().tolist() == [far.get(x, -1) for x in range(3000)]
        verify(first)
        for parts, model in runs(3000):
            result = lux.bfs(graph, 18, parts=parts, model=model, deterministic=True)
            assert (result.parents.dense() == first.parents.dense()).all()
            assert (result.distances.dense() == first.distances.dense()).all()


@pytest.mark.parametrize("directed", [True, False])
def test_sparse_graphs_with_levels_for_all_threads(directed):
    rng = np.random.default_rng(8)
    n = 40_000
    u, v = rng.integers(0, n, (2, 3 * n))
    graph = lux.from_edges(u, v, n_vertices=n, directed=directed)
    expected = dijkstra(graph.to_scipy(weight=None), unweighted=True, indices=5)
    for asked in (graph, graph.reordered("degree")):
        partitioned = lux.bfs(asked, 5, parts=3)
        for _ in range(5):
            found = lux.bfs(asked, 5)
            assert max(step.frontier for step in found.statistics) > 8192
            np.testing.assert_array_equal(found.distances.dense(), np.where(np.isinf(expected), -1, expected))
            np.testing.assert_array_equal(found.parents.dense(), partitioned.parents.dense())
            assert found.iterations == partitioned.iterations == len(found.statistics)
            assert [s.frontier for s in found.statistics] == [s.frontier for s in partitioned.statistics]
            assert [s.frontier_edges for s in found.statistics] == [s.frontier_edges for s in partitioned.statistics]


def test_isolated_source():
    graph = lux.from_edges([0], [1], n_vertices=4)
    for parts, model in runs(4):
        result = lux.bfs(graph, 3, parts=parts, model=model)
        assert result.distances.dense().tolist() == [-1, -1, -1, 0]
        assert result.parents.dense().tolist() == [-1, -1, -1, 3]
        assert (result.iterations, result.converged) == (1, True)


@pytest.mark.parametrize("parts", [True, 1.0, 0, 10])
def test_wrong_partitions(parts):
    with pytest.raises(ParameterError, match="parts"):
        lux.bfs(lux.toy.path(9), 0, parts=parts)


def test_users_ids():
    graph = lux.from_edges(["b", "c", "c"], ["c", "d", "a"])
    result = lux.bfs(graph, "b")
    assert result.distances.to_dict() == {"a": 2, "b": 0, "c": 1, "d": 2}
    assert result.parents.to_dict() == {"a": "c", "b": "b", "c": "b", "d": "c"}
    assert lux.bfs(graph, "d").parents.to_dict() == {"a": "", "b": "", "c": "", "d": "d"}
    assert result.top(2) == [("a", 2), ("d", 2)]
    numbered = lux.bfs(lux.from_edges([10, 30], [30, 20]), 30)
    assert numbered.parents.to_dict() == {10: -1, 20: 30, 30: 30}
    assert numbered.source == 30


@pytest.mark.parametrize(
    "source,error",
    [(9, GraphError), ("x", GraphError), (-1, GraphError), (1.5, ParameterError), (True, ParameterError)],
)
def test_missing_source(source, error):
    with pytest.raises(error, match="vertex"):
        lux.bfs(lux.toy.path(9), source)


def test_limit():
    with pytest.raises(ParameterError, match="max_iter=-2 was passed"):
        lux.bfs(lux.toy.path(9), 0, max_iter=-2)
    result = lux.bfs(lux.toy.path(9), 0, max_iter=3)
    assert not result.converged
    assert result.top(1) == [(3, 3)]


@pytest.mark.check
@pytest.mark.parametrize(
    "distances,parents,message",
    [
        ([0, 1, 2, 3, 4], [0, 0, 1, 2, 4], "a parent is one level above"),
        ([0, 1, 2, 3, -1], [0, 0, 1, 2, -1], "out-neighbours are reached"),
        ([0, 1, 2, 3, 4], [0, 0, 1, 2, -1], "exactly the reached"),
        ([1, 1, 2, 3, 4], [0, 0, 1, 2, 3], "the source has distance 0"),
        ([0, 0, 2, 3, 4], [0, 1, 1, 2, 3], "only the source"),
        ([0, 1, 1, 3, 4], [0, 0, 0, 2, 3], "every tree edge|one level above"),
        ([0, 1, 1, 2, 3], [0, 0, 0, 2, 3], "every tree edge"),
    ],
)
def test_verifier(distances, parents, message):
    graph = lux.toy.path(5)
    result = lux.bfs(graph, 0)
    verify(result)
    wrong = with_columns(result, distance=np.array(distances, np.int32), parent=np.array(parents, np.int64))
    with pytest.raises(LuxError, match=message):
        verify(wrong)


@settings(max_examples=25)
@given(
    n=st.integers(1, 15),
    pairs=st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=40),
    sources=st.lists(st.integers(0, 14), min_size=1, max_size=4),
    directed=st.booleans(),
    chance=st.integers(0, 1 << 32),
)
def test_several_sources(n, pairs, sources, directed, chance):
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T % n
    sources = [source % n for source in sources]
    graph = lux.from_edges(u, v, n_vertices=n, directed=directed)
    reference = graph.to_networkx()
    far = nx.multi_source_dijkstra_path_length(reference, set(sources), weight=lambda *_: 1)
    for parts, model in some(runs(n), chance):
        result = lux.bfs(graph, sources, parts=parts, model=model)
        assert result.distances.to_dict() == {vertex: far.get(vertex, -1) for vertex in range(n)}
        assert all(result.path_to(vertex)[0] in sources for vertex in far)
        verify(result)


def test_several_sources_by_name():
    graph = lux.from_edges(["a", "b", "c"], ["b", "c", "d"])
    for sources in (["a", "c"], {"a", "c"}, np.array(["c", "a"]), ("c", "a", "c")):
        assert lux.bfs(graph, sources).distances.to_dict() == {"a": 0, "b": 1, "c": 0, "d": 1}
    with pytest.raises(GraphError, match="vertex 'z' is not in the graph"):
        lux.bfs(graph, ["a", "z"])
    with pytest.raises(ParameterError, match="a list with at least one"):
        lux.bfs(graph, [])
    with pytest.raises(ParameterError, match="allowed are auto, program"):
        lux.bfs(graph, ["a"], strategy="gpu")
