# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths beside SciPy and NetworkX, on closed forms, and over partitions, models and orders."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import bellman_ford, dijkstra

import lux
from lux.algorithms.sssp.sssp import verify
from lux.errors import GraphError, LuxError, NegativeCycleError, ParameterError, WeightError
from lux_cases.examples import QUICK, some
from lux_cases.stores import with_columns

RUNS = [(parts, model) for parts in (None, 1, 2, 3, 7) for model in ("auto", "pull", "push")]
AUTO = [(parts, "auto") for parts in (None, 2, 3, 7)]
KINDS = {np.int32: RUNS, np.float64: RUNS, np.float32: AUTO}
"""Types of weights, and what runs with each by ``make test``."""


def found(graph, source, **options):
    result = lux.sssp(graph, source, **options)
    verify(result)
    distances = result.distances.dense().astype(np.float64)
    return np.where(result.distances.dense() == result.unreached, np.inf, distances), result.parents.dense()


@pytest.mark.parametrize(
    "kind", [*KINDS, *(pytest.param(kind, marks=pytest.mark.slow) for kind in (np.int64, np.uint32, np.int8))]
)
@settings(max_examples=25)
@given(
    n=st.integers(1, 12),
    edges=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.integers(0, 9)), max_size=40),
    directed=st.booleans(),
    chance=st.integers(0, 1 << 32),
)
def test_beside_networkx(kind, n, edges, directed, chance):
    reference = nx.MultiDiGraph() if directed else nx.MultiGraph()
    reference.add_nodes_from(range(n))
    reference.add_weighted_edges_from((u % n, v % n, w) for u, v, w in edges)
    lengths = nx.single_source_dijkstra_path_length(reference, 0)
    expected = [lengths.get(v, np.inf) for v in range(n)]
    u, v, w = np.array([(u % n, v % n, w) for u, v, w in edges], np.int64).reshape(-1, 3).T
    graph = lux.from_edges(u, v, weight=w.astype(kind), n_vertices=n, directed=directed)
    parents = None
    ways = [(parts, model) for parts, model in (KINDS.get(kind, RUNS) if QUICK else RUNS) if (parts or 1) <= n]
    for parts, model in some(ways, chance):
        distances, now = found(graph, 0, parts=parts, model=model)
        assert distances.tolist() == expected, (parts, model)
        parents = now if parents is None else parents
        assert now.tolist() == parents.tolist(), (parts, model)
    distances, _ = found(graph.reordered("degree"), 0)
    assert distances.tolist() == expected


@pytest.mark.parametrize("spec", ["kronecker:11", "uniform:10", "grid:40x30"])
def test_beside_scipy(spec):
    graph = lux.generate(spec, weights=(1, 255))
    source = int(graph.dense_out_degrees().argmax())
    expected = dijkstra(graph.to_scipy(), indices=source)
    for parts, delta in ((None, None), (None, 1), (None, 10_000), (3, None), (3, 50)):
        distances, _ = found(graph, source, parts=parts, delta=delta)
        np.testing.assert_array_equal(distances, expected)
    distances, _ = found(graph.reordered("degree"), source, parts=2)
    np.testing.assert_array_equal(distances, expected)


def test_a_search_has_one_source():
    with pytest.raises(
        ParameterError, match=r"source=\[0, 1\] was passed; allowed is one vertex: call lux.sssp for ea"
    ):
        lux.sssp(lux.toy.two_triangles(), [0, 1])


@pytest.mark.check
def test_closed_forms():
    n = 50
    path = lux.from_edges(np.arange(n - 1), np.arange(1, n), weight=np.full(n - 1, 2.5))
    assert found(path, 0)[0].tolist() == (2.5 * np.arange(n)).tolist()
    assert found(path, n - 1)[0].tolist() == [np.inf] * (n - 1) + [0]
    zeros = lux.from_edges(np.arange(n), (np.arange(n) + 1) % n, weight=np.zeros(n, np.int32), directed=False)
    for parts, model in RUNS:
        distances, parents = found(zeros, 3, parts=parts, model=model)
        assert not distances.any()
        assert parents[3] == 3


def test_cutoff():
    graph = lux.generate("grid:20x20", weights=(1, 9))
    exact = dijkstra(graph.to_scipy(), indices=0)
    for parts, model in RUNS:
        distances, _ = found(graph, 0, cutoff=30, parts=parts, model=model)
        np.testing.assert_array_equal(distances, np.where(exact <= 30, exact, np.inf))


def test_negative_edges():
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 40, (2, 150))
    u, v = np.minimum(u, v)[u != v], np.maximum(u, v)[u != v]  # without cycles
    graph = lux.from_edges(u, v, weight=rng.integers(-5, 9, len(u)).astype(np.int32), n_vertices=40, drop_repeats=True)
    expected = bellman_ford(graph.to_scipy(), indices=0)
    for parts in (None, 2):
        distances, _ = found(graph, 0, parts=parts)
        np.testing.assert_array_equal(distances, expected)


