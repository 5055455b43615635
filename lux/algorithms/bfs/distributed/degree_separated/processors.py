# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The processors of a separated graph: memory of those of this process, and the slots by which all exchange."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import search_kernels as kernels
from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import starts_of, words
from lux.algorithms.bfs.distributed.degree_separated.local_all_to_all import LocalAllToAll
from lux.algorithms.bfs.distributed.degree_separated.search_kernels import MASK_HEAD
from lux.algorithms.bfs.distributed.degree_separated.state_kernels import Subgraphs, Work
from lux.algorithms.bfs.distributed.message_kernels import slot_words
from lux.algorithms.bfs.distributed.slot_exchange import Kind, SlotExchange, own_processors, puts_reach_all
from lux.engine.cpu.exchange_body import locate
from lux.partition.split_points import first_partitions, starts

if TYPE_CHECKING:
    from lux.algorithms.bfs.distributed.degree_separated.degree_separated_graph import DegreeSeparatedGraph

Factors = tuple[tuple[float, ...], tuple[float, ...]]


class DegreeSeparatedProcessors:
    """Memory for searching a separated graph, which searches use one after the other.

    Parameters
    ----------
    separation : DegreeSeparatedGraph
    unique : bool
        A processor names no vertex twice to another in a search.
    group : int
        Processors of a group that gathers its messages
        (`lux.algorithms.bfs.distributed.degree_separated.local_all_to_all`), or 0.
    blocking : bool
        Masks are part of the exchange at a level's end, and do not travel before it.
    factors : (tuple of float, tuple of float)
        Pair of `lux.algorithms.bfs.distributed.degree_separated.state_kernels.TO_BACKWARD` and ``TO_FORWARD``.

    Attributes
    ----------
    own : range
        This process's processors.
    work : dict of int to Work
    parents : dict of int to np.ndarray, uint32
        The parents of each processor's vertices, once a search is over.
    slots : np.ndarray, uint32
        Messages by sender and receiver, those of gatherers likewise, the masks of processes in even levels and in odd
        ones, and at the end parents: of far vertices by sender, of delegates by processor, and of far vertices by
        gatherer.
    """

    def __init__(
        self, separation: DegreeSeparatedGraph, unique: bool, group: int, blocking: bool, factors: Factors
    ) -> None:
        self.separation, self.unique, self.factors = separation, unique, factors
        self.blocking = blocking or not puts_reach_all()
        parts, far = separation.parts, separation.far
        self.own = own_processors(parts)
        self.gathering = LocalAllToAll(separation, group) if group and parts > 1 else None
        passed = np.zeros_like(far) if self.gathering is None else self.gathering.far
        self._lay_out(far, passed)
        near = far if self.gathering is None else passed
        self.far_at, self.near_at = starts_of(far), starts_of(near.T)
        self.slots = np.zeros(self._end, np.uint32)
        self.work = {point: self._new_work(point, near) for point in self.own}
        self.parents = {point: np.empty(len(work.parent), np.uint32) for point, work in self.work.items()}
        self._mask = np.zeros(separation.mask_words, np.uint64)
        self._new = np.zeros(len(self.own) * separation.mask_words, np.uint64)
        self._via = {
            point: np.empty(0 if self.gathering is None else int(passed[point].sum()), np.uint32) for point in self.own
        }
        self._list_near()

    def _lay_out(self, far: NDArray[np.int64], passed: NDArray[np.int64]) -> None:
        """Find where slots lie."""
        parts, d = self.separation.parts, self.separation.n_delegates
        self.message_words, self.passed_words = (
            np.array([[slot_words(int(k)) if k else 0 for k in row] for row in sizes], np.int64).reshape(parts, parts)
            for sizes in (far, passed)
        )
        at = 0

        def place(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
            """Place slots of these sizes, and return where each row's begin and end."""
            nonlocal at
            begins = at + starts(sizes.ravel())
            at = -(-int(begins[-1]) // 2) * 2
            columns = sizes.shape[1]
            return np.array([begins[k * columns : (k + 1) * columns + 1] for k in range(len(sizes))])

        self.slot_at, self.passed_at = place(self.message_words), place(self.passed_words)
        self._mask_words = MASK_HEAD + 2 * self.separation.mask_words
        self.mask_at = place(np.full((2 * runtime.ranks(), 1), self._mask_words))[:, 0]
        self.far_parents_at = place(far)
        self.delegate_parents_at = place(np.full((parts, 1), d))[:, 0]
        self.passed_parents_at = place(passed)
        self._end = at

    def _new_work(self, point: int, near: NDArray[np.int64]) -> Work:
        separation, d = self.separation, self.separation.n_delegates
        own = int(np.diff(separation.points)[point])
        far, of_delegates = self.far_parents_at[point], self.delegate_parents_at[point]
        return Work(
            distance=np.empty(own, np.int32),
            parent=np.empty(own, np.uint32),
            queue=np.empty(own, np.uint32),
            visited=np.zeros(words(own), np.uint64),
            by_message=np.zeros(words(own), np.uint64),
            known=np.zeros(words(d), np.uint64),
            fresh=np.zeros(words(d), np.uint64),
            delegate_parents=self.slots[of_delegates : of_delegates + d],
            far_parents=self.slots[far[0] : far[-1]],
            near=np.empty(int(near[:, point].sum()), np.uint32),
        )

    def _list_near(self) -> None:
        """List for each processor which of its vertices others may name."""
        places = self.separation.far_places if self.gathering is None else self.gathering.places
        inbox, inbox_of = places.inbox()
        with runtime.registered((self, places.found_at, places.words)) as key:
            _list_near(self.separation.parts, far_places=places.store, inbox=inbox, inbox_of=inbox_of, key=key)
            runtime.finish()

    @staticmethod
    def bytes_needed(separation: DegreeSeparatedGraph, *, gathered: bool) -> int:
        """Estimate the bytes of all processors' memory, the slots on their way included."""
        n, d, far = int(separation.points[-1]), separation.n_delegates, int(separation.far.sum())
        on_their_way = 4 * 4 * (far + d * separation.parts)
        return 17 * n + d * separation.parts + 8 * far + on_their_way + (20 * far if gathered else 0)

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

    def kinds(self) -> list[Kind]:
        """Return the kinds of slots, in the order of `search_kernels`."""
        parts = self.separation.parts
        points = np.arange(parts)
        senders, receivers = np.repeat(points, parts), np.tile(points, parts)
        first = first_partitions(parts, runtime.ranks())
        with_some = np.flatnonzero(np.diff(first) > 0) if self.blocking else np.empty(0, np.int64)
        masks = np.repeat(with_some, len(with_some)), np.tile(with_some, len(with_some))
        arriving_at, arriving_words = (
            (self.slot_at, self.message_words) if self.gathering is None else (self.passed_at, self.passed_words)
        )
        level = Kind(
            np.append(senders, first[masks[0]]),
            np.append(receivers, first[masks[1]]),
            np.append(arriving_at[:, :-1].ravel(), self.mask_at[masks[0]]),
            np.append(arriving_words.ravel(), np.full(len(masks[0]), self._mask_words)),
            shares=True,
        )
        none = np.empty(0, np.int64)
        nothing = Kind(none, none, none, none)
        own = self.separation.own_delegates
        delegates_at = self.delegate_parents_at[senders] + own[receivers]
        delegates = senders, receivers, delegates_at, np.diff(own)[receivers]
        far = self.separation.far
        gather, passed = nothing, nothing
        if self.gathering is None:
            far_parents = senders, receivers, self.far_parents_at[:, :-1].ravel(), far.ravel()
        else:
            of = np.concatenate(self.gathering.pairs)
            gatherers = np.repeat(points, [len(p) for p in self.gathering.pairs])
            p, r = of.T
            gather = Kind(p, gatherers, self.slot_at[p, r], self.message_words[p, r])
            far_parents = p, gatherers, self.far_parents_at[p, r], far[p, r]
            passed_at, passed_words = self.passed_parents_at[:, :-1].ravel(), self.gathering.far.ravel()
            passed = Kind(senders, receivers, passed_at, passed_words, whole=True)
        of, to, at, sizes = (np.append(a, b) for a, b in zip(delegates, far_parents, strict=True))
        parents = Kind(of, to, at, sizes, whole=True)
        return [level, gather, nothing._replace(shares=True), parents, passed]

    def arguments(self, exchange: SlotExchange, source: int, limit: int, done: Any) -> list[dict[str, Any]]:
        """Return the arguments of `search_kernels.run` for each thread of this process, in order."""
        separation = self.separation
        stores, splits = {"graph": separation.store}, {"graph_rows": separation.sections.rows}
        located = locate(separation.parts, stores, {"graph": "graph_rows"}, splits)
        threads = []
        arrivals, flags = np.zeros(1, np.int64), np.zeros(runtime.ranks(), np.int64)
        exchange.exchange.receive_puts(self.slots.view(np.uint64), flags)
        for thread in range(max(len(self.own), 1)):
            point = self.own[thread] if self.own else -1
            given = exchange.arguments(thread, max(len(self.own), 1)) | self._of(point)
            if self.own:
                given |= separation.subgraphs(point, located[point]["graph"])._asdict() | self.work[point]._asdict()
            else:
                given |= _nothing()
            given |= {
                "point": point,
                "n_delegates": separation.n_delegates,
                "source": source,
                "delegate": separation.delegate(source),
                "limit": limit,
                "factors": np.array([each for way in self.factors for each in way]),
                "unique": int(self.unique),
                "bitmaps": self.slots.view(np.uint64),
                "masks_at": self.mask_at // 2,
                "mask": self._mask,
                "new": self._new,
                "blocking": int(self.blocking),
                "arrivals": arrivals,
                "flags": flags,
                "done": done,
            }
            names = inspect.signature(kernels.run.py_func).parameters
            threads.append({name: given[name] for name in names if name != "between"})
        return threads

    def _of(self, point: int) -> dict[str, Any]:
        """Return the arguments that say where a processor's slots are; empty where there is no processor."""
        parts, own = self.separation.parts, self.separation.own_delegates
        at = max(point, 0)
        gathering, senders = self.gathering, np.arange(parts)
        if gathering is None:
            pairs, numbers_at, numbers = np.empty((0, 2), np.int64), np.zeros(1, np.int64), np.empty(0, np.uint32)
            union_at, arriving_at, arriving_words = np.zeros(1, np.int64), self.slot_at, self.message_words
        else:
            pairs, numbers_at = gathering.pairs[at], gathering.numbers_at[at]
            numbers, union_at = gathering.numbers.get(at, np.empty(0, np.uint32)), gathering.union_at[at]
            arriving_at, arriving_words = self.passed_at, self.passed_words
        p, r = pairs.T
        far_parents_at = self.far_parents_at if gathering is None else self.passed_parents_at
        found: dict[str, Any] = {
            "low": int(self.separation.points[at]),
            "own_delegates": own[at : at + 2],
            "near_at": self.near_at[at],
            "far_at": self.far_at[at],
            "slot_at": self.slot_at[at],
            "arriving_at": arriving_at[:, at],
            "arriving_words": arriving_words[:, at],
            "gathers": int(gathering is not None),
            "pairs": pairs.ravel(),
            "pair_at": self.slot_at[p, r],
            "pair_words": self.message_words[p, r],
            "pair_parents_at": self.far_parents_at[p, r],
            "numbers_at": numbers_at,
            "numbers": numbers,
            "via": self._via.get(point, np.empty(0, np.uint32)),
            "union_at": union_at,
            "passed_at": self.passed_at[at],
            "passed_parents": int(self.passed_parents_at[at, 0]),
            "far_parents_at": far_parents_at[:, at],
            "delegates_at": self.delegate_parents_at[senders] + own[at],
            "parents": self.parents.get(point, np.empty(0, np.uint32)),
        }
        return {
            name: np.ascontiguousarray(value, None if value.dtype == np.uint32 else np.int64)
            if isinstance(value, np.ndarray)
            else value
            for name, value in found.items()
        }


def _nothing() -> dict[str, Any]:
    """Return the graph and the memory of a process without processors."""
    kinds: dict[str, Any] = dict.fromkeys((*Subgraphs._fields, *Work._fields), np.uint32)
    kinds |= dict.fromkeys(("nd_rows", "dn_rows", "dd_rows", "visited", "by_message", "known", "fresh"), np.uint64)
    kinds["distance"] = np.int32
    return {name: np.zeros(1 if name.endswith("offsets") else 0, kind) for name, kind in kinds.items()}


@runtime.task(inputs={"far_places": "inbox"}, scalars={"key": int}, grouped={"inbox": "inbox_of"})
def _list_near(point: int, far_places: Any, key: int) -> None:
    processors, found_at, sizes = runtime.context(key)
    near, near_at = processors.work[point].near, processors.near_at[point]
    for sender in np.flatnonzero(sizes[:, point]):
        first, size = found_at[sender, point], sizes[sender, point]
        mine = far_places[first : first + size] - np.uint32(processors.separation.points[point])
        near[near_at[sender] : near_at[sender + 1]] = mine
