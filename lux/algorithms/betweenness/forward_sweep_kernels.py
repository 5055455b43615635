# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""The forward sweep: a source's levels, and the number of shortest paths to each vertex; see `brandes_kernels`."""

# Called by `lux.algorithms.betweenness.brandes_kernels`: keep the signatures of this file.
from __future__ import annotations

import numpy as np

from lux.algorithms.betweenness import level_kernels
from lux.algorithms.betweenness.brandes_state_kernels import (
    ANY_WIDE,
    AUTO,
    BLOCK,
    ENDED,
    FOUND_IN,
    FOUND_OUT,
    FOUND_WIDE,
    LEVELS,
    PULL,
    TOGETHER,
    UNSEEN_EDGES,
    WRITE_COST,
    by_blocks,
    part_of,
    reading,
)
from lux.algorithms.betweenness.neighbour_sum_kernels import add_neighbours
from lux.algorithms.betweenness.path_kernels import STEP
from lux.kernels.inlined import inlined
from lux.kernels.threads import atomic_add, barrier

LONG_ROW = 16
"""Edges of a level for each vertex and thread, from which on threads also write together: each goes through all rows,
and writes to the neighbours in a range of its own."""
_WRITE, _WRITE_TOGETHER, _READ = 0, 1, 2


@inlined(forceinline=False)
def _end_level(work, level, end, in_edges, out_edges):
    """``order`` has got the vertices of ``level`` up to ``end``."""
    work.starts[level + 1] = end
    work.in_edges[level], work.out_edges[level] = in_edges, out_edges
    work.plan[UNSEEN_EDGES] -= in_edges
    work.plan[ANY_WIDE] |= np.int64(work.wide[level])
    if end > work.starts[level]:
        work.plan[LEVELS] = level + 1
    else:
        work.plan[ENDED] = 1


@inlined(forceinline=False)
def _begin(rows, work, source):
    """Level 0: the source."""
    work.plan[LEVELS] = work.plan[ENDED] = work.plan[ANY_WIDE] = 0
    work.plan[UNSEEN_EDGES] = len(rows.sources)
    work.order[0] = source
    work.paths[source] = 1.0
    work.starts[0] = 0
    in_edges, out_edges, _ = level_kernels.mark_visited(
        work.order, 0, 1, rows.in_offsets, rows.out_offsets, work.seen, work.paths
    )
    _end_level(work, 0, 1, in_edges, out_edges)


@inlined(forceinline=False)
def _find_by_push(rows, work, level):
    """Find the vertices of ``level`` and count their paths, by one thread: the level before writes to successors."""
    a, b = work.starts[level - 1], work.starts[level]
    if work.wide[level - 1]:
        end = level_kernels.push_wide(
            work.order, a, b, rows.out_offsets, rows.destinations, work.seen, work.paths, work.exponents
        )
    else:
        end = level_kernels.push(work.order, a, b, rows.out_offsets, rows.destinations, work.seen, work.paths)
    in_edges, out_edges, most = level_kernels.mark_visited(
        work.order, b, end, rows.in_offsets, rows.out_offsets, work.seen, work.paths
    )
    if work.wide[level - 1] or most >= STEP:
        work.wide[level] = level_kernels.normalise(work.order, b, end, work.paths, work.exponents)
    _end_level(work, level, end, in_edges, out_edges)


@inlined(forceinline=False)
def _find_by_push_together(me, size, rows, work, level):
    """Push the level by all threads: each writes to the successors in its own range."""
    lo, hi = work.points[me], work.points[me + 1]
    if me == 0:
        work.plan[FOUND_IN] = work.plan[FOUND_OUT] = work.plan[FOUND_WIDE] = 0
    barrier(work.barrier_state, size)
    count = level_kernels.push_into(
        lo, hi, work.order, work.starts[level - 1], work.starts[level], rows.out_offsets, rows.destinations,
        work.seen, work.paths, work.found,
    )  # fmt: skip
    in_edges, out_edges, most = level_kernels.mark_visited(
        work.found, lo, lo + count, rows.in_offsets, rows.out_offsets, work.seen, work.paths
    )
    if most >= STEP:
        wide = level_kernels.normalise(work.found, lo, lo + count, work.paths, work.exponents)
        atomic_add(work.plan, FOUND_WIDE, np.int64(wide))
    atomic_add(work.plan, FOUND_IN, in_edges)
    atomic_add(work.plan, FOUND_OUT, out_edges)
    work.found_in[me] = count
    barrier(work.barrier_state, size)
    at, end = work.starts[level], work.starts[level]
    for thread in range(size):
        at += work.found_in[thread] if thread < me else 0
        end += work.found_in[thread]
    for k in range(count):
        work.order[at + k] = work.found[lo + k]
    _end_together(me, size, work, level, end)


