# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""First in-neighbours of every vertex, in columns, in which unvisited vertices look for a parent before elsewhere.

In a search of a graph of many edges a vertex, most vertices find a parent among their first two neighbours. Rows of
edges are a cache line each for such a look-up; columns are read one after the other, with vector instructions that test
64 vertices against the frontier without a branch. Only vertices without a parent there go on in the rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.kernels import njit
from lux.kernels.frontier import popcount, prefetch
from lux.kernels.inlined import inlined
from lux.kernels.scalars import like

COLUMNS = 3
"""In-neighbours that lie in columns: further columns are read by fewer vertices, and each takes as much memory."""
TOGETHER = 64
"""Words of 64 vertices that a thread takes at a time: its nearest cache holds a column and the vertices looking on."""
PREFETCH_DISTANCE = 16
"""Vertices between asking for a row of edges and reading it."""

ZERO, ONE, SIX, LOW = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
EVERY = ~ZERO


class FirstNeighbours(NamedTuple):
    """The arrays that pulling threads read and write.

    Attributes
    ----------
    columns : np.ndarray of shape (COLUMNS * 64 * words,), of the type of ids
        In column k, at v, in-neighbour k of vertex v; 64 * words where there is none.
    linked : np.ndarray of shape (words,), uint64
        Bits of vertices that have in-edges.
    in_offsets, sources : np.ndarray
        In-edges, ascending.
    visited : np.ndarray of shape (words,), uint64
        Bits of vertices that are visited, and of those beyond the last.
    distance, parent : np.ndarray of shape (n_vertices,), int32
    """

    columns: Any
    linked: Any
    in_offsets: Any
    sources: Any
    visited: Any
    distance: Any
    parent: Any


@njit(nogil=True, cache=True)
def fill(first, last, in_offsets, sources, columns, linked):
    """Write the words ``first`` to ``last - 1`` of `FirstNeighbours.linked`, and their vertices' part of columns."""
    n, width = len(in_offsets) - 1, len(linked) << 6
    for k in range(COLUMNS):
        for v in range(first << 6, last << 6):
            has = v < n and in_offsets[min(v, n - 1)] + k < in_offsets[min(v + 1, n)]
            columns[k * width + v] = sources[in_offsets[v] + k] if has else width
    for w in range(first, last):
        word = ZERO
        for v in range(w << 6, min((w + 1) << 6, n)):
            word |= np.uint64(in_offsets[v] < in_offsets[v + 1]) << (np.uint64(v) & LOW)
        linked[w] = word


@inlined
def in_front(front, u):
    """Return 1 where vertex ``u`` is in a frontier of bits, else 0."""
    return (front[np.uint64(u) >> SIX] >> (np.uint64(u) & LOW)) & ONE


@inlined(forceinline=False)
def pull_first(first, last, level, front, after, looking, g):
    """Look for parents of the vertices of some words, of which only those visited have been written so far.

    Parameters
    ----------
    first, last : int
        Words.
    level : int
        Level of the frontier.
    front, after : np.ndarray, uint64
        Bits of the frontier, and of the next one, which are written. In ``front`` there is a word more than vertices
        need, of zeros.
    looking : np.ndarray of shape (64 * TOGETHER,), uint32
        Scratch.
    """
    columns, distance, parent = g.columns, g.distance, g.parent
    n, count = np.uint64(len(distance)), 0
    here, found = like(distance, level), like(distance, level + 1)
    for w in range(np.uint64(first), np.uint64(last)):
        visited, now, base = g.visited[w], front[w], w << SIX
        hits = ZERO
        for j in range(np.uint64(64)):
            hits |= in_front(front, columns[base + j]) << j
        hits &= ~visited
        for j in range(min(np.uint64(64), n - base)):
            if (visited >> j) & ONE == ZERO:
                parent[base + j] = np.int32(columns[base + j]) if (hits >> j) & ONE != ZERO else np.int32(-1)
        for j in range(min(np.uint64(64), n - base)):
            if ((visited & ~now) >> j) & ONE == ZERO:
                unvisited = found if (hits >> j) & ONE != ZERO else np.int32(-1)
                distance[base + j] = here if (now >> j) & ONE != ZERO else unvisited
        after[w] = hits
        count = _append(g.linked[w] & ~(visited | hits), base, looking, count)
    return _search_further(1, count, found, front, after, looking, g)


@inlined(forceinline=False)
def pull_again(first, last, level, front, after, looking, g):
    """Look for parents as `pull_first` where all vertices have been written: -1 where unvisited."""
    count = 0
    for w in range(np.uint64(first), np.uint64(last)):
        after[w] = ZERO
        count = _append(g.linked[w] & ~g.visited[w], w << SIX, looking, count)
    return _search_further(0, count, like(g.distance, level + 1), front, after, looking, g)


@inlined
def _append(word, base, looking, count):
    while word != ZERO:
        low = word & (~word + ONE)
        looking[count] = base + popcount(low - ONE)
        count += 1
        word ^= low
    return count


@inlined
def _search_further(column, count, found, front, after, looking, g):
    """Look for parents of ``looking[:count]``: in the columns from ``column`` on, without branches, then in rows."""
    width = np.uint64(len(g.linked) << 6)
    for k in range(np.uint64(column), np.uint64(COLUMNS)):
        left = 0
        for c in range(count):
            v = np.uint64(looking[c])
            u = np.uint64(g.columns[k * width + v])
            hit = in_front(front, u)
            g.parent[v] = np.int32(u) if hit != ZERO else np.int32(-1)
            g.distance[v] = found if hit != ZERO else np.int32(-1)
            after[v >> SIX] |= hit << (v & LOW)
            looking[left] = v
            left += np.int64(hit == ZERO) & np.int64(u != width)
        count = left
    for c in range(count):
        if c + PREFETCH_DISTANCE < count:
            prefetch(g.in_offsets, np.int64(looking[c + PREFETCH_DISTANCE]))
            prefetch(g.sources, g.in_offsets[np.int64(looking[c + PREFETCH_DISTANCE // 2])] + COLUMNS)
        v = np.uint64(looking[c])
        for e in range(np.uint64(g.in_offsets[v] + COLUMNS), np.uint64(g.in_offsets[v + ONE])):
            if in_front(front, g.sources[e]) != ZERO:
                g.parent[v], g.distance[v] = np.int32(g.sources[e]), found
                after[v >> SIX] |= ONE << (v & LOW)
                break
