# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Components, and which nodes can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import lux
from lux.networkx_backend import one_thread
from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.breadth_first import search
from lux.networkx_backend.calls import LINKED, SMALL, answer, is_small, parts


def _labels(graph: LuxGraph) -> NDArray[Any]:
    """Return the smallest place in the component of each node."""
    if is_small(graph, most=LINKED if graph.has_adjacency else SMALL):
        return one_thread.components(graph)
    return lux.components(graph.lux(), parts=parts()).labels.dense()


def _components(graph: LuxGraph) -> Iterator[set[Any]]:
    """Make the sets, the largest as a copy of all nodes without the others."""
    labels = _labels(graph)
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(labels[order]) != 0, True)) + 1
    sizes = np.diff(ends, prepend=0)
    largest = int(sizes.argmax())
    end = int(ends[largest])
    others = graph.named(np.delete(order, slice(end - int(sizes[largest]), end)))
    rest = graph.all_nodes()
    rest.difference_update(others)
    found, begin = [], 0
    for size in np.delete(sizes, largest).tolist():
        found.append(set(others[begin : begin + size]))
        begin += size
    found.insert(largest, rest)
    return iter(found)


def _count(graph: LuxGraph) -> int:
    return int(np.count_nonzero(_labels(graph) == np.arange(len(graph))))


@answer
def connected_components(graph: LuxGraph) -> Iterator[set[Any]]:
    """Sets of connected nodes, by their first nodes."""
    return _components(graph)


@answer
def weakly_connected_components(graph: LuxGraph) -> Iterator[set[Any]]:
    """Sets of nodes that are connected when directions are ignored."""
    return _components(graph)


@answer
def number_connected_components(graph: LuxGraph) -> int:
    """Count the components."""
    return _count(graph)


@answer
def number_weakly_connected_components(graph: LuxGraph) -> int:
    """Count the weakly connected components."""
    return _count(graph)


@answer
def is_connected(graph: LuxGraph) -> bool:
    """Tell whether there is a single component."""
    return bool((hops(graph, 0) >= 0).all())


@answer
def is_weakly_connected(graph: LuxGraph) -> bool:
    """Tell whether there is a single component when directions are ignored."""
    return _count(graph) == 1


@answer
def is_strongly_connected(graph: LuxGraph) -> bool:
    """Tell whether all nodes can be reached from the first, and the first from all."""
    return bool((hops(graph, 0) >= 0).all() and (hops(graph, 0, reverse=True) >= 0).all())


@answer
def node_connected_component(graph: LuxGraph, n: Any) -> set[Any]:
    """Set of nodes in a node's component."""
    return _reached(graph, n)


@answer
def descendants(graph: LuxGraph, source: Any) -> set[Any]:
    """Nodes that can be reached from ``source``, without itself."""
    return _reached(graph, source) - {source}


@answer
def ancestors(graph: LuxGraph, source: Any) -> set[Any]:
    """Nodes from which ``source`` can be reached, without itself."""
    return _reached(graph, source, reverse=True) - {source}


@answer
def has_path(graph: LuxGraph, source: Any, target: Any) -> bool:
    """Tell whether there is a path from ``source`` to ``target``."""
    return distance(graph, graph.place(source), graph.place(target)) >= 0


def _reached(graph: LuxGraph, source: Any, *, reverse: bool = False) -> set[Any]:
    return set(graph.named(np.flatnonzero(hops(graph, graph.place(source), reverse=reverse) >= 0)))


def hops(graph: LuxGraph, place: int, *, reverse: bool = False) -> NDArray[np.signedinteger[Any]]:
    """Count the edges from a node's place to every other (``reverse``: from every other to it); -1 if unreached."""
    if is_small(graph):
        return search(graph, np.array([place]), reverse=reverse).level
    searched = graph.lux()
    if reverse and graph.is_directed():
        searched = searched.reverse()
    return lux.bfs(searched, place, parts=parts()).distances.dense()


def distance(graph: LuxGraph, begin: int, end: int) -> int:
    """Count the edges from a place to another; -1 where no path leads."""
    if is_small(graph):
        return int(search(graph, np.array([begin])).level[end])
    return int(lux.bfs(graph.lux(), begin, target=end, parts=parts()).distances[end])


def no_path(source: Any, target: Any) -> nx.NetworkXNoPath:
    """Return the error of NetworkX where there is no path."""
    return nx.NetworkXNoPath(f"No path between {source} and {target}.")
