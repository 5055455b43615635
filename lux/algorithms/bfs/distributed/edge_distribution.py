# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Distribution of a graph's edges to processors by any rule: a distributed shuffle, and rows of each processor's edges.

A rule says of every edge to which bin it goes, and its row and column there; a processor may have several bins, one
after the other. As in `lux.graph.construction.shuffle`, each partition counts, then writes its edges grouped by bin,
and every bin reads its piece of each partition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed import edge_distribution_kernels
from lux.graph.core.partitions import cut, rectangles
from lux.partition.split_points import starts
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph

Rule = Callable[[NDArray[Any], NDArray[Any]], tuple[NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint32]]]
"""``rule(sources, destinations)``: bin, row and column of each edge; a negative bin leaves it out."""


@dataclass(frozen=True)
class DistributedEdges:
    """The edges of each bin, in the order of destinations, then sources.

    Attributes
    ----------
    rows, columns : Store of shape (n_edges,), uint32
    at : np.ndarray of shape (bins + 1,), int64
        First edge of each bin.
    """

    rows: Store
    columns: Store
    at: NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """The edges of each bin, sorted by row.

    Attributes
    ----------
    offsets : Store, int64 or as `by_row` was asked
        For each bin the first edge of each row, counted from the bin's first, and the end of its last row.
    columns : Store of shape (n_edges,), uint32
        Columns ascend within a row.
    cuts : dict of str to np.ndarray of shape (bins, 2), int64
        Part of ``offsets`` and ``columns`` that is each bin's: first element, and end.
    """

    offsets: Store
    columns: Store
    cuts: dict[str, NDArray[np.int64]]

    @cached_property
    def splits(self) -> dict[str, Store]:
        """``cuts`` as stores of rectangles."""
        return rectangles(self.cuts)

    @property
    def nbytes(self) -> int:
        """Bytes of both stores."""
        return self.offsets.nbytes + self.columns.nbytes


def distribute(graph: Graph, bins: int, rule: Rule) -> DistributedEdges:
    """Distribute the edges of ``graph`` to ``bins`` bins.

    The rule takes places, and is alike on every rank. Tasks call it twice, and it must not raise.
    """
    layout = graph.whole_layout()
    slices = layout.parts
    with runtime.registered((rule, layout.points.tolist())) as key:
        given = {"in_offsets": graph.offsets, "sources": graph.sources}
        given |= {name: layout.splits[name] for name in ("offsets", "edges")}
        counts_store = runtime.new_store(np.int64, slices * bins)
        _count(slices, **given, counts=counts_store, table=layout.rows(bins), key=key)
        counts = runtime.to_array(counts_store)[: slices * bins].reshape(slices, bins)
        staged_at, at = starts(counts.sum(axis=1)), starts(counts.sum(axis=0))
        staged = runtime.new_store(np.uint32, int(at[-1])), runtime.new_store(np.uint32, int(at[-1]))
        distributed = runtime.new_store(np.uint32, int(at[-1])), runtime.new_store(np.uint32, int(at[-1]))
        _fill(
            slices,
            **given,
            counts=counts_store,
            staged_rows=staged[0],
            staged_columns=staged[1],
            table=layout.rows(bins),
            staged=runtime.ranges(staged_at),
            key=key,
        )
        first = starts(counts.ravel())[:-1].reshape(slices, bins)
        _collect(
            bins,
            counts=counts_store,
            staged_rows=staged[0],
            staged_columns=staged[1],
            rows=distributed[0],
            columns=distributed[1],
            pieces=runtime.rectangles(first.T.ravel(), (first + counts - 1).T.ravel()),
            pieces_of=runtime.ranges(np.arange(bins + 1, dtype=np.int64) * slices),
            bins=runtime.ranges(at),
            slices=slices,
        )
    return DistributedEdges(distributed[0], distributed[1], at)


def by_row(edges: DistributedEdges, n_rows: NDArray[np.int64], offsets: Any = np.int64) -> Rows:
    """Sort every bin's edges by row.

    Parameters
    ----------
    edges : DistributedEdges
        Columns must ascend within a row already.
    n_rows : np.ndarray of shape (bins,), int64
        Rows of each bin.
    offsets : dtype
        Type of the offsets, which must hold the number of edges of every bin.
    """
    row_at, bins = starts(n_rows + 1), len(n_rows)
    cuts = {"offsets": cut(row_at), "columns": cut(edges.at)}
    out = Rows(runtime.new_store(offsets, int(row_at[-1])), runtime.new_store(np.uint32, int(edges.at[-1])), cuts)
    _sort(
        bins,
        rows=edges.rows,
        before=edges.columns,
        out_offsets=out.offsets,
        after=out.columns,
        **out.splits,
    )
    return out


@runtime.task(inputs={"in_offsets": "offsets", "sources": "edges"}, outputs={"counts": "table"}, scalars={"key": int})
def _count(point: int, offsets: NDArray[np.int64], sources: NDArray[Any], counts: Any, key: int) -> None:
    rule, points = runtime.context(key)
    bins, _, _ = rule(*_edges(points[point], offsets, sources))
    edge_distribution_kernels.count(bins, counts)


@runtime.task(
    inputs={"in_offsets": "offsets", "sources": "edges", "counts": "table"},
    outputs={"staged_rows": "staged", "staged_columns": "staged"},
    scalars={"key": int},
)
def _fill(point: int, offsets: Any, sources: Any, counts: Any, rows: Any, columns: Any, key: int) -> None:
    rule, points = runtime.context(key)
    bins, kept_rows, kept_columns = rule(*_edges(points[point], offsets, sources))
    edge_distribution_kernels.group(bins, kept_rows, kept_columns, starts(counts)[:-1], rows, columns)


def _edges(first: int, offsets: NDArray[np.int64], sources: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """List the sources and destinations of a partition that begins at vertex ``first``."""
    from lux.graph.construction import sort_kernels

    return sources, sort_kernels.row_numbers(offsets, first, np.empty_like(sources))


@runtime.task(
    inputs={"counts": None, "staged_rows": "pieces", "staged_columns": "pieces"},
    outputs={"rows": "bins", "columns": "bins"},
    scalars={"slices": int},
    grouped={"pieces": "pieces_of"},
)
def _collect(
    point: int, counts: Any, staged_rows: Any, staged_columns: Any, rows: Any, columns: Any, slices: int
) -> None:
    table = counts.reshape(slices, -1)
    first, sizes = starts(counts)[:-1].reshape(table.shape)[:, point], table[:, point]
    present = sizes > 0
    if not present.any():
        return
    # A point's part of the store begins with its first piece.
    pieces = [slice(at, at + size) for at, size in zip(first - first[present][0], sizes, strict=True) if size]
    for before, after in ((staged_rows, rows), (staged_columns, columns)):
        np.concatenate([before[piece] for piece in pieces], out=after)


@runtime.task(inputs={"rows": "columns", "before": "columns"}, outputs={"out_offsets": "offsets", "after": "columns"})
def _sort(_point: int, rows: Any, before: Any, offsets: Any, after: Any) -> None:
    edge_distribution_kernels.sort_by_row(rows, before, offsets, after)
