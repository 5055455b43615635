# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Warp work: the data that a partition's kernel reads besides the graph and the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.partition import split_points

if TYPE_CHECKING:
    from lux.graph.indexes.degree_bins import DegreeBins


class HostWarpWork:
    """The arrays of `WarpWork`, in one array of the host, so that any thread may make it.

    Parameters
    ----------
    points, word_at : np.ndarray of shape (parts + 1,), int64
        Points of `lux.graph.layout.PartitionedGraph`.
    classes : DegreeBins

    Attributes
    ----------
    words : np.ndarray of uint32
    starts, at, n_items
        See `WarpWork`.
    """

    def __init__(self, points: NDArray[np.int64], word_at: NDArray[np.int64], classes: DegreeBins) -> None:
        shared = [np.ascontiguousarray(x, np.int64).view(np.uint32) for x in (points, word_at)]
        pieces: list[NDArray[np.uint32]] = []
        self.n_items: list[int] = []
        sizes: list[int] = []
        for lo, hi in zip(points[:-1].tolist(), points[1:].tolist(), strict=True):
            items = classes.items(lo, hi)
            pieces += [*shared, items.ravel()]
            sizes.append(sum(len(x) for x in pieces[-3:]))  # an even number, as all are
            self.n_items.append(len(items))
        self.words = np.concatenate(pieces)
        self.starts = split_points.starts(np.array(sizes, np.int64))
        begins = np.cumsum([0, *(4 * len(x) for x in shared)])
        self.at: dict[str, NDArray[np.int64]] = {
            name: np.full(len(sizes), at) for name, at in zip(("points", "word_at", "items"), begins, strict=True)
        }


class WarpWork:
    """A partition's own data for its kernel, in one store, as each store makes a launch slower.

    The data are split points, and the rows as work for warps.

    Attributes
    ----------
    store : Store of uint32
    starts : np.ndarray of shape (parts + 1,)
        Begin of each partition's part.
    rows : Store
        The parts as rectangles.
    at : dict of str to np.ndarray of shape (parts,)
        Offset of each array in its part, in bytes.
    n_items : list of int
    """

    def __init__(self, host_work: HostWarpWork) -> None:
        self.store, self.starts, self.at, self.n_items = (
            runtime.attached(host_work.words),
            host_work.starts,
            host_work.at,
            host_work.n_items,
        )
        self.rows = runtime.ranges(self.starts)
