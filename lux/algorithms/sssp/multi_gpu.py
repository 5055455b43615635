# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths on several GPUs, in one launch (`sssp_multi_gpu.cu`)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.multi_gpu import choice
from lux.algorithms.multi_gpu.arguments import Arguments, InputStores, common_members
from lux.algorithms.multi_gpu.choice import MOST_GPUS
from lux.algorithms.multi_gpu.launch import MultiGpuKernel
from lux.algorithms.multi_gpu.level_statistics import Levels
from lux.algorithms.sssp import gpu
from lux.algorithms.sssp import multi_gpu_memory as memory
from lux.algorithms.sssp.threads import rows_of
from lux.algorithms.strategy import AUTO, Memory, select
from lux.codegen.cuda_functions import C_TYPES
from lux.codegen.cuda_struct import struct_text
from lux.engine.run.statistics import GatherStatistics
from lux.graph.core.partitions import cut
from lux.launch.call import kernel

if TYPE_CHECKING:
    from lux.algorithms.sssp.query import PathQuery
    from lux.engine.run.run import Progress, Run
    from lux.graph.graph import Graph
    from lux.runtime import Store


def members(weight: np.dtype[Any], distance: np.dtype[Any]) -> dict[str, str]:
    """Return the kernel's arguments.

    Vertices are places, counted over all GPUs; addresses of arrays that a GPU has for its own vertices alone are moved
    back, so that they count from place 0.

    Parameters
    ----------
    weight, distance : np.dtype
        The types of weights, and of distances while the kernel searches.
    """
    weights = f"const {C_TYPES[weight.name]}*"
    return {
        **common_members(MOST_GPUS),
        "distance": f"{C_TYPES[gpu.query_type(distance).name]}*",
        **dict.fromkeys(("parts", "n_linked", "budget", "pull_above", "push_below"), "i64"),
        **dict.fromkeys(("delta", "cutoff", "beyond"), "double"),
        "most": "i64",  # vertices that a GPU owns
        "messages_at": "i64",
        "points": f"i64[{MOST_GPUS + 1}]",  # the first vertex of each GPU
        "control": "struct PartControl*",
        "messages": "struct PeerInbox*",
        "bins": "u64*",  # edges by distance that wait on each GPU
        "state": "u64*",
        "known": f"{C_TYPES[distance.name]}*",  # distances of all vertices, while rounds pull
        **dict.fromkeys(("stamp", "small0", "small1", "pile0", "pile1", "hubs"), "u32*"),
        **dict.fromkeys(("large0", "large1"), "uint2*"),
        "outgoing": "u32*",  # vertices of each GPU whose distance this one has lowered
        "inbox_places": "u32*",  # what others have lowered; `inbox` has the states
        **dict.fromkeys(("out_offsets", "in_offsets"), "const i64*"),
        **dict.fromkeys(("out_neighbours", "in_neighbours"), "const u32*"),
        **dict.fromkeys(("out_weights", "in_weights", "least"), weights),
    }


class MultiGpu:
    """The search of one persistent kernel on each of several GPUs of this host, of one process or several."""

    name = "gpus"

    def refusal(self, query: PathQuery) -> str:
        """Refuse models, limits, negative weights, long distances, and the cases of `multi_gpu_memory.why_not`."""
        return memory.why_not(query)

    def memory(self, query: PathQuery) -> Memory:
        """Estimate each GPU's edges, answers, order and scratch memory; and the lists of the order on the host."""
        graph, count = query.graph, self._count(query)
        on_gpu = graph.layout(count).cached("bytes of paths on a GPU", lambda _: memory.memory_bytes(graph, count))
        return Memory(choice.host_bytes(graph, count, memory.NAME), on_gpu, count, (memory.NAME,))

    def prepare(self, query: PathQuery) -> None:
        """Group the edges by source, sort those for pulling by weight, and make the stores that searches work in."""
        on_parts(query.graph, self._count(query))

    def run(self, query: PathQuery, progress: Progress | None) -> Run:
        """Search in one launch, unless distances are too long; distances and parents are as users see them."""
        found = on_parts(query.graph, self._count(query)).run(query, progress)
        if found is not None:
            return found
        from lux.algorithms.sssp.strategies import STRATEGIES

        return select(STRATEGIES, replace(query, strategy=AUTO)).run(query, progress)

    @staticmethod
    def _count(query: PathQuery) -> int:
        return choice.gpus_of(query.graph, query.parts, named=query.named)


