# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`weighted_betweenness.cu`: shortest paths by weight that lead through vertices, beside NetworkX and CPU cores."""

import networkx as nx
import numpy as np
import pytest

import lux
from lux.algorithms.betweenness import gpu as dependencies
from lux.errors import WeightError
from lux_cases.examples import covering


def uneven(n=60, edges=300):
    """Parallel edges, loops, vertices alone, and equal lengths."""
    return np.random.default_rng(3).integers(0, n, (2, edges)) ** 2 // n, n + 5


def dense():
    """Enough edges a vertex that rows are sorted by weight; some vertices at the end have no in-edges."""
    u, v = np.random.default_rng(5).integers(0, 70, (2, 1500))
    return np.stack([u, v * 2 // 3]), 70


def long_rows():
    """Rows of more than a thousand edges, in parts, and rows of many children, in pieces."""
    leaves = np.arange(3, 1503)
    u = np.concatenate([np.zeros(1500, int), leaves, [0, 1]])
    v = np.concatenate([leaves, np.ones(1500, int), [2, 2]])
    return np.stack([u, v]), 1503


def two_roads():
    """Many levels of few vertices, which one block takes alone; and some of many."""
    along = np.arange(300)
    fan = np.arange(601, 1301)
    u = np.concatenate([along[:-1], along[:-1], np.full(700, 299), fan])
    v = np.concatenate([along[1:], along[1:] + 300, fan, np.full(700, 600)])
    return np.stack([u, v]), 1301


GRAPHS = {"uneven": uneven, "dense": dense, "long rows": long_rows, "two roads": two_roads}


def both(machine, graph, *, gpus=1, blocks=2, schedule=1, parts=None, **options):
    """Scores on CPU cores, and on GPUs."""
    with lux.using(device="cpu"):
        cpu = lux.betweenness(graph, **options)
    with machine(gpus, blocks=blocks, seed=schedule) as m, lux.using(device="gpu"):
        gpu = lux.betweenness(graph, parts=parts, **options)
        assert "lux_weighted_betweenness" in m.launched
    assert (gpu.device, gpu.iterations, gpu.parts) == ("gpu", cpu.iterations, parts or 1)
    return cpu.scores.dense(), gpu.scores.dense()


@pytest.mark.parametrize("name, directed, order", covering([*GRAPHS], [False, True], ["given", "degree"], times=2))
def test_beside_cpu_cores(machine, name, directed, order):
    ends, n = GRAPHS[name]()
    weight = np.random.default_rng(1).integers(1, 4, ends.shape[1]).astype(np.float32)
    graph = lux.from_edges(*ends, weight=weight, n_vertices=n, directed=directed).reordered(order)
    options = {"sources": [0, 7, n - 1], "normalized": False, "endpoints": name == "uneven", "weight": "weight"}
    cpu, gpu = both(machine, graph, blocks=3 if name == "dense" else 2, **options)
    np.testing.assert_allclose(gpu, cpu, rtol=1e-12, atol=1e-12)
    assert cpu.max() > 0


@pytest.mark.parametrize("directed", [False, True])
def test_beside_networkx(machine, directed):
    ends, n = uneven(25, 120)
    ends = np.unique(ends, axis=1)
    weight = np.random.default_rng(1).integers(1, 9, ends.shape[1])
    plain = nx.DiGraph() if directed else nx.Graph()
    plain.add_nodes_from(range(n))
    plain.add_weighted_edges_from(zip(*ends.tolist(), weight.tolist(), strict=True), weight="length")
    graph = lux.from_networkx(plain)
    with machine(2), lux.using(device="gpu"):
        found = lux.betweenness(graph, weight="length", parts=2)
        assert found.device == "gpu"
    expected = nx.betweenness_centrality(plain, weight="length")
    for vertex, score in found.top(n):
        assert score == pytest.approx(expected[vertex], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("schedule", [1, 2, *(pytest.param(k, marks=pytest.mark.slow) for k in (3, 4))])
def test_a_block_that_is_late_while_another_goes_on_alone(machine, schedule):
    """Levels of 600 vertices, which all blocks take, and then several of one, which a block takes alone."""
    fan = 1 + np.arange(600)
    u = np.concatenate([np.zeros(600, int), fan, 600 + np.arange(1, 8)])
    v = np.concatenate([fan, np.full(600, 601), 601 + np.arange(1, 8)])
    glasses = 608 * np.arange(4)[:, None]
    graph = lux.from_edges((glasses + u).ravel(), (glasses + v).ravel(), weight=np.ones(4 * len(u)))
    options = {"sources": [0, 601], "normalized": False, "weight": "weight"}
    cpu, gpu = both(machine, graph, blocks=4, schedule=schedule, **options)
    np.testing.assert_allclose(gpu, cpu, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.uint64, np.float32, np.float64])
def test_types_of_lengths(machine, kind):
    ends, n = uneven()
    lengths = np.random.default_rng(2).integers(1, 100, ends.shape[1])
    weight = (lengths / 7 if np.dtype(kind).kind == "f" else lengths).astype(kind)
    graph = lux.from_edges(*ends, weight=weight, n_vertices=n)
    cpu, gpu = both(machine, graph, k=4, seed=1, weight="weight")
    np.testing.assert_allclose(gpu, cpu, rtol=1e-12, atol=1e-15)


def test_parallel_edges_whose_sums_are_rounded_alike_count_once(machine):
    """One of 1, and others that add up to the same beside 2^53, in rows that are sorted by weight and in others."""
    big = 2.0**53
    u, v = np.array([0, 1, 1, 1, 2, 0, 3]), np.array([1, 2, 2, 2, 4, 3, 2])
    weight = np.array([big, 2.0, 2.5, 3.0, 2.0, big, 2.0])
    more = np.tile(np.arange(5), (40, 1))  # far longer, but enough that vertices pull
    for repeats in (0, 40):
        others = np.stack([more[:repeats].ravel(), (more[:repeats].ravel() + 1) % 5])
        ends = np.concatenate([np.stack([u, v]), others], axis=1)
        lengths = np.concatenate([weight, np.full(others.shape[1], 2.0**60)])
        graph = lux.from_edges(*ends, weight=lengths)
        options = {"sources": [0], "normalized": False, "weight": "weight"}
        cpu, gpu = both(machine, graph, **options)
        np.testing.assert_array_equal(cpu, [0.0, 1.0, 1.0, 1.0, 0.0])
        np.testing.assert_array_equal(gpu, cpu)


def test_lengths_lost_in_a_sum_are_refused(machine):
    graph = lux.from_edges([0, 1, 2], [1, 2, 3], weight=[1e20, 1.0, 1.0])
    for device in ("cpu", "gpu"):
        with machine(), lux.using(device=device), pytest.raises(WeightError, match="so small beside others"):
            lux.betweenness(graph, weight="weight")
    cpu, gpu = both(machine, graph, sources=[1, 2], weight="weight", normalized=False)
    np.testing.assert_array_equal(gpu, cpu)


@pytest.mark.parametrize("gpus", [1, 3])
def test_sources_that_take_several_launches(machine, monkeypatch, gpus):
    monkeypatch.setattr(dependencies, "MAX_STATISTICS_ROWS", 2)
    ends, n = uneven()
    graph = lux.from_edges(*ends, weight=np.ones(ends.shape[1]), n_vertices=n, directed=False)
    seen = []
    options = {"k": 8, "seed": 1, "weight": "weight", "progress": seen.append}
    cpu, gpu = both(machine, graph, gpus=gpus, parts=gpus, **options)
    np.testing.assert_allclose(gpu, cpu, rtol=1e-12, atol=1e-15)
    assert seen[-1] == 8


def test_what_has_no_edges(machine):
    graph = lux.from_edges([], [], weight=np.zeros(0), n_vertices=3)
    cpu, gpu = both(machine, graph, weight="weight", endpoints=True)
    np.testing.assert_array_equal(gpu, cpu)


def test_more_paths_than_float64_holds(machine):
    """On GPUs they overflow, so that CPU cores take over, whose numbers have exponents of their own."""
    at = np.arange(1100)
    u, v = np.concatenate([2 * at, 2 * at, 2 * at + 1, 2 * at + 1]), np.concatenate([2 * at + 2, 2 * at + 3] * 2)
    graph = lux.from_edges(u, v, weight=np.ones(4400))
    with machine(), lux.using(device="gpu"):
        found = lux.betweenness(graph, sources=[0], weight="weight", normalized=False)
    assert found.device == "cpu"
    assert np.isfinite(found.scores.dense()).all()
