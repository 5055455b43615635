# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Breadth-first order as NetworkX has it: neighbours in the order of their adjacency, and the first parent of each.

Only functions whose answer is an order or a tree need it; distances come from `lux.bfs`.
"""

from __future__ import annotations

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
