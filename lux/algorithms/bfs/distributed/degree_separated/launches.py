# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The launches of a search among delegates and normal vertices.

A level is two launches, the paper's two streams (section IV): the first reads messages and masks and visits delegates
(nd and dd edges), the second visits normal vertices (dn and nn edges). The delegates that the first finds are
OR-reduced into a mask that the second does not use: Legion folds and carries the mask while normal vertices are
visited. Both write a processor's queue, so that on one processor, one CPU core, they run one after the other. The
next level's first launch reads the messages that the second writes; between them the driver waits for the state, which
says whether there is a next level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import state_kernels as st
from lux.algorithms.bfs.distributed.degree_separated import task_bodies as tasks
from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import words
from lux.algorithms.bfs.distributed.degree_separated.local_all_to_all import LocalAllToAll
from lux.algorithms.bfs.distributed.degree_separated.state_kernels import Work
from lux.algorithms.bfs.distributed.message_buffers import PairBuffers
from lux.algorithms.bfs.distributed.message_kernels import slot_words
from lux.algorithms.bfs.distributed.packed_arrays import Sections
from lux.algorithms.bfs.distributed.read_plan import ReadPlan
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import DegreeSeparatedGraph

EVERYTHING = 2**62
"""Length of the longest message, for reading whole slots."""


class DegreeSeparatedLaunches:
    """Stores for searching a separated graph, which searches use one after the other, and their launches.

    Parameters
    ----------
    separation : DegreeSeparatedGraph
    unique : bool
        A processor names no vertex twice to another in a search.
    group : int
        Processors of a group that gathers its messages
        (`lux.algorithms.bfs.distributed.degree_separated.local_all_to_all`), or 0.
    factors : (tuple of float, tuple of float)
        Pair of `lux.algorithms.bfs.distributed.degree_separated.state_kernels.TO_BACKWARD` and ``TO_FORWARD``.

    Attributes
    ----------
    sent, arriving : PairBuffers
        Messages that processors write, and messages that receivers read: the same ones, or the gatherers'.
    sections : Sections
        The arrays of `lux.algorithms.bfs.distributed.degree_separated.state_kernels.Work`.
    near_at, far_at : np.ndarray of shape (parts, parts + 1), int64
        First of the vertices that others may name to each processor, and first of those that each may name.
    slot_at : np.ndarray of shape (parts, parts + 1), int64
        First element of each processor's messages.
    """

    def __init__(self, separation: DegreeSeparatedGraph, unique: bool, group: int, factors: tuple[Any, Any]) -> None:
        self.separation, self.unique, self.factors = separation, unique, factors
        parts = separation.parts
        self.points, self.own_delegates = separation.points.tolist(), separation.own_delegates
        slots = np.array([[slot_words(int(k)) if k else 0 for k in row] for row in separation.far], np.int64)
        self.far_at, self.slot_at = starts_of(separation.far), starts_of(slots)
        self.sent = PairBuffers(slots)
        self.gathering = LocalAllToAll(separation, self.sent, group) if group and parts > 1 else None
        if self.gathering is None:
            self.arriving, near, places = self.sent, separation.far, separation.far_places
        else:
            self.arriving, near, places = self.gathering.messages, self.gathering.far, self.gathering.places
        self.near_at = starts_of(near.T)
        self.sections = work_sections(separation, near)
        self.work, self._state = self.sections.new_store(), runtime.new_store(np.int64, parts * st.STATE_COLUMNS)
        self._masks = [runtime.new_store(np.uint64, separation.mask_words) for _ in "ab"]
        self._unread, self._unfolded = (runtime.new_store(np.uint64, 1, fill=0) for _ in "ab")
        self._given = {"graph": separation.store, "work": self.work, "state": self._state}
        self._rows = {"graph_rows": separation.sections.rows, "work_rows": self.sections.rows}
        self._rows |= {"state_rows": state_rows(parts)}
        self._mask_rows = runtime.even_ranges(max(separation.mask_words, 1), parts)
        self._plan_parents()
        self._list_near(places)

    def _plan_parents(self) -> None:
        """Plan which parents processors read of one another at the end: those of far vertices, and of delegates."""
        parts, first, own = self.separation.parts, self.sections.first, self.own_delegates
        # Own arrays; parents of own delegates, processor by processor (own finds are among the own arrays); and,
        # unless gatherers pass them on, parents of own vertices that others named.
        of_delegates, n_own = first["delegate_parents"] + own[:-1, None], np.diff(own)
        begins = [self.sections.at[:-1, None], of_delegates]
        sizes = [np.diff(self.sections.at)[:, None], n_own[:, None] * ~np.eye(parts, dtype=bool)]
        far_first, far = first["far_parents"][:, None] + self.far_at[:, :-1], self.separation.far
        if self.gathering is None:
            begins, sizes = [*begins, far_first.T], [*sizes, far.T]
        else:
            pairs = [(p[:, 0], p[:, 1]) for p in self.gathering.pairs]
            self.gathered_parents = ReadPlan([far_first[p] for p in pairs], [far[p] for p in pairs])
            self.passed_parents = self.gathering.parents.inbox(EVERYTHING)
        self.parents = ReadPlan(list(np.hstack(begins)), list(np.hstack(sizes)))

    def _list_near(self, places: PairBuffers) -> None:
        """Write to each processor the list of its vertices that others may name."""
        inbox, inbox_of = places.inbox(EVERYTHING)
        with runtime.registered((self, places.found_at, places.words)) as key:
            tasks.list_near(
                self.separation.parts,
                far_places=places.store,
                inbox=inbox,
                inbox_of=inbox_of,
                work=self.work,
                work_rows=self.sections.rows,
                key=key,
            )

    @property
    def bytes_of_parents(self) -> int:
        """Return the bytes of other processors that are read at the end."""
        far, of_delegates = self.separation.far, self.separation.n_delegates * (self.separation.parts - 1)
        if self.gathering is None:
            return 4 * (of_delegates + int(far.sum()))
        gathered = sum(
            int(far[p[p[:, 0] != g, 0], p[p[:, 0] != g, 1]].sum()) for g, p in enumerate(self.gathering.pairs)
        )
        passed = self.gathering.far
        return 4 * (of_delegates + gathered + int(passed.sum() - np.trace(passed)))

    def begin(self, key: int) -> None:
        """Clear the state, and visit the source."""
        tasks.begin(
            self.separation.parts,
            work=self.work,
            state=self._state,
            slots=self.arriving.store,
            mask=self._masks[0],
            other_mask=self._masks[1],
            work_rows=self._rows["work_rows"],
            state_rows=self._rows["state_rows"],
            outbox=self.arriving.outbox,
            mask_rows=self._mask_rows,
            key=key,
        )

    def visit_delegates(self, level: int, *, reads: bool, folds: bool, longest: int, key: int) -> None:
        """Read messages and the mask, and visit delegates.

        Parameters
        ----------
        level : int
            The frontier's distance.
        reads : bool
            The mask has changed.
        folds : bool
            Delegates may be found; otherwise none is visited.
        longest : int
            Words of the longest message that was sent.
        """
        inbox, inbox_of = self.arriving.inbox(longest)
        tasks.visit_delegates(
            self.separation.parts,
            **self._given,
            **self._rows,
            slots=self.arriving.store,
            inbox=inbox,
            inbox_of=inbox_of,
            mask=self._masks[level % 2] if reads else self._unread,
            found=self._masks[(level + 1) % 2] if folds else self._unfolded,
            level=level,
            reads=int(reads),
            folds=int(folds),
            key=key,
        )

    def visit_normal(self, level: int, key: int) -> None:
        """Visit normal vertices, and name far ones in messages."""
        tasks.visit_normal(
            self.separation.parts,
            **self._given,
            **self._rows,
            slots=self.sent.store,
            outbox=self.sent.outbox,
            level=level,
            key=key,
        )
        if self.gathering is not None:
            self.gathering.pass_on(self._state, self._rows["state_rows"], level, key)

    def end(self, fields: dict[str, Store], key: int) -> None:
        """Write the answers, with the parents that others found."""
        given: dict[str, Any] = {"graph": self.separation.store, "work": self.work, **fields}
        if self.gathering is not None:
            self.gathering.pass_parents_on(self.work, self.gathered_parents, key)
            far_inbox, far_inbox_of = self.passed_parents
            given |= {"far": self.gathering.parents.store, "far_inbox": far_inbox, "far_inbox_of": far_inbox_of}
        tasks.ending(self.gathering is not None)(
            self.separation.parts,
            **given,
            graph_rows=self._rows["graph_rows"],
            vertices=self.separation.vertices,
            inbox=self.parents.inbox,
            inbox_of=self.parents.inbox_of,
            key=key,
        )

    def state(self) -> NDArray[np.int64]:
        """Return the state of all processors, of shape (parts, STATE_COLUMNS); waits for the launches."""
        return runtime.to_array(self._state).reshape(-1, st.STATE_COLUMNS)

    def work_of(self, point: int, given: NDArray[np.uint32]) -> Work:
        """Return a processor's arrays, from its part of ``work``."""
        return Work(*self.sections.views(point, given))


