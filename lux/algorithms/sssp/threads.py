# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Delta-stepping by the threads of one task, which share a whole graph (`lux.algorithms.sssp.threads_kernels`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.sssp import threads_kernels
from lux.algorithms.sssp.delta_stepping import DeltaStepping, SsspRun
from lux.algorithms.sssp.weights import by_weight, weight_range
from lux.algorithms.strategy import Memory, needs_gpu, needs_partitions
from lux.codegen.compile import compile_like
from lux.engine import executor
from lux.engine.cpu.team_task import TeamTask
from lux.engine.executor import team_threads
from lux.engine.run.run import Run
from lux.engine.run.statistics import Table
from lux.graph import graph as graphs
from lux.kernels import thread_mailboxes
from lux.runtime import Store
from perfmodel.direction import DENSE_DEGREE, LUX

if TYPE_CHECKING:
    from lux.algorithms.sssp.delta_stepping import SsspQuery
    from lux.algorithms.sssp.query import PathQuery
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph

SLOTS = (64, 1024)
"""Least and most buckets in reach; vertices beyond are looked through when the search comes near."""
SPARSE = 4
"""Factor on a sparse graph of the edges that are worth a thread: its rounds are many and short."""
ROOM = (1 << 12, 1 << 20)
"""Least room of a box between two threads, and room of all boxes together where boxes get more than that."""
_ROWS = ("out_offsets", "destinations", "out_weights", "in_offsets", "sources", "in_weights", "least")
_compiled: set[tuple[Any, ...]] = set()


class DeltaSteppingThreads(DeltaStepping):
    """Delta-stepping by the threads of one task, which do all rounds in one launch."""

    name = "threads"
    ends_at_target = True

    def refusal(self, query: PathQuery) -> str:
        """Refuse models, limits, negative weights, several partitions, and GPUs."""
        return query.needs_bellman_ford() or needs_partitions(query) or needs_gpu(query)

    def memory(self, query: PathQuery) -> Memory:
        """Count distances, parents, and the edges by source where they are to be made."""
        graph = query.graph
        edges = executor.by_source_bytes(graph.layout(1), ("weight",))
        return Memory(host=(8 + graph.id_dtype.itemsize) * graph.n_vertices + edges)

    def prepare(self, query: PathQuery) -> None:
        """Group the edges by source, and sort the edges for pulling by weight."""
        rows_of(query.graph)

    def run(self, query: PathQuery, progress: Progress | None) -> Run:
        """Search; distances and parents are as users see them."""
        return self.search(query, lambda wanted: search(wanted, query.parts, progress))


