# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges as two columns of dense ids on GPUs: uploaded, or listed of another graph's rows (``edges_of_rows.cu``)."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.edge_list import EdgeList
from lux.graph.construction.edge_stores import GraphEdges, StoredEdges
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu import generated
from lux.graph.construction.gpu.spread import even_points
from lux.launch.call import NULL, kernel
from lux.launch.peer_call import Argument, Parts, PeerCall, place, spread_table
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.construction.own_edges import AnyEdges
    from lux.graph.core.stored_graph import StoredGraph


@dataclass(frozen=True)
class Columns:
    """Edges on GPUs, by dense id.

    Attributes
    ----------
    number : int
    ends : dict of name to Store of shape (number,), uint32
        ``sources`` and ``destinations``, of which each of several GPUs has an equal share (`even_points`). They
        may be taken out when they are needed no more.
    properties : mapping of name to Store of shape (number,)
    property_points : np.ndarray of shape (gpus + 1,), int64
        The share of properties that each of several GPUs has.
    mirror : bool
        Each edge stands for both directions.
    ordered : bool
        Edges are listed by source already.
    """

    number: int
    ends: dict[str, Store]
    properties: Mapping[str, Store]
    property_points: NDArray[np.int64]
    mirror: bool
    ordered: bool = False


def columns_of(source: AnyEdges, gpus: int, *, mirror: bool) -> Columns:
    """Bring the edges of a source to so many GPUs."""
    even = even_points(source.graph.n_edges if isinstance(source, GraphEdges) else source.n_edges, gpus)
    if isinstance(source, StoredEdges):
        ends = {"sources": source.sources, "destinations": source.destinations}
        return Columns(source.n_edges, ends, source.properties, even, mirror)
    if isinstance(source, GraphEdges):
        graph = source.graph
        properties = {name: graph.properties[name] for name in source.property_types}
        # Both directions of an edge are stored: rows in the new order list the edges by their new source.
        whole = not graph.directed and source.places is not None and not properties
        vertices = source.vertices if whole else None
        ends = _rows(graph, vertices, source.places, gpus, reverse=source.reverse or vertices is not None)
        ordered = vertices is not None or (source.reverse and source.places is None)
        return Columns(graph.n_edges, ends, properties, _edge_points(graph, gpus), mirror, ordered)
    if generated.can(source):
        return Columns(source.n_edges, generated.generated(source, gpus), {}, even, mirror)
    edges = source if isinstance(source, EdgeList) else _filled(source)
    given = {"sources": edges.sources, "destinations": edges.destinations}
    ends = {name: spread_upload(ids.astype(np.uint32, copy=False), gpus) for name, ids in given.items()}
    properties = {name: spread_upload(values, gpus) for name, values in edges.properties.items()}
    return Columns(edges.n_edges, ends, properties, even, mirror)


def spread_upload(values: NDArray[Any], gpus: int) -> Store:
    """Copy an array to a new store of which each GPU has an equal share."""
    return runtime.uploaded(values, None if gpus == 1 else runtime.even_ranges(len(values), gpus))


def rows_of(graph: StoredGraph) -> Store:
    """Return the destination of every stored edge, uint32, on one GPU."""
    return _rows(graph, None, None, 1, reverse=False)["destinations"]


def _filled(source: Any) -> EdgeList:
    """Make all edges of a source, by all cores of this process."""
    n, parts = source.n_edges, max(runtime.processors(), 1)
    u, v = np.empty(n, np.uint32), np.empty(n, np.uint32)
    properties = {name: np.empty(n, t) for name, t in source.property_types.items()}

    def fill(k: int) -> None:
        lo, hi = n * k // parts, n * (k + 1) // parts
        source.fill(lo, hi, u[lo:hi], v[lo:hi], {name: values[lo:hi] for name, values in properties.items()})

    with ThreadPoolExecutor(parts, "lux-edges", initializer=runtime.works_for_driver) as threads:
        list(threads.map(fill, range(parts)))
    return EdgeList(u, v, source.n_vertices, source.directed, source.ids, properties)


def _edge_points(graph: StoredGraph, gpus: int) -> NDArray[np.int64]:
    """Find where a graph's edges are cut among GPUs: where those that made it cut them, or evenly."""
    known = graph.edge_points
    return known if known is not None and len(known) == gpus + 1 else even_points(graph.n_edges, gpus)


def _rows(
    graph: StoredGraph, vertices: Store | None, places: Store | None, gpus: int, *, reverse: bool
) -> dict[str, Store]:
    """List sources and destinations: of rows as stored, or in the order of ``vertices``, by the ids in ``places``."""
    n, m = graph.n_vertices, graph.n_edges
    made = {name: runtime.new_store(np.uint32, m, touched=False) for name in ("sources", "destinations")}
    maps = {"vertices": vertices, "places": places}
    given = {name: store for name, store in maps.items() if store is not None}
    named = [name if name in given else NULL for name in maps]
    starts = 8 * (n + 1) if vertices is not None else 8
    tail = ["sources", "destinations", "starts", "block_counts", "control"]
    if gpus == 1:
        inputs = {"offsets": graph.offsets, "row_sources": graph.sources} | given
        arguments: list[str | np.generic] = ["offsets", "row_sources", NULL, np.uint32(1), *named, np.uint32(reverse)]
        arguments += [np.uint64(0), *map(np.int64, (n, m, 0, m)), *tail]
        gpu_edges.call("edges_of_rows.cu", "lux_list_rows", arguments, inputs, made, {"starts": starts})
        return made
    at = even_points(m, gpus)
    reads = {"offsets": Parts(graph.offsets), "row_sources": Parts(graph.sources, _edge_points(graph, gpus))}
    placed = place(
        gpus,
        reads | {name: Parts(store) for name, store in given.items()},
        {name: Parts(store, at) for name, store in made.items()},
    )
    spread: list[Argument] = ["offsets", NULL, spread_table(placed, "row_sources"), np.uint32(gpus), *named]
    spread += [np.uint32(reverse), np.uint64(0), np.int64(n), np.int64(m), at[:-1], at[1:], *tail]
    function = kernel("edges_of_rows.cu", "lux_list_rows", gpu_edges.THREADS)
    others = {"starts": starts, "block_counts": 8 * gpu_edges.MOST_BLOCKS}
    PeerCall(function, placed, spread, {"control": 64}, others).run("list_rows")
    return made
