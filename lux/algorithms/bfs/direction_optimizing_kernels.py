# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Breadth-first search of graphs of many edges a vertex, by the threads of one task.

Small frontiers are pushed: each thread has vertices of its own, of which it alone changes bits, distance and parent,
and cuts the edges to its own vertices out of the rows of the frontier. Large ones are pulled, word by word of the
unvisited (`lux.algorithms.bfs.neighbour_column_kernels`), by whichever thread is free. Nothing is cleared beforehand:
the first pull writes all vertices that are not visited. Levels are pulled
or pushed by `perfmodel.direction.by_share`.

Source: Beamer, Asanovic and Patterson, "Direction-optimizing breadth-first search", SC 2012.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.bfs.neighbour_column_kernels import (
    EVERY,
    LOW,
    ONE,
    SIX,
    TOGETHER,
    ZERO,
    FirstNeighbours,
    pull_again,
    pull_first,
)
from lux.codegen.direction import by_share
from lux.kernels import frontier as fr
from lux.kernels import njit
from lux.kernels.frontier import first_from, note, popcount, prefetch, seconds
from lux.kernels.inlined import inlined, inner
from lux.kernels.scalars import like
from lux.kernels.thread_mailboxes import LINE
from lux.kernels.threads import BARRIER_WORDS, atomic_add, barrier

ROWS_AHEAD = 16
"""Vertices of the frontier between asking for a row's offsets and reading it."""
HELD = 1024
"""Edges to unvisited vertices that a thread collects before it visits them."""
VISITS_AHEAD = 16
"""Collected edges between asking for a vertex and visiting it."""
LONG = 64
"""Edges from which on a row is cut by binary search."""

# The threads' messages to one another (int64), each in a cache line of its own; levels use two lines in turn.
NEXT = BARRIER_WORDS  # next of the words that pulling threads take
LEVEL = NEXT + 2 * LINE  # levels done; then vertices of the level after
EACH = LEVEL + LINE  # from here on, two lines for each thread, of its vertices of a frontier:
FOUND, EDGES, LISTED = 0, 1, 2  # vertices found, out-edges of the listed ones, length of the list

NOT_COUNTED = -1
"""In statistics: frontiers that are pulled because of their vertices, so that their edges need not be counted."""


class Search(NamedTuple):
    """The arrays that threads share, besides `FirstNeighbours`.

    Attributes
    ----------
    offsets, ends : np.ndarray
        Out-edges, ascending.
    degrees : np.ndarray
        Out-degrees.
    points : np.ndarray of shape (size + 1,), int64
        Thread t pushes to vertices ``points[t]`` to ``points[t + 1] - 1``, in whole words but for the end.
    fronts : np.ndarray of shape (2, words + 1), uint64
        Frontiers as bits, used in turn by the levels.
    queues : np.ndarray of shape (2, n_vertices)
        The frontiers as lists: the list of thread t begins at its first vertex.
    control : np.ndarray of shape (EACH + 2 * size * LINE,), int64
        Zero at first.
    """

    offsets: Any
    ends: Any
    degrees: Any
    points: Any
    fronts: Any
    queues: Any
    control: Any


def new_control(threads: int) -> NDArray[np.int64]:
    """Return the array `Search.control` of a search by so many threads."""
    return np.zeros(EACH + 2 * threads * LINE, np.int64)


