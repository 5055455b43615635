# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Kernels that carry a run's progress from the partitions of some split points to those of others."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.frontier import (
    ACTIVE,
    EVERY,
    FORM,
    NANOSECONDS,
    STATE_COLUMNS,
    frontier_bits,
    has_bit,
    publish,
)
from lux.kernels.scalars import copy_into


@njit(nogil=True, cache=True)
def keep_state(part, old_state, size, new_state):
    """Write the state row of a partition that now has ``size`` vertices, all active.

    Rows keep their counts of edges and their aggregates, of which only sums over all partitions are read.
    """
    copy_into(new_state, old_state[part * STATE_COLUMNS : (part + 1) * STATE_COLUMNS])
    new_state[NANOSECONDS] = 0
    new_state[ACTIVE], new_state[FORM] = size, EVERY


@njit(nogil=True, cache=True)
def move_frontier(
    part, points, queue_at, word_at, old_state, old_queue, old_bits, lo, hi, new_state, new_queue, new_bits
):
    """Write the frontier's vertices from ``lo`` to ``hi - 1`` in the form that partition ``part`` keeps from now on.

    The first arguments describe the previous partitions.
    """
    front = frontier_bits(old_state, points, queue_at, word_at, old_queue, old_bits)
    members = np.empty(hi - lo, np.uint32)
    count = 0
    for v in range(lo, hi):
        if has_bit(front, np.uint64(v)):
            members[count] = v - lo
            count += 1
    keep_state(part, old_state, count, new_state)
    if count != hi - lo:
        new_state[FORM] = publish(members, count, lo, new_queue, new_bits)


@njit(nogil=True, cache=True)
def out_edges(points, queue_at, word_at, old_state, old_queue, old_bits, lo, hi, degrees):
    """Count out-edges of the frontier's vertices from ``lo`` to ``hi - 1``; ``degrees`` are all vertices' degrees."""
    front = frontier_bits(old_state, points, queue_at, word_at, old_queue, old_bits)
    count = 0
    for v in range(lo, hi):
        if has_bit(front, np.uint64(v)):
            count += np.int64(degrees[v])
    return count
