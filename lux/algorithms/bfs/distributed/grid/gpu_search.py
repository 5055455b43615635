# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A search by a grid of GPUs, in one launch (`grid.cu`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import legate_config
from lux import runtime, settings
from lux.algorithms.bfs.distributed.grid.gpu import CONTROL_BYTES, MOST_PROCESSORS, cache_name, describe
from lux.algorithms.bfs.distributed.grid.gpu_edges import GridEdges
from lux.algorithms.multi_gpu import id_order
from lux.algorithms.multi_gpu.arguments import Arguments, InputStores, common_members
from lux.algorithms.multi_gpu.launch import MultiGpuKernel
from lux.algorithms.multi_gpu.level_statistics import Levels, Why
from lux.codegen.cuda_struct import struct_text
from lux.engine.gpu.placement import allocation_ledger, device_selection
from lux.engine.run.statistics import GatherStatistics
from lux.graph.layout import PartitionedGraph
from lux.launch.call import kernel
from perfmodel import direction

if TYPE_CHECKING:
    from lux.engine.executor import Progress, Run
    from lux.graph.graph import Graph

THREADS = 1024
MEMBERS = {
    **common_members(MOST_PROCESSORS),
    **dict.fromkeys(("parts", "rows", "columns", "row", "column", "n_vertices", "n_edges", "directed"), "i64"),
    **dict.fromkeys(("block", "stride"), "i64"),  # vertices of a block, and local ids
    **dict.fromkeys(("n_own", "first"), "i64"),  # own vertices, and the place of the first
    "first_column": "i64",  # the place of the first local column
    **dict.fromkeys(("source_words", "row_words"), "i64"),  # of bitmaps of 64 bits in the edges' indices (hybrid)
    "control": "struct Control*",
    "visited": "u32*",  # bits of local rows that are visited,
    "sent": "u32*",  # that the owner knows of,
    **dict.fromkeys(("fresh", "lists"), "u32*"),  # and that are named in this level
    **dict.fromkeys(("front", "front_lists"), "u32*"),  # two copies of own vertices in the frontier
    "front_all": "u32*",  # the frontier of the grid column, where it has several rows
    "preds": "u32*",  # the place before each local row that was visited first from here
    "finders": "unsigned char*",  # the grid column of the processor that has an own vertex' parent
    "queue_at": "u64*",  # edges of the queue before each vertex
    "queue": "u32*",  # local columns
    "levels": "i32*",  # of own vertices
    "rotating": "u32*",  # two copies of bits of a block that have a parent (hybrid)
    "deferred": "u32*",  # rows put off (hybrid)
    "offsets": "const i64*",  # edges by local column
    "columns_of": "const u32*",
    "names": "const u32*",  # the place of each local column (hybrid)
    "degrees": "const u32*",  # of own vertices, by local id (hybrid)
    **dict.fromkeys(("by_source", "by_row"), "const i64*"),  # indices: bitmap-based CSR (hybrid)
    **dict.fromkeys(("source_edges", "row_edges"), "const u32*"),
    "arrivals": "u64*",  # of PeerBarrier
}
"""The kernel's arguments."""


class GridSearch:
    """A graph's edges on a grid of GPUs, and the stores that searches work in."""

    def __init__(self, graph: Graph, edges: GridEdges) -> None:
        self.edges = edges
        given = InputStores(
            dict(edges.stores), dict(edges.splits), dict(edges.cuts), addresses(edges), dict(edges.before)
        )
        struct, macros = struct_text(MEMBERS, "Members"), direction.macros(direction.BEAMER)
        function = kernel("grid.cu", "lux_grid", THREADS, struct, HYBRID=int(edges.hybrid), **macros)
        points, arguments, scratch = edges.grid.points, arguments_of(graph, edges), edges.scratch
        self._searches = MultiGpuKernel(
            graph, function, points, arguments, given, scratch, scratch.at, own=CONTROL_BYTES
        )

    def run(self, source: int, limit: int, progress: Progress | None, why: Why) -> Run:
        """Search from the place ``source``, at most ``limit`` levels."""
        found = self._searches.run(source=source, limit=limit)
        sent = int(found.outcome["parent_bytes"].sum())
        nbytes = int(found.notes[:, :, 6].sum()) + sent + int(found.outcome["id_bytes"].sum())
        loads = GatherStatistics.noted(found.outcome, nbytes, sent // 4)
        converged = int(found.outcome["left"][0]) == 0
        return found.as_run(found.levels, Levels(found.notes, sent, why), progress, converged=converged, loads=loads)


def arguments_of(graph: Graph, edges: GridEdges) -> Arguments:
    """Set the kernel's arguments that are numbers, and alike in all searches."""
    grid = edges.grid
    found = Arguments(grid.parts, MEMBERS)
    rows, columns = ([place(p) for p in range(grid.parts)] for place in (grid.row, grid.column))
    every: dict[str, Any] = {
        "parts": grid.parts, "rows": grid.rows, "columns": grid.columns, "block": grid.block,
        "stride": grid.stride, "n_vertices": graph.n_vertices, "n_edges": graph.n_edges, "row": rows, "column": columns,
        "directed": int(graph.directed), "n_own": np.diff(grid.points), "first": grid.points[:-1],
        "first_column": np.multiply(columns, grid.rows * grid.block), **edges.numbers,
    }  # fmt: skip
    found.set(**every)
    return found


def searching(graph: Graph, parts: int, strategy: str, distribute: Callable[[], GridEdges]) -> GridSearch | None:
    """Return a graph's search on GPUs, made once; None where a GPU has too many edges, and CPU cores may search.

    Raises
    ------
    MemoryNeededError
        A GPU has too many edges, and ``device="gpu"`` was asked for; or the host has no room for the stores.
    """

    def make(layout: PartitionedGraph) -> GridSearch | int:
        edges = distribute()
        if edges.nbytes > legate_config.settings().fbmem_bytes:
            return edges.nbytes
        runtime.check_memory(id_order.host_bytes(graph, parts), describe(strategy, parts))
        return GridSearch(layout.graph, edges)

    found = graph.layout(parts).cached_exclusive(cache_name(strategy), make)
    needed = found.edges.nbytes if isinstance(found, GridSearch) else found
    if settings.current().device == "gpu":
        allocation_ledger.check(graph, needed, describe(strategy, parts), parts, mine=[cache_name(strategy)])
    elif not allocation_ledger.fits(graph, needed, parts=parts, mine=[cache_name(strategy)]):
        device_selection.tell_cores(f"strategy={strategy!r}", device_selection.no_room(needed))
        return None
    return found if isinstance(found, GridSearch) else None


def addresses(edges: GridEdges) -> dict[str, str]:
    """Return the arguments that are addresses of stores, and the stores.

    Where processors number vertices as the graph does, levels are the distances; a processor that is alone in its grid
    row writes parents at once.
    """
    found = dict(edges.arguments)
    if "levels" not in edges.scratch.at:
        found["levels"] = "distance"
    if "preds" not in edges.scratch.at:
        found["preds"] = "parent"
    return found
