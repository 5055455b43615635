# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Warp work: the data that a partition's kernel reads besides the graph and the fields."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.partition import split_points

if TYPE_CHECKING:
    from lux.graph.indexes.degree_bins import DegreeBins
    from lux.runtime import Store


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
    starts, at, n_items, n_segments
        See `WarpWork`.
    """

    def __init__(self, points: NDArray[np.int64], word_at: NDArray[np.int64], classes: DegreeBins) -> None:
        shared = [np.ascontiguousarray(x, np.int64).view(np.uint32) for x in (points, word_at)]
        pieces: list[NDArray[np.uint32]] = []
        self.n_items: list[int] = []
        self.n_segments: list[int] = []
        sizes: list[int] = []
        for lo, hi in zip(points[:-1].tolist(), points[1:].tolist(), strict=True):
            items, segments = classes.items(lo, hi)
            pieces += [*shared, items.ravel()]
            sizes.append(sum(len(x) for x in pieces[-3:]))  # an even number, as all are
            self.n_items.append(len(items))
            self.n_segments.append(segments)
        self.words = np.concatenate(pieces)
        self.starts = split_points.starts(np.array(sizes, np.int64))
        begins = np.cumsum([0, *(4 * len(x) for x in shared)])
        self.at: dict[str, NDArray[np.int64]] = {
            name: np.full(len(sizes), at) for name, at in zip(("points", "word_at", "items"), begins, strict=True)
        }


@dataclass(frozen=True)
class WarpWork:
    """A partition's own data for its kernel, in one store, as each store makes a launch slower.

    The data are split points, the rows as work for warps and, where each process knows its own rows alone, these rows.

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

    @classmethod
    def of_host(cls, work: HostWarpWork) -> WarpWork:
        """Make it of arrays of the host."""
        return cls(runtime.attached(work.words), work.starts, work.at, work.n_items, work.n_segments)

    @cached_property
    def rows(self) -> Store:
        """The parts as rectangles."""
        return runtime.ranges(self.starts)
