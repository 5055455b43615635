# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dependencies on one source after the other, by the threads of a team that share a whole graph.

The forward sweep finds the vertices level by level and the number of shortest paths to each; the backward sweep
adds up dependencies from the last level to the first (Brandes 2001) over successors (Madduri et al. 2009). Both
read neighbours from an array that holds zero for every vertex outside one level: a row is summed without a test.

Each level is worked on from the side with fewer edges, as in a direction-optimising search. Where vertices write
to their neighbours, one thread does it; where they read from them, all do. So nothing is written by two threads,
and every sum has an order that depends on the graph, not on timing.
"""

# The signatures and constants of this file are what the tasks are written against.
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from lux.kernels import levels
from lux.kernels.paths import STEP
from lux.kernels.threads import BARRIER_WORDS, atomic_add, barrier

AUTO, PULL, PUSH = 0, 1, 2
_WRITE, _WRITE_TOGETHER, _READ = 0, 1, 2

WRITE_COST = 3
"""What an edge costs when one thread writes to the neighbour, relative to one that is read from, by all threads."""
TOGETHER = 1 << 14
"""Edges of a level from which on all threads work on it together. One needs 0.1 ms for fewer: threads that meet after
less than that gain little on an idle machine, and lose much where another process has one of their cores."""
DEALT_OUT = 1 << 16
"""Edges of a level from which on threads take its vertices as they come. In smaller ones each has a fixed part, which
in a lattice stays near itself from level to level."""
LONG_ROW = 16
"""Edges of a level for each vertex and thread, from which on threads also write together: each goes through all rows,
and writes to the neighbours in a range of its own."""
_BLOCK = 1024
"""Vertices that a thread takes at a time where unseen ones look for predecessors: whole words of the bit set."""
_MEMBERS = 64
"""Vertices of a level that a thread takes at a time."""

# Places of the plan: what threads tell each other. All read it after a barrier.
_LEVELS = 0  # levels found
_UNSEEN_EDGES = 1  # in-edges of vertices that have not been seen
_ENDED = 2  # the last level has no unseen successors
_ANY_WIDE = 3  # some level of this source is wide
_FOUND_IN, _FOUND_OUT, _FOUND_WIDE = 4, 5, 6  # in- and out-edges of the vertices that a pull finds; any exponents
EDGES = 7  # out-edges of all levels of all sources so far
_PLAN = 8


class Rows(NamedTuple):
    """A graph's edges by destination and by source."""

    in_offsets: Any
    sources: Any
    out_offsets: Any
    destinations: Any


class Scratch(NamedTuple):
    """What the sweeps of one source after the other work in.

    Level k is ``order[starts[k] : starts[k + 1]]``. ``paths`` and ``exponents`` are the numbers of paths
    (`lux.kernels.paths`) and, once a vertex is settled, (1 + dependency) / paths. ``values`` is what one level shows
    of them to all neighbours, zero elsewhere. ``closed`` are the vertices that no edge leads to, which always count
    as ``seen``. Between two sources all these but ``closed`` and ``order`` are zero.
    """

    paths: Any
    exponents: Any
    values: Any
    closed: Any
    seen: Any
    order: Any
    found: Any
    found_in: Any
    points: Any
    starts: Any
    in_edges: Any
    out_edges: Any
    wide: Any
    plan: Any
    taken: Any
    meeting: Any


