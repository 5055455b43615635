# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A search by a grid of GPUs, in one launch (`grid.cu`).

A launch before it, which is not timed, has Legion place every store, and keeps the addresses: the kernels of the search
read each other's memory by them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux import runtime, settings
from lux.bfs_engines.gpu_grid import CONTROL_BYTES, MOST_PROCESSORS
from lux.bfs_engines.gpu_grid_edges import GridEdges
from lux.engine.gpu.call import kernel
from lux.engine.gpu.notes import Why, iterations
from lux.engine.gpu.part_launches import WORDS_APART
from lux.engine.gpu.parts import LOST, Loads
from lux.engine.layout import Layout, cut, rectangles
from lux.errors import ConfigurationError, LuxError
from lux.runtime import GpuLauncher, GpuPlan, Kernel, Store

if TYPE_CHECKING:
    from lux.engine.loop import Progress, Run
    from lux.graph import Graph

THREADS = 1024
NOTED = 1 << 14
"""Levels of which there are statistics, at most."""
NUMBERS = (
    "number", "part", "parts", "rows", "columns", "row", "column", "block", "stride", "n_own", "first", "first_column",
    "n_vertices", "n_edges", "source", "limit", "noted", "directed", "source_words", "row_words",
)  # fmt: skip
POINTERS = (
    "base", "control", "visited", "sent", "fresh", "lists", "front", "front_lists", "front_all", "preds", "finders",
    "queue_at", "queue", "levels", "rotating", "deferred", "distance", "parent", "offsets", "columns_of", "names",
    "degrees", "by_source", "source_edges", "by_row", "row_edges", "met", "outcome", "notes",
)  # fmt: skip
MEMBERS = (*NUMBERS, *POINTERS, *(f"peer_{k}" for k in range(MOST_PROCESSORS)))
"""``Args`` of `grid_state.cuh`, in its order."""
OUTCOME_BYTES = 64
NOTES = 8
"""Numbers of a row of statistics, and of the outcome."""


