# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Visits to normal vertices: along dn edges in either direction, and along nn edges, always forwards.

Destinations of nn edges that other processors own are named to them in messages, by their numbers among the far
destinations of this processor's edges; the parent of each is kept here until the end.
"""

from __future__ import annotations

import numpy as np

from lux.algorithms.bfs.distributed.degree_separated.build_kernels import DN, NN
from lux.algorithms.bfs.distributed.degree_separated.state_kernels import (
    BACKWARD,
    EDGES,
    FIRST,
    FRONTIER_EDGES,
    LAST,
    LONGEST,
    NAMED,
    NONE,
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
from lux.algorithms.bfs.distributed.message_kernels import append_number, message_words
from lux.kernels import njit
from lux.kernels.frontier import prefetch


@njit(nogil=True, cache=True)
def visit_normal(state, factors, level, low, graph, work, far_at, unique, slot_at, slots):
    """Visit the normal vertices that the frontier reaches along dn and nn edges, and add them to the queue.

    Parameters
    ----------
    state : np.ndarray of shape (STATE_COLUMNS,), int64
    factors : (tuple of float, tuple of float)
        Thresholds of the change of direction (`lux.algorithms.bfs.distributed.degree_separated.state_kernels.choose`).
    level : int
        The frontier's distance.
    low : int
        First place of the processor.
    graph : Subgraphs
    work : Work
    far_at : np.ndarray of shape (parts + 1,), int64
        First of the far destinations that each processor owns.
    unique : bool
        Name no far destination twice in a search.
    slot_at : np.ndarray of shape (parts + 1,), int64
        First element and end of the message to each processor in ``slots``.
    """
    offsets, rows, fresh_bits = graph.dn_offsets, graph.dn_rows, work.fresh
    forward, fresh = row_edges(rows, fresh_bits, offsets), count_both(rows, fresh_bits)
    unvisited, hidden = count_without(graph.nd_rows, work.visited), count_without(rows, work.known)
    way = choose(state, DN, factors, forward, unvisited, fresh, hidden)
    state[FRONTIER_EDGES] += forward
    state[EDGES + DN], state[TAIL] = 0, state[LAST]
    to = work.queue, work.visited, work.distance, work.parent
    if fresh > 0 and unvisited > 0 and way == BACKWARD:
        state[EDGES + DN] = _pull_from_delegates(
            state, level + 1, graph.delegates, work.known, graph.nd_offsets, graph.nd, graph.nd_rows, *to
        )
    elif fresh > 0 and unvisited > 0:
        state[EDGES + DN] = _push_from_delegates(
            state, level + 1, graph.delegates, fresh_bits, offsets, graph.dn, rows, *to
        )
    for p in range(len(slot_at) - 1):
        if slot_at[p + 1] > slot_at[p]:
            slots[slot_at[p]] = 0
    pushed = _push_from_normal(
        state, level + 1, low, graph.nn_offsets, graph.nn, *to, far_at, work.far_parents, unique, slot_at, slots
    )
    state[EDGES + NN] = pushed
    state[FRONTIER_EDGES] += pushed
    state[NAMED] = state[LONGEST] = 0
    for p in range(len(slot_at) - 1):
        slot = slots[slot_at[p] : slot_at[p + 1]]
        if len(slot):
            state[NAMED] += np.int64(slot[0])
            state[LONGEST] = max(state[LONGEST], message_words(slot))


@njit(nogil=True, cache=True)
def _push_from_delegates(
    state, next_level, delegates, fresh, offsets, ends, rows, queue, visited, distance, parent
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
    state, next_level, delegates, known, offsets, ends, rows, queue, visited, distance, parent
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
    state, next_level, low, offsets, ends, queue, visited, distance, parent, far_at, far_parents, unique, slot_at, slots
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
            if far_parents[v] == NONE:
                far_parents[v] = low + u
            elif unique:
                continue
            while v >= far_at[p + 1]:  # own destinations and far ones ascend within a row
                p += 1
            append_number(v - far_at[p], slots[slot_at[p] : slot_at[p + 1]])
    state[TAIL] = tail
    return edges
