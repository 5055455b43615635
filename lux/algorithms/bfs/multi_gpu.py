# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search on several GPUs of this host, in one launch (`bfs_multi_gpu.cu`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.bfs import multi_gpu_memory as memory
from lux.algorithms.bfs.multi_gpu_memory import CONTROL_BYTES
from lux.algorithms.multi_gpu import choice
from lux.algorithms.multi_gpu.arguments import Arguments, InputStores, common_members
from lux.algorithms.multi_gpu.choice import MOST_GPUS
from lux.algorithms.multi_gpu.launch import MultiGpuKernel
from lux.algorithms.multi_gpu.level_statistics import Levels
from lux.algorithms.strategy import Memory
from lux.codegen.cuda_struct import struct_text
from lux.engine.run.statistics import GatherStatistics
from lux.graph.core.lookup import values_at
from lux.graph.core.partitions import cut
from lux.graph.layout import PartitionedGraph
from lux.launch.call import kernel
from perfmodel import direction

if TYPE_CHECKING:
    from lux.algorithms.bfs.query import BfsQuery
    from lux.engine.executor import Progress, Run
    from lux.graph.graph import Graph

THREADS = 1024
MEMBERS = {
    **common_members(MOST_GPUS),
    **dict.fromkeys(("parts", "n_vertices", "n_edges"), "i64"),
    "most": "i64",  # vertices that a GPU owns
    "messages_at": "i64",
    "ranges": "i64",  # to which the order by degree has dealt vertices out
    "points": f"i64[{MOST_GPUS + 1}]",  # the first vertex of each GPU; multiples of 32, but for ends
    "control": "struct SearchControl*",
    "messages": "struct PeerInbox*",
    **dict.fromkeys(("seen", "other"), "u32*"),  # bits of all vertices
    **dict.fromkeys(("rows", "deferred", "first_neighbours"), "u32*"),
    "pieces": "u64*",
    "names": "u64*",  # vertices that other GPUs name: parent << 32 | vertex; the same memory as `inbox`
    **dict.fromkeys(("out_offsets", "in_offsets"), "const i64*"),
    **dict.fromkeys(("out_neighbours", "in_neighbours"), "const u32*"),
}
"""The kernel's arguments. Vertices are places, counted over all GPUs; addresses of arrays that a GPU has for its own
vertices alone are moved back, so that they count from place 0."""


class MultiGpu:
    """The search of one persistent kernel on each of several GPUs of this host, of one process or several."""

    name = "gpus"

    def refusal(self, query: BfsQuery) -> str:
        """Refuse models, fixed parents, and the cases of `multi_gpu_memory.why_not_several`."""
        return query.takes_any_parent() or memory.why_not_several(query.graph, query.parts, named=query.named)

    def memory(self, query: BfsQuery) -> Memory:
        """Estimate each GPU's edges, answers, order and scratch memory; and the lists of the order on the host."""
        graph, count = query.graph, self._count(query)
        on_gpu = graph.layout(count).cached("bytes of a search on a GPU", lambda _: memory.memory_bytes(graph, count))
        return Memory(choice.host_bytes(graph, count, memory.NAME), on_gpu, count, (memory.NAME,))

    def prepare(self, query: BfsQuery) -> None:
        """Cut the edges and make the stores that searches work in."""
        on_parts(query.graph, self._count(query))

    def run(self, query: BfsQuery, progress: Progress | None) -> Run:
        """Search in one launch; the fields are in the order of dense ids, with -1 where no path leads."""
        return on_parts(query.graph, self._count(query)).run(query.place, query.limit, progress)

    @staticmethod
    def _count(query: BfsQuery) -> int:
        return choice.gpus_of(query.graph, query.parts, named=query.named)


class PartsSearch:
    """A graph's edges on several GPUs, and the stores that searches work in.

    Attributes
    ----------
    points : np.ndarray of shape (parts + 1,), int64
        Split points of vertices.
    """

    def __init__(self, graph: Graph, parts: int) -> None:
        self.graph, self.parts = graph, parts
        points = self.points = memory.points_of(graph, parts)
        most, most_edges = memory.largest(graph, points)
        scratch = memory.scratch(graph, parts, most, most_edges)
        arguments, given = Arguments(parts, MEMBERS), InputStores()
        every: dict[str, Any] = {
            "parts": parts, "n_vertices": graph.n_vertices, "n_edges": graph.n_edges, "most": most,
            "messages_at": scratch.at["messages"], "points": np.tile(points, (parts, 1)),
            "ranges": max(graph.dealt_ranges, 1),
        }  # fmt: skip
        arguments.set(**every)
        for side in ("in", "out"):
            self._give_edges(side, given)
        in_scratch: dict[str, int | NDArray[np.int64]] = dict(scratch.at)
        in_scratch["inbox"] = scratch.at["names"]
        in_scratch["first_neighbours"] = scratch.at["first_neighbours"] - 4 * points[:-1]
        if "by_place" in scratch.at:
            in_scratch["by_place"] = scratch.at["by_place"] - 8 * points[:-1]
        else:
            given.before |= dict.fromkeys(("distance", "parent"), 4 * points[:-1])
        struct, macros = struct_text(MEMBERS, "Members"), direction.macros(direction.GPU_BFS)
        function = kernel("bfs_multi_gpu.cu", "lux_bfs_parts", THREADS, struct, **macros)
        self._searches = MultiGpuKernel(
            graph, function, points, arguments, given, scratch, in_scratch, own=CONTROL_BYTES
        )

    def _give_edges(self, side: str, given: InputStores) -> None:
        """Add edges by destination (``in``) or by source, with each GPU's part of them."""
        graph, points = self.graph, self.points
        names = [f"{side}_offsets", f"{side}_neighbours"]
        if side == "out" and not graph.directed:
            for name in names:
                same = name.replace("out", "in")
                given.arguments[name], given.before[name] = same, given.before[same]
            return
        if side == "in":
            offsets, neighbours, at = graph.offsets, graph.sources, graph.offsets_at(points)
        else:
            by_source = graph.layout(1).by_source(())
            offsets, neighbours = by_source.offsets, by_source.destinations
            at = values_at(offsets, graph.n_vertices + 1, points)
        given.cuts |= {f"{side}_offset_rows": cut(points, extra=1), f"{side}_edge_rows": cut(at)}
        given.add(names[0], offsets, f"{side}_offset_rows", 8 * points[:-1])
        given.add(names[1], neighbours, f"{side}_edge_rows", 4 * at[:-1])

    def run(self, source: int, limit: int, progress: Progress | None) -> Run:
        """Search from the place ``source``, at most ``limit`` levels."""
        found = self._searches.run(source=source, limit=min(limit, 2**32 - 1))
        done = min(found.levels, limit)
        notes, sent = found.notes[:, :done], int(found.outcome["id_bytes"].sum())
        statistics = Levels(notes, sent, lambda *_: ("", "chosen level by level"))
        loads = GatherStatistics.noted(found.outcome, int(notes[:, :, 6].sum()) + sent)
        return found.as_run(done, statistics, progress, converged=found.levels <= limit, loads=loads)


def on_parts(graph: Graph, parts: int) -> PartsSearch:
    """Return the search of a graph on so many GPUs, made once."""

    def make(layout: PartitionedGraph) -> PartsSearch:
        return PartsSearch(layout.graph, layout.parts)

    return graph.layout(parts).cached_exclusive(memory.NAME, make)
