# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Delta-stepping over partitions of one process or several, in one launch (`lux.algorithms.sssp.partitions_kernels`).

Partitions publish vertices to one another on a board of two copies, which swap in each round. Other processes get what
they read of it (`lux.runtime.exchange`). All other data of a partition lie in its process until the search has ended.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.sssp import partitions_kernels as kernels
from lux.algorithms.sssp.bucket_kernels import NONE
from lux.algorithms.sssp.delta_stepping import DeltaStepping, SsspRun
from lux.algorithms.sssp.partitions_kernels import HEAD
from lux.algorithms.sssp.path_edges import leads_on
from lux.algorithms.strategy import Memory, needs_gpu, needs_partitions
from lux.engine import executor
from lux.engine.cpu.exchange_body import collect_statistics, kinds_of, locate, set_body
from lux.engine.run.run import Run
from lux.engine.run.statistics import Rows, Table
from lux.kernels import frontier as fr
from lux.partition import split_points
from lux.runtime.exchange import BoardExchange

if TYPE_CHECKING:
    from lux.algorithms.sssp.delta_stepping import SsspQuery
    from lux.algorithms.sssp.query import PathQuery
    from lux.engine.run.run import Progress
    from lux.graph.layout import PartitionedGraph

WIDER = 4
"""Factor of the buckets' width over that in one task: a launch costs more than relaxing some edges again."""
SHARE, LEAST_SHARE = 64, 1024
"""Divisor of a partition's vertices that gives the most it publishes in a round, and the least such limit; other
vertices stay in their bucket. All processes read all published vertices."""
SLOTS = 256
"""Buckets in reach; vertices beyond are looked through when the search comes near."""


class DeltaSteppingPartitions(DeltaStepping):
    """Delta-stepping over partitions, whose processes send one another the vertices that they read."""

    name = "partitions"

    def refusal(self, query: PathQuery) -> str:
        """Refuse models, limits, negative weights, and GPUs; one partition unless the strategy is asked for by name."""
        if why := query.needs_bellman_ford() or needs_gpu(query):
            return why
        return "" if query.named or needs_partitions(query) else "one task holds the graph"

    def memory(self, query: PathQuery) -> Memory:
        """Count distances and parents twice, marks, the published vertices, and edges by source as yet to be made."""
        graph, layout = query.graph, query.graph.layout(query.parts)
        per_vertex = 2 * (8 + graph.id_dtype.itemsize) + 1
        edges = executor.by_source_bytes(layout, ("weight",))
        return Memory(host=per_vertex * graph.n_vertices + 16 * int(_board_rows(layout)[-1]) + edges)

    def prepare(self, query: PathQuery) -> None:
        """Partition the graph, and group the edges by source."""
        query.graph.layout(query.parts).by_source(("weight",))

    def run(self, query: PathQuery, progress: Progress | None) -> Run:
        """Search; distances and parents are as users see them."""
        return self.search(query, lambda wanted: search(wanted, wanted.graph.layout(query.parts), progress))


