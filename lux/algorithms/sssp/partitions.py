# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Delta-stepping over partitions: a launch for each round (`lux.algorithms.sssp.partitions_kernels`).

Partitions publish vertices to one another on a board of two copies, which swap in each round. All other data of a
partition lie in its process until the search has ended. As in `lux.engine.executor`, launches are made ahead of the
answers: a launch after the end does nothing.
"""

from __future__ import annotations

import functools
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.sssp import partitions_kernels as kernels
from lux.algorithms.sssp.bucket_kernels import CHUNK, RELAXED, TALLY
from lux.algorithms.sssp.delta_stepping import DeltaStepping, SsspRun
from lux.algorithms.sssp.partitions_kernels import COUNT, HEAD, ROUNDS
from lux.algorithms.sssp.path_edges import leads_on
from lux.algorithms.strategy import Memory, needs_gpu, needs_partitions
from lux.codegen.compile import compile_like
from lux.engine import executor
from lux.engine.run.program_launches import collected
from lux.engine.run.run import Run
from lux.engine.run.statistics import Rows, Table
from lux.kernels import frontier as fr
from lux.partition import split_points
from lux.runtime import Launcher

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
    """Delta-stepping over partitions, with a launch for each round."""

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


@dataclass
class _Part:
    """The private data of a partition: the state of its vertices, and its buckets, as `partitions_kernels` has them."""

    values: NDArray[Any]
    parents: NDArray[Any]
    marks: NDArray[np.uint8]
    heads: NDArray[np.int64]
    pool: NDArray[Any]
    links: NDArray[np.int64]
    tally: NDArray[np.int64]

    @classmethod
    def new(cls, wanted: SsspQuery, size: int) -> _Part:
        """Make the memory for a partition of ``size`` vertices."""
        ids = wanted.graph.id_dtype
        return cls(
            np.empty(size, wanted.kind),
            np.empty(size, ids),
            np.zeros(size, np.uint8),
            np.empty(2 * SLOTS + 2, np.int64),
            np.empty(SLOTS * CHUNK, ids),
            np.empty(SLOTS, np.int64),
            np.zeros(TALLY, np.int64),
        )


def _board_rows(layout: PartitionedGraph) -> NDArray[np.int64]:
    """Find where the published vertices of each partition begin, and where the last end."""
    sizes = np.diff(layout.points)
    return split_points.starts(HEAD + 2 * np.minimum(sizes, np.maximum(sizes // SHARE, LEAST_SHARE)))


class _Rounds:
    """The inputs of a search's point tasks in their process, and the partitions' private data."""

    def __init__(self, wanted: SsspQuery, layout: PartitionedGraph) -> None:
        self.wanted, self.points, self.inverse = wanted, layout.points.tolist(), 1 / (WIDER * wanted.delta)
        self.at = _board_rows(layout)
        self.parts: dict[int, _Part] = {}
        self.statistics: dict[int, Rows] = defaultdict(Rows)

    def part(self, point: int) -> _Part:
        """Return the private data of partition ``point``."""
        if point not in self.parts:
            self.parts[point] = _Part.new(self.wanted, self.points[point + 1] - self.points[point])
        return self.parts[point]

    def step(
        self, point: int, board: NDArray[np.int64], ins: NDArray[np.uint64], edges: Any, own: NDArray[np.int64]
    ) -> bool:
        """Run a round of a partition; returns whether the search had not ended before."""
        began = time.perf_counter()
        part, wanted = self.part(point), self.wanted
        bits = np.float64 if wanted.kind.kind == "f" else np.int64
        state = (part.values, part.parents, wanted.unreached, self.inverse, part.marks)
        board_of = (self.at, board, board.view(bits), own, own.view(bits))
        buckets = (part.heads, part.pool, part.links, part.tally)
        more, part.pool, part.links = kernels.step(  # type: ignore[call-arg]
            point, self.points[point], wanted.source, *board_of, ins, *edges, *state, *buckets
        )
        if not more:
            return False
        row = [fr.PUSH, own[COUNT], part.tally[RELAXED], time.perf_counter() - began]
        self.statistics[point].append(np.array(row, np.float64))
        return True


def search(wanted: SsspQuery, layout: PartitionedGraph, progress: Progress | None) -> SsspRun:
    """Do all rounds over the partitions of ``layout``."""
    graph, parts = wanted.graph, layout.parts
    edges = layout.by_source(("weight",))
    rounds = _Rounds(wanted, layout)
    static = {
        "out_offsets": edges.offsets,
        "destinations": edges.destinations,
        "out_weights": edges.properties["weight"],
        **edges.splits,
        "edges": layout.splits["edges"],
        "rows": runtime.ranges(rounds.at),
    }
    static |= {} if edges.ins is None else {"ins": edges.ins}
    old, new = (runtime.new_store(np.int64, int(rounds.at[-1]), 0) for _ in range(2))
    runtime.check_points(parts)
    _compile(rounds)
    runtime.finish()
    with runtime.registered(rounds) as key:
        began = time.perf_counter()
        launched, ran = 0, 1
        while ran:
            launched += 1
            counted = launched % runtime.LAUNCHES_PER_READ == 0
            more = {"ran": runtime.new_scalar()} if counted else {}
            _step_launcher(edges.ins is not None, counted)(parts, **static, board=old, own=new, **more, key=key)
            old, new = new, old
            if counted:
                ran = runtime.read_scalar(more["ran"])
                if progress is not None and ran:
                    progress(launched)
        fields = {
            "distance": runtime.new_store(wanted.kind, graph.n_vertices, of_graph=True),
            "parent": runtime.new_store(graph.id_dtype, graph.n_vertices, of_graph=True),
        }
        left = runtime.new_scalar()
        _finish(parts, **fields, vertices=layout.splits["vertices"], left=left, key=key)
        orphans = runtime.read_scalar(left)
        seconds = time.perf_counter() - began
        iterations = int(runtime.to_array(old)[ROUNDS])
        statistics = _statistics(layout, key, iterations)
    if wanted.check and leads_on(graph, fields["distance"]):
        orphans = -1
    return SsspRun(Run(fields, iterations, True, seconds, parts, statistics), orphans)


def _compile(rounds: _Rounds) -> None:
    """Compile the kernel (or load it) for the graph's types, so that its time is not the search's."""
    wanted, graph = rounds.wanted, rounds.wanted.graph
    part, numbers = _Part.new(wanted, 0), np.empty(0, np.int64)
    bits = np.empty(0, np.float64 if wanted.kind.kind == "f" else np.int64)
    edges = (numbers, np.empty(0, graph.id_dtype), np.empty(0, graph.property_types["weight"]))
    state = (part.values, part.parents, wanted.unreached, rounds.inverse, part.marks)
    given = (0, 0, 0, numbers, numbers, bits, numbers, bits, np.empty(0, np.uint64), *edges, *state)
    buckets = (part.heads, part.pool, part.links, part.tally)
    compile_like(kernels.step, (*given, *buckets))


@functools.cache
def _step_launcher(has_ins: bool, counted: bool) -> Launcher:
    def relax_bucket(point: int, board: NDArray[np.int64], *rest: Any) -> None:
        edges, own, key = rest[has_ins : has_ins + 3], rest[has_ins + 3], rest[-1]
        ins = rest[0] if has_ins else np.empty(0, np.uint64)
        ran = runtime.context(key).step(point, board, ins, edges, own)
        if counted:
            rest[-2][0] += ran

    inputs: dict[str, str | None] = {"board": None} | ({"ins": "ins_rows"} if has_ins else {})
    return Launcher(
        relax_bucket,
        inputs=inputs | {"out_offsets": "by_offsets", "destinations": "edges", "out_weights": "edges"},
        outputs={"own": "rows"},
        sums={"ran": None} if counted else {},
        scalars={"key": int},
    )


@runtime.task(outputs={"distance": "vertices", "parent": "vertices"}, sums={"left": None}, scalars={"key": int})
def _finish(point: int, distance: NDArray[Any], parent: NDArray[Any], left: NDArray[np.int64], key: int) -> None:
    rounds: _Rounds = runtime.context(key)
    part = rounds.part(point)
    left[0] += kernels.finish(part.values, part.parents, rounds.wanted.unreached, distance, parent)


def _statistics(layout: PartitionedGraph, key: int, count: int) -> Table:
    rows, sums = collected(layout, key, count)
    rows = rows.reshape(layout.parts, -1, fr.STATISTICS_COLUMNS)
    rows[0, :, 1:3], sums[0, 2:4] = rows[:, :, 1:3].sum(axis=0), sums[:, 2:4].sum(axis=0)
    return Table(rows, lambda *_: "partitions only push", sums)
