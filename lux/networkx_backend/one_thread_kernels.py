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
def components(offsets, neighbours, labels):
    """Find the smallest vertex in each vertex's component.

    Parameters
    ----------
    offsets, neighbours : arrays of shape (n + 1,) and (n_edges,)
        Every edge in both directions.
    labels : int64 array of shape (n,)
        Begins with -1, and receives the smallest vertices.
    """
    stack = np.empty(len(labels), np.int64)
    for first in range(len(labels)):
        if labels[first] >= 0:
            continue
        labels[first], stack[0], size = first, first, 1
        while size > 0:
            size -= 1
            v = stack[size]
            for e in range(offsets[v], offsets[v + 1]):
                w = neighbours[e]
                if labels[w] < 0:
                    labels[w], stack[size] = first, w
                    size += 1


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