def scratch(n_vertices: int, id_dtype: Any, points: NDArray[np.int64]) -> Scratch:
    """Memory of a team; `prepare` it. What has one element a level is only touched as far as there are levels.

    ``points`` are the ranges of vertices that each thread writes to, about equally much work.
    """
    words = (n_vertices + 63) // 64
    return Scratch(
        paths=np.empty(n_vertices),
        exponents=np.zeros(n_vertices, np.int32),
        values=np.empty(n_vertices),
        closed=np.empty(words, np.uint64),
        seen=np.empty(words, np.uint64),
        order=np.empty(n_vertices, id_dtype),
        found=np.empty(n_vertices, id_dtype),
        found_in=np.empty(max(-(-n_vertices // _BLOCK), len(points)), np.int64),
        points=np.append(points[:-1] & -64, n_vertices),  # whole words of the bit set
        starts=np.zeros(n_vertices + 2, np.int64),
        in_edges=np.zeros(n_vertices + 1, np.int64),
        out_edges=np.zeros(n_vertices + 1, np.int64),
        wide=np.zeros(n_vertices + 1, np.bool_),
        plan=np.zeros(_PLAN, np.int64),
        taken=np.zeros(1, np.int64),
        meeting=np.zeros(BARRIER_WORDS, np.int64),
    )


@njit(nogil=True)
def _slice(me, size, a, b):
    """The part of ``a`` to ``b - 1`` that a thread takes where every element is the same work."""
    return a + (b - a) * me // size, a + (b - a) * (me + 1) // size


@njit(nogil=True, cache=True)
def prepare(me, size, rows, work):
    """Make scratch ready for its first source."""
    n = len(work.paths)
    first, last = _slice(me, size, 0, len(work.seen))
    a, b = first << 6, min(last << 6, n)
    work.paths[a:b] = 0.0
    work.values[a:b] = 0.0
    levels.close(a, b, rows.in_offsets, work.closed)
    work.seen[first:last] = work.closed[first:last]


@njit(nogil=True)
def _end_level(work, level, end, in_edges, out_edges):
    """``order`` has got the vertices of ``level`` up to ``end``."""
    work.starts[level + 1] = end
    work.in_edges[level], work.out_edges[level] = in_edges, out_edges
    work.plan[_UNSEEN_EDGES] -= in_edges
    work.plan[EDGES] += out_edges
    work.plan[_ANY_WIDE] |= np.int64(work.wide[level])
    if end > work.starts[level]:
        work.plan[_LEVELS] = level + 1
    else:
        work.plan[_ENDED] = 1


@njit(nogil=True)
def _begin(rows, work, source):
    """Level 0: the source."""
    work.plan[_LEVELS] = work.plan[_ENDED] = work.plan[_ANY_WIDE] = 0
    work.plan[_UNSEEN_EDGES] = len(rows.sources)
    work.order[0] = source
    work.paths[source] = 1.0
    work.starts[0] = 0
    in_edges, out_edges, _ = levels.see(work.order, 0, 1, rows.in_offsets, rows.out_offsets, work.seen, work.paths)
    _end_level(work, 0, 1, in_edges, out_edges)


@njit(nogil=True)
def _find_by_push(rows, work, level):
    """The vertices of ``level`` and their paths, by one thread: those of the level before write to successors."""
    a, b = work.starts[level - 1], work.starts[level]
    if work.wide[level - 1]:
        end = levels.push_wide(
            work.order, a, b, rows.out_offsets, rows.destinations, work.seen, work.paths, work.exponents
        )
    else:
        end = levels.push(work.order, a, b, rows.out_offsets, rows.destinations, work.seen, work.paths)
    in_edges, out_edges, most = levels.see(work.order, b, end, rows.in_offsets, rows.out_offsets, work.seen, work.paths)
    if work.wide[level - 1] or most >= STEP:
        work.wide[level] = levels.normalise(work.order, b, end, work.paths, work.exponents)
    _end_level(work, level, end, in_edges, out_edges)


@njit(nogil=True)
def _find_by_push_together(me, size, rows, work, level):
    """The same by all threads: each writes to the successors in its own range."""
    lo, hi = work.points[me], work.points[me + 1]
    if me == 0:
        work.plan[_FOUND_IN] = work.plan[_FOUND_OUT] = work.plan[_FOUND_WIDE] = 0
    barrier(work.meeting, size)
    count = levels.push_into(
        lo, hi, work.order, work.starts[level - 1], work.starts[level], rows.out_offsets, rows.destinations,
        work.seen, work.paths, work.found,
    )  # fmt: skip
    in_edges, out_edges, most = levels.see(
        work.found, lo, lo + count, rows.in_offsets, rows.out_offsets, work.seen, work.paths
    )
    if most >= STEP:
        wide = levels.normalise(work.found, lo, lo + count, work.paths, work.exponents)
        atomic_add(work.plan, _FOUND_WIDE, np.int64(wide))
    atomic_add(work.plan, _FOUND_IN, in_edges)
    atomic_add(work.plan, _FOUND_OUT, out_edges)
    work.found_in[me] = count
    barrier(work.meeting, size)
    at, end = work.starts[level], work.starts[level]
    for thread in range(size):
        at += work.found_in[thread] if thread < me else 0
        end += work.found_in[thread]
    for k in range(count):
        work.order[at + k] = work.found[lo + k]
    _end_together(me, size, work, level, end)


@njit(nogil=True)
def _end_together(me, size, work, level, end):
    """`_end_level` once all threads have written to ``order``."""
    barrier(work.meeting, size)
    if me == 0:
        work.wide[level] = work.plan[_FOUND_WIDE] > 0
        _end_level(work, level, end, work.plan[_FOUND_IN], work.plan[_FOUND_OUT])
    barrier(work.meeting, size)


@njit(nogil=True)
def _find_by_pull(me, size, rows, work, level):
    """The vertices of ``level`` and their paths, by all threads: unseen vertices read from predecessors."""
    n, wide = len(work.paths), work.wide[level - 1]
    a, b = _slice(me, size, work.starts[level - 1], work.starts[level])
    levels.show(work.order, a, b, work.paths, work.values)
    if me == 0:
        work.taken[0] = 0
        work.plan[_FOUND_IN] = work.plan[_FOUND_OUT] = work.plan[_FOUND_WIDE] = 0
    barrier(work.meeting, size)
    while True:
        lo = atomic_add(work.taken, 0, np.int64(_BLOCK))
        if lo >= n:
            break
        count, in_edges, out_edges, any_wide = levels.pull(
            lo, min(lo + _BLOCK, n), wide, rows.in_offsets, rows.sources, rows.out_offsets,
            work.values, work.seen, work.paths, work.exponents, work.found,
        )  # fmt: skip
        work.found_in[lo // _BLOCK] = count
        if count:
            atomic_add(work.plan, _FOUND_IN, in_edges)
            atomic_add(work.plan, _FOUND_OUT, out_edges)
            atomic_add(work.plan, _FOUND_WIDE, np.int64(any_wide))
    barrier(work.meeting, size)
    levels.hide(work.order, a, b, work.values)
    _end_together(me, size, work, level, _collect(me, size, work, work.starts[level]))


@njit(nogil=True)
def _collect(me, size, work, start):
    """Append what a pull has found to ``order`` from ``start`` on, ascending; return the end."""
    blocks = (len(work.paths) + _BLOCK - 1) // _BLOCK
    first, last = _slice(me, size, 0, blocks)
    at = start
    for block in range(blocks):
        if first <= block < last:
            for k in range(work.found_in[block]):
                work.order[at + k] = work.found[block * _BLOCK + k]
        at += work.found_in[block]
    return at


@njit(nogil=True)
def _how(size, work, model):
    """How to find the next level."""
    level = work.plan[_LEVELS] - 1
    edges, vertices = work.out_edges[level], work.starts[level + 1] - work.starts[level]
    shared = size > 1 and edges >= TOGETHER and edges >= LONG_ROW * size * vertices and not work.wide[level]
    writing = WRITE_COST * edges * (1 if shared else size)
    if model == PULL or (model == AUTO and writing > work.plan[_UNSEEN_EDGES] + len(work.seen)):
        return _READ
    return _WRITE_TOGETHER if shared else _WRITE


@njit(nogil=True)
def _forward(me, size, rows, work, source, model):
    """Levels and numbers of paths."""
    if me == 0:
        _begin(rows, work, source)
    while True:
        if me == 0:
            while not work.plan[_ENDED] and _how(size, work, model) == _WRITE:
                _find_by_push(rows, work, work.plan[_LEVELS])
        barrier(work.meeting, size)
        if work.plan[_ENDED]:
            return
        if _how(size, work, model) == _READ:
            _find_by_pull(me, size, rows, work, work.plan[_LEVELS])
        else:
            _find_by_push_together(me, size, rows, work, work.plan[_LEVELS])


@njit(nogil=True)
def _settle(a, b, rows, work, level, one, scores):
    """Dependencies of some of a level's vertices, ``order[a:b]``, from what the next level has handed over."""
    if work.wide[level + 1]:
        levels.settle_wide(
            work.order, a, b, rows.out_offsets, rows.destinations, work.values, work.paths, work.exponents,
            one, scores,
        )  # fmt: skip
    else:
        levels.settle(work.order, a, b, rows.out_offsets, rows.destinations, work.values, work.paths, one, scores)


@njit(nogil=True)
def _settle_part(me, size, rows, work, level, one, scores):
    """A thread's part of a level."""
    a, b = work.starts[level], work.starts[level + 1]
    if work.out_edges[level] < DEALT_OUT:
        first, last = _slice(me, size, a, b)
        _settle(first, last, rows, work, level, one, scores)
        return
    while True:
        k = a + atomic_add(work.taken, 0, np.int64(_MEMBERS))
        if k >= b:
            return
        _settle(k, min(k + _MEMBERS, b), rows, work, level, one, scores)


@njit(nogil=True)
def _settle_by_scatter(me, size, rows, work, level, one, scores):
    """A level's dependencies, which the next level's vertices write; that one thread does."""
    a, b, c = work.starts[level], work.starts[level + 1], work.starts[level + 2]
    if me == 0:
        levels.scatter(work.order, b, c, rows.in_offsets, rows.sources, work.paths, work.values)
    barrier(work.meeting, size)
    first, last = _slice(me, size, a, b)
    levels.settle_scattered(work.order, first, last, work.values, work.paths, one, scores)
    _forget(me, size, work, level + 1, work.paths)
    barrier(work.meeting, size)
    if work.in_edges[level + 1] > len(work.values) // 8:
        first, last = _slice(me, size, 0, len(work.values))
        work.values[first:last] = 0.0
    elif me == 0:
        levels.unscatter(work.order, b, c, rows.in_offsets, rows.sources, work.values)
    barrier(work.meeting, size)


@njit(nogil=True)
def _hand_over(me, size, work, level):
    """A thread's part of a level shows what it has for its predecessors."""
    a, b = _slice(me, size, work.starts[level], work.starts[level + 1])
    levels.hand_over(work.order, a, b, work.paths, work.values)


@njit(nogil=True)
def _forget(me, size, work, level, values):
    """A thread's part of a level becomes unseen; what it has for its predecessors lies in ``values``."""
    a, b = _slice(me, size, work.starts[level], work.starts[level + 1])
    levels.forget(work.order, a, b, work.closed, work.seen, values)
    if work.wide[level]:
        levels.forget_exponents(work.order, a, b, work.exponents)


@njit(nogil=True)
def _scatter_is_cheaper(size, work, level, model):
    if work.wide[level + 1] or model != AUTO:
        return model == PUSH and not work.wide[level + 1]
    return WRITE_COST * size * work.in_edges[level + 1] < work.out_edges[level]


@njit(nogil=True)
def _backward(me, size, rows, work, model, one, scores):
    """Add the dependencies of all vertices but the source to ``scores``, and ``one`` to each.

    A level is forgotten once the one before it is settled; by threads that settle together, when they have met and
    hand over the next one. ``kept`` is a level that they have not forgotten yet, or 0.
    """
    last, kept = work.plan[_LEVELS] - 1, 0
    if last > 0 and me == 0:
        levels.settle_last(work.order, work.starts[last], work.starts[last + 1], work.paths, one, scores)
    for level in range(last - 1, 0, -1):
        scattered = _scatter_is_cheaper(size, work, level, model)
        edges = work.in_edges[level + 1] if scattered else work.out_edges[level]
        together = size > 1 and edges + work.starts[level + 1] - work.starts[level] >= TOGETHER
        if kept:
            _forget(me, size, work, kept, work.values)
        if together and not scattered:
            if not kept:
                barrier(work.meeting, size)  # what the first thread has done alone is there
            _hand_over(me, size, work, level + 1)
            if me == 0:
                work.taken[0] = 0
            barrier(work.meeting, size)
            _settle_part(me, size, rows, work, level, one, scores)
            barrier(work.meeting, size)
            kept = level + 1
            continue
        if kept:
            barrier(work.meeting, size)
            kept = 0
        if together:
            _settle_by_scatter(me, size, rows, work, level, one, scores)
        elif me == 0 and scattered:
            _settle_by_scatter(0, 1, rows, work, level, one, scores)
        elif me == 0:
            _hand_over(0, 1, work, level + 1)
            _settle(work.starts[level], work.starts[level + 1], rows, work, level, one, scores)
            _forget(0, 1, work, level + 1, work.values)
    if kept:
        _forget(me, size, work, kept, work.values)
    barrier(work.meeting, size)
    for level in range(min(last, 1) + 1):
        _forget(me, size, work, level, work.paths)
    barrier(work.meeting, size)


@njit(nogil=True, cache=True)
def sweep(me, size, rows, work, chosen, model, one, scores):
    """Add to ``scores`` the dependencies on each of the sources ``chosen``; ``size`` threads call it at once.

    Each vertex on a path gets ``one`` more than its dependency, and a source as much for each vertex it reaches:
    1.0 where the ends of a path count, else 0.0.
    """
    for source in chosen:
        _forward(me, size, rows, work, source, model)
        if me == 0:
            scores[source] += one * (work.starts[work.plan[_LEVELS]] - 1)
        _backward(me, size, rows, work, model, one, scores)
        if me == 0 and work.plan[_ANY_WIDE]:
            work.wide[: work.plan[_LEVELS]] = False
