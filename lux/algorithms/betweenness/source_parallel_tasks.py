# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps by several point tasks that share out the sources; every process holds the edges of the whole graph.

Where paths have lengths, Dijkstra's algorithm has no levels that partitions could work on side by side. Where they have
none, several processes sweep in this way as long as each has room for the graph and there are enough sources.
"""

from __future__ import annotations

import functools
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.betweenness.source_parallel import (
    ThreadAccumulator,
    compile_kernels,
    own_bytes,
    rounded_away,
    rows_of,
    stores_bytes,
)
from lux.algorithms.strategy import Memory, needs_device
from lux.engine.cpu.cpu_run import MODELS, WORK_PER_TASK
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.runtime import Launcher

if TYPE_CHECKING:
    from lux.algorithms.betweenness.brandes import BrandesQuery
    from lux.engine.run.run import Progress
    from lux.graph.layout import PartitionedGraph


LEAST_SOURCES = 16
"""Sources from which on several processes share them out where partitions could share the levels. The first call brings
the whole graph to every process; at 200 mbit that takes as long as the levels of 16 to 64 sources. Later calls find it
there, and take a third of the time."""


class BrandesTasks:
    """Sweeps by point tasks that each have sources of their own."""

    name = "tasks"

    def refusal(self, query: BrandesQuery) -> str:
        """Say why CPU cores are not to be taken, or why partitions are faster."""
        if (why := needs_device(query)) or query.named or query.weight is not None:
            return why
        if runtime.ranks() == 1:
            return "no weight= is asked for, and partitions of one process share the levels"
        parts, count = query.graph.layout(query.parts).parts, len(query.chosen)
        if count < max(parts, LEAST_SOURCES):
            return f"sharing out sources takes {max(parts, LEAST_SOURCES)} or more, and there are {count}"
        if not runtime.fits_memory(self.memory(query).host + parts * own_bytes(query)):
            return "a process has no room for the whole graph"
        return ""

    def memory(self, query: BrandesQuery) -> Memory:
        """Count the scores of every point, which those that add them up see whole, and the graph in every process."""
        graph, parts, ranks = query.graph, query.graph.layout(query.parts).parts, runtime.ranks()
        directions = 2 if graph.directed and query.weight is None else 1
        scores = (8 * parts + 8) * graph.n_vertices * ranks + stores_bytes(query)
        return Memory(host=scores + directions * graph.memory_needed() * (ranks - 1))

    def prepare(self, query: BrandesQuery) -> None:
        """Group the edges by source."""
        rows_of(query.graph, query.weight)

    def run(self, query: BrandesQuery, progress: Progress | None) -> Run:
        """Sweep from all sources."""
        return run(query, query.graph.layout(query.parts), progress)


class _Shares:
    """State that the point tasks of a run find in their process."""

    def __init__(self, asked: BrandesQuery, points: NDArray[np.int64]) -> None:
        self.asked, self.points = asked, points
        self.own: dict[int, ThreadAccumulator] = defaultdict(lambda: ThreadAccumulator(asked, MODELS[asked.model]))

    def sweep(self, point: int, rows: tuple[Any, ...], first: int, end: int) -> bool:
        """Sweep a point's share of the sources ``first`` to ``end - 1``; return whether all went well."""
        own = self.own[point]
        own.sweep(rows, self.asked.chosen[first + point : end : len(self.points) - 1].copy())
        return own.fine


def run(asked: BrandesQuery, layout: PartitionedGraph, progress: Progress | None) -> Run:
    """Add up every vertex's dependencies on the sources: the run's field ``score``, float64."""
    graph, weight, count, parts = asked.graph, asked.weight, len(asked.chosen), layout.parts
    runtime.check_points(parts)
    compile_kernels(asked)
    rows = rows_of(graph, weight)
    each = parts * max(1, WORK_PER_TASK // (graph.n_edges + graph.n_vertices))
    shares = runtime.new_store(np.float64, parts * graph.n_vertices)
    scores = runtime.new_store(np.float64, graph.n_vertices)
    runtime.finish()
    with runtime.registered(_Shares(asked, layout.points)) as key:
        failed, statistics = 0, []
        began = time.perf_counter()
        for first in range(0, count, each):
            end, bad = min(first + each, count), runtime.new_scalar()
            _sweep_launcher(tuple(rows))(parts, **rows, bad=bad, first=first, end=end, key=key)
            failed = runtime.read_scalar(bad)
            if failed:
                break
            statistics.append((end - first, time.perf_counter()))
            if progress is not None:
                progress(end)
        share_rows = layout.rows(graph.n_vertices)
        _give_share(parts, shares=shares, share_rows=share_rows, key=key)
        _sum_shares(parts, shares=shares, scores=scores, vertices=layout.splits["vertices"], key=key)
        runtime.finish()
        elapsed = time.perf_counter() - began
    if weight is not None and failed:
        raise rounded_away(weight)
    return Run({"score": scores}, count, True, elapsed, parts, _iterations(statistics, began, graph.n_edges, parts))


def _iterations(batches: list[tuple[int, float]], began: float, n_edges: int, parts: int) -> list[Iteration]:
    """Statistics from the sources of each batch and the time at its end."""
    found = []
    for swept, ended in batches:
        found.append(Iteration("sweep", swept, swept * n_edges, np.full(parts, ended - began), why="own sources"))
        began = ended
    return found


@functools.cache
def _sweep_launcher(names: tuple[str, ...]) -> Launcher:
    def sweep(point: int, *values: Any) -> None:
        *rows, bad, first, end, key = values
        bad[0] += not runtime.context(key).sweep(point, tuple(rows), first, end)

    scalars = {"first": int, "end": int, "key": int}
    return Launcher(sweep, inputs=dict.fromkeys(names), sums={"bad": None}, scalars=scalars)


@runtime.task(outputs={"shares": "share_rows"}, scalars={"key": int})
def _give_share(point: int, shares: NDArray[np.float64], key: int) -> None:
    shares[:] = runtime.context(key).own[point].scores


@runtime.task(inputs={"shares": None}, outputs={"scores": "vertices"}, scalars={"key": int})
def _sum_shares(point: int, shares: NDArray[np.float64], scores: NDArray[np.float64], key: int) -> None:
    points = runtime.context(key).points
    shares.reshape(len(points) - 1, -1)[:, points[point] : points[point + 1]].sum(axis=0, out=scores)
