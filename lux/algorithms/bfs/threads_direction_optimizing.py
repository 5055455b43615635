# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search in one task, a strategy for graphs of many edges a vertex that one process holds.

See `lux.algorithms.bfs.direction_optimizing_kernels`. The first in-neighbours of every vertex are put in columns once
for a graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs import direction_optimizing_kernels as kernels
from lux.algorithms.bfs import neighbour_column_kernels, threads_top_down
from lux.algorithms.strategy import Memory, needs_gpu, needs_partitions, needs_program
from lux.codegen.compile import compile_like
from lux.engine.cpu.team_task import TeamTask
from lux.engine.executor import team_threads
from lux.engine.run.run import Run
from lux.engine.run.statistics import Table, why
from lux.runtime import Store
from perfmodel.direction import DENSE_DEGREE

if TYPE_CHECKING:
    from lux.algorithms.bfs.query import BfsQuery
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph


class ThreadsDirectionOptimizing:
    """The search of one task, whose threads push or pull level by level: for graphs of many edges a vertex."""

    name = "threads-direction-optimizing"
    ends_at_target = True

    def refusal(self, query: BfsQuery) -> str:
        """Refuse models, several partitions, GPUs, long ids, and (unless it is asked for by name) sparse graphs."""
        if why := needs_program(query) or needs_partitions(query) or needs_gpu(query):
            return why
        if query.graph.signed_dtype != np.int32:
            return "it numbers vertices in 31 bits, and this graph has 2^31 or more"
        if query.graph.n_edges < DENSE_DEGREE * query.graph.n_vertices and not query.named:
            return f"graphs of fewer than {DENSE_DEGREE} edges a vertex are pushed on"
        return ""

    def memory(self, query: BfsQuery) -> Memory:
        """Estimate the answers, and the columns and edges by source as far as they are to be made."""
        return Memory(host=column_bytes(query.graph) + 8 * query.graph.n_vertices)

    def prepare(self, query: BfsQuery) -> None:
        """Group the edges by source, and put the first in-neighbours of every vertex in columns."""
        graph = query.graph
        threads_top_down.rows_of(graph)
        columns_of(graph)
        graph.out_degree_store  # noqa: B018  # makes and keeps the store

    def run(self, query: BfsQuery, progress: Progress | None) -> Run:
        """Search in one task; the fields are in the order of dense ids, with -1 where no path leads."""
        return search(query, progress)


@dataclass
class NeighbourColumns:
    """The first in-neighbours of every vertex, as in `FirstNeighbours`, and memory to search in.

    Attributes
    ----------
    columns, linked : Store
    scratch : Scratch or None
        None while a search has it.
    """

    columns: Store
    linked: Store
    scratch: Scratch | None = field(default=None, repr=False)


class Scratch(NamedTuple):
    """Memory of a search, kept because getting as much from the system again costs a fifth of a search.

    Attributes
    ----------
    visited : np.ndarray of shape (words,), uint64
    fronts : np.ndarray of shape (2, words + 1), uint64
    queues : np.ndarray of shape (2, n_vertices), of the type of ids
    distance, parent : np.ndarray of shape (n_vertices,), int32
        Answers in the order of places, where places are not dense ids; otherwise empty.
    """

    visited: NDArray[np.uint64]
    fronts: NDArray[np.uint64]
    queues: NDArray[Any]
    distance: NDArray[np.int32]
    parent: NDArray[np.int32]


def _words(graph: Graph) -> int:
    return (graph.n_vertices + 63) // 64


def column_bytes(graph: Graph) -> int:
    """Count the bytes of `NeighbourColumns` and of the edges by source, as far as they are to be made."""
    layout = graph.layout(1)
    columns = (
        0
        if layout.has_cached("first neighbours")
        else (neighbour_column_kernels.COLUMNS * 64 * graph.id_dtype.itemsize + 8) * _words(graph)
    )
    made = layout.has_by_source(()) or not graph.directed
    return columns + (0 if made else graph.id_dtype.itemsize * graph.n_edges + 8 * (graph.n_vertices + 1))


def columns_of(graph: Graph) -> NeighbourColumns:
    """Return the first in-neighbours of every vertex, which the graph keeps."""
    return graph.layout(1).cached("first neighbours", _make)


def _make(layout: PartitionedGraph) -> NeighbourColumns:
    graph = layout.graph
    words = _words(graph)
    made = NeighbourColumns(
        runtime.new_store(graph.id_dtype, neighbour_column_kernels.COLUMNS * 64 * words, of_graph=True),
        runtime.new_store(np.uint64, words, of_graph=True),
    )
    edges = {"in_offsets": graph.offsets, "sources": graph.sources}
    _put_first_neighbours_in_columns(
        1, **edges, columns=made.columns, linked=made.linked, threads=team_threads(graph, None)
    )
    return made


@runtime.task(
    inputs={"in_offsets": None, "sources": None}, outputs={"columns": None, "linked": None}, scalars={"threads": int}
)
def _put_first_neighbours_in_columns(_point: int, *given: Any) -> None:
    *stores, linked, threads = given
    offsets, words = stores[0], len(linked)

    def work(me: int) -> None:
        first, last = words * me // threads, words * (me + 1) // threads
        neighbour_column_kernels.fill(first, last, offsets, *stores[1:], linked)

    runtime.run_team([functools.partial(work, me) for me in range(threads)])


