# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search on several GPUs of this process, in one launch (`bfs_parts.cu`).

A launch before the first search, which is not timed, has Legion place every store, and keeps the addresses of the
memory that kernels work in: they write to each other's by them. That memory is the graph's as long as it lives, so it
stays where it is. Results are in the order of ids, each GPU's share in its memory.
"""

from __future__ import annotations

import time
import weakref
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
    "first_id", "most", "letters_at", "letter", *_array("points", MOST_GPUS + 1), *_array("send_at", MOST_GPUS + 1),
    *_array("inbox_at", MOST_GPUS), "base", "own", "letters", "seen", "other", "rows", "deferred", "pieces", "found",
    "names", "inbox", "out_offsets", "out_neighbours", "in_offsets", "in_neighbours", "vertices", "sends", "slots",
    "distance", "parent", "outcome", "notes", *_array("peer", MOST_GPUS),
)  # fmt: skip
"""``Args`` of `bfs_parts_state.cuh`, in its order."""
AT = {name: k for k, name in enumerate(MEMBERS)}


class _Placed:
    """The plan of searches, and what the next one needs to know of the one before.

    Attributes
    ----------
    key : int
        Of `lux.runtime.share`.
    letter : int
        The number of the latest letters that GPUs have exchanged (``letters.cuh``).
    """

    def __init__(self, plan: GpuPlan) -> None:
        self.plan, self.letter = plan, 0
        self.key = runtime.share(plan)
        plan.share(self.key)
        self.forget = weakref.finalize(self, _forget, plan, self.key)
        self.forget.atexit = False


def _forget(plan: GpuPlan, key: int) -> None:
    plan.forget(key)
    runtime.unshare(key)


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
        self._placed: _Placed | None = None
        self._stores: dict[str, Store] = {}
        self._splits: dict[str, str | None] = {}  # of stores that kernels read
        self._arguments: dict[str, str] = {}  # those that are addresses, and their stores
        self._before: dict[str, NDArray[np.int64]] = {}  # bytes by which these are moved back
        cuts = {"scratch_rows": cut(np.arange(parts + 1, dtype=np.int64) * self.scratch.nbytes)}
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

    def _place(self) -> _Placed:
        """Have Legion place all stores, and GPUs be ready for searches."""
        first = GpuLauncher("place_on_gpus", self._splits, {"scratch": "scratch_rows"})
        kept = np.zeros((self.parts, len(first.arrays)), np.int64)
        placing = GpuPlan(
            self._kernel,
            self._words,
            struct=True,
            kept=kept,
            keeps=True,
            scratch=first.arrays.index("scratch"),
            zeroed=self.scratch.zeroed,
            report_bytes=OUTCOME_BYTES,
            number=AT["number"],
        )
        found = _Placed(self._plan(first, kept))
        key = runtime.share(placing)
        placing.share(key)
        try:
            GpuLauncher("look")(self.parts, key=found.key, number=runtime.LOOK)
            first(self.parts, **self._stores, scratch=self._memory, **self._rows, key=key, number=0)
            runtime.finish()
            for plan, which in ((placing, key), (found.plan, found.key)):
                if not all(len(plan.report(which, part, OUTCOME_BYTES)) for part in range(self.parts)):
                    raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        except BaseException:
            runtime.finish()
            found.forget()
            raise
        finally:
            placing.forget(key)
            runtime.unshare(key)
        return found

    def _launcher(self) -> GpuLauncher:
        return GpuLauncher("search_on_gpus", self._splits, {"distance": "ids", "parent": "ids"})

    def _plan(self, first: GpuLauncher, kept: NDArray[np.int64]) -> GpuPlan:
        """That of searches; ``kept`` are the addresses of the launch that placed all stores."""
        scratch, arrays, memory_at = self.scratch, self._launcher().arrays, ~first.arrays.index("scratch")
        names, none = list(self._arguments), np.zeros(self.parts, np.int64)
        stores = [memory_at if store == "scratch" else arrays.index(store) for store in self._arguments.values()]
        in_scratch: list[Any] = [(AT[name], at) for name, at in scratch.at.items() if name != "found"]
        if "found" in scratch.at:
            in_scratch.append((AT["found"], scratch.at["found"] - 8 * self.points[:-1]))
        return GpuPlan(
            self._kernel,
            self._words,
            struct=True,
            stores=[(AT[name], store) for name, store in zip(names, stores, strict=True)],
            before=np.stack([self._before.get(name, none) for name in names], axis=1),
            kept=kept,
            peers=[(AT["peer_0"], names.index("base"))],
            scratch=memory_at,
            in_scratch=[*in_scratch, (AT["inbox"], scratch.at["names"])],
            zeroed=OWN_BYTES,
            zeroed_always=OWN_BYTES,
            written=[(AT["outcome"], 0), (AT["notes"], OUTCOME_BYTES)],
            report_bytes=OUTCOME_BYTES + 8 * NOTES * int(self._words[0, AT["noted"]]),
            number=AT["number"],
        )

    def forget(self) -> None:
        """Place all stores anew before the next search; none is under way."""
        if self._placed is not None:
            self._placed.forget()
            self._placed = None

    def run(self, source: int, source_id: int, limit: int, progress: Progress | None) -> Run:
        """A search of at most ``limit`` levels from a place, with its dense id; its fields are as users see them."""
        from lux.engine.loop import Run

        graph, parts = self.graph, self.parts
        types = {"distance": np.dtype(np.int32), "parent": graph.signed_dtype}
        fields = {name: runtime.new_store(t, graph.n_vertices, touched=False) for name, t in types.items()}
        placed = self._placed = self._placed or self._place()
        plan, key = placed.plan, placed.key
        given = {"source": source, "source_id": source_id, "limit": min(limit, 2**32 - 1), "letter": placed.letter}
        for name, value in given.items():
            plan.change([AT[name]], value)
        runtime.finish()
        done = False
        try:
            began = time.perf_counter()
            self._launcher()(parts, **self._stores, **fields, **self._rows, key=key, number=1)
            runtime.finish()
            seconds = time.perf_counter() - began
            outcome = self._outcome(plan, key)
            placed.letter = int(outcome[0, 2])
            levels = int(outcome[0, 1])
            found = min(levels, limit)
            notes = self._notes(plan, key, min(found, int(self._words[0, AT["noted"]])))
            done = True
        finally:
            if not done:
                runtime.finish()  # kernels use memory that Legion believes idle
                self.forget()
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
