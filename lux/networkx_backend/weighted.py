# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths along an edge attribute: the functions of NetworkX that are named after Dijkstra and Bellman-Ford."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import answer
from lux.networkx_backend.hops import by_distance, steps, unreachable
from lux.networkx_backend.paths import Paths, many, search


def _lengths(graph: LuxGraph, found: Paths) -> dict[Any, Any]:
    return by_distance(graph, found.distances, found.reached)


def _ways(graph: LuxGraph, found: Paths) -> dict[Any, list[Any]]:
    """Return the paths to all reached nodes, which are made in an order in which parents come first."""
    ways: dict[int, list[Any]] = {}
    names, parents = graph.nodes_in_order, found.parents.tolist()
    nearest = found.reached[np.argsort(found.distances[found.reached], kind="stable")]
    for place in nearest.tolist():
        missing = [place]
        while missing[-1] not in ways and parents[missing[-1]] != missing[-1]:
            missing.append(parents[missing[-1]])
        for step in reversed(missing):  # with weights of zero or less a parent may come later
            if step not in ways:
                ways[step] = [names[step]] if parents[step] == step else [*ways[parents[step]], names[step]]
    return {names[place]: ways[place] for place in nearest.tolist()}


def _one(graph: LuxGraph, found: Paths, begin: int, target: Any) -> tuple[Any, list[Any]]:
    """Return the length of the path to one node, and the path; NetworkXNoPath where there is none."""
    end = graph.place(target) if target in graph else -1
    if end < 0 or not np.isin(end, found.reached):
        raise unreachable(target)
    while begin >= 0 and found.parents[begin] != begin:
        begin = int(found.parents[begin])
    root = end
    while found.parents[root] != root:
        root = int(found.parents[root])
    return found.distances[end].item(), graph.named(steps(found.parents, root, end))


def _place(graph: LuxGraph, target: Any) -> int | None:
    """Return the place of a target; None if none was passed, or it is not there."""
    return graph.place(target) if target is not None and target in graph else None


def _checked_sources(graph: LuxGraph, sources: Collection[Any]) -> NDArray[np.int64]:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        if source not in graph:
            raise nx.NodeNotFound(f"Node {source} not found in graph")
    return graph.places(dict.fromkeys(sources))


