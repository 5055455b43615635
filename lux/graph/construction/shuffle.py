# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The distributed shuffle that graphs are made by: groups edges in any order by block of destinations.

Every processor makes a slice of the edges, twice: it counts the edges of each block, then it fills the blocks' buckets.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.destination_blocks import Blocks
from lux.graph.construction.edge_list import EdgeSource
from lux.graph.construction.edge_stores import GraphEdges, StoredEdges
from lux.graph.construction.sharded import ShardedEdges
from lux.graph.core.partitions import Partitions
from lux.graph.core.stored_graph import id_dtype
from lux.partition import split_points
from lux.runtime import CheckedLauncher, Store

AnyEdges = EdgeSource | StoredEdges | GraphEdges
"""Edges that graphs are made of."""


def bucketed(
    source: AnyEdges, cut: Blocks, drop_loops: bool, types: Mapping[str, Any]
) -> tuple[dict[str, Store], NDArray[np.int64]]:
    """Group the edges of each slice by the block of the destination, in as many slices as there are blocks.

    Returns
    -------
    columns : dict of str to Store of shape (n,)
        ``sources``, ``destinations`` and ``edge_NAME``, of all edges that are kept, in both directions where the source
        is undirected.
    counts : array of shape (slices, blocks), int64
        Edges in each bucket; buckets lie one after the other, slice by slice.
    """
    slices = blocks = len(cut.points) - 1
    inputs, given, used, cuts = given_stores(source, slices)
    given |= used
    taken = tuple(inputs.items())
    with runtime.registered((source, cuts, cut)) as key:
        counts_store = runtime.new_store(np.int64, slices * blocks)
        row = runtime.ranges(np.arange(slices + 1, dtype=np.int64) * blocks)
        one = {"drop_loops": int(drop_loops), "key": key}
        _count_launcher(taken)(slices, counts=counts_store, rows=row, **given, **one)
        counts = runtime.to_array(counts_store)[: slices * blocks].reshape(slices, blocks)
        at = split_points.starts(counts.sum(axis=1))
        ids = id_dtype(source.n_vertices)
        columns = {"sources": ids, "destinations": ids} | {f"edge_{n}": t for n, t in types.items()}
        staged = {n: runtime.new_store(t, int(at[-1]), of_graph=True) for n, t in columns.items()}
        out = {f"out_{column}": store for column, store in staged.items()}
        _fill_launcher(tuple(types), taken)(
            slices, counts=counts_store, rows=row, slices=runtime.ranges(at), **given, **out, **one
        )
    return staged, counts


def given_stores(
    source: AnyEdges, slices: int
) -> tuple[dict[str, str | None], dict[str, Store], dict[str, Store], NDArray[np.int64]]:
    """Return how launches use the stores that hold the edges (none for an `EdgeSource`).

    Returns
    -------
    inputs : dict of str to str or None
        Name of each store, and its split.
    stores, splits : dict of str to Store
    cuts : array of shape (slices + 1,), int64
        First edge of each slice; of a graph's edges, the first vertex.
    """
    if isinstance(source, GraphEdges):
        graph = source.graph
        layout = Partitions(graph, split_points.balanced_points(runtime.to_array(graph.offsets), slices))
        places = runtime.from_array(np.zeros(1, np.uint32)) if source.places is None else source.places
        stores = {"in_offsets": graph.offsets, "places": places, "in_sources": graph.sources}
        inputs: dict[str, str | None] = {"in_offsets": "offsets", "places": None, "in_sources": "edges"}
        cuts, properties = layout.points, graph.properties
        used = {n: layout.splits[n] for n in ("offsets", "edges")}
    else:
        cuts = np.linspace(0, source.n_edges, slices + 1).astype(np.int64)
        if isinstance(source, ShardedEdges):
            return {}, {}, {}, source.cuts(slices)
        if not isinstance(source, StoredEdges):
            return {}, {}, {}, cuts
        stores = {"in_sources": source.sources, "in_destinations": source.destinations}
        inputs = {"in_sources": "edges", "in_destinations": "edges"}
        used, properties = {"edges": runtime.ranges(cuts)}, dict(source.properties)
    edges = {f"in_edge_{n}": properties[n] for n in source.property_types}
    return inputs | dict.fromkeys(edges, "edges"), stores | edges, used, cuts


