# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps over partitions: one launch for each level, forward and back, for a batch of sources at once.

Every partition reads the numbers of one level's vertices, of all partitions, and writes those of its own vertices in
the next. They lie in two copies, for even and for odd levels. What only its partition reads (numbers of paths, which
vertices are in which level, scores) stays in the memory of its process.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.betweenness import multi_source_kernels
from lux.algorithms.betweenness.brandes_state_kernels import PULL
from lux.algorithms.betweenness.multi_source_tasks import ENTRY_BYTES, Batches
from lux.algorithms.strategy import Memory, needs_device
from lux.engine.cpu.cpu_run import MODELS
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.graph.layout import PartitionedGraph
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.algorithms.betweenness.brandes import BrandesQuery
    from lux.engine.run.run import Progress


class BrandesPartitions:
    """Sweeps over partitions, level by level, for a batch of sources at once."""

    name = "partitions"

    def refusal(self, query: BrandesQuery) -> str:
        """Say why CPU cores are not to be taken, or that there are no levels."""
        if query.weight is not None:
            return f"weight={query.weight!r} is asked for, and levels are of edges of length 1"
        return needs_device(query)

    def memory(self, query: BrandesQuery) -> Memory:
        """Count a batch, and the edges by source and the reversed graph where they have to be made."""
        layout = query.graph.layout(query.parts)
        return Memory(host=_bytes(query, layout, Batches(query, layout.points, MODELS[query.model])))

    def prepare(self, query: BrandesQuery) -> None:
        """Turn the graph round, and group the edges by source unless all levels are pulled."""
        query.graph.reverse()
        if query.model != "pull":
            query.graph.layout(query.parts).by_source(())

    def run(self, query: BrandesQuery, progress: Progress | None) -> Run:
        """Sweep from all sources."""
        layout = query.graph.layout(query.parts)
        tasks = Batches(query, layout.points, MODELS[query.model])
        runtime.check_points(layout.parts)
        return _Runner(query, layout, tasks).run(progress)


def _bytes(asked: BrandesQuery, layout: PartitionedGraph, tasks: Batches) -> int:
    """Count the bytes of a batch, and of the edges by source and the reversed graph where they have to be made."""
    graph = asked.graph
    needed = ENTRY_BYTES * tasks.size * graph.n_vertices
    if graph.directed and "_reversed" not in vars(graph):
        needed += graph.memory_needed()
    if tasks.model != PULL and not layout.has_by_source(()):
        needed += graph.n_edges * graph.id_dtype.itemsize + 10 * graph.n_vertices * layout.parts
    return needed


class _Runner:
    def __init__(self, asked: BrandesQuery, layout: PartitionedGraph, tasks: Batches) -> None:
        self.asked, self.layout, self.tasks = asked, layout, tasks
        graph, n = asked.graph, asked.graph.n_vertices
        by_destination = PartitionedGraph(graph.reverse(), layout.points) if graph.directed else layout
        self.splits = {name: layout.splits[name] for name in ("vertices", "offsets", "edges")} | {
            "out_edges": by_destination.splits["edges"],
            "entries": runtime.ranges(layout.points * tasks.size),
            "queues": runtime.ranges(tasks.queue_at),
            "rows": layout.rows(tasks.width),
        }
        self.out_offsets, self.out_neighbours = by_destination.graph.offsets, by_destination.graph.sources
        self.edges: dict[str, Store] = {"in_offsets": graph.offsets, "sources": graph.sources}
        if tasks.model != PULL:
            by_source = layout.by_source(())
            self.splits |= by_source.splits
            self.edges |= {} if by_source.ins is None else {"ins": by_source.ins}
            self.edges |= {"row_offsets": by_source.offsets, "destinations": by_source.destinations}
        new = runtime.new_store
        self.values = [new(np.float64, n * tasks.size) for _ in range(2)]
        self.exponents = [new(np.int32, n * tasks.size) for _ in range(2)]
        self.queue = [new(np.int64, int(tasks.queue_at[-1])) for _ in range(2)]
        self.state = [new(np.int64, layout.parts * tasks.width) for _ in range(2)]

    def run(self, progress: Progress | None) -> Run:
        parts, chosen, size, n_edges = self.layout.parts, self.asked.chosen, self.tasks.size, self.asked.graph.n_edges
        compile_kernels(self.asked.graph.id_dtype)
        runtime.finish()
        firsts = range(0, len(chosen), size)
        with runtime.registered(self.tasks) as key:
            began = time.perf_counter()
            for first in firsts:
                self._sweep(key, chosen[first : first + size])
                if progress is not None:
                    progress(min(first + size, len(chosen)))
            scores = runtime.new_store(np.float64, self.asked.graph.n_vertices)
            times = runtime.new_store(np.float64, parts * len(firsts))
            _give(
                parts,
                even=self.values[0],
                odd=self.values[1],
                scores=scores,
                seconds=times,
                time_rows=self.layout.rows(len(firsts)),
                **self.splits,
                key=key,
            )
            seconds = runtime.to_array(times).reshape(parts, -1)
            elapsed = time.perf_counter() - began
        swept = [min(size, len(chosen) - first) for first in firsts]
        why = "a batch of sources, level by level"
        statistics = [Iteration("sweep", n, n * n_edges, seconds[:, k].copy(), why=why) for k, n in enumerate(swept)]
        return Run({"score": scores}, len(chosen), True, elapsed, parts, statistics)

    def _sweep(self, key: int, batch: NDArray[np.int64]) -> None:
        """Both sweeps of a batch."""
        self.tasks.batch = batch
        parts = self.layout.parts
        stores = {f"{which}_{k}": pair[k] for which, pair in self._pairs().items() for k in (0, 1)}
        _start(parts, out_offsets=self.out_offsets, **stores, **self.splits, key=key)
        level, found = 0, 1
        while found:
            level += 1
            count = runtime.new_scalar() if level % runtime.LAUNCHES_PER_READ == 0 else None
            counted = {} if count is None else {"found": count}
            _find_launcher(tuple(self.edges), count is not None)(
                parts, **self.edges, out_offsets=self.out_offsets, **self._copies(level), **counted, **self.splits,
                key=key,
            )  # fmt: skip
            if count is not None:
                found = runtime.read_scalar(count)
        state = runtime.to_array(self.state[level % 2]).reshape(parts, -1)
        reached = state[:, multi_source_kernels.REACHED :].sum(axis=0)
        self.tasks.ends += [(int(s), self.asked.one * (int(r) - 1)) for s, r in zip(batch, reached, strict=False)]
        last = int(state[0, multi_source_kernels.LEVELS]) - 1
        for level in range(last, 0, -1):
            a, b = (level + 1) % 2, level % 2
            _accumulate(
                parts,
                out_offsets=self.out_offsets,
                neighbours=self.out_neighbours,
                a_values=self.values[a],
                a_exponents=self.exponents[a],
                own_exponents=self.exponents[b],
                b_values=self.values[b],
                level=level,
                last=last,
                **self.splits,
                key=key,
            )

    def _pairs(self) -> dict[str, list[Store]]:
        return {"values": self.values, "exponents": self.exponents, "queue": self.queue, "state": self.state}

    def _copies(self, level: int) -> dict[str, Store]:
        """Return the copies that hold the level before, and those that ``level`` is written to."""
        pairs = self._pairs().items()
        return {f"a_{n}": p[(level + 1) % 2] for n, p in pairs} | {f"b_{n}": p[level % 2] for n, p in pairs}