@answer
def multi_source_dijkstra(
    graph: LuxGraph, sources: Collection[Any], target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """Lengths and paths from the nearest of some sources."""
    places = _checked_sources(graph, sources)
    if target in sources:
        return 0, [target]
    found = search(graph, places, weight, cutoff, target=_place(graph, target))
    if target is None:
        return _lengths(graph, found), _ways(graph, found)
    return _one(graph, found, int(places[0]), target)


@answer
def multi_source_dijkstra_path(
    graph: LuxGraph, sources: Collection[Any], cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, list[Any]]:
    """Paths from the nearest of some sources."""
    return _ways(graph, search(graph, _checked_sources(graph, sources), weight, cutoff))


@answer
def multi_source_dijkstra_path_length(
    graph: LuxGraph, sources: Collection[Any], cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Lengths of the paths from the nearest of some sources."""
    return _lengths(graph, search(graph, _checked_sources(graph, sources), weight, cutoff))


@answer
def single_source_dijkstra(
    graph: LuxGraph, source: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """Lengths and paths from ``source``."""
    return multi_source_dijkstra(graph, [source], target, cutoff, weight)


@answer
def single_source_dijkstra_path(
    graph: LuxGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, list[Any]]:
    """Paths from ``source``."""
    return _ways(graph, search(graph, _checked_sources(graph, [source]), weight, cutoff))


@answer
def single_source_dijkstra_path_length(
    graph: LuxGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Lengths of the paths from ``source``."""
    return _lengths(graph, search(graph, _checked_sources(graph, [source]), weight, cutoff))


@answer
def dijkstra_path(graph: LuxGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return a shortest path from ``source`` to ``target``."""
    return multi_source_dijkstra(graph, [source], target, None, weight)[1]


@answer
def bidirectional_dijkstra(graph: LuxGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the length of a shortest path from ``source`` to ``target``, and the path."""
    begin, end = graph.place(source), graph.place(target)
    if begin == end:
        return 0, [source]
    found = search(graph, np.array([begin]), weight, target=end)
    if not np.isin(end, found.reached):
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return _one(graph, found, begin, target)


@answer
def dijkstra_path_length(graph: LuxGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the length of a shortest path from ``source`` to ``target``."""
    return _length(graph, source, target, weight)


def _length(graph: LuxGraph, source: Any, target: Any, weight: Any, *, negative: bool = False) -> Any:
    begin = graph.place(source)
    if source == target:
        return 0
    found = search(graph, np.array([begin]), weight, negative=negative, target=_place(graph, target))
    if target not in graph or not np.isin(graph.place(target), found.reached):
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found.distances[graph.place(target)].item()


def _from_each(
    graph: LuxGraph, weight: Any, cutoff: Any = None, *, negative: bool = False
) -> Iterator[tuple[Any, Paths]]:
    return zip(graph, many(graph, np.arange(len(graph)), weight, cutoff, negative=negative), strict=True)


@answer
def all_pairs_dijkstra(
    graph: LuxGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, tuple[dict[Any, Any], dict[Any, list[Any]]]]]:
    """Lengths and paths from each node."""
    searches = _from_each(graph, weight, cutoff)
    return ((node, (_lengths(graph, found), _ways(graph, found))) for node, found in searches)


@answer
def all_pairs_dijkstra_path_length(
    graph: LuxGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Lengths of the paths from each node."""
    return ((node, _lengths(graph, found)) for node, found in _from_each(graph, weight, cutoff))


@answer
def all_pairs_dijkstra_path(
    graph: LuxGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    """Paths from each node."""
    return ((node, _ways(graph, found)) for node, found in _from_each(graph, weight, cutoff))


@answer
def single_source_bellman_ford(graph: LuxGraph, source: Any, target: Any = None, weight: Any = "weight") -> Any:
    """Lengths and paths from ``source``; weights may be negative."""
    begin = graph.place(source)
    if source == target:
        return 0, [source]
    found = search(graph, np.array([begin]), weight, negative=True, target=_place(graph, target))
    if target is None:
        return _lengths(graph, found), _ways(graph, found)
    try:
        return _one(graph, found, begin, target)
    except nx.NetworkXNoPath:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}") from None


@answer
def single_source_bellman_ford_path(graph: LuxGraph, source: Any, weight: Any = "weight") -> dict[Any, list[Any]]:
    """Paths from ``source``; weights may be negative."""
    return _ways(graph, search(graph, graph.places([source]), weight, negative=True))


@answer
def single_source_bellman_ford_path_length(graph: LuxGraph, source: Any, weight: Any = "weight") -> dict[Any, Any]:
    """Lengths of the paths from ``source``; weights may be negative."""
    return _lengths(graph, search(graph, graph.places([source]), weight, negative=True))


@answer
def bellman_ford_path(graph: LuxGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return a shortest path from ``source`` to ``target``; weights may be negative."""
    return single_source_bellman_ford(graph, source, target, weight)[1]


@answer
def bellman_ford_path_length(graph: LuxGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the length of a shortest path from ``source`` to ``target``; weights may be negative."""
    return _length(graph, source, target, weight, negative=True)


@answer
def all_pairs_bellman_ford_path(graph: LuxGraph, weight: Any = "weight") -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    """Paths from each node; weights may be negative."""
    return ((node, _ways(graph, found)) for node, found in _from_each(graph, weight, negative=True))


@answer
def all_pairs_bellman_ford_path_length(graph: LuxGraph, weight: Any = "weight") -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Lengths of the paths from each node; weights may be negative."""
    return ((node, _lengths(graph, found)) for node, found in _from_each(graph, weight, negative=True))
