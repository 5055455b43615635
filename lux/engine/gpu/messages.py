# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Messages between the partitions on GPUs of several processes: values of vertices, moved by Legion.

Each partition has a slot for each other one, with room for the values of its vertices that the other reads: the other's
UDS, as section 5 of the Lux paper has it of nodes. After an iteration a partition writes a message into each slot
(``messages.cuh``), with all values or, if few vertices are active, with the positions and values of the active ones.
Slots lie in one store, by owner and then by reader; before the next iteration Legion copies each reader's slots to it.
Like fields, the store has two copies, which swap their roles.

Messages of a program with a frontier may be short. Where slots are large, the host looks at the state after each
iteration, in which every partition has the length of its messages, and Legion copies the beginnings of slots alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.core.partitions import cut
from lux.kernels import frontier as fr
from lux.partition import split_points
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph.layout import PartitionedGraph

SHARES = (64, 8, 1)
"""Divisors of the part of each slot that is read, by size class (1/64, 1/8, all)."""
ALL = len(SHARES) - 1
LEAST = 64
"""Words, of 8 bytes, of a slot that are read at least, if it has so many."""
LOOKED_FROM = 16 << 20
"""Bytes of the slots that a partition reads, from which on the host reads the message lengths. Legion was seen to move
30 GB/s between the GPUs of two processes: moving so many bytes takes as long as a read, after which a launch begins
late.
"""
FACTS = 6
"""Rows of a kernel's table of slots (``SlotFact`` of ``messages.cuh``)."""


@dataclass(frozen=True)
class ExportLists:
    """The vertices of each partition that others read.

    Attributes
    ----------
    counts : np.ndarray of shape (parts, parts), int64
        Vertices of each partition (row) that each other one (column) reads.
    first : np.ndarray of shape (parts, parts + 1), int64
        Position of each partition's first vertex (column) among the members of a reader (row).
    places : Store of uint32
        By owner, then reader, each in rising order.
    """

    counts: NDArray[np.int64]
    first: NDArray[np.int64]
    places: Store

    @property
    def cuts(self) -> NDArray[np.int64]:
        """The part of ``places`` with each partition's own vertices."""
        return cut(split_points.starts(self.counts.sum(axis=1)))


def list_exports(layout: PartitionedGraph) -> ExportLists:
    """List the vertices that partitions read of one another; every process has to call this."""
    members, parts = layout.members, layout.parts
    first = members.first_of(layout.points)
    counts = np.diff(first, axis=1).T.copy()
    np.fill_diagonal(counts, 0)
    at = split_points.starts(members.sizes)[:-1] + first[:, :-1].T  # begin of each list among all members
    places = runtime.new_store(np.uint32, int(counts.sum()))
    key = runtime.register((at, counts))
    _lister()(
        parts,
        members=members.places,
        places=places,
        lists=runtime.rectangles(at.ravel(), (at + counts).ravel() - 1),
        lists_of=runtime.ranges(np.arange(parts + 1, dtype=np.int64) * parts),
        rows=runtime.ranges(split_points.starts(counts.sum(axis=1))),
        key=key,
    )
    runtime.finish()
    runtime.unregister(key)
    return ExportLists(counts, first, places)


@functools.cache
def _lister() -> Launcher:
    def list_members(point: int, members: NDArray[np.uint32], places: NDArray[np.uint32], key: int) -> None:
        at, counts = (each[point] for each in runtime.context(key))
        if counts.any():
            at = at - at[counts > 0].min()  # a point's view begins with the first of its lists
            lists = [members[a : a + n] for a, n in zip(at.tolist(), counts.tolist(), strict=True) if n]
            np.concatenate(lists, out=places[: counts.sum()])

    return Launcher(
        list_members,
        inputs={"members": "lists"},
        outputs={"places": "rows"},
        scalars={"key": int},
        grouped={"lists": "lists_of"},
    )


