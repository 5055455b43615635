# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Counting sorts of edges: into buckets by destination, within a block, and by source within a partition."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.frontier import first_from, popcount
from lux.kernels.vertex_set import position_of


@njit(nogil=True, cache=True)
def source_set(sources, ins):
    """Write the sources of some edges as a bitmap (in the form of `local_id`); return how many they are."""
    ins[:] = 0
    for e in range(np.uint64(len(sources))):
        u = np.uint64(sources[e])
        ins[(u >> np.uint64(6)) << np.uint64(1)] |= np.uint64(1) << (u & np.uint64(63))
    total = np.int64(0)
    for w in range(0, len(ins), 2):
        ins[w + 1] = total
        total += np.int64(popcount(ins[w]))
    return total


@njit(nogil=True, cache=True)
def list_members(ins, out):
    """List the members of a bitmap (in the form of `local_id`) in rising order."""
    k = 0
    for w in range(0, len(ins), 2):
        word = ins[w]
        while word != np.uint64(0):
            low = word & (~word + np.uint64(1))
            out[k] = (w << 5) + np.int64(popcount(low - np.uint64(1)))
            k += 1
            word ^= low


@njit(nogil=True, cache=True)
def by_source(lo, in_offsets, sources, ins, offsets, destinations, want_order):
    """Write a partition's in-edges as a CSR over the members of INS (over all vertices where ``ins`` is empty).

    Destinations ascend within a source. Returns, if wanted, the in-edge at each position.
    """
    every = len(ins) == 0
    offsets[:] = 0
    for e in range(np.uint64(len(sources))):
        u = np.uint64(sources[e])
        k = np.int64(u) if every else position_of(ins, u)
        offsets[k + 1] += 1
    for k in range(1, len(offsets)):
        offsets[k] += offsets[k - 1]
    at = offsets[:-1].copy()
    order = np.empty(len(sources) if want_order else 0, np.int64)
    first = in_offsets[0]
    for i in range(len(in_offsets) - 1):
        for e in range(np.uint64(in_offsets[i] - first), np.uint64(in_offsets[i + 1] - first)):
            u = np.uint64(sources[e])
            k = np.int64(u) if every else position_of(ins, u)
            destinations[at[k]] = lo + i
            if want_order:
                order[at[k]] = e
            at[k] += 1
    return order


@njit(nogil=True, cache=True)
def by_source_of_mirrored(lo, hi, in_offsets, sources, offsets, destinations, want_order):
    """Group as `by_source` over the members of INS, for vertices lo to hi of a graph with edges in both directions.

    All edges are given. The destinations of a source's edges are the sources of the edges into it, in which each
    partition's lie together. Returns, if wanted, the number of the edge at each position, in the other direction.
    """
    lo, hi = np.int64(lo), np.int64(hi)
    order = np.empty(len(destinations) if want_order else 0, np.int64)
    k, at = 0, np.int64(0)
    offsets[0] = 0
    for u in range(len(in_offsets) - 1):
        a = first_from(sources, in_offsets[u], in_offsets[u + 1], lo)
        b = first_from(sources, a, in_offsets[u + 1], hi)
        for e in range(np.uint64(a), np.uint64(b)):
            destinations[at] = sources[e]
            if want_order:
                order[at] = e
            at += 1
        if b > a:
            k += 1
            offsets[k] = at
    return order


@njit(nogil=True, cache=True)
def count_buckets(sources, destinations, block_of, shift, mirror, drop_loops, counts):
    """Count edges (and, for undirected input, their mirror images) by block of destinations.

    ``block_of`` has the block of each granule of ``2 ** shift`` vertices.
    """
    counts[:] = 0
    for e in range(len(sources)):
        u, v = np.uint64(sources[e]), np.uint64(destinations[e])
        if u == v and drop_loops:
            continue
        counts[block_of[v >> np.uint64(shift)]] += 1
        if mirror and u != v:
            counts[block_of[u >> np.uint64(shift)]] += 1


