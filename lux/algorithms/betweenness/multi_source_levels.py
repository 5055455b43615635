# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps over partitions of one process or several, forward and back over all levels, in one launch.

A batch of sources is swept at once (`lux.algorithms.betweenness.multi_source_kernels`). Partitions of one process read
one another's numbers where they are; other processes get what they read of a level (`lux.runtime.number_exchanges`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.betweenness import multi_source_kernels as kernels
from lux.algorithms.betweenness.brandes_state_kernels import PULL
from lux.algorithms.betweenness.multi_source_kernels import LEVEL_COLUMNS
from lux.algorithms.strategy import Memory, needs_device
from lux.engine.cpu.cpu_run import MODELS
from lux.engine.cpu.exchange_body import kinds_of, locate, set_body
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.graph.layout import PartitionedGraph
from lux.runtime.exchange import gathered
from lux.runtime.number_exchanges import LevelExchange

if TYPE_CHECKING:
    from lux.algorithms.betweenness.brandes import BrandesQuery
    from lux.engine.run.run import Progress
    from lux.runtime import Store

BATCH_BYTES, MOST_SOURCES = 1 << 28, 16
"""A batch has as many sources as need these bytes in one process, at least one; more than so many gain little."""
SHARED_BYTES, OWN_BYTES, READ_BYTES = 20, 16, 60
"""Bytes of a vertex and a source: both copies and exponents, in every process; the number of paths and the place in
the queue, in its own; the place in the queue, messages and what both sides remember of them, where another process
reads it."""


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
        graph, layout, ranks = query.graph, query.graph.layout(query.parts), runtime.ranks()
        read = min((ranks - 1) * graph.n_vertices, graph.n_edges)
        needed = batch_size(query) * ((SHARED_BYTES * ranks + OWN_BYTES) * graph.n_vertices + READ_BYTES * read)
        if graph.directed and "_reversed" not in vars(graph):
            needed += graph.memory_needed()
        if query.model != "pull" and not layout.has_by_source(()):
            needed += graph.n_edges * graph.id_dtype.itemsize + 10 * graph.n_vertices * layout.parts
        return Memory(host=needed)

    def prepare(self, query: BrandesQuery) -> None:
        """Turn the graph round, and group the edges by source unless all levels are pulled."""
        query.graph.reverse()
        if query.model != "pull":
            query.graph.layout(query.parts).by_source(())

    def run(self, query: BrandesQuery, progress: Progress | None) -> Run:
        """Sweep from all sources."""
        layout = query.graph.layout(query.parts)
        runtime.check_points(layout.parts)
        own = _Sweeps(query, layout)
        try:
            return own.run(progress)
        finally:
            own.exchange.close()


