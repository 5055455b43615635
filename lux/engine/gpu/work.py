# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the kernel of a partition reads besides the graph and the fields."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import partition, runtime
from lux.engine.gpu.rows import cut_rows

if TYPE_CHECKING:
    from lux.engine.layout import Layout

MOST_THREADS = 16
"""Threads that cut the rows of as many partitions at once."""


@dataclass(frozen=True)
class Given:
    """What `Laid` is made from: arrays of the host, so that any thread may make it.

    Attributes
    ----------
    points, word_at : np.ndarray of shape (parts + 1,), int64
        Of `lux.engine.layout.Layout`.
    work : np.ndarray of shape (n_vertices + 1,), int64
        In-edges before each vertex, where a vertex counts as ``each`` besides.
    each : int
    degrees : np.ndarray of shape (n_vertices,) or (0,)
        Out-degrees, where they are wanted.
    """

    points: NDArray[np.int64]
    word_at: NDArray[np.int64]
    work: NDArray[np.int64]
    each: int
    degrees: NDArray[Any]

    @classmethod
    def of(cls, layout: Layout, *, out_degrees: bool) -> Given:
        """Of a layout; reads stores, unless an earlier layout has left them here."""
        graph = layout.graph
        known, counted = vars(layout).get("work"), vars(layout).get("out_degrees")
        work, each = (runtime.to_array(graph.offsets), 0) if known is None else (known, 1)
        degrees = work[:0]
        if out_degrees:
            degrees = runtime.to_array(graph.out_degree_store) if counted is None else counted
        return cls(layout.points, layout.word_at, work, each, degrees)


class Laid:
    """The arrays of `Work`, in one.

    Attributes
    ----------
    words : np.ndarray of uint32
    starts, at, n_items
        See `Work`.
    """

    def __init__(self, given: Given) -> None:
        points, parts = given.points.tolist(), len(given.points) - 1
        spans = [(points[k], points[k + 1]) for k in range(parts)]
        with ThreadPoolExecutor(min(parts, os.cpu_count() or 1, MOST_THREADS)) as threads:
            cuts = list(threads.map(lambda span: _cut(given, *span), spans))
        in_order = all(order is None for _, order, _ in cuts)
        shared = [np.ascontiguousarray(x, np.int64).view(np.uint32) for x in (given.points, given.word_at)]
        pieces: list[NDArray[np.uint32]] = []
        self.n_items: list[int] = []
        at: list[list[int]] = []
        sizes: list[int] = []
        for (lo, hi), (offsets, order, items) in zip(spans, cuts, strict=True):
            orders = [] if in_order else [np.arange(hi - lo, dtype=np.uint32) if order is None else order]
            degrees = given.degrees[lo:hi]
            arrays = [*shared, *(x.view(np.uint32) for x in (offsets, degrees, items.ravel()))]
            arrays += [o + lo for o in orders]
            starts = np.cumsum([0, *(len(x) for x in arrays)])
            back = [0, 0, 8 * lo, degrees.itemsize * lo, 0, 0]
            at.append([4 * int(start) - b for start, b in zip(starts[:-1], back, strict=False)])
            pieces += [*arrays, np.zeros(starts[-1] & 1, np.uint32)]
            sizes.append(int(starts[-1] + (starts[-1] & 1)))
            self.n_items.append(len(items))
        self.words = np.concatenate(pieces)
        self.starts = partition.starts(np.array(sizes, np.int64))
        names = ("points", "word_at", "in_offsets", "out_degree", "items", *([] if in_order else ["rows"]))
        self.at: dict[str, NDArray[np.int64]] = {
            n: x for n, x in zip(names, np.array(at).T, strict=True) if n != "out_degree" or len(given.degrees)
        }


class Work:
    """What a partition's kernel reads of its own vertices, in one store, as each store makes a launch slower.

    These are split points, offsets, out-degrees if asked for, and the rows as work for warps.

    Attributes
    ----------
    store : Store of uint32
    starts : np.ndarray of shape (parts + 1,)
        Where each partition's part begins.
    rows : Store
        The same as rectangles.
    at : dict of str to np.ndarray of shape (parts,)
        Where in its part each array begins, in bytes; of those that are indexed by place, where place 0 would be.
    n_items : list of int
    """

    def __init__(self, laid: Laid) -> None:
        self.store, self.starts, self.at, self.n_items = (
            runtime.from_array(laid.words),
            laid.starts,
            laid.at,
            laid.n_items,
        )
        self.rows = runtime.ranges(self.starts)


def _cut(given: Given, lo: int, hi: int) -> tuple[NDArray[np.int64], NDArray[np.uint32] | None, NDArray[np.uint32]]:
    """Offsets of a partition's rows, their positions by class if that is not their order, and their items."""
    offsets = given.work[lo : hi + 1]
    if given.each:
        offsets = offsets - given.each * np.arange(lo, hi + 1)
    return (offsets, *cut_rows(offsets))
