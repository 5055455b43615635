# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Edge tiles: cutting a partition's edges into tiles of sources and destinations.

An edge is a uint32: the upper ``place_bits`` bits count destinations from the tile's first, the others sources.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit


@njit(nogil=True, cache=True)
def into_blocks(in_offsets, sources, place_bits, n_vertices, starts, packed, want_order):
    """Fill the tiles of a partition: range after range of destinations, and in it of sources.

    Edges keep their order within a tile. ``starts`` receives the first position of each tile, and the end. Returns, if
    wanted, the in-edge at each position.
    """
    source_bits = np.int64(32) - place_bits
    places, shift = np.int64(1) << place_bits, np.uint64(source_bits)
    low = np.uint32((np.int64(1) << source_bits) - 1)
    in_row = (n_vertices + (np.int64(1) << source_bits) - 1) >> source_bits
    first, size = in_offsets[0], len(in_offsets) - 1
    order = np.empty(len(sources) if want_order else 0, np.int64)
    at = np.empty(in_row, np.uint64)
    b = np.int64(0)
    for begin in range(0, size, places):
        end = min(begin + places, size)
        at[:] = 0
        for e in range(np.uint64(in_offsets[begin] - first), np.uint64(in_offsets[end] - first)):
            at[np.uint64(sources[e]) >> shift] += np.uint64(1)
        place = np.uint64(in_offsets[begin] - first)
        for k in range(in_row):
            starts[b] = place
            place, at[k] = place + at[k], place
            b += 1
        for i in range(begin, end):
            row = np.uint32(i - begin) << np.uint32(shift)
            for e in range(np.uint64(in_offsets[i] - first), np.uint64(in_offsets[i + 1] - first)):
                k = np.uint64(sources[e]) >> shift
                packed[at[k]] = row | (np.uint32(sources[e]) & low)
                if want_order:
                    order[at[k]] = e
                at[k] += np.uint64(1)
    starts[b] = len(sources)
    return order