@pytest.mark.check
@pytest.mark.parametrize("parts", [None, 2])
def test_negative_cycles_are_found(parts):
    graph = lux.from_edges([0, 1, 2, 3], [1, 2, 1, 0], weight=np.array([1, -3, 2, 1], np.int32))
    with pytest.raises(NegativeCycleError):
        lux.sssp(graph, 0, parts=parts)


@pytest.mark.parametrize("kind", [np.float64, pytest.param(np.float32, marks=pytest.mark.slow)])
def test_paths_longer_than_a_float(kind):
    """They are refused, not unreached; unless a shorter one leads there, or all that matters is a cutoff."""
    big = kind(np.finfo(kind).max * 0.9)
    refused = lux.from_edges([0, 1], [1, 2], weight=np.array([big, big]), n_vertices=4)
    around = lux.from_edges([0, 1, 0], [1, 2, 2], weight=np.array([big, big, 1], kind), n_vertices=4)
    for parts, model in ((None, "auto"), (2, "auto"), (1, "pull"), (2, "push")):
        with pytest.raises(WeightError, match=f"longer than the largest {np.dtype(kind)}: divide the weights"):
            lux.sssp(refused, 0, parts=parts, model=model)
        distances, _ = found(around, 0, parts=parts, model=model)
        assert distances.tolist() == [0, big, 1, np.inf]
        distances, _ = found(refused, 0, parts=parts, model=model, cutoff=float(big))
        assert distances.tolist() == [0, big, np.inf, np.inf]
    distances, _ = found(refused, 1)
    assert distances.tolist() == [np.inf, 0, big, np.inf]
    with pytest.raises(WeightError, match="longer than the largest"):
        lux.sssp(refused, 0, max_iter=2)


def test_sums_of_huge_weights():
    """Negative ones are refused too, a cycle of them as what it is; a mean that overflows leaves buckets finite."""
    down = lux.from_edges([0, 1], [1, 2], weight=[-1.7e308, -1.7e308])
    with pytest.raises(WeightError, match="longer than the largest float64"):
        lux.sssp(down, 0)
    cycle = lux.from_edges([0, 1, 2], [1, 2, 0], weight=[-1.7e308, -1.7e308, 1.0])
    with pytest.raises(NegativeCycleError):
        lux.sssp(cycle, 0)
    n = 40
    u, v = np.nonzero(~np.eye(n, dtype=bool))
    dense = lux.from_edges(u, v, weight=np.full(len(u), 1.7e308))
    result = lux.sssp(dense, 0)
    verify(result)
    assert result.delta < np.inf
    assert result.distances.dense().tolist() == [0] + [1.7e308] * (n - 1)


def test_mistakes():
    graph = lux.toy.path(4)
    with pytest.raises(GraphError, match="sssp needs weights and this graph has none: use bfs"):
        lux.sssp(graph, 0)
    weighted = lux.from_edges([0, 1], [1, 2], weight=[1.0, np.nan])
    with pytest.raises(WeightError):
        lux.sssp(weighted, 0)
    weighted = lux.from_edges([0, 1], [1, 2], weight=[1.0, 2.0])
    with pytest.raises(GraphError, match="vertex 9 is not in the graph"):
        lux.sssp(weighted, 9)
    for wrong in ({"delta": 0}, {"delta": -1.0}, {"cutoff": -1}, {"model": "pull-push"}, {"weight": 3}):
        with pytest.raises(ParameterError):
            lux.sssp(weighted, 0, **wrong)


def test_the_verifier_sees_wrong_answers():
    result = lux.sssp(lux.from_edges([0, 1, 0], [1, 2, 2], weight=np.array([1, 1, 5], np.int32)), 0)
    verify(result)
    for distances, parents in (([0, 1, 3], [0, 0, 1]), ([0, 1, 2], [0, 0, 0]), ([1, 1, 2], [0, 0, 1])):
        wrong = with_columns(result, distance=np.array(distances, np.int64), parent=np.array(parents, np.int32))
        with pytest.raises(LuxError):
            verify(wrong)


@pytest.mark.parametrize("directed, order", [(True, "degree"), (False, "given"), (False, "degree")])
def test_edges_are_verified_some_at_a_time(edges_at_once, directed, order):
    u, v, weights = np.random.default_rng(5).integers(0, 60, (3, 400))
    graph = lux.from_edges(u, v, weight=weights + 1.0, directed=directed).reordered(order)
    result = lux.sssp(graph, int(u[0]))
    found = result.distances.dense()
    for n in (7, 1 << 22):
        edges_at_once(n)
        verify(result)
        for vertex in np.flatnonzero(np.isfinite(found) & (found > 0))[::9]:
            wrong = found.copy()
            wrong[vertex] += 0.5
            with pytest.raises(LuxError):
                verify(with_columns(result, distance=wrong))
