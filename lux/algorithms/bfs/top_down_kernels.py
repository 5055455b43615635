# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Breadth-first search of sparse graphs by the threads of one task.

Levels of a road network are many and small. Large levels are shared by all threads, whichever vertices they have: a
thread claims an unvisited vertex by writing its distance, in one atomic operation. In smaller ones each thread follows
the edges of its own vertices (`lux.algorithms.bfs.owned_level_kernels`). The smallest are left to the first thread,
which needs no barriers. Parents come last, since the cost of a level is its number of writes: each vertex looks through
its in-neighbours for the first from the level before.
"""

from __future__ import annotations

import numpy as np

from lux.algorithms.bfs.owned_level_kernels import (
    EACH,
    LEVEL,
    NEXT,
    TAIL,
    Owned,
    Search,
    clear_own,
    levels_of_owners,
    prefetch_rows,
)
from lux.kernels import njit
from lux.kernels.frontier import PUSH, STATISTICS_COLUMNS, note, seconds
from lux.kernels.inlined import inlined, inner
from lux.kernels.scalars import like
from lux.kernels.thread_mailboxes import LINE
from lux.kernels.threads import atomic_add, barrier, compare_exchange, peek

CHUNK = 256
"""Vertices of the frontier that a pushing thread takes at a time."""
HELD = 1024
"""Vertices that a thread finds before it adds them to the next frontier."""
LOOKING = 1 << 12
"""Vertices that a thread takes at a time where they look for their parents."""
ALONE, TOGETHER = 1 << 8, 1 << 13
"""Vertices of a level below which it is left to the first thread, and from which on all threads share it: where a level
is small, reading others' writes is slow, and so is a barrier where it is smaller still."""


@njit(nogil=True, error_model="numpy", cache=True)
def search(
    me, size, source, most_levels, target, offsets, ends, in_offsets, sources, vertices, distance, queue, control,
    distances, parents, shift, owners, starts, room, messages, counts,
):  # fmt: skip
    """Search as thread ``me`` of ``size``; returns the thread's statistics, a row for each level.

    The search ends with the level of the place ``target``, if that is not negative. ``sources`` are of in-edges,
    ascending. With an order of its own, a graph has the ``vertices`` of places, and ``distances`` and ``parents``
    receive the answers in dense ids; otherwise ``distances`` is ``distance``. The other arguments are the attributes of
    `Search` and `Owned`.
    """
    shared, owned = (
        Search(offsets, ends, distance, queue, control),
        Owned(shift, owners, starts, room, messages, counts),
    )
    held = np.empty(HELD, queue.dtype)
    rows, level, count = np.empty(64 * STATISTICS_COLUMNS), np.int64(0), np.int64(1)
    clear_own(me, distance, owned)
    barrier(control, size)
    if me == 0:
        distance[source], queue[0, 0] = 0, source
    barrier(control, size)
    while count > 0 and level < most_levels and not _has_reached(target, level, shared):
        if count < ALONE or size == 1:
            level, count, rows = _levels_alone(me, size, level, most_levels, target, count, rows, shared)
            continue
        if count < TOGETHER and target < 0:  # owners would tell nobody that they have found it
            level, count, rows = levels_of_owners(me, size, level, most_levels, count, rows, shared, owned)
            continue
        began = seconds()
        if me == 0:  # after levels of another kind, both words of this one may be those of earlier levels
            control[TAIL + (~level & 1) * LINE] = 0
            control[NEXT + (level & 1) * LINE] = 0
        barrier(control, size)
        mine = EACH + (2 * me + (level & 1)) * LINE
        control[mine], control[mine + 1] = _push_together(level, count, held, shared)
        rows = note(rows, level, PUSH, count, 0, began)
        barrier(control, size)
        count = np.int64(0)
        for other in range(EACH + (level & 1) * LINE, EACH + 2 * size * LINE, 2 * LINE):
            count += control[other]
            rows[level * STATISTICS_COLUMNS + 2] += control[other + 1]
        level += 1
        if me == 0:
            control[LEVEL] = level
    if me == 0:
        control[LEVEL + 1] = count
    parity, n = NEXT + 2 * LINE, len(distance)
    first = atomic_add(control, parity, LOOKING)
    while first < n:
        _find_parents(first, min(first + LOOKING, n), in_offsets, sources, vertices, distance, distances, parents)
        first = atomic_add(control, parity, LOOKING)
    return rows[: level * STATISTICS_COLUMNS]


