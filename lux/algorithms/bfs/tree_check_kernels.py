# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Checks of a breadth-first search's tree against the in-edges of a partition's vertices."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit

PARENT, TREE_EDGE, SPAN, LEVEL, RULES = range(5)
"""Index in ``broken`` of each count, and their number: a parent that is not one level above, a tree edge that is none,
an edge out of the tree, and an edge that skips a level."""


@njit(nogil=True, cache=True)
def check_rows(lo, last, offsets, sources, distance, parent, broken):
    """Check a partition's vertices, from ``lo`` on; edges out of vertices below level ``last`` may not leave the tree.

    ``distance`` is -1 outside the tree, and ``parent``, by position, the vertex itself at a source.
    """
    broken[:] = 0
    first = offsets[0]
    for i in range(len(offsets) - 1):
        v = np.int64(lo) + i
        d, p, joined = distance[v], np.int64(parent[v]), False
        for e in range(np.uint64(offsets[i] - first), np.uint64(offsets[i + 1] - first)):
            u = np.int64(sources[e])
            joined |= u == p
            from_u = distance[u]
            if 0 <= from_u < last:
                broken[SPAN] += d < 0
                broken[LEVEL] += d > from_u + 1
        if d > 0 and 0 <= p < len(distance):
            broken[PARENT] += distance[p] != d - 1
            broken[TREE_EDGE] += not joined
