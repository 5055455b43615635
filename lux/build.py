# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges that come in any order become a graph grouped by destination: a distributed shuffle.

Every processor makes a slice of the edges and writes it grouped by destination block (two passes: count, then
fill); every block then reads its bucket of each slice, through an image of rectangles, and sorts it. No process
holds the whole edge list unless it runs alone.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import degrees, partition, runtime
from lux.blocks import Blocks
from lux.blocks import cut as blocks_of
from lux.edges import EdgeSource, id_dtype
from lux.errors import GraphError
from lux.ids import Identity, VertexIds
from lux.partition import MAX_PARTITIONS
from lux.runtime import CheckedLauncher, Launcher, Store

if TYPE_CHECKING:
    from lux.graph import Graph


def build(
    source: EdgeSource | StoredEdges | GraphEdges, *, drop_loops: bool = False, drop_repeats: bool = False
) -> Graph:
    """Make a graph of an edge source.

    Parameters
    ----------
    source : EdgeSource or StoredEdges or GraphEdges
        Undirected edges are stored in both directions, a self-loop once.
    drop_loops : bool
        Leave out edges from a vertex to itself.
    drop_repeats : bool
        Of edges with equal endpoints keep the first in the source's order.
    """
    from lux.graph import Graph

    if source.n_vertices == 0:
        raise GraphError("the graph is empty: it has no vertices")
    blocks = min(runtime.processors(), source.n_vertices, MAX_PARTITIONS)
    cut = blocks_of(source.n_vertices, blocks, source.in_degrees() if isinstance(source, GraphEdges) else None)
    points = cut.points
    types = dict(source.property_types)
    if not isinstance(source, GraphEdges):
        stored = source.n_edges * (1 if source.directed else 2)
        needed = bytes_needed(source.n_vertices, stored, types)
        runtime.check_memory(needed, f"making a graph of {source.n_vertices:,} vertices and {stored:,} edges")
    staged, counts = _stage(source, cut, drop_loops, types)
    totals = counts.sum(axis=0)
    n_staged = int(totals.sum())
    ids = id_dtype(source.n_vertices)
    at = partition.starts(totals)
    offsets = runtime.new_store(np.int64, source.n_vertices + 1)
    sources = runtime.new_store(ids, n_staged)
    properties = {n: runtime.new_store(t, n_staged) for n, t in types.items()}
    kept_store = runtime.new_store(np.int64, blocks)
    splits = {
        "buckets": _bucket_rectangles(counts),
        "bucket_rows": runtime.ranges(np.arange(blocks + 1, dtype=np.int64) * blocks),
        "vertices": _last_extended(points),
        "edges": runtime.ranges(at),
        "one": runtime.ranges(np.arange(blocks + 1, dtype=np.int64)),
    }
    _sort_launcher(tuple(types))(
        blocks,
        counts=runtime.from_array(counts.ravel()),
        block_points=runtime.from_array(points),
        sources=staged["sources"],
        destinations=staged["destinations"],
        **{f"in_edge_{n}": staged[f"edge_{n}"] for n in types},
        offsets=offsets,
        out_sources=sources,
        kept=kept_store,
        **{f"out_edge_{n}": p for n, p in properties.items()},
        **splits,
        drop_repeats=int(drop_repeats),
    )
    kept = runtime.to_array(kept_store)[:blocks]
    final_at = partition.starts(kept)
    _shift_launcher()(blocks, block_starts=runtime.from_array(final_at), offsets=offsets, vertices=splits["vertices"])
    if final_at[-1] != n_staged:
        sources, properties = _compact(blocks, at, final_at, kept, sources, properties)
    return Graph(
        n_vertices=source.n_vertices,
        n_edges=int(final_at[-1]),
        directed=source.directed,
        ids=source.ids,
        order=source.graph.order if isinstance(source, GraphEdges) and source.places is None else None,
        offsets=offsets,
        sources=sources,
        properties=properties,
        property_types=types,
    )


