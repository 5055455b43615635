# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The engine ``degree-separated`` on GPUs of one process, each a processor (``separated.cu``).

A search is one launch: a persistent kernel on each GPU, which meet after every level's visits and then read one
another's memory. What the host does for a search, mapping its stores, is done before.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.bfs_engines import gpu_separated_memory as memory
from lux.bfs_engines.gpu_separated_memory import Shape, shapes
from lux.bfs_engines.gpu_separated_plan import (
    COLUMNS,
    LEVELS_NOTED,
    OUTCOME_BYTES,
    SCRATCH,
    SECTIONS,
    Arguments,
    kernel,
)
from lux.bfs_engines.separated_levels import did
from lux.bfs_engines.separated_streams import starts_of
from lux.engine.gpu import place
from lux.engine.gpu.parts import MOST_PEERS
from lux.engine.loop import Run
from lux.engine.statistics import Iteration
from lux.errors import ConfigurationError, LuxError, MemoryNeededError
from lux.kernels.separated_dealing import DD, DN, KINDS, ND, NN
from lux.runtime import GpuLauncher, GpuPlan, Store

if TYPE_CHECKING:
    from lux.bfs_engines.degree_separated import Options
    from lux.bfs_engines.separation import Separation
    from lux.engine.loop import Progress
    from lux.graph import Graph

__all__ = ["GpuStreams", "fits", "fits_at_all", "processors", "shapes"]

NAME = "degree-separated"
TO_BACKWARD = (np.inf, 0.1, 0.1, 0.1)
"""By kind of edges (nn, nd, dn, dd): look backwards once the forward workload exceeds so many backward ones."""
TO_FORWARD = (0.0, 0.01, 0.01, 0.01)
"""By kind of edges: go on forwards once the forward workload is less than so many backward ones."""
LONGEST = 1 << 27
"""Rows of nn and nd have fewer edges: a warp counts those of 32 of them in 32 bits."""
WORDS_APART = 8
"""``meet.cuh`` has the same."""
MAP, SEARCH = 0, 1
"""Numbers of a search's launches."""
LOST = 3
"""What ``meet.cuh`` says of GPUs that did not meet."""


def processors(graph: Graph, parts: int | None, options: Options) -> int:
    """GPUs that are to search; 0 where CPU cores are.

    Raises
    ------
    ConfigurationError
        ``device="gpu"`` was asked for, and cannot be had.
    """
    count = place.partitions(graph, parts)
    if count == 0:
        return 0
    why = _why_not(count, options)
    if why and settings.current().device == "gpu":
        raise ConfigurationError(f"device='gpu' was asked for engine={NAME!r}, but {why}, or use device='cpu'")
    return 0 if why else count


def _why_not(parts: int, options: Options) -> str:
    """Why GPUs cannot search, and what to do; empty if they can."""
    if runtime.ranks() > 1:
        return "GPUs search in one process only: start one with all GPUs"
    if parts > min(runtime.gpus(), MOST_PEERS):
        most = min(runtime.gpus(), MOST_PEERS)
        return (
            f"parts={parts}, and each processor needs a GPU for itself: pass parts= 1 to {most}, or give Legate "
            f"{parts} GPUs (--gpus; {MOST_PEERS} at most)"
        )
    if options.local_all_to_all:
        return "Options(local_all_to_all=True) is for CPU cores, as GPUs read messages where they lie: leave it out"
    if parts > 1 and not (runtime.peer_access() and runtime.apart(parts)):
        return "these GPUs cannot read each other's memory, or do not run side by side: pass parts=1"
    return ""


def fits_at_all(graph: Graph, parts: int) -> bool:
    """Whether dealing the edges is worth while.

    Raises
    ------
    MemoryNeededError
        It is not, and ``device="gpu"`` was asked for.
    """
    return _fits(memory.at_least(graph.n_vertices, graph.n_edges, parts), parts, "at least ")


def fits(separation: Separation, shapes: list[Shape], *, unique: bool) -> bool:
    """Whether the GPUs have room for searches; ``shapes`` as from `shapes`.

    Raises
    ------
    MemoryNeededError, ConfigurationError
        They have not, and ``device="gpu"`` was asked for.
    """
    longest = max(shape.longest for shape in shapes)
    if longest >= LONGEST:
        if settings.current().device != "gpu":
            return False
        raise ConfigurationError(
            f"device='gpu' was asked for engine={NAME!r}, but a normal vertex has {longest:,} edges of a kind, and "
            f"fewer than {LONGEST:,} are allowed: pass a lower threshold, or use device='cpu'"
        )
    scratch = memory.scratch(separation, memory.bins(separation, shapes, unique=unique))
    return _fits(memory.needed(separation, shapes, scratch), separation.parts)


