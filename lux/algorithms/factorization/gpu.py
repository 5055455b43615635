# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix factorization on GPUs that meet (`factors.cu`): many iterations in a launch, on one or several of a process.

Each GPU has the factors of all vertices, makes those of its own rows of either side, and writes them into the memory of
all others; they meet at a barrier of their own (`multi_gpu_barrier.cuh`). A launch hands back after 0.2 seconds, so
that progress is told and the run can be interrupted. What the kernel decides after an iteration (the rate, which
factors are the best, whether to stop) it decides from the sums that it reports, and
`lux.algorithms.factorization.minimize` decides the same from those.
"""

from __future__ import annotations

import functools
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.factorization.gpu_memory import CONTROL_BYTES, FactorPlan
from lux.algorithms.factorization.gpu_text import THREADS, Shape
from lux.algorithms.factorization.steps import Limits, Step
from lux.codegen import cuda_build
from lux.codegen.cuda_struct import first_words, n_words
from lux.engine.gpu.single import word_of
from lux.errors import ConfigurationError, LuxError
from lux.runtime import GpuLauncher, GpuPlan, Kernel, Store

if TYPE_CHECKING:
    from lux.algorithms.factorization.rating_matrix import RatingMatrix

MAX_STATISTICS_ROWS = 256
"""Iterations of a launch, at most: rows in a report."""
COLUMNS = 8
"""Numbers of a row: the three sums, seconds, the slot, whether the step was accepted, the best slot, finished."""
OUTCOME_BYTES = 64
RUNNING, PEER_LOST = 0, 3
ARRIVALS_STRIDE = 8
"""`multi_gpu_barrier.cuh` has the same."""
ORDER_WORDS = 8
"""A GPU's part of the stores that order launches, in words."""


