# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths with or without weights, between two nodes, from or to one, or between all."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from lux.networkx_backend import connectivity, hops, weighted
from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import answer, by_networkx
from lux.networkx_backend.paths import many
from lux.networkx_backend.searches import Sums, sums


def _method(weight: Any, method: Any) -> str:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else str(method)


_PATHS = {"dijkstra": weighted.single_source_dijkstra_path, "bellman-ford": weighted.single_source_bellman_ford_path}
_LENGTHS = {
    "dijkstra": weighted.single_source_dijkstra_path_length,
    "bellman-ford": weighted.single_source_bellman_ford_path_length,
}


@answer
def shortest_path(
    graph: LuxGraph, source: Any = None, target: Any = None, weight: Any = None, method: Any = "dijkstra"
) -> Any:
    """Shortest paths: one, those from or to one node, or those between all pairs."""
    how = _method(weight, method)
    if source is None and target is None:
        if how == "unweighted":
            return hops.all_pairs_shortest_path(graph)
        return weighted.all_pairs_dijkstra_path(graph, weight=weight) if how == "dijkstra" else (
            weighted.all_pairs_bellman_ford_path(graph, weight=weight)
        )  # fmt: skip
    if source is None:
        if how == "unweighted":
            return hops.single_target_shortest_path(graph, target)
        return {node: way[::-1] for node, way in _PATHS[how](reversed_graph(graph), target, weight=weight).items()}
    if target is None:
        return hops.single_source_shortest_path(graph, source) if how == "unweighted" else (
            _PATHS[how](graph, source, weight=weight)
        )  # fmt: skip
    if how == "unweighted":
        return hops.bidirectional_shortest_path(graph, source, target)
    if how == "dijkstra":
        return weighted.bidirectional_dijkstra(graph, source, target, weight)[1]
    return weighted.bellman_ford_path(graph, source, target, weight)


@answer
def shortest_path_length(
    graph: LuxGraph, source: Any = None, target: Any = None, weight: Any = None, method: Any = "dijkstra"
) -> Any:
    """Lengths of shortest paths: of one, of those from or to one node, or of those between all pairs."""
    how = _method(weight, method)
    if source is None and target is None:
        if how == "unweighted":
            return hops.all_pairs_shortest_path_length(graph)
        return weighted.all_pairs_dijkstra_path_length(graph, weight=weight) if how == "dijkstra" else (
            weighted.all_pairs_bellman_ford_path_length(graph, weight=weight)
        )  # fmt: skip
    if source is None:
        if how == "unweighted":
            return hops.single_target_shortest_path_length(graph, target)
        return _LENGTHS[how](reversed_graph(graph), target, weight=weight)
    if target is None:
        return hops.single_source_shortest_path_length(graph, source) if how == "unweighted" else (
            _LENGTHS[how](graph, source, weight=weight)
        )  # fmt: skip
    if how == "unweighted":
        found = connectivity.distance(graph, graph.place(source), graph.place(target))
        if found < 0:
            raise connectivity.no_path(source, target)
        return found
    if how == "dijkstra":
        return weighted.dijkstra_path_length(graph, source, target, weight)
    return weighted.bellman_ford_path_length(graph, source, target, weight)


def reversed_graph(graph: LuxGraph) -> LuxGraph:
    """Return the graph with all edges the other way; undirected ones as they are."""
    if not graph.is_directed():
        return graph
    return LuxGraph(
        graph.nodes_in_order,
        (graph.destinations, graph.sources),
        graph.values,
        directed=True,
        multigraph=graph.is_multigraph(),
    )


@answer
def average_shortest_path_length(graph: LuxGraph, weight: Any = None, method: Any = None) -> float:
    """Mean length of the paths between all pairs."""
    n = len(graph)
    if n == 1 or (method or "dijkstra") not in ("unweighted", "dijkstra", "bellman-ford"):
        return float(by_networkx("average_shortest_path_length", graph, weight=weight, method=method))
    if graph.is_directed() and not connectivity.is_strongly_connected(graph):
        raise nx.NetworkXError("Graph is not strongly connected.")
    if not graph.is_directed() and not connectivity.is_connected(graph):
        raise nx.NetworkXError("Graph is not connected.")
    return _total(graph, None if method == "unweighted" else weight, method == "bellman-ford") / (n * (n - 1))


@answer
def wiener_index(graph: LuxGraph, weight: Any = None) -> float:
    """Sum of the lengths of the paths between all pairs; infinite where there is no path."""
    connected = connectivity.is_strongly_connected if graph.is_directed() else connectivity.is_connected
    if not connected(graph):
        return float("inf")
    total = _total(graph, weight, negative=False)
    return total if graph.is_directed() else total / 2


def _total(graph: LuxGraph, weight: Any, negative: bool) -> float:
    """Sum the lengths of the paths between all ordered pairs."""
    if weight is None:
        found: Sums = sums(graph, np.arange(len(graph)), "distances")
        return float(found.distances.sum())
    found_all = many(graph, np.arange(len(graph)), weight, negative=negative)
    return float(sum(one.distances[one.reached].sum() for one in found_all))