def bytes_needed(n_vertices: int, stored: int, types: Mapping[str, Any]) -> int:
    """Bytes of Legate's memory that making a graph of ``stored`` in-edges takes, over all processes.

    The shuffle holds two more copies of the edges while it runs: as they came, and by destination.

    >>> bytes_needed(10, 100, {})
    1336
    """
    from lux.graph import graph_bytes

    return graph_bytes(n_vertices, stored, types) + graph_bytes(0, 2 * stored, types)


def _last_extended(points: NDArray[np.int64]) -> Store:
    """Vertex ranges whose last one also holds the end of the last vertex's edges."""
    ends = points.copy()
    ends[-1] += 1
    return runtime.ranges(ends)


@dataclass(frozen=True)
class StoredEdges:
    """Edges in Legion, in any order, as the source of a graph.

    Attributes
    ----------
    n_vertices, n_edges : int
    sources, destinations : Store of shape (n_edges,), uint32 or uint64
    properties : mapping of name to Store of shape (n_edges,)
    directed : bool
        False: each edge is listed once and stands for both directions.
    """

    n_vertices: int
    n_edges: int
    sources: Store
    destinations: Store
    properties: Mapping[str, Store]
    directed: bool

    @property
    def ids(self) -> VertexIds:
        """Vertices are named by their dense ids."""
        return Identity(self.n_vertices)

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """The edge properties and their types."""
        return {name: np.dtype(store.dtype) for name, store in self.properties.items()}


@dataclass(frozen=True)
class GraphEdges:
    """The edges of a graph as the source of another: reversed, in both directions, or with its vertices moved.

    ``places`` has the new place of the vertex that is stored at each place.
    """

    graph: Graph
    reverse: bool = False
    mirror: bool = False
    places: Store | None = None

    @property
    def n_vertices(self) -> int:
        """As in the graph."""
        return self.graph.n_vertices

    @property
    def ids(self) -> VertexIds:
        """As in the graph."""
        return self.graph.ids

    @property
    def directed(self) -> bool:
        """Whether the new graph is; an undirected graph's edges are all there in both directions."""
        return not self.mirror and self.graph.directed

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """As in the graph."""
        return self.graph.property_types

    def in_degrees(self) -> NDArray[np.int64]:
        """In-degrees of the new graph, by the new places."""
        graph = self.graph
        incoming: NDArray[Any] = degrees.in_degrees(graph)
        if self.reverse or self.mirror:
            outgoing = runtime.to_array(graph.out_degree_store)[: self.n_vertices]
            incoming = outgoing + (incoming if self.mirror else 0)
        if self.places is None:
            return incoming.astype(np.int64)
        moved = np.empty(self.n_vertices, np.int64)
        moved[runtime.to_array(self.places)[: self.n_vertices]] = incoming
        return moved


def _stage(
    source: EdgeSource | StoredEdges | GraphEdges, cut: Blocks, drop_loops: bool, types: Mapping[str, Any]
) -> tuple[dict[str, Store], NDArray[np.int64]]:
    """Both passes over the slices; returns the staged columns and the counts of shape (slices, blocks)."""
    slices = blocks = len(cut.points) - 1
    inputs, given, cuts = _given(source, slices)
    taken = tuple(inputs.items())
    key = runtime.share((source, cuts, cut))
    counts_store = runtime.new_store(np.int64, slices * blocks)
    row = runtime.ranges(np.arange(slices + 1, dtype=np.int64) * blocks)
    one = {"drop_loops": int(drop_loops), "key": key}
    _count_launcher(taken)(slices, counts=counts_store, rows=row, **given, **one)
    counts = runtime.to_array(counts_store)[: slices * blocks].reshape(slices, blocks)
    at = partition.starts(counts.sum(axis=1))
    ids = id_dtype(source.n_vertices)
    columns = {"sources": ids, "destinations": ids} | {f"edge_{n}": t for n, t in types.items()}
    staged = {n: runtime.new_store(t, int(at[-1])) for n, t in columns.items()}
    out = {f"out_{column}": store for column, store in staged.items()}
    _fill_launcher(tuple(types), taken)(
        slices, counts=counts_store, rows=row, slices=runtime.ranges(at), **given, **out, **one
    )
    runtime.finish()
    runtime.unshare(key)
    return staged, counts