class FactorRun:
    """A run; ``matrix`` has counted the ratings, and its first factors are in ``first``."""

    def __init__(self, plan: FactorPlan, matrix: RatingMatrix, first: Store, limits: Limits) -> None:
        self.plan, self.matrix, self.first, self.limits = plan, matrix, first, limits
        self.parts, self.shape = plan.parts, plan.shape
        self.result = runtime.new_store(plan.problem.dtype, plan.graph.n_vertices * plan.problem.k, touched=False)
        self._at = first_words(plan.shape.members)
        self._lists, self._list_points, self._list_at = plan.assignment.lists()

    def static(self) -> tuple[dict[str, Store], dict[str, str | None]]:
        """Stores that the run only reads, and how they are split."""
        graph, matrix = self.plan.graph, self.matrix
        stores = {"offsets": graph.offsets, "counts": matrix.counts}
        splits: dict[str, str | None] = dict.fromkeys(stores)
        for side in (0, 1) if self.parts > 1 else (0,):
            of = {"neighbours": graph.sources, "ratings": graph.properties[self.plan.name], "held_out": matrix.held_out}
            stores |= {f"{name}_{side}": store for name, store in of.items()}
            splits |= dict.fromkeys((f"{name}_{side}" for name in of), f"edges_{side}")
        stores |= {"lists": runtime.from_array(self._lists), "first": self.first}
        splits |= {"lists": "list_rows", "first": None}
        own = self.own_static()
        return stores | own, splits | dict.fromkeys(own)

    def own_static(self) -> dict[str, Store]:
        """Make the stores that only this way of exchanging factors has."""
        if self.parts == 1:
            return {}
        arrivals = in_zero_copy_memory(np.uint64, ARRIVALS_STRIDE * self.parts)
        arrivals.fill(0)
        return {"arrivals": arrivals}

    def rectangles(self) -> dict[str, Store]:
        """Rectangles of every split."""
        plan, each = self.plan, np.arange(self.parts + 1, dtype=np.int64)
        found = {
            "list_rows": runtime.ranges(self._list_points),
            "slot_rows": runtime.ranges(each * self.shape.memory_of_slots(plan.graph.n_vertices)),
            "scratch_rows": runtime.ranges(each * plan.scratch.nbytes),
            "result_rows": runtime.ranges(plan.result_points * plan.problem.k),
            "rows": runtime.ranges(each * ORDER_WORDS),
        }
        return found | self.edge_rectangles()

    def edge_rectangles(self) -> dict[str, Store]:
        """Return the edges in which each GPU's rows of either side are."""
        found: dict[str, Store] = {}
        for side in (0, 1):
            spans = np.array([(b[side].first_edge, b[side].end_edge - 1) for b in self.plan.assignment.of], np.int64)
            found[f"edges_{side}"] = runtime.rectangles(spans[:, 0], spans[:, 1])
        return found

    def launchers(self, splits: dict[str, str | None]) -> tuple[GpuLauncher, GpuLauncher]:
        """Make the first launch, which is given all stores, and later ones, which are only ordered after it."""
        how: dict[str, Any] = {"zero_copy": ("arrivals", "begun", "after"), "single_point": self.parts == 1}
        outputs = {"slots": "slot_rows", "scratch": "scratch_rows", "result": "result_rows", "begun": "rows"}
        first = GpuLauncher("factorize_first", splits, outputs, **how)
        return first, GpuLauncher("factorize_iterations", {"begun": None}, {"after": "rows"}, **how)

    def static_addresses(self, first: GpuLauncher) -> dict[str, int]:
        """For each argument that is the address of a static store, that store's place in the first launch."""
        at = first.arrays.index
        found = {name: at(name) for name in ("offsets", "counts", "first")}
        for side in (0, 1):
            from_side = side if self.parts > 1 else 0
            found |= {f"{n}_{side}": at(f"{n}_{from_side}") for n in ("neighbours", "ratings", "held_out")}
        return found | dict.fromkeys(self._list_at, at("lists"))

    def addresses(self, first: GpuLauncher) -> dict[str, int]:
        """For each argument of the kernel that is an address of a store, that store's place in the first launch."""
        at = first.arrays.index
        found = self.static_addresses(first) | {"result": at("result"), "own": at("slots")}
        return found | ({"arrivals": at("arrivals")} if self.parts > 1 else {})

    def moved_back(self, argument: str) -> NDArray[np.int64]:
        """Return the bytes by which the address of a kernel's argument is moved back on each GPU."""
        if argument in self._list_at:
            return -self._list_at[argument]
        name, _, side = argument.rpartition("_")
        sizes = {"neighbours": 4, "ratings": self.shape.rating.itemsize, "held_out": 1}
        if name in sizes and self.parts > 1:
            edges = np.array([both[int(side)].first_edge for both in self.plan.assignment.of], np.int64)
            return edges * sizes[name]
        return np.zeros(self.parts, np.int64)

    def numbers(self, part: int) -> dict[str, Any]:
        """Return the kernel's arguments that are numbers."""
        plan, limits = self.plan, self.limits
        found: dict[str, Any] = {
            "part": part,
            "n_vertices": plan.graph.n_vertices,
            "n_test": self.matrix.n_test,
            "max_iterations": limits.max_iter,
            "noted": MAX_STATISTICS_ROWS,
            "patience": limits.patience,
            "watched": limits.tol > 0,
            "by_degree": plan.problem.by_degree,
            "scaled": limits.scaled,
            "slot_bytes": self.shape.slot_bytes(plan.graph.n_vertices),
            "workers": self.shape.workers,
            "result_begin": plan.result_points[part],
            "result_end": plan.result_points[part + 1],
            "regularization": plan.problem.regularization,
            "mean": self.matrix.mean,
            "rate": limits.rate,
            "kept": 1 - limits.tol,
        }
        for side, rows in enumerate(plan.assignment.of[part]):
            numbers = {"segments": rows.n_segments, "hubs": rows.n_hubs, "large": rows.n_large, "rows": len(rows.rows)}
            found |= {f"n_{name}_{side}": n for name, n in numbers.items()}
        return {name: value for name, value in found.items() if name in self._at}

    def words(self) -> NDArray[np.int64]:
        """Collect the numbers of every GPU, of shape (parts, arguments)."""
        members = self.shape.members
        words = np.zeros((self.parts, n_words(members)), np.int64)
        for part in range(self.parts):
            for name, value in self.numbers(part).items():
                words[part, self._at[name]] = word_of(value, members[name])
        return words

    def gpu_plan(self, kernel: Kernel, first: GpuLauncher, kept: NDArray[np.int64], *, keeps: bool) -> GpuPlan:
        """Describe the first launch (``keeps``) or later ones."""
        at, scratch = self._at, self.plan.scratch
        addresses, place = self.addresses(first), first.arrays.index("scratch")
        names = list(addresses)
        return GpuPlan(
            kernel,
            self.words(),
            struct=True,
            stores=[(at[n], k if keeps else ~k) for n, k in addresses.items()],
            before=np.stack([self.moved_back(n) for n in names], axis=1),
            kept=kept,
            keeps=keeps,
            peers=[] if keeps else [(at["shared"], names.index("own"))],
            scratch=place if keeps else ~place,
            in_scratch=[(at[n], first_byte) for n, first_byte in scratch.at.items()],
            zeroed=scratch.zeroed,
            zeroed_always=CONTROL_BYTES,
            written=[(at["outcome"], 0), (at["records"], OUTCOME_BYTES)],
            report_bytes=OUTCOME_BYTES + 8 * COLUMNS * MAX_STATISTICS_ROWS,
            number=at["number"],
        )

    def prepare(self) -> _Launches:
        """Compile, and bring to the GPUs what the run reads."""
        if self.parts > 1 and not runtime.on_distinct_gpus(self.parts):
            raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        function = kernel_of(self.shape)
        static, splits = self.static()
        rectangles = self.rectangles()
        first, later = self.launchers(splits)
        kept = np.zeros((self.parts, len(first.arrays)), np.int64)
        plans = [self.gpu_plan(function, first, kept, keeps=keeps) for keeps in (True, False)]
        slots = self.parts * self.shape.memory_of_slots(self.plan.graph.n_vertices)
        written = {
            "slots": runtime.new_store(np.uint8, slots, touched=False),
            "scratch": runtime.new_store(np.uint8, self.parts * self.plan.scratch.nbytes, touched=False),
            "result": self.result,
            "begun": in_zero_copy_memory(np.int64, self.parts * ORDER_WORDS),
        }
        launches = _Launches(self.parts, plans, (first, later), static | rectangles | written)
        load = GpuLauncher("load", splits, zero_copy=("arrivals",), single_point=self.parts == 1)
        load(self.parts, **static, **rectangles, key=launches.keys[1], number=runtime.WARM_UP)
        runtime.finish()
        return launches

    def steps(self, launches: _Launches) -> Generator[Step]:
        """Yield the report of each iteration, to the end of the run; the result is there before the last."""
        finished = RUNNING
        with launches:
            while finished == RUNNING:
                reports = launches.launch()
                outcome = reports[0][:OUTCOME_BYTES].view(np.int64)
                finished = int(outcome[1])
                if any(int(r[:OUTCOME_BYTES].view(np.int64)[1]) == PEER_LOST for r in reports):
                    raise LuxError("factorize: a GPU has waited in vain for the others: look at nvidia-smi for errors")
                rows = np.stack(
                    [r[OUTCOME_BYTES:].view(np.float64).reshape(MAX_STATISTICS_ROWS, COLUMNS) for r in reports]
                )
                for row in range(int(outcome[0])):
                    train, test, penalty, _, slot, accepted, best, _ = rows[0, row].tolist()
                    yield Step(train, test, penalty, rows[:, row, 3].copy(), int(slot), bool(accepted), int(best))


