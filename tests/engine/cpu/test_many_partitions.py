# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Many more partitions than cores: fibers of a thread for each core."""

import numpy as np
import pytest

import lux

PARTS = 1500


@pytest.fixture(scope="module")
def graph():
    return lux.generate("kronecker:11,4", weights=(1, 9))


@pytest.mark.check
def test_traversals(graph):
    source = graph.out_degrees().top(1)[0][0]
    for search in (lux.bfs, lux.sssp):
        few, many = (search(graph, source, parts=parts) for parts in (1, PARTS))
        assert many.parts == PARTS
        assert np.array_equal(few.distances.to_numpy(), many.distances.to_numpy())


def test_components_and_pagerank(graph):
    few, many = (lux.components(graph, parts=parts) for parts in (1, PARTS))
    assert (many.parts, many.labels.to_numpy().tolist()) == (PARTS, few.labels.to_numpy().tolist())
    few, many = (lux.pagerank(graph, parts=parts, tol=0, max_iter=20, dtype=np.float64) for parts in (1, PARTS))
    assert len(many.statistics[-1].seconds) == PARTS
    assert np.allclose(few.ranks.to_numpy(), many.ranks.to_numpy(), rtol=1e-10)


def test_a_partition_for_each_vertex():
    grid = lux.generate("grid:40x40")
    found = lux.bfs(grid, 0, parts=grid.n_vertices, model="push")
    assert found.distances.to_numpy().tolist() == [row + column for row in range(40) for column in range(40)]
