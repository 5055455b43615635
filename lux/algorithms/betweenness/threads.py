# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps in one task, whose threads share a whole graph.

Several sources are shared out, and each thread sweeps its own in memory of its own; a single one, or all where that
memory is short, are swept by all threads together.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux import runtime
from lux.algorithms.betweenness.brandes import needs_distribution
from lux.algorithms.betweenness.source_parallel import (
    ThreadAccumulator,
    blocks_layout,
    compile_kernels,
    own_bytes,
    plain_rows,
    rounded_away,
    rows_of,
    stores_bytes,
)
from lux.algorithms.strategy import Memory
from lux.engine.cpu.cpu_run import MODELS, WORK_PER_TASK
from lux.engine.cpu.team_task import TeamTask
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.graph import graph as graphs

if TYPE_CHECKING:
    from lux.algorithms.betweenness.brandes import BrandesQuery
    from lux.engine.run.run import Progress

SCRATCH_SHARE = 0.5
"""Most memory that threads take to sweep sources of their own, beside Legate's and relative to it."""


@dataclass(frozen=True)
class BrandesThreads:
    """Sweeps by the threads of one task.

    Attributes
    ----------
    name : str
    summary : str
        The strategy in one line.
    together : bool or None
        All threads sweep from each source; or each from sources of its own; or, with None, whatever keeps more of them
        busy and has room.
    """

    name: str = "threads"
    summary: str = "Sweeps by the threads of one task, each from its own sources or all from each source."
    together: bool | None = None

    def refusal(self, query: BrandesQuery) -> str:
        """Say why one task cannot hold the graph, or why threads cannot share a sweep."""
        if self.together and query.weight is not None:
            return (
                f"weight={query.weight!r} is asked for, and Dijkstra's algorithm has no levels that threads could share"
            )
        return needs_distribution(query)

    def memory(self, query: BrandesQuery) -> Memory:
        """Count the scores, and the edges by source where they have to be made."""
        return Memory(host=stores_bytes(query))

    def prepare(self, query: BrandesQuery) -> None:
        """Group the edges by source."""
        rows_of(query.graph, query.weight)

    def run(self, query: BrandesQuery, progress: Progress | None) -> Run:
        """Sweep from all sources."""
        return run(query, _batches(query, self.together), progress)


def run(asked: BrandesQuery, batches: list[_Batch], progress: Progress | None) -> Run:
    """Add up every vertex's dependencies on the sources: the run's field ``score``, float64."""
    compile_kernels(asked)
    graph, team = asked.graph, _Team(asked, MODELS[asked.model], batches)
    rows = rows_of(graph, asked.weight)
    scores = runtime.new_store(np.float64, graph.n_vertices, written_whole=True, of_graph=True)
    in_blocks = blocks_layout(asked)
    rows |= {} if in_blocks is None else {"packed": in_blocks.blocks(()).packed}
    statistics, began = [], time.perf_counter()
    for batch in team.batches:
        team.begin(batch)
        seconds = np.array(team.launch(rows, {"scores": scores} if team.is_last else {})[0])
        how = "all threads on each source" if batch.together else "each thread on sources of its own"
        how += "" if in_blocks is None else "; levels with many edges by blocks of all edges"
        swept = batch.end - batch.first
        statistics.append(Iteration("sweep", swept, swept * graph.n_edges, seconds, why=how))
        if not team.fine:
            break
        if progress is not None:
            progress(batch.end)
    elapsed = time.perf_counter() - began
    if asked.weight is not None and not team.fine:
        raise rounded_away(asked.weight)
    threads = max(batch.threads for batch in team.batches)
    return Run({"score": scores}, len(asked.chosen), True, elapsed, 1, statistics, threads)


class _Batch(NamedTuple):
    """Sources ``first`` to ``end - 1``, swept by some threads: each its own, or all together."""

    first: int
    end: int
    threads: int
    together: bool


