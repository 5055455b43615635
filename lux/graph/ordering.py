# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Vertex orders: the order in which a graph's vertices are stored.

By default a vertex's internal id (its position) is its dense id. Storing the vertices with the most edges first puts
the values that most edges read into few cache lines, which makes power-law graphs faster and destroys the locality of
others; so it is chosen by measurement. A partitioner (`lux.graph.partitioners`) stores each partition's vertices
together. Only stores inside Lux are in this order: users see their own ids, and values in the order of their ids.
"""

from __future__ import annotations

import functools
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import ParameterError
from lux.graph import build
from lux.graph.construction.edge_stores import GraphEdges
from lux.graph.core.stored_graph import DEALT, Order, id_dtype
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph

ORDERS = ("given", "degree", "auto")
WORTH = 0.75
"""The order by degree is chosen if gathers miss the cache at most this often, relative to the user's order."""


def reordered(graph: Graph, order: str) -> Graph:
    """Store a graph in another order; see `lux.graph.graph.Graph.reordered`."""
    if order not in ORDERS:
        raise ParameterError(f"order={order!r} was passed; allowed are {', '.join(ORDERS)}")
    stored = "given" if graph.order is None else graph.order.name
    if order == stored or (order == "auto" and graph.order is not None):
        return graph
    began = time.perf_counter()
    if graph.order is not None:
        graph = build.build(GraphEdges(graph, places=graph.order.vertices, vertices=graph.order.places))
    if order == "given":
        return graph
    ranges = runtime.gpus() or DEALT
    vertices, places = _by_degree_on_gpu(graph, ranges) or stores_of(_by_degree(graph, ranges))
    if order == "auto":
        given, by_degree = gather_misses(graph, places)
        if by_degree > WORTH * given:
            return graph
    return moved(graph, Order("degree", vertices, places, ranges), began)


def moved(graph: Graph, order: Order, began: float) -> Graph:
    """Return a graph in the order of its ids, stored in another; ``began`` is the time when making the order began."""
    made = build.build(GraphEdges(graph, places=order.places, vertices=order.vertices))
    runtime.finish()
    made.order = replace(order, seconds=time.perf_counter() - began)
    return made


def stores_of(vertices: NDArray[Any]) -> tuple[Store, Store]:
    """Make stores of the vertex at each position, and of the position of each vertex."""
    places = np.empty_like(vertices)
    places[vertices] = np.arange(len(vertices), dtype=vertices.dtype)
    return runtime.from_array(vertices), runtime.from_array(places)


def _by_degree(graph: Graph, ranges: int) -> NDArray[Any]:
    """Deal vertices out in the order of falling degree; alike on every process."""
    from lux.graph.construction import sort_kernels

    degrees = graph.dense_in_degrees()
    if graph.directed:
        degrees = degrees + graph.dense_out_degrees()
    ordered = sort_kernels.by_falling_value(degrees)
    dealt: NDArray[Any] = np.concatenate([ordered[k::ranges] for k in range(ranges)])
    return dealt.astype(id_dtype(graph.n_vertices))


def _by_degree_on_gpu(graph: Graph, ranges: int) -> tuple[Store, Store] | None:
    if not runtime.gpus():
        return None
    from lux.graph.construction.gpu import order as gpu_order

    return gpu_order.by_degree(graph, graph.out_degree_store if graph.directed else None, ranges)


def gather_misses(graph: Graph, places: Store) -> tuple[float, float]:
    """Simulate which gathers of neighbours' values miss a core's cache: as the graph is stored, and at other positions.

    A cache of 1 MiB is simulated on samples of the edges, so the answer is the same on every machine and run.

    Returns
    -------
    stored, by_places : float
        Misses per edge.
    """
    layout = graph.whole_layout()
    misses = runtime.new_store(np.float64, 3 * layout.parts)
    _misses_launcher()(
        layout.parts,
        sources=graph.sources,
        places=places,
        misses=misses,
        edges=layout.splits["edges"],
        rows=layout.rows(3),
    )
    edges, stored, by_places = runtime.to_array(misses).reshape(-1, 3).sum(axis=0).tolist()
    return stored / max(edges, 1.0), by_places / max(edges, 1.0)


@functools.cache
def _misses_launcher() -> Launcher:
    from lux.graph.indexes.cache_simulation_kernels import misses_of

    def count_misses(_point: int, sources: NDArray[Any], places: NDArray[Any], misses: NDArray[np.float64]) -> None:
        misses_of(sources, places, misses)

    return Launcher(count_misses, inputs={"sources": "edges", "places": None}, outputs={"misses": "rows"})


def in_places(graph: Graph, store: Store, length: int = 1) -> Store:
    """Permute values (or vectors of some length) from the order of dense ids to the stored order."""
    return store if graph.order is None else _taken(graph, store, graph.order.vertices, length)


def in_dense_order(graph: Graph, store: Store, length: int = 1) -> Store:
    """Permute values (or vectors of some length) from the stored order to the order of dense ids."""
    return store if graph.order is None else _taken(graph, store, graph.order.places, length)


def _taken(graph: Graph, store: Store, at: Store, length: int) -> Store:
    layout = graph.whole_layout()
    out = runtime.new_store(store.dtype, graph.n_vertices * length, of_graph=True)
    rows = runtime.ranges(layout.points * length)
    vertices = layout.splits["vertices"]
    _take_launcher()(layout.parts, values=store, at=at, out=out, vertices=vertices, rows=rows)
    return out


@functools.cache
def _take_launcher() -> Launcher:
    from lux.kernels.scalars import take

    def take_values(_point: int, values: NDArray[Any], at: NDArray[Any], out: NDArray[Any]) -> None:
        take(values, at, out)

    return Launcher(take_values, inputs={"values": None, "at": "vertices"}, outputs={"out": "rows"})
