# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search on several GPUs of this process, in one launch (`bfs_parts.cu`).

A launch before it, which is not timed, has Legion place every store, and keeps the addresses: the kernels of the search
write to each other's memory by them. Results are in the order of ids, each GPU's share in its memory.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.gpu import search_memory as memory
from lux.engine.gpu.call import kernel
from lux.engine.gpu.notes import iterations
from lux.engine.gpu.parts import LOST, Loads
from lux.engine.gpu.search_memory import MOST_GPUS, OWN_BYTES
from lux.engine.gpu.search_order import Sending, sending
from lux.engine.layout import Layout, cut, rectangles
from lux.errors import ConfigurationError, LuxError
from lux.runtime import GpuLauncher, GpuPlan, Store

if TYPE_CHECKING:
    from lux.engine.loop import Progress, Run
    from lux.graph import Graph

THREADS = 1024
NOTED = 1 << 14
"""Levels of which there are statistics, at most."""
NOTES = 8
"""Numbers of a row of statistics, and of the outcome."""
OUTCOME_BYTES = 64


def _array(name: str, length: int) -> list[str]:
    return [f"{name}_{k}" for k in range(length)]


MEMBERS = (
    "number", "part", "parts", "n_vertices", "n_edges", "source", "source_id", "limit", "noted", "own_ids",
    "first_id", "most", "letters_at", *_array("points", MOST_GPUS + 1), *_array("send_at", MOST_GPUS + 1),
    *_array("inbox_at", MOST_GPUS), "base", "own", "letters", "seen", "other", "rows", "deferred", "pieces", "found",
    "names", "inbox", "out_offsets", "out_neighbours", "in_offsets", "in_neighbours", "vertices", "sends", "slots",
    "distance", "parent", "outcome", "notes", *_array("peer", MOST_GPUS),
)  # fmt: skip
"""``Args`` of `bfs_parts_state.cuh`, in its order."""
AT = {name: k for k, name in enumerate(MEMBERS)}


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
        self.scratch = memory.scratch(graph.n_vertices, parts, most, most_edges, ordered=graph.order is not None)
        self._memory = runtime.new_store(np.uint8, parts * self.scratch.nbytes, touched=False)
        self._after = runtime.new_store(np.int64, parts, touched=False)
        self._stores: dict[str, Store] = {}
        self._splits: dict[str, str | None] = {}  # of stores that kernels read
        self._arguments: dict[str, str] = {}  # those that are addresses, and their stores
        self._before: dict[str, NDArray[np.int64]] = {}  # bytes by which these are moved back
        each = np.arange(parts + 1, dtype=np.int64)
        cuts = {"scratch_rows": cut(each * self.scratch.nbytes), "after_rows": cut(each)}
        for side in ("in", "out"):
            cuts |= self._take_edges(side)
        self._sending = self._take_order()
        ids = points if self._sending is None else self._sending.ids
        cuts["ids"] = cut(ids)
        if self._sending is not None:
            cuts["send_rows"] = cut(self._sending.send_points)
        else:
            self._before |= dict.fromkeys(("distance", "parent"), 4 * points[:-1])
        self._arguments |= {"distance": "distance", "parent": "parent", "base": "scratch"}
        self._rows = rectangles(cuts)
        self._kernel = kernel("bfs_parts.cu", "lux_bfs_parts", THREADS)
        self._words = self._numbers(ids, most)

    def _take_edges(self, side: str) -> dict[str, NDArray[np.int64]]:
        """Edges by destination (``in``) or by source; what each GPU sees of them."""
        graph, points = self.graph, self.points
        if side == "out" and not graph.directed:
            self._arguments |= {"out_offsets": "in_offsets", "out_neighbours": "in_neighbours"}
            self._before |= {"out_offsets": self._before["in_offsets"], "out_neighbours": self._before["in_neighbours"]}
            return {}
        if side == "in":
            offsets, neighbours = graph.offsets, graph.sources
        else:
            by_source = graph.layout(1).by_source(())
            offsets, neighbours = by_source.offsets, by_source.destinations
        at = np.asarray(runtime.to_array(offsets)[points])
        names = {f"{side}_offsets": offsets, f"{side}_neighbours": neighbours}
        self._stores |= names
        self._arguments |= {name: name for name in names}
        self._splits |= {f"{side}_offsets": f"{side}_offset_rows", f"{side}_neighbours": f"{side}_edge_rows"}
        self._before |= {f"{side}_offsets": 8 * points[:-1], f"{side}_neighbours": 4 * at[:-1]}
        return {f"{side}_offset_rows": cut(points, extra=1), f"{side}_edge_rows": cut(at)}

    def _take_order(self) -> Sending | None:
        """Lists by which results come into the order of ids; None where places are ids."""
        graph, order = self.graph, self.graph.order
        if order is None:
            return None
        by_source = graph.layout(1).by_source(()).offsets if graph.directed else graph.offsets
        offsets = [runtime.to_array(store) for store in (graph.offsets, by_source)]
        found = sending(runtime.to_array(order.places)[: graph.n_vertices], offsets[0], offsets[1], self.points)
        self._stores |= {"vertices": order.vertices, "sends": found.sends, "slots": found.slots}
        self._splits |= {"vertices": None, "sends": "send_rows", "slots": "ids"}
        self._arguments |= {name: name for name in ("vertices", "sends", "slots")}
        return found

    def _numbers(self, ids: NDArray[np.int64], most: int) -> NDArray[np.int64]:
        """The arguments that are numbers, and alike in all searches; shape (parts, members)."""
        graph, parts = self.graph, self.parts
        found = np.zeros((parts, len(MEMBERS)), np.int64)
        every: dict[str, Any] = {
            "part": np.arange(parts), "parts": parts, "n_vertices": graph.n_vertices, "n_edges": graph.n_edges,
            "noted": min(graph.n_vertices, NOTED), "own_ids": np.diff(ids), "first_id": ids[:-1], "most": most,
            "letters_at": self.scratch.at["letters"],
        }  # fmt: skip
        for name, value in every.items():
            found[:, AT[name]] = value
        tables = {"points": np.tile(self.points, (parts, 1))}
        if self._sending is not None:
            tables |= {"send_at": self._sending.send_at, "inbox_at": self._sending.inbox_at}
        for name, table in tables.items():
            found[:, AT[f"{name}_0"] : AT[f"{name}_0"] + table.shape[1]] = table
        return found

    def _launchers(self) -> tuple[GpuLauncher, GpuLauncher]:
        """The launch that places all stores, and the search."""
        outputs: dict[str, str | None] = {"distance": "ids", "parent": "ids", "scratch": "scratch_rows"}
        first = GpuLauncher("place_on_gpus", self._splits, outputs)
        return first, GpuLauncher("search_on_gpus", outputs={"after": "after_rows"})

    def _plans(
        self, kept: NDArray[np.int64], first: GpuLauncher, source: tuple[int, int], limit: int
    ) -> tuple[GpuPlan, GpuPlan]:
        """Those of both launches; ``source`` is a place and an id."""
        words, scratch = self._words, self.scratch
        words[:, AT["source"]], words[:, AT["source_id"]] = source
        words[:, AT["limit"]] = min(limit, 2**32 - 1)
        placing = GpuPlan(
            self._kernel,
            words,
            struct=True,
            kept=kept,
            keeps=True,
            scratch=first.arrays.index("scratch"),
            zeroed=scratch.zeroed,
            report_bytes=OUTCOME_BYTES,
            number=AT["number"],
        )
        names, none = list(self._arguments), np.zeros(self.parts, np.int64)
        in_scratch: list[Any] = [(AT[name], at) for name, at in scratch.at.items() if name != "found"]
        if "found" in scratch.at:
            in_scratch.append((AT["found"], scratch.at["found"] - 8 * self.points[:-1]))
        searching = GpuPlan(
            self._kernel,
            words,
            struct=True,
            stores=[(AT[name], ~first.arrays.index(store)) for name, store in self._arguments.items()],
            before=np.stack([self._before.get(name, none) for name in names], axis=1),
            kept=kept,
            peers=[(AT["peer_0"], names.index("base"))],
            scratch=~first.arrays.index("scratch"),
            in_scratch=[*in_scratch, (AT["inbox"], scratch.at["names"])],
            zeroed=OWN_BYTES,
            zeroed_always=OWN_BYTES,
            written=[(AT["outcome"], 0), (AT["notes"], OUTCOME_BYTES)],
            report_bytes=OUTCOME_BYTES + 8 * NOTES * int(words[0, AT["noted"]]),
            number=AT["number"],
        )
        return placing, searching

    def run(self, source: int, source_id: int, limit: int, progress: Progress | None) -> Run:
        """A search of at most ``limit`` levels from a place, with its dense id; its fields are as users see them."""
        from lux.engine.loop import Run

        graph, parts = self.graph, self.parts
        types = {"distance": np.dtype(np.int32), "parent": graph.signed_dtype}
        fields = {name: runtime.new_store(t, graph.n_vertices, touched=False) for name, t in types.items()}
        first, later = self._launchers()
        kept = np.zeros((parts, len(first.arrays)), np.int64)
        plans = self._plans(kept, first, (source, source_id), limit)
        keys = [runtime.share(plan) for plan in plans]
        for plan, key in zip(plans, keys, strict=True):
            plan.share(key)
        try:
            GpuLauncher("look")(parts, key=keys[1], number=runtime.LOOK)
            first(parts, **self._stores, **fields, scratch=self._memory, **self._rows, key=keys[0], number=0)
            runtime.finish()
            for plan, key in zip(plans, keys, strict=True):
                if not all(len(plan.report(key, part, OUTCOME_BYTES)) for part in range(parts)):
                    raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
            began = time.perf_counter()
            later(parts, after=self._after, after_rows=self._rows["after_rows"], key=keys[1], number=1)
            runtime.finish()
            seconds = time.perf_counter() - began
            outcome = self._outcome(plans[1], keys[1])
            levels = int(outcome[0, 1])
            found = min(levels, limit)
            notes = self._notes(plans[1], keys[1], min(found, int(self._words[0, AT["noted"]])))
        finally:
            runtime.finish()  # kernels use memory that Legion believes idle
            for plan, key in zip(plans, keys, strict=True):
                plan.forget(key)
                runtime.unshare(key)
        if progress is not None and found:
            progress(found)
        sent = int(outcome[:, 3].sum())
        statistics = iterations(notes, sent, lambda *_: ("", "chosen level by level"))
        exchanged = int(notes[:, :, 6].sum()) + sent
        loads = Loads(0, exchanged, 1e-9 * float(outcome[:, 5].max()), 1e-9 * float(outcome[:, 4].max()))
        return Run(fields, found, levels <= limit, seconds, parts, statistics, device="gpu", loads=loads)

    def _outcome(self, plan: GpuPlan, key: int) -> NDArray[np.int64]:
        """What each GPU says at the end; shape (parts, NOTES)."""
        found = np.stack([plan.report(key, part, OUTCOME_BYTES).view(np.int64) for part in range(self.parts)])
        if (found[:, 0] == LOST).any():
            raise LuxError("a GPU has waited in vain for the others: look at nvidia-smi for errors, or pass parts=1")
        return found

    def _notes(self, plan: GpuPlan, key: int, levels: int) -> NDArray[np.int64]:
        """Rows of statistics; shape (parts, levels, NOTES)."""
        size = OUTCOME_BYTES + 8 * NOTES * levels
        reports = [plan.report(key, part, size)[OUTCOME_BYTES:] for part in range(self.parts)]
        return np.stack(reports).view(np.int64).reshape(self.parts, levels, NOTES)


def on_parts(graph: Graph, parts: int) -> PartsSearch:
    """What searches a graph on so many GPUs, made once."""

    def make(layout: Layout) -> PartsSearch:
        return PartsSearch(layout.graph, layout.parts)

    return graph.layout(parts).keep("breadth-first search on GPUs", make)