def work_sections(separation: DegreeSeparatedGraph, near: NDArray[np.int64]) -> Sections:
    """Lay out the arrays of `Work`; ``near`` has the vertices that each processor names to each, at most."""
    own = np.diff(separation.points)
    d = np.full(separation.parts, separation.n_delegates)
    return Sections(
        {"distance": (np.int32, own), "parent": (np.uint32, own), "queue": (np.uint32, own)}
        | {name: (np.uint64, words(own)) for name in ("visited", "by_message")}
        | {name: (np.uint64, words(d)) for name in ("known", "fresh")}
        | {"delegate_parents": (np.uint32, d), "far_parents": (np.uint32, separation.far.sum(axis=1))}
        | {"near": (np.uint32, near.sum(axis=0))}
    )


def state_rows(parts: int) -> Store:
    """Make the store of each processor's row of the state as a rectangle."""
    return runtime.ranges(np.arange(parts + 1, dtype=np.int64) * st.STATE_COLUMNS)


def starts_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the beginning of each row's pieces, and the end of its last.

    >>> starts_of(np.array([[0, 2], [3, 4]])).tolist()
    [[0, 0, 2], [0, 3, 7]]
    """
    return np.column_stack([np.zeros(len(sizes), np.int64), np.cumsum(sizes, axis=1)])
