# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""How GPUs that have results by place send them to those that have the ids, each in the order of ids.

Random reads of other GPUs' memory take 32 bytes for each vertex. So a sender looks up what each receiver wants, in its
own memory, and writes it there side by side; the receiver, whose lists say where to look, does the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.kernels import sending as kernels
from lux.partition import starts
from lux.runtime import Store


@dataclass(frozen=True)
class Sending:
    """Lists of each GPU; ids are dealt out evenly, in ranges.

    Attributes
    ----------
    ids : np.ndarray of shape (parts + 1,), int64
        The first id of each GPU.
    sends : Store of uint32
        Places with edges that each GPU owns, by receiver, in the order of ids.
    slots : Store of shape (n_vertices,), uint32
        Where each id finds its own among what its GPU was sent; `lux.kernels.sending.NOTHING` without edges.
    counts : np.ndarray of shape (parts, parts), int64
        How many vertices each GPU (row) is sent by each other (column).
    """

    ids: NDArray[np.int64]
    sends: Store
    slots: Store
    counts: NDArray[np.int64]

    @property
    def send_points(self) -> NDArray[np.int64]:
        """Where each sender's list begins; shape (parts + 1,)."""
        return starts(self.counts.sum(axis=0))

    @property
    def send_at(self) -> NDArray[np.int64]:
        """Where in its list what each sender (row) has for each receiver begins; shape (parts, parts + 1)."""
        return np.stack([starts(sent) for sent in self.counts.T])

    @property
    def inbox_at(self) -> NDArray[np.int64]:
        """Where with each receiver (column) what each sender (row) sends begins; shape (parts, parts)."""
        return np.stack([starts(got)[:-1] for got in self.counts]).T


def even(n: int, parts: int) -> NDArray[np.int64]:
    """Split points of ``n`` ids, shared out evenly.

    >>> even(10, 4).tolist()
    [0, 2, 5, 7, 10]
    """
    return np.arange(parts + 1, dtype=np.int64) * n // parts


def sending(
    places: NDArray[np.uint32], in_offsets: NDArray[np.int64], out_offsets: NDArray[np.int64], points: NDArray[np.int64]
) -> Sending:
    """Who sends what; ``points`` are the split points of places.

    >>> places = np.array([3, 0, 2, 1], np.uint32)  # of ids 0 to 3
    >>> offsets = np.array([0, 1, 2, 2, 4])  # nobody is linked to place 2
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
    return Sending(ids, runtime.from_array(sends), runtime.from_array(slots), counts)
