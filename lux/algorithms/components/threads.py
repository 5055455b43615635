# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Afforest in one task, whose threads share a whole graph and link in one forest (`threads_kernels`)."""

from __future__ import annotations

import functools
import queue
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.components import threads_kernels
from lux.algorithms.components.refusals import has_iterations
from lux.algorithms.strategy import Memory, Query, needs_gpu, needs_partitions, needs_program
from lux.codegen.compile import compile_once
from lux.engine.executor import team_threads
from lux.engine.run import Progress, Run
from lux.engine.statistics import Iteration
from lux.runtime import Launcher

if TYPE_CHECKING:
    from lux.graph.graph import Graph


class AfforestThreads:
    """Afforest by the threads of one task."""

    name = "threads"

    def refusal(self, query: Query) -> str:
        """Say why one task cannot hold the graph, or why the program is needed."""
        return needs_program(query) or has_iterations(query) or needs_gpu(query) or needs_partitions(query)

    def memory(self, query: Query) -> Memory:
        """The labels."""
        return Memory(host=query.graph.id_dtype.itemsize * query.graph.n_vertices)

    def prepare(self, query: Query) -> None:
        """Make nothing: threads read the graph as it is stored."""

    def run(self, query: Query, progress: Progress | None) -> Run:
        """Link all edges in one forest."""
        runtime.check_memory(self.memory(query).host, "components")
        run = link(query.graph, team_threads(query.graph, query.parts))
        if progress is not None:
            progress(run.iterations)
        return run


def link(graph: Graph, threads: int) -> Run:
    """Label every vertex with the smallest vertex of its component; the field ``label`` is in the order of ids."""
    n, ordered = graph.n_vertices, graph.order is not None
    stores = {"offsets": graph.offsets, "sources": graph.sources}
    if graph.order is not None:
        stores |= {"vertices": graph.order.vertices, "places": graph.order.places}
    labels = runtime.new_store(graph.id_dtype, n)
    team = _Team(threads, both=not graph.directed)
    team.compile(graph.id_dtype)
    runtime.finish()
    with runtime.registered(team) as key:
        began = time.perf_counter()
        _launcher(ordered)(1, **stores, labels=labels, key=key)
        seconds, seen = team.reports.get()
        elapsed = time.perf_counter() - began
    statistics = [Iteration("link", n, seen, seconds, why="one forest for all threads")]
    return Run({"label": labels}, 1, True, elapsed, 1, statistics, threads, finished=True)


class _Team:
    """What the task finds in its process; ``reports`` gets each thread's seconds, and the edges that were looked at."""

    def __init__(self, threads: int, *, both: bool) -> None:
        self.threads, self.both = threads, both
        self.reports: queue.SimpleQueue[tuple[NDArray[np.float64], int]] = queue.SimpleQueue()

    def link(self, labels: NDArray[Any], offsets: NDArray[np.int64], sources: NDArray[Any], *order: Any) -> None:
        """The body of the task; ``order`` are the vertices of places, and the places of vertices."""
        n, seconds = len(labels), np.zeros(self.threads)
        # Without an order of its own, places are dense ids, and the forest is the answer.
        forest = np.empty(n, labels.dtype) if order else labels
        order, roots = order or (sources[:0], sources[:0]), np.empty(n, labels.dtype)
        control = np.zeros(threads_kernels.CONTROL, np.int64)
        shared = (self.both, offsets, sources, *order, forest, roots, labels, control)

        def work(me: int) -> None:
            began = time.perf_counter()
            first, last = n * me // self.threads, n * (me + 1) // self.threads
            threads_kernels.connect(me, first, last, *shared, self.threads)  # type: ignore[call-arg]
            seconds[me] = time.perf_counter() - began

        runtime.run_team([functools.partial(work, me) for me in range(self.threads)])
        self.reports.put((seconds, int(control[threads_kernels.SEEN])))

    def compile(self, ids: Any) -> None:
        """Compile the kernel, or load it, so that its time is not the run's."""
        import numba

        i8, t = numba.int64[::1], numba.from_dtype(ids)[::1]
        numbers = (numba.int64,) * 3
        compile_once(threads_kernels.connect, (*numbers, numba.boolean, i8, t, t, t, t, t, t, i8, numba.int64))


@functools.cache
def _launcher(ordered: bool) -> Launcher:
    def link_all(_point: int, *arguments: Any) -> None:
        *inputs, labels, key = arguments
        runtime.context(key).link(labels, *inputs)

    names = ("offsets", "sources", *(("vertices", "places") if ordered else ()))
    return Launcher(link_all, inputs=dict.fromkeys(names), outputs={"labels": None}, scalars={"key": int})
