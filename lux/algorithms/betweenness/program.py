# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness by vertex programs: two runs for each source, forward and backward, one source after the other."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from lux import runtime
from lux.algorithms.betweenness.betweenness import Dependencies, ShortestPathCounts
from lux.algorithms.strategy import PROGRAM, Memory, VertexProgram, needs_name
from lux.engine.executor import execute
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.engine.to_user_ids import to_user_ids
from lux.errors import ParameterError

if TYPE_CHECKING:
    from lux.algorithms.betweenness.brandes import BrandesQuery
    from lux.engine.run.run import Progress

MOST_PATHS = 1e300
"""Paths to a vertex that float64 counts with room for sums, and whose reciprocals have all their digits."""


class BrandesProgram:
    """The vertex programs `ShortestPathCounts` and `Dependencies`, on any processors, partitions and model."""

    name = PROGRAM
    sweeps: tuple[VertexProgram[BrandesQuery], ...] = (VertexProgram(ShortestPathCounts), VertexProgram(Dependencies))

    def refusal(self, query: BrandesQuery) -> str:
        """Refuse lengths, and (unless it is asked for by name) GPUs that other strategies need longer for."""
        if query.weight is not None:
            return f"weight={query.weight!r} is asked for, and the programs count edges"
        return needs_name(query)

    def memory(self, query: BrandesQuery) -> Memory:
        """Count the stores of both runs on CPU cores."""
        return Memory(host=sum(sweep.memory(query).host for sweep in self.sweeps) + 8 * query.graph.n_vertices)

    def prepare(self, query: BrandesQuery) -> None:
        """Partition the graph and the reversed one, and group their edges by source unless all iterations pull."""
        for sweep in self.sweeps:
            sweep.prepare(query)

    def run(self, query: BrandesQuery, progress: Progress | None) -> Run:
        """Sweep from all sources, one after the other."""
        return run(query, progress)


def run(asked: BrandesQuery, progress: Progress | None) -> Run:
    """Add up every vertex's dependencies on the sources: the run's field ``score``, in the order of ids.

    Raises
    ------
    ParameterError
        Shortest paths from a source are too many for float64.
    """
    graph, parts, model = asked.graph, asked.parts, asked.model
    sources = asked.chosen if graph.order is None else runtime.to_array(graph.order.vertices)[asked.chosen]
    scores, statistics = np.zeros(graph.n_vertices), []
    device, threads, used = "cpu", 1, 1
    began = time.perf_counter()
    for number, source in enumerate(sources.tolist(), 1):
        first = time.perf_counter()
        forward = execute(ShortestPathCounts, graph, {"source": source}, parts=parts, model=model)
        counted = {name: to_user_ids(graph, forward.fields[name], run=forward) for name in ("level", "paths")}
        level, paths = (runtime.to_array(counted[name]) for name in ("level", "paths"))
        if not paths.max() < MOST_PATHS:
            raise ParameterError(
                f"strategy='program' was passed, and shortest paths from vertex {source} (dense id) are too many for "
                "float64: leave strategy= out"
            )
        backward = execute(Dependencies, graph, {}, constants=counted, parts=parts, model=model)
        reached = level >= 0
        scores += runtime.to_array(to_user_ids(graph, backward.fields["dependency"], run=backward))
        scores[reached] += asked.one
        scores[source] += asked.one * (np.count_nonzero(reached) - 2)
        device, threads, used = backward.device, backward.threads, backward.parts
        steps = forward.iterations + backward.iterations
        seconds = np.array([time.perf_counter() - first])
        statistics.append(Iteration("sweep", 1, graph.n_edges, seconds, why=f"{steps:,} iterations of the programs"))
        if progress is not None:
            progress(number)
    elapsed = time.perf_counter() - began
    store = runtime.from_array(scores)
    return Run({"score": store}, len(sources), True, elapsed, used, statistics, threads, device=device, finished=True)
