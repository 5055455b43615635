# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Which processor of a grid has which edges, and what it sends."""

import numpy as np
import pytest

import lux
from lux.algorithms.bfs.distributed.grid import two_dimensional
from lux.algorithms.bfs.distributed.grid.hybrid_kernels import cut
from lux.algorithms.bfs.distributed.processor_grid import Grid
from lux_cases.stores import to_array


@pytest.mark.check
@pytest.mark.parametrize(
    "parts, shape", [(1, (1, 1)), (2, (1, 2)), (4, (2, 2)), (6, (2, 3)), (7, (1, 7)), (12, (3, 4)), (16, (4, 4))]
)
def test_grids_are_as_square_as_they_can_be(parts, shape):
    grid = Grid.over(1000, parts)
    assert (grid.rows, grid.columns) == shape
    assert grid.points[-1] == 1000
    assert [grid.in_row(grid.row(p))[grid.column(p)] for p in range(parts)] == list(range(parts))


@pytest.mark.parametrize("parts", [1, 3, 4, 6])
def test_processors_have_the_edges_of_their_blocks(parts):
    """Blocks (mR + i, j) of the adjacency matrix, sources being columns."""
    graph = lux.generate("rmat:8,4", seed=2)
    two_dimensional.prepare(graph, parts)
    kept = graph.layout(parts).cached(two_dimensional.NAME, None)
    grid, edges = kept.processors.grid, kept.edges
    offsets, rows = to_array(edges.offsets), to_array(edges.columns)
    u, v = graph.dense_edge_arrays()
    n_edges = 0
    for point in range(parts):
        i, j = grid.row(point), grid.column(point)
        own = offsets[slice(*edges.cuts["offsets"][point])]
        columns = np.repeat(np.arange(grid.local_columns), np.diff(own))
        local = rows[slice(*edges.cuts["columns"][point])]
        sources = (j * grid.rows + columns // grid.stride) * grid.block + columns % grid.stride
        destinations = (local // grid.stride * grid.rows + i) * grid.block + local % grid.stride
        mine = (u // grid.block // grid.rows == j) & (v // grid.block % grid.rows == i)
        assert sorted(zip(sources, destinations, strict=True)) == sorted(zip(u[mine], v[mine], strict=True))
        n_edges += mine.sum()
    assert n_edges == graph.n_edges


def test_bytes_are_those_of_the_messages():
    """Four processors; the source's four neighbours are one in each block of 100 vertices."""
    graph = lux.from_edges([0, 0, 0, 0], [1, 100, 200, 300], n_vertices=400)
    found = lux.bfs(graph, 0, strategy="two-dimensional", parts=4)
    # Four read the frontier of a neighbour in their column: the source's has two words, and empty messages one. Four
    # read what another found in their row: P_00 tells P_01 of 200, and P_10 tells P_11 of 300.
    assert found.statistics[0].exchanged == 4 * (2 + 3 + 2 * 2 + 2)
    # Then each has found one, which tells nobody anything. P_01 and P_11 ask for the parents of 200 and 300, and have
    # answers; nobody else asks.
    assert found.statistics[1].exchanged == 4 * (4 * 2 + 4 + (2 * 2 + 2) + 2)


@pytest.mark.parametrize("parts", [1, 4, 6])
@pytest.mark.parametrize("strategy", ["two-dimensional", "hybrid"])
def test_phases_of_levels(strategy, parts):
    """Figure 7 of the paper: what each processor takes for each phase of a level, its waits for others included."""
    graph = lux.generate("kronecker:12,16", seed=1)
    found = lux.bfs(graph, int(graph.dense_out_degrees().argmax()), strategy=strategy, parts=parts)
    names = ["expand exchange", "frontier expansion", "rotation", "fold exchange", "frontier update"]
    for did in found.statistics:
        assert list(did.phases) == names
        assert {each.shape for each in did.phases.values()} == {(parts,)}
        assert all((did.phases[name] > 0).all() for name in names if name != "rotation")
        rotates = did.model == "pull" and Grid.over(graph.n_vertices, parts).columns > 1
        assert (did.phases["rotation"] > 0).all() == rotates
        np.testing.assert_allclose(did.seconds, did.phases["frontier expansion"] + did.phases["frontier update"])


def test_long_lists_are_cut_at_the_ends_of_blocks():
    rows = np.array([9, 9, 0, 1, 63, 64, 191, 192, 200, 9], np.uint32)
    out = np.empty(5, np.int64)
    cut(rows, 2, 9, 64, out)
    assert out.tolist() == [2, 5, 6, 7, 9]