def _fits(needed: int, parts: int, least: str = "") -> bool:
    what = f"bfs by engine={NAME!r} on {parts} GPU{'s' * (parts > 1)}"
    try:
        runtime.check_gpu_memory(needed, what)
        if parts > 1 and place.why_not_meet():
            raise MemoryNeededError(f"{what} needs 1 MiB of zero-copy memory, where they meet: start with --zcmem 1")
    except MemoryNeededError as error:
        if settings.current().device == "gpu":
            raise MemoryNeededError(str(error).replace("needs ", f"needs {least}", 1)) from None
        return False
    return True


class GpuStreams:
    """Stores for searching a separated graph on GPUs, which searches use one after the other.

    Parameters
    ----------
    separation : Separation
    shapes : list of Shape
    unique : bool
        A GPU names no vertex twice to another in a search.

    Attributes
    ----------
    rows : np.ndarray of shape (parts, levels, COLUMNS), int64
        What the GPUs noted of the last search.
    """

    def __init__(self, separation: Separation, shapes: list[Shape], *, unique: bool) -> None:
        self.separation, self.parts = separation, separation.parts
        self.named = memory.bins(separation, shapes, unique=unique)
        self.scratch = memory.scratch(separation, self.named)
        self.rows = np.zeros((self.parts, 0, COLUMNS), np.int64)
        self.wide = bool(separation.sections.types["nn_offsets"].itemsize == 8)
        lists = [np.concatenate([*shape.long, np.zeros(1, np.uint64)]) for shape in shapes]
        self._long = runtime.from_array(np.concatenate(lists))
        self._memory = runtime.new_store(np.uint8, self.parts * self.scratch.nbytes, touched=False)
        points = np.arange(self.parts + 1, dtype=np.int64)
        self._splits = {
            "graph_rows": separation.sections.rows,
            "outbox": separation.far_places.outbox,
            "long_rows": runtime.ranges(np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64)),
            "scratch_rows": runtime.ranges(points * self.scratch.nbytes),
            "vertices": separation.vertices,
        }
        self._rows, self._after = runtime.ranges(points), runtime.new_store(np.int64, self.parts, touched=False)
        self._n_long = np.array([[len(x) for x in shape.long] for shape in shapes], np.int64)
        self._arguments = self._numbers(shapes, unique)

    def _numbers(self, shapes: list[Shape], unique: bool) -> Arguments:
        """The arguments that are alike in all searches."""
        separation, parts, found = self.separation, self.parts, Arguments(self.parts)
        points, own, at = separation.points, np.diff(separation.points), self.scratch.at
        bin_at = starts_of(self.named)
        every = {
            "part": np.arange(parts),
            "low": points[:-1],
            "own": own,
            "own_words": 2 * -(-own // 64),
            "far_words": 2 * -(-separation.far.sum(axis=1) // 64),
            "mask_words": 2 * separation.mask_words,
            "first_own": separation.own_delegates[:-1],
            "end_own": separation.own_delegates[1:],
            "n_long_dd": self._n_long[:, 0],
            "n_long_dn": self._n_long[:, 1],
            "found_at": at["found"],
            "parents_at": at["delegate_parents"],
            "bins_at": at["bins"],
            "unique": int(unique),
            "noted": LEVELS_NOTED,
            "n_rows": np.stack([shape.rows for shape in shapes]),
            "n_edges": separation.edges,
            "points": np.tile(points, (parts, 1)),
            "far_at": starts_of(separation.far),
            "bin_at": bin_at[:, :-1],
            "theirs_at": bin_at[:, :-1].T,
        }
        for name, value in every.items():
            found.set(name, value)
        return found

    def search(self, source: int, limit: int, fields: dict[str, Store], progress: Progress | None) -> Run:
        """A search of at most ``limit`` levels from the place ``source``; see `lux.bfs_engines.engine.Engine`."""
        arguments, parts = self._arguments, self.parts
        for name, factors in (("to_backward", TO_BACKWARD), ("to_forward", TO_FORWARD)):
            arguments.set(name, np.tile(np.array(factors), (parts, 1)))
        arguments.set("source", source)
        arguments.set("source_delegate", self.separation.delegate(source))
        arguments.set("limit", limit)
        first, later = _launchers(parts, met=parts > 1, far=bool(self.separation.far.any()))
        code = kernel(parts, wide=self.wide)
        kept = np.zeros((parts, len(first.arrays)), np.int64)
        mapping = GpuPlan(code, arguments.words, struct=True, kept=kept, keeps=True, number=arguments.at["number"])
        plans = [mapping, self._plan(code, first, kept)]
        keys = [runtime.share(plan) for plan in plans]
        for plan, key in zip(plans, keys, strict=True):
            plan.share(key)
        try:
            given = {"graph": self.separation.store, "far": self.separation.far_places.store, "long": self._long}
            given |= {"met": _meeting(parts)} if parts > 1 else {}
            first(parts, **given, **self._splits, **fields, scratch=self._memory, key=keys[0], number=MAP)
            again = {"after": self._after, "rows": self._rows, "key": keys[1]}
            later(parts, **again, number=runtime.LOOK)
            runtime.finish()
            self._reports(plans, keys)
            began = time.perf_counter()
            later(parts, **again, number=SEARCH)
            runtime.finish()
            seconds = time.perf_counter() - began
            reports = self._reports(plans, keys)
        finally:
            runtime.finish()  # kernels use memory that Legion believes idle
            for plan, key in zip(plans, keys, strict=True):
                plan.forget(key)
                runtime.unshare(key)
        return self._run(reports, fields, seconds, limit, progress)

    def _plan(self, code: runtime.Kernel, first: GpuLauncher, kept: NDArray[np.int64]) -> GpuPlan:
        """What the search's launch is given, of the stores that the first has mapped."""
        sections, index = self.separation.sections, first.arrays.index
        arrays = dict.fromkeys(SECTIONS, index("graph")) | dict.fromkeys(("long_dd", "long_dn"), index("long"))
        arrays |= {"far_places": index("far")} if "far" in first.arrays else {}
        arrays |= {"met": index("met")} if "met" in first.arrays else {}
        arrays |= {name: index(name) for name in ("distance", "parent")} | {"mine": index("scratch")}
        ahead = {name: 4 * (sections.first[name] - sections.at[:-1]) for name in SECTIONS}
        ahead["long_dn"] = 8 * self._n_long[:, 0]
        in_scratch = {name: self.scratch.at[name] for name in SCRATCH}
        return self._arguments.plan(code, arrays, ahead, in_scratch, kept)

    def _reports(self, plans: list[GpuPlan], keys: list[int]) -> list[NDArray[np.uint8]]:
        plans[0].report(keys[0], nbytes=0)
        reports = [plans[1].report(keys[1], part) for part in range(self.parts)]
        if not all(map(len, reports)):
            raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        return reports

    def _run(
        self,
        reports: list[NDArray[np.uint8]],
        fields: dict[str, Store],
        seconds: float,
        limit: int,
        progress: Progress | None,
    ) -> Run:
        outcomes = np.stack([report[:OUTCOME_BYTES].view(np.int64) for report in reports])
        if (outcomes[:, 1] == LOST).any():
            raise LuxError(
                f"engine={NAME!r}: a GPU has waited in vain for the others: look at nvidia-smi for errors, or pass "
                "parts=1"
            )
        levels = min(int(outcomes[0, 0]), limit)
        rows = [report[OUTCOME_BYTES:].view(np.int64).reshape(LEVELS_NOTED, COLUMNS)[:levels] for report in reports]
        self.rows = np.stack(rows)
        if progress is not None and levels:
            progress(levels)
        statistics = [_iteration(self.rows[:, level]) for level in range(self.rows.shape[1])]
        return Run(fields, levels, not outcomes[:, 2].any(), seconds, self.parts, statistics, device="gpu")


def _iteration(rows: NDArray[np.int64]) -> Iteration:
    """What a level did, from the rows of all GPUs: see ``record`` in ``separated.cu``."""
    edges, backward = rows[:, 3 : 3 + KINDS], (rows[:, 7, None] >> np.arange(KINDS) & 1).astype(bool)
    pulled = edges[backward].sum() > edges[~backward].sum()
    why = ", ".join(did(kind, edges[:, kind], backward[:, kind]) for kind in (NN, ND, DN, DD))
    return Iteration(
        "pull" if pulled else "push",
        int(rows[:, 0].sum() + rows[0, 1]),
        int(rows[:, 2].sum()),
        (1e-9 * (rows[:, 9] + rows[:, 11])).astype(np.float64),
        why=why,
        exchanged=int(rows[:, 8].sum()),
    )


@functools.cache
def _launchers(parts: int, *, met: bool, far: bool) -> tuple[GpuLauncher, GpuLauncher]:
    """The launch that maps all stores of a search, each GPU's in its own memory, and the search itself."""
    inputs: dict[str, str | None] = {"graph": "graph_rows", "long": "long_rows"}
    inputs |= ({"far": "outbox"} if far else {}) | ({"met": None} if met else {})
    outputs: dict[str, str | None] = {"scratch": "scratch_rows", "distance": "vertices", "parent": "vertices"}
    alone = parts == 1
    first = GpuLauncher("map_separated", inputs, outputs, zero_copy=("met",), alone=alone)
    return first, GpuLauncher("search_separated", outputs={"after": "rows"}, alone=alone)


def _meeting(parts: int) -> Store:
    """Where the GPUs meet: a word each, with others between."""
    store = runtime.new_store(np.uint64, WORDS_APART * parts, touched=False)
    _meeting_place()(1, x=store, key=0, number=0)
    store.legate.fill(np.uint64(0))
    return store


@functools.cache
def _meeting_place() -> GpuLauncher:
    return runtime.housekeeping(GpuLauncher("touch", outputs={"x": None}, zero_copy=("x",)))
