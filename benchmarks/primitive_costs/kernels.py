# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Kernels that count a partition's reads of others' frontiers."""

from __future__ import annotations

import numpy as np
from numba import njit

from lux.kernels.frontier import ACTIVE_EDGES, STATE_COLUMNS, frontier_bits, has_bit, members_of
from lux.kernels.vertex_set import position_of

# Columns of a partition's row (int64).
ACTIVE = 0  # its own active vertices
PUSHED = 1  # edges from active vertices, of all partitions, into it
LEADING = 2  # edges out of its own active vertices
WAITING = 3  # its own vertices that have not been reached
SCANNED = 4  # edges into these until one from an active vertex
READ = 5  # from here on: active vertices of each partition that have edges into it


@njit(nogil=True, cache=True)
def count(part, state, points, queue_at, word_at, queue, bits, ins, offsets, row):
    """Count all but `WAITING` and `SCANNED`; ``offsets`` are those of the edges by source, a row for each of INS."""
    row[:] = 0
    members = np.empty(points[-1], queue.dtype)
    for other in range(len(points) - 1):
        active = members_of(other, state, points, queue_at, word_at, queue, bits, members)
        if other == part:
            row[ACTIVE], row[LEADING] = active, state[part * STATE_COLUMNS + ACTIVE_EDGES]
        for k in range(active):
            at = position_of(ins, members[k])
            if at >= 0:
                row[READ + other] += 1
                row[PUSHED] += offsets[at + 1] - offsets[at]


@njit(nogil=True, cache=True)
def scan(state, points, queue_at, word_at, queue, bits, offsets, sources, values, waiting, row):
    """Count the scans of a pull: vertices whose value is ``waiting`` look for an active in-neighbour."""
    active = frontier_bits(state, points, queue_at, word_at, queue, bits)
    for i in range(len(values)):
        if values[i] == waiting:
            row[WAITING] += 1
            for e in range(offsets[i] - offsets[0], offsets[i + 1] - offsets[0]):
                row[SCANNED] += 1
                if has_bit(active, np.uint64(sources[e])):
                    break
