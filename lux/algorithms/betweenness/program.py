# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness by vertex programs: runs forward and backward for each source, one source after the other."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lux import runtime
from lux.algorithms.betweenness.betweenness import (
    Dependencies,
    ShortestPathCounts,
    WeightedDependencies,
    WeightedPathCounts,
)
from lux.algorithms.betweenness.source_parallel import rounded_away
from lux.algorithms.sssp.bellman_ford import ShortestPathsFloat64
from lux.algorithms.strategy import PROGRAM, Memory, VertexProgram, needs_name
from lux.engine.executor import execute
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.engine.to_user_ids import to_user_ids
from lux.errors import ParameterError
from lux.graph.parallel_edges import without_parallel_edges

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lux.algorithms.betweenness.brandes import BrandesQuery
    from lux.engine.run.run import Progress
    from lux.program.program import Program
    from lux.runtime import Store

MOST_PATHS = 1e300
"""Paths to a vertex that float64 counts with room for sums, and whose reciprocals have all their digits."""


class BrandesProgram:
    """Vertex programs that count shortest paths, then add up dependencies, on any processors, partitions and model."""

    name = PROGRAM

    def refusal(self, query: BrandesQuery) -> str:
        """Refuse parallel edges with lengths, and GPUs unless it is asked for by name: others are faster there."""
        if why := needs_name(query):
            return why
        if query.weight is not None and without_parallel_edges(query.graph) is not query.graph:
            return f"weight={query.weight!r} is asked for, and the programs count a path along each of parallel edges"
        return ""

    def memory(self, query: BrandesQuery) -> Memory:
        """Count the stores of all runs on CPU cores."""
        fields = sum(sweep.memory(_named(query)).host for sweep in self._sweeps(query))
        return Memory(host=fields + 8 * query.graph.n_vertices)

    def prepare(self, query: BrandesQuery) -> None:
        """Partition the graph and the reversed one, and group their edges by source unless all iterations pull."""
        for sweep in self._sweeps(query):
            sweep.prepare(_named(query))

    def run(self, query: BrandesQuery, progress: Progress | None) -> Run:
        """Sweep from all sources, one after the other."""
        return run(_named(query), progress)

    @staticmethod
    def _sweeps(query: BrandesQuery) -> list[VertexProgram[BrandesQuery]]:
        if query.weight is None:
            return [VertexProgram(ShortestPathCounts), VertexProgram(Dependencies)]
        programs = (ShortestPathsFloat64, WeightedPathCounts, WeightedDependencies)
        return [VertexProgram(program, ("weight",)) for program in programs]


def _named(query: BrandesQuery) -> BrandesQuery:
    """Return the query for the graph whose property ``weight`` has the lengths."""
    return query if query.weight is None else replace(query, graph=query.graph.with_weight(query.weight))


class _Sweeps:
    """The runs of one source after the other, and their iterations."""

    def __init__(self, asked: BrandesQuery) -> None:
        self.asked, self.iterations = asked, 0
        self.last: Run | None = None

    def run(
        self,
        program: type[Program],
        fields: tuple[str, ...],
        constants: Mapping[str, Store] | None = None,
        limit: int | None = None,
        **params: float,
    ) -> dict[str, Store]:
        """Run a program, and return some of its fields in the order of dense ids."""
        asked = self.asked
        done = execute(
            program, asked.graph, params, constants=constants, parts=asked.parts, model=asked.model,
            max_iterations=limit,
        )  # fmt: skip
        self.iterations += done.iterations
        self.last = done
        return {name: to_user_ids(asked.graph, done.fields[name], run=done) for name in fields}

    def dependencies(self, source: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the vertices that the source reaches, and the dependencies of all.

        Raises
        ------
        ParameterError
            Shortest paths are too many for float64.
        WeightError
            A weight vanishes beside a distance.
        """
        if self.asked.weight is None:
            counted = self.run(ShortestPathCounts, ("level", "paths"), source=source)
            reached = runtime.to_array(counted["level"]) >= 0
        else:
            counted = self.run(ShortestPathsFloat64, ("distance",), source=source, cutoff=math.inf)
            reached = runtime.to_array(counted["distance"]) < math.inf
            limit = self.asked.graph.n_vertices  # no shortest path has as many edges
            counted |= self.run(WeightedPathCounts, ("paths",), counted, limit, source=source)
            assert self.last is not None
            if not self.last.converged:
                raise rounded_away(self.asked.weight)
        if not runtime.to_array(counted["paths"]).max() < MOST_PATHS:
            raise ParameterError(
                f"strategy='program' was passed, and shortest paths from vertex {source} (dense id) are too many for "
                "float64: leave strategy= out"
            )
        backward = Dependencies if self.asked.weight is None else WeightedDependencies
        return reached, runtime.to_array(self.run(backward, ("dependency",), counted)["dependency"])


def run(asked: BrandesQuery, progress: Progress | None) -> Run:
    """Add up every vertex's dependencies on the sources: the run's field ``score``, in the order of ids."""
    graph = asked.graph
    sources = asked.chosen if graph.order is None else runtime.to_array(graph.order.vertices)[asked.chosen]
    scores, statistics, sweeps = np.zeros(graph.n_vertices), [], _Sweeps(asked)
    began = time.perf_counter()
    for number, source in enumerate(sources.tolist(), 1):
        first, before = time.perf_counter(), sweeps.iterations
        reached, dependencies = sweeps.dependencies(source)
        scores += dependencies
        scores[reached] += asked.one
        scores[source] += asked.one * (np.count_nonzero(reached) - 2)
        seconds = np.array([time.perf_counter() - first])
        why = f"{sweeps.iterations - before:,} iterations of the programs"
        statistics.append(Iteration("sweep", 1, graph.n_edges, seconds, why=why))
        if progress is not None:
            progress(number)
    of_sources = scores[sources] * asked.source_factor
    scores *= asked.factor
    scores[sources] = of_sources
    elapsed, last = time.perf_counter() - began, sweeps.last
    device, threads, parts = ("cpu", 1, 1) if last is None else (last.device, last.threads, last.parts)
    store = runtime.from_array(scores)
    return Run({"score": store}, len(sources), True, elapsed, parts, statistics, threads, device=device, finished=True)
