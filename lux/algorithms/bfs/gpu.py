# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search on one GPU that holds the whole graph, in one launch (`bfs.cu`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.strategy import Memory
from lux.engine.gpu.placement import device_selection
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import Table
from lux.kernels import frontier as fr
from lux.launch.call import NULL, STATISTICS, KernelCall, kernel
from lux.launch.memory import Scratch, bitmap_bytes
from perfmodel import direction

if TYPE_CHECKING:
    from lux.algorithms.bfs.query import BfsQuery
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph
    from lux.runtime import Store

THREADS = 1024
CONTROL_WORDS = 64
REPORTED = 32
"""Bytes of results at the beginning of ``Control`` in `levels_state.cuh`: levels, vertices, clocks, nanoseconds."""
LEVELS_NOTED = 1 << 14
"""Levels of which there are statistics, at most."""
PULL = 1
"""The code of pulling in `Direction` of `levels.cuh`; other codes push."""


class OneGpu:
    """The search of one persistent kernel on a GPU that holds the whole graph."""

    name = "gpu"

    def refusal(self, query: BfsQuery) -> str:
        """Refuse models, fixed parents and several partitions."""
        return query.takes_any_parent() or device_selection.why_not_one_gpu(query.graph, query.parts)

    def memory(self, query: BfsQuery) -> Memory:
        """Estimate the GPU's edges, answers, order and scratch memory."""
        return Memory(gpu=memory_bytes(query.graph))

    def prepare(self, query: BfsQuery) -> None:
        """Group the edges by source, and find the neighbours that are tested first."""
        first_neighbours(query.graph)

    def run(self, query: BfsQuery, progress: Progress | None) -> Run:
        """Search in one launch; the fields are in the order of dense ids, with -1 where no path leads."""
        return search(query.graph, query.graph.ids.dense(query.source), query.limit, progress)


def memory_bytes(graph: Graph) -> int:
    """Estimate the bytes on the GPU: edges, answers, the order, and scratch memory."""
    return device_selection.edges_bytes(graph, 0, both=True) + 20 * graph.n_vertices + _scratch(graph).nbytes


def edges_of(graph: Graph) -> dict[str, Store]:
    """Return the edges by source, and by destination where the graph has directions."""
    by_source = graph.layout(1).by_source(())
    stores = {"out_offsets": by_source.offsets, "out_neighbours": by_source.destinations}
    if graph.directed:
        stores |= {"in_offsets": graph.offsets, "in_neighbours": graph.sources}
    return stores


def arguments_of(graph: Graph) -> list[str | np.generic]:
    """List the names of the edges as kernels take them."""
    incoming = ("in_offsets", "in_neighbours") if graph.directed else ("out_offsets", "out_neighbours")
    return ["out_offsets", "out_neighbours", *incoming]


def first_neighbours(graph: Graph) -> Store:
    """Return the in-neighbour of each vertex that bottom-up levels test first; shape (n_vertices,), uint32."""
    return graph.layout(1).cached("first neighbours on a GPU", _find_first_neighbours)


def _find_first_neighbours(layout: PartitionedGraph) -> Store:
    graph = layout.graph
    first = runtime.new_store(np.uint32, graph.n_vertices, touched=False)
    counts = np.uint32(graph.n_vertices), np.uint32(max(graph.dealt_ranges, 1))
    arguments: list[str | np.generic] = [*arguments_of(graph)[2:], *counts, "first", "control"]
    function, scratch = kernel("first_neighbours.cu", "lux_first_neighbours", THREADS), Scratch({"control": 8}, {})
    KernelCall(function, arguments, edges_of(graph), {"first": first}, scratch, 0, 0, lambda *_: None).run(
        "find_first_neighbours"
    )
    return first


def scratch_parts(graph: Graph) -> dict[str, int]:
    """Return the parts of ``Scratch`` in `levels.cuh`."""
    n, m = graph.n_vertices, graph.n_edges
    parts = {"scratch": 8 * (m // 256 + 1), "bitmap_0": bitmap_bytes(n), "bitmap_1": bitmap_bytes(n), "rows": 4 * n}
    return parts | {"deferred": 4 * (m // 4096 + 1)}


def _scratch(graph: Graph) -> Scratch:
    found = {} if graph.order is None else {"found": 8 * graph.n_vertices}
    return Scratch({"control": 8 * CONTROL_WORDS}, scratch_parts(graph) | found)


def search(graph: Graph, source: int, limit: int, progress: Progress | None) -> Run:
    """Search from the dense id ``source``, at most ``limit`` levels."""
    ids, n = graph.signed_dtype, graph.n_vertices
    levels = min(n, LEVELS_NOTED)
    inputs = edges_of(graph) | {"first_neighbours": first_neighbours(graph)}
    ordered = graph.order is not None
    if graph.order is not None:
        inputs |= {"vertices": graph.order.vertices, "places": graph.order.places}
    fields = {name: runtime.new_store(t, n, touched=False) for name, t in (("distance", np.int32), ("parent", ids))}
    arguments: list[str | np.generic] = [
        *arguments_of(graph),
        "first_neighbours",
        *(("vertices", "places") if ordered else (NULL, NULL)),
        np.uint32(n),
        np.int64(graph.n_edges),
        np.uint32(source),
        np.uint32(min(limit, 2**32 - 1)),
        *("distance", "parent", "found" if ordered else NULL, "control", "scratch", STATISTICS),
        np.uint32(levels),
    ]
    function = kernel("bfs.cu", "lux_bfs", THREADS, **direction.macros(direction.GPU_BFS))
    call = KernelCall(
        function, arguments, inputs, fields, _scratch(graph), REPORTED, 32 * levels, report_levels, written=_written
    )
    (found, rows), seconds = call.run("search_on_gpu")
    iterations = min(found, limit)
    if progress is not None and iterations:
        progress(iterations)
    statistics = Table(lambda: rows()[None, : iterations * fr.STATISTICS_COLUMNS], lambda *_: "chosen level by level")
    return Run(fields, iterations, found <= limit, seconds, 1, statistics, device="gpu", finished=True)


def _written(control: NDArray[np.uint8]) -> int:
    return 32 * int(control[:8].view(np.int64)[0])


def report_levels(
    control: NDArray[np.uint8], statistics: NDArray[np.uint8]
) -> tuple[int, Callable[[], NDArray[np.float64]]]:
    """Return the number of levels, and what computes the rows of statistics of the levels that were noted."""
    return int(control[:8].view(np.int64)[0]), functools.partial(_rows, control, statistics)


def _rows(control: NDArray[np.uint8], statistics: NDArray[np.uint8]) -> NDArray[np.float64]:
    levels, _visited, clocks, nanoseconds = control.view(np.int64)[: REPORTED // 8].tolist()
    noted = statistics.view(np.int64).reshape(-1, 4)[:levels]
    rows = np.empty(noted.shape, np.float64)
    rows[:, 0] = np.where(noted[:, 0] == PULL, fr.PULL, fr.PUSH)
    rows[:, 1:3] = noted[:, 1:3]
    # A row has the clocks from the kernel's start to the step out of its level; the time before the first step counts
    # for it. Clocks are fine, but each GPU has its own rate, which the coarse nanoseconds of all steps say.
    begins = noted[:, 3].copy()
    begins[:1] = 0
    ended = clocks if levels <= len(noted) else begins[-1]
    rows[:, 3] = np.diff(begins, append=ended) * (1e-9 * nanoseconds / max(clocks, 1))
    return rows.ravel()