def _batches(asked: BrandesQuery, shared: bool | None = None) -> list[_Batch]:
    """Split the sources into batches of as much work as a task may be; ``shared`` is `BrandesThreads.together`.

    Unless it says otherwise, threads have sources of their own as long as there are enough for more than half of them.
    """
    graph, count = asked.graph, len(asked.chosen)
    source_work = graph.n_edges + graph.n_vertices
    busy = max(1, min(runtime.team_size(), count * source_work // graphs.EDGES_PER_THREAD))
    room = int(SCRATCH_SHARE * legate_config.settings().sysmem_bytes) // own_bytes(asked)
    together, alone = graph.default_threads(), count
    if asked.weight is not None:
        busy = max(1, min(busy, room))
    elif shared is not None:
        alone = 0 if shared else count
    elif together > 1:
        left = count % busy
        alone = 0 if room < busy else count - left if 2 * left <= busy else count
    batches = []
    each = max(1, WORK_PER_TASK // source_work)
    for first in range(0, alone, each * busy):
        end = min(first + each * busy, alone)
        batches.append(_Batch(first, end, min(busy, end - first), False))
    return batches + [_Batch(k, min(k + each, count), together, True) for k in range(alone, count, each)]


class _Team(TeamTask[float]):
    """The tasks that each sweep from a batch of sources; threads report their seconds. The last adds up the scores."""

    name = "sweep"

    def __init__(self, asked: BrandesQuery, model: int, batches: list[_Batch]) -> None:
        super().__init__(batches[0].threads)
        self.asked, self.model, self.batches = asked, model, batches
        self.own = [
            ThreadAccumulator(asked, model) for _ in range(max(1 if b.together else b.threads for b in self.batches))
        ]
        self.layout = asked.graph.layout(self.batches[-1].threads)  # of those that sweep together, if any do
        self.batch, self._scratch = batches[0], self.layout.sweep_scratch
        self._scores: NDArray[np.float64] | None = None

    @property
    def fine(self) -> bool:
        """True where all scores are complete."""
        return all(own.fine for own in self.own)

    @property
    def is_last(self) -> bool:
        """True where the next task is the last."""
        return self.batch is self.batches[-1]

    def begin(self, batch: _Batch) -> None:
        """Make the next task that of a batch."""
        self.batch, self.threads = batch, batch.threads

    def work(self, *arrays: Any) -> Callable[[int], float]:
        """Sweep from the batch's sources; the last array of the last task receives the scores."""
        batch = self.batch
        rows, self._scores = (arrays[:-1], arrays[-1]) if self.is_last else (arrays, None)
        chosen = self.asked.chosen[batch.first : batch.end]
        if batch.together:
            return self._together(rows, chosen, batch.threads)

        def sweep_own(me: int) -> float:
            self.own[me].sweep(rows, chosen[me :: batch.threads].copy())
            return self.own[me].seconds

        return sweep_own

    def _together(self, rows: tuple[Any, ...], chosen: NDArray[np.int64], size: int) -> Callable[[int], float]:
        from lux.algorithms.betweenness import brandes_kernels, brandes_state_kernels

        began = time.perf_counter()
        plain, graph = plain_rows(self.asked, rows), self.asked.graph
        work, self.layout.sweep_scratch = self.layout.sweep_scratch, None
        if work is None:
            work = brandes_state_kernels.scratch(graph.n_vertices, graph.id_dtype, self.layout.points)
            runtime.run_team(
                [functools.partial(brandes_state_kernels.prepare, k, size, plain, work) for k in range(size)]
            )
        self._scratch = work
        given = plain, work, chosen, self.model, self.asked.one, self.own[0].scores

        def sweep_together(me: int) -> float:
            brandes_kernels.sweep(me, size, *given)
            return time.perf_counter() - began

        return sweep_together

    def end(self) -> None:
        """Add up the threads' scores, always in the same order, and give scratch memory back to the graph.

        The graph keeps that of common sweeps; one that fails leaves it unfit.
        """
        if self._scores is not None:
            self._scores[:] = self.own[0].scores
            for own in self.own[1:]:
                self._scores += own.scores
        if self.batch.together:
            self.layout.sweep_scratch = self._scratch
