# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Linking components: a forest in which every vertex points to a smaller one or to itself (a root)."""

from __future__ import annotations

import numpy as np
from numba import njit

from lux.kernels.frontier import PREFETCH_DISTANCE, prefetch
from lux.kernels.inlined import inlined
from lux.kernels.scalars import copy_into

SAMPLES = 1024


@inlined
def _link(forest, u, v):
    """Join the trees of ``u`` and ``v``: the larger root is hooked to the smaller."""
    a, b = np.int64(forest[u]), np.int64(forest[v])
    while a != b:
        high, low = (a, b) if a > b else (b, a)
        above = np.int64(forest[high])
        if above == high:
            forest[high] = low
            return
        a, b = above, low


@njit(nogil=True, cache=True)
def flatten(forest):
    """Point every vertex to its root. A vertex's parent is smaller, so one pass in ascending order does it."""
    for v in range(len(forest)):
        forest[v] = forest[forest[v]]


@njit(nogil=True, cache=True)
def link_edges(forest, lo, in_offsets, sources, count):
    """Make a forest in which each of a partition's vertices is linked to its first ``count`` in-neighbours."""
    for v in range(len(forest)):
        forest[v] = v
    base = in_offsets[0]
    n = len(in_offsets) - 1
    for i in range(n):
        if count < 8 and i + PREFETCH_DISTANCE < n:  # few edges of each row are read, and the rows' ends lie anywhere
            prefetch(sources, in_offsets[i + PREFETCH_DISTANCE] - base)
            soon = in_offsets[i + PREFETCH_DISTANCE // 2] - base
            if soon + 1 < len(sources):
                prefetch(forest, np.int64(sources[soon]))
                prefetch(forest, np.int64(sources[soon + 1]))
        start = in_offsets[i] - base
        stop = min(in_offsets[i + 1] - base, start + count)
        for e in range(start, stop):
            _link(forest, np.int64(sources[e]), lo + i)
    flatten(forest)


@njit(nogil=True, cache=True)
def link_others(forest, labels, lo, in_offsets, sources, first):
    """Link in-edges from the ``first``-th on of vertices outside the largest component in the forest ``labels``.

    An edge whose end is skipped lies inside that component or is linked from its other end, so this needs
    both directions of every edge. Returns the edges looked at.
    """
    most = most_frequent(labels)
    for v in range(len(forest)):
        forest[v] = labels[v]
    base = in_offsets[0]
    seen = np.int64(0)
    for i in range(len(in_offsets) - 1):
        if np.int64(labels[lo + i]) != most:
            for e in range(in_offsets[i] - base + first, in_offsets[i + 1] - base):
                _link(forest, np.int64(sources[e]), lo + i)
                seen += 1
    if seen:
        flatten(forest)
    return seen


@njit(nogil=True, cache=True)
def most_frequent(labels):
    """Return the most frequent label of an evenly spaced sample."""
    n = len(labels)
    step = max(n // SAMPLES, 1)
    sample = np.sort(labels[0:n:step].astype(np.int64))
    best, best_run, run = sample[0], 0, 0
    for k in range(len(sample)):
        run = run + 1 if k > 0 and sample[k] == sample[k - 1] else 1
        if run > best_run:
            best, best_run = sample[k], run
    return best


@njit(nogil=True, cache=True)
def merge(forests, labels):
    """Join the forests of all partitions, one row each of ``forests``, into one; labels are smallest members."""
    n = len(labels)
    copy_into(labels, forests[:n])
    for row in range(1, len(forests) // n):
        for v in range(n):
            other = forests[row * n + v]
            if other != labels[v]:
                _link(labels, v, np.int64(other))
    flatten(labels)


@njit(nogil=True, cache=True)
def name_components(by_place, vertices, labels):
    """From the first place of each place's component to the smallest vertex of each vertex's component."""
    n = len(by_place)
    smallest = np.full(n, n, np.int64)
    for p in range(n):
        smallest[by_place[p]] = min(smallest[by_place[p]], np.int64(vertices[p]))
    for p in range(n):
        labels[vertices[p]] = smallest[by_place[p]]
