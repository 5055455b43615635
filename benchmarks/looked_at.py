# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges that a search of `lux.bfs` has scanned, counted from its answer."""

from __future__ import annotations

import numpy as np

from lux import runtime
from lux.algorithms.bfs.bfs import BFSResult


def edges_looked_at(result: BFSResult) -> int:
    """Count out-edges of forward levels' frontiers, and backward levels' in-edges up to the first from the frontier.

    Examples
    --------
    >>> import lux
    >>> edges_looked_at(lux.bfs(lux.toy.complete(5), 0, model="push"))
    20
    """
    graph = result.graph
    offsets, sources = runtime.to_array(graph.offsets), runtime.to_array(graph.sources)
    distance = result.distances.dense()
    if graph.order is not None:
        distance = distance[runtime.to_array(graph.order.vertices)]
    looked = 0
    for level, step in enumerate(result.statistics):
        if step.model == "push":
            looked += step.frontier_edges
            continue
        waiting = np.flatnonzero((distance < 0) | (distance > level))
        first, end = offsets[waiting], offsets[waiting + 1]
        found = np.append(np.flatnonzero(distance[sources] == level), len(sources))
        looked += int((np.minimum(found[np.searchsorted(found, first)] + 1, end) - first).sum())
    return looked
