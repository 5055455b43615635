# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Messages between the partitions on GPUs of several processes: values of vertices that others read.

Each partition has a slot for each other one, with room for the values of its vertices that the other reads: the other's
UDS, as section 5 of the Lux paper has it of nodes. After an iteration a partition writes a message into each slot
(``messages.cuh``), with all values or, of programs with a frontier, those of active vertices. Messages cross between
iterations inside a launch (`lux.runtime.gpu_exchange`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.core.partitions import cut
from lux.kernels import frontier as fr
from lux.partition import split_points
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph.layout import PartitionedGraph

CHUNK_BITS = 1024
"""Vertices of which a bitmap says where their first value is; equal to the constant of `messages.cuh`."""
FACTS = 4
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
        words = sum((-(-counts * nbytes // 8) for nbytes in value_bytes), start=np.zeros_like(counts))
        if frontier:
            chunks = -(-counts // CHUNK_BITS)
            words += chunks * (CHUNK_BITS // 64) + -(-chunks // 2)
        self.words = np.where(np.eye(self.parts, dtype=bool), 0, words + fr.STATE_COLUMNS)
        exports_first, out_at, in_at = (
            np.stack([split_points.starts(row) for row in rows]) for rows in (counts, self.words, self.words.T)
        )
        facts = np.stack([exports_first, out_at, in_at, exports.first], axis=1)
        self.facts = runtime.from_array(facts.astype(np.int64).ravel())

    @property
    def fact_cuts(self) -> NDArray[np.int64]:
        """The part of ``facts`` of each partition."""
        return cut(np.arange(self.parts + 1, dtype=np.int64) * FACTS * (self.parts + 1))

    @property
    def box_bytes(self) -> tuple[int, int]:
        """Bytes of all slots that a partition writes, and of those that it reads, at most."""
        return 8 * int(self.words.sum(axis=1).max()), 8 * int(self.words.sum(axis=0).max())
