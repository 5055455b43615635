# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Shortest paths along weights, components and core numbers, by one thread: launches on small graphs take longer.

Edges are rows: ``offsets`` of shape (n + 1,), ``neighbours`` of shape (n_edges,).
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.inlined import inner

FIRST_EDGES = 2
"""Edges of each vertex that are linked before the largest component is looked for."""
SAMPLES = 64
"""Vertices that are looked at for the largest component."""


@njit(nogil=True, cache=True)
def shortest_paths(offsets, neighbours, lengths, sources, distances, parents):
    """Find the nearest source of each vertex (Dijkstra 1959), and a parent on a path from there.

    Parameters
    ----------
    lengths : float64 array of shape (n_edges,)
        None is negative.
    sources : int64 array
        Different vertices.
    distances, parents : float64 and int64 arrays of shape (n,)
        Begin with infinity and -1. A source becomes its own parent.
    """
    room = len(sources) + len(neighbours)
    keys, numbers, vertices = np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64)
    done, size, number = np.zeros(len(distances), np.bool_), 0, 0
    for source in sources:
        distances[source], parents[source] = 0.0, source
        _push(keys, numbers, vertices, size, 0.0, number, source)
        size, number = size + 1, number + 1
    while size > 0:
        v, size = vertices[0], size - 1
        _remove_first(keys, numbers, vertices, size)
        if done[v]:
            continue
        done[v] = True
        for e in range(offsets[v], offsets[v + 1]):
            w, distance = neighbours[e], distances[v] + lengths[e]
            if distance < distances[w]:
                distances[w], parents[w] = distance, v
                _push(keys, numbers, vertices, size, distance, number, w)
                size, number = size + 1, number + 1


@inner
def _push(keys, numbers, vertices, size, key, number, vertex):
    """Add an entry, the last of its key, to a heap of ``size`` entries."""
    at = size
    while at > 0 and key < keys[(at - 1) // 2]:
        above = (at - 1) // 2
        keys[at], numbers[at], vertices[at] = keys[above], numbers[above], vertices[above]
        at = above
    keys[at], numbers[at], vertices[at] = key, number, vertex


@inner
def _remove_first(keys, numbers, vertices, size):
    """Remove a heap's first entry, after which it has ``size`` entries."""
    key, number, vertex, at = keys[size], numbers[size], vertices[size], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and (
            keys[below + 1] < keys[below] or (keys[below + 1] == keys[below] and numbers[below + 1] < numbers[below])
        ):
            below += 1
        if key < keys[below] or (key == keys[below] and number < numbers[below]):
            break
        keys[at], numbers[at], vertices[at] = keys[below], numbers[below], vertices[below]
        at = below
    keys[at], numbers[at], vertices[at] = key, number, vertex


@njit(nogil=True, cache=True)
def components(offsets, neighbours, both, labels):
    """Find the smallest vertex in each vertex's component, where directions do not count.

    Afforest (Sutton, Ben-Nun and Barak 2018): `FIRST_EDGES` of each vertex are linked, and vertices of what is then
    the largest component need not look at the rest of theirs.

    Parameters
    ----------
    offsets, neighbours : arrays of shape (n + 1,) and (n_edges,)
    both : bool
        Every edge is there in both directions; otherwise all are looked at.
    labels : int64 array of shape (n,)
        Receives the smallest vertices. On the way each vertex points to a smaller one of its component, or to itself.
    """
    n = len(labels)
    for v in range(n):
        labels[v] = v
    for v in range(n):
        _link_all(neighbours, offsets[v], min(offsets[v] + FIRST_EDGES, offsets[v + 1]), v, labels)
    _flatten(labels)
    largest = _most_frequent(labels) if both and n > 0 else -1
    for v in range(n):
        if labels[v] != largest:
            _link_all(neighbours, offsets[v] + FIRST_EDGES, offsets[v + 1], v, labels)
    _flatten(labels)


@inner
def _link_all(neighbours, begin, end, v, labels):
    """Join the components of a vertex and of its neighbours: the larger root points to the smaller."""
    for e in range(begin, end):
        w = np.int64(neighbours[e])
        if labels[v] != labels[w]:
            a, b = _root(labels, v), _root(labels, w)
            labels[max(a, b)] = min(a, b)


@inner
def _root(labels, v):
    """Return the end of a vertex's way, and halve the way."""
    while labels[v] != v:
        labels[v] = labels[labels[v]]
        v = labels[v]
    return v


@inner
def _flatten(labels):
    """Point all vertices to their roots: smaller ones come first, so they point there already."""
    for v in range(len(labels)):
        labels[v] = labels[labels[v]]


@inner
def _most_frequent(labels):
    """Return the most frequent label of an evenly spaced sample."""
    sample = np.sort(labels[0 : len(labels) : max(len(labels) // SAMPLES, 1)])
    best, longest, run = sample[0], 0, 0
    for k in range(len(sample)):
        run = run + 1 if k > 0 and sample[k] == sample[k - 1] else 1
        if run > longest:
            best, longest = sample[k], run
    return best


@njit(nogil=True, cache=True)
def core_numbers(offsets, neighbours, core):
    """Find core numbers by taking away a vertex of the smallest degree, again and again (Batagelj and Zaversnik 2003).

    Parameters
    ----------
    core : int64 array of shape (n,)
        Receives the numbers.
    """
    n = len(core)
    most = 0
    for v in range(n):
        core[v] = offsets[v + 1] - offsets[v]
        most = max(most, core[v])
    begins = np.zeros(most + 2, np.int64)  # of the vertices of each degree, in an order by degree
    for v in range(n):
        begins[core[v] + 1] += 1
    for degree in range(most):
        begins[degree + 1] += begins[degree]
    order, at, ends = np.empty(n, np.int64), np.empty(n, np.int64), begins.copy()
    for v in range(n):
        at[v] = ends[core[v]]
        order[at[v]] = v
        ends[core[v]] += 1
    for k in range(n):
        v = order[k]
        for e in range(offsets[v], offsets[v + 1]):
            w = neighbours[e]
            if core[w] > core[v]:  # w becomes the last of those of a smaller degree
                first = begins[core[w]]
                other = order[first]
                order[first], order[at[w]] = w, other
                at[other], at[w] = at[w], first
                begins[core[w]] += 1
                core[w] -= 1
