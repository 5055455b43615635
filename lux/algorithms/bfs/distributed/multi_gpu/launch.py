# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches by a kernel on each of some GPUs of this process, one launch each.

A launch before the first search, which is not timed, has Legion place every store, and keeps the addresses of the
memory that kernels work in: they read and write one another's by these addresses. The memory is the graph's as long as
the graph lives, so it is never moved. Edges are given to every launch, as Legion may move stores that CPU cores have
written. Results are each search's own, in the order of ids, each GPU's share in its memory. After a search that failed
or was interrupted, all is placed anew.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.multi_gpu.arguments import Arguments, InputStores
from lux.algorithms.bfs.distributed.multi_gpu.id_order import add_order_arguments
from lux.algorithms.bfs.distributed.multi_gpu.level_statistics import LEVEL_COLUMNS, MAX_STATISTICS_ROWS
from lux.engine.gpu.part_launches import ARRIVALS_STRIDE
from lux.engine.gpu.parts import PEER_LOST
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import GatherStatistics, Iteration
from lux.errors import ConfigurationError, LuxError
from lux.graph.core.partitions import cut, rectangles
from lux.launch.memory import Scratch
from lux.runtime import GpuLauncher, GpuPlan, Kernel, Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph

OUTCOME = np.dtype(
    [
        ("lost", np.int64), ("levels", np.int64), ("exchanges", np.int64), ("parent_bytes", np.int64),
        ("working", np.int64), ("exchanging", np.int64), ("left", np.int64), ("id_bytes", np.int64),
    ]
)  # fmt: skip
"""Beginning of kernels' reports: `PEER_LOST` where GPUs did not meet; levels; the number of the
latest exchange or barrier; bytes of parents that were read at the end; nanoseconds; vertices of the next frontier; and
the bytes that brought results into the order of ids."""


@dataclass(frozen=True)
class SearchResult:
    """A finished search: answers and reports.

    Attributes
    ----------
    fields : dict of str to Store
        ``distance`` and ``parent`` as users see them.
    seconds : float
    outcome : np.ndarray of shape (parts,), OUTCOME
    notes : np.ndarray of shape (parts, levels, columns), int64
        Rows that kernels have noted, one for each level.
    """

    fields: dict[str, Store]
    seconds: float
    outcome: NDArray[Any]
    notes: NDArray[np.int64]

    @property
    def levels(self) -> int:
        """Number of levels, in which the last one may be a frontier that was not expanded."""
        return int(self.outcome["levels"][0])

    def as_run(
        self,
        levels: int,
        statistics: Sequence[Iteration],
        progress: Progress | None,
        *,
        converged: bool,
        loads: GatherStatistics | None = None,
    ) -> Run:
        """Return the search as a run of so many levels, and tell ``progress``."""
        if progress is not None and levels:
            progress(levels)
        facts = (levels, converged, self.seconds, len(self.outcome), statistics)
        return Run(self.fields, *facts, device="gpu", loads=loads, finished=True)


class _PinnedStores:
    """The plan of searches, and state that the next search needs of the one before.

    Attributes
    ----------
    key : int
        Key of `lux.runtime.register`.
    exchanges : int
        The number of the latest exchange between GPUs (``peer_exchange.cuh``), or barrier
        (``multi_gpu_barrier.cuh``).
    """

    def __init__(self, plan: GpuPlan) -> None:
        self.plan, self.exchanges = plan, 0
        self.key = runtime.register(plan)
        plan.register(self.key)
        self.forget = weakref.finalize(self, _forget, plan, self.key)
        self.forget.atexit = False


def _forget(plan: GpuPlan, key: int) -> None:
    plan.unregister(key)
    runtime.unregister(key)


