# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Build of a graph from edges in any order: groups them by destination.

Where there are several processes, every processor makes a slice of the edges and writes it grouped by block of
destinations (`lux.graph.construction.shuffle`); every block then reads its bucket of each slice, through an image of
rectangles, and sorts it (`lux.graph.construction.grouping`). No process holds the whole edge list unless it runs alone:
then all its threads group and sort the edges in one task (`lux.graph.construction.one_process`).
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import GraphError
from lux.graph.construction.destination_blocks import cut as blocks_of
from lux.graph.construction.edge_stores import GraphEdges, SortedEdges
from lux.graph.construction.grouping import Grouped
from lux.graph.construction.one_process import in_one_process
from lux.graph.construction.shuffle import AnyEdges, bucketed
from lux.graph.core.stored_graph import graph_bytes, id_dtype
from lux.partition import split_points
from lux.partition.split_points import MAX_PARTITIONS
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph

_log = logging.getLogger(__name__)


def build(source: AnyEdges, *, drop_loops: bool = False, drop_repeats: bool = False) -> Graph:
    """Make a graph of an edge source.

    Parameters
    ----------
    source : EdgeSource or StoredEdges or GraphEdges
        Undirected edges are stored in both directions, a self-loop once.
    drop_loops : bool
        Leave out edges from a vertex to itself.
    drop_repeats : bool
        Keep the first of edges with equal endpoints, in the source's order.

    Raises
    ------
    GraphError
        There are no vertices.
    MemoryNeededError
        Making the graph needs more memory than Legate was given (of another graph's edges this is not asked).

    Examples
    --------
    >>> from lux.graph.construction.generators import Grid
    >>> build(Grid(3, 4)).n_edges
    34
    """
    from lux.graph.graph import Graph

    if source.n_vertices == 0:
        raise GraphError("the graph is empty: it has no vertices, and a graph has at least one")
    types, began = dict(source.property_types), time.perf_counter()
    made = _on_gpu(source, drop_loops=drop_loops, drop_repeats=drop_repeats)
    if made is None:
        made = _on_cores(source, types, drop_loops=drop_loops, drop_repeats=drop_repeats)
    took = time.perf_counter() - began
    _log.info("graph of %d vertices and %d stored edges made in %.3g s", source.n_vertices, made.n_edges, took)
    return Graph(
        n_vertices=source.n_vertices,
        n_edges=made.n_edges,
        directed=source.directed,
        ids=source.ids,
        order=source.graph.order if isinstance(source, GraphEdges) and source.places is None else None,
        offsets=made.offsets,
        sources=made.sources,
        properties=made.properties,
        property_types=types,
    )


def _on_gpu(source: AnyEdges, *, drop_loops: bool, drop_repeats: bool) -> SortedEdges | None:
    """Make a graph's edges of a source on a GPU, if there is one with room and it is worth it."""
    if not runtime.gpus():
        return None
    from lux.graph.construction.gpu import edges as gpu_edges

    return gpu_edges.sorted_edges(source, drop_loops=drop_loops, drop_repeats=drop_repeats)


def _on_cores(
    source: AnyEdges, types: Mapping[str, np.dtype[Any]], *, drop_loops: bool, drop_repeats: bool
) -> SortedEdges:
    if not isinstance(source, GraphEdges):
        stored = source.n_edges * (1 if source.directed else 2)
        needed = bytes_needed(source.n_vertices, stored, types)
        runtime.check_memory(needed, f"making a graph of {source.n_vertices:,} vertices and {stored:,} edges")
    make = in_one_process if runtime.ranks() == 1 else _in_processes
    return make(source, types, drop_loops=drop_loops, drop_repeats=drop_repeats)


def bytes_needed(n_vertices: int, stored: int, types: Mapping[str, Any]) -> int:
    """Compute the bytes of Legate's memory, over all processes, for making a graph of ``stored`` in-edges.

    The shuffle holds two more copies of the edges while it runs: in the source's order, and by destination. One process
    alone holds them beside Legate's memory, and needs as much.

    >>> bytes_needed(10, 100, {})
    1336
    """
    return graph_bytes(n_vertices, stored, types) + graph_bytes(0, 2 * stored, types)