class MessageSlots:
    """Positions and sizes of the messages' slots, and the table of them that kernels read.

    Parameters
    ----------
    exports : ExportLists
    value_bytes : sequence of int
        Bytes of a vertex's value of each field.
    frontier : bool
        True if messages mark the active vertices.

    Attributes
    ----------
    words : np.ndarray of shape (parts, parts), int64
        Words of the slot of each partition (row) for each other one (column).
    facts : Store of int64
    """

    def __init__(self, exports: ExportLists, value_bytes: Sequence[int], *, frontier: bool) -> None:
        counts, self.parts = exports.counts, len(exports.counts)
        self.words = np.sum([-(-counts * nbytes // 8) for nbytes in value_bytes], axis=0) + np.zeros_like(counts)
        if frontier:
            self.words = self.words + (counts > 0) * (1 + -(-counts // 64))
        self._at = split_points.starts(self.words.ravel())[:-1].reshape(counts.shape)
        self.widths = [np.minimum(self.words, np.maximum(-(-self.words // share), LEAST)) for share in SHARES]
        begins = np.where(self.words > 0, self._at, np.iinfo(np.int64).max).min(axis=0)
        found_at = np.where(self.words > 0, self._at - begins, 0)
        exports_first = np.stack([split_points.starts(row) for row in counts])
        columns = [self._at - self._at[:, :1], *self.widths[:ALL], found_at.T]
        facts = [exports_first, *(np.pad(each, ((0, 0), (0, 1))) for each in columns), exports.first]
        self.facts = runtime.from_array(np.stack(facts, axis=1).astype(np.int64).ravel())

    @property
    def size(self) -> int:
        """Words of all slots."""
        return int(self.words.sum())

    @property
    def cuts(self) -> NDArray[np.int64]:
        """The part of the slots that each partition writes."""
        return cut(split_points.starts(self.words.sum(axis=1)))

    @property
    def fact_cuts(self) -> NDArray[np.int64]:
        """The part of ``facts`` of each partition."""
        return cut(np.arange(self.parts + 1, dtype=np.int64) * FACTS * (self.parts + 1))

    @cached_property
    def inboxes(self) -> list[Store]:
        """The rectangles that are read, by size class: reader by reader, from all others."""
        apart = ~np.eye(self.parts, dtype=bool)
        at = self._at.T[apart]
        return [runtime.rectangles(at, at + width.T[apart] - 1) for width in self.widths]

    @cached_property
    def inbox_of(self) -> Store:
        """The rectangles of each reader."""
        return runtime.ranges(np.arange(self.parts + 1, dtype=np.int64) * (self.parts - 1))

    def moved(self, size_class: int, process: int, processes: int) -> int:
        """Count the bytes that the partitions of a process are sent before an iteration."""
        mine = split_points.nodes_of(self.parts, processes) == process
        return 8 * int(self.widths[size_class].sum(axis=0)[mine].sum())

    @property
    def largest(self) -> int:
        """Bytes of the slots that a partition reads, at most."""
        return 8 * int(self.words.sum(axis=0).max())


class MessageExchange:
    """The messages of a run.

    Parameters
    ----------
    slots : MessageSlots
    allocate : callable
        Has Legion allocate a whole store on every GPU.
    frontier : bool

    Attributes
    ----------
    size_class : int
        Size class of the messages that the next launch reads.
    moved : int
        Bytes sent to the partitions of this process.
    looks : bool
        True if the host reads the state after each iteration.
    """

    def __init__(self, slots: MessageSlots, allocate: Callable[[Store], Store], *, frontier: bool) -> None:
        self.slots, self.size_class, self.moved = slots, ALL, 0
        self.looks = frontier and slots.largest >= LOOKED_FROM
        self._boxes = [allocate(runtime.new_store(np.uint64, slots.size, touched=False)) for _ in range(2)]

    def outbox(self, number: int) -> dict[str, Store]:
        """Return the store that the launch of a number writes."""
        return {"outbox": self._boxes[number & 1]}

    def given(self, number: int) -> dict[str, Store]:
        """Return the stores that the launch of a number reads, and count them as sent."""
        self.moved += self.slots.moved(self.size_class, runtime.rank(), runtime.ranks())
        inbox = {"inbox": self._boxes[1 - (number & 1)], "inbox_rows": self.slots.inboxes[self.size_class]}
        return inbox | self.outbox(number)

    def read(self, state: NDArray[Any]) -> None:
        """Read the lengths of the messages that the partitions have written."""
        self.size_class = int(state.reshape(-1, fr.STATE_COLUMNS)[:, fr.SIZE_CLASS].max())
