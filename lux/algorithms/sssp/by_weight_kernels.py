# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Rows of edges by weight, and searches in them for better distances and for the edges of shortest paths.

In a row whose weights ascend, only a beginning can matter: if no source is nearer than ``nearest``, an edge of weight
w gives no distance below ``nearest + w``.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.inlined import inlined
from lux.kernels.scalars import largest, like
from lux.kernels.threads import peek

SHORT = 32
"""Edges of a row that is sorted by insertion; longer rows are sorted digit by digit."""

# The counts of a sweep.
CHANGED, CHANGED_EDGES = 0, 1


@njit(nogil=True, cache=True)
def sort_rows(offsets, ends, weights, out_ends, out_weights, keys, digits, least):
    """Copy rows of edges with weights ascending; equal ones stay in their order.

    Row i begins at ``offsets[i] - offsets[0]``.
    ``keys`` is ``out_weights`` as unsigned integers, of which only the lowest ``digits`` bytes are not zero; ``least``
    receives each row's least weight.
    """
    base, longest = offsets[0], 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    other_keys, other_ends = np.empty(longest, keys.dtype), np.empty(longest, ends.dtype)
    counts = np.empty(257, np.int64)
    zero = like(weights, 0)
    for i in range(len(offsets) - 1):
        a, b = offsets[i] - base, offsets[i + 1] - base
        for e in range(a, b):
            weight, at = like(weights, weights[e] + zero), e  # -0.0 becomes 0.0, whose bits are lowest
            while b - a <= SHORT and at > a and out_weights[at - 1] > weight:
                out_weights[at], out_ends[at] = out_weights[at - 1], out_ends[at - 1]
                at -= 1
            out_weights[at], out_ends[at] = weight, ends[e]
        if b - a > SHORT:
            for digit in range(digits):
                _sort_by_digit(a, b, np.uint64(8 * digit), keys, out_ends, other_keys, other_ends, counts)
        least[i] = out_weights[a] if b > a else zero


@inlined
def _sort_by_digit(a, b, shift, keys, ends, other_keys, other_ends, counts):
    """Sort elements ``a`` to ``b - 1`` by eight bits of the keys, by counting; equal ones stay in their order."""
    for k in range(len(counts)):
        counts[k] = 0
    for e in range(a, b):
        counts[((np.uint64(keys[e]) >> shift) & np.uint64(255)) + np.uint64(1)] += 1
    if counts[((np.uint64(keys[a]) >> shift) & np.uint64(255)) + np.uint64(1)] == b - a:
        return  # these bits are alike, as are the last ones of floats that are whole numbers
    for k in range(1, 256):
        counts[k] += counts[k - 1]
    for e in range(a, b):
        k = (np.uint64(keys[e]) >> shift) & np.uint64(255)
        other_keys[counts[k]], other_ends[counts[k]] = keys[e], ends[e]
        counts[k] += 1
    for e in range(a, b):
        keys[e], ends[e] = other_keys[e - a], other_ends[e - a]


@inlined
def sweep(first, last, nearest, number, rows, least, out_offsets, distances, marks, tally):
    """Lower the distances of vertices ``first`` to ``last - 1`` along their in-edges.

    No source of an edge that matters is nearer than ``nearest``. If ``least`` is not empty, it has each row's least
    weight, and the rows ascend. Vertices that change get the mark ``number``; returns the least of their distances.
    """
    offsets, ends, weights = rows
    values, parents, lowest = distances.values, distances.parents, distances.unreached
    none, ascending = largest(parents), len(least) > 0
    for v in range(first, last):
        before = values[v]
        if not nearest < before or (ascending and before < nearest + like(values, least[v])):
            continue
        best, parent = before, parents[v]
        for e in range(np.uint64(offsets[v]), np.uint64(offsets[v + 1])):
            weight = like(values, weights[e])
            if best < nearest + weight:
                if ascending:
                    break
                continue
            u = ends[e]
            start = peek(values, np.int64(u))
            distance = start + weight
            if distance < best:
                best, parent = distance, (u if start < distance else none)
            elif distance == best and start < distance and u < parent:
                parent = u
        parents[v] = parent
        if best < before:
            values[v] = best
            marks[v] = number
            tally[CHANGED] += 1
            tally[CHANGED_EDGES] += out_offsets[v + 1] - out_offsets[v]
            lowest = min(lowest, like(values, best))
    return lowest
