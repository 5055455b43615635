# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lists of an exchange of results, made by the GPUs that exchange them (``id_order.cu``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu.choice import MOST_GPUS
from lux.graph.construction.gpu.spread import even_points
from lux.launch.call import NULL, kernel
from lux.launch.peer_call import Argument, Parts, PeerCall, Table, place
from lux.partition.split_points import starts
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph

FACTS = 4
"""Words of ``Sender`` of ``id_order.cu``."""


def can(graph: Graph, parts: int) -> bool:
    """Tell whether so many GPUs of this process are worth their launches, and have room."""
    return (
        gpu_edges.wanted(graph.n_edges)
        and parts <= min(runtime.gpus(), MOST_GPUS)
        and runtime.peer_access()
        and runtime.on_distinct_gpus(parts)
        and gpu_edges.has_room(20 * graph.n_vertices)
    )


def lists(graph: Graph, points: NDArray[np.int64]) -> tuple[Store, Store, NDArray[np.int64]]:
    """Make the lists of an exchange; ``points`` are the split points of places.

    Returns
    -------
    sends, slots : Store
    counts : np.ndarray of shape (parts, parts), int64
        As in `lux.algorithms.multi_gpu.id_order.IdOrderExchange`.
    """
    parts, n, order = len(points) - 1, graph.n_vertices, graph.order
    assert order is not None
    ids = even_points(n, parts)
    inputs = {"places": Parts(order.places, ids), "offsets": Parts(graph.offsets)}
    degree = "int32"
    if graph.directed:
        inputs["out_degrees"], degree = Parts(graph.out_degree_store), np.dtype(graph.degree_dtype).name
    by = {"DEGREE": gpu_edges.DEGREES[degree]}
    placed = place(parts, inputs, {})
    given: list[Argument] = ["places", np.diff(ids), "offsets", "out_degrees" if graph.directed else NULL]
    given.append(np.uint32(parts))
    senders = np.zeros((parts, parts, FACTS), np.int64)  # by receiver, and sender
    senders[:, :, 0] = points[1:]
    function = kernel("id_order.cu", "lux_count_senders", gpu_edges.SORT_THREADS, **by)
    call = PeerCall(function, placed, [*given, Table(senders), "found"], {"found": 8 * parts}, reported="found")
    counts = call.run("count_senders").view(np.int64)
    total = int(counts.sum())
    sends = runtime.new_store(np.uint32, total, None if total else 0, touched=False)
    slots = runtime.new_store(np.uint32, n, touched=False)
    made = {"sends": Parts(sends, starts(counts.sum(axis=0))), "slots": Parts(slots, ids)}
    placed = placed | place(parts, {}, made)
    senders[:, :, 1] = np.cumsum(counts, axis=0) - counts
    senders[:, :, 2] = np.cumsum(counts, axis=1) - counts
    senders[:, :, 3] = placed.addresses["sends"]
    function = kernel("id_order.cu", "lux_list_sends", gpu_edges.SORT_THREADS, **by)
    arguments = [*given, Table(senders), "slots", "counts", "control"]
    PeerCall(function, placed, arguments, {"control": 8}, gpu_edges.COUNTS).run("list_sends")
    return sends, slots, counts
