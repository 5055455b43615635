# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Afforest on partitions: components by sampling and linking, which beats label propagation on any graph.

Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via subgraph sampling" (Afforest), IPDPS
2018. Where one task holds the whole graph, its threads share a forest (`lux.algorithms.components.threads`). The
partitions of a process share one, too, in one launch, in which processes join their forests
(`lux.algorithms.components.afforest_kernels`).
"""

from __future__ import annotations

import inspect
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.components import afforest_kernels as kernels
from lux.algorithms.components.refusals import has_iterations
from lux.algorithms.strategy import Memory, Query, needs_gpu, needs_program
from lux.engine.cpu.exchange_body import kinds_of, locate, set_body
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.partition import split_points
from lux.runtime.exchange import MessageExchange

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.graph.layout import PartitionedGraph

SHARE, LEAST_ROOM = 16, 1024
"""Divisor of a process's vertices that gives the most pairs that it tells in a round, and the least such limit."""


class AfforestPartitions:
    """Afforest with a forest for each process, whose partitions share it."""

    name = "partitions"

    def refusal(self, query: Query) -> str:
        """Say why the program is needed."""
        return needs_program(query) or has_iterations(query) or needs_gpu(query)

    def memory(self, query: Query) -> Memory:
        """Count a forest and marks for each process, the labels, and messages at their largest."""
        graph, ranks = query.graph, runtime.ranks()
        ids, n = graph.id_dtype.itemsize, graph.n_vertices
        forests = ranks * n * (ids * (1 if graph.order is None else 2) + 1)
        # Every label that is told lies in four buffers, and its vertex in a list on both sides.
        messages = (4 * ids + 8) * min(graph.n_edges, (ranks - 1) * n)
        return Memory(host=forests + 2 * ids * n + messages)

    def prepare(self, query: Query) -> None:
        """Partition the graph, and find what processes read of one another."""
        layout = query.graph.layout(query.parts)
        layout.splits  # noqa: B018  # made on first use
        layout.borders()

    def run(self, query: Query, progress: Progress | None) -> Run:
        """Link the edges of each process in its forest, and join the forests."""
        run = link(query.graph.layout(query.parts))
        if progress is not None:
            progress(run.iterations)
        return run


class _Linking:
    """This process's part of a run: its forest, its messages, and the arguments of its threads."""

    def __init__(self, layout: PartitionedGraph) -> None:
        self.layout, self.borders = layout, layout.borders()
        graph, borders, me = layout.graph, self.borders, runtime.rank()
        n, ids = graph.n_vertices, graph.id_dtype
        peers = [peer for peer in range(runtime.ranks()) if peer != me]
        sizes = np.diff(borders.points)
        rooms = np.maximum(sizes // SHARE, LEAST_ROOM).tolist()

        def words(pairs: int, labels: NDArray[np.uint32]) -> int:
            most = max(2 * pairs * ids.itemsize, len(labels) * ids.itemsize + (len(labels) + 63) // 64 * 8)
            return kernels.HEAD + (most + 7) // 8

        sent, received = ([side[peer] for peer in peers] for side in (borders.sent, borders.received))
        self.exchange = MessageExchange(
            len(borders.partitions),
            [words(rooms[me], each) for each in sent],
            [words(rooms[peer], each) for peer, each in zip(peers, received, strict=True)],
        )
        self.forest = np.empty(n, ids)
        self.smallest = np.empty(0 if graph.order is None else n, ids)
        self.work = np.zeros((max(len(borders.partitions), 1), 2))
        self._shared = {
            "own": borders.points[me : me + 2].astype(np.int64),
            "forest": self.forest,
            "spread": np.zeros(n if peers else 0, np.uint8),
            "smallest": self.smallest,
            "sent": np.concatenate([np.empty(0, np.uint32), *sent]),
            "sent_at": split_points.starts(np.array([len(each) for each in sent], np.int64)),
            "received": np.concatenate([np.empty(0, np.uint32), *received]),
            "received_at": split_points.starts(np.array([len(each) for each in received], np.int64)),
            "begins": borders.points[peers].astype(np.int64),
            "out": self.exchange.out,
            "out_ids": self.exchange.out.view(ids),
            "out_at": self.exchange.out_at,
            "arrived": self.exchange.arrived,
            "arrived_ids": self.exchange.arrived.view(ids),
            "in_at": self.exchange.in_at,
            "room": rooms[me],
            "counts": np.zeros(len(peers) * len(self.work), np.int64),
            "control": self.exchange.set_barrier(np.zeros(kernels.CONTROL, np.int64)),
        }

    def prepare(self) -> None:
        """Find the edges of this process's partitions, and compile the body of their threads."""
        layout, graph = self.layout, self.layout.graph
        stores = {"in_offsets": graph.offsets, "sources": graph.sources}
        split_of: dict[str, str | None] = {"in_offsets": "offsets", "sources": "edges"}
        if graph.order is not None:
            stores["dense_ids"], split_of["dense_ids"] = graph.order.vertices, "vertices"
        located = locate(layout.parts, stores, split_of, layout.splits)
        nothing = {name: np.zeros(1 if name == "in_offsets" else 0, store.dtype) for name, store in stores.items()}
        edges = [located[point] for point in self.borders.partitions] or [nothing]
        threads = [self._arguments(me, len(edges), each) for me, each in enumerate(edges)]
        self._kept = set_body(self.exchange, kernels.__name__, kinds_of(threads[0]), [threads])

    def _arguments(self, me: int, size: int, edges: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Return the arguments of `afforest_kernels.run`, in order."""
        given = {
            "me": me,
            "size": size,
            "both": int(not self.layout.graph.directed),
            "lo": int(self.layout.points[self.borders.partitions.start + me]) if self.borders.partitions else 0,
            "dense_ids": np.empty(0, self.forest.dtype),
            "work": self.work[me],
        }
        given |= self._shared | edges
        return {name: given[name] for name in inspect.signature(kernels.run.py_func).parameters if name != "between"}

    def labels(self, point: int) -> NDArray[Any]:
        """Return the labels of a partition's places, as dense ids."""
        roots = self.forest[self.layout.points[point] : self.layout.points[point + 1]]
        return self.smallest[roots] if len(self.smallest) else roots


def link(layout: PartitionedGraph) -> Run:
    """Label every vertex with the smallest vertex of its component, in one launch."""
    graph, parts = layout.graph, layout.parts
    runtime.check_points(parts)
    own = _Linking(layout)
    try:
        own.prepare()
        runtime.finish()
        began = time.perf_counter()
        own.exchange.launch()
        labels, work = (
            runtime.new_store(graph.id_dtype, graph.n_vertices, of_graph=True),
            runtime.new_store(np.float64, 2 * parts),
        )
        with runtime.registered(own) as key:
            _finish(parts, labels=labels, work=work, vertices=layout.splits["vertices"], rows=layout.rows(2), key=key)
            edges, seconds = runtime.to_array(work).reshape(parts, 2).T
        elapsed = time.perf_counter() - began
        sent = own.exchange.sent()
    finally:
        own.exchange.close()
    statistics = [Iteration("link", graph.n_vertices, int(edges.sum()), seconds.copy())]
    return Run({"label": labels}, 1, True, elapsed, parts, statistics, sent=sent)


@runtime.task(outputs={"labels": "vertices", "work": "rows"}, scalars={"key": int})
def _finish(point: int, labels: NDArray[Any], work: NDArray[np.float64], key: int) -> None:
    own: _Linking = runtime.context(key)
    labels[:] = own.labels(point)
    work[:] = own.work[point - own.borders.partitions.start]
