# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness with weights, on one GPU and dealt to several, is that of CPU cores and of NetworkX."""

import importlib.util
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import lux
from lux.algorithms.betweenness import betweenness, gpu_weighted
from lux.algorithms.betweenness import gpu as dependencies
from lux.errors import MemoryNeededError, WeightError
from lux_cases.machine import gpus

pytestmark = pytest.mark.gpu

_spec = importlib.util.spec_from_file_location("weighted_graphs", Path(__file__).with_name("test_programs.py"))
shared = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(shared)


def all_parts():
    return range(1, min(gpus(), 4) + 1)


def weighted(name, order, kind):
    """A graph of the other tests with lengths of a type; floats are of few values, so that many paths tie."""
    g = shared.graph(name, order)
    if kind == np.float32:
        return g
    edges = shared.graph(name, "given").dense_edge_list()
    lengths = edges.properties["weight"].astype(kind)
    if np.dtype(kind).kind == "f":
        lengths = (lengths % 4 + 1) / 7
    u, v = edges.sources, edges.destinations
    return lux.from_edges(u, v, weight=lengths, directed=edges.directed).reordered(order)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.uint8])
@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("name", shared.GRAPHS)
def test_beside_cpu_cores(name, order, kind):
    g = weighted(name, order, kind)
    for sources in (1, 7):
        options = {"k": min(sources, g.n_vertices), "seed": 5, "endpoints": sources == 7, "normalized": False}
        with lux.using(device="cpu"):
            cpu = lux.betweenness(g, weight="weight", **options)
        for parts in all_parts():
            with lux.using(device="gpu"):
                gpu = lux.betweenness(g, weight="weight", parts=parts, **options)
            assert (gpu.device, gpu.parts, gpu.iterations) == ("gpu", parts, cpu.iterations)
            assert all(i.seconds[0] > 0 for i in gpu.statistics)
            np.testing.assert_allclose(gpu.scores.dense(), cpu.scores.dense(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("directed", [False, True])
def test_beside_networkx(directed):
    h = nx.gnp_random_graph(60, 0.07, seed=2, directed=directed)
    h.add_node(77)  # alone
    for k, (_, _, data) in enumerate(h.edges(data=True)):
        data["length"] = 1 + k * k % 5
    g = lux.from_networkx(h)
    expected = nx.betweenness_centrality(h, weight="length")
    for parts in all_parts():
        with lux.using(device="gpu"):
            found = lux.betweenness(g, weight="length", parts=parts)
        for vertex, score in found.top(g.n_vertices):
            assert score == pytest.approx(expected[vertex], rel=1e-9, abs=1e-12)


def test_a_larger_graph():
    g = lux.generate("kronecker:15", seed=1, weights=(1, 255)).reordered("degree")
    with lux.using(device="gpu"):
        found = [lux.betweenness(g, k=12, seed=1, weight="weight", parts=p) for p in (1, max(all_parts()))]
    for one in found:
        betweenness.verify(one)
    np.testing.assert_allclose(found[1].scores.dense(), found[0].scores.dense(), rtol=1e-10, atol=1e-14)


def test_parallel_edges_and_places_without_in_edges():
    """A dense directed graph, whose rows are sorted by weight."""
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 3000, 60000), rng.integers(0, 2000, 60000)
    g = lux.from_edges(np.tile(u, 2), np.tile(v, 2), weight=rng.integers(1, 4, 120000).astype(np.float32))
    with lux.using(device="cpu"):
        cpu = lux.betweenness(g, k=8, seed=1, weight="weight"), lux.sssp(g, int(u[0]))
    with lux.using(device="gpu"):
        gpu = lux.betweenness(g, k=8, seed=1, weight="weight"), lux.sssp(g, int(u[0]))
    np.testing.assert_allclose(gpu[0].scores.dense(), cpu[0].scores.dense(), rtol=1e-9, atol=1e-15)
    np.testing.assert_array_equal(gpu[1].distances.dense(), cpu[1].distances.dense())


def test_a_road_of_many_levels():
    n = 5000
    g = lux.from_edges(np.arange(n), np.arange(1, n + 1), weight=np.arange(n) % 3 + 1.0, directed=False)
    place = np.arange(n + 1.0)
    with lux.using(device="gpu"):
        found = lux.betweenness(g, weight="weight", normalized=False, sources=range(0, n + 1, 50))
    sources = np.arange(0, n + 1, 50)
    before = np.searchsorted(sources, place, side="left")
    after = len(sources) - np.searchsorted(sources, place, side="right")
    np.testing.assert_allclose(found.scores.to_numpy(), (before * (n - place) + after * place) / 2, rtol=1e-12)


def test_more_sources_than_a_launch_has_room_for():
    g = lux.generate("uniform:11", seed=3, weights=(1, 9))
    assert g.n_vertices > dependencies.MAX_STATISTICS_ROWS
    with lux.using(device="cpu"):
        cpu = lux.betweenness(g, weight="weight")
    seen = []
    with lux.using(device="gpu"):
        gpu = lux.betweenness(g, weight="weight", progress=seen.append)
    np.testing.assert_allclose(gpu.scores.dense(), cpu.scores.dense(), rtol=1e-9, atol=1e-15)
    assert seen == sorted(seen)
    assert seen[-1] == len(gpu.statistics) == g.n_vertices


def test_what_is_refused(monkeypatch):
    g = lux.from_edges([0, 1, 2], [1, 2, 3], weight=[1e20, 1.0, 1.0])
    with lux.using(device="gpu"):
        with pytest.raises(WeightError, match="so small beside others"):
            lux.betweenness(g, weight="weight")
        again = lux.betweenness(g, weight="weight", sources=[1], normalized=False)
        monkeypatch.setattr(gpu_weighted, "memory_bytes", lambda *_: 2**50)
        with pytest.raises(MemoryNeededError, match="start with --fbmem"):
            lux.betweenness(g, weight="weight", sources=[1])
    np.testing.assert_array_equal(again.scores.dense(), [0.0, 0.0, 1.0, 0.0])
