# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Distribution of edges to processors where vertices of many edges are delegates (`degree_separated_graph`).

A bin is four times the processor, plus the kind of edge: the first letter of a kind is the source's, the second the
destination's, n for a normal vertex and d for a delegate.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.frontier import local_id, popcount
from lux.kernels.owner import owner

NN, ND, DN, DD = 0, 1, 2, 3
KINDS = 4


@njit(nogil=True, cache=True)
def distribute(sources, destinations, points, members, degrees, bins, rows, columns):
    """Find the bin, row and column of each edge: the edge distributor (Algorithm 1 of the paper).

    Parameters
    ----------
    sources, destinations : np.ndarray
        Places.
    points : np.ndarray of shape (parts + 1,), int64
        Split points.
    members : np.ndarray of uint64
        The delegates, in the form of `local_id`.
    degrees : np.ndarray of shape (n_delegates,), int64
    bins, rows, columns : np.ndarray
        Results. Rows of normal vertices are counted from their owner's first; delegates have their numbers
        for rows and columns; the columns of nn are places.
    """
    for e in range(len(sources)):
        u, v = np.int64(sources[e]), np.int64(destinations[e])
        from_delegate, to_delegate = local_id(members, u), local_id(members, v)
        if from_delegate < 0:
            part = owner(points, u)
            rows[e] = u - points[part]
            bins[e] = KINDS * part + (NN if to_delegate < 0 else ND)
            columns[e] = v if to_delegate < 0 else to_delegate
        elif to_delegate < 0:
            part = owner(points, v)
            bins[e], rows[e], columns[e] = KINDS * part + DN, from_delegate, v - points[part]
        else:
            a, b = degrees[from_delegate], degrees[to_delegate]
            at = u if a < b or (a == b and u < v) else v
            bins[e], rows[e], columns[e] = KINDS * owner(points, at) + DD, from_delegate, to_delegate


@njit(nogil=True, cache=True)
def mark_members(places, members):
    """Write a set of places in the form of `local_id`."""
    members[:] = 0
    for k in range(len(places)):
        p = np.int64(places[k])
        members[(p >> 6) << 1] |= np.uint64(1) << np.uint64(p & 63)
    _count_before(members)


@njit(nogil=True, cache=True)
def mark_far(columns, low, high, members):
    """Write the set of columns that are not in ``low`` to ``high - 1``, in the form of `local_id`."""
    members[:] = 0
    for e in range(len(columns)):
        v = np.int64(columns[e])
        if v < low or v >= high:
            members[(v >> 6) << 1] |= np.uint64(1) << np.uint64(v & 63)
    _count_before(members)


@njit(nogil=True, cache=True)
def _count_before(members):
    total = np.uint64(0)
    for w in range(0, len(members), 2):
        members[w + 1] = total
        total += popcount(members[w])


@njit(nogil=True, cache=True)
def count_by_owner(members, points, counts):
    """Count the members that each processor owns."""
    counts[:] = 0
    for w in range(0, len(members), 2):
        word = members[w]
        while word != np.uint64(0):
            low = word & (~word + np.uint64(1))
            counts[owner(points, (w << 5) + np.int64(popcount(low - np.uint64(1))))] += 1
            word ^= low


@njit(nogil=True, cache=True)
def number_columns(columns, low, high, members):
    """Give columns 32-bit local ids: own places from ``low``, then the far ones of `mark_far`, in rising order."""
    for e in range(len(columns)):
        v = np.int64(columns[e])
        columns[e] = v - low if low <= v < high else high - low + local_id(members, v)


@njit(nogil=True, cache=True)
def mark_rows(offsets, mask):
    """Set the bits of rows that are not empty."""
    mask[:] = 0
    for r in range(len(offsets) - 1):
        if offsets[r + 1] > offsets[r]:
            mask[r >> 6] |= np.uint64(1) << np.uint64(r & 63)
