# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Degree bins: rows cut into work for warps, rows of a class of degrees together, hubs in segments.

All rows of a graph are sorted by class once. Within a class rows stay in their order, so that lanes read and write
neighbouring elements, and a partition's rows are neighbours too: binary search finds them, and the ends of items in the
sums of costs. So moved split points cost microseconds.
"""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import ConfigurationError
from lux.graph.core.stored_graph import MOST_ON_GPUS

if TYPE_CHECKING:
    from lux.runtime import Store

SEGMENT = 4096
"""Edges of a segment; equal to the constant of `iteration.cuh`."""
CLASSES = (SEGMENT, 64, 32, 16, 8, 4, 0, -1)
"""Bounds of classes: rows with more edges than this, and no more than the bound before, share items, and as many lanes
gather each row; rows of the first class are hubs. `pull.cuh` tells an item's class by its first row.
"""
ROW_COST = 4
"""Cost of a row besides its edges, in edges."""
ITEMS_WANTED = 1 << 15
"""Items of a graph, if they are of reasonable size: 8 for each warp of an H200."""
LEAST, MOST = 512, 4096
"""Edges of an item."""
MOST_THREADS = 16
"""Threads that sort at once."""
ROWS_OF_A_THREAD = 1 << 16
"""Rows of each sorting thread, at least."""


def most_items(n_rows: int, n_edges: int) -> int:
    """Bound the items that so many rows and edges are cut into.

    >>> most_items(4, 5073) >= len(DegreeBins(np.array([0, 5000, 5070, 5073, 5073])).items(0, 4))
    True
    """
    return (n_edges + ROW_COST * n_rows) // LEAST + 2 * n_edges // SEGMENT + 2 * len(CLASSES)


def host_bytes(n_rows: int) -> int:
    """Count the bytes beside offsets in which so many rows are sorted by class: order and costs.

    >>> host_bytes(1000)
    12008
    """
    return 4 * n_rows + 8 * (n_rows + 1)


class DegreeBins:
    """Rows by class.

    Parameters
    ----------
    offsets : np.ndarray of shape (n_rows + 1,), int64
        In-edges before each row, where a row counts as ``each`` besides.
    each : int
    threads : int
        Threads that sort; 0 for as many as pay.

    Attributes
    ----------
    at : np.ndarray of shape (len(CLASSES) + 1,), int64
        Begin of each class.
    order : np.ndarray of shape (n_rows,), uint32, or None
        Rows by class; None if they are stored so.
    costs : np.ndarray of shape (n_rows + 1,), int64
        Cost of the rows before each of these, in edges.

    Raises
    ------
    ConfigurationError
        There are more rows than an item may number.

    Examples
    --------
    >>> rows = DegreeBins(np.array([0, 3, 3, 73, 75]))
    >>> rows.order.tolist()
    [2, 0, 3, 1]
    >>> rows.items(0, 4)[0].tolist(), rows.items(1, 4)[0].tolist()
    ([[0, 1], [1, 3], [3, 4]], [[0, 1], [2, 3], [3, 4]])
    """

    def __init__(self, offsets: NDArray[np.int64], each: int = 0, threads: int = 0) -> None:
        from lux.graph.indexes.degree_bin_kernels import count_rows, place_rows

        n, classes = len(offsets) - 1, np.array(CLASSES, np.int64)
        if n >= MOST_ON_GPUS:
            raise ConfigurationError(
                f"GPUs need graphs of fewer than {MOST_ON_GPUS:,} vertices, and this one has {n:,}: use device='cpu'"
            )
        many = threads or max(1, min(n // ROWS_OF_A_THREAD, os.cpu_count() or 1, MOST_THREADS))
        ends = [n * k // many for k in range(many + 1)]
        pieces = list(itertools.pairwise(ends))
        with ThreadPoolExecutor(many, initializer=runtime.works_for_driver) as pool:
            told = list(pool.map(lambda p: count_rows(offsets, each, p[0], p[1], classes, ROW_COST), pieces))
            count, cost = (np.array([t[k] for t in told]) for k in (0, 1))
            self.at = np.concatenate([[0], np.cumsum(count.sum(axis=0))])
            total = np.cumsum(cost.sum(axis=0))
            first = np.cumsum(count, axis=0) - count + self.at[:-1]
            before = np.cumsum(cost, axis=0) - cost + np.concatenate([[0], total[:-1]])
            spans = [(t[2], t[3]) for t in told]
            in_order = all(f >= 0 for f, _ in spans) and all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
            order = np.empty(0 if in_order else n, np.uint32)
            self.costs = np.empty(n + 1, np.int64)
            self.costs[0] = 0

            def place(k: int) -> None:
                lo, hi = pieces[k]
                place_rows(offsets, each, lo, hi, classes, ROW_COST, first[k], before[k], order, self.costs)

            list(pool.map(place, range(many)))
        self.order: NDArray[np.uint32] | None = None if in_order else order

    @cached_property
    def store(self) -> Store | None:
        """``order`` as a store; for the driver, not for other threads."""
        return None if self.order is None else runtime.attached(self.order)

    def spans(self, lo: int, hi: int) -> NDArray[np.int64]:
        """Find where the rows ``lo`` to ``hi - 1`` lie in each class, of shape (len(CLASSES), 2)."""
        if self.order is None:
            return np.clip([[lo, hi]], self.at[:-1, None], self.at[1:, None])
        found = np.empty((len(CLASSES), 2), np.int64)
        for c, (begin, end) in enumerate(zip(self.at[:-1].tolist(), self.at[1:].tolist(), strict=True)):
            rows = self.order[begin:end]
            found[c] = begin + np.searchsorted(rows, np.array([lo, hi], np.uint32))
        return found

    def items(self, lo: int, hi: int) -> tuple[NDArray[np.uint32], int]:
        """Cut a partition into items, of shape (n_items, 2): the first row of each, and its end or segment of a hub.

        Rows are numbered as in ``order`` or, without one, from ``lo`` on. Segments of hubs come first, and their number
        is returned, too.
        """
        spans = self.spans(lo, hi)
        ends = self.costs[spans]
        budget = min(max(int(np.diff(ends).sum() - ROW_COST * (hi - lo)) // ITEMS_WANTED, LEAST), MOST)
        found = [self._segments(*spans[0].tolist())]
        for (begin, end), (before, after) in zip(spans[1:].tolist(), ends[1:].tolist(), strict=True):
            if begin == end:
                continue
            many = -(-(after - before) // budget)
            # An item ends before the row with which its class exceeds so much cost.
            sums = np.ceil(np.arange(1, many) * ((after - before) / many)).astype(np.int64)
            cuts = begin + np.searchsorted(self.costs[begin + 1 : end + 1], before + sums)
            cuts = np.concatenate([[begin], cuts, [end]])
            some = cuts[1:] > cuts[:-1]
            found.append(np.column_stack([cuts[:-1][some], cuts[1:][some]]))
        items, segments = np.concatenate(found), len(found[0])
        if self.order is None:
            items[:, 0] -= lo
            items[segments:, 1] -= lo
        return items.astype(np.uint32), segments

    def _segments(self, begin: int, end: int) -> NDArray[np.int64]:
        """Cut hubs into items."""
        degrees = np.diff(self.costs[begin : end + 1]) - ROW_COST
        counts = -(-degrees // SEGMENT)
        number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.column_stack([np.repeat(np.arange(begin, end), counts), number])
