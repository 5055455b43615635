# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Components by the threads of one task, which link all edges in one forest.

Every vertex points to a smaller one or to itself (a root). As in Sutton, Ben-Nun and Barak, "Optimizing parallel graph
connectivity computation via subgraph sampling" (Afforest), IPDPS 2018, a few edges are linked first, and vertices of
what is then the largest component need not look at the rest of theirs. Here a vertex first points to its first
in-neighbour if that is smaller, which is written without looking anywhere else; rows ascend, so nearly all vertices
do, and only the others, the roots, have edges to link.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.frontier import PREFETCH_DISTANCE, prefetch
from lux.kernels.inlined import inlined, inner
from lux.kernels.scalars import copy_into, like
from lux.kernels.threads import BARRIER_WORDS, atomic_add, atomic_min, barrier, compare_exchange, peek

SAMPLES = 1024
"""Vertices that are looked at for the largest component."""
GRAIN = 4096
"""Vertices that a thread takes at a time where some have much more to do than others."""
FAR_AHEAD = 128
"""Rows between asking for a row's first edge and reading it: there is nothing else to do for a row."""
ROOT_EDGES = 4
"""Edges that a root links before the largest component is looked for."""

# What the threads tell each other (int64), after the words of the barrier, each in a cache line of its own.
ROOT = BARRIER_WORDS
FLATTENED = ROOT + 16
NEXT = FLATTENED + 16
MOST = NEXT + 16
SEEN = MOST + 16
CONTROL = SEEN + 16


@njit(nogil=True, cache=True)
def connect(me, first, last, both, offsets, sources, vertices, places, forest, roots, labels, control, size):
    """Do the share of thread ``me`` of ``size`` in labelling every vertex with the smallest of its component.

    Parameters
    ----------
    first, last : int
        The thread's own vertices, for work that is alike everywhere.
    both : bool
        Edges are there in both directions.
    offsets, sources : np.ndarray
        In-edges of all vertices.
    vertices, places : np.ndarray
        The dense id of each place, and the place of each dense id; empty where these are the same.
    forest : np.ndarray of shape (n_vertices,), of the type of ids
        Receives labels, as places.
    roots : np.ndarray of shape (n_vertices,), of the type of ids
        Scratch.
    labels : np.ndarray of shape (n_vertices,), of the type of ids
        Receives labels as dense ids in their order, with ``vertices``.
    control : np.ndarray of shape (CONTROL,), int64
        Zero at first; `SEEN` receives how many edges were looked at.
    """
    n = len(forest)
    seen, mine = point_to_first(first, last, 0, offsets, sources, forest)
    at = atomic_add(control, ROOT, len(mine))
    copy_into(roots[at:], mine)
    barrier(control, size)
    i = atomic_add(control, ROOT, -GRAIN)
    while i > 0:
        seen += link_roots(roots, max(i - GRAIN, 0), i, 0, offsets, sources, forest)
        i = atomic_add(control, ROOT, -GRAIN)
    barrier(control, size)
    i = atomic_add(control, FLATTENED, GRAIN)
    while i < n:
        flatten(i, min(i + GRAIN, n), forest)
        i = atomic_add(control, FLATTENED, GRAIN)
    barrier(control, size)
    if me == 0:
        control[MOST] = most_frequent(forest)[0] if both else -1
    barrier(control, size)
    others = np.empty(GRAIN, np.int64)
    i = atomic_add(control, NEXT, GRAIN)
    while i < n:
        seen += link_others(i, min(i + GRAIN, n), control[MOST], others, 0, offsets, sources, forest)
        i = atomic_add(control, NEXT, GRAIN)
    atomic_add(control, SEEN, seen)
    barrier(control, size)
    flatten_again(first, last, forest)
    if len(vertices):
        _name(first, last, vertices, places, forest, roots, labels, control, size)


@inner
def point_to_first(first, last, lo, offsets, sources, forest):
    """Point the vertices of rows to their first in-neighbours or to themselves, whichever is smaller.

    Row i is of vertex ``lo + i``. Returns the edges seen, and the vertices that have edges and point to themselves.
    """
    seen, count, end, base = np.int64(0), 0, len(sources) - 1, offsets[0]
    roots = np.empty(last - first, forest.dtype)
    for i in range(first, last if end >= 0 else first):
        if i + FAR_AHEAD < last:
            prefetch(sources, offsets[i + FAR_AHEAD] - base)
        v, at, has_edges = lo + i, offsets[i] - base, offsets[i] < offsets[i + 1]
        u = np.int64(sources[min(at, end)])
        smaller = has_edges & (u < v)
        forest[v] = u if smaller else v
        roots[count] = v
        count += has_edges & (u > v)
        seen += has_edges
    for v in range(lo + first, lo + (last if end < 0 else first)):
        forest[v] = v
    return seen, roots[:count]


