# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Degrees, and nodes without edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import answer


def _centrality(graph: LuxGraph, **ends: bool) -> dict[Any, float]:
    n = len(graph)
    if n == 1:
        return dict.fromkeys(graph, 1)
    return graph.by_node(graph.degrees(**ends) * (1.0 / (n - 1)))


@answer
def degree_centrality(graph: LuxGraph) -> dict[Any, float]:
    """Degrees as shares of the other nodes."""
    return _centrality(graph)


@answer
def in_degree_centrality(graph: LuxGraph) -> dict[Any, float]:
    """In-degrees as shares of the other nodes."""
    return _centrality(graph, outward=False)


@answer
def out_degree_centrality(graph: LuxGraph) -> dict[Any, float]:
    """Out-degrees as shares of the other nodes."""
    return _centrality(graph, inward=False)


@answer
def isolates(graph: LuxGraph) -> Iterator[Any]:
    """Nodes without edges."""
    return iter(graph.named(np.flatnonzero(graph.degrees() == 0)))


@answer
def is_isolate(graph: LuxGraph, n: Any) -> bool:
    """Tell whether a node has no edges."""
    return bool(graph.degrees()[graph.place(n)] == 0)


@answer
def number_of_isolates(graph: LuxGraph) -> int:
    """Count the nodes without edges."""
    return int(np.count_nonzero(graph.degrees() == 0))