class GridSearch:
    """A graph's edges on a grid of GPUs, and the stores that searches work in."""

    def __init__(self, graph: Graph, edges: GridEdges) -> None:
        self.graph, self.edges, self.grid = graph, edges, edges.grid
        parts = self.grid.parts
        self._memory = runtime.new_store(np.uint8, parts * edges.scratch.nbytes, touched=False)
        self._met = _shared_words(WORDS_APART * parts)
        self._begun = _shared_words(parts)
        each = np.arange(parts + 1, dtype=np.int64)
        cuts = {
            "blocks": cut(self.grid.points),
            "scratch_rows": cut(each * edges.scratch.nbytes),
            "begun_rows": cut(each),
        }
        self._rows = rectangles(cuts)
        self._kernel = kernel("grid.cu", "lux_grid", THREADS, HYBRID=int(edges.hybrid))

    def run(self, source: int, limit: int, progress: Progress | None, why: Why) -> Run:
        """A search from the place ``source``, of at most ``limit`` levels."""
        from lux.engine.loop import Run

        edges, parts, n = self.edges, self.grid.parts, self.graph.n_vertices
        fields = {
            "distance": runtime.new_store(np.int32, n, touched=False),
            "parent": runtime.new_store(np.uint32, n, touched=False),
        }
        first, later = self._launchers()
        kept = np.zeros((parts, len(first.arrays)), np.int64)
        code = self._kernel
        noted = min(n, NOTED)
        plans = [self._first_plan(code, first, kept), self._plan(code, first, kept, source, limit, noted)]
        keys = [runtime.share(plan) for plan in plans]
        for plan, key in zip(plans, keys, strict=True):
            plan.share(key)
        try:
            GpuLauncher("look")(parts, key=keys[1], number=runtime.LOOK)
            given = edges.stores | fields | self._rows
            met = {"met": self._met, "begun": self._begun}
            first(parts, **given, **met, scratch=self._memory, key=keys[0], number=0)
            runtime.finish()
            for plan, key in zip(plans, keys, strict=True):
                if not all(len(plan.report(key, part, OUTCOME_BYTES)) for part in range(parts)):
                    raise ConfigurationError("Legate has grouped processors on GPUs: start it with --min-gpu-chunk 1")
            began = time.perf_counter()
            later(parts, begun=self._begun, key=keys[1], number=1)
            runtime.finish()
            seconds = time.perf_counter() - began
            outcome = self._outcome(plans[1], keys[1])
            levels = int(outcome[0, 1])
            notes = self._notes(plans[1], keys[1], min(levels, noted))
        finally:
            runtime.finish()  # kernels use memory that Legion believes idle
            for plan, key in zip(plans, keys, strict=True):
                plan.forget(key)
                runtime.unshare(key)
        if progress is not None and levels:
            progress(levels)
        sent = int(outcome[:, 3].sum())
        statistics = iterations(notes, sent, why)
        loads = Loads(
            sent // 4,
            int(notes[:, :, 6].sum()) + sent,
            1e-9 * float(outcome[:, 5].max()),
            1e-9 * float(outcome[:, 4].max()),
        )
        done = int(outcome[0, 2]) == 0
        return Run(fields, levels, done, seconds, parts, statistics, device="gpu", loads=loads)

    def _launchers(self) -> tuple[GpuLauncher, GpuLauncher]:
        """The launch that places all stores, and the search, which is after all of its points."""
        alone = self.grid.parts == 1
        outputs = {"distance": "blocks", "parent": "blocks", "scratch": "scratch_rows", "begun": "begun_rows"}
        zero_copy = ("met", "begun")
        inputs = {**self.edges.splits, "met": None}
        first = GpuLauncher("place_on_grid", inputs, outputs, zero_copy=zero_copy, alone=alone)
        return first, GpuLauncher("search_on_grid", {"begun": None}, zero_copy=zero_copy, alone=alone)

    def words(self, source: int, limit: int, noted: int) -> NDArray[np.int64]:
        """The kernel's arguments that are numbers; shape (parts, members)."""
        grid, graph = self.grid, self.graph
        found = np.zeros((grid.parts, len(MEMBERS)), np.int64)
        same = {
            "parts": grid.parts, "rows": grid.rows, "columns": grid.columns, "block": grid.block,
            "stride": grid.stride, "n_vertices": graph.n_vertices, "n_edges": graph.n_edges, "source": source,
            "limit": limit, "noted": noted, "directed": int(graph.directed), **self.edges.numbers,
        }  # fmt: skip
        for part in range(grid.parts):
            first, end = grid.points[part : part + 2].tolist()
            column = grid.column(part)
            own = {"part": part, "row": grid.row(part), "column": column, "n_own": end - first, "first": first}
            own["first_column"] = column * grid.rows * grid.block
            for name, value in (same | own).items():
                found[part, MEMBERS.index(name)] = value
        return found

    def _first_plan(self, code: Kernel, first: GpuLauncher, kept: NDArray[np.int64]) -> GpuPlan:
        return GpuPlan(
            code,
            self.words(0, 0, 0),
            struct=True,
            stores=[(MEMBERS.index("met"), first.arrays.index("met"))],
            kept=kept,
            keeps=True,
            scratch=first.arrays.index("scratch"),
            zeroed=CONTROL_BYTES,
            report_bytes=OUTCOME_BYTES,
            number=MEMBERS.index("number"),
        )

    def _plan(
        self, code: Kernel, first: GpuLauncher, kept: NDArray[np.int64], source: int, limit: int, noted: int
    ) -> GpuPlan:
        edges = self.edges
        found = addresses(edges)
        at = MEMBERS.index
        before = np.zeros((self.grid.parts, len(found)), np.int64)
        for k, name in enumerate(found):
            before[:, k] = edges.before.get(name, 0)
        return GpuPlan(
            code,
            self.words(source, limit, noted),
            struct=True,
            stores=[(at(name), ~first.arrays.index(store)) for name, store in found.items()],
            before=before,
            kept=kept,
            peers=[(at("peer_0"), list(found).index("base"))],
            scratch=~first.arrays.index("scratch"),
            in_scratch=[(at(name), where) for name, where in edges.scratch.at.items()],
            zeroed=CONTROL_BYTES,
            zeroed_always=CONTROL_BYTES,
            written=[(at("outcome"), 0), (at("notes"), OUTCOME_BYTES)],
            report_bytes=OUTCOME_BYTES + 8 * NOTES * noted,
            number=at("number"),
        )

    def _outcome(self, plan: GpuPlan, key: int) -> NDArray[np.int64]:
        """What each processor says at the end; shape (parts, 8)."""
        reports = [plan.report(key, part, OUTCOME_BYTES).view(np.int64) for part in range(self.grid.parts)]
        found = np.stack(reports)
        if (found[:, 0] == LOST).any():
            raise LuxError("a GPU has waited in vain for the others: look at nvidia-smi for errors, or pass parts=1")
        return found

    def _notes(self, plan: GpuPlan, key: int, levels: int) -> NDArray[np.int64]:
        """Rows of statistics; shape (parts, levels, NOTES)."""
        size = OUTCOME_BYTES + 8 * NOTES * levels
        reports = [plan.report(key, part, size)[OUTCOME_BYTES:] for part in range(self.grid.parts)]
        return np.stack(reports).view(np.int64).reshape(self.grid.parts, levels, NOTES)


def searching(layout: Layout, engine: str, deal: Callable[[], GridEdges]) -> GridSearch | None:
    """What searches a graph on GPUs, made once; None where one has too many of the edges, and CPU cores may search.

    Raises
    ------
    MemoryNeededError
        One has too many, and ``device="gpu"`` was asked for.
    """

    def make(layout: Layout) -> GridSearch | int:
        edges = deal()
        fits = edges.nbytes <= legate_config.settings().fbmem_bytes
        return GridSearch(layout.graph, edges) if fits else edges.nbytes

    found = layout.keep(f"{engine} on GPUs", make)
    if isinstance(found, GridSearch):
        return found
    if settings.current().device == "gpu":
        runtime.check_gpu_memory(found, f"engine={engine!r} with {layout.parts} processors")
    return None


def addresses(edges: GridEdges) -> dict[str, str]:
    """Arguments that are addresses of stores, and the stores.

    Where processors number vertices as the graph does, levels are the distances; one that has nobody beside it in its
    grid row writes parents at once.
    """
    found = {**edges.arguments, "base": "scratch", "met": "met", "distance": "distance", "parent": "parent"}
    if "levels" not in edges.scratch.at:
        found["levels"] = "distance"
    if "preds" not in edges.scratch.at:
        found["preds"] = "parent"
    return found


def _shared_words(length: int) -> Store:
    """Words in zero-copy memory, once for all GPUs."""
    store = runtime.new_store(np.uint64, length, touched=False)
    GpuLauncher("touch", outputs={"x": None}, zero_copy=("x",))(1, x=store, key=0, number=0)
    return store
