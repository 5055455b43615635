# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""A level of a search by a grid of processors: visiting the ends of a frontier's edges, and updating their owners.

Source: Bisson, Bernaschi and Mastrostefano, "Parallel distributed breadth first search on the Kepler architecture",
2014, algorithms 2 and 3. Bitmaps are arrays of uint64. A processor's ``visited`` has a bit for each of its local rows,
its own vertices or not: a vertex is sent to its owner once. ``preds`` has the place of the vertex before each of these.
"""

from __future__ import annotations

import numpy as np

from lux.algorithms.bfs.distributed.message_kernels import add, message_words, read, write_new
from lux.kernels import njit
from lux.kernels.frontier import prefetch, seconds
from lux.kernels.inlined import inlined

# Columns of a row of the shared state (`lux.algorithms.bfs.distributed.slot_exchange_kernels`); each level clears them.
STATE_COLUMNS = 9
ACTIVE = 0  # own vertices that the level has reached
EDGES = 1  # their out-edges in the whole graph
WORDS = 2  # words read of others' messages
ASKED = 3  # most parents that are asked of a processor at the end
# Nanoseconds of each phase of the level; waits for other processors are in those of exchanges.
EXPAND_EXCHANGE = 4
EXPANSION = 5
ROTATION = 6  # exchanges between the substeps of a bottom-up level
FOLD_EXCHANGE = 7
UPDATE = 8

NONE = 0xFFFFFFFF
"""No place (uint32)."""

NO_LEVEL = 2**31 - 1
"""The distance of unreached vertices (int32)."""

PREFETCH_DISTANCE = 16
"""Frontier vertices between asking for the place of a vertex' edges and reading them; half as many for the edges."""


DENSE = 8
"""Messages are made of bitmaps where there are more than 1/8 as many edges to follow as bits to look through."""


@inlined
def visit(visited, v):
    """Set bit ``v``; returns True where it was not set before."""
    word, bit = v >> np.uint64(6), np.uint64(1) << (v & np.uint64(63))
    seen = visited[word]
    if seen & bit != np.uint64(0):
        return False
    visited[word] = seen | bit
    return True


@njit(nogil=True, cache=True)
def gather_frontier(frontier_messages, words, me, stride, frontier, state):
    """Write the local columns of the grid column's frontier to ``frontier``, and return how many; begins a level."""
    total = 0
    state[:] = 0
    for k in range(len(frontier) // stride):
        slot = frontier_messages[k * words : (k + 1) * words]
        if k != me:
            state[WORDS] += message_words(slot)
        total += read(slot, k * stride, frontier[total:])
    return total


@njit(nogil=True, cache=True)
def expand(frontier_messages, words, me, first, block, stride, offsets, rows, visited, preds, slots, state):
    """Visit the ends of the frontier's edges, and write a message to the owners in each grid column.

    Parameters
    ----------
    frontier_messages : np.ndarray, uint32
        Messages of the grid column's processors, ``words`` apart; ``me`` is the own grid row.
    first : int
        The first place of the grid column's blocks, of ``block`` places each.
    offsets, rows : np.ndarray
        The edges by local column.
    slots : np.ndarray, uint32
        Room for a message to each processor of the grid row.
    """
    began = seconds()
    frontier = np.empty(len(offsets) - 1, np.uint32)
    total = gather_frontier(frontier_messages, words, me, stride, frontier, state)
    work = 0
    for k in range(total):
        work += offsets[np.int64(frontier[k]) + 1] - offsets[np.int64(frontier[k])]
    dense = DENSE * work > len(preds)
    before = visited.copy() if dense else visited[:0]
    for m in range(len(slots) // words):
        slots[m * words] = 0
    last = len(rows) - 1
    for k in range(total):
        if k + PREFETCH_DISTANCE < total:
            prefetch(offsets, np.int64(frontier[k + PREFETCH_DISTANCE]))
            prefetch(rows, min(offsets[np.int64(frontier[k + PREFETCH_DISTANCE // 2])], last))
        u = np.int64(frontier[k])
        place = np.uint32(first + u // stride * block + u % stride)
        for e in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
            v = np.uint64(rows[e])
            if visit(visited, v):
                preds[v] = place
                if not dense:
                    m = np.int64(v) // stride
                    add(slots, m * words, words, np.int64(v) - m * stride)
    if dense:
        write_fold_messages(before, visited, stride, slots, words)
    state[EXPANSION] = np.int64((seconds() - began) * 1e9)


@njit(nogil=True, cache=True)
def write_fold_messages(before, visited, stride, slots, words):
    """Name the new bits of each block to its owner."""
    each = stride >> 6
    for m in range(len(slots) // words):
        mine = slice(m * each, (m + 1) * each)
        write_new(before[mine], visited[mine], slots, m * words, words)


@njit(nogil=True, cache=True)
def update(inbox, found_at, words, me, stride, level, degrees, visited, levels, finders, frontier_message, state):
    """Give their level to own vertices that the processors of the grid row name for the first time.

    Parameters
    ----------
    inbox : np.ndarray, uint32
        Messages of the grid row's processors, at ``found_at``; ``me`` is the own grid column.
    degrees, levels, finders : np.ndarray of shape (stride,)
        Out-edges of own vertices in the whole graph, and the results: their level, and the grid column of the first
        processor that named them, which keeps their parent.
    frontier_message : np.ndarray, uint32
        Receives a message that names the vertices.
    """
    began = seconds()
    ids, each = np.empty(stride, np.uint32), stride >> 6
    own = visited[me * each : (me + 1) * each]
    named = 0
    for m in range(len(found_at)):
        named += np.int64(inbox[found_at[m]])
    dense = DENSE * named > stride
    n = read(inbox[found_at[me] : found_at[me] + words], 0, ids)
    for k in range(n):  # vertices that were found here are marked already
        own[ids[k] >> np.uint32(6)] &= ~(np.uint64(1) << np.uint64(ids[k] & np.uint32(63)))
    before = own.copy() if dense else own[:0]
    frontier_message[0] = 0
    active, edges = 0, np.int64(0)
    for step in range(len(found_at)):
        m = me if step == 0 else step - np.int64(step <= me)
        if step > 0:
            slot = inbox[found_at[m] : found_at[m] + words]
            state[WORDS] += message_words(slot)
            n = read(slot, 0, ids)
        for k in range(n):
            r = np.int64(ids[k])
            if not visit(own, np.uint64(r)):
                continue
            levels[r] = level
            finders[r] = m
            edges += np.int64(degrees[r])
            active += 1
            if not dense:
                add(frontier_message, 0, words, r)
    if dense:
        write_new(before, own, frontier_message, 0, words)
    state[ACTIVE], state[EDGES] = active, edges
    state[UPDATE] = np.int64((seconds() - began) * 1e9)


@njit(nogil=True, cache=True)
def write_levels(words, me, stride, first, names, preds, levels, finders, slots, counts, distance, parent):
    """Write levels, and the parents that are kept here; messages ask the others of the grid row for missing ones.

    ``names`` is the place of each own local id, the first own place being ``first``; empty where local ids follow the
    places.
    """
    for m in range(len(counts)):
        slots[m * words] = 0
        counts[m] = 0
    ordered = len(names) > 0
    distance[:] = NO_LEVEL
    parent[:] = NONE
    for r in range(stride if ordered else len(parent)):
        if finders[r] == np.uint32(NONE):
            continue
        i = np.int64(names[r]) - first if ordered else r
        m = np.int64(finders[r])
        distance[i] = levels[r]
        if m == me:
            parent[i] = preds[me * stride + r]
        else:
            add(slots, m * words, words, r)
            counts[m] += 1
