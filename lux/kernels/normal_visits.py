# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Visits to normal vertices: along dn edges in either direction, and along nn edges, always forwards.

Destinations of nn edges that other processors own are named to them in messages, by their numbers among those that
this processor's edges lead to; the parent of each is kept here until the end.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lux.kernels.frontier import prefetch
from lux.kernels.messages import message_words, name
from lux.kernels.separated_dealing import DN, NN
from lux.kernels.separated_state import (
    BACKWARD,
    EDGES,
    FIRST,
    FRONTIER_EDGES,
    LAST,
    LONGEST,
    NAMED,
    NOBODY,
    ROWS_AHEAD,
    TAIL,
    choose,
    count_both,
    count_without,
    has,
    lowest,
    put,
    row_edges,
)


@njit(nogil=True, cache=True)
def visit_normal(
    state, level, to_backward, to_forward, low, delegates, queue, visited, known, fresh,
    nn_offsets, nn, nd_offsets, nd, dn_offsets, dn, nd_rows, dn_rows, distance, parent,
    far_at, far_parents, unique, slot_at, slots,
):  # fmt: skip
    """Visit the normal vertices that the frontier reaches along dn and nn edges; they are added to the queue.

    Parameters
    ----------
    level : int
        The frontier's distance.
    distance, parent : np.ndarray
        Of the processor's own vertices.
    far_at : np.ndarray of shape (parts + 1,), int64
        Where the far destinations that each processor owns begin.
    far_parents : np.ndarray of uint32
        The parent of each far destination that was named; `NOBODY` before.
    unique : bool
        Name no far destination twice in a search.
    slot_at : np.ndarray of shape (parts + 1,), int64
        Where the message to each processor begins in ``slots``, and ends.

    The other parameters are those of `lux.kernels.delegate_visits.visit_delegates`.
    """
    edges, fresh_rows = row_edges(dn_rows, fresh, dn_offsets), count_both(dn_rows, fresh)
    state[FRONTIER_EDGES] += edges
    left, hidden = count_without(nd_rows, visited), count_without(dn_rows, known)
    way = choose(state, DN, to_backward[DN], to_forward[DN], edges, left, fresh_rows, hidden)
    state[TAIL] = state[LAST]
    given = delegates, queue, visited
    if fresh_rows == 0 or left == 0:
        state[EDGES + DN] = 0
    elif way == BACKWARD:
        state[EDGES + DN] = _pull_from_delegates(
            state, level + 1, *given, known, nd_offsets, nd, nd_rows, distance, parent
        )
    else:
        state[EDGES + DN] = _push_from_delegates(
            state, level + 1, *given, fresh, dn_offsets, dn, dn_rows, distance, parent
        )
    for p in range(len(slot_at) - 1):
        if slot_at[p + 1] > slot_at[p]:
            slots[slot_at[p]] = 0
    edges = _push_from_normal(
        state, level + 1, low, queue, visited, nn_offsets, nn, distance, parent, far_at, far_parents, unique, slot_at,
        slots,
    )  # fmt: skip
    state[EDGES + NN] = edges
    state[FRONTIER_EDGES] += edges
    state[NAMED] = state[LONGEST] = 0
    for p in range(len(slot_at) - 1):
        slot = slots[slot_at[p] : slot_at[p + 1]]
        if len(slot):
            state[NAMED] += np.int64(slot[0])
            state[LONGEST] = max(state[LONGEST], message_words(slot))


@njit(nogil=True, cache=True)
def _push_from_delegates(
    state, next_level, delegates, queue, visited, fresh, offsets, ends, rows, distance, parent
):  # fmt: skip
    edges, tail = np.int64(0), state[TAIL]
    for w in range(len(rows)):
        word = rows[w] & fresh[w]
        while word != np.uint64(0):
            i = (w << 6) + lowest(word)
            word &= word - np.uint64(1)
            first, end = np.int64(offsets[i]), np.int64(offsets[i + 1])
            edges += end - first
            for e in range(first, end):
                v = np.int64(ends[e])
                if not has(visited, v):
                    put(visited, v)
                    queue[tail] = v
                    tail += 1
                    distance[v], parent[v] = next_level, delegates[i]
    state[TAIL] = tail
    return edges


@njit(nogil=True, cache=True)
def _pull_from_delegates(
    state, next_level, delegates, queue, visited, known, offsets, ends, rows, distance, parent
):  # fmt: skip
    edges, tail = np.int64(0), state[TAIL]
    for w in range(len(rows)):
        word, now = rows[w] & ~visited[w], np.uint64(0)
        while word != np.uint64(0):
            bit = word & (~word + np.uint64(1))
            v = (w << 6) + lowest(word)
            word ^= bit
            first, end = np.int64(offsets[v]), np.int64(offsets[v + 1])
            for e in range(first, end):
                i = np.int64(ends[e])
                edges += 1
                if has(known, i):
                    now |= bit
                    queue[tail] = v
                    tail += 1
                    distance[v], parent[v] = next_level, delegates[i]
                    break
        visited[w] |= now
    state[TAIL] = tail
    return edges


@njit(nogil=True, cache=True)
def _push_from_normal(
    state, next_level, low, queue, visited, offsets, ends, distance, parent, far_at, far_parents, unique, slot_at, slots
):  # fmt: skip
    first_one, last, tail, edges = state[FIRST], state[LAST], state[TAIL], np.int64(0)
    own = len(distance)
    for s in range(first_one, last):
        if s + ROWS_AHEAD < last:
            prefetch(offsets, np.int64(queue[s + ROWS_AHEAD]))
            prefetch(ends, np.int64(offsets[np.int64(queue[s + ROWS_AHEAD // 2])]))
        u = np.int64(queue[s])
        first, end = np.int64(offsets[u]), np.int64(offsets[u + 1])
        edges += end - first
        p = 0
        for e in range(first, end):
            v = np.int64(ends[e])
            if v < own:
                if not has(visited, v):
                    put(visited, v)
                    queue[tail] = v
                    tail += 1
                    distance[v], parent[v] = next_level, low + u
                continue
            v -= own
            if far_parents[v] == NOBODY:
                far_parents[v] = low + u
            elif unique:
                continue
            while v >= far_at[p + 1]:  # own destinations and far ones ascend within a row
                p += 1
            name(v - far_at[p], slots[slot_at[p] : slot_at[p + 1]])
    state[TAIL] = tail
    return edges
