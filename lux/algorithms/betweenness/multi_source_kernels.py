# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Sweeps of a partition from batches of K sources at once, level by level, forward and then back.

What is kept of vertex v and source k stands at place ``v * K + k``, an entry. Numbers of all vertices lie in two
copies, of even and of odd levels; each is zero outside of one level. A sweep reads one copy (``a``), and writes the
partition's own entries of the other (``b``), whose level two before it has cleared. The level's entries are in the
queue of the process, after those of the levels before; so are entries of other processes.
"""

# Used by the launch: keep the signatures and constants of this file.
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lux.algorithms.betweenness.brandes_state_kernels import AUTO, PULL
from lux.algorithms.betweenness.path_kernels import INVERSE, STEP, add, normal
from lux.kernels import njit
from lux.kernels.frontier import seconds
from lux.kernels.inlined import inlined, inner
from lux.kernels.threads import exchange
from lux.kernels.vertex_set import position_of

# Columns of a row of the state (int64): one for each partition of the process, then one for each other process.
START = 0  # where the level's entries begin in the queue
COUNT = 1  # how many they are there
ENTRIES = 2  # entries of the level, also those that are not in this process
OUT_EDGES = 3  # their out-edges in the whole graph
WIDE = 4  # some have exponents
LEVEL_COLUMNS = 8


class Edges(NamedTuple):
    """A partition's edges: in-edges; the same by source, in rows of the members of INS; and out-edges."""

    in_offsets: object
    sources: object
    ins: object
    row_offsets: object
    destinations: object
    out_offsets: object
    neighbours: object


class Sweep(NamedTuple):
    """Place of a partition's vertices, the sources of a batch, and what all levels of a partition use.

    ``base`` is the partition's first entry, ``paths`` has the numbers of paths of its entries.
    """

    size: int
    base: int
    exponents: object
    queue: object
    paths: object