def batch_size(query: BrandesQuery) -> int:
    """Count the sources of a batch: batches are as few as can be, and of nearly the same size."""
    fit = BATCH_BYTES // ((SHARED_BYTES + OWN_BYTES) * query.graph.n_vertices)
    batches = -(-len(query.chosen) // max(1, min(fit, MOST_SOURCES)))
    return -(-len(query.chosen) // batches)


@dataclass
class _Part:
    """Results of a partition's sweeps: scores, counts of its vertices reached from each source, seconds of batches."""

    scores: NDArray[np.float64]
    reached: NDArray[np.int64]
    times: NDArray[np.float64]

    @classmethod
    def new(cls, size: int, sources: int, batches: int) -> _Part:
        """Make the memory for a partition of ``size`` vertices."""
        return cls(np.zeros(size), np.zeros(sources, np.int64), np.zeros(batches))


class _Sweeps:
    """This process's part of a run: the state of its partitions, the numbers that they read, and the exchange."""

    def __init__(self, asked: BrandesQuery, layout: PartitionedGraph) -> None:
        self.asked, self.layout, self.size = asked, layout, batch_size(asked)
        self.by_destination = layout.cached("reversed", _reversed)
        self.borders = layout.borders()
        back = self.by_destination.borders()
        me, count = runtime.rank(), len(asked.chosen)
        self.batches = range(0, count, self.size)
        sizes = np.diff(layout.points).tolist()
        self.parts = {k: _Part.new(sizes[k], count, len(self.batches)) for k in self.borders.partitions}
        first, end = self.borders.points[me : me + 2].tolist()
        others = [peer for peer in range(runtime.ranks()) if peer != me]
        read = [max(len(each.received[peer]) for each in (self.borders, back)) for peer in others]
        queue_at = (np.cumsum([end - first, *read]) * self.size).tolist()
        entries, threads = asked.graph.n_vertices * self.size, max(len(self.parts), 1)
        self.values = [np.zeros(entries) for _ in range(2)]
        self.exponents, self.queue = np.zeros(entries, np.int32), np.empty(queue_at[-1], np.int64)
        self.state = [np.zeros((threads + len(others)) * LEVEL_COLUMNS, np.int64) for _ in range(2)]
        self.done = np.zeros(1, np.int64)
        self.exchange = LevelExchange(
            len(self.parts), first, self.size, asked.graph.directed, self.state, self.values, self.exponents, self.queue
        )
        for peer, at in zip(others, queue_at, strict=False):
            forward, backward = (
                (each.sent[peer], each.received[peer], each.members[peer]) for each in (self.borders, back)
            )
            self.exchange.add_peer(int(self.borders.points[peer]), at, forward, backward)

    def prepare(self) -> None:
        """Find the edges of this process's partitions, and compile the body of their threads."""
        graph, layout, back = self.asked.graph, self.layout, self.by_destination
        stores: dict[str, Store] = {"in_offsets": graph.offsets, "sources": graph.sources}
        stores |= {"out_offsets": back.graph.offsets, "neighbours": back.graph.sources}
        split_of: dict[str, str | None] = {"in_offsets": "offsets", "sources": "edges"}
        split_of |= {"out_offsets": "offsets", "neighbours": "out_edges"}
        splits = layout.splits | {"out_edges": back.splits["edges"]}
        if MODELS[self.asked.model] != PULL:
            edges = layout.by_source(())
            stores |= {"row_offsets": edges.offsets, "destinations": edges.destinations}
            split_of |= {"row_offsets": "by_offsets", "destinations": "edges"}
            splits |= edges.splits
            if edges.ins is not None:
                stores["ins"], split_of["ins"] = edges.ins, "ins_rows"
        located = locate(layout.parts, stores, split_of, splits)
        threads = [self._arguments(k, point, located[point]) for k, point in enumerate(self.borders.partitions)]
        threads = threads or [self._arguments(0, None, {})]
        self._kept = set_body(self.exchange, kernels.__name__, kinds_of(threads[0]), [threads])

    def _arguments(self, row: int, point: int | None, edges: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Return the arguments of `multi_source_kernels.run`, in order; without a partition for no vertices."""
        asked, points = self.asked, self.layout.points
        first = int(self.borders.points[runtime.rank()])
        lo, hi = (first, first) if point is None else points[point : point + 2].tolist()
        part = _Part.new(0, len(asked.chosen), len(self.batches)) if point is None else self.parts[point]
        no_rows, no_edges = np.zeros(1, np.int64), np.empty(0, asked.graph.id_dtype)
        return {
            "row": row,
            "lo": lo,
            "size": self.size,
            "chosen": asked.chosen,
            "model": MODELS[asked.model],
            "n_edges": asked.graph.n_edges,
            "one": asked.one,
            "in_offsets": edges.get("in_offsets", no_rows),
            "sources": edges.get("sources", no_edges),
            "ins": edges.get("ins", np.empty(0, np.uint64)),
            "row_offsets": edges.get("row_offsets", no_rows),
            "destinations": edges.get("destinations", no_edges),
            "out_offsets": edges.get("out_offsets", no_rows),
            "neighbours": edges.get("neighbours", no_edges),
            "even": self.values[0],
            "odd": self.values[1],
            "exponents": self.exponents,
            "queue": self.queue,
            "queue_at": (lo - first) * self.size,
            "even_state": self.state[0],
            "odd_state": self.state[1],
            "paths": np.empty((hi - lo) * self.size),
            "scores": part.scores,
            "reached": part.reached,
            "times": part.times,
            "done": self.done,
        }

    def run(self, progress: Progress | None) -> Run:
        """Sweep from all sources; return the run's field ``score``."""
        asked, layout, batches = self.asked, self.layout, self.batches
        parts, count = layout.parts, len(asked.chosen)
        self.prepare()
        runtime.finish()
        began = time.perf_counter()
        told = None if progress is None else lambda: progress(int(self.done[0]))
        self.exchange.launch(told)
        seconds, reached = self._collect()
        self.ends = asked.one * (reached.sum(axis=0) - 1)
        scores = runtime.new_store(np.float64, asked.graph.n_vertices)
        with runtime.registered(self) as key:
            _write_scores(parts, scores=scores, vertices=layout.splits["vertices"], key=key)
            runtime.finish()
        elapsed = time.perf_counter() - began
        if told is not None:
            told()
        swept = [min(self.size, count - first) for first in batches]
        why = "a batch of sources, level by level"
        statistics = [
            Iteration("sweep", n, n * asked.graph.n_edges, seconds[:, k].copy(), why=why) for k, n in enumerate(swept)
        ]
        return Run({"score": scores}, count, True, elapsed, parts, statistics, sent=self.exchange.sent())

    def _collect(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Bring the seconds of all partitions, and their vertices reached from each source, to every process."""
        width = len(self.batches) + len(self.asked.chosen)
        own = [words.view(np.uint64) for part in self.parts.values() for words in (part.times, part.reached)]
        words = np.concatenate([np.empty(0, np.uint64), *own])
        if runtime.ranks() > 1:
            words = np.concatenate(gathered(words))
        times, reached = np.split(words.reshape(-1, width), [len(self.batches)], axis=1)
        return times.view(np.float64), reached.view(np.int64)


def _reversed(layout: PartitionedGraph) -> PartitionedGraph:
    """Cut the reversed graph at the same points; an undirected graph is its own."""
    return PartitionedGraph(layout.graph.reverse(), layout.points) if layout.graph.directed else layout


@runtime.task(outputs={"scores": "vertices"}, scalars={"key": int})
def _write_scores(point: int, scores: NDArray[np.float64], key: int) -> None:
    """Write scores, to which those of sources add what the ends of their paths count."""
    own: _Sweeps = runtime.context(key)
    lo, hi = own.layout.points[point : point + 2].tolist()
    chosen = own.asked.chosen
    inside = (lo <= chosen) & (chosen < hi)
    scores[:] = own.parts[point].scores
    scores[chosen[inside] - lo] += own.ends[inside]
