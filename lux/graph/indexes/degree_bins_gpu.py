# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Degree bins of a graph that one GPU holds, made there: the same as `lux.graph.indexes.degree_bins` makes on cores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.core.stored_graph import StoredGraph
from lux.graph.indexes.degree_bins import CLASSES, most_items
from lux.launch.call import NULL, KernelCall, kernel
from lux.launch.memory import Scratch
from lux.runtime import Store

THREADS = 1024
MOST_BLOCKS = 4096
REPORTED = 24
"""Bytes of ``Control`` of ``degree_bins.cu``."""


@dataclass(frozen=True)
class Rows:
    """The work of a graph that one GPU holds.

    Attributes
    ----------
    rows : Store of shape (n_rows,), uint32, or None
        Rows by class; None if they are stored so.
    items : Store of shape (n_items * 2,), uint32
        First row and end of each item; see ``Item`` in `iteration.cuh`.
    n_items : int
    n_segments : int
        Items that are segments of hubs, which come first.
    """

    rows: Store | None
    items: Store
    n_items: int
    n_segments: int


def rows_of(graph: StoredGraph) -> Rows:
    """Sort the rows of a graph by class, unless they are stored so, and cut them into items."""
    n, m = graph.n_vertices, graph.n_edges
    items = runtime.new_store(np.uint32, 2 * most_items(n, m), touched=False)
    numbers, disorder = _bins(graph, items, {})
    if not disorder:
        return Rows(None, items, *numbers)
    placed = {"order": runtime.new_store(np.uint32, n, touched=False)}
    costs = {"costs": runtime.new_store(np.int64, n + 1, touched=False)}
    numbers, _ = _bins(graph, items, placed | costs)
    return Rows(placed["order"], items, *numbers)


def _bins(graph: StoredGraph, items: Store, placed: dict[str, Store]) -> tuple[tuple[int, int], bool]:
    """Return the numbers of items and of segments, and whether rows are not stored by class."""
    arguments: list[str | np.generic] = [
        *("offsets", np.int64(graph.n_vertices), np.int64(graph.n_edges)),
        *(name if placed else NULL for name in ("order", "costs")),
        *("items", "tallies", "control"),
    ]
    scratch = Scratch({"control": REPORTED}, {"tallies": 16 * len(CLASSES) * MOST_BLOCKS})
    function = kernel("degree_bins.cu", "lux_bin_rows", THREADS)
    outputs = {"items": items, **placed}
    call = KernelCall(function, arguments, {"offsets": graph.offsets}, outputs, scratch, REPORTED, 0, _report)
    found: tuple[tuple[int, int], bool] = call.run("bin_rows")[0]
    return found


def _report(control: NDArray[np.uint8], _statistics: Any) -> tuple[tuple[int, int], bool]:
    items, segments = control.view(np.uint64)[1:3].tolist()
    return (items, segments), bool(control.view(np.uint32)[1])
