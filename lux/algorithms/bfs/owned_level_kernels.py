# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Levels of some hundred vertices, for `lux.algorithms.bfs.top_down_kernels`: each thread has vertices of its own.

A thread follows the edges of its own vertices in the frontier, and writes the distances of its own vertices alone, so
that a core keeps them in its cache and nothing is atomic. Edges to other vertices become messages, which their owners
read after the threads have met. Owners of blocks of neighbouring vertices take turns, as in
`lux.kernels.thread_mailboxes`. Threads meet once a level, or more often where messages do not fit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.kernels.frontier import PUSH, note, prefetch, seconds
from lux.kernels.inlined import inlined, inner
from lux.kernels.scalars import like
from lux.kernels.thread_mailboxes import BLOCKS, LINE, counts_of
from lux.kernels.threads import BARRIER_WORDS, atomic_store, barrier, wait_for

LEAST, MOST = 1 << 7, 1 << 14
"""Edges to the next level below which, and from which on, it is left to other ways."""
ROWS_AHEAD = 64
"""Vertices of the frontier between asking for a row's offsets and reading it."""
ROOM = (1 << 8, 1 << 15)
"""Least room of a box between two threads, and room of all boxes together where boxes get more than that."""

# The threads' messages to one another (int64), each in a cache line of its own; levels use two lines in turn.
NEXT = BARRIER_WORDS  # next of the work that threads take; in a third line, of the vertices that look for parents
TAIL = NEXT + 3 * LINE  # end of the next frontier
LEVEL = TAIL + 2 * LINE  # levels done; in the word after it, the vertices of the next level
EACH = LEVEL + LINE  # from here on, two lines for each thread: vertices found, edges pushed, and here two more:
FOUND, EDGES, LISTED, LEFT, MET = range(5)  # vertices listed in the frontier, those still to be followed; meetings


class Search(NamedTuple):
    """The arrays that threads share.

    Attributes
    ----------
    offsets, ends : np.ndarray
        Out-edges.
    distance : np.ndarray of shape (n_vertices,), int32
        -1 where unvisited.
    queue : np.ndarray of shape (2, n_vertices)
        Frontiers as lists, used in turn.
    control : np.ndarray of shape (EACH + 2 * size * LINE,), int64
        Zero at first.
    """

    offsets: Any
    ends: Any
    distance: Any
    queue: Any
    control: Any


class Owned(NamedTuple):
    """Owners of vertices, and boxes of messages between the threads.

    Attributes
    ----------
    shift : int
        Vertex v is in block ``v >> shift``.
    owners : np.ndarray of shape (n_blocks,), int64
        The owner of each block.
    starts : np.ndarray of shape (size + 1,), int64
        Where the thread's lists begin in a queue.
    room : int
        Vertices for which a box has room.
    messages : np.ndarray of shape (2, size * size * room)
        Box ``from * size + to`` has the ends of edges; rounds use two sets of boxes in turn.
    counts : np.ndarray of shape (2, size * counts_of(size)), int64
        Messages in each box; zero at first.
    """

    shift: Any
    owners: Any
    starts: Any
    room: Any
    messages: Any
    counts: Any


