# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Sweeps of a partition, one level a call, for a batch of K sources at once.

What is kept of vertex v and source k stands at place ``v * K + k``, an entry; the partition's own entries are
counted from its first vertex. Neighbours' numbers come from an array (``a``) that is zero outside one level, and
the partition writes its own part of another (``b``), whose level two before it has cleared.
"""

# Used by the launches: keep the signatures and constants of this file.
from __future__ import annotations

import numpy as np
from numba import njit

from lux.algorithms.betweenness.path_kernels import INVERSE, add, normal
from lux.kernels.frontier import local_id
from lux.kernels.inlined import inlined

# Columns of a partition's row of the state (int64).
ENTRIES = 0  # entries of the level
OUT_EDGES = 1  # their out-edges in the whole graph
WIDE = 2  # some have exponents
LEVELS = 3  # levels found so far, over all partitions
REACHED = 4  # from here on: vertices reached from each source
PUSH, PULL = 0, 1


@inlined
def _lanes(values, neighbours, first, end, size, sums):
    """Sums over a row's neighbours, for every source."""
    sums[:] = 0.0
    for j in range(first, end):
        at = np.int64(neighbours[j]) * size
        for k in range(size):
            sums[k] += values[at + k]


@inlined
def _lanes_wide(values, exponents, neighbours, first, end, size, sums, sums_e):
    sums[:] = 0.0
    sums_e[:] = 0
    for j in range(first, end):
        at = np.int64(neighbours[j]) * size
        for k in range(size):
            if values[at + k] != 0.0:
                sums[k], sums_e[k] = add(sums[k], sums_e[k], values[at + k], exponents[at + k])


@njit(nogil=True, cache=True)
def pull(size, wide, in_offsets, sources, a, a_exponents, paths, b, b_exponents, order, end):
    """Append to ``order`` the unseen entries with predecessors in the level, and write their sums to ``b``."""
    base = in_offsets[0]
    sums, sums_e = np.empty(size), np.zeros(size, np.int32)
    for i in range(len(in_offsets) - 1):
        first, stop = in_offsets[i] - base, in_offsets[i + 1] - base
        own = i * size
        if first == stop or paths[own : own + size].all():
            continue
        if wide:
            _lanes_wide(a, a_exponents, sources, first, stop, size, sums, sums_e)
        else:
            _lanes(a, sources, first, stop, size, sums)
        for k in range(size):
            if sums[k] != 0.0 and paths[own + k] == 0.0:
                b[own + k], b_exponents[own + k] = sums[k], sums_e[k]
                order[end] = own + k
                end += 1
    return end


@njit(nogil=True, cache=True)
def push(
    size, wide, lo, queue, queue_at, state, width, ins, offsets, neighbours, a, a_exponents, paths, b, b_exponents,
    order, end,
):  # fmt: skip
    """Find the next level from the queues of all partitions: each adds to unseen successors in this partition."""
    for part in range(len(queue_at) - 1):
        for q in range(queue_at[part], queue_at[part] + state[part * width + ENTRIES]):
            entry = np.int64(queue[q])
            u, k = entry // size, entry % size
            row = u if len(ins) == 0 else local_id(ins, u)
            if row < 0:
                continue
            m, e = a[entry], a_exponents[entry] if wide else np.int32(0)
            for j in range(offsets[row] - offsets[0], offsets[row + 1] - offsets[0]):
                own = (np.int64(neighbours[j]) - lo) * size + k
                if paths[own] == 0.0:
                    if b[own] == 0.0:
                        order[end] = own
                        end += 1
                        b[own], b_exponents[own] = m, e
                    else:
                        b[own], b_exponents[own] = add(b[own], b_exponents[own], m, e)
    return end


@njit(nogil=True, cache=True)
def finish_level(size, lo, order, start, end, out_offsets, paths, b, b_exponents, queue, state):
    """Keep the sums of new entries as their numbers of paths, and tell the other partitions of them."""
    out_edges, wide = np.int64(0), False
    for at in range(start, end):
        own = order[at]
        b[own], b_exponents[own] = normal(b[own], b_exponents[own])
        paths[own] = b[own]
        wide |= b_exponents[own] > 0
        i = own // size
        out_edges += out_offsets[i + 1] - out_offsets[i]
        state[REACHED + own % size] += 1
    state[ENTRIES], state[OUT_EDGES], state[WIDE] = end - start, out_edges, np.int64(wide)
    if end - start <= len(queue):
        for at in range(start, end):
            queue[at - start] = lo * size + order[at]


@njit(nogil=True, cache=True)
def clear_values(order, start, end, values):
    """Clear a level's entries."""
    for at in range(start, end):
        values[order[at]] = 0.0


@njit(nogil=True, cache=True)
def accumulate(
    size, wide, last, order, start, end, offsets, neighbours, a, a_exponents, paths, b, b_exponents, one, scores
):  # fmt: skip
    """Add the dependencies of a level's entries to ``scores``, and write what predecessors need of them to ``b``.

    Entries of one vertex that follow each other are summed together. No entry of the ``last`` level has successors.
    """
    base = offsets[0]
    sums, far = np.zeros(size), np.zeros(size)
    at = start
    while at < end:
        i = order[at] // size
        first, stop = offsets[i] - base, offsets[i + 1] - base
        group = at + 1
        while group < end and order[group] // size == i:
            group += 1
        if not last:
            if wide or group == at + 1:
                for entry in range(at, group):
                    k = order[entry] % size
                    sums[k], far[k] = _quotients(
                        size, wide, k, neighbours, first, stop, a, a_exponents, b_exponents[order[entry]]
                    )
            else:
                _lanes(a, neighbours, first, stop, size, sums)
        for entry in range(at, group):
            own = order[entry]
            m = paths[own]
            delta = m * sums[own % size] + (m * INVERSE) * far[own % size]
            scores[i] += delta + one
            b[own] = (1.0 + delta) / m
        at = group


@inlined
def _quotients(size, wide, k, neighbours, first, end, values, exponents, e):
    """Sums over a row's neighbours for source k: of those with exponent ``e`` (all in narrow levels), and ``e + 1``."""
    near, far = 0.0, 0.0
    for j in range(first, end):
        at = np.int64(neighbours[j]) * size + k
        if not wide or exponents[at] == e:
            near += values[at]
        elif exponents[at] == e + 1:
            far += values[at]
    return near, far
