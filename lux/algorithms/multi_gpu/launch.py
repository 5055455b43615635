# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches by a kernel on each of some GPUs, one launch each.

A launch before the first search, which is not timed, has Legion place every store, and keeps the addresses of the
memory that kernels work in: they read and write one another's by these addresses. The memory is the graph's as long as
the graph lives, so it is never moved. Where there are several processes it is not Legion's (`PeerMemory`), and has the
kernels' reports, too, which every process reads. Lists that are the kernels' own (`InputStores`) are updated by that
launch, so that they stay where it had them, and their addresses are kept, too: each store that Legion maps costs a
launch time. Edges are given to every launch, as Legion may move stores that others read. Results are each search's own,
in the order of ids, each GPU's share in its memory. After a search that failed or was interrupted, all is placed anew.
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
from lux.algorithms.multi_gpu.arguments import Arguments, InputStores
from lux.algorithms.multi_gpu.id_order import add_order_arguments
from lux.algorithms.multi_gpu.level_statistics import LEVEL_COLUMNS, MAX_STATISTICS_ROWS
from lux.engine.gpu import boxes
from lux.engine.gpu.part_launches import ARRIVALS_STRIDE
from lux.engine.gpu.parts import PEER_LOST
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import GatherStatistics, Iteration
from lux.errors import ConfigurationError, LuxError, MemoryNeededError
from lux.graph.core.partitions import cut, rectangles
from lux.launch.memory import Scratch
from lux.launch.peer_memory import PeerMemory
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

END_BYTES = 8
"""Bytes of a report that nothing is written to: the word behind a report says that the kernel has ended."""


@dataclass(frozen=True)
class SearchResult:
    """A finished search: answers and reports.

    Attributes
    ----------
    fields : dict of str to Store
        Results as users see them.
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
    memory : PeerMemory or None
        What kernels work in, where there are several processes.
    exchanges : int
        The number of the latest exchange or barrier between GPUs (``peer_exchange.cuh``).
    """

    def __init__(self, plan: GpuPlan, memory: PeerMemory | None = None) -> None:
        self.plan, self.memory, self.exchanges = plan, memory, 0
        self.key = runtime.register(plan)
        plan.register(self.key)
        self.forget = weakref.finalize(self, _forget, plan, self.key)
        self.forget.atexit = False


def _forget(plan: GpuPlan, key: int) -> None:
    plan.unregister(key)
    runtime.unregister(key)