@inner
def _levels_alone(me, size, level, most_levels, target, count, rows, shared):
    """Search small levels by the first thread; returns the levels done, the next one's vertices, and the rows."""
    control, first = shared.control, level
    if me == 0:
        while count > 0 and (count < ALONE or size == 1) and level < most_levels:
            if _has_reached(target, level, shared):
                break
            began, before = seconds(), count
            count, edges = _push_alone(level, count, shared)
            rows = note(rows, level, PUSH, before, edges, began)
            level += 1
            control[LEVEL] = level
        control[LEVEL + 1] = count
    barrier(control, size)
    level, count = control[LEVEL], control[LEVEL + 1]
    if me != 0:
        for k in range(first, level):
            rows = note(rows, k, PUSH, 0, 0, 0.0)
            rows[k * STATISTICS_COLUMNS + 3] = 0
    barrier(control, size)
    return level, count, rows


@inlined
def _has_reached(target, level, shared):
    """Tell whether the target is in a level that is done; other threads may be in the next, which changes no answer."""
    if target < 0:
        return False
    found = peek(shared.distance, target)
    return found >= 0 and found <= level


@inner
def _push_alone(level, count, shared):
    """Follow the out-edges of a level's vertices; returns the vertices of the next level, and the edges."""
    offsets, ends, distance = shared.offsets, shared.ends, shared.distance
    front, after = shared.queue[level & 1], shared.queue[~level & 1]
    found, edges, next_level = np.int64(0), np.int64(0), like(distance, level + 1)
    for s in range(count):
        prefetch_rows(s, count, front, offsets, ends)
        u = np.uint64(front[s])
        first, end = offsets[u], offsets[u + np.uint64(1)]
        edges += end - first
        for e in range(np.uint64(first), np.uint64(end)):
            v = np.uint64(ends[e])
            if distance[v] < 0:
                distance[v], after[found] = next_level, v
                found += 1
    return found, edges


@inner
def _push_together(level, count, held, shared):
    """Follow a level's out-edges by all threads; returns this thread's vertices and edges. ``held`` is scratch."""
    offsets, ends, distance = shared.offsets, shared.ends, shared.distance
    front, control, parity = shared.queue[level & 1], shared.control, NEXT + (level & 1) * LINE
    here, found, edges, next_level = np.int64(0), np.int64(0), np.int64(0), like(distance, level + 1)
    s = atomic_add(control, parity, CHUNK)
    while s < count:
        stop = min(s + CHUNK, count)
        while s < stop:
            prefetch_rows(s, stop, front, offsets, ends)
            u = np.uint64(front[s])
            first, end = offsets[u], offsets[u + np.uint64(1)]
            edges += end - first
            for e in range(np.uint64(first), np.uint64(end)):
                v = np.int64(ends[e])
                if peek(distance, v) < 0 and compare_exchange(distance, v, like(distance, -1), next_level):
                    held[here] = v
                    here += 1
                    if here == HELD:
                        found += _add(here, level, held, shared)
                        here = 0
            s += 1
        s = atomic_add(control, parity, CHUNK)
    return found + _add(here, level, held, shared), edges


@inlined
def _add(here, level, held, shared):
    """Add ``held[:here]`` to the frontier of the next level; returns ``here``."""
    queue, at = shared.queue, atomic_add(shared.control, TAIL + (~level & 1) * LINE, here)
    for k in range(here):
        queue[~level & 1, at + k] = held[k]
    return here


@inlined(forceinline=False)
def _find_parents(first, last, in_offsets, sources, vertices, distance, distances, parents):
    """Write the answers of places ``first`` to ``last - 1``; of several parents the first."""
    for p in range(first, last):
        before, parent = distance[p] - 1, np.int64(-1)
        if before >= 0:
            for e in range(np.uint64(in_offsets[p]), np.uint64(in_offsets[p + 1])):
                if distance[np.uint64(sources[e])] == before:
                    parent = np.int64(sources[e])
                    break
        elif before == -1:
            parent = p
        if len(vertices):
            distances[vertices[p]] = distance[p]
            parents[vertices[p]] = vertices[parent] if parent >= 0 else -1
        else:
            parents[p] = parent
