# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search on several GPUs: when they take it, and the memory of each (`bfs_multi_gpu.cu`)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.bfs.gpu import memory_bytes as whole_graph_bytes
from lux.algorithms.multi_gpu import choice, id_order
from lux.algorithms.multi_gpu.choice import MESSAGE_BYTES
from lux.graph.core.lookup import values_at
from lux.launch.memory import Scratch, bitmap_bytes

if TYPE_CHECKING:
    from lux.graph.graph import Graph

CONTROL_BYTES = 512
"""Room for ``SearchControl`` of `bfs_multi_gpu_state.cuh`."""
ALIGNED, ALIGNED_SMALL = 256, 32
"""Divisor of split points: vertices of a sector of 32 bytes of a bitmap, and on small graphs of a word."""
SMALL = 1 << 16
"""Vertices of small graphs, at most."""
WORTH_SEVERAL = 1 << 29
"""Edges from which on ``auto`` takes all GPUs: below, one GPU that holds the graph needs no longer."""
NAME = "searches on several GPUs"
"""Name under which a layout keeps the GPUs' stores."""


def why_not_several(graph: Graph, parts: int | None, *, named: bool = False) -> str:
    """Say why several GPUs are not to search, as `choice.why_not_several` does; empty if they are to."""
    alone = functools.partial(whole_graph_bytes, graph)
    why = choice.why_not_several(graph, parts, alone, WORTH_SEVERAL, named=named)
    return why or choice.why_no_lists(graph, parts, NAME, named=named)


def points_of(graph: Graph, parts: int) -> NDArray[np.int64]:
    """Find split points near those of the graph's layout, in whole words of a bitmap.

    >>> import lux
    >>> points_of(lux.toy.path(100), 2).tolist()
    [0, 64, 100]
    """
    return in_words(graph.layout(parts).points, graph.n_vertices)


def in_words(points: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Round the points to the nearest multiples of `ALIGNED`, but for the last.

    >>> in_words(np.array([0, 33, 49, 70]), 70).tolist()
    [0, 32, 64, 70]
    """
    step = ALIGNED if n > SMALL else ALIGNED_SMALL
    found = np.minimum((np.asarray(points, np.int64) + step // 2) // step * step, n)
    found[0], found[-1] = 0, n
    return found


def largest(graph: Graph, points: NDArray[np.int64]) -> tuple[int, int]:
    """Count the vertices of a GPU, and its edges of one kind, at most."""
    both = [graph.offsets_at(points)] + ([_by_source_at(graph, points)] if graph.directed else [])
    return int(np.diff(points).max()), max(int(np.diff(at).max()) for at in both)


def _by_source_at(graph: Graph, points: NDArray[np.int64]) -> NDArray[np.int64]:
    return values_at(graph.layout(1).by_source(()).offsets, graph.n_vertices + 1, points)


def scratch(graph: Graph, parts: int, most: int, most_edges: int) -> Scratch:
    """Lay out the memory that each GPU's kernel works in, alike on all (``Args`` of `bfs_multi_gpu_state.cuh`).

    Parameters
    ----------
    most, most_edges : int
        Vertices and edges of a GPU, at most.

    Examples
    --------
    >>> import lux
    >>> scratch(lux.toy.path(1000), 2, 500, 4000).nbytes
    11776
    """
    n, order = graph.n_vertices, id_order.scratch_for_order(graph, parts, most)
    others = {"seen": bitmap_bytes(n), "other": bitmap_bytes(n)}
    others |= dict.fromkeys(("rows", "first_neighbours"), 4 * most)
    others |= {"deferred": 4 * (most_edges // 4096 + 1), "pieces": 8 * (most_edges // 256 + 1)}
    others["names"] = max(8 * (parts - 1) * most, order.pop("inbox", 0))  # the two are used one after the other
    return Scratch({"control": CONTROL_BYTES, "messages": MESSAGE_BYTES}, others | order)


def memory_bytes(graph: Graph, parts: int) -> int:
    """Estimate the bytes on a GPU: edges, answers, the order, and scratch memory."""
    n, points = graph.n_vertices, points_of(graph, parts)
    edges = int(np.diff(graph.offsets_at(points)).max())
    if graph.directed:  # edges by source may lie less evenly
        edges = max(edges, -(-graph.n_edges // parts))
    most = int(np.diff(points).max())
    csr = (8 * (most + 1) + 4 * edges) * (2 if graph.directed else 1)
    lists = id_order.list_bytes(graph, parts, most)
    return csr + 8 * max(most, -(-n // parts)) + lists + scratch(graph, parts, most, edges).nbytes