def _given(
    source: EdgeSource | StoredEdges | GraphEdges, slices: int
) -> tuple[dict[str, str | None], dict[str, Store], Any]:
    """The stores that hold the edges, with their splits (none of an `EdgeSource`), and where slices are cut."""
    if isinstance(source, GraphEdges):
        graph, layout = source.graph, source.graph.layout(slices)
        places = runtime.from_array(np.zeros(1, np.uint32)) if source.places is None else source.places
        stores = {"in_offsets": graph.offsets, "places": places, "in_sources": graph.sources}
        inputs: dict[str, str | None] = {"in_offsets": "offsets", "places": None, "in_sources": "edges"}
        cuts, properties = layout.points.tolist(), graph.properties
        used = {n: layout.splits[n] for n in ("offsets", "edges")}
    else:
        cuts = np.linspace(0, source.n_edges, slices + 1).astype(np.int64)
        if not isinstance(source, StoredEdges):
            return {}, {}, cuts
        stores = {"in_sources": source.sources, "in_destinations": source.destinations}
        inputs = {"in_sources": "edges", "in_destinations": "edges"}
        used, properties = {"edges": runtime.ranges(cuts)}, dict(source.properties)
    edges = {f"in_edge_{n}": properties[n] for n in source.property_types}
    return inputs | dict.fromkeys(edges, "edges"), stores | edges | used, cuts


