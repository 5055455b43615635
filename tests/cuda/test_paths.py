# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`sssp.cu` and `betweenness.cu`: shortest paths by weight, and through vertices."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

import lux
from lux_cases.examples import covering


def edges_of(name):
    random = np.random.default_rng(1)
    if name == "star":
        u, v = np.zeros(5000, int), np.arange(1, 5001)
    elif name == "long":
        u, v = np.concatenate([np.tile(np.arange(200), 2), random.integers(0, 201, 200)]), random.integers(0, 201, 600)
        v[:200] = u[:200] + 1
    else:
        u, v = random.integers(0, 256, (2, 2000)) ** 2 // 256
    return u, v, random.integers(1, 90, len(u)).astype(np.float32)


def distances(u, v, weight, n, source):
    """By SciPy, which would add up parallel edges: the lightest counts."""
    by_weight = np.argsort(weight, kind="stable")
    _, first = np.unique(u[by_weight] * n + v[by_weight], return_index=True)
    kept = by_weight[first]
    return csgraph.dijkstra(sparse.csr_array((weight[kept], (u[kept], v[kept])), shape=(n, n)), indices=source)


@pytest.mark.parametrize("name, order", covering(["uneven", "long", "star"], ["given", "degree"]))
def test_shortest_paths(machine, name, order):
    u, v, weight = edges_of(name)
    n = int(v.max()) + 20
    graph = lux.from_edges(u, v, weight, n_vertices=n).reordered(order)
    for blocks, source in ((1, 0), (3, int(u[-1]))):
        with machine(blocks=blocks) as m, lux.using(device="gpu"):
            found = lux.sssp(graph, source)
            assert m.launched[0] == "lux_sssp"
        np.testing.assert_array_equal(found.distances.dense(), distances(u, v, weight, n, source))


def test_places_without_in_edges(machine):
    """They are at the end, and vertices that pull look at them."""
    random = np.random.default_rng(5)
    u, v = random.integers(0, 90, 1500), random.integers(0, 60, 1500)
    weight = random.integers(1, 3, 1500).astype(np.float32)
    for kind in (np.float32, np.float64):
        typed = lux.from_edges(u, v, weight.astype(kind), n_vertices=90)
        for source in (0, 89):
            with machine(), lux.using(device="gpu"):
                found = lux.sssp(typed, source)
            np.testing.assert_array_equal(found.distances.dense(), distances(u, v, weight, 90, source))
            assert "pull" in {i.model for i in found.statistics}


@pytest.mark.parametrize("directed, order", covering([False, True], ["given", "degree"]))
def test_betweenness(machine, directed, order):
    ends = np.random.default_rng(3).integers(0, 20, (2, 60)) ** 2 // 20
    plain = nx.Graph() if not directed else nx.DiGraph()
    plain.add_nodes_from(range(24))
    plain.add_edges_from(ends.T.tolist())
    graph = lux.from_edges(*ends, n_vertices=24, directed=directed).reordered(order)
    expected = nx.betweenness_centrality(plain)
    with machine(blocks=2) as m, lux.using(device="gpu"):
        found = lux.betweenness(graph)
        assert "lux_betweenness" in m.launched
    np.testing.assert_allclose(found.scores.dense(), [expected[v] for v in range(24)], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("endpoints, order", covering([False, True], ["given", "degree"]))
def test_betweenness_of_some_sources(machine, order, endpoints):
    """Sources and other vertices are scaled by different factors."""
    graph = lux.generate("kronecker:6,4", seed=5).reordered(order)
    options = {"sources": [3, 11, 40], "endpoints": endpoints}
    expected = lux.betweenness(graph, **options).scores.dense()
    with machine(blocks=2) as m, lux.using(device="gpu"):
        found = lux.betweenness(graph, **options).scores.dense()
        assert "lux_betweenness" in m.launched
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert found.max() > 0.001


@pytest.mark.parametrize("how, order", covering([{}, {"endpoints": True}, {"weight": "weight"}], ["given", "degree"]))
def test_betweenness_on_several_gpus(machine, order, how):
    """Each sweeps from some sources; together they add up the scores."""
    random = np.random.default_rng(5)
    ends, weights = random.integers(0, 40, (2, 90)), random.integers(1, 9, 90)
    graph = lux.from_edges(*ends, weight=weights, directed=False, drop_loops=True, drop_repeats=True).reordered(order)
    for k in (3, 7):
        options = {"k": k, "seed": 2, **how}
        expected = lux.betweenness(graph, **options).scores.dense()
        for gpus in (2, 3):
            with machine(gpus, blocks=2) as m:
                found = lux.betweenness(graph, parts=gpus, **options)
                assert m.launched[-1] == "lux_add_shares"
                np.testing.assert_allclose(found.scores.dense(), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("most, order", covering([2**28, 2**30 - 1, 2**30, 2**31 - 1], ["given", "degree"]))
def test_distances_have_as_many_bits_as_they_need(machine, most, order):
    """They begin with 32: 64 are taken where a path may be too long, and from then on."""
    wide = most > 2**28
    vertices, weights = np.arange(12), np.full(11, most, np.int32)
    graph = lux.from_edges(vertices[:-1], vertices[1:], weight=weights, directed=False).reordered(order)
    expected = (np.arange(12) * most).tolist()
    for gpus in (1,) if wide else (1, 2):
        with machine(gpus, blocks=2) as m:
            for _ in range(2):
                assert lux.sssp(graph, 0, parts=gpus).distances.dense().tolist() == expected
            if gpus == 1:
                assert m.launched.count("lux_sssp") == (3 if wide and most <= 2**30 else 2)
            near = lux.sssp(graph, 0, cutoff=3 * most, parts=gpus)
            assert near.distances.dense().tolist() == [*expected[:4], *[-1] * 8]
