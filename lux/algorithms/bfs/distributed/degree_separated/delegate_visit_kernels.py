# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Visits to delegates: along nd and dd edges, forwards from the frontier or backwards from unvisited delegates.

Backwards, an unvisited delegate looks through its own row for a visited neighbour, and stops at the first. Any
neighbour visited before this level is a valid parent: one of an earlier level than the frontier's would have visited
the delegate.
"""

from __future__ import annotations

import numpy as np

from lux.algorithms.bfs.distributed.degree_separated.build_kernels import DD, ND
from lux.algorithms.bfs.distributed.degree_separated.state_kernels import (
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
from lux.kernels import njit
from lux.kernels.frontier import prefetch


@njit(nogil=True, cache=True)
def visit_delegates(state, factors, low, graph, work, found):
    """Mark the delegates that the frontier's vertices reach along nd and dd edges, and note their parents.

    Parameters
    ----------
    state : np.ndarray of shape (STATE_COLUMNS,), int64
    factors : (tuple of float, tuple of float)
        Thresholds of the change of direction (`lux.algorithms.bfs.distributed.degree_separated.state_kernels.choose`).
    low : int
        First place of the processor.
    graph : Subgraphs
    work : Work
    found : np.ndarray of uint64
        Bits of delegates, zero at first.
    """
    front, known, parents = work.queue[state[FIRST] : state[LAST]], work.known, work.delegate_parents
    offsets = graph.nd_offsets
    forward, fresh = np.int64(0), np.int64(0)
    for s in range(len(front)):
        if s + ROWS_AHEAD < len(front):
            prefetch(offsets, np.int64(front[s + ROWS_AHEAD]))
        u = np.int64(front[s])
        length = np.int64(offsets[u + 1]) - np.int64(offsets[u])
        forward += length
        fresh += np.int64(length > 0)
    unvisited, hidden = count_without(graph.dn_rows, known), count_without(graph.nd_rows, work.visited)
    way = choose(state, ND, factors, forward, unvisited, fresh, hidden)
    state[FRONTIER_EDGES], state[EDGES + ND] = forward, 0
    if fresh > 0 and unvisited > 0 and way == BACKWARD:
        state[EDGES + ND] = _pull_from_normal(
            low, work.visited, known, graph.dn_offsets, graph.dn, graph.dn_rows, found, parents
        )
    elif fresh > 0 and unvisited > 0:
        state[EDGES + ND] = _push_from_normal(low, front, known, offsets, graph.nd, found, parents)

    offsets, rows, delegates = graph.dd_offsets, graph.dd_rows, graph.delegates
    forward, fresh, unvisited = (
        row_edges(rows, work.fresh, offsets),
        count_both(rows, work.fresh),
        count_without(rows, known),
    )
    way = choose(state, DD, factors, forward, unvisited, fresh, unvisited)
    state[FRONTIER_EDGES] += forward
    state[EDGES + DD] = 0
    if fresh > 0 and unvisited > 0 and way == BACKWARD:
        state[EDGES + DD] = _pull_from_delegates(delegates, known, offsets, graph.dd, rows, found, parents)
    elif fresh > 0 and unvisited > 0:
        state[EDGES + DD] = _push_from_delegates(delegates, known, work.fresh, offsets, graph.dd, rows, found, parents)
    state[DELEGATES_FOUND] = count_both(found, found)


@njit(nogil=True, cache=True)
def visit_none(state, graph, work):
    """Note in the state a level in which no delegate is left to be found."""
    state[DELEGATES_FOUND] = state[EDGES + ND] = state[EDGES + DD] = 0
    state[FRONTIER_EDGES] = row_edges(graph.dd_rows, work.fresh, graph.dd_offsets)
    for s in range(state[FIRST], state[LAST]):
        u = np.int64(work.queue[s])
        state[FRONTIER_EDGES] += np.int64(graph.nd_offsets[u + 1]) - np.int64(graph.nd_offsets[u])


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