def _slice(point: int, key: int, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """This point's slice: of the shared edge source, of stored edges, or of a graph's stores."""
    from lux.kernels import grouping

    source, cuts, blocks = runtime.shared(key)
    names = tuple(source.property_types)
    if isinstance(source, StoredEdges):
        sources, destinations, *values = given
        return sources, destinations, dict(zip(names, values, strict=True)), blocks, not source.directed
    if isinstance(source, GraphEdges):
        offsets, places, sources, *values = given
        destinations = grouping.row_numbers(offsets, cuts[point], np.empty_like(sources))
        if source.places is not None:
            sources, destinations = places[sources], places[destinations]
        if source.reverse:
            sources, destinations = destinations, sources
        return sources, destinations, dict(zip(names, values, strict=True)), blocks, source.mirror
    lo, hi = int(cuts[point]), int(cuts[point + 1])
    ids = id_dtype(source.n_vertices)
    sources, destinations = np.empty(hi - lo, ids), np.empty(hi - lo, ids)
    properties = {n: np.empty(hi - lo, t) for n, t in source.property_types.items()}
    source.fill(lo, hi, sources, destinations, properties)
    return sources, destinations, properties, blocks, not source.directed


@functools.cache
def _count_launcher(taken: tuple[tuple[str, str | None], ...]) -> CheckedLauncher:
    from lux.kernels import grouping

    inputs = dict(taken)

    def count(point: int, *values: Any) -> None:
        given, (counts, drop_loops, key) = values[: len(inputs)], values[len(inputs) :]
        sources, destinations, _, blocks, mirror = _slice(point, key, given)
        grouping.count_buckets(sources, destinations, blocks.of, blocks.shift, mirror, bool(drop_loops), counts)

    return CheckedLauncher(count, inputs=inputs, outputs={"counts": "rows"}, scalars={"drop_loops": int, "key": int})


@functools.cache
def _fill_launcher(names: tuple[str, ...], taken: tuple[tuple[str, str | None], ...]) -> CheckedLauncher:
    from lux.kernels import grouping

    inputs = dict(taken)

    def fill(point: int, *values: Any) -> None:
        given, counts, rest = values[: len(inputs)], values[len(inputs)], values[len(inputs) + 1 :]
        out_sources, out_destinations, *outs = rest[:-2]
        drop_loops, key = rest[-2:]
        sources, destinations, properties, blocks, mirror = _slice(point, key, given)
        at = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        edges = np.empty(len(out_sources) if names else 0, np.int64)
        of, outs_of_edges = (blocks.of, blocks.shift), (out_sources, out_destinations, edges)
        grouping.fill_buckets(sources, destinations, *of, mirror, bool(drop_loops), at, *outs_of_edges)
        for name, out in zip(names, outs, strict=True):
            np.take(properties[name], edges, out=out)

    columns = ("sources", "destinations", *(f"edge_{n}" for n in names))
    return CheckedLauncher(
        fill,
        inputs=inputs | {"counts": "rows"},
        outputs={f"out_{column}": "slices" for column in columns},
        scalars={"drop_loops": int, "key": int},
    )


def _bucket_rectangles(counts: NDArray[np.int64]) -> Store:
    """For each block the rectangles of its buckets, one in each slice (slices lie one after the other)."""
    slices, blocks = counts.shape
    starts = np.concatenate([[0], np.cumsum(counts.ravel())])[:-1].reshape(slices, blocks)
    # Block-major: rectangles b * slices to (b + 1) * slices - 1 belong to block b.
    first, last = starts.T.ravel(), (starts + counts - 1).T.ravel()
    return runtime.rectangles(first, last)


@functools.cache
def _sort_launcher(names: tuple[str, ...]) -> Launcher:
    from lux.kernels import grouping

    def sort(
        point: int, counts: NDArray[np.int64], points: NDArray[np.int64], sources: Any, destinations: Any, *rest: Any
    ) -> None:
        values, (offsets, out_sources, kept), outs = (
            rest[: len(names)],
            rest[len(names) : len(names) + 3],
            rest[len(names) + 3 : -1],
        )
        blocks = len(points) - 1
        table = counts.reshape(-1, blocks)
        starts = (np.concatenate([[0], np.cumsum(counts)])[:-1]).reshape(-1, blocks)[:, point]
        sizes = table[:, point]
        present = sizes > 0
        base = starts[present].min() if present.any() else 0

        def gathered(column: Any) -> Any:
            return np.concatenate(
                [column[s - base : s - base + n] for s, n in zip(starts, sizes, strict=True) if n] or [column[:0]]
            )

        lo, hi = int(points[point]), int(points[point + 1])
        own = offsets[: hi - lo + 1] if point == blocks - 1 else np.empty(hi - lo + 1, np.int64)
        n, order = grouping.sort_block(
            gathered(sources),
            gathered(destinations),
            lo,
            hi,
            int(points[-1]),
            bool(rest[-1]),
            own,
            out_sources,
            bool(names),
        )
        if point != blocks - 1:
            offsets[:] = own[:-1]
        kept[0] = n
        for value, out in zip(values, outs, strict=True):
            out[:n] = gathered(value)[order]

    return Launcher(
        sort,
        inputs={"counts": None, "block_points": None}
        | dict.fromkeys(("sources", "destinations", *(f"in_edge_{n}" for n in names)), "buckets"),
        outputs={"offsets": "vertices", "out_sources": "edges", "kept": "one"}
        | {f"out_edge_{n}": "edges" for n in names},
        scalars={"drop_repeats": int},
        grouped={"buckets": "bucket_rows"},
    )


@functools.cache
def _shift_launcher() -> Launcher:
    def shift(point: int, starts: NDArray[np.int64], offsets: NDArray[np.int64]) -> None:
        offsets += starts[point]

    return Launcher(shift, inputs={"block_starts": None}, updates={"offsets": "vertices"})


def _compact(
    blocks: int,
    at: NDArray[np.int64],
    final_at: NDArray[np.int64],
    kept: NDArray[np.int64],
    sources: Store,
    properties: dict[str, Store],
) -> tuple[Store, dict[str, Store]]:
    """Close the gaps that dropped edges left at the end of each block."""
    splits = {"old": runtime.rectangles(at[:-1], at[:-1] + kept - 1), "new": runtime.ranges(final_at)}

    def moved(column: Store) -> Store:
        out = runtime.new_store(column.dtype, int(final_at[-1]))
        _move_launcher()(blocks, before=column, after=out, **splits)
        return out

    return moved(sources), {n: moved(p) for n, p in properties.items()}


@functools.cache
def _move_launcher() -> Launcher:
    def move(_point: int, before: NDArray[Any], after: NDArray[Any]) -> None:
        after[:] = before

    return Launcher(move, inputs={"before": "old"}, outputs={"after": "new"})
