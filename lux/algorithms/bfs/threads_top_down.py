# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search in one task, a strategy for sparse graphs that one process holds (`top_down_kernels`)."""

from __future__ import annotations

import functools
import queue
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs import top_down_kernels as kernels
from lux.codegen.compile import compile_like
from lux.engine.executor import runs_as_team, team_threads
from lux.engine.poll_progress import wait
from lux.engine.run import Run
from lux.engine.statistics import Table
from lux.kernels.thread_mailboxes import LINE
from lux.runtime import Launcher
from perfmodel.direction import DENSE_DEGREE

if TYPE_CHECKING:
    from lux.engine.run import Progress
    from lux.graph.graph import Graph
    from lux.graph.layout import CsrBySource


WHY = "graphs of few edges a vertex are pushed on"


def fits(graph: Graph, parts: int | None, model: str) -> bool:
    """Whether this is the way to search: where no model is asked for, on sparse graphs, in one task."""
    return model == "auto" and runs_as_team(parts) and graph.n_edges < DENSE_DEGREE * graph.n_vertices


def rows_of(graph: Graph) -> CsrBySource:
    """The edges by source, which the graph keeps."""
    return graph.layout(1).by_source(())


def prepare(graph: Graph) -> None:
    """Make what a search needs of the graph and keep it."""
    rows_of(graph)


def search(graph: Graph, source: int, limit: int, parts: int | None, progress: Progress | None) -> Run:
    """A search from the place ``source``, of at most ``limit`` levels.

    The run's fields ``distance`` and ``parent`` are what users see: in the order of dense ids, with -1 where no path
    leads.
    """
    ids, threads = graph.signed_dtype, team_threads(graph, parts)
    runtime.check_memory((4 + ids.itemsize) * graph.n_vertices, "bfs")
    edges = rows_of(graph)
    stores = {"out_offsets": edges.offsets, "destinations": edges.destinations}
    stores |= {"in_offsets": graph.offsets, "sources": graph.sources}
    if graph.order is not None:
        stores["vertices"] = graph.order.vertices
    fields = {
        "distance": runtime.new_store(np.int32, graph.n_vertices),
        "parent": runtime.new_store(ids, graph.n_vertices),
    }
    team = _Team(source, limit, threads)
    _compile(graph.id_dtype, ids)
    runtime.finish()
    with runtime.registered(team) as key:
        began = time.perf_counter()
        _launcher(graph.order is not None)(1, **stores, **fields, key=key)
        rows = wait(team.reports, progress, lambda: int(team.control[kernels.LEVEL]))
        seconds = time.perf_counter() - began
    statistics = Table(np.stack(rows), lambda *_: WHY)
    return Run(fields, len(statistics), team.left == 0, seconds, 1, statistics, threads)


class _Team:
    """What the task finds in its process; ``reports`` gets each thread's statistics."""

    def __init__(self, source: int, limit: int, threads: int) -> None:
        self.source, self.limit, self.threads = source, limit, threads
        self.control = np.zeros(kernels.EACH + 2 * threads * LINE, np.int64)
        self.reports: queue.SimpleQueue[list[NDArray[np.float64]]] = queue.SimpleQueue()

    @property
    def left(self) -> int:
        """Vertices of the level after the last."""
        return int(self.control[kernels.LEVEL + 1])

    def search(self, *stores: Any) -> None:
        """The body of the task: out-edges, in-edges, the vertices of places (if there is an order), and the answers."""
        *rest, distances, parents = stores
        rows, ordered = rest[:4], len(rest) > 4
        # Without an order of its own, a graph's places are dense ids, and what is searched for is the answer.
        distance = np.empty(len(distances), distances.dtype) if ordered else distances
        vertices = rest[4] if ordered else rows[1][:0]
        queues = np.empty((2, len(distances)), rows[1].dtype)
        given = *rows, vertices, distance, queues, self.control, distances, parents
        found: list[Any] = [None] * self.threads

        def work(me: int) -> None:
            found[me] = kernels.search(me, self.threads, self.source, self.limit, *given)

        runtime.run_team([functools.partial(work, me) for me in range(self.threads)])
        self.reports.put(found)


@functools.cache
def _compile(id_dtype: np.dtype[Any], signed_dtype: np.dtype[Any]) -> None:
    """Compile the kernel (or load it) for a graph's types, so that its time is not the search's."""
    ids, distances, parents = np.empty(0, id_dtype), np.empty(0, np.int32), np.empty(0, signed_dtype)
    offsets, queues, control = np.empty(0, np.int64), np.empty((2, 0), id_dtype), np.empty(0, np.int64)
    given = (0, 0, 0, 0, offsets, ids, offsets, ids, ids, distances, queues, control, distances, parents)
    compile_like(kernels.search, given)


@functools.cache
def _launcher(ordered: bool) -> Launcher:
    def search_in_breadth(_point: int, *values: Any) -> None:
        runtime.context(values[-1]).search(*values[:-1])

    names = ["out_offsets", "destinations", "in_offsets", "sources", *(["vertices"] if ordered else [])]
    outputs: dict[str, str | None] = {"distance": None, "parent": None}
    return Launcher(search_in_breadth, inputs=dict.fromkeys(names), outputs=outputs, scalars={"key": int})