class MultiGpuKernel:
    """A kernel's searches of a graph.

    A launch of number 0 places stores; kernels then prepare the memory of their barrier (``arrivals``), and do nothing
    else.

    Parameters
    ----------
    graph : Graph
    kernel : Kernel
    points : np.ndarray of shape (parts + 1,), int64
        Split points of vertices.
    arguments : Arguments
        Numbers that are alike in all searches are set, except those of `common_members`. With several GPUs an argument
        ``arrivals``, if there is one, is the kernels' barrier, in zero-copy memory.
    given : InputStores
        The edges.
    scratch : Scratch
        The memory that each kernel works in, alike on all.
    in_scratch : mapping of str to int or np.ndarray of shape (parts,)
        Arguments that lie in ``scratch``, and their first bytes.
    own : int, optional
        Bytes at the beginning of ``scratch`` that are zero before every search; by default those that are zero before
        the first.
    noted, columns : int
        Levels of which kernels note a row, at most, and the numbers in a row.
    """

    def __init__(
        self,
        graph: Graph,
        kernel: Kernel,
        points: NDArray[np.int64],
        arguments: Arguments,
        given: InputStores,
        scratch: Scratch,
        in_scratch: Mapping[str, int | NDArray[np.int64]],
        *,
        own: int | None = None,
        noted: int = MAX_STATISTICS_ROWS,
        columns: int = LEVEL_COLUMNS,
    ) -> None:
        self.parts = len(arguments.words)
        noted = min(noted, graph.n_vertices)
        arguments.set(part=np.arange(self.parts), noted=noted)
        add_order_arguments(graph, points, arguments, given)
        self.graph, self.arguments, self.scratch, self.noted = graph, arguments, scratch, noted
        self._kernel, self._given, self._columns = kernel, given, columns
        self._own = scratch.zeroed if own is None else own
        self._in_scratch = dict(in_scratch)
        self._memory = runtime.new_store(np.uint8, self.parts * scratch.nbytes, touched=False)
        has_barrier = "arrivals" in arguments.at and self.parts > 1
        self._arrivals = _zero_copy_words(ARRIVALS_STRIDE * self.parts) if has_barrier else None
        each = np.arange(self.parts + 1, dtype=np.int64)
        self._rectangles = rectangles(given.cuts | {"scratch_rows": cut(each * scratch.nbytes)})
        results: dict[str, str | None] = {"distance": "ids", "parent": "ids"}
        self._launcher = GpuLauncher("search_on_gpus", given.splits, results, single_point=self.parts == 1)
        self._placed: _PinnedStores | None = None

    def forget(self) -> None:
        """Place all stores anew before the next search; none is under way."""
        if self._placed is not None:
            self._placed.forget()
            self._placed = None

    def run(self, **numbers: Any) -> SearchResult:
        """Search; ``numbers`` are the arguments of this search alone."""
        graph = self.graph
        types = {"distance": np.dtype(np.int32), "parent": graph.signed_dtype}
        fields = {name: runtime.new_store(t, graph.n_vertices, touched=False) for name, t in types.items()}
        runtime.finish()  # arguments are read by launches
        placed = self._placed = self._placed or self._place()
        self.arguments.set(**numbers, exchanges=placed.exchanges)
        done = False
        try:
            began = time.perf_counter()
            self._launcher(self.parts, **self._given.stores, **fields, **self._rectangles, key=placed.key, number=1)
            runtime.finish()
            seconds = time.perf_counter() - began
            outcome = self.outcome(placed)
            placed.exchanges = int(outcome["exchanges"][0])
            found = SearchResult(fields, seconds, outcome, self._notes(placed, int(outcome["levels"][0])))
            done = True
        finally:
            if not done:
                runtime.finish()  # kernels use memory that Legion believes idle
                self.forget()
        return found

    def _place(self) -> _PinnedStores:
        """Have Legion place all stores, and prepare GPUs for searches."""
        at, arrivals = self.arguments.at, {} if self._arrivals is None else {"arrivals": self._arrivals}
        splits = self._given.splits | dict.fromkeys(arrivals)
        alone = self.parts == 1
        first = GpuLauncher(
            "place_on_gpus", splits, {"scratch": "scratch_rows"}, zero_copy=arrivals, single_point=alone
        )
        kept = np.zeros((self.parts, len(first.arrays)), np.int64)
        placing = GpuPlan(
            self._kernel,
            self.arguments.words,
            struct=True,
            stores=[(at[name], first.arrays.index(name)) for name in arrivals],
            kept=kept,
            keeps=True,
            scratch=first.arrays.index("scratch"),
            zeroed=self.scratch.zeroed,
            report_bytes=OUTCOME.itemsize,
            number=at["number"],
        )
        found = _PinnedStores(self._plan(first, kept))
        key = runtime.register(placing)
        placing.register(key)
        done = False
        try:
            GpuLauncher("look")(self.parts, key=found.key, number=runtime.WARM_UP)
            stores = self._given.stores | arrivals | self._rectangles
            first(self.parts, **stores, scratch=self._memory, key=key, number=0)
            runtime.finish()
            for plan, which in ((placing, key), (found.plan, found.key)):
                if not all(len(plan.report(which, part, OUTCOME.itemsize)) for part in range(self.parts)):
                    raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
            done = True
        finally:
            if not done:
                runtime.finish()
                found.forget()
            placing.unregister(key)
            runtime.unregister(key)
        return found

    def _plan(self, first: GpuLauncher, kept: NDArray[np.int64]) -> GpuPlan:
        """Make the plan of searches; ``kept`` are the addresses of the launch that places all stores."""
        at, before, none = self.arguments.at, self._given.before, np.zeros(self.parts, np.int64)
        placed_first = {"base": "scratch"} if self._arrivals is None else {"base": "scratch", "arrivals": "arrivals"}
        stores = {name: ~first.arrays.index(store) for name, store in placed_first.items()}
        given = {name: name for name in ("distance", "parent")} | self._given.arguments
        stores |= {name: self._launcher.arrays.index(store) for name, store in given.items()}
        return GpuPlan(
            self._kernel,
            self.arguments.words,
            struct=True,
            stores=[(at[name], store) for name, store in stores.items()],
            before=np.stack([before.get(name, none) for name in stores], axis=1),
            kept=kept,
            peers=[(at["peer"], list(stores).index("base"))],
            scratch=stores["base"],
            in_scratch=[(at[name], where) for name, where in self._in_scratch.items()],
            zeroed=self._own,
            zeroed_always=self._own,
            written=[(at["outcome"], 0), (at["notes"], OUTCOME.itemsize)],
            report_bytes=OUTCOME.itemsize + 8 * self._columns * self.noted,
            number=at["number"],
        )

    def outcome(self, placed: _PinnedStores) -> NDArray[Any]:
        """Read what each part reports at the end, and raise LuxError if one waited in vain."""
        reports = [placed.plan.report(placed.key, part, OUTCOME.itemsize) for part in range(self.parts)]
        found = np.concatenate(reports).view(OUTCOME)
        if (found["lost"] == PEER_LOST).any():
            raise LuxError("a GPU has waited in vain for the others: look at nvidia-smi for errors, or pass parts=1")
        return found

    def _notes(self, placed: _PinnedStores, levels: int) -> NDArray[np.int64]:
        levels = min(levels, self.noted)
        size = OUTCOME.itemsize + 8 * self._columns * levels
        reports = [placed.plan.report(placed.key, part, size)[OUTCOME.itemsize :] for part in range(self.parts)]
        return np.stack(reports).view(np.int64).reshape(self.parts, levels, self._columns)


def _zero_copy_words(length: int) -> Store:
    """Make words in zero-copy memory, once for all GPUs."""
    store = runtime.new_store(np.uint64, length, touched=False)
    runtime.internal(GpuLauncher("touch", outputs={"x": None}, zero_copy=("x",)))(1, x=store, key=0, number=0)
    return store