@njit(nogil=True, error_model="numpy", cache=True)
def run(
    row, lo, size, chosen, model, n_edges, one, in_offsets, sources, ins, row_offsets, destinations, out_offsets,
    neighbours, even, odd, exponents, queue, queue_at, even_state, odd_state, paths, scores, reached, times, done,
    between,
):  # fmt: skip
    """Sweep from all sources ``chosen``, together with the other partitions' threads and processes; returns 0.

    The partition's vertices begin at ``lo``, its entries at ``queue_at`` in the queue, and ``row`` is its row of
    the states. Dependencies are added to its ``scores``; ``reached`` counts its vertices reached from each source,
    ``times`` has the seconds of each batch, and ``done[0]`` the sources swept. ``one`` is what a path counts for its
    ends, and ``n_edges`` those of the whole graph.
    """
    edges = Edges(in_offsets, sources, ins, row_offsets, destinations, out_offsets, neighbours)
    sweep = Sweep(size, lo * size, exponents, queue, paths)
    levels, last, wide = np.zeros(2 * 64, np.int64), np.int64(-1), False
    for first in range(0, len(chosen), size):
        began, batch = seconds(), chosen[first : first + size]
        for at in range(levels[0], levels[2 * min(last + 1, 3)] if last >= 0 else levels[0]):
            even[queue[at]], odd[queue[at]] = 0.0, 0.0
        if wide:
            exponents[lo * size : lo * size + len(paths)] = 0
        paths[:] = 0.0
        levels[0] = queue_at
        end = _start(batch, lo, sweep, queue_at, even)
        found = reached[first : first + len(batch)]
        _finish_level(False, sweep, queue_at, end, out_offsets, even, even_state[row * LEVEL_COLUMNS :], found)
        waited = _meet(between, 0)
        a, b, a_state, b_state = even, odd, even_state, odd_state
        level, before = np.int64(0), _total(a_state, ENTRIES)
        while before:
            level += 1
            if 2 * level + 2 > len(levels):
                levels = np.concatenate((levels, np.zeros_like(levels)))
            now_wide = _total(a_state, WIDE) > 0
            wide |= now_wide
            levels[2 * level - 1], levels[2 * level] = now_wide, end
            if level >= 2:
                _clear(queue, levels[2 * level - 4], levels[2 * level - 2], b)
            if model == PULL or (model == AUTO and _total(a_state, OUT_EDGES) > n_edges):
                end = _pull(now_wide, sweep, edges, a, b, end)
            else:
                end = _push(now_wide, sweep, edges, a_state, a, b, end)
            start, own = levels[2 * level], b_state[row * LEVEL_COLUMNS :]
            _finish_level(now_wide, sweep, start, end, out_offsets, b, own, found)
            waited += _meet(between, 2 * level)
            before = _total(b_state, ENTRIES)
            a, b, a_state, b_state = b, a, b_state, a_state
        last = level - 1
        for level in range(last, 0, -1):
            a, b, b_state = (odd, even, even_state) if level & 1 == 0 else (even, odd, odd_state)
            start, end = levels[2 * level], levels[2 * level + 2]
            if level + 2 <= last:
                _clear(queue, levels[2 * level + 4], levels[2 * level + 6], b)
            _accumulate(levels[2 * level + 3] > 0, level == last, sweep, start, end, edges, a, b, one, scores)
            own = b_state[row * LEVEL_COLUMNS :]
            own[START], own[COUNT], own[WIDE] = start, (end - start) * (level > 1), levels[2 * level + 1]
            waited += _meet(between, 2 * level + 1)
        times[first // size] = seconds() - began - waited
        if row == 0:
            done[0] = first + len(batch)
    return 0


@inlined
def _meet(between, what):
    """Exchange a level, and return the seconds that it took: twice its number, and 1 more in the backward sweep."""
    began = seconds()
    exchange(between, what)
    return seconds() - began


@inlined
def _total(state, column):
    """Add up a column of the state."""
    total = np.int64(0)
    for at in range(column, len(state), LEVEL_COLUMNS):
        total += state[at]
    return total


@inlined
def _start(batch, lo, sweep, end, even):
    """Append level 0, the batch's sources that are in the partition, to the queue; returns its end."""
    for k in range(len(batch)):
        entry = batch[k] * sweep.size + k
        if 0 <= entry - sweep.base < len(sweep.paths):
            even[entry], sweep.queue[end] = 1.0, entry
            end += 1
    return end


@inlined
def _lanes(values, neighbours, first, end, size, sums):
    """Sums over a row's neighbours, for every source."""
    sums[:] = 0.0
    for j in range(first, end):
        at = np.int64(neighbours[j]) * size
        for k in range(size):
            sums[k] += values[at + k]


@inlined
def _lanes_wide(values, exponents, neighbours, first, end, size, sums, sums_e):
    sums[:] = 0.0
    sums_e[:] = 0
    for j in range(first, end):
        at = np.int64(neighbours[j]) * size
        for k in range(size):
            if values[at + k] != 0.0:
                sums[k], sums_e[k] = add(sums[k], sums_e[k], values[at + k], exponents[at + k])


@inner
def _pull(wide, sweep, edges, a, b, end):
    """Append the unseen entries with predecessors in the level to the queue, and write their sums to ``b``."""
    size, base, exponents, queue, paths = sweep
    offsets = edges.in_offsets
    sums, sums_e = np.empty(size), np.zeros(size, np.int32)
    for i in range(len(offsets) - 1):
        first, stop = offsets[i] - offsets[0], offsets[i + 1] - offsets[0]
        own = i * size
        if first == stop or paths[own : own + size].all():
            continue
        if wide:
            _lanes_wide(a, exponents, edges.sources, first, stop, size, sums, sums_e)
        else:
            _lanes(a, edges.sources, first, stop, size, sums)
        for k in range(size):
            if sums[k] != 0.0 and paths[own + k] == 0.0:
                b[base + own + k], queue[end] = sums[k], base + own + k
                if wide:
                    exponents[base + own + k] = sums_e[k]
                end += 1
    return end


@inner
def _push(wide, sweep, edges, state, a, b, end):
    """Find the next level from the queue: each entry of the level adds to unseen successors in this partition."""
    size, base, exponents, queue, paths = sweep
    ins, offsets = edges.ins, edges.row_offsets
    for row in range(0, len(state), LEVEL_COLUMNS):
        for q in range(state[row + START], state[row + START] + state[row + COUNT]):
            entry = queue[q]
            u = entry // size
            k = entry - u * size
            at = u if len(ins) == 0 else position_of(ins, u)
            if at < 0:
                continue
            m, e = a[entry], exponents[entry] if wide else np.int32(0)
            for j in range(offsets[at] - offsets[0], offsets[at + 1] - offsets[0]):
                own = np.int64(edges.destinations[j]) * size + k
                if paths[own - base] != 0.0:
                    continue
                if b[own] == 0.0:
                    queue[end] = own
                    end += 1
                    b[own] = m
                    if wide:
                        exponents[own] = e
                elif wide:
                    b[own], exponents[own] = add(b[own], exponents[own], m, e)
                else:
                    b[own] += m
    return end


@inner
def _finish_level(wide, sweep, start, end, out_offsets, b, state, reached):
    """Keep the sums of new entries as their numbers of paths, and describe the level in a row of the state."""
    size, base, exponents, queue, paths = sweep
    out_edges = np.int64(0)
    for at in range(start, end):
        entry = queue[at]
        own = entry - base
        if wide or b[entry] >= STEP:
            b[entry], exponents[entry] = normal(b[entry], exponents[entry])
            wide |= exponents[entry] > 0
        paths[own] = b[entry]
        i = own // size
        out_edges += out_offsets[i + 1] - out_offsets[i]
        reached[own - i * size] += 1
    state[START], state[COUNT], state[ENTRIES] = start, end - start, end - start
    state[OUT_EDGES], state[WIDE] = out_edges, np.int64(wide and end > start)


@inlined
def _clear(queue, start, end, values):
    """Clear a level's entries."""
    for at in range(start, end):
        values[queue[at]] = 0.0


@inner
def _accumulate(wide, last, sweep, start, end, edges, a, b, one, scores):
    """Add the dependencies of a level's entries to ``scores``, and write what predecessors need of them to ``b``.

    Entries of one vertex that follow each other are summed together. No entry of the ``last`` level has successors.
    """
    size, base, exponents, queue, paths = sweep
    offsets, neighbours = edges.out_offsets, edges.neighbours
    sums, far = np.zeros(size), np.zeros(size)
    at = start
    while at < end:
        i = (queue[at] - base) // size
        first, stop = offsets[i] - offsets[0], offsets[i + 1] - offsets[0]
        begin = i * size
        group = at + 1
        while group < end and begin <= queue[group] - base < begin + size:
            group += 1
        if not last:
            if wide or group == at + 1:
                for q in range(at, group):
                    k = queue[q] - base - begin
                    sums[k], far[k] = _quotients(
                        size, wide, k, neighbours, first, stop, a, exponents, exponents[queue[q]] if wide else 0
                    )
            else:
                _lanes(a, neighbours, first, stop, size, sums)
        for q in range(at, group):
            k = queue[q] - base - begin
            m = paths[begin + k]
            delta = m * sums[k] + (m * INVERSE) * far[k]
            scores[i] += delta + one
            b[queue[q]] = (1.0 + delta) / m
        at = group


@inlined
def _quotients(size, wide, k, neighbours, first, end, values, exponents, e):
    """Sums over a row's neighbours for source k: of those with exponent ``e`` (all in narrow levels), and ``e + 1``."""
    near, far = 0.0, 0.0
    for j in range(first, end):
        at = np.int64(neighbours[j]) * size + k
        if not wide or exponents[at] == e:
            near += values[at]
        elif exponents[at] == e + 1:
            far += values[at]
    return near, far
