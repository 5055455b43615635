# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search of sparse graphs by the threads of one task.

Levels of a road network are many and small. So all threads share the work of every level, whichever vertices it has:
a thread claims an unvisited vertex by writing its parent, in one atomic operation. Levels of little work are left to
the first thread, which needs no atomic operations and no barriers. Of all parents in the level before, the smallest
stays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from lux.kernels.frontier import PUSH, STATISTICS_COLUMNS, note, prefetch, seconds
from lux.kernels.inlined import inlined
from lux.kernels.mail import LINE
from lux.kernels.scalars import like
from lux.kernels.threads import BARRIER_WORDS, atomic_add, atomic_min, barrier, compare_exchange, peek

CHUNK = 64
"""Vertices of the frontier that a pushing thread takes at a time."""
ROWS_AHEAD = 32
"""Vertices of the frontier between asking for a row's offsets and reading it."""
HELD = 1024
"""Vertices that a thread finds before it adds them to the next frontier."""
ALONE = 1 << 15
"""Vertices and edges of a level that is left to the first thread: what others write last is slow to read."""

# What the threads tell each other (int64), each in a cache line of its own; two lines are used in turn by the levels.
NEXT = BARRIER_WORDS  # of the work that threads take
TAIL = NEXT + 2 * LINE  # of the next frontier
LEVEL = TAIL + 2 * LINE  # levels done; then, of what the first thread did alone: vertices, edges
EACH = LEVEL + LINE  # from here on, two lines for each thread: vertices found, their edges


class Search(NamedTuple):
    """What the threads share.

    Attributes
    ----------
    offsets, ends : np.ndarray
        Out-edges.
    distance : np.ndarray of shape (n_vertices,), int32
        -1 where unvisited.
    parent : np.ndarray of shape (n_vertices,), a signed type
        -1 where unvisited.
    queue : np.ndarray of shape (2, n_vertices)
        Frontiers as lists, used in turn.
    control : np.ndarray of shape (EACH + 2 * size * LINE,), int64
        Zero at first.
    """

    offsets: Any
    ends: Any
    distance: Any
    parent: Any
    queue: Any
    control: Any


@njit(nogil=True, error_model="numpy", cache=True)
def search(
    me, size, source, most_levels, offsets, ends, vertices, places, distance, parent, queue, control, distances, parents
):
    """What thread ``me`` of ``size`` does; returns its statistics, a row for each level.

    With an order of its own, a graph has the ``vertices`` of places and the ``places`` of vertices; ``distances`` and
    ``parents`` then receive the answers in dense ids. The other arguments are the attributes of `Search`.
    """
    shared = Search(offsets, ends, distance, parent, queue, control)
    n, held = len(distance), np.empty(HELD, queue.dtype)
    first, last = n * me // size, n * (me + 1) // size
    rows, level = np.empty(64 * STATISTICS_COLUMNS), np.int64(0)
    count, edges = np.int64(1), offsets[source + 1] - offsets[source]
    if me == 0:  # who writes them all here has them in its cache
        distance[:], parent[:] = -1, -1
        distance[source], parent[source], queue[0, 0] = 0, source, source
    barrier(control, size)
    while count > 0 and level < most_levels:
        if count + edges < ALONE:
            level, count, edges, rows = _push_alone(me, size, level, most_levels, count, edges, held, rows, shared)
            continue
        began = seconds()
        if me == 0:
            control[TAIL + (level & 1) * LINE] = 0
            control[NEXT + (~level & 1) * LINE] = 0
        found, out = _push(level, count, size == 1, held, shared)
        mine = EACH + (2 * me + (level & 1)) * LINE
        control[mine], control[mine + 1] = found, out
        rows = note(rows, level, PUSH, count, edges, began)
        barrier(control, size)
        count, edges = np.int64(0), np.int64(0)
        for other in range(EACH + (level & 1) * LINE, EACH + 2 * size * LINE, 2 * LINE):
            count += control[other]
            edges += control[other + 1]
        level += 1
        if me == 0:
            control[LEVEL] = level
    if me == 0:
        control[LEVEL + 1] = count
    if len(vertices):
        for v in range(first, last):
            p = np.int64(places[v])
            distances[v] = distance[p]
            parents[v] = vertices[np.int64(parent[p])] if parent[p] >= 0 else -1
    return rows[: level * STATISTICS_COLUMNS]


