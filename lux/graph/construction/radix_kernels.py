# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Radix sort of edges by destination and source: a partition into buckets that fit a cache, and a sort of each.

An edge is a key of 64 bits: the destination, counted from its bucket's first one, and below it the source.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.scalars import copy_into
from lux.kernels.threads import atomic_add

DIGIT = 11
"""Bits of a digit of the source, at most: the counters of a digit fit the fastest cache."""


@njit(nogil=True, cache=True)
def count_granules(sources, destinations, lo, shift, mirror, drop_loops, counts):
    """Count edges (and, for undirected input, their mirror images) by granules of destinations from ``lo`` on."""
    lo, shift = np.uint64(lo), np.uint64(shift)
    for e in range(np.uint64(len(sources))):
        u, v = np.uint64(sources[e]), np.uint64(destinations[e])
        if u == v and drop_loops:
            continue
        counts[(v - lo) >> shift] += 1
        if mirror and u != v:
            counts[(u - lo) >> shift] += 1


@njit(nogil=True, cache=True)
def fill_keys(
    sources, destinations, lo, shift, bucket_of, firsts, bits, mirror, drop_loops, at, keys, edges, first_edge
):
    """Write edges as keys to their buckets, in input order; ``at`` is the next position in each, and is advanced.

    ``edges`` receives the number of each edge, counted from ``first_edge``, unless it is empty.
    """
    lo, shift, bits = np.uint64(lo), np.uint64(shift), np.uint64(bits)
    numbered = len(edges) > 0
    for e in range(np.uint64(len(sources))):
        u, v = np.uint64(sources[e]), np.uint64(destinations[e])
        if u == v and drop_loops:
            continue
        b = np.uint64(bucket_of[(v - lo) >> shift])
        k = np.uint64(at[b])
        at[b] += 1
        keys[k] = ((v - np.uint64(firsts[b])) << bits) | u
        if numbered:
            edges[k] = first_edge + np.int64(e)
        if mirror and u != v:
            b = np.uint64(bucket_of[(u - lo) >> shift])
            k = np.uint64(at[b])
            at[b] += 1
            keys[k] = ((u - np.uint64(firsts[b])) << bits) | v
            if numbered:
                edges[k] = first_edge + np.int64(e)


@njit(nogil=True, cache=True)
def _move_by_digit(keys, edges, size, shift, at, out_keys, out_edges, numbered):
    """Move keys to the places of a digit, which ``at`` has; a stable step of a radix sort."""
    mask, shift = np.uint64(len(at) - 1), np.uint64(shift)
    for i in range(np.uint64(size)):
        key = keys[i]
        d = (key >> shift) & mask
        k = np.uint64(at[d])
        at[d] += 1
        out_keys[k] = key
        if numbered:
            out_edges[k] = edges[i]


@njit(nogil=True, cache=True)
def _move_by_row(keys, edges, size, bits, at, out, first, out_edges, numbered):
    """Move the sources of keys to the rows of their destinations, as `_move_by_digit`."""
    bits = np.uint64(bits)
    mask = (np.uint64(1) << bits) - np.uint64(1)
    for i in range(np.uint64(size)):
        key = keys[i]
        row = key >> bits
        k = np.uint64(at[row])
        at[row] += 1
        out[np.uint64(first) + k] = key & mask
        if numbered:
            out_edges[k] = edges[i]


@njit(nogil=True, cache=True)
def _drop_repeats(rows, sources, first, edges, numbered, ends):
    """Keep the first of equal sources in each row; ``ends`` of the rows are changed. Returns the number kept."""
    kept, e = np.int64(0), np.int64(0)
    for row in range(rows):
        start = kept
        while e < ends[row]:
            u = sources[first + e]
            if kept == start or u != sources[first + kept - 1]:
                sources[first + kept] = u
                if numbered:
                    edges[kept] = edges[e]
                kept += 1
            e += 1
        ends[row] = kept
    return kept


