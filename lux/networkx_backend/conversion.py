# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX become those of Lux, and back."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from lux.graph.core.stored_graph import id_dtype
from lux.networkx_backend.backend_graph import Adjacency, LuxGraph


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: Mapping[Any, Any] | None = None,
    **_: Any,
) -> LuxGraph:
    """Convert a graph of NetworkX; other attributes than those in ``edge_attrs`` are read when they are needed.

    Raises
    ------
    NotImplementedError
        Lux cannot have an attribute, as it is no number: NetworkX then computes itself.
    """
    found = converted_before(graph) or _converted(graph)
    for name in edge_attrs or ():
        if name is not None:
            found.edge_values(name)
    return found


def convert_to_nx(found: Any, **_: Any) -> Any:
    """Convert a graph of Lux; all else comes back as it is."""
    return found.to_networkx() if isinstance(found, LuxGraph) else found


def converted_before(graph: Any) -> LuxGraph | None:
    """Return what the cache of NetworkX has, maybe without the attributes that are now asked for."""
    if isinstance(graph, LuxGraph):
        return graph
    cache = (getattr(graph, "__networkx_cache__", None) if nx.config.cache_converted_graphs else None) or {}
    kept = cache.get("backends", {}).get("lux", {}).values()
    return next((other for other in kept if isinstance(other, LuxGraph)), None)


def _converted(graph: Any) -> LuxGraph:
    nodes = list(graph)
    places = None if nodes == list(range(len(nodes))) else dict(zip(nodes, range(len(nodes)), strict=True))
    adjacency = read_rows(graph.adj, nodes, places)
    directed, multigraph = graph.is_directed(), graph.is_multigraph()
    u, v = np.repeat(np.arange(len(nodes), dtype=adjacency[1].dtype), np.diff(adjacency[0])), adjacency[1]
    if multigraph:
        rows = graph.adj.values()
        counts = np.fromiter((len(keys) for row in rows for keys in row.values()), np.int64, len(u))
        u, v = np.repeat(u, counts), np.repeat(v, counts)
    if not directed:
        once = u <= v
        u, v = u[once], v[once]
    return LuxGraph(
        nodes, (u, v), {}, directed=directed, multigraph=multigraph, adjacency=adjacency, origin=graph
    )  # fmt: skip


def read_rows(adjacency: Any, nodes: list[Any], places: Mapping[Any, int] | None) -> Adjacency:
    """Read the neighbours of every node; ``places`` is None where each node is its own place."""
    rows = [list(row) for row in adjacency.values()]
    offsets = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=offsets[1:])
    flat = chain.from_iterable(rows)
    found = flat if places is None else map(places.__getitem__, flat)
    return offsets, np.fromiter(found, id_dtype(max(len(nodes), 1)), offsets[-1])


def read_values(graph: Any, name: Any, converted: LuxGraph) -> NDArray[Any]:
    """Read an edge attribute in the order of the converted edges; `NotImplementedError` if one is no number."""
    if not graph.is_directed() and _shows_directed(graph):
        raise NotImplementedError(f"an undirected view of a directed graph has two values of {name!r} on some edges")
    rows = graph.adj.values()
    if graph.is_multigraph():
        found = [data.get(name, 1) for row in rows for keys in row.values() for data in keys.values()]
    else:
        found = [data.get(name, 1) for row in rows for data in row.values()]
    values = np.array(found) if found else np.empty(0, np.int64)
    if values.dtype.kind == "b":
        values = values.astype(np.int64)
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        raise NotImplementedError(f"the edge attribute {name!r} is no number of 64 bits on some edges")
    if converted.is_directed():
        return values
    offsets, v = converted.adjacency_arrays()
    u = np.repeat(np.arange(len(converted), dtype=v.dtype), np.diff(offsets))
    if graph.is_multigraph():
        counts = np.fromiter((len(keys) for row in rows for keys in row.values()), np.int64, len(u))
        u, v = np.repeat(u, counts), np.repeat(v, counts)
    return values[u <= v]


def _shows_directed(graph: Any) -> bool:
    """Tell whether a graph is a view, also of a view, of a directed graph."""
    while (shown := getattr(graph, "_graph", None)) is not None:
        graph = shown
    return bool(graph.is_directed())
