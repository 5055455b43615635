# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Breadth-first searches by one thread, without a launch.

Their order is NetworkX's: neighbours in the order of their adjacency, and the first parent of each. Functions whose
answer is an order or a tree need it. Small graphs (`lux.networkx_backend.calls.is_small`) are searched so for other
functions, too: launches would take longer.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit


@njit(nogil=True, cache=True)
def breadth_first_order(offsets, neighbours, cutoff, order, n_sources, parent, level):
    """Search from the first ``n_sources`` vertices of ``order``; returns how many vertices are reached.

    Parameters
    ----------
    offsets, neighbours : arrays of shape (n + 1,) and (n_edges,)
    cutoff : int
        Vertices of this level are not left.
    order : int64 array of shape (n,)
        Begins with the sources, and receives the vertices in the order in which they are reached.
    n_sources : int
    parent, level : int64 arrays of shape (n,)
        Both are -1 but for the sources, whose level is 0; they receive those of reached vertices.
    """
    reached, k = n_sources, 0
    while k < reached:
        v = order[k]
        k += 1
        if level[v] == cutoff:
            break
        for e in range(offsets[v], offsets[v + 1]):
            w = neighbours[e]
            if level[w] < 0:
                level[w] = level[v] + 1
                parent[w] = v
                order[reached] = w
                reached += 1
    return reached


@njit(nogil=True, cache=True)
def sum_distances(offsets, neighbours, sources, reached_by, distances, inverses, farthest):
    """Search from each source, and add up what nodes are to know of all searches that reach them.

    Parameters
    ----------
    offsets, neighbours : arrays of shape (n + 1,) and (n_edges,)
    sources : int64 array
    reached_by, distances, inverses, farthest : arrays of shape (n,)
        Sources but for the node itself, the sums of distances and of their inverses, and the largest distance.
    """
    n = len(offsets) - 1
    order, parent, level = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for source in sources:
        level[:] = -1
        order[0], level[source] = source, 0
        reached = breadth_first_order(offsets, neighbours, n, order, 1, parent, level)
        for k in range(1, reached):
            v, distance = order[k], level[order[k]]
            reached_by[v] += 1
            distances[v] += distance
            inverses[v] += 1.0 / distance
            farthest[v] = max(farthest[v], distance)


@njit(nogil=True, cache=True)
def add_dependencies(offsets, neighbours, sources, wanted, scores):
    """Add the dependencies of every node on each source, for the wanted targets (Brandes 2001).

    Parameters
    ----------
    offsets, neighbours : arrays of shape (n + 1,) and (n_edges,)
    sources : int64 array
    wanted, scores : float64 arrays of shape (n,)
    """
    n = len(offsets) - 1
    order, parent, level = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    paths, shares = np.empty(n), np.empty(n)
    for source in sources:
        level[:], paths[:], shares[:] = -1, 0.0, 0.0
        order[0], level[source], paths[source] = source, 0, 1.0
        reached = breadth_first_order(offsets, neighbours, n, order, 1, parent, level)
        for k in range(reached):
            v = order[k]
            for e in range(offsets[v], offsets[v + 1]):
                if level[neighbours[e]] == level[v] + 1:
                    paths[neighbours[e]] += paths[v]
        for k in range(reached - 1, 0, -1):
            v = order[k]
            for e in range(offsets[v], offsets[v + 1]):
                w = neighbours[e]
                if level[w] == level[v] + 1:
                    shares[v] += paths[v] / paths[w] * (wanted[w] + shares[w])
            scores[v] += shares[v]