def graph_slice(
    source: GraphEdges, lo: int, offsets: NDArray[np.int64], places: NDArray[Any], sources: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return sources and destinations of the edges of some of a graph's vertices, from ``lo`` on."""
    from lux.graph.construction import sort_kernels

    destinations = sort_kernels.row_numbers(offsets, lo, np.empty_like(sources))
    if source.places is not None:
        sources, destinations = places[sources], places[destinations]
    return (destinations, sources) if source.reverse else (sources, destinations)


def _slice(point: int, key: int, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return this point's slice: of the registered edge source, of stored edges, or of a graph's stores."""
    source, cuts, blocks = runtime.context(key)
    names = tuple(source.property_types)
    if isinstance(source, StoredEdges):
        sources, destinations, *values = given
        return sources, destinations, dict(zip(names, values, strict=True)), blocks, not source.directed
    if isinstance(source, GraphEdges):
        offsets, places, sources, *values = given
        ends = graph_slice(source, int(cuts[point]), offsets, places, sources)
        return *ends, dict(zip(names, values, strict=True)), blocks, source.mirror
    lo, hi = int(cuts[point]), int(cuts[point + 1])
    ids = id_dtype(source.n_vertices)
    sources, destinations = np.empty(hi - lo, ids), np.empty(hi - lo, ids)
    properties = {n: np.empty(hi - lo, t) for n, t in source.property_types.items()}
    source.fill(lo, hi, sources, destinations, properties)
    return sources, destinations, properties, blocks, not source.directed


@functools.cache
def _count_launcher(taken: tuple[tuple[str, str | None], ...]) -> CheckedLauncher:
    from lux.graph.construction import sort_kernels

    inputs = dict(taken)

    def count(point: int, *values: Any) -> None:
        given, (counts, drop_loops, key) = values[: len(inputs)], values[len(inputs) :]
        sources, destinations, _, blocks, mirror = _slice(point, key, given)
        sort_kernels.count_buckets(sources, destinations, blocks.of, blocks.shift, mirror, bool(drop_loops), counts)

    return CheckedLauncher(count, inputs=inputs, outputs={"counts": "rows"}, scalars={"drop_loops": int, "key": int})


@functools.cache
def _fill_launcher(names: tuple[str, ...], taken: tuple[tuple[str, str | None], ...]) -> CheckedLauncher:
    from lux.graph.construction import sort_kernels

    inputs = dict(taken)

    def fill(point: int, *values: Any) -> None:
        given, counts, rest = values[: len(inputs)], values[len(inputs)], values[len(inputs) + 1 :]
        out_sources, out_destinations, *outs = rest[:-2]
        drop_loops, key = rest[-2:]
        sources, destinations, properties, blocks, mirror = _slice(point, key, given)
        at = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        edges = np.empty(len(out_sources) if names else 0, np.int64)
        of, outs_of_edges = (blocks.of, blocks.shift), (out_sources, out_destinations, edges)
        sort_kernels.fill_buckets(sources, destinations, *of, mirror, bool(drop_loops), at, *outs_of_edges)
        for name, out in zip(names, outs, strict=True):
            np.take(properties[name], edges, out=out)

    columns = ("sources", "destinations", *(f"edge_{n}" for n in names))
    return CheckedLauncher(
        fill,
        inputs=inputs | {"counts": "rows"},
        outputs={f"out_{column}": "slices" for column in columns},
        scalars={"drop_loops": int, "key": int},
    )
