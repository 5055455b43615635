# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The search of one processor, which has all delegates and vertices: every level in one task, without messages."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import delegate_visit_kernels, normal_visit_kernels
from lux.algorithms.bfs.distributed.degree_separated import exchange_kernels as exchange
from lux.algorithms.bfs.distributed.degree_separated import state_kernels as st
from lux.algorithms.bfs.distributed.degree_separated.task_bodies import Source
from lux.runtime import Store


def search_alone(source: Source, limit: int, fields: dict[str, Store]) -> tuple[list[NDArray[np.int64]], bool]:
    """Search at most ``limit`` levels; returns the state after each, and whether no frontier is left.

    Takes one partition in one process only.
    """
    launches, states = source.launches, _States(source, limit)
    with runtime.registered(states) as key:
        _search(
            1,
            graph=launches.separation.store,
            work=launches.work,
            graph_rows=launches.separation.sections.rows,
            work_rows=launches.sections.rows,
            vertices=launches.separation.vertices,
            **fields,
            key=key,
        )
    return states.after, states.converged


class _States:
    """Input and result of the task in its process: the source, and the states."""

    def __init__(self, source: Source, limit: int) -> None:
        self.source, self.limit, self.converged = source, limit, False
        self.after: list[NDArray[np.int64]] = []


@runtime.task(
    inputs={"graph": "graph_rows"},
    outputs={"work": "work_rows", "distance": "vertices", "parent": "vertices"},
    scalars={"key": int},
)
def _search(point: int, given: Any, words_of_work: Any, distance: Any, parent: Any, key: int) -> None:
    states: _States = runtime.context(key)
    source, launches = states.source, states.source.launches
    graph, work = launches.separation.subgraphs(point, given), launches.work_of(point, words_of_work)
    state, mask = np.zeros(st.STATE_COLUMNS, np.int64), np.zeros_like(work.known)
    nothing, no_slots = np.zeros(0, np.int64), np.zeros(0, np.uint32)
    exchange.begin(state, work)
    source.mark(point, state, work)
    if source.delegate >= 0:
        mask[source.delegate >> 6] = 1 << (source.delegate & 63)
    for level in range(states.limit + 1):
        began = time.perf_counter_ns()
        exchange.take_mask(state, level, mask, launches.own_delegates, 0, graph.delegates, work)
        exchange.take_messages(state, level, 0, launches.near_at[0], nothing, nothing, no_slots, work)
        states.converged = bool(state[st.FIRST] == state[st.LAST] and state[st.FRESH] == 0)
        if states.converged or level == states.limit:
            break
        found = np.zeros_like(mask)
        delegate_visit_kernels.visit_delegates(state, launches.factors, 0, graph, work, found)
        mask |= found
        to = launches.far_at[0], launches.unique, launches.slot_at[0], no_slots
        normal_visit_kernels.visit_normal(state, launches.factors, level, 0, graph, work, *to)
        state[st.NANOSECONDS] = time.perf_counter_ns() - began
        states.after.append(state.copy())
    distance[:] = work.distance
    at = launches.parents.at[0]
    exchange.take_parents(
        graph.delegates, work, 0, launches.own_delegates, launches.near_at[0], nothing, no_slots, at[1:2],
        words_of_work, parent,
    )  # fmt: skip