@inlined(forceinline=False)
def _end_together(me, size, work, level, end):
    """`_end_level` once all threads have written to ``order``."""
    barrier(work.barrier_state, size)
    if me == 0:
        work.wide[level] = work.plan[FOUND_WIDE] > 0
        _end_level(work, level, end, work.plan[FOUND_IN], work.plan[FOUND_OUT])
    barrier(work.barrier_state, size)


@inlined(forceinline=False)
def _find_by_pull(me, size, rows, work, level):
    """Find the vertices of ``level`` and count their paths, by all threads: unvisited ones read from predecessors."""
    n, wide = len(work.paths), work.wide[level - 1]
    summed = not wide and by_blocks(rows, work.plan[UNSEEN_EDGES])
    a, b = part_of(me, size, work.starts[level - 1], work.starts[level])
    level_kernels.publish_values(work.order, a, b, work.paths, work.values)
    if me == 0:
        work.taken[0] = 0
        work.plan[FOUND_IN] = work.plan[FOUND_OUT] = work.plan[FOUND_WIDE] = 0
    barrier(work.barrier_state, size)
    if summed:
        add_neighbours(me, size, rows.blocks, work.values, work.sums)
        barrier(work.barrier_state, size)
    while True:
        lo = atomic_add(work.taken, 0, np.int64(BLOCK))
        if lo >= n:
            break
        count, in_edges, out_edges, any_wide = level_kernels.pull(
            lo, min(lo + BLOCK, n), wide, summed, rows.in_offsets, rows.sources, rows.out_offsets,
            work.values, work.sums, work.seen, work.paths, work.exponents, work.found,
        )  # fmt: skip
        work.found_in[lo // BLOCK] = count
        if count:
            atomic_add(work.plan, FOUND_IN, in_edges)
            atomic_add(work.plan, FOUND_OUT, out_edges)
            atomic_add(work.plan, FOUND_WIDE, np.int64(any_wide))
    barrier(work.barrier_state, size)
    level_kernels.clear_values(work.order, a, b, work.values)
    _end_together(me, size, work, level, _collect(me, size, work, work.starts[level]))


@inlined(forceinline=False)
def _collect(me, size, work, start):
    """Append what a pull has found to ``order`` from ``start`` on, ascending; return the end."""
    blocks = (len(work.paths) + BLOCK - 1) // BLOCK
    first, last = part_of(me, size, 0, blocks)
    at = start
    for block in range(blocks):
        if first <= block < last:
            for k in range(work.found_in[block]):
                work.order[at + k] = work.found[block * BLOCK + k]
        at += work.found_in[block]
    return at


@inlined(forceinline=False)
def _choose_direction(size, rows, work, model):
    """Choose the way to find the next level."""
    level = work.plan[LEVELS] - 1
    edges, vertices = work.out_edges[level], work.starts[level + 1] - work.starts[level]
    shared = size > 1 and edges >= TOGETHER and edges >= LONG_ROW * size * vertices and not work.wide[level]
    writing = WRITE_COST * edges * (1 if shared else size)
    if model == PULL or (model == AUTO and writing > reading(rows, work.plan[UNSEEN_EDGES]) + len(work.seen)):
        return _READ
    return _WRITE_TOGETHER if shared else _WRITE


@inlined(forceinline=False)
def forward(me, size, rows, work, source, model):
    """Levels and numbers of paths."""
    if me == 0:
        _begin(rows, work, source)
    while True:
        if me == 0:
            while not work.plan[ENDED] and _choose_direction(size, rows, work, model) == _WRITE:
                _find_by_push(rows, work, work.plan[LEVELS])
        barrier(work.barrier_state, size)
        if work.plan[ENDED]:
            return
        if _choose_direction(size, rows, work, model) == _READ:
            _find_by_pull(me, size, rows, work, work.plan[LEVELS])
        else:
            _find_by_push_together(me, size, rows, work, work.plan[LEVELS])
