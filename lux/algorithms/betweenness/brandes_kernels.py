# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Dependencies on one source after the other, by the threads of a team that share a whole graph.

The forward sweep finds the vertices level by level and the number of shortest paths to each; the backward sweep adds
up dependencies from the last level to the first (Brandes 2001) over successors (Madduri et al. 2009). Vertices read
from neighbours through an array that holds zero for every vertex outside one level: a row is summed without a test.

Each level is worked on from the side with fewer edges, as in a direction-optimising search. Where vertices read from
their neighbours, all threads do so; where they write to them, one thread does, or each in a range of its own. So no
element is written by two threads, and every sum has an order that timing does not change.
"""

# Called by the tasks: keep the signatures of this file.
from __future__ import annotations

import numpy as np

from lux.algorithms.betweenness import level_kernels
from lux.algorithms.betweenness.brandes_state_kernels import (
    ANY_WIDE,
    AUTO,
    LEVELS,
    PUSH,
    TOGETHER,
    WRITE_COST,
    by_blocks,
    part_of,
    reading,
)
from lux.algorithms.betweenness.forward_sweep_kernels import forward
from lux.algorithms.betweenness.neighbour_sum_kernels import add_neighbours
from lux.kernels.inlined import inlined
from lux.kernels.threads import atomic_add, barrier

DEALT_OUT = 1 << 16
"""Edges of a level from which on threads take its vertices as they come. In smaller ones each has a fixed part, which
in a lattice stays near itself from level to level."""
_MEMBERS = 64
"""Vertices of a level that a thread takes at a time."""


@inlined(forceinline=False)
def _accumulate(a, b, rows, work, level, one, scores):
    """Dependencies of some of a level's vertices, ``order[a:b]``, from what the next level has handed over."""
    if work.wide[level + 1]:
        level_kernels.accumulate_wide(
            work.order, a, b, rows.out_offsets, rows.destinations, work.values, work.paths, work.exponents,
            one, scores,
        )  # fmt: skip
    else:
        level_kernels.accumulate(
            work.order, a, b, rows.out_offsets, rows.destinations, work.values, work.paths, one, scores
        )


@inlined(forceinline=False)
def _accumulate_part(me, size, rows, work, level, one, scores):
    """Sweep forward over a thread's part of a level."""
    a, b = work.starts[level], work.starts[level + 1]
    if not work.wide[level + 1] and by_blocks(rows, work.out_edges[level]):
        add_neighbours(me, size, rows.blocks, work.values, work.sums)
        barrier(work.barrier_state, size)
        first, last = part_of(me, size, a, b)
        level_kernels.accumulate_scattered(work.order, first, last, work.sums, work.paths, one, scores)
        return
    if work.out_edges[level] < DEALT_OUT:
        first, last = part_of(me, size, a, b)
        _accumulate(first, last, rows, work, level, one, scores)
        return
    while True:
        k = a + atomic_add(work.taken, 0, np.int64(_MEMBERS))
        if k >= b:
            return
        _accumulate(k, min(k + _MEMBERS, b), rows, work, level, one, scores)


@inlined(forceinline=False)
def _accumulate_alone(rows, work, level, one, scores):
    """Sweep forward over a level, by one thread."""
    a, b = work.starts[level], work.starts[level + 1]
    if not work.wide[level + 1] and by_blocks(rows, work.out_edges[level]):
        add_neighbours(0, 1, rows.blocks, work.values, work.sums)
        level_kernels.accumulate_scattered(work.order, a, b, work.sums, work.paths, one, scores)
    else:
        _accumulate(a, b, rows, work, level, one, scores)


@inlined(forceinline=False)
def _accumulate_by_scatter(me, size, rows, work, level, one, scores):
    """Add up the dependencies of a level, by one thread: vertices of the next level write them."""
    a, b, c = work.starts[level], work.starts[level + 1], work.starts[level + 2]
    if me == 0:
        level_kernels.scatter(work.order, b, c, rows.in_offsets, rows.sources, work.paths, work.values)
    barrier(work.barrier_state, size)
    first, last = part_of(me, size, a, b)
    level_kernels.accumulate_scattered(work.order, first, last, work.values, work.paths, one, scores)
    _reset_level(me, size, work, level + 1, work.paths)
    barrier(work.barrier_state, size)
    if work.in_edges[level + 1] > len(work.values) // 8:
        first, last = part_of(me, size, 0, len(work.values))
        level_kernels.fill(first, last, work.values)
    elif me == 0:
        level_kernels.unscatter(work.order, b, c, rows.in_offsets, rows.sources, work.values)
    barrier(work.barrier_state, size)


