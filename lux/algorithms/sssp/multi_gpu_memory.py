# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths on several GPUs: when they take them, and the memory of each (`sssp_multi_gpu.cu`)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.multi_gpu import choice, id_order
from lux.algorithms.multi_gpu.choice import MESSAGE_BYTES
from lux.algorithms.sssp import gpu
from lux.algorithms.sssp.weights import may_overflow
from lux.graph.core.lookup import values_at
from lux.launch.memory import Scratch
from perfmodel.direction import DENSE_DEGREE

if TYPE_CHECKING:
    from lux.algorithms.sssp.query import PathQuery
    from lux.graph.graph import Graph

BINS = 128
"""Bins of the histogram of edges by distance; `sssp_state.cuh` has the same."""
SENT_BYTES = 12
"""Bytes for each vertex that GPUs send; `sssp_multi_gpu.cu` has the same."""
NAME = "shortest paths on several GPUs"
"""Name under which a layout keeps the GPUs' stores."""
WORTH_SEVERAL = 1 << 29
"""Edges from which on ``auto`` takes all GPUs: below, one GPU that holds the graph needs no longer."""
WORTH_SEVERAL_SPARSE = 1 << 33
"""Edges from which on it does so on graphs with few edges a vertex: their rounds are many and short, and GPUs meet
twice in each.
"""


def why_not(query: PathQuery) -> str:
    """Say why several GPUs are not to search; empty if they are to."""
    graph = query.graph
    if why := query.needs_bellman_ford():
        return why
    dense = graph.n_edges >= DENSE_DEGREE * graph.n_vertices
    worth = WORTH_SEVERAL if dense else WORTH_SEVERAL_SPARSE
    alone = functools.partial(gpu.memory_bytes, graph)
    if why := choice.why_not_several(graph, query.parts, alone, worth, named=query.named):
        return why
    if (kind := gpu.distance_type(graph)).itemsize != 4:
        return f"its distances have 32 bits, and those along these weights are {kind}"
    if query.cutoff is None and may_overflow(graph):
        return "the weights are so large that paths may be longer than distances can be: pass cutoff"
    return choice.why_no_lists(graph, query.parts, NAME, named=query.named)


def out_edges_at(graph: Graph, points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the first edge by source of each part, and the end."""
    if not graph.directed:
        return graph.offsets_at(points)
    return values_at(graph.layout(1).by_source(("weight",)).offsets, graph.n_vertices + 1, points)


def scratch(graph: Graph, parts: int, most: int, most_edges: int) -> Scratch:
    """Lay out the memory that each GPU's kernel works in, alike on all (``Args`` of `sssp_multi_gpu_state.cuh`).

    Parameters
    ----------
    most, most_edges : int
        Vertices of a GPU, and its edges of one kind, at most.

    Examples
    --------
    >>> import lux
    >>> scratch(lux.toy.path(1000), 2, 500, 2000).nbytes
    48384
    """
    n = graph.n_vertices
    queue = 8 * (most_edges // 64 + most_edges // 256 + 1)
    others = {"bins": 8 * BINS * parts, "state": 8 * n} | dict.fromkeys(("known", "stamp", "outgoing"), 4 * n)
    others |= dict.fromkeys(("small0", "small1", "pile0", "pile1"), 4 * most)
    others |= {"large0": queue, "large1": queue, "hubs": 4 * (most_edges // 256 + 2)}
    others |= {"inbox": 8 * (parts - 1) * most, "inbox_places": 4 * (parts - 1) * most}  # results come there, too
    return Scratch({"control": gpu.CONTROL_BYTES, "messages": MESSAGE_BYTES}, others)


def memory_bytes(graph: Graph, parts: int) -> int:
    """Estimate the bytes on a GPU: edges by source and by destination, answers, the order, and scratch memory."""
    points = graph.layout(parts).points
    most, each = int(np.diff(points).max()), graph.property_types["weight"].itemsize
    edges = int(np.diff(graph.offsets_at(points)).max())
    if graph.directed:  # edges by source may lie less evenly
        edges = max(edges, -(-graph.n_edges // parts))
    csr = 2 * (8 * (most + 1) + (4 + each) * edges) + each * most
    answers = (4 + gpu.query_type(gpu.distance_type(graph)).itemsize) * max(most, -(-graph.n_vertices // parts))
    return csr + answers + id_order.list_bytes(graph, parts, most) + scratch(graph, parts, most, edges).nbytes
