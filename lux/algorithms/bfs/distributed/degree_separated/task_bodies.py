# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The bodies of the launches of `lux.algorithms.bfs.distributed.degree_separated.launches`."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import delegate_visit_kernels, normal_visit_kernels
from lux.algorithms.bfs.distributed.degree_separated import exchange_kernels as exchange
from lux.algorithms.bfs.distributed.degree_separated import state_kernels as st
from lux.algorithms.bfs.distributed.degree_separated.state_kernels import Work
from lux.runtime import Launcher

if TYPE_CHECKING:
    from lux.algorithms.bfs.distributed.degree_separated.launches import DegreeSeparatedLaunches


@dataclass(frozen=True)
class Source:
    """The inputs of a search's point tasks in their process.

    Attributes
    ----------
    launches : DegreeSeparatedLaunches
    place : int
        The source.
    delegate : int
        The source's number among the delegates, or -1.
    """

    launches: DegreeSeparatedLaunches
    place: int
    delegate: int

    def mark(self, point: int, state: NDArray[np.int64], work: Work) -> None:
        """Visit the source, on its owner; the mask has its bit if it is a delegate."""
        own = self.place - self.launches.points[point]
        if not 0 <= own < len(work.distance):
            return
        work.distance[own], work.parent[own] = 0, self.place
        if self.delegate >= 0:
            work.delegate_parents[self.delegate] = self.place
        else:
            work.queue[0], state[st.TAIL] = own, 1
            work.visited[own >> 6] = 1 << (own & 63)


@runtime.task(
    outputs={"state": "state_rows", "slots": "outbox", "mask": "mask_rows", "other_mask": "mask_rows"},
    updates={"work": "work_rows"},  # near vertices are kept
    scalars={"key": int},
)
def begin(point: int, state: Any, slots: Any, mask: Any, other_mask: Any, words_of_work: Any, key: int) -> None:
    """Clear the state and visit the source."""
    source: Source = runtime.context(key)
    launches, j = source.launches, source.delegate
    work, arriving = launches.work_of(point, words_of_work), launches.arriving
    exchange.begin(state, work)
    slots[arriving.sent_at[point][arriving.words[point] > 0]] = 0
    mask[:] = other_mask[:] = 0
    word = (j >> 6) - point * max(launches.separation.mask_words, 1) // launches.separation.parts
    if j >= 0 and 0 <= word < len(mask):
        mask[word] = 1 << (j & 63)
    source.mark(point, state, work)


@runtime.task(
    inputs={"far_places": "inbox"}, outputs={"work": "work_rows"}, scalars={"key": int}, grouped={"inbox": "inbox_of"}
)
def list_near(point: int, far_places: Any, words_of_work: Any, key: int) -> None:
    """List for processors which of their vertices others may name."""
    launches, found_at, sizes = runtime.context(key)
    near, near_at = launches.work_of(point, words_of_work).near, launches.near_at[point]
    words_of_work[: len(words_of_work) - len(near)] = 0
    for sender in np.flatnonzero(sizes[:, point]):
        first, size = found_at[sender, point], sizes[sender, point]
        mine = far_places[first : first + size] - np.uint32(launches.points[point])
        near[near_at[sender] : near_at[sender + 1]] = mine


@runtime.task(
    inputs={"graph": "graph_rows", "slots": "inbox", "mask": None},
    updates={"work": "work_rows", "state": "state_rows"},
    reductions={"OR": {"found": None}},
    scalars={"level": int, "reads": int, "folds": int, "key": int},
    grouped={"inbox": "inbox_of"},
)
def visit_delegates(
    point: int, given: Any, slots: Any, mask: Any, words_of_work: Any, state: Any, found: Any, level: int,
    reads: int, folds: int, key: int,
) -> None:  # fmt: skip
    """Read messages and the mask, and visit delegates."""
    began = time.perf_counter_ns()
    launches: DegreeSeparatedLaunches = runtime.context(key).launches
    separation, low, own = launches.separation, launches.points[point], launches.own_delegates[point : point + 2]
    graph, work = separation.subgraphs(point, given), launches.work_of(point, words_of_work)
    mask = mask[: separation.mask_words if reads else 0]
    exchange.take_mask(state, level, mask, own, low, graph.delegates, work)
    inbox = launches.arriving.found_at[:, point], launches.arriving.words[:, point], slots
    exchange.take_messages(state, level, point, launches.near_at[point], *inbox, work)
    if separation.parts > 1:
        state[st.RECEIVED] += mask.nbytes
    new = np.zeros(separation.mask_words, np.uint64)
    if folds:
        delegate_visit_kernels.visit_delegates(state, launches.factors, low, graph, work, new)
        found[: len(new)] |= new | work.known
    else:
        delegate_visit_kernels.visit_none(state, graph, work)
    state[st.NANOSECONDS] = time.perf_counter_ns() - began


@runtime.task(
    inputs={"graph": "graph_rows"},
    outputs={"slots": "outbox"},
    updates={"work": "work_rows", "state": "state_rows"},
    scalars={"level": int, "key": int},
)
def visit_normal(point: int, given: Any, slots: Any, words_of_work: Any, state: Any, level: int, key: int) -> None:
    """Visit normal vertices, and name far ones to their owners."""
    began = time.perf_counter_ns()
    launches: DegreeSeparatedLaunches = runtime.context(key).launches
    graph, work = launches.separation.subgraphs(point, given), launches.work_of(point, words_of_work)
    to = launches.far_at[point], launches.unique, launches.slot_at[point], slots
    normal_visit_kernels.visit_normal(state, launches.factors, level, launches.points[point], graph, work, *to)
    state[st.NANOSECONDS] += time.perf_counter_ns() - began


@functools.cache
def ending(gathered: bool) -> Launcher:
    """Make the launch that writes distances and parents from the working store to the answers."""

    def write_answers(point: int, given: Any, seen: Any, *rest: Any) -> None:
        passed, (distance, parent, key) = rest[:-3], rest[-3:]
        launches: DegreeSeparatedLaunches = runtime.context(key).launches
        graph, at = launches.separation.subgraphs(point, given), launches.parents.at[point]
        work, own = launches.work_of(point, seen[at[0] :]), launches.own_delegates[point : point + 2]
        parts = launches.separation.parts
        distance[:] = work.distance
        if launches.gathering is None:
            far = at[1 + parts :], seen
        else:
            far = launches.gathering.parents.found_at[:, point], passed[0]
        near_at, low = launches.near_at[point], launches.points[point]
        exchange.take_parents(graph.delegates, work, low, own, near_at, *far, at[1 : 1 + parts], seen, parent)

    far_inputs: dict[str, str | None] = {"far": "far_inbox"} if gathered else {}
    return Launcher(
        write_answers,
        inputs={"graph": "graph_rows", "work": "inbox"} | far_inputs,
        outputs={"distance": "vertices", "parent": "vertices"},
        scalars={"key": int},
        grouped={"inbox": "inbox_of"} | ({"far_inbox": "far_inbox_of"} if gathered else {}),
    )
