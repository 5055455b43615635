# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of a partition cut into work for warps: rows of a class of degrees together, hubs in segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import partition, runtime

if TYPE_CHECKING:
    from lux.runtime import Store

SEGMENT = 4096
"""Edges of a segment; `program.cuh` has the same."""
IS_SEGMENT = 1 << 31
CLASSES = (SEGMENT, 64, 32, 16, 8, 4, 0, -1)
"""Rows with more edges than this, and no more than the one before, are of a class and share items: but for the first,
which are hubs, as many lanes gather each of them. `pull.cuh` tells an item's class by its first row."""
ROW_COST = 4
"""What a row costs besides its edges, in edges."""
ITEMS_WANTED = 1 << 15
"""Items of a graph, if they are of reasonable size: 8 for each warp of an H200."""
LEAST, MOST = 512, 4096
"""Edges of an item."""


@dataclass(frozen=True)
class Rows:
    """The work of one partition.

    Attributes
    ----------
    rows : Store of shape (n_rows,), uint32, or None
        Places of the rows by class; None where that is their order.
    items : Store of shape (n_items * 2,), uint32
        First row and end of each item; see ``Item`` in `program.cuh`.
    n_items : int
    """

    rows: Store | None
    items: Store
    n_items: int


def most_items(n_rows: int, n_edges: int) -> int:
    """Items that `cut` makes of so many rows and edges, at most.

    >>> most_items(4, 5073) >= len(cut(np.array([5000, 70, 3, 0])))
    True
    """
    return (n_edges + ROW_COST * n_rows) // LEAST + 2 * n_edges // SEGMENT + 2 * len(CLASSES)


def make(offsets: NDArray[np.int64]) -> Rows:
    """Cut all rows of a graph."""
    order, items = cut_rows(offsets)
    rows = None if order is None else runtime.from_array(order)
    return Rows(rows, runtime.from_array(items.ravel()), len(items))


def cut_rows(offsets: NDArray[np.int64]) -> tuple[NDArray[np.uint32] | None, NDArray[np.uint32]]:
    """Positions of rows by class, if that is not their order, and items; ``offsets``: of their edges.

    Within a class rows stay in their order, so that lanes read and write what lies side by side. The GIL is released.

    >>> cut_rows(np.array([0, 3, 3, 73, 75]))[0].tolist()
    [2, 0, 3, 1]
    """
    from lux.kernels.row_items import cut_rows as cut_by_class

    budgets = ITEMS_WANTED, LEAST, MOST
    order, items = cut_by_class(offsets, np.array(CLASSES, np.int64), SEGMENT, ROW_COST, budgets, IS_SEGMENT)
    return order if len(order) else None, items


def cut(degrees: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Items of rows that are in the order of their classes.

    >>> cut(np.array([5000, 70, 3, 0])).tolist()
    [[0, 2147483648], [0, 2147483649], [1, 2], [2, 3], [3, 4]]
    """
    return cut_rows(partition.starts(degrees))[1]
