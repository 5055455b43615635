# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths on several GPUs (`sssp_multi_gpu.cu`) are those of one GPU and of CPU cores, bit for bit."""

import numpy as np
import pytest

import lux
from lux.algorithms.sssp import sssp
from lux_cases.searches import MADE, counts, weighted

pytestmark = pytest.mark.gpu


def several():
    """Numbers of partitions, each on a GPU."""
    return counts(2, 3, 4, 8)


def check(graph, source, parts, expected, cutoff=None):
    with lux.using(device="gpu"):
        found = lux.sssp(graph, source, parts=parts, cutoff=cutoff)
    assert (found.strategy, found.device, found.parts) == ("gpus", "gpu", parts)
    np.testing.assert_array_equal(found.distances.dense(), expected, f"{source=} {parts=} {cutoff=}")
    assert found.distances.dense().dtype == expected.dtype
    sssp.verify(found)
    return found


@pytest.mark.parametrize("kind", [np.float32, np.int32])
@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("name", MADE)
def test_graphs(name, order, kind):
    graph = weighted(name, order, kind)
    for source in {int(graph.dense_out_degrees().argmax()), 0, graph.n_vertices - 1}:
        for cutoff in (None, 40):
            with lux.using(device="cpu"):
                expected = lux.sssp(graph, source, cutoff=cutoff).distances.dense()
            for parts in [p for p in several() if p <= graph.n_vertices]:
                check(graph, source, parts, expected, cutoff)


def test_many_searches():
    """Stores that searches work in are used again, and results are not."""
    graph = weighted("kronecker", "degree", np.float32)
    for parts in several():
        with lux.using(device="cpu"):
            expected = {source: lux.sssp(graph, source).distances.dense() for source in (7, 8, 0, 511)}
        first = check(graph, 7, parts, expected[7])
        before = first.distances.dense().tolist(), first.parents.dense().tolist()
        for source in (8, 0, 511, 8):
            check(graph, source, parts, expected[source])
        assert (first.distances.dense().tolist(), first.parents.dense().tolist()) == before


@pytest.mark.parametrize("scale", [17, 20])
def test_a_larger_graph(scale):
    """Rounds pull, hubs are swept by blocks, and buckets are split."""
    plain = lux.generate(f"kronecker:{scale}", seed=6)
    u, v = plain.dense_edge_arrays()
    weight = np.random.default_rng(1).random(len(u[u <= v]), np.float32)
    graph = lux.from_edges(u[u <= v], v[u <= v], weight, directed=False).reordered("degree")
    with lux.using(device="gpu"):
        expected = lux.sssp(graph, 1, parts=1).distances.dense()
    for parts in several():
        for _ in range(3):
            found = check(graph, 1, parts, expected)
        assert {did.model for did in found.statistics} == {"push", "pull"}
