# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Afforest on partitions: components by sampling and linking, which beats label propagation on any graph.

Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via subgraph sampling"
(Afforest), IPDPS 2018. Where one task holds the whole graph, its threads share a forest
(`lux.algorithms.components.threads`). Of several partitions each links its own edges in a forest over all vertices, and
one task joins the forests. With both directions of every edge stored, two edges of each vertex are linked first; then
only vertices outside the largest component so far look at the rest of their edges.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.components.refusals import has_iterations
from lux.algorithms.strategy import Memory, Query, needs_gpu, needs_program
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.runtime import Launcher

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.graph.layout import PartitionedGraph

SAMPLED_EDGES = 2
SMALL_FORESTS = 1 << 20
"""Entries of forests that are few, whatever the number of edges."""


class AfforestPartitions:
    """Afforest with a forest for each partition."""

    name = "partitions"

    def refusal(self, query: Query) -> str:
        """Say why the program is needed, or is better as the forests take more memory than the edges."""
        if why := needs_program(query) or has_iterations(query) or needs_gpu(query):
            return why
        graph, parts = query.graph, query.graph.layout(query.parts).parts
        if not query.named and parts * graph.n_vertices > max(graph.n_edges, SMALL_FORESTS):
            return f"its {parts} forests of {graph.n_vertices:,} vertices need more memory than the edges"
        return ""

    def memory(self, query: Query) -> Memory:
        """Count a forest for each partition, and the labels."""
        graph = query.graph
        return Memory(host=graph.id_dtype.itemsize * graph.n_vertices * (graph.layout(query.parts).parts + 1))

    def prepare(self, query: Query) -> None:
        """Partition the graph."""
        query.graph.layout(query.parts).splits  # noqa: B018  # made on first use

    def run(self, query: Query, progress: Progress | None) -> Run:
        """Link the edges of each partition in its forest, and join the forests."""
        return link(query.graph.layout(query.parts), progress)


def link(layout: PartitionedGraph, progress: Progress | None) -> Run:
    """Label every vertex with the smallest vertex of its component; the field ``label`` is in the order of ids."""
    graph, parts = layout.graph, layout.parts
    n = graph.n_vertices
    runtime.check_points(parts)
    forests = runtime.new_store(graph.id_dtype, parts * n, of_graph=True)
    labels = runtime.new_store(graph.id_dtype, n, of_graph=True)
    work = runtime.new_store(np.float64, 2 * parts)
    fixed = {
        "in_offsets": graph.offsets,
        "sources": graph.sources,
        "forest": forests,
        "work": work,
        "offsets": layout.splits["offsets"],
        "edges": layout.splits["edges"],
        "forest_rows": layout.rows(n),
        "work_rows": layout.rows(2),
    }
    runtime.finish()
    with runtime.registered(layout.points.tolist()) as key:
        began = time.perf_counter()
        statistics = []
        for later in (False, True) if not graph.directed else (False,):
            arguments = fixed | ({"labels": labels} if later else {})
            _link_launcher(later, graph.directed)(parts, **arguments, key=key)
            _merge_launcher()(1, forests=forests, labels=labels)
            rows = runtime.to_array(work).reshape(parts, 2)
            statistics.append(Iteration("link", n, int(rows[:, 0].sum()), rows[:, 1].copy()))
            if progress is not None:
                progress(len(statistics))
        if graph.order is not None:
            places, labels = labels, runtime.new_store(graph.id_dtype, n, of_graph=True)
            _name_launcher()(1, by_place=places, vertices=graph.order.vertices, labels=labels)
        runtime.finish()
        seconds = time.perf_counter() - began
    return Run({"label": labels}, len(statistics), True, seconds, parts, statistics, finished=True)


@functools.cache
def _link_launcher(later: bool, directed: bool) -> Launcher:
    from lux.algorithms.components import afforest_kernels

    def first_edges(
        point: int,
        in_offsets: NDArray[np.int64],
        sources: Any,
        forest: NDArray[Any],
        work: NDArray[np.float64],
        key: int,
    ) -> None:
        began = time.perf_counter()
        count = len(sources) if directed else SAMPLED_EDGES
        afforest_kernels.link_edges(forest, runtime.context(key)[point], in_offsets, sources, count)
        work[:] = min(len(sources), count * (len(in_offsets) - 1)), time.perf_counter() - began

    def other_edges(
        point: int,
        in_offsets: NDArray[np.int64],
        sources: Any,
        labels: NDArray[Any],
        forest: NDArray[Any],
        work: NDArray[np.float64],
        key: int,
    ) -> None:
        began = time.perf_counter()
        seen = afforest_kernels.link_others(
            forest, labels, runtime.context(key)[point], in_offsets, sources, SAMPLED_EDGES
        )
        work[:] = seen, time.perf_counter() - began

    inputs: dict[str, str | None] = {"in_offsets": "offsets", "sources": "edges"}
    return Launcher(
        other_edges if later else first_edges,
        inputs=inputs | ({"labels": None} if later else {}),
        outputs={"forest": "forest_rows", "work": "work_rows"},
        scalars={"key": int},
    )


@functools.cache
def _merge_launcher() -> Launcher:
    from lux.algorithms.components import afforest_kernels

    def merge(_point: int, forests: NDArray[Any], labels: NDArray[Any]) -> None:
        afforest_kernels.merge(forests, labels)

    return Launcher(merge, inputs={"forests": None}, outputs={"labels": None})


@functools.cache
def _name_launcher() -> Launcher:
    from lux.algorithms.components import afforest_kernels

    def name_components(_point: int, by_place: NDArray[Any], vertices: NDArray[Any], labels: NDArray[Any]) -> None:
        afforest_kernels.name_components(by_place, vertices, labels)

    return Launcher(name_components, inputs={"by_place": None, "vertices": None}, outputs={"labels": None})
