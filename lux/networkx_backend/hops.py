# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths where every edge has length one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.breadth_first import search
from lux.networkx_backend.calls import answer
from lux.networkx_backend.connectivity import no_path


def lengths(graph: LuxGraph, place: int, cutoff: Any = None, *, reverse: bool = False) -> dict[Any, int]:
    """Return the lengths of the paths from a place, by node, in the order in which NetworkX reaches them."""
    found = search(graph, np.array([place]), cutoff, reverse=reverse)
    return dict(zip(graph.named(found.order), found.level[found.order].tolist(), strict=True))


def by_distance(graph: LuxGraph, distances: NDArray[Any], places: NDArray[np.int64]) -> dict[Any, Any]:
    """Return the distances of some places by node, nearest first."""
    order = places[np.argsort(distances[places], kind="stable")]
    return dict(zip(graph.named(order), distances[order].tolist(), strict=True))


def paths(graph: LuxGraph, source: Any, cutoff: Any = None, *, reverse: bool = False) -> dict[Any, list[Any]]:
    """Return a path to each node (``reverse``: from each), NetworkX's own where there are several."""
    found = search(graph, graph.places([source]), cutoff, reverse=reverse)
    children = found.order[1:]
    answer: dict[Any, list[Any]] = {source: [source]}
    for parent, child in zip(graph.named(found.parent[children]), graph.named(children), strict=True):
        answer[child] = [child, *answer[parent]] if reverse else [*answer[parent], child]
    return answer


@answer
def single_source_shortest_path_length(graph: LuxGraph, source: Any, cutoff: Any = None) -> dict[Any, int]:
    """Lengths of the paths from ``source``."""
    return lengths(graph, graph.place(source), cutoff)


@answer
def single_target_shortest_path_length(graph: LuxGraph, target: Any, cutoff: Any = None) -> dict[Any, int]:
    """Lengths of the paths to ``target``."""
    return lengths(graph, graph.place(target), cutoff, reverse=True)


@answer
def all_pairs_shortest_path_length(graph: LuxGraph, cutoff: Any = None) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Lengths of the paths from each node."""
    return ((node, lengths(graph, place, cutoff)) for place, node in enumerate(graph))


@answer
def single_source_shortest_path(graph: LuxGraph, source: Any, cutoff: Any = None) -> dict[Any, list[Any]]:
    """Paths from ``source``."""
    return paths(graph, source, cutoff)


@answer
def single_target_shortest_path(graph: LuxGraph, target: Any, cutoff: Any = None) -> dict[Any, list[Any]]:
    """Paths to ``target``."""
    return paths(graph, target, cutoff, reverse=True)


@answer
def all_pairs_shortest_path(graph: LuxGraph, cutoff: Any = None) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    """Paths from each node."""
    return ((node, paths(graph, node, cutoff)) for node in graph)


@answer
def bidirectional_shortest_path(graph: LuxGraph, source: Any, target: Any) -> list[Any]:
    """Return a path from ``source`` to ``target``."""
    begin, end = graph.place(source), graph.place(target)
    before, after = {begin: begin}, {end: end}
    met = begin if begin == end else _meeting(graph, begin, end, before, after)
    if met is None:
        raise no_path(source, target)
    way = [met]
    while way[-1] != begin:
        way.append(before[way[-1]])
    way.reverse()
    while way[-1] != end:
        way.append(after[way[-1]])
    return graph.named(np.array(way))


def _meeting(graph: LuxGraph, begin: int, end: int, before: dict[int, int], after: dict[int, int]) -> int | None:
    """Search from both ends by turns, as NetworkX does; returns the place where the searches meet, or None."""
    sides = [(before, after, graph.adjacency_arrays()), (after, before, graph.adjacency_arrays(reverse=True))]
    fringes = [[begin], [end]]
    while fringes[0] and fringes[1]:
        side = 0 if len(fringes[0]) <= len(fringes[1]) else 1
        own, others, (offsets, neighbours) = sides[side]
        level, fringes[side] = fringes[side], []
        for v in level:
            for w in neighbours[offsets[v] : offsets[v + 1]].tolist():
                if w not in own:
                    own[w] = v
                    fringes[side].append(w)
                if w in others:
                    return int(w)
    return None


def steps(parent: NDArray[Any], begin: int, end: int) -> NDArray[np.int64]:
    """Return the places on the path that parents make."""
    way = [end]
    while way[-1] != begin:
        way.append(int(parent[way[-1]]))
    return np.array(way[::-1])


@answer
def predecessor(
    graph: LuxGraph, source: Any, target: Any = None, cutoff: Any = None, return_seen: bool | None = None
) -> Any:
    """Return for each node all nodes before it on shortest paths from ``source``."""
    found = search(graph, graph.places([source]), cutoff or None)
    rank = np.full(len(graph), len(graph))
    rank[found.order] = np.arange(len(found.order))
    offsets, v = graph.adjacency_arrays()
    u = np.repeat(np.arange(len(graph)), np.diff(offsets))
    before = (found.level[u] >= 0) & (found.level[v] == found.level[u] + 1)
    u, v = u[before], v[before]
    order = np.argsort(rank[u], kind="stable")
    nodes = graph.named(found.order)
    predecessors: dict[Any, list[Any]] = {node: [] for node in nodes}
    for a, b in zip(graph.named(u[order]), graph.named(v[order]), strict=True):
        predecessors[b].append(a)
    if target is None:
        seen = dict(zip(nodes, found.level[found.order].tolist(), strict=True))
        return (predecessors, seen) if return_seen else predecessors
    reached = target in predecessors
    listed = predecessors[target] if reached else []
    if not return_seen:
        return listed
    return listed, int(found.level[graph.place(target)]) if reached else -1


def unreachable(target: Any) -> nx.NetworkXNoPath:
    """Return the error of NetworkX's shortest paths along weights where there is none."""
    return nx.NetworkXNoPath(f"No path to {target}.")
