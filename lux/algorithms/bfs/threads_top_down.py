# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search in one task, a strategy for sparse graphs that one process holds (`top_down_kernels`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs import top_down_kernels as kernels
from lux.algorithms.bfs.owned_level_kernels import EACH, LEVEL, new_owned
from lux.algorithms.strategy import Memory, needs_gpu, needs_partitions, needs_program
from lux.codegen.compile import compile_like
from lux.engine import executor
from lux.engine.cpu.team_task import TeamTask
from lux.engine.executor import team_threads
from lux.engine.run.run import Run
from lux.engine.run.statistics import Table
from lux.kernels.thread_mailboxes import LINE
from perfmodel.direction import DENSE_DEGREE

if TYPE_CHECKING:
    from lux.algorithms.bfs.query import BfsQuery
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph
    from lux.graph.indexes.csr_by_source import CsrBySource


WHY = "graphs of few edges a vertex are pushed on"


class ThreadsTopDown:
    """The search of one task, whose threads push from every frontier: for sparse graphs."""

    name = "threads-top-down"
    ends_at_target = True

    def refusal(self, query: BfsQuery) -> str:
        """Refuse models, several partitions, GPUs, and dense graphs unless the strategy is asked for by name."""
        if why := needs_program(query) or needs_partitions(query) or needs_gpu(query):
            return why
        if query.graph.n_edges >= DENSE_DEGREE * query.graph.n_vertices and not query.named:
            return f"graphs of {DENSE_DEGREE} or more edges a vertex are searched in both directions"
        return ""

    def memory(self, query: BfsQuery) -> Memory:
        """Count the answers, and the edges by source where they are to be made."""
        graph = query.graph
        edges = executor.by_source_bytes(graph.layout(1), ())
        return Memory(host=(4 + graph.signed_dtype.itemsize) * graph.n_vertices + edges)

    def prepare(self, query: BfsQuery) -> None:
        """Group the edges by source."""
        rows_of(query.graph)

    def run(self, query: BfsQuery, progress: Progress | None) -> Run:
        """Search in one task; the fields are in the order of dense ids, with -1 where no path leads."""
        return search(query, progress)


def rows_of(graph: Graph) -> CsrBySource:
    """Return the edges by source, which the graph keeps."""
    return graph.layout(1).by_source(())


def search(query: BfsQuery, progress: Progress | None) -> Run:
    """Search from the source, at most ``query.limit`` levels, and no farther than the target.

    The run's fields ``distance`` and ``parent`` are as users see them: in the order of dense ids, with -1 where no path
    leads.
    """
    graph, ids, threads = query.graph, query.graph.signed_dtype, team_threads(query.graph, query.parts)
    edges = rows_of(graph)
    stores = {"out_offsets": edges.offsets, "destinations": edges.destinations}
    stores |= {"in_offsets": graph.offsets, "sources": graph.sources}
    if graph.order is not None:
        stores["vertices"] = graph.order.vertices
    fields = {
        "distance": runtime.new_store(np.int32, graph.n_vertices, written_whole=True, of_graph=True),
        "parent": runtime.new_store(ids, graph.n_vertices, written_whole=True, of_graph=True),
    }
    team = _Team(query, threads)
    _compile(graph.id_dtype, ids)
    rows, seconds = team.launch(stores, fields, progress)
    statistics = Table(np.stack(rows), lambda *_: WHY)
    converged = team.left == 0 or len(statistics) < query.limit
    return Run(fields, len(statistics), converged, seconds, 1, statistics, threads, finished=True)


class _Team(TeamTask[NDArray[np.float64]]):
    """The search's task; threads report their statistics."""

    name = "search_in_breadth"

    def __init__(self, query: BfsQuery, threads: int) -> None:
        super().__init__(threads)
        self.ends = query.place, query.limit, query.target_place
        self.control = np.zeros(EACH + 2 * threads * LINE, np.int64)

    def rounds(self) -> int:
        """Return the levels that are done."""
        return int(self.control[LEVEL])

    @property
    def left(self) -> int:
        """Vertices of the level after the last."""
        return int(self.control[LEVEL + 1])

    def work(self, *stores: Any) -> Callable[[int], NDArray[np.float64]]:
        """Search along out-edges and in-edges, with the vertices of places if there is an order, for the answers."""
        *rest, distances, parents = stores
        rows, ordered = rest[:4], len(rest) > 4
        # Without an order of its own, a graph's places are dense ids, and the search writes the answers themselves.
        distance = np.empty(len(distances), distances.dtype) if ordered else distances
        vertices = rest[4] if ordered else rows[1][:0]
        queues = np.empty((2, len(distances)), rows[1].dtype)
        given = *rows, vertices, distance, queues, self.control, distances, parents
        given += tuple(new_owned(len(distances), self.threads, queues.dtype))
        return lambda me: kernels.search(me, self.threads, *self.ends, *given)


@functools.cache
def _compile(id_dtype: np.dtype[Any], signed_dtype: np.dtype[Any]) -> None:
    """Compile the kernel (or load it) for a graph's types, so that its time is not the search's."""
    ids, distances, parents = np.empty(0, id_dtype), np.empty(0, np.int32), np.empty(0, signed_dtype)
    offsets, queues, control = np.empty(0, np.int64), np.empty((2, 0), id_dtype), np.empty(0, np.int64)
    given = (0, 0, 0, 0, 0, offsets, ids, offsets, ids, ids, distances, queues, control, distances, parents)
    given += tuple(new_owned(1, 1, id_dtype))
    compile_like(kernels.search, given)
