# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges of a graph in memory: as arrays and edge lists, looked up, and those between some vertices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux import runtime
from lux.errors import GraphError, ParameterError
from lux.graph import build
from lux.graph.by_vertex import checked_vertices
from lux.graph.construction.edge_list import EdgeList
from lux.graph.core.lookup import values_at
from lux.graph.core.stored_graph import id_dtype, in_degrees
from lux.runtime.exchange import summed

if TYPE_CHECKING:
    from lux.graph.graph import Graph

EDGES_AT_ONCE = 1 << 22
"""Edges, or vertices, of which `edge_slices` has the numbers in memory at a time."""
EdgeSlice = tuple[NDArray[Any], NDArray[Any], dict[str, NDArray[Any]]]


def dense_edge_arrays(graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return edges as arrays; see `lux.graph.graph.Graph.dense_edge_arrays`."""
    return _sorted_edges(graph)[:2]


def _sorted_edges(graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64], Any]:
    """Sources and destinations in the order of dense ids, and where each edge is stored (a slice where all are so)."""
    lengths = in_degrees(graph)
    sources = _column(graph, graph.sources).astype(np.int64)
    if graph.order is None:
        return sources, np.repeat(np.arange(graph.n_vertices, dtype=np.int64), lengths), slice(None)
    vertices = runtime.to_array(graph.order.vertices).astype(np.int64)
    sources, destinations = vertices[sources], np.repeat(vertices, lengths)
    stored = np.lexsort((sources, destinations))
    return sources[stored], destinations[stored], stored


def _column(graph: Graph, store: Any) -> NDArray[Any]:
    return runtime.to_array(store)[: graph.n_edges]


def has_edges(graph: Graph, sources: ArrayLike, destinations: ArrayLike) -> NDArray[np.bool_]:
    """Look edges up; see `lux.graph.graph.Graph.has_edges`."""
    u, v = (graph.ids.dense_array(ends) for ends in (sources, destinations))
    if u.shape != v.shape and u.ndim and v.ndim:
        raise ParameterError(f"sources have shape {u.shape}, destinations {v.shape}: pass two arrays of one length")
    return has_dense_edges(graph, *np.broadcast_arrays(u, v))


def has_dense_edges(graph: Graph, sources: ArrayLike, destinations: ArrayLike) -> NDArray[np.bool_]:
    """Look edges up, each in the partition of its destination; see `lux.graph.graph.Graph.has_dense_edges`."""
    wanted = [np.asarray(ends).astype(np.int64) for ends in (sources, destinations)]
    shape, places = wanted[0].shape, [ends.ravel() for ends in wanted]
    if graph.order is not None:
        places = [values_at(graph.order.places, graph.n_vertices, ends).astype(np.int64) for ends in places]
    layout, found = graph.whole_layout(), np.zeros(places[0].size, np.int64)
    if not graph.n_edges or not found.size:
        return found.astype(np.bool_).reshape(shape)
    splits = {name: layout.splits[name] for name in ("offsets", "edges")}
    with runtime.registered((layout.points.tolist(), *places, found)) as key:
        _look_up(layout.parts, in_offsets=graph.offsets, sources=graph.sources, **splits, key=key)
    return summed(found).astype(np.bool_).reshape(shape)


@runtime.internal
@runtime.task(inputs={"in_offsets": "offsets", "sources": "edges"}, scalars={"key": int})
def _look_up(point: int, in_offsets: NDArray[np.int64], stored: NDArray[Any], key: int) -> None:
    from lux.graph.construction import sort_kernels

    points, sources, destinations, found = runtime.context(key)
    sort_kernels.look_up(in_offsets, stored, points[point], points[point + 1], sources, destinations, found)


def sources_of(graph: Graph, vertex: Any) -> NDArray[Any]:
    """Return the positions from which edges lead to a vertex, one for each edge, in ascending order."""
    place = graph.place_of(vertex)
    lo, hi = runtime.slice_to_array(graph.offsets, place, place + 2)
    return runtime.slice_to_array(graph.sources, int(lo), int(hi))


def predecessors(graph: Graph, vertex: Any) -> NDArray[Any]:
    """List vertices; see `lux.graph.graph.Graph.predecessors`."""
    dense = np.unique(sources_of(graph, vertex))
    if graph.order is not None:
        dense = np.sort(runtime.to_array(graph.order.vertices)[dense])
    return graph.ids.some(dense.astype(np.int64))


def dense_edge_list(graph: Graph) -> EdgeList:
    """Return the edge list; see `lux.graph.graph.Graph.dense_edge_list`."""
    u, v, stored = _sorted_edges(graph)
    properties = {name: _column(graph, store)[stored] for name, store in graph.properties.items()}
    if not graph.directed:
        once = u <= v
        u, v, properties = u[once], v[once], {name: values[once] for name, values in properties.items()}
    ids = id_dtype(graph.n_vertices)
    return EdgeList(u.astype(ids), v.astype(ids), graph.n_vertices, graph.directed, graph.ids, properties)


class ListedEdges(NamedTuple):
    """Numbers of what `edge_slices` lists.

    Attributes
    ----------
    n_edges : int
        Edges; those of an undirected graph once.
    repeats : int
        Edges between the same vertices as the one before.
    alone : int
        Vertices without edges.
    """

    n_edges: int
    repeats: int
    alone: int


def listed_edges(graph: Graph) -> ListedEdges:
    """Count edges and vertices, each partition its own. All processes must call this at the same place.

    >>> import lux
    >>> listed_edges(lux.from_edges([0, 0, 2], [1, 1, 2], n_vertices=4, directed=False))
    ListedEdges(n_edges=3, repeats=1, alone=1)
    """
    layout = graph.whole_layout()
    found = runtime.new_store(np.int64, 3 * layout.parts)
    splits = {name: layout.splits[name] for name in ("offsets", "edges", "vertices")}
    with runtime.registered((layout.points.tolist(), graph.directed)) as key:
        _count(
            layout.parts,
            in_offsets=graph.offsets,
            sources=graph.sources,
            degrees=graph.out_degree_store,
            found=found,
            **splits,
            found_rows=layout.rows(3),
            key=key,
        )
    numbers = runtime.to_array(found)[: 3 * layout.parts].reshape(-1, 3).sum(axis=0)
    return ListedEdges(*numbers.tolist())


@runtime.internal
@runtime.task(
    inputs={"in_offsets": "offsets", "sources": "edges", "degrees": "vertices"},
    outputs={"found": "found_rows"},
    scalars={"key": int},
)
def _count(
    point: int,
    in_offsets: NDArray[np.int64],
    sources: NDArray[Any],
    degrees: NDArray[Any],
    found: NDArray[np.int64],
    key: int,
) -> None:
    points, directed = runtime.context(key)
    edges = repeats = 0
    for lo in range(0, len(sources), EDGES_AT_ONCE):
        begin, end = max(lo - 1, 0), min(lo + EDGES_AT_ONCE, len(sources))
        u, v = sources[begin:end], points[point] + _rows(in_offsets, begin, end)
        listed = np.ones(len(u), np.bool_) if directed else u <= v
        edges += int(np.count_nonzero(listed[lo - begin :]))
        repeats += int(np.count_nonzero(listed[1:] & (u[1:] == u[:-1]) & (v[1:] == v[:-1])))
    found[:] = edges, repeats, np.count_nonzero((np.diff(in_offsets) == 0) & (degrees == 0))


def _rows(offsets: NDArray[np.int64], lo: int, hi: int) -> NDArray[np.int64]:
    """Return the row of each edge from ``lo`` to ``hi`` - 1, counted from the first edge of these offsets.

    >>> _rows(np.array([7, 9, 9, 12]), 1, 4).tolist()
    [0, 2, 2]
    """
    lo, hi = lo + int(offsets[0]), hi + int(offsets[0])
    first, end = int(np.searchsorted(offsets, lo, "right")) - 1, int(np.searchsorted(offsets, hi, "left"))
    lengths = np.diff(np.clip(offsets[first : end + 1], lo, hi))
    return np.repeat(np.arange(first, end, dtype=np.int64), lengths)


def edge_slices(graph: Graph, names: Iterable[str] | None = None, *, both: bool = False) -> Iterator[EdgeSlice]:
    """Iterate over edges, some at a time, in the order in which they are stored.

    All processes must take each slice at the same place; none has more in its memory.

    Parameters
    ----------
    names : iterable of str, optional
        Properties to read; by default all.
    both : bool
        List an undirected edge in both directions, and not once.

    Yields
    ------
    sources, destinations : np.ndarray, uint32 or uint64
        Dense ids.
    properties : dict of str to np.ndarray

    Examples
    --------
    >>> import lux
    >>> path = lux.from_edges([0, 1], [1, 2], directed=False)
    >>> [(u.tolist(), v.tolist()) for u, v, _ in edge_slices(path)]
    [([0, 1], [1, 2])]
    >>> [(u.tolist(), v.tolist()) for u, v, _ in edge_slices(path, both=True)]
    [([1, 0, 2, 1], [0, 1, 1, 2])]
    """
    n, ids = graph.n_vertices, id_dtype(graph.n_vertices)
    dense = None if graph.order is None else runtime.to_array(graph.order.vertices)
    stores = {name: graph.properties[name] for name in (graph.properties if names is None else names)}
    if not graph.n_edges:
        yield np.zeros(0, ids), np.zeros(0, ids), {name: np.zeros(0, graph.property_types[name]) for name in stores}
    for vertex in range(0, n, EDGES_AT_ONCE):
        offsets = runtime.slice_to_array(graph.offsets, vertex, min(vertex + EDGES_AT_ONCE, n) + 1)
        first, last = int(offsets[0]), int(offsets[-1])
        for lo in range(first, last, EDGES_AT_ONCE):
            hi = min(lo + EDGES_AT_ONCE, last)
            u, v = runtime.slice_to_array(graph.sources, lo, hi), vertex + _rows(offsets, lo - first, hi - first)
            u, v = (ends.astype(ids, copy=False) if dense is None else dense[ends].astype(ids) for ends in (u, v))
            properties = {name: runtime.slice_to_array(store, lo, hi) for name, store in stores.items()}
            if not graph.directed and not both:
                once = u <= v
                u, v, properties = u[once], v[once], {name: values[once] for name, values in properties.items()}
            yield u, v, properties


def subgraph(graph: Graph, vertices: Iterable[Any]) -> Graph:
    """Build a subgraph; see `lux.graph.graph.Graph.subgraph`."""
    chosen = np.unique(checked_vertices("subgraph: vertices", vertices, graph.ids))
    if not len(chosen):
        raise GraphError("subgraph: no vertices were passed, and a graph has at least one")
    new = np.full(graph.n_vertices, -1, np.int64)
    new[chosen] = np.arange(len(chosen))
    inside = [
        (new[u[both]], new[v[both]], {name: values[both] for name, values in properties.items()})
        for u, v, properties in edge_slices(graph)
        for both in [(new[u] >= 0) & (new[v] >= 0)]
    ]
    sources, destinations = (np.concatenate([piece[end] for piece in inside]) for end in (0, 1))
    properties = {name: np.concatenate([piece[2][name] for piece in inside]) for name in graph.property_types}
    ids, few = id_dtype(len(chosen)), len(chosen)
    ends = sources.astype(ids), destinations.astype(ids)
    return build.build(EdgeList(*ends, few, graph.directed, graph.ids.select(chosen), properties))