@njit(nogil=True, error_model="numpy", cache=True)
def search(
    me, size, source, most_levels, target, columns, linked, in_offsets, sources, offsets, ends, degrees, points,
    visited, fronts, queues, control, distance, parent,
):  # fmt: skip
    """Search as thread ``me`` of ``size``; returns the thread's statistics, a row for each level.

    The search ends with the level of the place ``target``, if that is not negative. Other arguments are attributes of
    `FirstNeighbours` and `Search`. ``distance`` and ``parent`` receive places, and -1 where unreached.
    """
    first_neighbours = FirstNeighbours(columns, linked, in_offsets, sources, visited, distance, parent)
    shared = Search(offsets, ends, degrees, points, fronts, queues, control)
    n, n_edges = len(distance), len(sources)
    rows, level = np.empty(64 * fr.STATISTICS_COLUMNS), np.int64(0)
    held, looking = np.empty((2, HELD), queues.dtype), np.empty(64 * TOGETHER, np.uint32)
    _clear(me, size, source, first_neighbours, shared)
    pulled, complete = False, False  # the level before; all vertices have been written
    count, edges = np.int64(1), np.int64(degrees[source])
    barrier(control, size)
    while count > 0 and level < most_levels and not _is_in(target, fronts[level & 1]):
        began = seconds()
        if pulled:
            edges = np.int64(NOT_COUNTED)
            if not by_share(True, count, 0, n, n_edges):
                _list(me, level, shared)
                barrier(control, size)
                edges = _sum(control, level, size, EDGES)
        pull = edges == NOT_COUNTED or by_share(False, count, edges, n, n_edges)
        if not pulled and (complete or not pull):
            _write_distances(me, level, first_neighbours, shared)
        if me == 0:
            control[NEXT + (~level & 1) * LINE] = 0
        if pull:
            _pull(me, level, complete, looking, first_neighbours, shared)
        else:
            if pulled:
                fronts[~level & 1, (points[me] + 63) >> 6 : (points[me + 1] + 63) >> 6] = ZERO
            _push(me, size, level, held, first_neighbours, shared)
        complete |= pull
        pulled = pull
        rows = note(rows, level, fr.PULL if pull else fr.PUSH, count, edges, began)
        barrier(control, size)
        level += 1
        count, edges = _sum(control, level, size, FOUND), _sum(control, level, size, EDGES)
        if me == 0:
            control[LEVEL] = level
    if me == 0:
        control[LEVEL + 1] = count
    if not pulled:
        _write_distances(me, level, first_neighbours, shared)
    if not complete:
        _write_unreached(points[me], points[me + 1], first_neighbours)
    return rows[: level * fr.STATISTICS_COLUMNS]