def _in_processes(
    source: AnyEdges, types: Mapping[str, np.dtype[Any]], *, drop_loops: bool, drop_repeats: bool
) -> SortedEdges:
    """Make a graph's edges by all processes; see `lux.graph.construction.one_process.in_one_process`."""
    blocks = min(runtime.processors(), source.n_vertices, MAX_PARTITIONS)
    cut = blocks_of(source.n_vertices, blocks, source.in_degrees() if isinstance(source, GraphEdges) else None)
    points = cut.points
    staged, counts = bucketed(source, cut, drop_loops, types)
    totals = counts.sum(axis=0)
    n_staged = int(totals.sum())
    ids = id_dtype(source.n_vertices)
    at = split_points.starts(totals)
    offsets = runtime.new_store(np.int64, source.n_vertices + 1, of_graph=True)
    sources = runtime.new_store(ids, n_staged, of_graph=True)
    properties = {n: runtime.new_store(t, n_staged, of_graph=True) for n, t in types.items()}
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
    final_at = split_points.starts(kept)
    _shift(blocks, block_starts=runtime.from_array(final_at), offsets=offsets, vertices=splits["vertices"])
    if final_at[-1] != n_staged:
        sources, properties = _compact(blocks, at, final_at, kept, sources, properties)
    return SortedEdges(int(final_at[-1]), offsets, sources, properties)


def _last_extended(points: NDArray[np.int64]) -> Store:
    """Make vertex ranges whose last one also holds the end of the last vertex's edges."""
    ends = points.copy()
    ends[-1] += 1
    return runtime.ranges(ends)


def _bucket_rectangles(counts: NDArray[np.int64]) -> Store:
    """Make each block's rectangles of its buckets, one in each slice (slices lie one after the other)."""
    slices, blocks = counts.shape
    starts = np.concatenate([[0], np.cumsum(counts.ravel())])[:-1].reshape(slices, blocks)
    # Block-major: rectangles b * slices to (b + 1) * slices - 1 belong to block b.
    first, last = starts.T.ravel(), (starts + counts - 1).T.ravel()
    return runtime.rectangles(first, last)


@functools.cache
def _sort_launcher(names: tuple[str, ...]) -> Launcher:
    def sort(
        point: int, counts: NDArray[np.int64], points: NDArray[np.int64], sources: Any, destinations: Any, *rest: Any
    ) -> None:
        values, (offsets, out_sources, kept), outs = (
            rest[: len(names)],
            rest[len(names) : len(names) + 3],
            rest[len(names) + 3 : -1],
        )
        blocks = len(points) - 1
        starts = (np.concatenate([[0], np.cumsum(counts)])[:-1]).reshape(-1, blocks)[:, point]
        sizes = counts.reshape(-1, blocks)[:, point]
        present = sizes > 0
        base = starts[present].min() if present.any() else 0
        pieces = [slice(s - base, s - base + n) for s, n in zip(starts, sizes, strict=True) if n]
        lo, hi = int(points[point]), int(points[point + 1])
        own = offsets[: hi - lo + 1] if point == blocks - 1 else np.empty(hi - lo + 1, np.int64)

        def buckets() -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
            return ((sources[piece], destinations[piece]) for piece in pieces)

        grouped = Grouped([buckets], lo, hi, int(points[-1]), own, drop_repeats=bool(rest[-1]), numbered=bool(names))
        kept[0] = grouped.n_edges
        grouped.place(out_sources, own)
        if point != blocks - 1:
            offsets[:] = own[:-1]
        for value, out in zip(values, outs, strict=True):
            grouped.place_values(np.concatenate([value[piece] for piece in pieces] or [value[:0]]), out)

    return Launcher(
        sort,
        inputs={"counts": None, "block_points": None}
        | dict.fromkeys(("sources", "destinations", *(f"in_edge_{n}" for n in names)), "buckets"),
        outputs={"offsets": "vertices", "out_sources": "edges", "kept": "one"}
        | {f"out_edge_{n}": "edges" for n in names},
        scalars={"drop_repeats": int},
        grouped={"buckets": "bucket_rows"},
    )


@runtime.task(inputs={"block_starts": None}, updates={"offsets": "vertices"})
def _shift(point: int, starts: NDArray[np.int64], offsets: NDArray[np.int64]) -> None:
    offsets += starts[point]


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
        out = runtime.new_store(column.dtype, int(final_at[-1]), of_graph=True)
        _move(blocks, before=column, after=out, **splits)
        return out

    return moved(sources), {n: moved(p) for n, p in properties.items()}


@runtime.task(inputs={"before": "old"}, outputs={"after": "new"})
def _move(_point: int, before: NDArray[Any], after: NDArray[Any]) -> None:
    after[:] = before
