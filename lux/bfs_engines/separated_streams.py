# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The launches of a search among delegates and normal vertices.

A level is two launches, the paper's two streams (section IV): the first takes in what was sent and visits delegates (nd
and dd edges), the second visits normal vertices (dn and nn edges). The delegates that the first finds are OR-reduced
into a mask that the second does not use: Legion folds and carries the mask while normal vertices are visited. Both
write a processor's queue, so that on the same processor, one CPU core, they run one after the other.
"""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.bfs_engines.deal import starts
from lux.bfs_engines.mail import Mail
from lux.kernels import delegate_visits, normal_visits
from lux.kernels import separated_exchange as exchange
from lux.kernels import separated_state as st
from lux.kernels.messages import slot_words
from lux.kernels.separated_dealing import DD, DN, ND, NN
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.bfs_engines.separation import Separation

WORKING = {"distance": "vertices", "parent": "vertices", "queue": "vertices", "bits": "bit_rows", "state": "state_rows"}
"""What both streams update, and how it is split."""
GRAPH = {"offsets": "offsets_rows", "columns": "columns_rows", "masks": "mask_rows", "delegates": None}
MAIL = {"slots": "inbox", "far_places": "far_inbox"}
MAIL_OF = {"inbox": "inbox_of", "far_inbox": "far_inbox_of"}


class Bits(NamedTuple):
    """A processor's bits: of its vertices (visited, and found in a message) and of all delegates."""

    visited: Any
    by_message: Any
    known: Any
    fresh: Any


@dataclass(frozen=True)
class Factors:
    """When edges of a kind are visited in the other direction (section IV-B): see `lux.kernels.separated_state`."""

    to_backward: NDArray[np.float64]
    to_forward: NDArray[np.float64]


class Streams:
    """A separated graph's stores for searching, which searches use one after the other, and their launches.

    Parameters
    ----------
    separation : Separation
    unique : bool
        A processor names no vertex twice to another in a search.
    factors : Factors
    """

    def __init__(self, separation: Separation, unique: bool, factors: Factors) -> None:
        self.separation, self.unique, self.factors = separation, unique, factors
        layout, parts, d = separation.layout, separation.parts, separation.n_delegates
        n, words = separation.vertex_words, separation.mask_words
        slots = np.array([[slot_words(int(k)) if k else 0 for k in row] for row in separation.far], np.int64)
        self.mail, self.far_parents = Mail(slots), Mail(separation.far)
        own = np.diff(separation.own_delegates)
        self.delegate_parents = Mail(np.tile(own, (parts, 1)))
        self.masks = [runtime.new_store(np.uint64, words) for _ in "ab"]
        self.unread, self.unfolded = (runtime.new_store(np.uint64, 1, fill=0) for _ in "ab")
        self._working = {
            "queue": runtime.new_store(np.uint32, layout.graph.n_vertices),
            "bits": runtime.new_store(np.uint64, int((2 * n + 2 * words).sum())),
            "state": runtime.new_store(np.int64, parts * st.STATE_COLUMNS),
        }
        self._graph = {"offsets": separation.rows.offsets, "columns": separation.rows.columns}
        self._graph |= {"masks": separation.masks, "delegates": separation.delegates}
        self.splits = separation.splits | {
            "vertices": layout.splits["vertices"],
            "bit_rows": runtime.ranges(starts(2 * n + 2 * words)),
            "state_rows": layout.rows(st.STATE_COLUMNS),
        }
        self._even = runtime.even_ranges(max(words, 1), parts)
        self._sender_rows = {"delegate_parents": self.delegate_parents.outbox, "far_parents": self.far_parents.outbox}
        self.slices, self.own_delegates = separation.slices, separation.own_delegates.tolist()
        self.points = layout.points.tolist()
        self.far_at = starts_of(separation.far)
        self.slot_at = starts_of(slots)
        self._d = d

    @cached_property
    def nbytes(self) -> int:
        """Bytes of the stores, without the graph's."""
        stores = [*self._working.values(), *self.masks, self.mail.store, self.far_parents.store]
        return sum(store.nbytes for store in [*stores, self.delegate_parents.store])

    def bits(self, point: int, bits: NDArray[np.uint64]) -> Bits:
        """The parts of a processor's bits."""
        n, words = int(self.separation.vertex_words[point]), self.separation.mask_words
        at = [0, n, 2 * n, 2 * n + words, 2 * n + 2 * words]
        return Bits(*(bits[a:b] for a, b in zip(at[:-1], at[1:], strict=True)))

    # What follows is called by the driver.

    def begin(self, fields: dict[str, Store], key: int) -> None:
        """Nothing but the source has been visited."""
        _beginning()(
            self.separation.parts,
            **self._working,
            **fields,
            slots=self.mail.store,
            delegate_parents=self.delegate_parents.store,
            far_parents=self.far_parents.store,
            mask=self.masks[0],
            other_mask=self.masks[1],
            outbox=self.mail.outbox,
            delegate_parents_rows=self._sender_rows["delegate_parents"],
            far_parents_rows=self._sender_rows["far_parents"],
            even_rows=self._even,
            **{name: self.splits[name] for name in ("vertices", "bit_rows", "state_rows")},
            key=key,
        )

    def take(self, fields: dict[str, Store], level: int, *, reads: bool, folds: bool, longest: int, key: int) -> None:
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
        far_inbox, far_inbox_of = self.separation.far_places.inbox(2**62)
        _taking()(
            self.separation.parts,
            **self._graph,
            **self._working,
            **fields,
            **self.splits,
            slots=self.mail.store,
            far_places=self.separation.far_places.store,
            inbox=inbox,
            inbox_of=inbox_of,
            far_inbox=far_inbox,
            far_inbox_of=far_inbox_of,
            mask=self.masks[level % 2] if reads else self.unread,
            found=self.masks[(level + 1) % 2] if folds else self.unfolded,
            delegate_parents=self.delegate_parents.store,
            delegate_parents_rows=self._sender_rows["delegate_parents"],
            level=level,
            reads=int(reads),
            folds=int(folds),
            key=key,
        )

    def visit(self, fields: dict[str, Store], level: int, key: int) -> None:
        """Visit normal vertices."""
        _visiting()(
            self.separation.parts,
            **self._graph,
            **self._working,
            **fields,
            **self.splits,
            far_parents=self.far_parents.store,
            far_parents_rows=self._sender_rows["far_parents"],
            slots=self.mail.store,
            outbox=self.mail.outbox,
            level=level,
            key=key,
        )

    def end(self, fields: dict[str, Store], key: int) -> None:
        """Fetch the parents that others found."""
        far_inbox, far_inbox_of = self.far_parents.inbox(2**62)
        own_inbox, own_inbox_of = self.delegate_parents.inbox(2**62)
        _ending()(
            self.separation.parts,
            delegates=self.separation.delegates,
            far_parents=self.far_parents.store,
            delegate_parents=self.delegate_parents.store,
            bits=self._working["bits"],
            parent=fields["parent"],
            far_inbox=far_inbox,
            far_inbox_of=far_inbox_of,
            own_inbox=own_inbox,
            own_inbox_of=own_inbox_of,
            **{name: self.splits[name] for name in ("vertices", "bit_rows")},
            key=key,
        )

    def state(self) -> NDArray[np.int64]:
        """The state of all processors, of shape (parts, STATE_COLUMNS); waits for the launches."""
        return runtime.to_array(self._working["state"]).reshape(-1, st.STATE_COLUMNS)

    @property
    def bytes_of_parents(self) -> int:
        """Bytes that `end` reads of others."""
        elsewhere = self._d * (self.separation.parts - 1)
        return 4 * (elsewhere + int(self.separation.far.sum()))


