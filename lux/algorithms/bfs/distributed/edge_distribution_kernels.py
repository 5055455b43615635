# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Counting sorts of edges that are distributed to bins by any rule."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit


@njit(nogil=True, cache=True)
def count(bins, counts):
    """Count the edges of each bin; negative bins are left out."""
    counts[:] = 0
    for e in range(len(bins)):
        if bins[e] >= 0:
            counts[bins[e]] += 1


@njit(nogil=True, cache=True)
def group(bins, rows, columns, at, out_rows, out_columns):
    """Write edges grouped by bin, in the order given; ``at`` is the first place of each bin and is advanced."""
    for e in range(len(bins)):
        if bins[e] >= 0:
            k = at[bins[e]]
            out_rows[k], out_columns[k] = rows[e], columns[e]
            at[bins[e]] = k + 1


@njit(nogil=True, cache=True)
def sort_by_row(rows, columns, offsets, out):
    """Sort edges by row, keeping the order within a row; ``offsets`` receives each row's first edge, and the end."""
    offsets[:] = 0
    for e in range(len(rows)):
        offsets[np.int64(rows[e]) + 1] += 1
    for row in range(1, len(offsets)):
        offsets[row] += offsets[row - 1]
    at = offsets[:-1].copy()
    for e in range(len(rows)):
        row = np.int64(rows[e])
        out[at[row]] = columns[e]
        at[row] += 1