class _Launches:
    """The launches of a run, one after the other."""

    def __init__(
        self, parts: int, plans: list[GpuPlan], launchers: tuple[GpuLauncher, GpuLauncher], stores: dict[str, Store]
    ) -> None:
        self._parts, self._plans, self._launchers, self._stores = parts, plans, launchers, stores
        self._after = in_zero_copy_memory(np.int64, parts * ORDER_WORDS)
        self._number = 0
        self.keys = [runtime.register(plan) for plan in plans]
        for plan, key in zip(plans, self.keys, strict=True):
            plan.register(key)

    def launch(self) -> list[NDArray[np.uint8]]:
        """Issue the next launch, or before it the one that begins the run; return every GPU's report."""
        given, (first, later) = self._stores, self._launchers
        if self._number == 0:
            first(self._parts, **given, key=self.keys[0], number=0)
            runtime.finish()
            self._plans[0].report(self.keys[0], nbytes=0)
        self._number += 1
        order = {"begun": given["begun"], "after": self._after, "rows": given["rows"]}
        later(self._parts, **order, key=self.keys[1], number=self._number)
        runtime.finish()
        reports = [self._plans[1].report(self.keys[1], part) for part in range(self._parts)]
        if not all(map(len, reports)):
            raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        return reports

    def __enter__(self) -> None:
        """Begin; at the end the plans are forgotten, once no kernel uses them."""

    def __exit__(self, *_: object) -> None:
        runtime.finish()
        for plan, key in zip(self._plans, self.keys, strict=True):
            plan.unregister(key)
            runtime.unregister(key)


def kernel_of(shape: Shape) -> Kernel:
    """Return the kernel, compiled or loaded from disk."""
    return kernel(shape.text(), shape.shared_bytes)


@functools.lru_cache(64)
def kernel(text: str, shared_bytes: int) -> Kernel:
    """Return the kernel with this text."""
    return Kernel(cuda_build.cubin(text, runtime.capability()), "lux_factorize", THREADS, shared_bytes)


def in_zero_copy_memory(dtype: Any, length: int) -> Store:
    """Return a store that all GPUs of the process see in one place."""
    store = runtime.new_store(dtype, length, touched=False)
    _toucher()(1, x=store, key=0, number=0)
    return store


@functools.cache
def _toucher() -> GpuLauncher:
    return GpuLauncher("touch", outputs={"x": None}, zero_copy=("x",))
