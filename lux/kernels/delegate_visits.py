# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Visits to delegates: along nd and dd edges, forwards from the frontier or backwards from unvisited delegates.

Backwards, an unvisited delegate looks through its own row for a visited neighbour, and stops at the first. All that
were visited before this level will do: a neighbour from an earlier level than the frontier's would have visited it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lux.kernels.frontier import prefetch
from lux.kernels.separated_dealing import DD, ND
from lux.kernels.separated_state import (
    BACKWARD,
    DELEGATES_FOUND,
    EDGES,
    FIRST,
    FRONTIER_EDGES,
    LAST,
    ROWS_AHEAD,
    choose,
    count_both,
    count_without,
    has,
    lowest,
    put,
    row_edges,
)


@njit(nogil=True, cache=True)
def visit_delegates(
    state, to_backward, to_forward, low, delegates, queue, visited, known, fresh,
    nd_offsets, nd, dn_offsets, dn, dd_offsets, dd, nd_rows, dn_rows, dd_rows, found, parents,
):  # fmt: skip
    """Mark in ``found`` the delegates that the frontier's vertices reach along nd and dd edges.

    Parameters
    ----------
    state : np.ndarray of shape (STATE_COLUMNS,), int64
    to_backward, to_forward : np.ndarray of float64
        Factors of switching (`lux.kernels.separated_state.choose`) by kind.
    low : int
        First place of the processor.
    delegates : np.ndarray of shape (n_delegates,), uint32
        Their places.
    queue : np.ndarray of uint32
    visited : np.ndarray of uint64
        Bits of the processor's normal vertices that were visited before this level.
    known, fresh : np.ndarray of uint64
        Bits of the delegates that were visited before this level, and of those in the frontier.
    nd_offsets, nd, dn_offsets, dn, dd_offsets, dd : np.ndarray
        Rows of edges.
    nd_rows, dn_rows, dd_rows : np.ndarray of uint64
        Bits of the rows that are not empty.
    found : np.ndarray of uint64
        Zero at first.
    parents : np.ndarray of shape (n_delegates,), uint32
        Gets the places of the parents.
    """
    front = queue[state[FIRST] : state[LAST]]
    forward, fresh_rows = np.int64(0), np.int64(0)
    for s in range(len(front)):
        if s + ROWS_AHEAD < len(front):
            prefetch(nd_offsets, np.int64(front[s + ROWS_AHEAD]))
        u = np.int64(front[s])
        length = np.int64(nd_offsets[u + 1]) - np.int64(nd_offsets[u])
        forward += length
        fresh_rows += np.int64(length > 0)
    edges = row_edges(dd_rows, fresh, dd_offsets)
    state[FRONTIER_EDGES] = forward + edges
    left, hidden = count_without(dn_rows, known), count_without(nd_rows, visited)
    way = choose(state, ND, to_backward[ND], to_forward[ND], forward, left, fresh_rows, hidden)
    if fresh_rows == 0 or left == 0:
        state[EDGES + ND] = 0
    elif way == BACKWARD:
        state[EDGES + ND] = _pull_from_normal(low, visited, known, dn_offsets, dn, dn_rows, found, parents)
    else:
        state[EDGES + ND] = _push_from_normal(low, front, known, nd_offsets, nd, found, parents)
    left = count_without(dd_rows, known)
    fresh_rows = count_both(dd_rows, fresh)
    way = choose(state, DD, to_backward[DD], to_forward[DD], edges, left, fresh_rows, left)
    if fresh_rows == 0 or left == 0:
        state[EDGES + DD] = 0
    elif way == BACKWARD:
        state[EDGES + DD] = _pull_from_delegates(delegates, known, dd_offsets, dd, dd_rows, found, parents)
    else:
        state[EDGES + DD] = _push_from_delegates(delegates, known, fresh, dd_offsets, dd, dd_rows, found, parents)
    state[DELEGATES_FOUND] = count_both(found, found)


@njit(nogil=True, cache=True)
def _push_from_normal(low, front, known, offsets, ends, found, parents):
    edges = np.int64(0)
    for s in range(len(front)):
        if s + ROWS_AHEAD < len(front):
            prefetch(ends, np.int64(offsets[np.int64(front[s + ROWS_AHEAD])]))
        u = np.int64(front[s])
        first, end = np.int64(offsets[u]), np.int64(offsets[u + 1])
        edges += end - first
        for e in range(first, end):
            j = np.int64(ends[e])
            if not has(known, j) and not has(found, j):
                put(found, j)
                parents[j] = low + u
    return edges


@njit(nogil=True, cache=True)
def _pull_from_normal(low, visited, known, offsets, ends, rows, found, parents):
    edges = np.int64(0)
    for w in range(len(rows)):
        word = rows[w] & ~known[w] & ~found[w]
        while word != np.uint64(0):
            j = (w << 6) + lowest(word)
            word &= word - np.uint64(1)
            first, end = np.int64(offsets[j]), np.int64(offsets[j + 1])
            for e in range(first, end):
                u = np.int64(ends[e])
                edges += 1
                if has(visited, u):
                    put(found, j)
                    parents[j] = low + u
                    break
    return edges


@njit(nogil=True, cache=True)
def _push_from_delegates(delegates, known, fresh, offsets, ends, rows, found, parents):
    edges = np.int64(0)
    for w in range(len(rows)):
        word = rows[w] & fresh[w]
        while word != np.uint64(0):
            i = (w << 6) + lowest(word)
            word &= word - np.uint64(1)
            first, end = np.int64(offsets[i]), np.int64(offsets[i + 1])
            edges += end - first
            for e in range(first, end):
                j = np.int64(ends[e])
                if not has(known, j) and not has(found, j):
                    put(found, j)
                    parents[j] = delegates[i]
    return edges


@njit(nogil=True, cache=True)
def _pull_from_delegates(delegates, known, offsets, ends, rows, found, parents):
    edges = np.int64(0)
    for w in range(len(rows)):
        word = rows[w] & ~known[w] & ~found[w]
        while word != np.uint64(0):
            j = (w << 6) + lowest(word)
            word &= word - np.uint64(1)
            first, end = np.int64(offsets[j]), np.int64(offsets[j + 1])
            for e in range(first, end):
                i = np.int64(ends[e])
                edges += 1
                if has(known, i):
                    put(found, j)
                    parents[j] = delegates[i]
                    break
    return edges
