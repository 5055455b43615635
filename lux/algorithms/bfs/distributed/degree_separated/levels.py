# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A search by the strategy ``degree-separated`` in one launch, and the statistics of its levels."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import search_kernels as kernels
from lux.algorithms.bfs.distributed.degree_separated import state_kernels as st
from lux.algorithms.bfs.distributed.degree_separated.build_kernels import DD, DN, ND, NN
from lux.algorithms.bfs.distributed.slot_exchange import SlotExchange
from lux.engine.cpu.exchange_body import kinds_of, set_body
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration

if TYPE_CHECKING:
    from lux.algorithms.bfs.distributed.degree_separated.processors import DegreeSeparatedProcessors
    from lux.engine.run.run import Progress

KINDS = {NN: "nn", ND: "nd", DN: "dn", DD: "dd"}


def search(on: DegreeSeparatedProcessors, source: int, limit: int, progress: Progress | None) -> Run:
    """Search from the place ``source``, at most ``limit`` levels; the last level's bytes have those of parents, too."""
    separation = on.separation
    parts, n = separation.parts, int(separation.points[-1])
    runtime.check_points(parts)
    exchange = SlotExchange(parts, on.slots, on.kinds(), st.STATE_COLUMNS)
    done = np.zeros(2, np.int64)
    try:
        threads = on.arguments(exchange, source, limit, done)
        kept = set_body(exchange.exchange, kernels.__name__, kinds_of(threads[0]), [threads])
        runtime.finish()
        began = time.perf_counter()
        told = None if progress is None else lambda: progress(int(done[kernels.LEVELS]))
        exchange.exchange.launch(told)
        fields = {"distance": runtime.new_store(np.int32, n), "parent": runtime.new_store(np.uint32, n)}
        with runtime.registered(on) as key:
            _finish(parts, **fields, vertices=separation.vertices, key=key)
            runtime.finish()
        seconds = time.perf_counter() - began
        levels, converged = int(done[kernels.LEVELS]), bool(done[kernels.CONVERGED])
        if told is not None and levels:
            told()
        states = exchange.exchange.records(0).reshape(levels, parts, st.STATE_COLUMNS)
        sent = exchange.exchange.sent()
        del kept
    finally:
        exchange.exchange.close()
    statistics = [_iteration(state.astype(np.int64)) for state in states]
    if statistics:
        exchanged = (statistics[-1].exchanged or 0) + on.bytes_of_parents
        statistics[-1] = replace(statistics[-1], exchanged=exchanged)
    return Run(fields, levels, converged, seconds, parts, statistics, sent=sent)


@runtime.task(outputs={"distance": "vertices", "parent": "vertices"}, scalars={"key": int})
def _finish(point: int, distance: Any, parent: Any, key: int) -> None:
    on: DegreeSeparatedProcessors = runtime.context(key)
    distance[:], parent[:] = on.work[point].distance, on.parents[point]


def _iteration(state: NDArray[np.int64]) -> Iteration:
    frontier = int((state[:, st.LAST] - state[:, st.FIRST]).sum() + state[0, st.FRESH])
    edges = state[:, st.EDGES : st.EDGES + len(KINDS)]
    backward = state[:, st.DIRECTION : st.DIRECTION + len(KINDS)] == st.BACKWARD
    pulled = edges[backward].sum() > edges[~backward].sum()
    seconds = (1e-9 * state[:, st.NANOSECONDS]).astype(np.float64)
    received = int(state[:, st.RECEIVED].sum())
    counts = frontier, int(state[:, st.FRONTIER_EDGES].sum())
    why = ", ".join(did(kind, edges[:, kind], backward[:, kind]) for kind in (NN, ND, DN, DD))
    return Iteration("pull" if pulled else "push", *counts, seconds, why=why, exchanged=received)


def did(kind: int, edges: NDArray[np.int64], backward: NDArray[np.bool_]) -> str:
    """Describe a kind of edges in a level, from the edges that processors looked at, and the ones that went backwards.

    >>> did(DD, np.array([3, 4]), np.array([False, True]))
    'dd pulled by 1 of 2 (7 edges)'
    """
    name, total, pulls = KINDS[kind], int(edges.sum()), int(backward.sum())
    if total == 0:
        return f"{name} idle"
    how = {0: "pushed", len(backward): "pulled"}.get(pulls, f"pulled by {pulls} of {len(backward)}")
    return f"{name} {how} ({total:,} edge{'s' * (total != 1)})"
