# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The paper's local all-to-all (section V-B): processors of a group gather their messages before these leave it.

For each receiver a group has one gatherer, the processor that stands in it where the receiver stands in its own group.
All of the group write to the gatherer, which passes on vertices that it had not passed on before, so that far fewer
pairs of processors exchange messages from group to group. By default a group is a process, whose processors read one
another's messages without a copy; only gatherers' messages cross.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import local_all_to_all_kernels as kernels
from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import words
from lux.algorithms.bfs.distributed.message_buffers import PairBuffers
from lux.algorithms.bfs.distributed.read_plan import ReadPlan
from lux.partition.split_points import starts

if TYPE_CHECKING:
    from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import DegreeSeparatedGraph


class LocalAllToAll:
    """Groups of processors, and the lists of their gatherers.

    Parameters
    ----------
    separation : DegreeSeparatedGraph
    group : int
        Processors of a group.

    Attributes
    ----------
    pairs : list of np.ndarray of shape (n_pairs, 2), int64
        The messages that each gatherer reads: sender and receiver.
    far : np.ndarray of shape (parts, parts), int64
        Number of vertices that each gatherer (row) may name to each receiver.
    places : PairBuffers
        These vertices.
    union_at : np.ndarray of shape (parts, parts + 1), int64
        First of each receiver's vertices among those of a gatherer.
    numbers : dict of int to np.ndarray, uint32
        For each of this process's gatherers, the number of every vertex that its senders may name, pair by pair, among
        those that it may name.
    """

    def __init__(self, separation: DegreeSeparatedGraph, group: int) -> None:
        self.separation, parts, far = separation, separation.parts, separation.far
        self.pairs = [pairs_of(point, parts, group) for point in range(parts)]
        sizes = [far[p[:, 0], p[:, 1]] for p in self.pairs]
        self.numbers_at = [starts(size) for size in sizes]
        self._lists = self._reading(separation.far_places, sizes)
        self.far = self._count()
        self.union_at = np.column_stack([np.zeros(parts, np.int64), np.cumsum(self.far, axis=1)])
        self.places = PairBuffers(self.far)
        self.numbers: dict[int, NDArray[np.uint32]] = {}
        self._list()

    def _reading(self, sent: PairBuffers, sizes: list[NDArray[np.int64]]) -> ReadPlan:
        first = starts(sent.words.ravel())[:-1].reshape(sent.words.shape)
        return ReadPlan([first[p[:, 0], p[:, 1]] for p in self.pairs], sizes)

    def _given(self) -> dict[str, Any]:
        reading = self._lists
        return {"lists": self.separation.far_places.store, "inbox": reading.inbox, "inbox_of": reading.inbox_of}

    def _count(self) -> NDArray[np.int64]:
        parts = self.separation.parts
        counts, key = runtime.new_store(np.int64, parts**2), runtime.register(self)
        rows = runtime.ranges(np.arange(parts + 1, dtype=np.int64) * parts)
        _count_gathered(parts, **self._given(), counts=counts, rows=rows, key=key)
        totals = runtime.to_array(counts)[: parts**2].reshape(parts, -1)
        runtime.unregister(key)
        return totals

    def _list(self) -> None:
        with runtime.registered(self) as key:
            _list_gathered(
                self.separation.parts,
                **self._given(),
                places=self.places.store,
                outbox=self.places.outbox,
                key=key,
            )
            runtime.finish()

    def union(self, point: int, lists: NDArray[np.uint32], receiver: int) -> tuple[int, NDArray[np.uint64]]:
        """Find the vertices of a receiver that a group may name: its first place, and bits."""
        low, high = self.separation.points[receiver : receiver + 2].tolist()
        bits = np.zeros(words(high - low), np.uint64)
        for k in np.flatnonzero(self.pairs[point][:, 1] == receiver):
            kernels.mark(self.list_of(point, lists, int(k)), low, bits)
        return low, bits

    def list_of(self, point: int, lists: NDArray[np.uint32], k: int) -> NDArray[np.uint32]:
        """Return the vertices that a sender may name, of pair k."""
        at = self._lists.at[point][k]
        return lists[at : at + self._lists.size[point][k]]


def pairs_of(point: int, parts: int, group: int) -> NDArray[np.int64]:
    """List the senders and receivers whose messages a gatherer reads.

    >>> pairs_of(1, 4, 2).tolist()  # processors 0 and 1 are a group; 1 gathers for 1 and 3
    [[0, 1], [1, 1], [0, 3], [1, 3]]
    """
    first = point - point % group
    size = min(group, parts - first)
    receivers = [r for r in range(parts) if r % group % size == point - first]
    return np.array([(p, r) for r in receivers for p in range(first, first + size)], np.int64).reshape(-1, 2)


@runtime.task(
    inputs={"lists": "inbox"}, outputs={"counts": "rows"}, scalars={"key": int}, grouped={"inbox": "inbox_of"}
)
def _count_gathered(point: int, lists: Any, counts: Any, key: int) -> None:
    gathering: LocalAllToAll = runtime.context(key)
    counts[:] = 0
    for receiver in np.unique(gathering.pairs[point][:, 1]).tolist():
        counts[receiver] = np.bitwise_count(gathering.union(point, lists, receiver)[1]).sum()


@runtime.task(
    inputs={"lists": "inbox"},
    outputs={"places": "outbox"},
    scalars={"key": int},
    grouped={"inbox": "inbox_of"},
)
def _list_gathered(point: int, lists: Any, places: Any, key: int) -> None:
    gathering: LocalAllToAll = runtime.context(key)
    numbers = np.empty(int(gathering.numbers_at[point][-1]), np.uint32)
    for receiver in np.unique(gathering.pairs[point][:, 1]).tolist():
        first, end = gathering.union_at[point, receiver : receiver + 2].tolist()
        low, bits = gathering.union(point, lists, receiver)
        kernels.list_set(bits, low, places[first:end])
    for k, (_, receiver) in enumerate(gathering.pairs[point].tolist()):
        first, end = gathering.union_at[point, receiver : receiver + 2].tolist()
        begin, stop = gathering.numbers_at[point][k : k + 2].tolist()
        numbers[begin:stop] = first + np.searchsorted(places[first:end], gathering.list_of(point, lists, k))
    gathering.numbers[point] = numbers
