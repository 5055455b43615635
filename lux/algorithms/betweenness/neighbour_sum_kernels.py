# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Sums over all in-neighbours of all vertices, over edges in blocks (`edge_tile_kernels`; see `cpu_tiled_pull`).

That goes over every edge, and takes a fraction of the time of rows for each.
"""

# Called by the sweeps: keep the signatures of this file.
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.kernels.inlined import inlined


class Blocks(NamedTuple):
    """A graph's in-edges in blocks, partition by partition.

    Attributes
    ----------
    packed : np.ndarray of shape (n_edges,), uint32
        Without elements where there are no blocks.
    starts, at : np.ndarray, int64
        As in `lux.graph.indexes.edge_tiles.EdgeTiles`.
    points, edge_points : np.ndarray of shape (parts + 1,), int64
        Split points, and the first edge of each partition.
    place_bits : int
    """

    packed: Any
    starts: Any
    at: Any
    points: Any
    edge_points: Any
    place_bits: Any


def no_blocks() -> Blocks:
    """Make the empty `Blocks` of a graph without any."""
    nothing = np.zeros(1, np.int64)
    return Blocks(np.empty(0, np.uint32), nothing, nothing, nothing, nothing, 0)


@inlined(forceinline=False)
def _add_block(packed, start, end, first, base, place_bits, values, sums):
    """Sum over the edges of a block from 8 positions in rotation, as each edge of a hub waits for the one before."""
    shift = np.uint32(np.int64(32) - place_bits)
    low = (np.uint32(1) << shift) - np.uint32(1)
    j, apart = np.uint64(start), np.uint64((end - start) // 8)
    stop = j + apart
    while j < stop:
        e0 = packed[j + np.uint64(0) * apart]
        e1 = packed[j + np.uint64(1) * apart]
        e2 = packed[j + np.uint64(2) * apart]
        e3 = packed[j + np.uint64(3) * apart]
        e4 = packed[j + np.uint64(4) * apart]
        e5 = packed[j + np.uint64(5) * apart]
        e6 = packed[j + np.uint64(6) * apart]
        e7 = packed[j + np.uint64(7) * apart]
        x0 = values[base + np.uint64(e0 & low)]
        x1 = values[base + np.uint64(e1 & low)]
        x2 = values[base + np.uint64(e2 & low)]
        x3 = values[base + np.uint64(e3 & low)]
        x4 = values[base + np.uint64(e4 & low)]
        x5 = values[base + np.uint64(e5 & low)]
        x6 = values[base + np.uint64(e6 & low)]
        x7 = values[base + np.uint64(e7 & low)]
        sums[first + np.uint64(e0 >> shift)] += x0
        sums[first + np.uint64(e1 >> shift)] += x1
        sums[first + np.uint64(e2 >> shift)] += x2
        sums[first + np.uint64(e3 >> shift)] += x3
        sums[first + np.uint64(e4 >> shift)] += x4
        sums[first + np.uint64(e5 >> shift)] += x5
        sums[first + np.uint64(e6 >> shift)] += x6
        sums[first + np.uint64(e7 >> shift)] += x7
        j += np.uint64(1)
    for j in range(stop + np.uint64(7) * apart, np.uint64(end)):
        e = packed[j]
        sums[first + np.uint64(e >> shift)] += values[base + np.uint64(e & low)]


@inlined(forceinline=False)
def add_neighbours(me, size, blocks, values, sums):
    """Write the sum of the in-neighbours' ``values`` of each vertex to ``sums``: the part of thread ``me``."""
    n, width = np.int64(len(values)), np.int64(1) << (np.int64(32) - blocks.place_bits)
    for part in range(me, len(blocks.points) - 1, size):
        b, edge = blocks.at[part], blocks.edge_points[part]
        for first in range(blocks.points[part], blocks.points[part + 1], np.int64(1) << blocks.place_bits):
            last = min(first + (np.int64(1) << blocks.place_bits), blocks.points[part + 1])
            for v in range(first, last):
                sums[v] = 0.0
            for base in range(0, n, width):
                _add_block(
                    blocks.packed, edge + blocks.starts[b], edge + blocks.starts[b + 1], np.uint64(first),
                    np.uint64(base), blocks.place_bits, values, sums,
                )  # fmt: skip
                b += 1
