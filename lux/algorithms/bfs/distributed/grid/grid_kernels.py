# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Edges of a grid of processors (`processor_grid`): the processor of each, and turning rows into columns."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit


@njit(nogil=True, cache=True)
def locate_edges(sources, destinations, grid_rows, block, stride, local, bins, columns, rows):
    """Find the processor, local column (of the source) and local row (of the destination) of each edge.

    ``local`` is the id of every place within its block; empty where ids follow the places.
    """
    ordered = len(local) > 0
    for e in range(len(sources)):
        u, v = np.int64(sources[e]), np.int64(destinations[e])
        from_block, to_block = u // block, v // block
        column, row = from_block // grid_rows, to_block % grid_rows
        bins[e] = column * grid_rows + row
        own_u = np.int64(local[u]) if ordered else u - from_block * block
        own_v = np.int64(local[v]) if ordered else v - to_block * block
        columns[e] = (from_block - column * grid_rows) * stride + own_u
        rows[e] = (to_block // grid_rows) * stride + own_v


@njit(nogil=True, cache=True)
def transpose(offsets, columns, out_offsets, out_columns):
    """Sort edges by column instead of by row; in each column the rows ascend."""
    out_offsets[:] = 0
    for e in range(len(columns)):
        out_offsets[np.int64(columns[e]) + 1] += 1
    for column in range(1, len(out_offsets)):
        out_offsets[column] += out_offsets[column - 1]
    at = out_offsets[:-1].copy()
    for row in range(len(offsets) - 1):
        for e in range(offsets[row], offsets[row + 1]):
            column = np.int64(columns[e])
            out_columns[at[column]] = row
            at[column] += 1
