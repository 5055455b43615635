# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Degree bins: rows cut into work for warps, rows of a class of degrees together, hubs in segments.

Within a class rows stay in their order, so that lanes read and write neighbouring elements.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lux.errors import ConfigurationError
from lux.graph.core.stored_graph import MOST_ON_GPUS

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


def most_items(n_rows: int, n_edges: int) -> int:
    """Bound the items that so many rows and edges are cut into.

    >>> most_items(4, 5073) >= len(DegreeBins(np.array([0, 5000, 5070, 5073, 5073])).items()[0])
    True
    """
    return (n_edges + ROW_COST * n_rows) // LEAST + 2 * n_edges // SEGMENT + 2 * len(CLASSES)


class DegreeBins:
    """Rows by class.

    Parameters
    ----------
    offsets : np.ndarray of shape (n_rows + 1,), int64
        In-edges before each row, counted from any edge on.

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
    >>> rows.items()[0].tolist()
    [[0, 1], [1, 3], [3, 4]]
    """

    def __init__(self, offsets: NDArray[np.int64]) -> None:
        from lux.graph.indexes.degree_bin_kernels import count_rows, place_rows

        n, classes = len(offsets) - 1, np.array(CLASSES, np.int64)
        if n >= MOST_ON_GPUS:
            raise ConfigurationError(
                f"GPUs need graphs of fewer than {MOST_ON_GPUS:,} vertices, and this one has {n:,}: use device='cpu'"
            )
        count, cost, in_order = count_rows(offsets, classes, ROW_COST)
        self.at = np.concatenate([[0], np.cumsum(count)])
        order = np.empty(0 if in_order else n, np.uint32)
        self.costs = np.zeros(n + 1, np.int64)
        place_rows(offsets, classes, ROW_COST, self.at[:-1].copy(), np.cumsum(cost) - cost, order, self.costs)
        self.order: NDArray[np.uint32] | None = None if in_order else order

    def items(self) -> tuple[NDArray[np.uint32], int]:
        """Cut the rows into items, of shape (n_items, 2): the first row of each, and its end or segment of a hub.

        Rows are numbered as in ``order``. Segments of hubs come first, and their number is returned, too.
        """
        spans = np.column_stack([self.at[:-1], self.at[1:]])
        ends = self.costs[spans]
        budget = min(max(int(self.costs[-1] - ROW_COST * self.at[-1]) // ITEMS_WANTED, LEAST), MOST)
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
        return np.concatenate(found).astype(np.uint32), len(found[0])

    def _segments(self, begin: int, end: int) -> NDArray[np.int64]:
        """Cut hubs into items."""
        degrees = np.diff(self.costs[begin : end + 1]) - ROW_COST
        counts = -(-degrees // SEGMENT)
        number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.column_stack([np.repeat(np.arange(begin, end), counts), number])