def _board_rows(layout: PartitionedGraph) -> NDArray[np.int64]:
    """Find where the published vertices of each partition begin, and where the last end."""
    sizes = np.diff(layout.points)
    return split_points.starts(HEAD + 2 * np.minimum(sizes, np.maximum(sizes // SHARE, LEAST_SHARE)))


@dataclass
class _Part:
    """The state of a partition's vertices."""

    values: NDArray[Any]
    parents: NDArray[Any]
    marks: NDArray[np.uint8]

    @classmethod
    def new(cls, wanted: SsspQuery, size: int) -> _Part:
        """Make the memory for a partition of ``size`` vertices."""
        return cls(np.empty(size, wanted.kind), np.empty(size, wanted.graph.id_dtype), np.zeros(size, np.uint8))


class _Search:
    """This process's part of a search: its partitions' state, both copies of the board, and the exchange."""

    def __init__(self, wanted: SsspQuery, layout: PartitionedGraph) -> None:
        self.wanted, self.layout, self.at = wanted, layout, _board_rows(layout)
        self.borders = borders = layout.borders()
        self.boards = [np.zeros(int(self.at[-1]) + 2 * HEAD + 1 + layout.parts, np.int64) for _ in range(2)]
        self.boards[0][self.at[:-1] + kernels.LEAST] = NONE  # nothing is published yet
        sizes = np.diff(layout.points).tolist()
        self.parts = {point: _Part.new(wanted, sizes[point]) for point in borders.partitions}
        self.rounds = np.zeros(1, np.int64)
        first = int(borders.points[runtime.rank()])
        self.exchange = BoardExchange(borders.partitions_of, first, borders.members, self.at, self.boards, HEAD, 2)

    def prepare(self) -> None:
        """Find the edges of this process's partitions, and compile the body of their threads."""
        layout, edges = self.layout, self.layout.by_source(("weight",))
        stores = {"offsets": edges.offsets, "ends": edges.destinations, "weights": edges.properties["weight"]}
        split_of: dict[str, str | None] = {"offsets": "by_offsets", "ends": "edges", "weights": "edges"}
        if edges.ins is not None:
            stores["ins"], split_of["ins"] = edges.ins, "ins_rows"
        located = locate(layout.parts, stores, split_of, layout.splits | edges.splits)
        nothing = {name: np.zeros(1 if name == "offsets" else 0, store.dtype) for name, store in stores.items()}
        threads = [self._arguments(point, located[point]) for point in self.borders.partitions]
        threads = threads or [self._arguments(0, nothing)]
        self._kept = set_body(self.exchange, kernels.__name__, kinds_of(threads[0]), [threads])

    def _arguments(self, point: int, edges: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Return the arguments of `partitions_kernels.run`, in order."""
        wanted, (a, b) = self.wanted, self.boards
        bits = np.float64 if wanted.kind.kind == "f" else np.int64
        part = self.parts.get(point) or _Part.new(wanted, 0)
        return {
            "part": point,
            "lo": int(self.layout.points[point]),
            "source": wanted.source,
            "at": self.at,
            "a": a,
            "a_bits": a.view(bits),
            "b": b,
            "b_bits": b.view(bits),
            "ins": edges.get("ins", np.empty(0, np.uint64)),
            "offsets": edges["offsets"],
            "ends": edges["ends"],
            "weights": edges["weights"],
            "values": part.values,
            "parents": part.parents,
            "unreached": wanted.unreached,
            "inverse": 1 / (WIDER * wanted.delta),
            "marks": part.marks,
            "n_slots": SLOTS,
            "rounds": self.rounds,
        }


def search(wanted: SsspQuery, layout: PartitionedGraph, progress: Progress | None) -> SsspRun:
    """Do all rounds over the partitions of ``layout``, in one launch."""
    graph, parts = wanted.graph, layout.parts
    runtime.check_points(parts)
    own = _Search(wanted, layout)
    try:
        own.prepare()
        runtime.finish()
        began = time.perf_counter()
        told = None if progress is None else lambda: progress(int(own.rounds[0]))
        own.exchange.launch(told)
        fields = {
            "distance": runtime.new_store(wanted.kind, graph.n_vertices, of_graph=True),
            "parent": runtime.new_store(graph.id_dtype, graph.n_vertices, of_graph=True),
        }
        left = runtime.new_scalar()
        with runtime.registered(own) as key:
            _finish(parts, **fields, vertices=layout.splits["vertices"], left=left, key=key)
            orphans = runtime.read_scalar(left)
        seconds = time.perf_counter() - began
        if told is not None:
            told()
        iterations = int(own.rounds[0])
        statistics, sent = _statistics(own, iterations), own.exchange.sent()
    finally:
        own.exchange.close()
    if wanted.check and leads_on(graph, fields["distance"]):
        orphans = -1
    return SsspRun(Run(fields, iterations, True, seconds, parts, statistics, sent=sent), orphans)


@runtime.task(outputs={"distance": "vertices", "parent": "vertices"}, sums={"left": None}, scalars={"key": int})
def _finish(point: int, distance: NDArray[Any], parent: NDArray[Any], left: NDArray[np.int64], key: int) -> None:
    own: _Search = runtime.context(key)
    part = own.parts[point]
    left[0] += kernels.finish(part.values, part.parents, own.wanted.unreached, distance, parent)


def _statistics(own: _Search, iterations: int) -> Table:
    """Bring the rounds of all partitions to every process."""
    rows: dict[int, Rows] = defaultdict(Rows)
    for thread, point in enumerate(own.borders.partitions):
        rows[point].append(own.exchange.records(thread))
    table, sums = collect_statistics(own.borders.partitions_of, rows, iterations)
    table = table.reshape(own.layout.parts, -1, fr.STATISTICS_COLUMNS)
    table[0, :, 1:3], sums[0, 2:4] = table[:, :, 1:3].sum(axis=0), sums[:, 2:4].sum(axis=0)
    return Table(table, lambda *_: "partitions only push", sums)
