# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Warp work: the data that a partition's kernel reads besides the graph and the fields.

Each partition's rows are binned where they are, so that no process knows the rows of all.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.indexes.degree_bins import DegreeBins, most_items
from lux.partition import split_points
from lux.runtime import Launcher

if TYPE_CHECKING:
    from lux.graph.core.partitions import Partitions
    from lux.runtime import Store


@dataclass(frozen=True)
class WarpWork:
    """A partition's own data for its kernel, in one store, as each store makes a launch slower.

    The data are split points, the partition's rows by class of degrees, unless all partitions store them so, and these
    rows as work for warps.

    Attributes
    ----------
    store : Store of uint32
    starts : np.ndarray of shape (parts + 1,)
        Begin of each partition's part.
    at : dict of str to np.ndarray of shape (parts,)
        Offset of each array in its part, in bytes.
    n_items, n_segments : list of int
        Items of each partition, and those that are segments of hubs, which come first.
    """

    store: Store
    starts: NDArray[np.int64]
    at: dict[str, NDArray[np.int64]]
    n_items: list[int]
    n_segments: list[int]

    @cached_property
    def rows(self) -> Store:
        """The parts as rectangles."""
        return runtime.ranges(self.starts)


class WorkRoom:
    """Places for the data of `WarpWork`, before it is known how many items there are.

    Attributes
    ----------
    tables : np.ndarray of shape (2 * (parts + 1),), int64
        Split points, and begins of the partitions' words of a frontier.
    n_rows, n_edges : np.ndarray of shape (parts,), int64
    starts : np.ndarray of shape (parts + 1,), int64
        Begin of each partition's part, in words of 32 bits.
    items_at : np.ndarray of shape (parts,), int64
        Begin of the items in each part, likewise.
    """

    def __init__(self, layout: Partitions) -> None:
        self.tables = np.concatenate([layout.points, layout.word_at]).astype(np.int64)
        self.n_rows, self.n_edges = np.diff(layout.points), np.diff(layout.edge_points)
        pairs = zip(self.n_rows.tolist(), self.n_edges.tolist(), strict=True)
        most = np.array([most_items(rows, edges) for rows, edges in pairs], np.int64)
        self.items_at = 2 * len(self.tables) + self.n_rows + self.n_rows % 2  # even numbers, as items have two
        self.starts = split_points.starts(self.items_at + 2 * most)

    def store(self) -> Store:
        """Make the store."""
        return runtime.new_store(np.uint32, int(self.starts[-1]), touched=False)

    def work(self, store: Store, counts: NDArray[np.int64], *, ordered: bool) -> WarpWork:
        """Describe what a store has been filled with.

        Parameters
        ----------
        store : Store
        counts : np.ndarray of shape (parts, 2), int64
            Items of each partition, and segments among them.
        ordered : bool
            True if all partitions store their rows by class, so that nothing has to tell which row is where.
        """
        half, each = 4 * len(self.tables), np.ones(len(self.n_rows), np.int64)
        at = {"points": 0 * each, "word_at": half * each, "rows": 2 * half * each, "items": 4 * self.items_at}
        if ordered:
            del at["rows"]
        return WarpWork(store, self.starts, at, counts[:, 0].tolist(), counts[:, 1].tolist())


def on_cores(layout: Partitions) -> WarpWork:
    """Bin the rows of all partitions by tasks on CPU cores. All processes must call this at the same place."""
    room = WorkRoom(layout)
    store = room.store()
    counts = runtime.new_store(np.int64, 3 * layout.parts)
    with runtime.registered((room.tables, layout.points, room.items_at)) as key:
        _binner()(
            layout.parts,
            in_offsets=layout.graph.offsets,
            work=store,
            counts=counts,
            offsets=layout.splits["offsets"],
            work_rows=runtime.ranges(room.starts),
            count_rows=layout.rows(3),
            key=key,
        )
    found = runtime.to_array(counts).reshape(-1, 3)
    return room.work(store, found, ordered=not found[:, 2].any())


@functools.cache
def _binner() -> Launcher:
    def bin_rows(
        point: int, in_offsets: NDArray[np.int64], work: NDArray[np.uint32], counts: NDArray[np.int64], key: int
    ) -> None:
        tables, points, items_at = runtime.context(key)
        n_rows = int(points[point + 1] - points[point])
        bins = DegreeBins(in_offsets)
        items, segments = bins.items()
        words = 2 * len(tables)
        work[:words] = tables.view(np.uint32)
        work[words : words + n_rows] = np.arange(n_rows, dtype=np.uint32) if bins.order is None else bins.order
        work[words : words + n_rows] += np.uint32(points[point])
        first = int(items_at[point])
        work[first : first + items.size] = items.ravel()
        counts[:] = len(items), segments, bins.order is not None

    return Launcher(
        bin_rows,
        inputs={"in_offsets": "offsets"},
        outputs={"work": "work_rows", "counts": "count_rows"},
        scalars={"key": int},
    )