def starts_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the pieces of each row begin, and where its last ends.

    >>> starts_of(np.array([[0, 2], [3, 4]])).tolist()
    [[0, 0, 2], [0, 3, 7]]
    """
    return np.concatenate([np.zeros((len(sizes), 1), np.int64), np.cumsum(sizes, axis=1)], axis=1)


@dataclass(frozen=True)
class Search:
    """What point tasks find in their process."""

    streams: Streams
    source: int
    source_delegate: int


@functools.cache
def _beginning() -> Launcher:
    def begin(
        point: int, distance: Any, parent: Any, queue: Any, bits: Any, state: Any, slots: Any, delegate_parents: Any,
        far_parents: Any, mask: Any, other_mask: Any, key: int,
    ) -> None:  # fmt: skip
        search: Search = runtime.shared(key)
        streams, j = search.streams, search.source_delegate
        exchange.begin(state, bits, distance, parent, delegate_parents, far_parents)
        slot_at = streams.slot_at[point]
        slots[slot_at[:-1][np.diff(slot_at) > 0]] = 0
        mask[:] = other_mask[:] = 0
        first = point * max(streams.separation.mask_words, 1) // streams.separation.parts
        if first <= j >> 6 < first + len(mask) and j >= 0:
            mask[(j >> 6) - first] = np.uint64(1 << (j & 63))
        own = search.source - streams.points[point]
        if 0 <= own < len(distance):
            distance[own], parent[own] = 0, search.source
            if j >= 0:
                delegate_parents[j] = search.source
            else:
                queue[0], state[st.TAIL] = own, 1
                streams.bits(point, bits).visited[own >> 6] = np.uint64(1 << (own & 63))

    outputs = WORKING | {"slots": "outbox", "delegate_parents": "delegate_parents_rows"}
    outputs |= {"far_parents": "far_parents_rows", "mask": "even_rows", "other_mask": "even_rows"}
    return Launcher(begin, outputs=outputs, scalars={"key": int})


@functools.cache
def _taking() -> Launcher:
    def visit_delegates(
        point: int, offsets: Any, columns: Any, masks: Any, delegates: Any, slots: Any, far_places: Any, mask: Any,
        distance: Any, parent: Any, queue: Any, bits: Any, state: Any, delegate_parents: Any, found: Any, level: int,
        reads: int, folds: int, key: int,
    ) -> None:  # fmt: skip
        began = time.perf_counter_ns()
        streams: Streams = runtime.shared(key).streams
        mine, separation, low = streams.bits(point, bits), streams.separation, streams.points[point]
        own = streams.own_delegates[point : point + 2]
        mask = mask if reads else mask[:0]
        mask = mask[: separation.mask_words]
        exchange.take_mask(state, level, mask, *own, low, delegates, mine.known, mine.fresh, distance)
        exchange.take_messages(
            state, level, point, streams.mail.found_at[:, point], streams.mail.words[:, point], slots,
            separation.far_places.found_at[:, point], far_places, low, queue, mine.visited, mine.by_message, distance,
            parent,
        )  # fmt: skip
        if separation.parts > 1:
            state[st.RECEIVED] += 8 * len(mask)
        taken = time.perf_counter_ns()
        state[st.DELEGATES_FOUND] = state[st.FRONTIER_EDGES] = 0
        rows, to, factors = streams.slices[point], np.zeros(separation.mask_words, np.uint64), streams.factors
        at, to_rows = rows.offsets, rows.columns
        delegate_visits.visit_delegates(
            state, factors.to_backward, factors.to_forward, low, delegates, queue, mine.visited, mine.known, mine.fresh,
            offsets[at[ND]], columns[to_rows[ND]], offsets[at[DN]], columns[to_rows[DN]], offsets[at[DD]],
            columns[to_rows[DD]], masks[rows.nd_rows], masks[rows.dn_rows], masks[rows.dd_rows], to, delegate_parents,
        )  # fmt: skip
        if folds:
            found[: len(to)] |= to | mine.known
        state[st.VISITING], state[st.EXCHANGING] = time.perf_counter_ns() - taken, taken - began

    inputs = GRAPH | MAIL | {"mask": None}
    return Launcher(
        visit_delegates,
        inputs=inputs,
        updates=WORKING | {"delegate_parents": "delegate_parents_rows"},
        folds={"OR": {"found": None}},
        scalars={"level": int, "reads": int, "folds": int, "key": int},
        grouped=MAIL_OF,
    )


@functools.cache
def _visiting() -> Launcher:
    def visit_normal(
        point: int, offsets: Any, columns: Any, masks: Any, delegates: Any, slots: Any, distance: Any, parent: Any,
        queue: Any, bits: Any, state: Any, far_parents: Any, level: int, key: int,
    ) -> None:  # fmt: skip
        began = time.perf_counter_ns()
        streams: Streams = runtime.shared(key).streams
        mine, rows, factors = streams.bits(point, bits), streams.slices[point], streams.factors
        at, to = rows.offsets, rows.columns
        normal_visits.visit_normal(
            state, level, factors.to_backward, factors.to_forward, streams.points[point], delegates, queue,
            mine.visited, mine.known, mine.fresh, offsets[at[NN]], columns[to[NN]], offsets[at[ND]], columns[to[ND]],
            offsets[at[DN]], columns[to[DN]], masks[rows.nd_rows], masks[rows.dn_rows], distance, parent,
            streams.far_at[point], far_parents, streams.unique, streams.slot_at[point], slots,
        )  # fmt: skip
        state[st.VISITING] += time.perf_counter_ns() - began

    return Launcher(
        visit_normal,
        inputs=GRAPH,
        outputs={"slots": "outbox"},
        updates=WORKING | {"far_parents": "far_parents_rows"},
        scalars={"level": int, "key": int},
    )


@functools.cache
def _ending() -> Launcher:
    def take_parents(
        point: int, delegates: Any, far_parents: Any, delegate_parents: Any, bits: Any, parent: Any, key: int
    ) -> None:
        streams: Streams = runtime.shared(key).streams
        own = streams.own_delegates[point : point + 2]
        exchange.take_parents(
            streams.bits(point, bits).by_message, far_parents, *own, streams.delegate_parents.found_at[:, point],
            delegate_parents, streams.points[point], delegates, parent,
        )  # fmt: skip

    return Launcher(
        take_parents,
        inputs={"delegates": None, "far_parents": "far_inbox", "delegate_parents": "own_inbox", "bits": "bit_rows"},
        updates={"parent": "vertices"},
        scalars={"key": int},
        grouped={"far_inbox": "far_inbox_of", "own_inbox": "own_inbox_of"},
    )