@njit(nogil=True)
def _push_alone(me, size, level, most_levels, count, edges, held, rows, shared):
    """Levels of little work, by the first thread; returns the levels done, and the next one's vertices and edges."""
    control, first = shared.control, level
    if me == 0:
        while count > 0 and count + edges < ALONE and level < most_levels:
            began = seconds()
            control[TAIL + (level & 1) * LINE] = 0
            rows = note(rows, level, PUSH, count, edges, began)
            count, edges = _push(level, count, True, held, shared)
            rows[level * STATISTICS_COLUMNS + 3] = seconds() - began
            level += 1
            control[LEVEL] = level
        control[NEXT], control[NEXT + LINE] = 0, 0
        control[LEVEL + 1], control[LEVEL + 2] = count, edges
    barrier(control, size)
    level, count, edges = control[LEVEL], control[LEVEL + 1], control[LEVEL + 2]
    if me != 0:
        now = seconds()
        for k in range(first, level):
            rows = note(rows, k, PUSH, 0, 0, now)
            rows[k * STATISTICS_COLUMNS + 3] = 0
    barrier(control, size)
    return level, count, edges, rows


@njit(nogil=True)
def _push(level, count, alone, held, shared):
    """The out-edges of a level's vertices; returns how many vertices are in the next level, and their out-edges."""
    offsets, ends, distance, parent = shared.offsets, shared.ends, shared.distance, shared.parent
    front, control, turn = shared.queue[level & 1], shared.control, NEXT + (level & 1) * LINE
    here, found, out, next_level = np.int64(0), np.int64(0), np.int64(0), like(distance, level + 1)
    s = np.int64(0) if alone else atomic_add(control, turn, CHUNK)
    while s < count:
        stop = count if alone else min(s + CHUNK, count)
        while s < stop:
            if s + ROWS_AHEAD < stop:
                prefetch(offsets, np.int64(front[s + ROWS_AHEAD]))
                prefetch(ends, offsets[np.int64(front[s + ROWS_AHEAD // 2])])
            u = like(parent, front[s])
            for e in range(np.uint64(offsets[np.int64(u)]), np.uint64(offsets[np.int64(u) + 1])):
                v = np.int64(ends[e])
                before = peek(parent, v)
                if before < 0:
                    claimed = alone or compare_exchange(parent, v, like(parent, -1), u)
                    if claimed:
                        if alone:
                            parent[v] = u
                        distance[v] = next_level
                        held[here] = v
                        here += 1
                        out += offsets[v + 1] - offsets[v]
                        if here == HELD:
                            found += _add(here, level, alone, held, shared)
                            here = 0
                        continue
                    before = peek(parent, v)
                if u < before:
                    there = peek(distance, v)  # of this level; another thread may have claimed it, and write it next
                    if 0 <= there <= level:
                        continue
                    if alone:
                        parent[v] = u
                    else:
                        atomic_min(parent, v, u)
            s += 1
        s = count if alone else atomic_add(control, turn, CHUNK)
    return found + _add(here, level, alone, held, shared), out


@inlined
def _add(here, level, alone, held, shared):
    """Add ``held[:here]`` to the frontier of the next level; returns ``here``."""
    tail, queue = TAIL + (~level & 1) * LINE, shared.queue
    if alone:
        at = shared.control[tail]
        shared.control[tail] = at + here
    else:
        at = atomic_add(shared.control, tail, here)
    for k in range(here):
        queue[~level & 1, at + k] = held[k]
    return here
