# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches of graphs of many edges a vertex by the threads of one task, beside partitions and SciPy."""

import itertools
import threading

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

import lux
from lux.algorithms.bfs import bfs, neighbour_column_kernels, threads_direction_optimizing, threads_top_down
from lux.algorithms.bfs import direction_optimizing_kernels as kernels
from lux.algorithms.bfs.query import BfsQuery
from lux.errors import MemoryNeededError
from lux_cases.machine import processors
from lux_cases.stores import to_array


def cliques(count, size):
    """A ring of cliques, where each shares a vertex with the next: many levels, all small."""
    first = np.arange(count)[:, None] * (size - 1)
    pairs = np.array(list(itertools.combinations(range(size), 2)))
    n = count * (size - 1)
    u, v = ((first + pairs[:, k]).ravel() % n for k in (0, 1))
    return lux.from_edges(u, v, n_vertices=n, directed=False)


def isolated(directed):
    """A random graph in which a third of the vertices have no edges, and a few vertices have very many."""
    rng = np.random.default_rng(5)
    n, m = 3000, 36_000
    u, v = (rng.integers(0, 2000, (2, m)) ** 3 // 2000**2) * 3 // 2 + rng.integers(0, 2, (2, m))
    return lux.from_edges(u, v, n_vertices=n, directed=directed)


GRAPHS = {
    "kronecker": lambda: lux.generate("kronecker:12", seed=3),
    "uniform": lambda: lux.generate("uniform:10", seed=3),
    "directed": lambda: isolated(directed=True),
    "isolated": lambda: isolated(directed=False),
    "cliques": lambda: cliques(60, 20),
    "complete": lambda: lux.toy.complete(70),
    "few words": lambda: lux.toy.complete(20),
    "by degree": lambda: lux.generate("kronecker:11", seed=4).reordered("degree"),
    "directed, by degree": lambda: isolated(directed=True).reordered("degree"),
}


@pytest.fixture(scope="module", params=GRAPHS)
def graph(request):
    return GRAPHS[request.param]()


def roots(graph):
    linked = np.flatnonzero(graph.dense_out_degrees())
    return [*np.random.default_rng(1).choice(linked, 3, replace=False).tolist(), int(linked[-1])]


def test_answers_and_statistics_are_those_of_partitions(graph):
    assert refusal(graph) == ""
    matrix = graph.to_scipy(weight=None)
    for root in roots(graph):
        found, expected = lux.bfs(graph, root), lux.bfs(graph, root, parts=min(3, graph.n_vertices))
        far = dijkstra(matrix, unweighted=True, indices=root)
        np.testing.assert_array_equal(found.distances.dense(), np.where(np.isinf(far), -1, far))
        np.testing.assert_array_equal(found.parents.dense(), expected.parents.dense())
        bfs.verify(found)
        assert (found.iterations, found.converged) == (expected.iterations, True)
        for a, b in zip(found.statistics, expected.statistics, strict=True):
            assert (a.model, a.frontier, a.frontier_edges, a.why) == (b.model, b.frontier, b.frontier_edges, b.why)
            assert len(a.seconds) == found.threads == processors()
        assert found.statistics[-1].frontier_edges == expected.statistics[-1].frontier_edges


def test_the_limit_of_levels(graph):
    root = roots(graph)[0]
    for limit in range(6):
        found, expected = (lux.bfs(graph, root, parts=p, max_iter=limit) for p in (None, 2))
        np.testing.assert_array_equal(found.distances.dense(), expected.distances.dense())
        np.testing.assert_array_equal(found.parents.dense(), expected.parents.dense())
        assert (found.iterations, found.converged) == (expected.iterations, expected.converged)
        assert [s.frontier_edges for s in found.statistics] == [s.frontier_edges for s in expected.statistics]


def test_searches_use_the_same_memory_again_and_leave_answers_alone(graph):
    first, second = roots(graph)[:2]
    kept = lux.bfs(graph, first)
    before = kept.distances.dense(), kept.parents.dense()
    scratch = threads_direction_optimizing.columns_of(graph).scratch
    lux.bfs(graph, second)
    assert threads_direction_optimizing.columns_of(graph).scratch is scratch
    np.testing.assert_array_equal(kept.distances.dense(), before[0])
    np.testing.assert_array_equal(kept.parents.dense(), before[1])


@pytest.mark.check
@pytest.mark.parametrize("n", [1, 63, 64, 65, 129])
def test_heads(n):
    rng = np.random.default_rng(n)
    rows = [np.unique(rng.integers(0, n, rng.integers(0, 6))) for _ in range(n)]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    sources = np.concatenate([*rows, []]).astype(np.uint32)
    words = -(-n // 64)
    columns, linked = np.zeros(neighbour_column_kernels.COLUMNS * words * 64, np.uint32), np.zeros(words, np.uint64)
    for first in range(words):
        neighbour_column_kernels.fill(first, first + 1, offsets, sources, columns, linked)
    bits = np.unpackbits(linked.view(np.uint8), bitorder="little")
    assert bits.tolist() == [int(len(row) > 0) for row in rows] + [0] * (words * 64 - n)
    for k, column in enumerate(columns.reshape(neighbour_column_kernels.COLUMNS, -1)):
        expected = [row[k] if k < len(row) else words * 64 for row in rows]
        assert column.tolist() == expected + [words * 64] * (words * 64 - n)


@pytest.mark.parametrize("cuts", [[], [128], [64, 512], [0, 192, 192], [64, 128, 1000, 1000]])
def test_threads_without_vertices_of_their_own(cuts):
    graph = lux.from_edges(*_random(1000, 9000), n_vertices=1000)
    expected = lux.bfs(graph, 3, parts=2)
    found = _by_threads(graph, 3, np.array([0, *cuts, 1000]))
    np.testing.assert_array_equal(found[0], expected.distances.dense())
    np.testing.assert_array_equal(found[1], expected.parents.dense())


def _random(n, m):
    return np.random.default_rng(7).integers(0, n, (2, m))


def _by_threads(graph, source, points):
    """Distances and parents by one thread for each range of ``points``."""
    n, size, words = graph.n_vertices, len(points) - 1, -(-graph.n_vertices // 64)
    edges, made = threads_top_down.rows_of(graph), threads_direction_optimizing.columns_of(graph)
    stores = (made.columns, made.linked, graph.offsets, graph.sources, edges.offsets, edges.destinations)
    arrays = [to_array(s) for s in (*stores, graph.out_degree_store)]
    words_of = np.empty(words, np.uint64), np.empty((2, words + 1), np.uint64)
    control, answers = kernels.new_control(size), np.empty((2, n), np.int32)
    given = (*arrays, points, *words_of, np.empty((2, n), np.uint32), control, *answers)
    threads = [threading.Thread(target=kernels.search, args=(k, size, source, 99, -1, *given)) for k in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def refusal(graph, **asked):
    strategy = threads_direction_optimizing.ThreadsDirectionOptimizing()
    return strategy.refusal(BfsQuery(graph=graph, **asked))


def test_what_it_is_for():
    sparse, dense = lux.toy.path(100), lux.toy.complete(20)
    assert refusal(sparse) == "graphs of fewer than 8 edges a vertex are pushed on"
    assert [refusal(dense, parts=parts) for parts in (None, 1)] == ["", ""]
    assert refusal(dense, parts=2) == "it is one task, and parts=2 is asked for"
    assert refusal(dense, model="pull") == "model='pull' is asked for, which only the program has"
    assert lux.bfs(sparse, 0, strategy="threads-direction-optimizing").strategy == "threads-direction-optimizing"


def test_what_is_made_beforehand_is_counted_once():
    for directed in (False, True):
        graph = isolated(directed)
        edges = 4 * graph.n_edges + 8 * (graph.n_vertices + 1) if directed else 0
        assert (
            threads_direction_optimizing.column_bytes(graph)
            == edges + (neighbour_column_kernels.COLUMNS * 64 * 4 + 8) * 47
        )
        bfs.prepare(graph, parts=None, model="auto")
        assert threads_direction_optimizing.column_bytes(graph) == 0
        launches = lux.explain(lux.bfs, graph, 0).launches
        assert [launch.task for launch in launches if not launch.internal] == ["search_dense_graph_in_breadth"]


def test_refused_where_memory_is_short(monkeypatch):
    graph = lux.toy.complete(20)
    monkeypatch.setattr(threads_direction_optimizing, "column_bytes", lambda _: 1 << 50)
    with pytest.raises(MemoryNeededError, match="bfs"):
        lux.bfs(graph, 0)