@njit(nogil=True, cache=True)
def in_dense_order(me, size, places, vertices, control, distance, parent, distances, parents):
    """Write answers by place as answers by dense id, as thread ``me``, after `search`."""
    barrier(control, size)
    n = len(distances)
    for v in range(n * me // size, n * (me + 1) // size):
        p = np.uint64(places[v])
        above = parent[p]
        distances[v] = distance[p]
        name = np.int32(vertices[np.uint64(max(above, 0))])  # looked up in any case: a branch would be mispredicted
        parents[v] = name if above >= 0 else np.int32(-1)


@inner
def _clear(me, size, source, first_neighbours, shared):
    """Clear the thread's share of the arrays, and begin with the source alone."""
    lo, hi, n = shared.points[me], shared.points[me + 1], len(first_neighbours.distance)
    for w in range((lo + 63) >> 6, (hi + 63) >> 6):
        first_neighbours.visited[w], shared.fronts[0, w], shared.fronts[1, w] = ZERO, ZERO, ZERO
    if me == 0:
        shared.fronts[:, -1] = ZERO
    if lo < hi and hi == n and n & 63:
        first_neighbours.visited[n >> 6] = EVERY << (np.uint64(n) & LOW)
    if lo <= source < hi:
        bit = ONE << (np.uint64(source) & LOW)
        first_neighbours.visited[source >> 6] |= bit
        shared.fronts[0, source >> 6] = bit
        shared.queues[0, lo], first_neighbours.parent[source] = source, source
        shared.control[EACH + 2 * me * LINE + LISTED] = 1


@inlined
def _is_in(target, front):
    """Tell whether a frontier has the target; threads that are ahead clear its bits, but only if it has not."""
    return target >= 0 and (front[target >> 6] >> (np.uint64(target) & LOW)) & ONE != ZERO


@inlined
def _sum(control, level, size, what):
    total = np.int64(0)
    for thread in range(size):
        total += control[EACH + (2 * thread + (level & 1)) * LINE + what]
    return total


@inner
def _list(me, level, shared):
    """List a thread's vertices of a frontier that was pulled, and count their edges."""
    lo, hi, bits, count, edges = shared.points[me], shared.points[me + 1], shared.fronts[level & 1], 0, np.int64(0)
    queue = shared.queues[level & 1, lo:]
    for w in range((lo + 63) >> 6, (hi + 63) >> 6):
        word = bits[w]
        while word != ZERO:
            low = word & (~word + ONE)
            v = (w << 6) + np.int64(popcount(low - ONE))
            queue[count] = v
            edges += np.int64(shared.degrees[v])
            count += 1
            word ^= low
    mine = EACH + (2 * me + (level & 1)) * LINE
    shared.control[mine + EDGES], shared.control[mine + LISTED] = edges, count


@inner
def _write_distances(me, level, first_neighbours, shared):
    """Write the distances of the thread's vertices in a frontier that was pushed."""
    queue = shared.queues[level & 1, shared.points[me] :]
    for k in range(shared.control[EACH + (2 * me + (level & 1)) * LINE + LISTED]):
        first_neighbours.distance[np.int64(queue[k])] = level


@inner
def _write_unreached(first, last, first_neighbours):
    for v in range(first, last):
        if (first_neighbours.visited[v >> 6] >> (np.uint64(v) & LOW)) & ONE == ZERO:
            first_neighbours.distance[v], first_neighbours.parent[v] = -1, -1


@inner(error_model="numpy")
def _pull(me, level, complete, looking, first_neighbours, shared):
    """Find parents of unvisited vertices, words at a time."""
    front, after, control = shared.fronts[level & 1], shared.fronts[~level & 1], shared.control
    parity, words, found = NEXT + (level & 1) * LINE, len(first_neighbours.linked), ZERO
    first = atomic_add(control, parity, TOGETHER)
    while first < words:
        last = min(first + TOGETHER, words)
        if complete:
            pull_again(first, last, level, front, after, looking, first_neighbours)
        else:
            pull_first(first, last, level, front, after, looking, first_neighbours)
        for w in range(first, last):
            first_neighbours.visited[w] |= after[w]
            found += popcount(after[w])
        first = atomic_add(control, parity, TOGETHER)
    control[EACH + (2 * me + (~level & 1)) * LINE + FOUND] = np.int64(found)


@inner(error_model="numpy")
def _push(me, size, level, held, first_neighbours, shared):
    """Follow the frontier's out-edges to the thread's own vertices; of several parents the first is kept."""
    offsets, ends, points, control = shared.offsets, shared.ends, shared.points, shared.control
    lo, hi, visited = points[me], points[me + 1], first_neighbours.visited
    old, after = shared.fronts[level & 1], shared.fronts[~level & 1]
    mine, others = shared.queues[~level & 1, lo:], EACH + (level & 1) * LINE + LISTED
    found, count = np.int64(0), np.int64(0)
    for thread in range(size):
        front, listed = shared.queues[level & 1, points[thread] :], control[others + 2 * thread * LINE]
        for s in range(listed):
            if s + ROWS_AHEAD < listed:
                prefetch(offsets, np.int64(front[s + ROWS_AHEAD]))
                prefetch(ends, offsets[np.int64(front[s + ROWS_AHEAD // 2])])
            u = np.int64(front[s])
            e, end = offsets[u], offsets[u + 1]
            if end - e > LONG:
                e = first_from(ends, e, end, lo)
                end = first_from(ends, e, end, hi)
            while e < end:
                stop = min(end, e + HELD - count)
                for k in range(np.uint64(e), np.uint64(stop)):
                    v = np.uint64(ends[k])
                    held[0, count], held[1, count] = v, u
                    unvisited = (visited[v >> SIX] >> (v & LOW)) & ONE == ZERO
                    count += np.int64(unvisited) & np.int64(np.int64(v) >= lo) & np.int64(np.int64(v) < hi)
                e = stop
                if count == HELD:
                    found = _visit(count, held, found, mine, after, first_neighbours.parent)
                    count = np.int64(0)
    found = _visit(count, held, found, mine, after, first_neighbours.parent)
    edges = np.int64(0)
    for k in range(found):
        v = np.uint64(mine[k])
        visited[v >> SIX] |= ONE << (v & LOW)
        edges += np.int64(shared.degrees[v])
    front = shared.queues[level & 1, lo:]
    for k in range(control[others + 2 * me * LINE]):  # these bits will be those of the frontier after the next
        old[np.int64(front[k]) >> 6] = ZERO
    to = EACH + (2 * me + (~level & 1)) * LINE
    control[to + FOUND], control[to + EDGES], control[to + LISTED] = found, edges, found


@inlined
def _visit(count, held, found, queue, after, parent):
    """Visit the ends of edges ``held[:, :count]``; returns how many vertices are in the queue then."""
    for k in range(count):
        if k + VISITS_AHEAD < count:
            prefetch(parent, np.int64(held[0, k + VISITS_AHEAD]))
        v, u = np.uint64(held[0, k]), like(parent, held[1, k])
        w, bit = v >> SIX, ONE << (v & LOW)
        if after[w] & bit == ZERO:
            after[w] |= bit
            queue[found] = v
            found += 1
            parent[v] = u
        else:
            parent[v] = min(parent[v], u)
    return found
