# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Checks of a tree against the edge list, and edge counts, of the Graph500.

``parent`` is -1 outside the tree. A BFS passes levels as distances and None as weights: each edge then weighs 1.
"""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.scalars import like

MALFORMED, CYCLE, TREE_EDGE, INPUT_EDGE, SPAN, NO_EDGE = range(6)
"""Index in ``broken`` of each count: meaningless values, and breaches of the specification's rules 1 to 5."""
JOINED, TIGHT = 1, 1 + (1 << 16)
"""Marks of a vertex with an edge to its parent, and with an edge that also explains its distance. Partitions' marks are
added up; up to 32,767 of them neither overflow into each other nor out of int32."""


@njit(nogil=True, cache=True)
def check_vertices(lo, root, parent, distance, n_vertices, marks, broken):
    """Check the values of a partition's vertices, from ``lo`` on: in range, consistent, the root its own parent.

    Marks are cleared.
    """
    marks[:] = 0
    broken[:] = 0
    for i in range(len(parent)):
        d, inside = distance[i], parent[i] >= 0
        wrong = parent[i] < -1 or parent[i] >= n_vertices or inside != (d >= 0 and d < np.inf)
        if lo + i == root:
            wrong |= parent[i] != root or d != 0
        broken[MALFORMED] += wrong


@njit(nogil=True, cache=True)
def jump(lo, root, before, after):
    """Double the steps to each vertex's ancestor, up to the root; returns how many have not arrived.

    ``before`` has the ancestors of all vertices (-1 outside the tree), ``after`` the ancestors of a partition's, from
    ``lo`` on.
    """
    left = 0
    for i in range(len(after)):
        ancestor = before[lo + i]
        after[i] = ancestor
        if ancestor >= 0:
            if before[ancestor] >= 0:
                after[i] = before[ancestor]
            left += after[i] != root
    return left


@njit(nogil=True, cache=True)
def check_edges(sources, destinations, weights, parent, distance, broken, marks):
    """Check each edge, which goes both ways, against the tree; mark vertices joined with their parents."""
    broken[:] = 0
    for e in range(len(sources)):
        u, v = np.int64(sources[e]), np.int64(destinations[e])
        inside = parent[u] >= 0
        if inside != (parent[v] >= 0):
            broken[SPAN] += 1
        elif inside:
            weight = like(distance, 1 if weights is None else weights[e])
            from_u, from_v = distance[u] + weight, distance[v] + weight
            broken[INPUT_EDGE] += from_u < distance[v] or from_v < distance[u]
            if parent[v] == u:
                marks[v] = max(marks[v], TIGHT if from_u == distance[v] else JOINED)
            if parent[u] == v:
                marks[u] = max(marks[u], TIGHT if from_v == distance[u] else JOINED)


@njit(nogil=True, cache=True)
def check_marks(lo, root, parent, marks, broken):
    """Check that every tree vertex but the root has an edge to its parent, and one that explains its distance."""
    broken[:] = 0
    for i in range(len(parent)):
        if parent[i] >= 0 and lo + i != root:
            broken[NO_EDGE] += marks[i] == 0
            broken[TREE_EDGE] += 0 < marks[i] < TIGHT


@njit(nogil=True, cache=True)
def count_inside(sources, destinations, parent):
    """Count the edges with both ends in the tree."""
    n = 0
    for e in range(len(sources)):
        n += parent[sources[e]] >= 0 and parent[destinations[e]] >= 0
    return n


@njit(nogil=True, cache=True)
def count_neighbours(lo, offsets, sources, out):
    """Count distinct neighbours of a partition's vertices, from ``lo`` on, without themselves; sources ascend."""
    first = offsets[0]
    for i in range(len(out)):
        out[i] = 0
        for e in range(offsets[i] - first, offsets[i + 1] - first):
            repeated = e > offsets[i] - first and sources[e] == sources[e - 1]
            out[i] += not repeated and np.int64(sources[e]) != lo + i


@njit(nogil=True, cache=True)
def sum_inside(values, parent):
    """Sum the values of vertices in the tree."""
    total = 0
    for i in range(len(values)):
        if parent[i] >= 0:
            total += values[i]
    return total
