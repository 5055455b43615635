# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""One search by the strategy ``degree-separated``, level by level, and the statistics of its levels."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.degree_separated import state_kernels as st
from lux.algorithms.bfs.distributed.degree_separated.build_kernels import DD, DN, ND, NN
from lux.algorithms.bfs.distributed.degree_separated.single_processor import search_alone
from lux.algorithms.bfs.distributed.degree_separated.task_bodies import Source
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.algorithms.bfs.distributed.degree_separated.launches import DegreeSeparatedLaunches
    from lux.engine.run.run import Progress

KINDS = {NN: "nn", ND: "nd", DN: "dn", DD: "dd"}


class Levels:
    """One search, run level by level."""

    def __init__(self, launches: DegreeSeparatedLaunches, source: int, fields: dict[str, Store]) -> None:
        self.launches, self.fields = launches, fields
        self.source = Source(launches, source, launches.separation.delegate(source))
        self.iterations: list[Iteration] = []

    def run(self, limit: int, progress: Progress | None) -> Run:
        """Search at most ``limit`` levels."""
        runtime.finish()
        began = time.perf_counter()
        if self.launches.separation.parts == runtime.ranks() == 1:
            states, converged = search_alone(self.source, limit, self.fields)
            self.iterations = [_iteration(state[None]) for state in states]
            if progress is not None and states:
                progress(len(states))
        else:
            with runtime.registered(self.source) as key:
                self.launches.begin(key)
                converged = self._levels(limit, progress, key)
                self.launches.end(self.fields, key)
                runtime.finish()
        seconds = time.perf_counter() - began
        return Run(self.fields, len(self.iterations), converged, seconds, self.launches.separation.parts, self._all())

    def _levels(self, limit: int, progress: Progress | None, key: int) -> bool:
        launches, d = self.launches, self.launches.separation.n_delegates
        reads, folds, longest = d > 0, d > 0, 0
        for level in range(limit + 1):
            launches.visit_delegates(level, reads=reads, folds=folds and level < limit, longest=longest, key=key)
            if level == limit:
                break
            launches.visit_normal(level, key)
            state = launches.state()
            if _frontier(state) == 0:
                return True
            self.iterations.append(_iteration(state))
            if progress is not None:
                progress(level + 1)
            reads, longest = bool(state[:, st.DELEGATES_FOUND].any()), int(state[:, st.LONGEST].max())
            folds = int(state[0, st.KNOWN]) < d
            found = int((state[:, st.TAIL] - state[:, st.LAST]).sum())
            if not reads and found == 0 and not state[:, st.NAMED].any():
                return True
        return _frontier(launches.state()) == 0

    def _all(self) -> list[Iteration]:
        """Return the statistics; the last level's count the parents' bytes too."""
        if self.iterations:
            last = self.iterations[-1]
            sent = (last.exchanged or 0) + self.launches.bytes_of_parents
            self.iterations[-1] = Iteration(
                last.model, last.frontier, last.frontier_edges, last.seconds, why=last.why, exchanged=sent
            )
        return self.iterations


def _frontier(state: NDArray[np.int64]) -> int:
    return int((state[:, st.LAST] - state[:, st.FIRST]).sum() + state[0, st.FRESH])


def _iteration(state: NDArray[np.int64]) -> Iteration:
    edges = state[:, st.EDGES : st.EDGES + len(KINDS)]
    backward = state[:, st.DIRECTION : st.DIRECTION + len(KINDS)] == st.BACKWARD
    pulled = edges[backward].sum() > edges[~backward].sum()
    seconds = (1e-9 * state[:, st.NANOSECONDS]).astype(np.float64)
    received = int(state[:, st.RECEIVED].sum())
    counts = _frontier(state), int(state[:, st.FRONTIER_EDGES].sum())
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
