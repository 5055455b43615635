# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Afforest in one task, whose threads share a whole graph and link in one forest (`threads_kernels`)."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.components import threads_kernels
from lux.algorithms.components.refusals import has_iterations
from lux.algorithms.strategy import Memory, Query, needs_gpu, needs_partitions, needs_program
from lux.codegen.compile import compile_once
from lux.engine.cpu.team_task import TeamTask
from lux.engine.executor import team_threads
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import Iteration
from lux.kernels.kinds import array, number

if TYPE_CHECKING:
    from lux.graph.graph import Graph


class AfforestThreads:
    """Afforest by the threads of one task."""

    name = "threads"

    def refusal(self, query: Query) -> str:
        """Say why one task cannot hold the graph, or why the program is needed."""
        return needs_program(query) or has_iterations(query) or needs_gpu(query) or needs_partitions(query)

    def memory(self, query: Query) -> Memory:
        """Count the labels."""
        return Memory(host=query.graph.id_dtype.itemsize * query.graph.n_vertices)

    def prepare(self, query: Query) -> None:
        """Make nothing: threads read the graph as it is stored."""

    def run(self, query: Query, progress: Progress | None) -> Run:
        """Link all edges in one forest."""
        run = link(query.graph, team_threads(query.graph, query.parts))
        if progress is not None:
            progress(run.iterations)
        return run


def link(graph: Graph, threads: int) -> Run:
    """Label every vertex with the smallest vertex of its component; the field ``label`` is in the order of ids."""
    n = graph.n_vertices
    stores = {"offsets": graph.offsets, "sources": graph.sources}
    if graph.order is not None:
        stores |= {"vertices": graph.order.vertices, "places": graph.order.places}
    labels = runtime.new_store(graph.id_dtype, n, written_whole=True, of_graph=True)
    team = _Team(threads, both=not graph.directed)
    _compile(graph.id_dtype)
    seconds, elapsed = team.launch(stores, {"labels": labels})
    seen = int(team.control[threads_kernels.SEEN])
    statistics = [Iteration("link", n, seen, np.array(seconds), why="one forest for all threads")]
    return Run({"label": labels}, 1, True, elapsed, 1, statistics, threads, finished=True)


class _Team(TeamTask[float]):
    """The task that links all edges; threads report their seconds."""

    name = "link_all"

    def __init__(self, threads: int, *, both: bool) -> None:
        super().__init__(threads)
        self.both, self.control = both, np.zeros(threads_kernels.CONTROL, np.int64)

    def work(self, offsets: NDArray[np.int64], sources: NDArray[Any], *stores: Any) -> Callable[[int], float]:
        """Link; ``stores`` are the vertices of places and the places of vertices if there is an order, and labels."""
        *order, labels = stores
        n = len(labels)
        # Without an order of its own, places are dense ids, and the forest is the answer.
        forest = np.empty(n, labels.dtype) if order else labels
        order, roots = order or [sources[:0], sources[:0]], np.empty(n, labels.dtype)
        shared = (self.both, offsets, sources, *order, forest, roots, labels, self.control)

        def thread(me: int) -> float:
            began = time.perf_counter()
            first, last = n * me // self.threads, n * (me + 1) // self.threads
            threads_kernels.connect(me, first, last, *shared, self.threads)
            return time.perf_counter() - began

        return thread


@functools.cache
def _compile(ids: np.dtype[Any]) -> None:
    """Compile the kernel, or load it, so that its time is not the run's."""
    i8, t, word = array(np.int64), array(ids), number(np.int64)
    compile_once(threads_kernels.connect, (word, word, word, number(bool), i8, t, t, t, t, t, t, i8, word))