@inlined
def link_roots(roots, first, last, lo, offsets, sources, forest):
    """Link the first edges of some roots; returns how many."""
    seen, base = np.int64(0), offsets[0]
    for k in range(first, last):
        if k + PREFETCH_DISTANCE < last:
            prefetch(sources, offsets[np.int64(roots[k + PREFETCH_DISTANCE]) - lo] - base)
        if k + PREFETCH_DISTANCE // 2 < last:
            soon = np.int64(roots[k + PREFETCH_DISTANCE // 2]) - lo
            for e in range(offsets[soon] - base, min(offsets[soon + 1], offsets[soon] + ROOT_EDGES) - base):
                prefetch(forest, np.int64(sources[e]))
        v = np.int64(roots[k])
        begin, end = offsets[v - lo], min(offsets[v - lo + 1], offsets[v - lo] + ROOT_EDGES)
        for e in range(begin - base, end - base):
            link(forest, np.int64(sources[e]), v)
        seen += end - begin
    return seen


@inlined
def link_others(first, last, most, others, lo, offsets, sources, forest):
    """Link all edges of the rows whose vertices do not point to ``most``; returns how many."""
    seen, count, base = np.int64(0), 0, offsets[0]
    for i in range(first, last):
        others[count] = i
        count += (np.int64(peek(forest, lo + i)) != most) & (offsets[i] < offsets[i + 1])
    for k in range(count):
        i = others[k]
        seen += offsets[i + 1] - offsets[i]
        for e in range(offsets[i] - base, offsets[i + 1] - base):
            link(forest, np.int64(sources[e]), lo + i)
    return seen


@inlined
def link(forest, u, v):
    """Join the trees of ``u`` and ``v``, while others do the same: the larger root is hooked to the smaller."""
    a, b = np.int64(peek(forest, u)), np.int64(peek(forest, v))
    while a != b:
        high, low = max(a, b), min(a, b)
        above = np.int64(peek(forest, high))
        if above == low or (above == high and compare_exchange(forest, high, like(forest, high), like(forest, low))):
            return
        a, b = np.int64(peek(forest, np.int64(peek(forest, high)))), np.int64(peek(forest, low))


@inlined
def find_root(v, forest):
    """Return the root of a vertex. Three steps are taken in any case: whether they are needed is hard to foretell."""
    above = np.int64(peek(forest, np.int64(peek(forest, v))))
    root = np.int64(peek(forest, above))
    while root != above:
        above, root = root, np.int64(peek(forest, root))
    return root


@inlined
def flatten(first, last, forest):
    """Point vertices to their roots, while others do the same: all in about ascending order, so ways are short."""
    for v in range(first, last):
        forest[v] = find_root(v, forest)


@inlined
def flatten_again(first, last, forest):
    """Compress paths where few have changed: unwritten entries stay in the other cores' caches."""
    for v in range(first, last):
        root = find_root(v, forest)
        if root != np.int64(forest[v]):
            forest[v] = root


@inner
def most_frequent(labels):
    """Return the most frequent label of an evenly spaced sample, and how many vertices may have it."""
    n = len(labels)
    step = max(n // SAMPLES, 1)
    sample = np.sort(labels[0:n:step].astype(np.int64))
    best, best_run, run = sample[0], 0, 0
    for k in range(len(sample)):
        run = run + 1 if k > 0 and sample[k] == sample[k - 1] else 1
        if run > best_run:
            best, best_run = sample[k], run
    return best, best_run * step


@inner
def _name(first, last, vertices, places, forest, smallest, labels, control, size):
    """Label each vertex with the smallest vertex of its component, from the first place of its place's component."""
    copy_into(smallest[first:], vertices[first:last])
    barrier(control, size)
    for p in range(first, last):
        root = np.int64(forest[p])
        if vertices[p] < peek(smallest, root):
            atomic_min(smallest, root, vertices[p])
    barrier(control, size)
    for v in range(first, last):
        labels[v] = smallest[np.int64(forest[np.int64(places[v])])]
