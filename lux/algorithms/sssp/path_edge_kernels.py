# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Edges judged by distances: the last edges of shortest paths, and edges that prove that there is no shortest path."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.scalars import largest, like, smallest


@njit(nogil=True, cache=True)
def parents(lo, source, nearer, offsets, ends, weights, values, parent):
    """Find the parents of a partition's vertices, from ``lo`` on; returns how many reached ones have none yet.

    A parent is the first vertex that is nearer than the vertex and before it on a shortest path. If not ``nearer``,
    only the source, which is its own parent, gets one.
    """
    none, left = largest(parent), 0
    for i in range(len(parent)):
        distance = values[lo + i]
        parent[i] = none
        if lo + i == source:
            parent[i] = source
            continue
        if distance == largest(values):
            continue
        for e in range(np.uint64(offsets[i] - offsets[0]), np.uint64(offsets[i + 1] - offsets[0])):
            before = values[ends[e]]
            if before < distance and nearer and not distance < before + like(values, weights[e]):
                parent[i] = ends[e]
                break
        left += parent[i] == none
    return left


@njit(nogil=True, cache=True)
def best_edges(offsets, ends, weights, values, before, through):
    """Find each vertex's in-edge with the least distance: its source, -1 if there is none, and weight."""
    for i in range(len(before)):
        before[i] = -1
        best = largest(values)
        for e in range(offsets[i] - offsets[0], offsets[i + 1] - offsets[0]):
            start = values[ends[e]]
            if start < largest(values):
                weight = like(values, weights[e])
                if before[i] < 0 or start + weight < best:
                    best, before[i], through[i] = start + weight, np.int64(ends[e]), weight


@njit(nogil=True, cache=True)
def negative_cycle(before, through):
    """List a cycle along ``before`` whose weights ``through`` sum to less than zero; empty where there is none."""
    n = len(before)
    seen = np.full(n, -1, np.int64)
    for v in range(n):
        u = v
        while u >= 0 and seen[u] < 0:
            seen[u] = v
            u = before[u]
        if u >= 0 and seen[u] == v:  # the walk from v has closed a cycle
            length, total, w = 0, through[u] - through[u], u
            while length == 0 or w != u:
                total += through[w]
                length += 1
                w = before[w]
            if total < 0:
                cycle = np.empty(length, np.int64)
                for k in range(length):
                    cycle[length - 1 - k] = w
                    w = before[w]
                return cycle
    return np.empty(0, np.int64)


@njit(nogil=True, cache=True)
def overflows(lo, offsets, ends, weights, values):
    """Return True where sums beyond the floats have cost vertices of a partition, from ``lo`` on, their distances.

    Such a sum is minus infinity; or infinity, the distance of a vertex to which an edge from a reached one leads.
    """
    for i in range(len(offsets) - 1):
        if values[lo + i] == smallest(values):
            return True
        if values[lo + i] == largest(values):
            for e in range(offsets[i] - offsets[0], offsets[i + 1] - offsets[0]):
                start = values[ends[e]]
                if start < largest(values) and start + like(values, weights[e]) == largest(values):
                    return True
    return False


@njit(nogil=True, cache=True)
def leads_on(lo, offsets, ends, values):
    """Return True where an edge leads from a reached vertex to an unreached one of a partition, from ``lo`` on."""
    for i in range(len(offsets) - 1):
        if values[lo + i] == largest(values):
            for e in range(offsets[i] - offsets[0], offsets[i + 1] - offsets[0]):
                if values[ends[e]] < largest(values):
                    return True
    return False
