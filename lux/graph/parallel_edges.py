# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of a graph's edges before an algorithm runs: no parallel edges, positive lengths."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph import build
from lux.graph.construction.edge_stores import GraphEdges

if TYPE_CHECKING:
    from lux.graph.graph import Graph

_simple: weakref.WeakKeyDictionary[Graph, Graph | None] = weakref.WeakKeyDictionary()
"""Graphs without their parallel edges; None for a graph that has none."""


def without_parallel_edges(graph: Graph) -> Graph:
    """Return the graph with one of each set of parallel edges; made once."""
    if graph not in _simple:
        _simple[graph] = build.build(GraphEdges(graph), drop_repeats=True) if _repeats(graph) else None
    return _simple[graph] or graph


def _repeats(graph: Graph) -> int:
    """Count the edges with the same ends as another before them."""
    if runtime.gpus():
        from lux.graph.construction.gpu import edges as gpu_edges

        if (on_gpu := gpu_edges.count_repeats(graph)) is not None:
            return on_gpu
    layout, repeats = graph.whole_layout(), runtime.new_scalar()
    if graph.n_edges:
        splits = {name: layout.splits[name] for name in ("offsets", "edges")}
        _count_repeats(layout.parts, in_offsets=graph.offsets, sources=graph.sources, repeats=repeats, **splits)
    return int(runtime.read_scalar(repeats))


@runtime.task(inputs={"in_offsets": "offsets", "sources": "edges"}, sums={"repeats": None})
def _count_repeats(
    _point: int, in_offsets: NDArray[np.int64], sources: NDArray[Any], repeats: NDArray[np.int64]
) -> None:
    if len(sources) > 1:
        same = sources[1:] == sources[:-1]
        first = in_offsets - in_offsets[0] - 1  # the pair of each row's first edge with the edge before it
        same[first[(first >= 0) & (first < len(same))]] = False
        repeats[0] += np.count_nonzero(same)
