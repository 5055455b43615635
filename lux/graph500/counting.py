# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Counts of traversed edges, for TEPS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.edge_stores import StoredEdges
from lux.graph.ordering import in_dense_order
from lux.graph500 import kernels
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph


def input_edges(tuples: StoredEdges, parent: Store) -> int:
    """Count the edge tuples of the tree's component, repeated ones and self-loops included.

    This is the specification's m (section "Performance Metric").
    """
    points, total = runtime.processors(), runtime.new_scalar()
    ends = {"sources": tuples.sources, "destinations": tuples.destinations}
    _count_tuples(points, **ends, parent=parent, total=total, edges=runtime.even_ranges(tuples.n_edges, points))
    return runtime.read_scalar(total)


def neighbour_counts(graph: Graph, *, simple: bool = False) -> Store:
    """Count the distinct neighbours of each vertex, itself left out.

    In a ``simple`` graph, without loops and repeats, they are its degree.

    Returns
    -------
    Store of shape (n_vertices,), int32 or int64, in the order of dense ids
    """
    if simple:
        return in_dense_order(graph, graph.out_degree_store)
    layout, counts = graph.whole_layout(), runtime.new_store(graph.degree_dtype, graph.n_vertices)
    with runtime.registered(layout.points.tolist()) as key:
        splits = {name: layout.splits[name] for name in ("offsets", "edges", "vertices")}
        _count_neighbours(
            layout.parts, in_offsets=graph.offsets, sources=graph.sources, counts=counts, **splits, key=key
        )
    return in_dense_order(graph, counts)


def distinct_edges(counts: Store, parent: Store, n_vertices: int) -> int:
    """Count the undirected edges of the tree's component, without repeats and self-loops.

    Parameters
    ----------
    counts : Store of shape (n_vertices,)
        Result of `neighbour_counts`.
    """
    points, total = runtime.processors(), runtime.new_scalar()
    _sum_counts(points, counts=counts, parent=parent, total=total, vertices=runtime.even_ranges(n_vertices, points))
    return runtime.read_scalar(total) // 2


@runtime.task(inputs={"sources": "edges", "destinations": "edges", "parent": None}, sums={"total": None})
def _count_tuples(_point: int, sources: Any, destinations: Any, parent: Any, total: NDArray[np.int64]) -> None:
    total[0] += kernels.count_inside(sources, destinations, parent)


@runtime.task(
    inputs={"in_offsets": "offsets", "sources": "edges"}, outputs={"counts": "vertices"}, scalars={"key": int}
)
def _count_neighbours(point: int, in_offsets: Any, sources: Any, counts: Any, key: int) -> None:
    kernels.count_neighbours(runtime.context(key)[point], in_offsets, sources, counts)


@runtime.task(inputs={"counts": "vertices", "parent": "vertices"}, sums={"total": None})
def _sum_counts(_point: int, counts: Any, parent: Any, total: NDArray[np.int64]) -> None:
    total[0] += kernels.sum_inside(counts, parent)
