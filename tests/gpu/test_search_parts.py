# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search on several GPUs (`bfs_multi_gpu.cu`) finds what one finds, and what SciPy finds."""

import numpy as np
import pytest
from scipy.sparse import csgraph

import lux
from lux.algorithms.bfs import bfs, multi_gpu
from lux_cases.searches import MADE, counts, made

pytestmark = pytest.mark.gpu


def several():
    """Numbers of partitions, each on a GPU."""
    return counts(2, 3, 4, 8)


def check(graph, source, parts, limit=None, expected=None):
    with lux.using(device="gpu"):
        found = lux.bfs(graph, source, parts=parts, max_iter=limit)
    case = f"source={source}, parts={parts}, max_iter={limit}"
    assert (found.strategy, found.device, found.parts) == ("gpus", "gpu", parts), case
    levels = csgraph.shortest_path(graph.to_scipy(), unweighted=True, indices=source) if expected is None else expected
    levels = np.where(levels > (np.inf if limit is None else limit), np.inf, levels)
    reached = np.isfinite(levels)
    distance = found.distances.dense()
    np.testing.assert_array_equal(distance, np.where(reached, levels, -1), case)
    bfs.verify(found)
    assert found.iterations == len(found.statistics), case
    degrees = graph.dense_out_degrees()
    for level, did in enumerate(found.statistics):
        there = distance == level
        assert (did.frontier, did.frontier_edges) == (there.sum(), degrees[there].sum()), (case, level)
        assert len(did.seconds) == parts, case
    return found


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("name", MADE)
def test_graphs(name, order):
    graph = made(name, order)
    for parts in [p for p in several() if p <= graph.n_vertices]:
        for source in {int(graph.dense_out_degrees().argmax()), 0, graph.n_vertices - 1}:
            check(graph, source, parts)


@pytest.mark.parametrize("order", ["given", "degree"])
def test_limits(order):
    for parts in several():
        for name in ("kronecker", "directed"):
            for limit in (0, 1, 2, 3):
                check(made(name, order), 3, parts, limit)


def test_many_searches():
    """Stores that searches work in are used again, and results are not."""
    graph = made("kronecker", "degree")
    for parts in several():
        first = check(graph, 7, parts)
        before = first.distances.dense().tolist(), first.parents.dense().tolist()
        for source in (8, 0, 511, 8):
            check(graph, source, parts)
        assert (first.distances.dense().tolist(), first.parents.dense().tolist()) == before


def test_a_larger_graph():
    """Words of bitmaps are cut in sectors, and rows are put off."""
    graph = lux.generate("kronecker:17", seed=6).reordered("degree")
    with lux.using(device="gpu"):
        alone = lux.bfs(graph, 1, parts=1)
    expected = alone.distances.dense().astype(float)
    expected[expected < 0] = np.inf
    for parts in several():
        found = check(graph, 1, parts, expected=expected)
        assert {did.model for did in found.statistics} == {"push", "pull"}
        assert (found.iterations, found.converged) == (alone.iterations, alone.converged)


def test_deterministic_parents():
    graph = made("kronecker", "degree")
    with lux.using(device="cpu"):
        expected = lux.bfs(graph, 7).parents.dense()
    for parts in several():
        with lux.using(device="gpu"):
            found = lux.bfs(graph, 7, parts=parts, deterministic=True).parents.dense()
        np.testing.assert_array_equal(found, expected)


def test_engines_find_the_same():
    graph = made("kronecker", "degree")
    for parts in several():
        mine = check(graph, 7, parts).distances.dense()
        for strategy in ("two-dimensional", "hybrid", "degree-separated"):
            with lux.using(device="gpu"):
                np.testing.assert_array_equal(lux.bfs(graph, 7, parts=parts, strategy=strategy).distances.dense(), mine)


def test_what_is_exchanged():
    """Bitmaps once in each bottom-up level, and 8 bytes for each vertex with edges in the end."""
    graph = made("kronecker", "degree")
    for parts in several():
        found = check(graph, 7, parts)
        words = -(-graph.n_vertices // 32)
        for did in found.statistics[:-1]:
            if did.model == "pull":
                assert 4 * words * (parts - 1) <= did.exchanged <= 5 * words * (parts - 1)
        assert isinstance(multi_gpu.on_parts(graph, parts), multi_gpu.PartsSearch)