class MultiGpuKernel:
    """A kernel's searches of a graph.

    A launch of number 0 places stores; kernels then do nothing.

    Parameters
    ----------
    graph : Graph
    kernel : Kernel
    points : np.ndarray of shape (parts + 1,), int64
        Split points of vertices.
    arguments : Arguments
        Numbers that are alike in all searches are set, except those of `common_members`.
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
    results : mapping of str to np.dtype, optional
        The arguments that are results by id, and their types; by default levels and parents.
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
        results: Mapping[str, np.dtype[Any]] | None = None,
    ) -> None:
        self.parts = len(arguments.words)
        noted = min(noted, graph.n_vertices)
        arguments.set(part=np.arange(self.parts), noted=noted)
        add_order_arguments(graph, points, arguments, given)
        self.graph, self.arguments, self.scratch, self.noted = graph, arguments, scratch, noted
        self._kernel, self._given, self._columns = kernel, given, columns
        self._own = scratch.zeroed if own is None else own
        self._in_scratch = dict(in_scratch)
        self._types = dict(results or {"distance": np.dtype(np.int32), "parent": graph.signed_dtype})
        self._several = runtime.ranks() > 1
        each = np.arange(self.parts + 1, dtype=np.int64)
        cuts = dict(given.cuts)
        if not self._several:
            self._memory = runtime.new_store(np.uint8, self.parts * scratch.nbytes, touched=False)
            cuts["scratch_rows"] = cut(each * scratch.nbytes)
        self._rectangles = rectangles(cuts)
        by_id: dict[str, str | None] = dict.fromkeys(self._types, "ids")
        # In the order in which they were given, which is alike in all processes: that of a set is not.
        self._own_stores = {name: split for name, split in given.splits.items() if name in given.own}
        self._shared = {name: split for name, split in given.splits.items() if name not in given.own}
        self._launcher = GpuLauncher("search_on_gpus", self._shared, by_id, single_point=self.parts == 1)
        self._placed: _PinnedStores | None = None

    def forget(self) -> None:
        """Place all stores anew before the next search; none is under way."""
        if self._placed is not None:
            self._placed.forget()
            self._placed = None

    def run(self, **numbers: Any) -> SearchResult:
        """Search; ``numbers`` are the arguments of this search alone."""
        graph = self.graph
        fields = {name: runtime.new_store(t, graph.n_vertices, touched=False) for name, t in self._types.items()}
        runtime.finish()  # arguments are read by launches
        placed = self._placed = self._placed or self._place()
        self.arguments.set(**numbers, exchanges=placed.exchanges)
        done = False
        try:
            began = time.perf_counter()
            self._launcher(self.parts, **self._given.stores, **fields, **self._rectangles, key=placed.key, number=1)
            if placed.memory is None:
                placed.plan.wait(placed.key)
                placed.plan.report(placed.key, nbytes=0)  # raises what has failed
                runtime.all_has_run()
            else:
                placed.plan.wait_on_all_ranks(placed.key, placed.memory.points)
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

    @property
    def _report_bytes(self) -> int:
        return OUTCOME.itemsize + 8 * self._columns * self.noted

    def _place(self) -> _PinnedStores:
        """Have Legion place all stores, and prepare GPUs for searches."""
        return self._place_apart() if self._several else self._place_together()

    def _place_apart(self) -> _PinnedStores:
        """Place the stores of several processes, which then share memory that is not Legion's."""
        nbytes = self.scratch.nbytes + self._report_bytes
        try:
            memory = PeerMemory.on_gpus(self.parts, nbytes)
        except MemoryNeededError:  # on all processes
            boxes.give_up()
            memory = PeerMemory.on_gpus(self.parts, nbytes)
        first = GpuLauncher("place_on_gpus", self._shared, updates=self._own_stores)
        kept = np.zeros((self.parts, len(first.arrays) + 1), np.int64)
        kept[:, -1] = memory.addresses.diagonal()
        with runtime.addresses_kept(kept) as key:
            first(self.parts, **self._given.stores, **self._rectangles, key=key, number=runtime.WARM_UP)
            runtime.finish()
        found = _PinnedStores(self._plan(self._known(first, len(first.arrays)), kept, memory), memory)
        GpuLauncher("look")(self.parts, key=found.key, number=runtime.WARM_UP)
        runtime.finish()
        return found

    def _place_together(self) -> _PinnedStores:
        """Place the stores of one process."""
        written = {"scratch": "scratch_rows"}
        first = GpuLauncher("place_on_gpus", self._shared, written, self._own_stores, single_point=self.parts == 1)
        kept = np.zeros((self.parts, len(first.arrays)), np.int64)
        placing = GpuPlan(
            self._kernel,
            self.arguments.words,
            struct=True,
            kept=kept,
            keeps=True,
            scratch=first.arrays.index("scratch"),
            zeroed=self.scratch.zeroed,
            report_bytes=OUTCOME.itemsize,
            number=self.arguments.at["number"],
        )
        found = _PinnedStores(self._plan(self._known(first, first.arrays.index("scratch")), kept, None))
        key = runtime.register(placing)
        placing.register(key)
        done = False
        try:
            GpuLauncher("look")(self.parts, key=found.key, number=runtime.WARM_UP)
            stores = self._given.stores | self._rectangles
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

    def _known(self, first: GpuLauncher, scratch: int) -> dict[str, int]:
        """Map arguments to columns of the addresses that the first launch tells; ``scratch``: that of its memory."""
        own = {name: store for name, store in self._given.arguments.items() if store in self._own_stores}
        return {"base": scratch} | {name: first.arrays.index(store) for name, store in own.items()}

    def _plan(self, placed_first: Mapping[str, int], kept: NDArray[np.int64], memory: PeerMemory | None) -> GpuPlan:
        """Make the plan of searches.

        Parameters
        ----------
        placed_first : mapping of str to int
            Arguments whose addresses are ``kept``, and the column of each.
        kept : np.ndarray of shape (parts, columns), int64
        memory : PeerMemory or None
            The memory that several processes share; it has the kernels' reports behind the scratch memory.
        """
        at, before, none = self.arguments.at, self._given.before, np.zeros(self.parts, np.int64)
        stores = {name: ~column for name, column in placed_first.items()}
        given = {name: name for name in self._types} | self._given.arguments
        stores |= {
            name: self._launcher.arrays.index(store) for name, store in given.items() if name not in placed_first
        }
        report = {"outcome": 0, "notes": OUTCOME.itemsize}
        in_scratch = dict(self._in_scratch)
        if memory is not None:
            in_scratch |= {name: self.scratch.nbytes + where for name, where in report.items()}
        return GpuPlan(
            self._kernel,
            self.arguments.words,
            struct=True,
            stores=[(at[name], store) for name, store in stores.items()],
            before=np.stack([before.get(name, none) for name in stores], axis=1),
            kept=kept,
            peers=[(at["peer"], list(stores).index("base"))],
            mapped=None if memory is None else memory.addresses,
            scratch=stores["base"],
            in_scratch=[(at[name], where) for name, where in in_scratch.items()],
            zeroed=self._own,
            zeroed_always=self._own,
            written=[(at[name], where) for name, where in report.items()] if memory is None else (),
            report_bytes=self._report_bytes if memory is None else END_BYTES,
            number=at["number"],
        )

    def _reports(self, placed: _PinnedStores, nbytes: int) -> list[NDArray[np.uint8]]:
        """Copy the beginning of each part's report."""
        parts = range(self.parts)
        placed.plan.report(placed.key, nbytes=0)  # raises what has failed
        if placed.memory is not None:
            return [placed.memory.read(part, self.scratch.nbytes, nbytes) for part in parts]
        return [placed.plan.report(placed.key, part, nbytes) for part in parts]

    def outcome(self, placed: _PinnedStores) -> NDArray[Any]:
        """Read what each part reports at the end, and raise LuxError if one waited in vain."""
        found = np.concatenate(self._reports(placed, OUTCOME.itemsize)).view(OUTCOME)
        if (found["lost"] == PEER_LOST).any():
            raise LuxError("a GPU has waited in vain for the others: look at nvidia-smi for errors, or pass parts=1")
        return found

    def _notes(self, placed: _PinnedStores, levels: int) -> NDArray[np.int64]:
        levels = min(levels, self.noted)
        size = OUTCOME.itemsize + 8 * self._columns * levels
        reports = [report[OUTCOME.itemsize :] for report in self._reports(placed, size)]
        return np.stack(reports).view(np.int64).reshape(self.parts, levels, self._columns)


def arrivals(parts: int) -> dict[str, int]:
    """Return the scratch memory of a ``PeerBarrier`` (``peer_exchange.cuh``), zero before the first search."""
    return {"arrivals": 8 * ARRIVALS_STRIDE * parts} if parts > 1 else {}
