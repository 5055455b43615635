# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The launches of a search among delegates and normal vertices.

A level is two launches, the paper's two streams (section IV): the first takes in what was sent and visits delegates (nd
and dd edges), the second visits normal vertices (dn and nn edges). The delegates that the first finds are OR-reduced
into a mask that the second does not use: Legion folds and carries the mask while normal vertices are visited. Both
write a processor's queue, so that on the same processor, one CPU core, they run one after the other. Messages that the
second writes are read by the next level's first; between them the driver waits for the state, from which it learns
whether there is a next level.
"""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.bfs_engines.mail import Mail
from lux.bfs_engines.sections import Sections
from lux.bfs_engines.separation import words
from lux.kernels import delegate_visits, normal_visits
from lux.kernels import separated_exchange as exchange
from lux.kernels import separated_state as st
from lux.kernels.messages import slot_words
from lux.kernels.separated_state import Work
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.bfs_engines.separation import Separation

EVERYTHING = 2**62
"""As the longest message: whole slots are read."""


class Streams:
    """Stores for searching a separated graph, which searches use one after the other, and their launches.

    Parameters
    ----------
    separation : Separation
    unique : bool
        A processor names no vertex twice to another in a search.
    factors : (tuple of float, tuple of float)
        As `lux.kernels.separated_state.TO_BACKWARD` and ``TO_FORWARD``.

    Attributes
    ----------
    sections : Sections
        The arrays of `lux.kernels.separated_state.Work`.
    near_at, far_at : np.ndarray of shape (parts, parts + 1), int64
        Where the vertices begin that others may name to each processor, and those that each may name.
    slot_at : np.ndarray of shape (parts, parts + 1), int64
        Where each processor's messages begin.
    """

    def __init__(self, separation: Separation, unique: bool, factors: tuple[Any, Any]) -> None:
        self.separation, self.unique, self.factors = separation, unique, factors
        layout, parts = separation.layout, separation.parts
        self.points, self.own_delegates = layout.points.tolist(), separation.own_delegates
        self.sections = work_sections(separation)
        slots = np.array([[slot_words(int(k)) if k else 0 for k in row] for row in separation.far], np.int64)
        self.mail = Mail(slots)
        self.near_at, self.far_at, self.slot_at = (
            starts_of(sizes) for sizes in (separation.far.T, separation.far, slots)
        )
        self.work, self._state = self.sections.new_store(), runtime.new_store(np.int64, parts * st.STATE_COLUMNS)
        self._masks = [runtime.new_store(np.uint64, separation.mask_words) for _ in "ab"]
        self._unread, self._unfolded = (runtime.new_store(np.uint64, 1, fill=0) for _ in "ab")
        self._given = {"graph": separation.store, "work": self.work, "state": self._state, "slots": self.mail.store}
        self._rows = {"graph_rows": separation.sections.rows, "work_rows": self.sections.rows}
        self._rows |= {"state_rows": layout.rows(st.STATE_COLUMNS)}
        self._mask_rows = runtime.even_ranges(max(separation.mask_words, 1), parts)
        self.parents_at, self._parents_inbox = self._parents()

    def _parents(self) -> tuple[NDArray[np.int64], dict[str, Store]]:
        """What a processor reads at the end: its own arrays, and of others' the parents of its vertices.

        Returns where they begin in what it sees (own arrays, parents of far vertices by sender, parents of delegates
        by sender), of shape (parts, 1 + 2 parts), and the rectangles.
        """
        parts, sections, far, own = self.separation.parts, self.sections, self.separation.far, self.own_delegates
        first = np.zeros((parts, 1 + 2 * parts), np.int64)
        size = np.zeros_like(first)
        first[:, 0], size[:, 0] = sections.at[:-1], np.diff(sections.at)
        first[:, 1 : 1 + parts] = (sections.first["far_parents"][:, None] + self.far_at[:, :-1]).T
        first[:, 1 + parts :] = sections.first["delegate_parents"][None, :] + own[:-1, None]
        size[:, 1 : 1 + parts] = far.T
        size[:, 1 + parts :] = np.diff(own)[:, None]
        size[np.arange(parts), 1 + parts + np.arange(parts)] = 0  # among its own arrays
        least = np.where(size > 0, first, EVERYTHING).min(axis=1, keepdims=True)
        inbox = runtime.rectangles(first.ravel(), (first + size - 1).ravel())
        whose = runtime.ranges(np.arange(parts + 1, dtype=np.int64) * first.shape[1])
        return first - least, {"inbox": inbox, "inbox_of": whose}

    @property
    def nbytes(self) -> int:
        """Bytes of the stores, without the graph's."""
        return sum(store.nbytes for store in (self.work, self._state, self.mail.store, *self._masks))

    @property
    def bytes_of_parents(self) -> int:
        """Bytes of others that `end` reads."""
        return 4 * (self.separation.n_delegates * (self.separation.parts - 1) + int(self.separation.far.sum()))

    def begin(self, key: int) -> None:
        """Nothing but the source has been visited."""
        _beginning()(
            self.separation.parts,
            work=self.work,
            state=self._state,
            slots=self.mail.store,
            mask=self._masks[0],
            other_mask=self._masks[1],
            work_rows=self._rows["work_rows"],
            state_rows=self._rows["state_rows"],
            outbox=self.mail.outbox,
            mask_rows=self._mask_rows,
            key=key,
        )

    def visit_delegates(self, level: int, *, reads: bool, folds: bool, longest: int, key: int) -> None:
        """Take in what was sent, and visit delegates.

        Parameters
        ----------
        level : int
            The frontier's distance.
        reads : bool
            The mask has changed.
        folds : bool
            Delegates may be found.
        longest : int
            Words of the longest message that was sent.
        """
        inbox, inbox_of = self.mail.inbox(longest)
        _delegate_stream()(
            self.separation.parts,
            **self._given,
            **self._rows,
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
        """Visit normal vertices."""
        _normal_stream()(
            self.separation.parts, **self._given, **self._rows, outbox=self.mail.outbox, level=level, key=key
        )

    def end(self, fields: dict[str, Store], key: int) -> None:
        """Write the answers, with the parents that others found."""
        _ending()(
            self.separation.parts,
            graph=self.separation.store,
            work=self.work,
            **fields,
            graph_rows=self._rows["graph_rows"],
            vertices=self.separation.layout.splits["vertices"],
            **self._parents_inbox,
            key=key,
        )

    def state(self) -> NDArray[np.int64]:
        """The state of all processors, of shape (parts, STATE_COLUMNS); waits for the launches."""
        return runtime.to_array(self._state).reshape(-1, st.STATE_COLUMNS)

    def work_of(self, point: int, given: NDArray[np.uint32]) -> Work:
        """A processor's arrays, from what it sees of ``work``."""
        return Work(*self.sections.views(point, given))


def work_sections(separation: Separation) -> Sections:
    """Where the arrays of `lux.kernels.separated_state.Work` lie."""
    own = np.diff(separation.layout.points)
    d = np.full(separation.parts, separation.n_delegates)
    return Sections(
        {"distance": (np.int32, own), "parent": (np.uint32, own), "queue": (np.uint32, own)}
        | {name: (np.uint64, words(own)) for name in ("visited", "by_message")}
        | {name: (np.uint64, words(d)) for name in ("known", "fresh")}
        | {"delegate_parents": (np.uint32, d), "far_parents": (np.uint32, separation.far.sum(axis=1))}
    )


def starts_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the pieces of each row begin, and where its last ends.

    >>> starts_of(np.array([[0, 2], [3, 4]])).tolist()
    [[0, 0, 2], [0, 3, 7]]
    """
    return np.column_stack([np.zeros(len(sizes), np.int64), np.cumsum(sizes, axis=1)])


@dataclass(frozen=True)
class Source:
    """What the point tasks of a search find in their process.

    Attributes
    ----------
    streams : Streams
    place : int
        The source.
    delegate : int
        Its number among the delegates, or -1.
    """

    streams: Streams
    place: int
    delegate: int

    def mark(self, point: int, state: NDArray[np.int64], work: Work) -> None:
        """Visit the source, on its owner; the mask has it if it is a delegate."""
        own = self.place - self.streams.points[point]
        if not 0 <= own < len(work.distance):
            return
        work.distance[own], work.parent[own] = 0, self.place
        if self.delegate >= 0:
            work.delegate_parents[self.delegate] = self.place
        else:
            work.queue[0], state[st.TAIL] = own, 1
            work.visited[own >> 6] = 1 << (own & 63)


@functools.cache
def _beginning() -> Launcher:
    def begin(point: int, words_of_work: Any, state: Any, slots: Any, mask: Any, other_mask: Any, key: int) -> None:
        source: Source = runtime.shared(key)
        streams, j = source.streams, source.delegate
        work, slot_at = streams.work_of(point, words_of_work), streams.slot_at[point]
        exchange.begin(state, work)
        slots[slot_at[:-1][np.diff(slot_at) > 0]] = 0
        mask[:] = other_mask[:] = 0
        word = (j >> 6) - point * max(streams.separation.mask_words, 1) // streams.separation.parts
        if j >= 0 and 0 <= word < len(mask):
            mask[word] = 1 << (j & 63)
        source.mark(point, state, work)

    outputs = {"work": "work_rows", "state": "state_rows", "slots": "outbox"}
    outputs |= {"mask": "mask_rows", "other_mask": "mask_rows"}
    return Launcher(begin, outputs=outputs, scalars={"key": int})


@functools.cache
def _delegate_stream() -> Launcher:
    def visit_delegates(
        point: int, given: Any, slots: Any, mask: Any, words_of_work: Any, state: Any, found: Any, level: int,
        reads: int, folds: int, key: int,
    ) -> None:  # fmt: skip
        began = time.perf_counter_ns()
        streams: Streams = runtime.shared(key).streams
        separation, low, own = streams.separation, streams.points[point], streams.own_delegates[point : point + 2]
        graph, work = separation.subgraphs(point, given), streams.work_of(point, words_of_work)
        mask = mask[: separation.mask_words if reads else 0]
        exchange.take_mask(state, level, mask, own, low, graph.delegates, work)
        mail = streams.mail.found_at[:, point], streams.mail.words[:, point], slots
        exchange.take_messages(state, level, point, streams.near_at[point], graph.near, *mail, work)
        if separation.parts > 1:
            state[st.RECEIVED] += mask.nbytes
        new = np.zeros(separation.mask_words, np.uint64)
        delegate_visits.visit_delegates(state, streams.factors, low, graph, work, new)
        if folds:
            found[: len(new)] |= new | work.known
        state[st.NANOSECONDS] = time.perf_counter_ns() - began

    return Launcher(
        visit_delegates,
        inputs={"graph": "graph_rows", "slots": "inbox", "mask": None},
        updates={"work": "work_rows", "state": "state_rows"},
        folds={"OR": {"found": None}},
        scalars={"level": int, "reads": int, "folds": int, "key": int},
        grouped={"inbox": "inbox_of"},
    )


@functools.cache
def _normal_stream() -> Launcher:
    def visit_normal(point: int, given: Any, slots: Any, words_of_work: Any, state: Any, level: int, key: int) -> None:
        began = time.perf_counter_ns()
        streams: Streams = runtime.shared(key).streams
        graph, work = streams.separation.subgraphs(point, given), streams.work_of(point, words_of_work)
        to = streams.far_at[point], streams.unique, streams.slot_at[point], slots
        normal_visits.visit_normal(state, streams.factors, level, streams.points[point], graph, work, *to)
        state[st.NANOSECONDS] += time.perf_counter_ns() - began

    return Launcher(
        visit_normal,
        inputs={"graph": "graph_rows"},
        outputs={"slots": "outbox"},
        updates={"work": "work_rows", "state": "state_rows"},
        scalars={"level": int, "key": int},
    )


@functools.cache
def _ending() -> Launcher:
    def write_answers(point: int, given: Any, words_of_work: Any, distance: Any, parent: Any, key: int) -> None:
        streams: Streams = runtime.shared(key).streams
        parts, at = streams.separation.parts, streams.parents_at[point]
        graph, work = streams.separation.subgraphs(point, given), streams.work_of(point, words_of_work[at[0] :])
        own = streams.own_delegates[point : point + 2]
        distance[:] = work.distance
        exchange.take_parents(
            graph, work, streams.points[point], own, streams.near_at[point], at[1 : 1 + parts], at[1 + parts :],
            words_of_work, parent,
        )  # fmt: skip

    return Launcher(
        write_answers,
        inputs={"graph": "graph_rows", "work": "inbox"},
        outputs={"distance": "vertices", "parent": "vertices"},
        scalars={"key": int},
        grouped={"inbox": "inbox_of"},
    )