def new_owned(n: int, size: int, ids: Any) -> Owned:
    """Return owners of ``n`` vertices, and empty boxes, for so many threads."""
    shift = max((n // (BLOCKS * size)).bit_length() - 1, 0)
    owners = np.arange((n >> shift) + 1, dtype=np.int64) % size
    blocks = np.arange(len(owners), dtype=np.int64)
    owns = np.bincount(owners, np.minimum((blocks + 1) << shift, n) - (blocks << shift), minlength=size)
    room = max(ROOM[0], ROOM[1] // size**2) if size > 1 else 1
    counts = np.zeros((2, size * counts_of.py_func(size)), np.int64)
    starts = np.concatenate([[0], np.cumsum(owns)]).astype(np.int64)
    return Owned(shift, owners, starts, room, np.empty((2, room * size**2), ids), counts)


@inner
def clear_own(me, distance, owned):
    """Mark the thread's own vertices as unvisited; writing them puts them into its cache."""
    n = len(distance)
    for block in range(len(owned.owners)):
        if owned.owners[block] == me:
            for v in range(block << owned.shift, min((block + 1) << owned.shift, n)):
                distance[v] = -1


@inlined
def prefetch_rows(s, stop, front, offsets, ends):
    """Prefetch the rows of vertices that come after ``front[s]``, and before ``front[stop]``."""
    if s + ROWS_AHEAD < stop:
        prefetch(offsets, np.int64(front[s + ROWS_AHEAD]))
        prefetch(ends, offsets[np.int64(front[s + ROWS_AHEAD // 2])])


@inner
def levels_of_owners(me, size, level, most_levels, count, rows, shared, owned):
    """Search levels while they are neither small nor large; returns the levels done, the next one's vertices, rows.

    The frontier is ``queue[level & 1, :count]`` before and after; in between, that of a level is ``queue[~level & 1]``,
    where each thread has a list of its own.
    """
    control, mine = shared.control, EACH + 2 * me * LINE
    listed, meetings = _take_own(me, level, count, shared, owned), control[mine + MET]
    barrier(control, size)
    coming = count
    while LEAST <= coming < MOST and level < most_levels:
        began = seconds()
        found, coming, total, edges, meetings = _one_level(me, size, level, listed, meetings, shared, owned)
        if total == 0:
            break
        rows = note(rows, level, PUSH, total, edges, began)
        listed, level = found, level + 1
        if me == 0:
            control[LEVEL] = level
    barrier(control, size)
    control[mine + LISTED], control[mine + MET] = listed, meetings
    barrier(control, size)
    count = _give_own(me, size, level, listed, shared, owned)
    barrier(control, size)
    return level, count, rows


# No reference is counted below: all threads would count those to the arrays that they share, in the same words.


@inlined(forceinline=False)
def _take_own(me, level, count, shared, owned):
    """List a thread's own vertices of a frontier; returns how many."""
    listed, frontier, mine = np.int64(0), shared.queue[level & 1], shared.queue[~level & 1, owned.starts[me] :]
    for k in range(count):
        mine[listed] = frontier[k]
        listed += np.int64(owned.owners[np.uint64(frontier[k]) >> np.uint64(owned.shift)] == me)
    return listed


@inlined(forceinline=False)
def _give_own(me, size, level, listed, shared, owned):
    """Put a thread's own vertices into the frontier; returns how many vertices it has."""
    count, frontier, mine = np.int64(0), shared.queue[level & 1], shared.queue[~level & 1, owned.starts[me] :]
    for thread in range(size):
        if thread == me:
            for k in range(listed):
                frontier[count + k] = mine[k]
        count += shared.control[EACH + 2 * thread * LINE + LISTED]
    return count


@inlined(forceinline=False)
def _one_level(me, size, level, listed, meetings, shared, owned):
    """Search one level.

    Returns the vertices that this thread found, of all threads what may come, and the level's vertices and edges, and
    the meetings so far.
    """
    control, found, edges, total = shared.control, np.int64(0), np.int64(0), np.int64(0)
    s, e, left, coming = np.int64(0), np.int64(-1), np.int64(1), np.int64(0)
    while left > 0:
        turn = meetings & 1
        s, e, found, followed = _follow(me, size, level, s, e, listed, found, turn, shared, owned)
        mine = EACH + (2 * me + turn) * LINE
        control[mine + FOUND] = found + _sent(me, size, turn, owned)
        control[mine + EDGES], control[mine + LISTED], control[mine + LEFT] = followed, listed, listed - s
        # The line that tells what a thread found tells that it has arrived: a core waits for one line of each other.
        meetings += 1
        atomic_store(control, mine + MET, meetings)
        coming, total, left = np.int64(0), np.int64(0), np.int64(0)
        for other in range(EACH + turn * LINE, EACH + 2 * size * LINE, 2 * LINE):
            wait_for(control, other + MET, meetings)
            coming += control[other + FOUND]
            edges += control[other + EDGES]
            total += control[other + LISTED]
            left += control[other + LEFT]
        found = _receive(me, size, level, found, turn, shared, owned)
    return found, coming, total, edges, meetings


@inlined
def _sent(me, size, turn, owned):
    """Count the messages in the boxes that a thread has filled."""
    total, first = np.int64(0), me * counts_of(size)
    for other in range(size):
        total += owned.counts[turn, first + other]
    return total


@inlined(forceinline=False)
def _follow(me, size, level, s, e, listed, found, turn, shared, owned):
    """Follow out-edges of listed vertices, from vertex ``s`` and its edge ``e`` (if not -1) on, until a box is full.

    Returns the vertex and the edge to go on from, the vertices that are found, and the edges of rows that were begun.
    """
    front, after = shared.queue[~level & 1, owned.starts[me] :], shared.queue[level & 1, owned.starts[me] :]
    offsets, ends, distance = shared.offsets, shared.ends, shared.distance
    owners, messages, counts = owned.owners, owned.messages[turn], owned.counts[turn, me * counts_of(size) :]
    edges, next_level = np.int64(0), like(distance, level + 1)
    for other in range(size):
        counts[other] = 0
    while s < listed:
        prefetch_rows(s, listed, front, offsets, ends)
        u = np.uint64(front[s])
        first, end = offsets[u], offsets[u + np.uint64(1)]
        if e < 0:
            e = first
            edges += end - first
        for k in range(np.uint64(e), np.uint64(end)):
            v = np.uint64(ends[k])
            owner = owners[v >> np.uint64(owned.shift)]
            if owner == me:
                if distance[v] < 0:
                    distance[v], after[found] = next_level, v
                    found += 1
                continue
            if counts[owner] == owned.room:
                return s, np.int64(k), found, edges
            messages[(me * size + owner) * owned.room + counts[owner]] = v
            counts[owner] += 1
        s, e = s + 1, np.int64(-1)
    return s, e, found, edges


@inlined(forceinline=False)
def _receive(me, size, level, found, turn, shared, owned):
    """Visit the thread's vertices to which other threads' edges lead; returns the vertices that are found then."""
    distance, next_level = shared.distance, like(shared.distance, level + 1)
    after = shared.queue[level & 1, owned.starts[me] :]
    for other in range(size):
        box = (other * size + me) * owned.room
        for k in range(box, box + owned.counts[turn, other * counts_of(size) + me]):
            v = np.uint64(owned.messages[turn, k])
            if distance[v] < 0:
                distance[v], after[found] = next_level, v
                found += 1
    return found
