# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of a partition cut into work for warps: rows of a class of degrees together, hubs in segments."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime

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
    rows = None if order is None else runtime.from_array(order.astype(np.uint32))
    return Rows(rows, runtime.from_array(items.ravel()), len(items))


def cut_rows(offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64] | None, NDArray[np.uint32]]:
    """Positions of rows by class, if that is not their order, and items; ``offsets``: of their edges.

    Within a class rows stay in their order, so that lanes read and write what lies side by side.

    >>> cut_rows(np.array([0, 3, 3, 73, 75]))[0].tolist()
    [2, 0, 3, 1]
    """
    degrees = np.diff(offsets)
    classes = class_of(degrees)
    order = None
    if (classes[1:] < classes[:-1]).any():
        order = np.argsort(classes, kind="stable")
        degrees = degrees[order]
    return order, cut(degrees)


def class_of(degrees: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Which of `CLASSES` each row is of.

    >>> class_of(np.array([5000, 4096, 64, 5, 4, 1, 0])).tolist()
    [0, 1, 2, 5, 6, 6, 7]
    """
    found: NDArray[np.uint8] = np.searchsorted(-np.array(CLASSES), -degrees, side="right").astype(np.uint8)
    return found


def cut(degrees: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Items of rows that are in the order of their classes.

    >>> cut(np.array([5000, 70, 3, 0])).tolist()
    [[0, 2147483648], [0, 2147483649], [1, 2], [2, 3], [3, 4]]
    """
    budget = min(max(int(degrees.sum()) // ITEMS_WANTED, LEAST), MOST)
    ends = np.searchsorted(class_of(degrees), np.arange(len(CLASSES)), side="right").tolist()
    hubs = ends[0]
    segments = -(-degrees[:hubs] // SEGMENT)
    row = np.repeat(np.arange(hubs), segments)
    number = np.arange(len(row)) - np.repeat(np.cumsum(segments) - segments, segments)
    found = [np.column_stack([row, number + IS_SEGMENT])]
    for begin, end in itertools.pairwise(ends):
        if end == begin:
            continue
        cost = np.cumsum(degrees[begin:end] + ROW_COST)
        count = -(-int(cost[-1]) // budget)
        inner = np.searchsorted(cost, np.arange(1, count) * (cost[-1] / count)) + begin
        points = np.unique(np.concatenate([[begin], inner, [end]]))
        found.append(np.column_stack([points[:-1], points[1:]]))
    made: NDArray[np.uint32] = np.concatenate(found).astype(np.uint32)
    return made
