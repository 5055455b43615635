# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Warp work of several processes: each bins the rows of its own partitions, so that none knows the rows of all.

A partition's part of the store has the split points, its rows by class, and its items, which number these rows.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.indexes.degree_bins import DegreeBins, most_items
from lux.graph.indexes.warp_work import WarpWork
from lux.partition import split_points
from lux.runtime import Launcher

if TYPE_CHECKING:
    from lux.graph.core.partitions import Partitions


def make(layout: Partitions) -> WarpWork:
    """Bin the rows of all partitions, each where it is. All processes must call this at the same place."""
    shared = np.concatenate([layout.points, layout.word_at]).astype(np.int64)
    n_rows, n_edges = np.diff(layout.points), np.diff(layout.edge_points)
    most = np.array([most_items(rows, edges) for rows, edges in zip(n_rows.tolist(), n_edges.tolist(), strict=True)])
    items_at = 2 * len(shared) + n_rows + n_rows % 2  # in words of 32 bits; an even number, as items have two
    starts = split_points.starts(items_at + 2 * most)
    store = runtime.new_store(np.uint32, int(starts[-1]), of_graph=True)
    counts = runtime.new_store(np.int64, 2 * layout.parts)
    with runtime.registered((shared, layout.points, items_at)) as key:
        _binner()(
            layout.parts,
            in_offsets=layout.graph.offsets,
            work=store,
            counts=counts,
            offsets=layout.splits["offsets"],
            work_rows=runtime.ranges(starts),
            count_rows=layout.rows(2),
            key=key,
        )
    found = runtime.to_array(counts).reshape(-1, 2)
    half, each = 4 * len(shared), np.ones(layout.parts, np.int64)
    at = {"points": 0 * each, "word_at": half * each, "rows": 2 * half * each, "items": 4 * items_at}
    return WarpWork(store, starts, at, found[:, 0].tolist(), found[:, 1].tolist())


@functools.cache
def _binner() -> Launcher:
    def bin_rows(
        point: int, in_offsets: NDArray[np.int64], work: NDArray[np.uint32], counts: NDArray[np.int64], key: int
    ) -> None:
        shared, points, items_at = runtime.context(key)
        n_rows = int(points[point + 1] - points[point])
        bins = DegreeBins(in_offsets, threads=1)
        items, segments = bins.items(0, n_rows)
        words = 2 * len(shared)
        work[:words] = shared.view(np.uint32)
        work[words : words + n_rows] = np.arange(n_rows, dtype=np.uint32) if bins.order is None else bins.order
        work[words : words + n_rows] += np.uint32(points[point])
        first = int(items_at[point])
        work[first : first + items.size] = items.ravel()
        counts[:] = len(items), segments

    return Launcher(
        bin_rows,
        inputs={"in_offsets": "offsets"},
        outputs={"work": "work_rows", "counts": "count_rows"},
        scalars={"key": int},
    )