@njit(nogil=True, cache=True)
def fill_buckets(
    sources, destinations, block_of, shift, mirror, drop_loops, at, out_sources, out_destinations, out_edges
):
    """Write edges to their buckets, in input order; ``at`` is the first position of each bucket and is advanced.

    ``out_edges`` receives the number of the input edge, unless it is empty.
    """
    for e in range(len(sources)):
        u, v = np.uint64(sources[e]), np.uint64(destinations[e])
        if u == v and drop_loops:
            continue
        b = block_of[v >> np.uint64(shift)]
        k = at[b]
        at[b] += 1
        out_sources[k] = sources[e]
        out_destinations[k] = destinations[e]
        if len(out_edges):
            out_edges[k] = e
        if mirror and u != v:
            b = block_of[u >> np.uint64(shift)]
            k = at[b]
            at[b] += 1
            out_sources[k] = destinations[e]
            out_destinations[k] = sources[e]
            if len(out_edges):
                out_edges[k] = e


@njit(nogil=True, cache=True)
def look_up(in_offsets, stored, lo, hi, sources, destinations, found):
    """Write 1 for each wanted edge into vertices lo to hi - 1 that is stored; sources ascend within a vertex."""
    for i in range(len(sources)):
        v = destinations[i]
        if lo <= v < hi:
            end = in_offsets[v - lo + 1] - in_offsets[0]
            e = first_from(stored, in_offsets[v - lo] - in_offsets[0], end, sources[i])
            if e < end and np.int64(stored[e]) == sources[i]:
                found[i] = 1


@njit(nogil=True, cache=True)
def order_by(keys, n_keys, lo, order_in, use_order):
    """Sort by counting, stably: positions in the order of ``keys - lo``, starting from ``order_in``."""
    at = np.zeros(n_keys + 1, np.int64)
    for e in range(np.uint64(len(keys))):
        at[np.int64(keys[e]) - lo + 1] += 1
    for k in range(n_keys):
        at[k + 1] += at[k]
    out = np.empty(len(keys), np.int64)
    for e in range(len(keys)):
        j = order_in[e] if use_order else e
        k = np.int64(keys[j]) - lo
        out[at[k]] = j
        at[k] += 1
    return out


@njit(nogil=True, cache=True)
def by_falling_value(values):
    """Sort positions of integers from 0 by falling value, of equal ones the first first: two stable counting sorts."""
    n, most = len(values), np.int64(0)
    for i in range(n):
        most = max(most, values[i])
    width = np.int64(np.sqrt(np.float64(most))) + 1
    low, high = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        rest = most - values[i]
        low[i], high[i] = rest % width, rest // width
    order = order_by(low, width, np.int64(0), np.empty(0, np.int64), False)
    return order_by(high, most // width + 1, np.int64(0), order, True)


@njit(nogil=True, cache=True)
def rows_sorted(offsets, sources):
    """Tell whether the sources ascend within every destination."""
    first = offsets[0]
    for i in range(len(offsets) - 1):
        for e in range(offsets[i] - first + 1, offsets[i + 1] - first):
            if sources[e] < sources[e - 1]:
                return False
    return True


@njit(nogil=True, cache=True)
def row_numbers(offsets, lo, out):
    """Write the destination of every edge."""
    first = offsets[0]
    for i in range(len(offsets) - 1):
        for e in range(offsets[i] - first, offsets[i + 1] - first):
            out[e] = lo + i
    return out


@njit(nogil=True, cache=True)
def add_degrees(sources, degrees):
    """Add one to the degree of each source."""
    for e in range(np.uint64(len(sources))):
        degrees[sources[e]] += 1


@njit(nogil=True, cache=True)
def add_values(sources, values, sums):
    """Add each edge's value to its source's sum."""
    for e in range(np.uint64(len(sources))):
        sums[sources[e]] += values[e]


@njit(nogil=True, cache=True)
def sort_rows(offsets, sources):
    """Return positions of the edges with the sources ascending within every destination."""
    first = offsets[0]
    order = np.empty(len(sources), np.int64)
    for i in range(len(offsets) - 1):
        a, b = offsets[i] - first, offsets[i + 1] - first
        order[a:b] = a + np.argsort(sources[a:b], kind="mergesort")
    return order
