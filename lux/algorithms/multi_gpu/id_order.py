# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Exchange of results between GPUs, from the owners of places to those of ids, each in the order of ids.

Random reads of other GPUs' memory take 32 bytes for each vertex. So a sender gathers each receiver's values in its
own memory, and writes them to the receiver side by side; the receiver then puts them in order, by its own lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.multi_gpu import id_order_gpu
from lux.algorithms.multi_gpu import id_order_kernels as kernels
from lux.algorithms.multi_gpu.arguments import Arguments, InputStores
from lux.graph.core.partitions import cut
from lux.partition.split_points import starts
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.core.stored_graph import Order
    from lux.graph.graph import Graph


@dataclass(frozen=True)
class IdOrderExchange:
    """Lists of each GPU; ids are dealt out evenly, in ranges.

    Attributes
    ----------
    ids : np.ndarray of shape (parts + 1,), int64
        The first id of each GPU.
    sends : Store of uint32
        Places with edges that each GPU owns, by receiver, in the order of ids.
    slots : Store of shape (n_vertices,), uint32
        Position of each id among the values that its GPU was sent; without edges,
        `lux.algorithms.multi_gpu.id_order_kernels.NOTHING`.
    counts : np.ndarray of shape (parts, parts), int64
        Number of vertices that each GPU (row) is sent by each other (column).
    """

    ids: NDArray[np.int64]
    sends: Store
    slots: Store
    counts: NDArray[np.int64]

    @property
    def send_points(self) -> NDArray[np.int64]:
        """First element of each sender's list; shape (parts + 1,)."""
        return starts(self.counts.sum(axis=0))

    @property
    def send_at(self) -> NDArray[np.int64]:
        """First element for each receiver in each sender's (row's) list; shape (parts, parts + 1)."""
        return np.stack([starts(sent) for sent in self.counts.T])

    @property
    def inbox_at(self) -> NDArray[np.int64]:
        """First element from each sender (row) with each receiver (column); shape (parts, parts)."""
        return np.stack([starts(got)[:-1] for got in self.counts]).T


def even(n: int, parts: int) -> NDArray[np.int64]:
    """Find the split points of ``n`` ids, shared out evenly.

    >>> even(10, 4).tolist()
    [0, 2, 5, 7, 10]
    """
    return np.arange(parts + 1, dtype=np.int64) * n // parts


def sending(
    places: NDArray[np.uint32], in_offsets: NDArray[np.int64], out_offsets: NDArray[np.int64], points: NDArray[np.int64]
) -> IdOrderExchange:
    """Make the lists of an exchange; ``points`` are the split points of places.

    >>> places = np.array([3, 0, 2, 1], np.uint32)  # of ids 0 to 3
    >>> offsets = np.array([0, 1, 2, 2, 4])  # place 2 has no edges
    >>> found = sending(places, offsets, offsets, np.array([0, 2, 4]))
    >>> found.counts.tolist(), runtime.to_array(found.sends).tolist()
    ([[1, 1], [1, 0]], [0, 1, 3])
    >>> runtime.to_array(found.slots).tolist()
    [1, 0, 4294967295, 0]
    """
    parts = len(points) - 1
    ids, counts = even(len(places), parts), np.zeros((parts, parts), np.int64)
    for d in range(parts):
        kernels.count_senders(places[ids[d] : ids[d + 1]], in_offsets, out_offsets, points, counts[d])
    slots, sends = np.empty(len(places), np.uint32), np.empty(max(int(counts.sum()), 1), np.uint32)
    send_at = starts(counts.sum(axis=0))[:-1]
    for d in range(parts):
        mine = slice(ids[d], ids[d + 1])
        slot_at = starts(counts[d])[:-1]
        kernels.list_places(places[mine], in_offsets, out_offsets, points, slot_at, send_at, slots[mine], sends)
    return IdOrderExchange(ids, runtime.from_array(sends), runtime.from_array(slots), counts)


def _exchange(graph: Graph, order: Order, points: NDArray[np.int64]) -> IdOrderExchange:
    """Make the lists of an exchange on the GPUs, or on cores."""
    if id_order_gpu.can(graph, len(points) - 1):
        return IdOrderExchange(even(graph.n_vertices, len(points) - 1), *id_order_gpu.lists(graph, points))
    offsets = runtime.to_array(graph.offsets)
    by_source = starts(runtime.to_array(graph.out_degree_store)) if graph.directed else offsets
    return sending(runtime.to_array(order.places)[: graph.n_vertices], offsets, by_source, points)


def add_order_arguments(graph: Graph, points: NDArray[np.int64], arguments: Arguments, given: InputStores) -> None:
    """Give kernels the lists that bring results into the order of ids; ``points`` are the split points of places.

    Where places are ids, each GPU has the results of its own places. One GPU finds its results by the ids' places.
    """
    order, parts, ids = graph.order, len(points) - 1, points
    if order is not None and parts > 1:
        found = _exchange(graph, order, points)
        ids = found.ids
        given.cuts["send_rows"] = cut(found.send_points)
        given.add("sends", found.sends, "send_rows", own=True)
        given.add("slots", found.slots, "ids", own=True)
        arguments.set(send_at=found.send_at, inbox_at=found.inbox_at)
    elif order is not None:
        given.add("slots", order.places, "ids")
    if order is not None:
        given.add("vertices", order.vertices, None)
    given.cuts["ids"] = cut(ids)
    arguments.set(own_ids=np.diff(ids), first_id=ids[:-1])


def scratch_for_order(graph: Graph, parts: int, most: int) -> dict[str, int]:
    """Count the bytes of the memory in which each GPU has results by place, and the ones that it is sent.

    Parameters
    ----------
    most : int
        Vertices of a GPU, at most.
    """
    if graph.order is None:
        return {}
    inbox = {"inbox": 8 * -(-graph.n_vertices // parts)} if parts > 1 else {}
    return {"by_place": 8 * most} | inbox


def list_bytes(graph: Graph, parts: int, most: int) -> int:
    """Count the bytes of each GPU's lists, at most; ``most`` as in `scratch_for_order`."""
    n = graph.n_vertices
    return 0 if graph.order is None else 8 * n if parts == 1 else 4 * (n + most + -(-n // parts))


def host_bytes(graph: Graph, parts: int) -> int:
    """Count the bytes of Legate's memory for the lists, unless they are there."""
    return 8 * graph.n_vertices if graph.order is not None and parts > 1 else 0