class PartsSearch:
    """A graph's edges and weights on several GPUs, and the stores that searches work in."""

    def __init__(self, graph: Graph, parts: int) -> None:
        self.graph, rows = graph, rows_of(graph)
        points = self._points = graph.layout(parts).points
        self._pulls = "least" in rows
        at = {"out": memory.out_edges_at(graph, points), "in": graph.offsets_at(points)}
        most, most_edges = int(np.diff(points).max()), max(int(np.diff(ends).max()) for ends in at.values())
        scratch = memory.scratch(graph, parts, most, most_edges)
        self._kind, weight = gpu.distance_type(graph), graph.property_types["weight"]
        written = gpu.query_type(self._kind)
        described = members(weight, self._kind)
        arguments, given = Arguments(parts, described), InputStores()
        self._schedule = gpu.bucket_schedule(graph, pulls=self._pulls)
        every: dict[str, Any] = {
            "parts": parts, "n_linked": gpu.linked(graph), "most": most, "messages_at": scratch.at["messages"],
            "points": np.tile(points, (parts, 1)), **self._schedule._asdict(),
        }  # fmt: skip
        del every["width"]
        arguments.set(**every)
        given.cuts["offset_rows"] = cut(points, extra=1)
        self._give_edges(
            "out", at["out"], [rows[name] for name in ("out_offsets", "destinations", "out_weights")], given
        )
        if self._pulls:
            self._give_edges("in", at["in"], [rows[name] for name in ("in_offsets", "sources", "in_weights")], given)
            given.cuts["vertex_rows"] = cut(points)
            given.add("least", rows["least"], "vertex_rows", weight.itemsize * points[:-1])
        if graph.order is None:
            given.before |= {"distance": written.itemsize * points[:-1], "parent": 4 * points[:-1]}
        in_scratch: dict[str, int | NDArray[np.int64]] = dict(scratch.at)
        function = kernel(
            "sssp_multi_gpu.cu", "lux_sssp_parts", gpu.THREADS, struct_text(described, "Members"),
            **gpu.macros(weight, self._kind, written),
        )  # fmt: skip
        self._searches = MultiGpuKernel(
            graph,
            function,
            points,
            arguments,
            given,
            scratch,
            in_scratch,
            own=gpu.CONTROL_BYTES,
            results={"distance": written, "parent": graph.signed_dtype},
        )

    def _give_edges(self, side: str, at: NDArray[np.int64], stores: list[Store], given: InputStores) -> None:
        """Add edges by source (``out``) or by destination (``in``), of which each GPU's first one is ``at``."""
        offsets, *of_edges = (f"{side}_{name}" for name in ("offsets", "neighbours", "weights"))
        if side == "in" and not self.graph.directed:
            given.arguments[offsets], given.before[offsets] = "out_offsets", given.before["out_offsets"]
        else:
            given.add(offsets, stores[0], "offset_rows", 8 * self._points[:-1])
        cuts = f"{side}_edge_rows" if self.graph.directed else "edge_rows"
        given.cuts[cuts] = cut(at)
        for name, store in zip(of_edges, stores[1:], strict=True):
            assert store.dtype is not None
            given.add(name, store, cuts, store.dtype.itemsize * at[:-1])

    def run(self, query: PathQuery, progress: Progress | None) -> Run | None:
        """Search from the query's source; None if some distances are too long for 32 bits."""
        wanted = self._schedule.width if query.delta is None else query.delta
        delta, (cutoff, sure) = gpu.bucket_width(self._kind, wanted), gpu.reach(self.graph, self._kind, query.cutoff)
        found = self._searches.run(source=query.place, delta=float(delta), cutoff=float(cutoff), beyond=float(sure))
        if found.outcome["left"].any():
            gpu.found_long(self.graph)
            return None
        ordered = int(found.outcome["id_bytes"].sum())
        why = gpu.why("pull", pulls=self._pulls)
        statistics = Levels(found.notes, ordered, lambda *_: ("", why))
        loads = GatherStatistics.noted(found.outcome, int(found.notes[:, :, 6].sum()) + ordered)
        return found.as_run(len(statistics), statistics, progress, converged=True, loads=loads)


def on_parts(graph: Graph, parts: int) -> PartsSearch:
    """Return the search of a graph on so many GPUs, made once."""
    return graph.layout(parts).cached_exclusive(memory.NAME, lambda _: PartsSearch(graph, parts))
