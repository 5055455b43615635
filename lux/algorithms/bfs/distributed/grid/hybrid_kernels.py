# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Levels of a search by a grid of processors that look for children (top-down) or for parents (bottom-up).

A search's launch (`lux.algorithms.bfs.distributed.grid.search_kernels`) calls these, one level or substep at a time.
Edges are in the form of `lux.algorithms.bfs.distributed.grid.bitmap_row_kernels`, messages and bitmaps in that of
`lux.algorithms.bfs.distributed.grid.two_dimensional_kernels`. Source: Ueno et al., "Efficient breadth-first search on
massively parallel and distributed-memory machines", 2017, figures 6, 8 and 11.
"""

from __future__ import annotations

import numpy as np

from lux.algorithms.bfs.distributed.grid.bitmap_row_kernels import entry
from lux.algorithms.bfs.distributed.grid.two_dimensional_kernels import (
    DENSE,
    EXPANSION,
    PREFETCH_DISTANCE,
    gather_frontier,
    visit,
    write_fold_messages,
)
from lux.algorithms.bfs.distributed.message_kernels import add
from lux.kernels import njit
from lux.kernels.frontier import has_bit, popcount, prefetch, seconds

LONG = 256
"""Edges of a vertex from which on they are cut by destination, one binary search for each block."""

ROWS_AHEAD = 8
"""Rows between asking for a row of edges and reading it, where most rows are left early."""


@njit(nogil=True, cache=True)
def top_down(frontier_messages, words, me, stride, bits, before, starts, names, rows, visited, preds, slots, state):
    """Visit the ends of the frontier's edges as `expand` does; ``names`` are the places of local columns with edges.

    Long lists of edges are cut at the ends of the destinations' blocks, and visited block by block after the short
    ones: all writes go to the bitmap and the message of one owner at a time.
    """
    began = seconds()
    frontier = np.empty(len(bits) << 6, np.uint32)
    total = gather_frontier(frontier_messages, words, me, stride, frontier, state)
    kept, work, longs = 0, 0, 0
    entries = np.empty(total, np.int64)
    for k in range(total):
        found = entry(bits, before, np.uint64(frontier[k]))
        entries[kept] = found
        if found >= 0:
            degree = starts[found + 1] - starts[found]
            work, longs, kept = work + degree, longs + np.int64(degree >= LONG), kept + 1
    blocks = len(slots) // words
    dense = DENSE * work > len(preds)
    already = visited.copy() if dense else visited[:0]
    for m in range(blocks):
        slots[m * words] = 0
    ranges = np.empty((longs, blocks + 1), np.int64)
    who = np.empty(longs, np.int64)
    longs = 0
    for k in range(kept):
        if k + PREFETCH_DISTANCE < kept:
            prefetch(rows, starts[entries[k + PREFETCH_DISTANCE]])
        found = entries[k]
        low, high = starts[found], starts[found + 1]
        if high - low >= LONG:
            cut(rows, low, high, stride, ranges[longs])
            who[longs] = found
            longs += 1
            continue
        place = names[found]
        for e in range(np.uint64(low), np.uint64(high)):
            v = np.uint64(rows[e])
            if visit(visited, v):
                preds[v] = place
                if not dense:
                    m = np.int64(v) // stride
                    add(slots, m * words, words, np.int64(v) - m * stride)
    for m in range(blocks):
        for k in range(longs):
            place = names[who[k]]
            for e in range(np.uint64(ranges[k, m]), np.uint64(ranges[k, m + 1])):
                v = np.uint64(rows[e])
                if visit(visited, v):
                    preds[v] = place
                    if not dense:
                        add(slots, m * words, words, np.int64(v) - m * stride)
    if dense:
        write_fold_messages(already, visited, stride, slots, words)
    state[EXPANSION] = np.int64((seconds() - began) * 1e9)


@njit(nogil=True, cache=True)
def cut(rows, low, high, stride, out):
    """Find the first element of each block's part of ``rows[low:high]``, which ascend, and the end of the last."""
    out[0] = low
    for m in range(1, len(out) - 1):
        left, right = out[m - 1], high
        while left < right:
            middle = (left + right) >> 1
            if np.int64(rows[middle]) < m * stride:
                left = middle + 1
            else:
                right = middle
        out[m] = left
    out[-1] = high


@njit(nogil=True, cache=True)
def begin_bottom_up(frontier_messages, words, me, stride, front, slots, state):
    """Write the frontier of the grid column as a bitmap, and empty the messages; begins a level."""
    began = seconds()
    frontier = np.empty(len(front) << 6, np.uint32)
    total = gather_frontier(frontier_messages, words, me, stride, frontier, state)
    front[:] = 0
    for k in range(total):
        visit(front, np.uint64(frontier[k]))
    for m in range(len(slots) // words):
        slots[m * words] = 0
    state[EXPANSION] = np.int64((seconds() - began) * 1e9)


@njit(nogil=True, cache=True)
def bottom_up(front, first, bits, before, starts, columns, names, done, out, visited, preds):
    """Look for parents of the vertices of some words of a block that have none yet.

    Parameters
    ----------
    front : np.ndarray, uint64
        The frontier among the local columns.
    first : int
        The first of the words among those of all local rows.
    bits, before, starts, columns : np.ndarray
        Edges by local row; ``names`` has the place of every edge's column.
    done, out : np.ndarray, uint64
        The vertices that have a parent, before and after; new ones are added to ``visited``.
    """
    last, edges = len(starts) - 1, len(columns) - 1
    for w in range(len(done)):
        word = done[w]
        has = bits[first + w]
        todo = has & ~word
        while todo != np.uint64(0):
            low = todo & (~todo + np.uint64(1))
            todo ^= low
            k = before[first + w] + np.int64(popcount(has & (low - np.uint64(1))))
            prefetch(columns, min(starts[min(k + ROWS_AHEAD, last)], edges))
            for e in range(np.uint64(starts[k]), np.uint64(starts[k + 1])):
                if has_bit(front, np.uint64(columns[e])):
                    preds[((first + w) << 6) + np.int64(popcount(low - np.uint64(1)))] = names[e]
                    word |= low
                    break
        out[w] = word
        visited[first + w] |= word
