# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Algorithms with kernels of their own give the same on GPUs as on CPU cores, and what their verifiers demand."""

import numpy as np
import pytest

import lux
from lux_cases.builtin import verify
from lux_cases.graphs import GRAPHS, graph

pytestmark = pytest.mark.gpu

ORDERS = ("given", "degree")


def both(function, *arguments, **named):
    answers = []
    for device in ("cpu", "gpu"):
        with lux.using(device=device):
            answers.append(function(*arguments, **named))
            assert answers[-1].device == device
    return answers


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", GRAPHS)
def test_bfs(name, order):
    g = graph(name, order)
    ids = g.ids.labels(0, g.n_vertices)
    for source in ids[[0, len(ids) // 2, len(ids) - 1]].tolist():
        for limit in (None, 0, 1, 3):
            cpu, gpu = both(lux.bfs, g, source, max_iter=limit)
            np.testing.assert_array_equal(gpu.distances.dense(), cpu.distances.dense())
            assert (gpu.iterations, gpu.converged) == (cpu.iterations, cpu.converged)
            verify(gpu)
        cpu, gpu = both(lux.bfs, g, source, deterministic=True)
        np.testing.assert_array_equal(gpu.parents.dense(), cpu.parents.dense())


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", GRAPHS)
def test_components(name, order):
    g = graph(name, order)
    cpu, gpu = both(lux.components, g)
    np.testing.assert_array_equal(gpu.labels.dense(), cpu.labels.dense())
    verify(gpu)


@pytest.mark.parametrize("kind", [None, np.float64, np.int64])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", GRAPHS)
def test_sssp(name, order, kind):
    g = graph(name, order) if kind is None else converted(name, order, kind)
    ids = g.ids.labels(0, g.n_vertices)
    for source in ids[[0, len(ids) - 1]].tolist():
        for cutoff in (None, 100):
            cpu, gpu = both(lux.sssp, g, source, cutoff=cutoff)
            np.testing.assert_array_equal(gpu.distances.dense(), cpu.distances.dense())  # sums of whole numbers
            verify(gpu)


def converted(name, order, kind):
    edges = graph(name, "given").dense_edge_list()
    weights = edges.properties["weight"].astype(kind)
    u, v = edges.sources, edges.destinations
    return lux.from_edges(u, v, weight=weights, directed=edges.directed).reordered(order)


def test_paths_along_edges_of_no_length():
    rng = np.random.default_rng(3)
    u, v = rng.integers(0, 500, (2, 3000))
    for kind in (np.float32, np.float64, np.int32):
        g = lux.from_edges(u, v, weight=rng.integers(0, 2, 3000).astype(kind), directed=False)
        cpu, gpu = both(lux.sssp, g, int(u[0]))
        np.testing.assert_array_equal(gpu.distances.dense(), cpu.distances.dense())
        verify(gpu)


@pytest.mark.parametrize("endpoints", [False, True])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", GRAPHS)
def test_betweenness(name, order, endpoints):
    g = graph(name, order)
    cpu, gpu = both(lux.betweenness, g, k=min(6, g.n_vertices), seed=5, endpoints=endpoints)
    np.testing.assert_allclose(gpu.scores.dense(), cpu.scores.dense(), rtol=1e-9, atol=1e-12)


def test_more_paths_than_float64_holds():
    at = np.arange(1100 * 600).reshape(1100, 600)
    u = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    v = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    g = lux.from_edges(u, v, directed=False)
    with lux.using(device="gpu"):
        scores = lux.betweenness(g, sources=[0], normalized=False)
    assert scores.device == "cpu"
    assert np.isfinite(scores.scores.dense()).all()
