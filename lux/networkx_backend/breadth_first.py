# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first orders and trees, the same as NetworkX's."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import answer


class Order(NamedTuple):
    """Places in the order in which a search reaches them, and for all places the parent and the level, or -1."""

    order: NDArray[np.int64]
    parent: NDArray[np.int64]
    level: NDArray[np.int64]


def search(graph: LuxGraph, sources: NDArray[np.int64], cutoff: Any = None, *, reverse: bool = False) -> Order:
    """Search from some places, as far as ``cutoff`` levels."""
    from lux.networkx_backend.order_kernels import breadth_first_order

    n = len(graph)
    order, parent, level = np.empty(n, np.int64), np.full(n, -1), np.full(n, -1)
    order[: len(sources)] = sources
    level[sources] = 0
    levels = n if cutoff is None else int(np.ceil(min(max(cutoff, 0), n)))
    offsets, neighbours = graph.adjacency_arrays(reverse=reverse)
    reached = breadth_first_order(offsets, neighbours, levels, order, len(sources), parent, level)
    return Order(order[:reached], parent, level)


def _tree(graph: LuxGraph, source: Any, depth_limit: Any, *, reverse: bool = False) -> Iterator[tuple[Any, Any]]:
    found = search(graph, graph.places([source]), depth_limit, reverse=reverse)
    children = found.order[1:]
    return zip(graph.named(found.parent[children]), graph.named(children), strict=True)


def refuse_sorting(sort_neighbors: Any) -> None:
    """Refuse a function that sorts neighbours."""
    if sort_neighbors is not None:
        raise NotImplementedError("sort_neighbors: Lux does not call functions of Python")


@answer
def bfs_edges(
    graph: LuxGraph, source: Any, reverse: bool = False, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Edges of the breadth-first tree."""
    refuse_sorting(sort_neighbors)
    return iter(_tree(graph, source, depth_limit, reverse=reverse))


@answer
def generic_bfs_edges(
    graph: LuxGraph, source: Any, neighbors: Any = None, depth_limit: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Edges of the breadth-first tree."""
    refuse_sorting(neighbors)
    return iter(_tree(graph, source, depth_limit))


@answer
def bfs_tree(
    graph: LuxGraph, source: Any, reverse: bool = False, depth_limit: Any = None, sort_neighbors: Any = None
) -> nx.DiGraph[Any]:
    """Breadth-first tree, a graph of NetworkX."""
    refuse_sorting(sort_neighbors)
    tree: nx.DiGraph[Any] = nx.DiGraph()
    edges = list(_tree(graph, source, depth_limit, reverse=reverse))
    tree.add_node(source)
    tree.add_edges_from(edges)
    return tree


@answer
def bfs_predecessors(
    graph: LuxGraph, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Pairs of a node and its parent in the breadth-first tree."""
    if tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 7):
        text = (  # as in NetworkX, where filters of warnings look for its first words
            "\n\nbfs_predecessors is deprecated and will be removed in NetworkX 3.9\n"
            "Use ``(t, s) for (s, t) in bfs_edges`` instead"
        )
        warnings.warn(text, DeprecationWarning, stacklevel=3)
    refuse_sorting(sort_neighbors)
    return ((child, parent) for parent, child in _tree(graph, source, depth_limit))


@answer
def bfs_successors(
    graph: LuxGraph, source: Any, depth_limit: Any = None, sort_neighbors: Any = None
) -> Iterator[tuple[Any, list[Any]]]:
    """Pairs of a node and its children in the breadth-first tree."""
    refuse_sorting(sort_neighbors)
    children: dict[Any, list[Any]] = {}
    for parent, child in _tree(graph, source, depth_limit):
        children.setdefault(parent, []).append(child)
    return iter((children or {source: []}).items())


@answer
def bfs_layers(graph: LuxGraph, sources: Any) -> Iterator[list[Any]]:
    """Nodes of each distance from the sources."""
    begin = [sources] if sources in graph else list(dict.fromkeys(sources))
    for source in begin:
        if source not in graph:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if not begin:
        return iter(())
    found = search(graph, graph.places(begin))
    nodes = graph.named(found.order)
    ends = np.cumsum(np.bincount(found.level[found.order])).tolist()
    return iter([nodes[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)])


@answer
def descendants_at_distance(graph: LuxGraph, source: Any, distance: int) -> set[Any]:
    """Nodes at a distance from ``source``."""
    from lux.networkx_backend.connectivity import hops

    if source not in graph:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if distance < 0:
        return set()
    return set(graph.named(np.flatnonzero(hops(graph, graph.place(source)) == distance)))