@inlined(forceinline=False)
def _publish_level(me, size, work, level):
    """Publish the values of a thread's part of a level for its predecessors."""
    a, b = part_of(me, size, work.starts[level], work.starts[level + 1])
    level_kernels.publish_dependencies(work.order, a, b, work.paths, work.values)


@inlined(forceinline=False)
def _reset_level(me, size, work, level, values):
    """Mark a thread's part of a level as unvisited again; values for predecessors lie in ``values``."""
    a, b = part_of(me, size, work.starts[level], work.starts[level + 1])
    level_kernels.reset(work.order, a, b, work.closed, work.seen, values)
    if work.wide[level]:
        level_kernels.reset_exponents(work.order, a, b, work.exponents)


@inlined(forceinline=False)
def _scatter_is_cheaper(size, rows, work, level, model):
    if work.wide[level + 1] or model != AUTO:
        return model == PUSH and not work.wide[level + 1]
    return WRITE_COST * size * work.in_edges[level + 1] < reading(rows, work.out_edges[level])


@inlined(forceinline=False)
def backward(me, size, rows, work, model, one, scores):
    """Add the dependencies of all vertices but the source to ``scores``, and ``one`` to each.

    A level is forgotten once the dependencies of the one before it are known. Threads that work together forget it
    after their barrier, when they hand over the next one; ``kept`` is a level that they have not forgotten yet, or 0.
    """
    last, kept = work.plan[LEVELS] - 1, 0
    if last > 0 and me == 0:
        level_kernels.accumulate_last(work.order, work.starts[last], work.starts[last + 1], work.paths, one, scores)
    for level in range(last - 1, 0, -1):
        scattered = _scatter_is_cheaper(size, rows, work, level, model)
        edges = work.in_edges[level + 1] if scattered else work.out_edges[level]
        together = size > 1 and edges + work.starts[level + 1] - work.starts[level] >= TOGETHER
        if kept:
            _reset_level(me, size, work, kept, work.values)
        if together and not scattered:
            if not kept:
                barrier(work.barrier_state, size)  # what the first thread has done alone is there
            _publish_level(me, size, work, level + 1)
            if me == 0:
                work.taken[0] = 0
            barrier(work.barrier_state, size)
            _accumulate_part(me, size, rows, work, level, one, scores)
            barrier(work.barrier_state, size)
            kept = level + 1
            continue
        if kept:
            barrier(work.barrier_state, size)
            kept = 0
        if together:
            _accumulate_by_scatter(me, size, rows, work, level, one, scores)
        elif me == 0 and scattered:
            _accumulate_by_scatter(0, 1, rows, work, level, one, scores)
        elif me == 0:
            _publish_level(0, 1, work, level + 1)
            _accumulate_alone(rows, work, level, one, scores)
            _reset_level(0, 1, work, level + 1, work.values)
    if kept:
        _reset_level(me, size, work, kept, work.values)
    barrier(work.barrier_state, size)
    for level in range(min(last, 1) + 1):
        _reset_level(me, size, work, level, work.paths)
    barrier(work.barrier_state, size)


@inlined(forceinline=False, cache=True)
def sweep(me, size, rows, work, chosen, model, one, scores):
    """Add to ``scores`` the dependencies on each of the sources ``chosen``; ``size`` threads call it at once.

    Each vertex on a path gets ``one`` more than its dependency, and a source as much for each vertex it reaches:
    1.0 where the ends of a path count, else 0.0.
    """
    for source in chosen:
        forward(me, size, rows, work, source, model)
        if me == 0:
            scores[source] += one * (work.starts[work.plan[LEVELS]] - 1)
        backward(me, size, rows, work, model, one, scores)
        if me == 0 and work.plan[ANY_WIDE]:
            for level in range(work.plan[LEVELS]):
                work.wide[level] = False