def search(query: BfsQuery, progress: Progress | None) -> Run:
    """Search from the source, at most ``query.limit`` levels, and no farther than the target."""
    graph, n, threads = query.graph, query.graph.n_vertices, team_threads(query.graph, query.parts)
    edges, found = threads_top_down.rows_of(graph), columns_of(graph)
    stores = {"columns": found.columns, "linked": found.linked, "in_offsets": graph.offsets, "sources": graph.sources}
    stores |= {"out_offsets": edges.offsets, "destinations": edges.destinations} if graph.directed else {}
    stores |= {"out_degree": graph.out_degree_store}
    if graph.order is not None:
        stores |= {"places": graph.order.places, "vertices": graph.order.vertices}
    fields = {
        name: runtime.new_store(np.int32, n, written_whole=True, of_graph=True) for name in ("distance", "parent")
    }
    team = _Team(graph, found, query, threads)
    _compile(graph.id_dtype, graph.degree_dtype)
    rows, seconds = team.launch(stores, fields, progress)
    statistics = _Levels(np.stack(rows), graph, fields["distance"])
    converged = team.left == 0 or len(statistics) < query.limit
    return Run(fields, len(statistics), converged, seconds, 1, statistics, threads, finished=True)


class _Levels(Table):
    """Statistics of levels; edges of frontiers that the search did not count are counted when they are looked at."""

    def __init__(self, rows: NDArray[np.float64], graph: Graph, distance: Store) -> None:
        super().__init__(rows, functools.partial(why, graph, "auto"))
        self._graph, self._distance = graph, distance

    def counts(self, k: int) -> tuple[int, int]:
        """Count the vertices and out-edges of level ``k``."""
        if kernels.NOT_COUNTED in self._table[:, :, 2]:
            distance = runtime.to_array(self._distance)[: self._graph.n_vertices]
            reached = distance >= 0
            edges = np.bincount(distance[reached], self._graph.dense_out_degrees()[reached], minlength=len(self))
            self._table[:, :, 2] = edges[: len(self)]
        return super().counts(k)


class _Team(TeamTask[NDArray[np.float64]]):
    """The search's task; threads report their statistics."""

    name = "search_dense_graph_in_breadth"

    def __init__(self, graph: Graph, found: NeighbourColumns, query: BfsQuery, threads: int) -> None:
        super().__init__(threads)
        self.ends = query.place, query.limit, query.target_place
        self._heads, self._scratch = found, found.scratch
        # Vertices of about as many in-edges for each thread, in whole words.
        points = graph.layout(threads).points
        self.points = np.where(points < graph.n_vertices, points & ~np.int64(63), graph.n_vertices)
        self.directed, self.ordered = graph.directed, graph.order is not None
        self.control = kernels.new_control(threads)

    def rounds(self) -> int:
        """Return the levels that are done."""
        return int(self.control[kernels.LEVEL])

    @property
    def left(self) -> int:
        """Vertices of the level after the last."""
        return int(self.control[kernels.LEVEL + 1])

    def work(
        self, columns: Any, linked: Any, in_offsets: Any, sources: Any, *stores: Any
    ) -> Callable[[int], NDArray[np.float64]]:
        """Search; ``stores`` are out-edges of directed graphs, out-degrees, the order if there is one, and answers."""
        *rest, distances, parents = stores
        out = (rest.pop(0), rest.pop(0)) if self.directed else (in_offsets, sources)
        degrees, *order = rest
        scratch, self._heads.scratch = self._heads.scratch, None
        if scratch is None:
            scratch = _scratch(len(linked), len(distances), sources.dtype, self.ordered)
        self._scratch = scratch
        visited, fronts, queues, *answers = scratch
        answers = answers if self.ordered else [distances, parents]
        given = (columns, linked, in_offsets, sources, *out, degrees, self.points, visited, fronts, queues)
        answer = self.control, *answers

        def thread(me: int) -> NDArray[np.float64]:
            rows: NDArray[np.float64] = kernels.search(me, self.threads, *self.ends, *given, *answer)
            if self.ordered:
                kernels.in_dense_order(me, self.threads, *order, *answer, distances, parents)
            return rows

        return thread

    def end(self) -> None:
        """Give the scratch memory back to the graph, which a search that fails leaves unfit."""
        self._heads.scratch = self._scratch


def _scratch(words: int, n: int, ids: Any, ordered: bool) -> Scratch:
    answers = (np.empty(n if ordered else 0, np.int32) for _ in range(2))
    return Scratch(np.empty(words, np.uint64), np.empty((2, words + 1), np.uint64), np.empty((2, n), ids), *answers)


@functools.cache
def _compile(id_dtype: np.dtype[Any], degree_dtype: np.dtype[Any]) -> None:
    """Compile the kernels (or load them) for a graph's types, so that their time is not the search's."""
    ids, offsets, words, answer = (np.empty(0, t) for t in (id_dtype, np.int64, np.uint64, np.int32))
    degrees, fronts, queues = np.empty(0, degree_dtype), np.empty((2, 0), np.uint64), np.empty((2, 0), id_dtype)
    rows = offsets, ids, offsets, ids, degrees
    scratch = words, fronts, queues, offsets
    compile_like(kernels.search, (0, 0, 0, 0, 0, ids, words, *rows, offsets, *scratch, answer, answer))
    compile_like(kernels.in_dense_order, (0, 0, ids, ids, offsets, answer, answer, answer, answer))