@functools.cache
def compile_kernels(id_dtype: np.dtype[Any]) -> None:
    """Compile (or load) the kernels for a type of ids, on no vertices."""
    offsets, edges, none = np.zeros(1, np.int64), np.zeros(0, id_dtype), np.zeros(0)
    words, whole, exponents = (
        np.zeros(0, np.uint64),
        np.zeros(multi_source_kernels.REACHED + 1, np.int64),
        np.zeros(0, np.int32),
    )
    own = (none, none, exponents, whole[:0])
    multi_source_kernels.pull(1, False, offsets, edges, none, exponents, *own, 0)
    multi_source_kernels.push(1, False, 0, whole, offsets, whole, 5, words, offsets, edges, none, exponents, *own, 0)
    multi_source_kernels.finish_level(1, 0, whole, 0, 0, offsets, none, none, exponents, whole, whole)
    multi_source_kernels.clear_values(whole, 0, 0, none)
    multi_source_kernels.accumulate(
        1, False, False, whole, 0, 0, offsets, edges, none, exponents, none, none, exponents, 0.0, none
    )  # fmt: skip


@runtime.task(
    inputs={"out_offsets": "offsets"},
    outputs={
        f"{name}_{k}": split
        for name, split in (("values", "entries"), ("exponents", "entries"), ("queue", "queues"), ("state", "rows"))
        for k in (0, 1)
    },
    scalars={"key": int},
)
def _start(point: int, *given: Any) -> None:
    runtime.context(given[-1]).start(point, *given[:-1])


@functools.cache
def _find_launcher(edges: tuple[str, ...], counted: bool) -> Launcher:
    splits: dict[str, str | None] = {"in_offsets": "offsets", "sources": "edges", "ins": "ins_rows"}
    splits |= {"row_offsets": "by_offsets", "destinations": "edges"}
    inputs = {name: splits[name] for name in edges} | {"out_offsets": "offsets"}
    inputs |= dict.fromkeys(("a_values", "a_exponents", "a_queue", "a_state"))
    absent = {"ins": np.empty(0, np.uint64), "row_offsets": np.zeros(1, np.int64), "destinations": None}

    def find(point: int, *given: Any) -> None:
        stores, key = dict(zip(order, given, strict=False)), given[-1]
        found = runtime.context(key).find(point, absent | stores)
        if counted:
            stores["found"][0] += found

    outputs: dict[str, str | None] = {"b_queue": "queues", "b_state": "rows"}
    updates: dict[str, str | None] = {"b_values": "entries", "b_exponents": "entries"}
    order = [*inputs, *outputs, *updates, *(["found"] if counted else [])]
    sums = {"found": None} if counted else {}
    return Launcher(find, inputs=inputs, outputs=outputs, updates=updates, sums=sums, scalars={"key": int})


@runtime.task(
    inputs={
        "out_offsets": "offsets",
        "neighbours": "out_edges",
        "a_values": None,
        "a_exponents": None,
        "own_exponents": "entries",
    },
    updates={"b_values": "entries"},
    scalars={"level": int, "last": int, "key": int},
)
def _accumulate(point: int, *given: Any) -> None:
    runtime.context(given[-1]).accumulate(point, *given[:-1])


@runtime.task(
    inputs={"even": "entries", "odd": "entries"},
    outputs={"scores": "vertices", "seconds": "time_rows"},
    scalars={"key": int},
)
def _give(point: int, *given: Any) -> None:
    """Write scores and times, which lie outside of the stores: it reads the copies to run after what writes them."""
    runtime.context(given[-1]).give(point, *given[2:-1])