class _Team(TeamTask[tuple[NDArray[np.float64], int]]):
    """The search's task; threads report their statistics and orphans."""

    name = "shortest_paths"

    def __init__(self, wanted: SsspQuery, threads: int, slots: int, pull_above: int) -> None:
        super().__init__(threads)
        self.wanted, self.slots, self.pull_above = wanted, slots, pull_above
        self.control = np.zeros(threads_kernels.EACH + 2 * threads * thread_mailboxes.LINE, np.int64)

    def rounds(self) -> int:
        """Return the rounds that are done."""
        return int(self.control[threads_kernels.ROUNDS])

    def work(self, *stores: Any) -> Callable[[int], tuple[NDArray[np.float64], int]]:
        """Search along rows by source and by destination; the last two are distances and parents."""
        *rows, distance, parent = stores
        least = [] if len(rows) == len(_ROWS) else [rows[-1][:0]]
        all_arguments, ends = self.arguments(distance, parent), (self.wanted.source, self.wanted.target)
        return lambda me: threads_kernels.search(*ends, *rows, *least, *all_arguments[me])

    def arguments(self, values: NDArray[Any], parents: NDArray[Any]) -> list[list[Any]]:
        """Return the arguments of each thread after the rows."""
        n, size = len(values), self.threads
        shift = max((n // (thread_mailboxes.BLOCKS * size)).bit_length() - 1, 0)
        owners = np.arange((n >> shift) + 1, dtype=np.int64) % size
        room = max(ROOM[0], ROOM[1] // size**2) if size > 1 else 1
        messages = room * size**2
        search = [values, parents, self.wanted.unreached, 1 / self.wanted.delta, self.slots, self.pull_above]
        search += [self.wanted.check, self.control]
        search += [np.empty(2 * size * thread_mailboxes.LINE, values.dtype), np.zeros(n, np.uint8)]
        boxes = [np.empty(messages, parents.dtype), np.empty(messages, values.dtype), np.empty(messages, parents.dtype)]
        counts = np.zeros(size * thread_mailboxes.counts_of.py_func(size), np.int64)
        return [[*search, me, size, shift, owners, room, *boxes, counts] for me in range(size)]


def search(wanted: SsspQuery, parts: int | None, progress: Progress | None) -> SsspRun:
    """Do all rounds in one task; with ``parts`` given there is one thread."""
    graph = wanted.graph
    rows, dense = rows_of(graph), graph.n_edges >= DENSE_DEGREE * graph.n_vertices
    threads = team_threads(graph, parts)
    if not dense:
        threads = max(1, min(threads, graph.n_edges // (SPARSE * graphs.EDGES_PER_THREAD)))
    fields = {
        "distance": runtime.new_store(wanted.kind, graph.n_vertices, written_whole=True, of_graph=True),
        "parent": runtime.new_store(graph.id_dtype, graph.n_vertices, written_whole=True, of_graph=True),
    }
    slots = SLOTS[0]
    while slots < min(weight_range(graph).most / wanted.delta + 2, SLOTS[1]):
        slots *= 2
    pull_above = graph.n_edges // LUX.pull_above if dense else 2**62
    team = _Team(wanted, threads, slots, pull_above)
    _compile(team)
    reports, seconds = team.launch({name: rows[name] for name in _ROWS if name in rows}, fields, progress)
    statistics = Table(np.stack([rows for rows, _ in reports]), lambda model, *_: _why(model, dense=dense))
    run = Run(fields, len(statistics), True, seconds, 1, statistics, threads)
    orphans = [orphans for _, orphans in reports]
    return SsspRun(run, -1 if -1 in orphans else sum(orphans))


def rows_of(graph: Graph) -> dict[str, Store]:
    """Return edges by source, and by destination; the latter with weights ascending where vertices may pull."""
    pushed = graph.layout(1).by_source(("weight",))
    sorted_rows = by_weight(graph) if graph.n_edges >= DENSE_DEGREE * graph.n_vertices else None
    rows = {"out_offsets": pushed.offsets, "destinations": pushed.destinations, "in_offsets": graph.offsets}
    rows["out_weights"] = pushed.properties["weight"]
    if sorted_rows is None:
        return rows | {"sources": graph.sources, "in_weights": graph.properties["weight"]}
    return rows | {"sources": sorted_rows.sources, "in_weights": sorted_rows.weights, "least": sorted_rows.least}


def _compile(team: _Team) -> None:
    """Compile the kernel (or load it) for the graph's types, so that its time is not the search's."""
    graph, kind = team.wanted.graph, team.wanted.kind
    weight = graph.property_types["weight"]
    types = (graph.id_dtype, weight, kind)
    if types in _compiled:
        return
    rows = [np.empty(0, t) for t in (np.int64, graph.id_dtype, weight, np.int64, graph.id_dtype, weight, weight)]
    given = [*rows, *team.arguments(np.empty(0, kind), np.empty(0, graph.id_dtype))[0]]
    compile_like(threads_kernels.search, (0, 0, *given))
    _compiled.add(types)


def _why(model: str, *, dense: bool) -> str:
    """Say why a round was of that model."""
    if not dense:
        return "only graphs of many edges a vertex are pulled on"
    return f"its edges {'exceed' if model == 'pull' else 'are within'} 1/{LUX.pull_above} of all edges"
