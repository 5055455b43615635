# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the kernel of a partition reads besides the graph and the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import partition, runtime
from lux.engine.gpu.rows import cut_rows

if TYPE_CHECKING:
    from lux.engine.layout import Layout


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

    def __init__(self, layout: Layout, *, out_degrees: bool) -> None:
        offsets = runtime.to_array(layout.graph.offsets)
        degrees = runtime.to_array(layout.graph.out_degree_store) if out_degrees else offsets[:0]
        shared = [np.ascontiguousarray(x, np.int64).view(np.uint32) for x in (layout.points, layout.word_at)]
        pieces: list[NDArray[np.uint32]] = []
        self.n_items: list[int] = []
        at: list[list[int]] = []
        spans = list(zip(layout.points[:-1].tolist(), layout.points[1:].tolist(), strict=True))
        cuts = [cut_rows(offsets[lo : hi + 1]) for lo, hi in spans]
        in_order = all(order is None for order, _ in cuts)
        for (lo, hi), (order, items) in zip(spans, cuts, strict=True):
            orders = [] if in_order else [np.arange(hi - lo) if order is None else order]
            arrays = [*shared, offsets[lo : hi + 1].view(np.uint32), degrees[lo:hi].view(np.uint32), items.ravel()]
            arrays += [(o + lo).astype(np.uint32) for o in orders]
            starts = np.cumsum([0, *(len(x) for x in arrays)])
            back = [0, 0, 8 * lo, degrees.itemsize * lo, 0, 0]
            at.append([4 * int(start) - b for start, b in zip(starts[:-1], back, strict=False)])
            pieces += [*arrays, np.zeros(starts[-1] & 1, np.uint32)]
            self.n_items.append(len(items))
        self.store = runtime.from_array(np.concatenate(pieces))
        per_part = len(pieces) // layout.parts
        sizes = [sum(len(x) for x in pieces[k : k + per_part]) for k in range(0, len(pieces), per_part)]
        self.starts = partition.starts(np.array(sizes, np.int64))
        self.rows = runtime.ranges(self.starts)
        names = ("points", "word_at", "in_offsets", "out_degree", "items", *([] if in_order else ["rows"]))
        self.at: dict[str, NDArray[np.int64]] = {
            n: x for n, x in zip(names, np.array(at).T, strict=True) if n != "out_degree" or out_degrees
        }