@njit(nogil=True, cache=True)
def sort_buckets(turn, starts, firsts, bits, drop_repeats, keys, edges, sources, spread, offsets, kept):
    """Sort buckets, the next one in turn, until all are sorted; other threads do the same.

    Parameters
    ----------
    turn : shape (1,)
        Number of the next bucket.
    starts, firsts : shape (buckets + 1,)
        First key and first destination of each bucket.
    bits : int
        Bits of a source in a key.
    keys, edges
        Keys, which are overwritten; and numbers of their edges, or an empty array.
    sources
        Receives the sources of bucket b from ``spread * starts[b]`` on. This may be the memory of the keys.
    offsets
        Receives the offset of each destination's edges within its bucket.
    kept
        Receives the edges that are left of each bucket.
    """
    numbered = len(edges) > 0
    steps = (bits + DIGIT - 1) // DIGIT
    width = (bits + steps - 1) // steps if steps else 0
    counts = np.empty((steps, 1 << width), np.int64)
    room = np.empty(0, keys.dtype)
    edge_room = np.empty(0, edges.dtype)
    ends = np.empty(0, np.int64)
    while True:
        b = atomic_add(turn, 0, np.int64(1))
        if b >= len(kept):
            return
        start, rows = starts[b], firsts[b + 1] - firsts[b]
        size = starts[b + 1] - start
        if size > len(room):
            room = np.empty(size + size // 8, keys.dtype)
            if numbered:
                edge_room = np.empty(len(room), edges.dtype)
        if rows > len(ends):
            ends = np.empty(rows + rows // 8, np.int64)
        counts[:] = 0
        ends[:rows] = 0
        here, there = keys[start : start + size], room[:size]
        edges_here = edges[start : start + size] if numbered else edges
        edges_there = edge_room[:size] if numbered else edge_room
        mask = np.uint64((1 << width) - 1)
        for i in range(np.uint64(size)):
            key = here[i]
            for step in range(steps):
                counts[step, (key >> np.uint64(step * width)) & mask] += 1
            ends[key >> np.uint64(bits)] += 1
        for step in range(steps):
            total = np.int64(0)
            for d in range(1 << width):
                counts[step, d], total = total, total + counts[step, d]
        at = offsets[firsts[b] - firsts[0] : firsts[b + 1] - firsts[0]]
        total = np.int64(0)
        for row in range(rows):
            at[row] = total
            ends[row], total = total, total + ends[row]
        for step in range(steps):
            _move_by_digit(here, edges_here, size, step * width, counts[step], there, edges_there, numbered)
            here, there = there, here
            edges_here, edges_there = edges_there, edges_here
        if steps % 2 == 0 and (drop_repeats or numbered):  # sources may share the keys' memory
            copy_into(there, here)
            here, there = there, here
            if numbered:
                copy_into(edges_there, edges_here)
                edges_here, edges_there = edges_there, edges_here
        first = spread * start
        _move_by_row(here, edges_here, size, bits, ends, sources, first, edges_there, numbered)
        kept[b] = size
        if drop_repeats:
            kept[b] = _drop_repeats(rows, sources, first, edges_there, numbered, ends)
            total = np.int64(0)
            for row in range(rows):
                at[row] = total
                total = ends[row]


@njit(nogil=True, cache=True)
def place_buckets(turn, firsts, final_starts, offsets, sources, spread, starts, out_sources):
    """Move the sources of sorted buckets to their final places, and count offsets from the first edge of all.

    Nothing is moved to an empty ``out_sources``.
    """
    while True:
        b = atomic_add(turn, 0, np.int64(1))
        if b >= len(starts) - 1:
            return
        base = final_starts[b]
        for i in range(firsts[b] - firsts[0], firsts[b + 1] - firsts[0]):
            offsets[i] += base
        if len(out_sources):
            size, first = final_starts[b + 1] - base, spread * starts[b]
            copy_into(out_sources[base : base + size], sources[first : first + size])


@njit(nogil=True, cache=True)
def place_values(turn, starts, final_starts, edges, values, out):
    """Write each kept edge's value to its final place."""
    while True:
        b = atomic_add(turn, 0, np.int64(1))
        if b >= len(starts) - 1:
            return
        base, start = final_starts[b], starts[b]
        for i in range(final_starts[b + 1] - base):
            out[base + i] = values[edges[start + i]]
