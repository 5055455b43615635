# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Afforest on several GPUs, in one launch (`components_multi_gpu.cu`)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.components import gpu
from lux.algorithms.components.refusals import has_iterations
from lux.algorithms.multi_gpu import choice, id_order
from lux.algorithms.multi_gpu.arguments import Arguments, InputStores, common_members
from lux.algorithms.multi_gpu.choice import MESSAGE_BYTES, MOST_GPUS
from lux.algorithms.multi_gpu.launch import MultiGpuKernel
from lux.algorithms.strategy import Memory, Query, needs_program
from lux.codegen.cuda_struct import struct_text
from lux.engine.run.statistics import Iteration
from lux.graph.core.partitions import cut
from lux.launch.call import kernel
from lux.launch.memory import Scratch

if TYPE_CHECKING:
    from lux.engine.run.run import Progress, Run
    from lux.graph.graph import Graph

CONTROL_BYTES = 256
"""Room for ``PartControl`` of `components_multi_gpu.cu`."""
WORTH_SEVERAL = 1 << 29
"""Edges from which on ``auto`` takes all GPUs: below, one GPU that holds the graph needs no longer."""
NAME = "components on several GPUs"
"""Name under which a layout keeps the GPUs' stores."""
MEMBERS = {
    **common_members(MOST_GPUS),
    **dict.fromkeys(("parts", "n_vertices", "both"), "i64"),
    "most": "i64",  # vertices that a GPU owns
    "messages_at": "i64",
    "points": f"i64[{MOST_GPUS + 1}]",  # the first vertex of each GPU
    "control": "struct PartControl*",
    "messages": "struct PeerInbox*",
    **dict.fromkeys(("forest", "smallest", "roots", "rows"), "u32*"),
    "hooks": "u64*",  # roots of this GPU that others have hooked: root << 32 | the other; the memory of `inbox`
    "inbox": "u32*",  # labels that GPUs send in the end
    "label": "u32*",
    "offsets": "const i64*",
    "neighbours": "const u32*",
}
"""The kernel's arguments. Vertices are places, counted over all GPUs; addresses of arrays that a GPU has for its own
vertices alone are moved back, so that they count from place 0."""


class AfforestGpus:
    """Afforest by one persistent kernel on each of several GPUs of this host, of one process or several."""

    name = "gpus"

    def refusal(self, query: Query) -> str:
        """Say why several GPUs are not taken, or why the program is needed."""
        graph = query.graph
        if why := needs_program(query) or has_iterations(query):
            return why
        alone = functools.partial(gpu.memory_bytes, graph)
        why = choice.why_not_several(graph, query.parts, alone, WORTH_SEVERAL, named=query.named)
        return why or choice.why_no_lists(graph, query.parts, NAME, named=query.named)

    def memory(self, query: Query) -> Memory:
        """Estimate each GPU's edges, labels, order and scratch memory; and the lists of the order on the host."""
        graph, count = query.graph, self._count(query)
        on_gpu = graph.layout(count).cached("bytes of components on a GPU", lambda _: memory_bytes(graph, count))
        return Memory(choice.host_bytes(graph, count, NAME), on_gpu, count, (NAME,))

    def prepare(self, query: Query) -> None:
        """Cut the edges and make the stores that runs work in."""
        on_parts(query.graph, self._count(query))

    def run(self, query: Query, progress: Progress | None) -> Run:
        """Link all edges in one launch; the field ``label`` is in the order of ids."""
        return on_parts(query.graph, self._count(query)).run(progress)

    @staticmethod
    def _count(query: Query) -> int:
        return choice.gpus_of(query.graph, query.parts, named=query.named)


def _scratch(graph: Graph, parts: int, most: int, most_edges: int) -> Scratch:
    """Lay out the memory that each GPU's kernel works in; ``most`` and ``most_edges`` are those of a GPU, at most."""
    n = graph.n_vertices
    others = {"forest": 4 * n, "rows": 4 * (most_edges // 1024 + 2)}
    if graph.order is not None:
        others |= {"smallest": 4 * n, "roots": 4 * n}
    others["hooks"] = 8 * (parts - 1) * most  # labels come there, too
    return Scratch({"control": CONTROL_BYTES, "messages": MESSAGE_BYTES}, others)


def _largest(graph: Graph, points: NDArray[np.int64]) -> tuple[int, int]:
    """Count the vertices of a GPU, and its edges, at most."""
    return int(np.diff(points).max()), int(np.diff(graph.offsets_at(points)).max())


def memory_bytes(graph: Graph, parts: int) -> int:
    """Estimate the bytes on a GPU: edges, labels, the order, and scratch memory."""
    most, edges = _largest(graph, graph.layout(parts).points)
    labels = 4 * max(most, -(-graph.n_vertices // parts))
    lists = id_order.list_bytes(graph, parts, most)
    return 8 * (most + 1) + 4 * edges + labels + lists + _scratch(graph, parts, most, edges).nbytes


class PartsForest:
    """A graph's edges on several GPUs, and the stores that runs work in."""

    def __init__(self, graph: Graph, parts: int) -> None:
        self.graph, points = graph, graph.layout(parts).points
        most, most_edges = _largest(graph, points)
        at, scratch = graph.offsets_at(points), _scratch(graph, parts, most, most_edges)
        arguments, given = Arguments(parts, MEMBERS), InputStores()
        every: dict[str, Any] = {
            "parts": parts, "n_vertices": graph.n_vertices, "both": not graph.directed, "most": most,
            "messages_at": scratch.at["messages"], "points": np.tile(points, (parts, 1)),
        }  # fmt: skip
        arguments.set(**every)
        given.cuts |= {"offset_rows": cut(points, extra=1), "edge_rows": cut(at)}
        given.add("offsets", graph.offsets, "offset_rows", 8 * points[:-1])
        given.add("neighbours", graph.sources, "edge_rows", 4 * at[:-1])
        if graph.order is None:
            given.before["label"] = 4 * points[:-1]
        in_scratch: dict[str, int | NDArray[np.int64]] = {**scratch.at, "inbox": scratch.at["hooks"]}
        function = kernel(
            "components_multi_gpu.cu", "lux_components_parts", gpu.THREADS, struct_text(MEMBERS, "Members")
        )
        self._runs = MultiGpuKernel(
            graph, function, points, arguments, given, scratch, in_scratch, own=CONTROL_BYTES,
            results={"label": np.dtype(np.uint32)},
        )  # fmt: skip

    def run(self, progress: Progress | None) -> Run:
        """Label every vertex with the smallest vertex of its component."""
        found = self._runs.run()
        seen = int(found.outcome["left"].sum())
        why = f"{seen:,} rows outside the largest tree were read in full"
        seconds = 1e-9 * (found.outcome["working"] + found.outcome["exchanging"])
        statistics = [Iteration("link", self.graph.n_vertices, seen, seconds, why=why)]
        return found.as_run(1, statistics, progress, converged=True)


def on_parts(graph: Graph, parts: int) -> PartsForest:
    """Return what runs of a graph on so many GPUs need, made once."""
    return graph.layout(parts).cached_exclusive(NAME, lambda _: PartsForest(graph, parts))
