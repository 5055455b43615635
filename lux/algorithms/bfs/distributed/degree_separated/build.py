# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Distribution of a graph's edges to processors by the degrees of their ends (`degree_separated_graph`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import build_kernels as kernels
from lux.algorithms.bfs.distributed.degree_separated.build_kernels import KINDS
from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import (
    COLUMNS,
    OFFSETS,
    DegreeSeparatedGraph,
    words,
)
from lux.algorithms.bfs.distributed.edge_distribution import Rows, by_row, distribute
from lux.algorithms.bfs.distributed.message_buffers import PairBuffers
from lux.algorithms.bfs.distributed.packed_arrays import Sections
from lux.graph.construction import sort_kernels
from lux.graph.core.stored_graph import in_degrees
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.layout import PartitionedGraph


def bytes_to_distribute(layout: PartitionedGraph) -> int:
    """Estimate the bytes of the stores that `separate` makes, at most (with a delegate for every four vertices)."""
    graph = layout.graph
    return 20 * graph.n_edges + (8 + 4 * layout.parts) * graph.n_vertices


def separate(layout: PartitionedGraph, threshold: int) -> DegreeSeparatedGraph:
    """Distribute the edges of an undirected graph by degrees; every rank holds the degrees meanwhile."""
    graph, parts, points = layout.graph, layout.parts, layout.points
    degrees = in_degrees(graph)
    places = np.flatnonzero(degrees > threshold).astype(np.uint32)
    members = np.empty(2 * words(graph.n_vertices), np.uint64)
    kernels.mark_members(places, members)
    own_degrees = degrees[places]

    def rule(sources: Any, destinations: Any) -> tuple[Any, Any, Any]:
        bins, rows, columns = (np.empty(len(sources), t) for t in (np.int32, np.uint32, np.uint32))
        kernels.distribute(sources, destinations, points, members, own_degrees, bins, rows, columns)
        return bins, rows, columns

    distributed = distribute(graph, KINDS * parts, rule)
    own, d = np.diff(points), len(places)
    n_rows = np.column_stack([own, own, np.full((parts, 2), d)])
    offsets = np.uint32 if np.diff(distributed.at).max() < 2**32 else np.int64
    rows = by_row(distributed, n_rows.ravel(), offsets)
    edges = np.diff(distributed.at).reshape(parts, KINDS)
    del distributed
    far, far_places = _far(layout, rows)
    sections = Sections(
        {name: (offsets, n_rows[:, kind] + 1) for kind, name in enumerate(OFFSETS)}
        | {name: (np.uint32, edges[:, kind]) for kind, name in enumerate(COLUMNS)}
        | {name: (np.uint64, words(n_rows[:, kind])) for kind, name in enumerate(("nd_rows", "dn_rows", "dd_rows"), 1)}
        | {"delegates": (np.uint32, np.full(parts, d))}
    )
    given = points, layout.splits["vertices"], graph.n_edges
    made = DegreeSeparatedGraph(*given, threshold, places, edges, far, far_places, sections, sections.new_store())
    _pack(made, rows)
    return made


def _whole(cuts: NDArray[np.int64]) -> Store:
    """Make the store of each processor's bins as a rectangle."""
    return runtime.rectangles(cuts[::KINDS, 0], cuts[KINDS - 1 :: KINDS, 1] - 1)


def _far(layout: PartitionedGraph, rows: Rows) -> tuple[NDArray[np.int64], PairBuffers]:
    """Count the far destinations that the nn edges of each processor have, by owner, and list their places."""
    parts = layout.parts
    cuts = rows.cuts["columns"][kernels.NN :: KINDS]
    given = {"columns": rows.columns, "nn": runtime.rectangles(cuts[:, 0], cuts[:, 1] - 1)}
    counts, key = runtime.new_store(np.int64, parts * parts), runtime.register(layout.points)
    _count_far(parts, **given, counts=counts, table=layout.rows(parts), key=key)
    far = runtime.to_array(counts)[: parts * parts].reshape(parts, parts)
    places = PairBuffers(far)
    _list_far(parts, **given, far_places=places.store, outbox=places.outbox, key=key)
    runtime.finish()
    runtime.unregister(key)
    return far, places


def _pack(made: DegreeSeparatedGraph, rows: Rows) -> None:
    """Put the rows into the sections, with 32-bit local ids."""
    with runtime.registered((made, rows.cuts)) as key:
        _pack_edges(
            made.parts,
            given_offsets=rows.offsets,
            given_columns=rows.columns,
            places=runtime.from_array(made.places),
            packed=made.store,
            offsets=_whole(rows.cuts["offsets"]),
            columns=_whole(rows.cuts["columns"]),
            rows=made.sections.rows,
            key=key,
        )


def _far_of(point: int, columns: NDArray[np.uint32], points: NDArray[np.int64]) -> tuple[int, int, Any]:
    low, high = points[point : point + 2].tolist()
    members = np.empty(2 * words(int(points[-1])), np.uint64)
    kernels.mark_far(columns, low, high, members)
    return low, high, members


@runtime.task(inputs={"columns": "nn"}, outputs={"counts": "table"}, scalars={"key": int})
def _count_far(point: int, columns: Any, counts: Any, key: int) -> None:
    points = runtime.context(key)
    _, _, members = _far_of(point, columns, points)
    kernels.count_by_owner(members, points, counts)


@runtime.task(inputs={"columns": "nn"}, outputs={"far_places": "outbox"}, scalars={"key": int})
def _list_far(point: int, columns: Any, far_places: Any, key: int) -> None:
    _, _, members = _far_of(point, columns, runtime.context(key))
    sort_kernels.list_members(members, far_places)


@runtime.task(
    inputs={
        "given_offsets": "offsets",
        "given_columns": "columns",
        "places": None,
    },
    outputs={"packed": "rows"},
    scalars={"key": int},
)
def _pack_edges(point: int, offsets: Any, columns: Any, places: Any, packed: Any, key: int) -> None:
    made, cuts = runtime.context(key)
    graph = made.subgraphs(point, packed)
    for given, name in ((offsets, "offsets"), (columns, "columns")):
        bins = cuts[name][KINDS * point : KINDS * (point + 1)]
        outs = graph[:KINDS] if name == "offsets" else graph[KINDS : 2 * KINDS]
        for (first, end), out in zip((bins - bins[0, 0]).tolist(), outs, strict=True):
            out[:] = given[first:end]
    low, high, members = _far_of(point, graph.nn, made.points)
    kernels.number_columns(graph.nn, low, high, members)
    for row_offsets, mask in zip(graph[1:KINDS], (graph.nd_rows, graph.dn_rows, graph.dd_rows), strict=True):
        kernels.mark_rows(row_offsets, mask)
    graph.delegates[:] = places[: made.n_delegates]
