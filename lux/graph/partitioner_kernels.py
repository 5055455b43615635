# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Biased random partitioning: gives vertices to partitions one after the other."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit

BIAS = 2.0
"""Exponent of a vertex's neighbours in a partition: its chance to go there is proportional to this power."""
SLACK = 1.05
"""Bound of a partition's vertices and edges, relative to their mean."""


@njit(nogil=True, cache=True)
def biased(order, draws, offsets, sources, parts, owners):
    """Give every vertex to a partition at random, preferring one that has more of its neighbours already.

    The chance of a partition is proportional to (1 + neighbours there) ** BIAS and to the room that is left in it.

    Parameters
    ----------
    order : array of shape (n_vertices,)
        Vertices, in the order in which they are given away.
    draws : float64 array of shape (n_vertices,)
        A random number in [0, 1) for each, in the same order.
    offsets, sources : arrays
        Neighbours of each vertex.
    parts : int
    owners : array of shape (n_vertices,)
        Receives the partition of each vertex.
    """
    owners[:] = parts  # no partition's
    room = np.full(parts, SLACK * (len(sources) + len(order)) / parts)
    chances = np.empty(parts)
    for k in range(len(order)):
        v = order[k]
        chances[:] = 1.0
        for e in range(offsets[v], offsets[v + 1]):
            owner = owners[sources[e]]
            if owner < parts:
                chances[owner] += 1.0
        total = 0.0
        for part in range(parts):
            total += chances[part] ** BIAS * max(room[part], 0.0)
            chances[part] = total
        # One vertex may have more edges than any partition has room for.
        chosen = np.searchsorted(chances, draws[k] * total, side="right") if total > 0.0 else np.argmax(room)
        owners[v] = chosen
        room[chosen] -= 1.0 + offsets[v + 1] - offsets[v]
