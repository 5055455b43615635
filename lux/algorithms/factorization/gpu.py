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
import itertools
from collections.abc import Callable, Generator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.factorization.gpu_memory import CONTROL_BYTES, FactorPlan
from lux.algorithms.factorization.gpu_text import THREADS, Shape
from lux.algorithms.factorization.steps import (
    BEST,
    FINISHED,
    STATE,
    Limits,
    Step,
    first_state,
    needed_slots,
    saved_factors,
)
from lux.codegen import cuda_build
from lux.codegen.cuda_struct import first_words, n_words
from lux.engine.gpu.single import word_of
from lux.errors import ConfigurationError, LuxError
from lux.runtime import GpuLauncher, GpuPlan, Kernel, Store

if TYPE_CHECKING:
    from lux.algorithms.factorization.rating_matrix import RatingMatrix
    from lux.io.saved.state import SavedState

MAX_STATISTICS_ROWS = 256
"""Iterations of a launch, at most: rows in a report."""
COLUMNS = 8
"""Numbers of a row: the three sums, seconds, the slot, whether the step was accepted, the best slot, finished."""
OUTCOME_BYTES = 128
"""Bytes before a report's rows: how many rows there are, how the launch ended, and the state."""
PEER_LOST = 3
LONGEST = 0.2
"""Seconds after which a launch hands back, so that progress is told and the run can be interrupted."""
ARRIVALS_STRIDE = 8
"""`multi_gpu_barrier.cuh` has the same."""
ORDER_WORDS = 8
"""A GPU's part of the stores that order launches, in words."""


class FactorRun:
    """A run; ``matrix`` has counted the ratings.

    Parameters
    ----------
    plan : FactorPlan
    matrix : RatingMatrix
    limits : Limits
    longest : float
        Seconds after which a launch hands back.

    Attributes
    ----------
    state : np.ndarray of shape (STATE,)
        What decides the next iteration, between launches (`lux.algorithms.factorization.steps`).
    """

    what: ClassVar[Mapping[str, int]] = MappingProxyType({"run": 0, "begin": 2, "end": 3, "take": 4})
    """Number by which the kernel knows each launch; `factors.cu` has the same."""
    of_a_launch: ClassVar[tuple[str, ...]] = ("first", "result")
    """Stores that launches have each of their own."""

    def __init__(self, plan: FactorPlan, matrix: RatingMatrix, limits: Limits, longest: float = LONGEST) -> None:
        self.plan, self.matrix, self.limits, self.longest = plan, matrix, limits, longest
        self.parts, self.shape = plan.parts, plan.shape
        self.state = first_state(plan.method, limits.rate)
        self._at = first_words(plan.shape.members)
        self._lists, self._list_points, self._list_at = plan.assignment.lists()
        self._launchers: dict[str, GpuLauncher] = {}
        self._plans: dict[str, GpuPlan] = {}
        self._key_of: dict[str, int] = {}

    def static(self) -> tuple[dict[str, Store], dict[str, str | None]]:
        """Stores that the run only reads, and how they are split."""
        graph, matrix = self.plan.graph, self.matrix
        stores = {"offsets": graph.offsets, "counts": matrix.counts}
        splits: dict[str, str | None] = dict.fromkeys(stores)
        for side in (0, 1) if self.parts > 1 else (0,):
            of = {"neighbours": graph.sources, "ratings": graph.properties[self.plan.name], "held_out": matrix.held_out}
            stores |= {f"{name}_{side}": store for name, store in of.items()}
            splits |= dict.fromkeys((f"{name}_{side}" for name in of), f"edges_{side}")
        stores["lists"], splits["lists"] = runtime.from_array(self._lists), "list_rows"
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

    def launchers(self, splits: dict[str, str | None]) -> dict[str, GpuLauncher]:
        """Launches by name: the first, which is given all stores; one that fills a slot; iterations; one that reads."""
        how: dict[str, Any] = {"zero_copy": ("arrivals", "begun", "after"), "single_point": self.parts == 1}
        outputs = {"slots": "slot_rows", "scratch": "scratch_rows", "begun": "rows"}
        ordered, order = {"begun": None}, {"after": "rows"}
        return {
            "begin": GpuLauncher("factorize_begin", splits, outputs, **how),
            "take": GpuLauncher("factorize_take", {**ordered, "first": None}, order, **how),
            "run": GpuLauncher("factorize_iterations", ordered, order, **how),
            "end": GpuLauncher("factorize_end", ordered, {"result": "result_rows"}, **how),
        }

    def static_addresses(self, first: GpuLauncher) -> dict[str, int]:
        """For each argument that is the address of a static store, that store's place in the first launch."""
        at = first.arrays.index
        found = {name: at(name) for name in ("offsets", "counts")}
        for side in (0, 1):
            from_side = side if self.parts > 1 else 0
            found |= {f"{n}_{side}": at(f"{n}_{from_side}") for n in ("neighbours", "ratings", "held_out")}
        return found | dict.fromkeys(self._list_at, at("lists"))

    def addresses(self, first: GpuLauncher) -> dict[str, int]:
        """For each argument of the kernel that is the address of a kept store, its place in the first launch."""
        at = first.arrays.index
        found = self.static_addresses(first) | {"own": at("slots")}
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
            "longest": int(self.longest * 1e9),
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

    def gpu_plan(
        self, function: Kernel, launchers: Mapping[str, GpuLauncher], name: str, kept: NDArray[np.int64], **more: Any
    ) -> GpuPlan:
        """Describe a launch, by its name; ``more`` are further arguments of the plan."""
        first, own = launchers["begin"], launchers[name]
        at, scratch, keeps = self._at, self.plan.scratch, own is first
        words = self.words()
        words[:, at["what"]] = self.what[name]
        stores = [(n, k if keeps else ~k) for n, k in self.addresses(first).items()]
        stores += [(n, own.arrays.index(n)) for n in own.split_of if n in self.of_a_launch]
        names, place = [n for n, _ in stores], first.arrays.index("scratch")
        return GpuPlan(
            function,
            words,
            struct=True,
            stores=[(at[n], k) for n, k in stores],
            before=np.stack([self.moved_back(n) for n in names], axis=1),
            kept=kept,
            keeps=keeps,
            peers=[(at["shared"], names.index("own"))] if "shared" in at and not keeps else [],
            scratch=place if keeps else ~place,
            in_scratch=[(at[n], first_byte) for n, first_byte in scratch.at.items() if n in at],
            zeroed=scratch.zeroed,
            **more,
        )

    def make_plans(self, function: Kernel, **more: dict[str, Any]) -> None:
        """Make and register the plans of all launches; ``more`` are further arguments of plans, by name."""
        kept = np.zeros((self.parts, len(self._launchers["begin"].arrays)), np.int64)
        for name in self._launchers:
            plan = self.gpu_plan(function, self._launchers, name, kept, **more.get(name, {}))
            self._plans[name], self._key_of[name] = plan, runtime.register(plan)
            plan.register(self._key_of[name])

    def set_up(self) -> None:
        """Compile, and bring to the GPUs what the run reads."""
        if self.parts > 1 and not runtime.on_distinct_gpus(self.parts):
            raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        static, splits = self.static()
        self._rectangles, self._launchers = self.rectangles(), self.launchers(splits)
        report: dict[str, Any] = {
            "written": [(self._at["outcome"], 0), (self._at["records"], OUTCOME_BYTES)],
            "report_bytes": OUTCOME_BYTES + 8 * COLUMNS * MAX_STATISTICS_ROWS,
        }
        self.make_plans(kernel_of(self.shape), run={**report, "zeroed_always": CONTROL_BYTES})
        slots = self.parts * self.shape.memory_of_slots(self.plan.graph.n_vertices)
        self._written = {
            "slots": runtime.new_store(np.uint8, slots, touched=False),
            "scratch": runtime.new_store(np.uint8, self.parts * self.plan.scratch.nbytes, touched=False),
            "begun": in_zero_copy_memory(np.int64, self.parts * ORDER_WORDS),
        }
        self._order = self._written | {"after": in_zero_copy_memory(np.int64, self.parts * ORDER_WORDS)}
        self._given = static
        load = GpuLauncher("load", splits, zero_copy=("arrivals",), single_point=self.parts == 1)
        load(self.parts, **static, **self._rectangles, key=self._key_of["run"], number=runtime.WARM_UP)
        runtime.finish()

    def begin(self, slots: Mapping[int, Store]) -> None:
        """Begin at the run's state, with the factors of all vertices in these slots."""
        self._plans["begin"].change(range(self._at["state"], self._at["state"] + STATE), self.state.view(np.int64))
        self._launch("begin", 0, self._given | self._written)
        for slot, factors in slots.items():
            self._plans["take"].change([self._at["slot"]], slot)
            self._launch("take", 1, self._order | {"first": factors})

    def _launch(self, name: str, number: int, stores: Mapping[str, Store]) -> None:
        """Launch, and wait for the end."""
        self._launchers[name](self.parts, **self._rectangles, **stores, key=self._key_of[name], number=number)
        runtime.finish()
        self._plans[name].report(self._key_of[name], nbytes=0)

    def _iterate(self, number: int) -> list[NDArray[np.uint8]]:
        """Launch iterations; return every GPU's report."""
        self._launch("run", number, self._order)
        reports = [self._plans["run"].report(self._key_of["run"], part) for part in range(self.parts)]
        if not all(map(len, reports)):
            raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        if any(int(report[:16].view(np.int64)[1]) == PEER_LOST for report in reports):
            raise LuxError("factorize: a GPU has waited in vain for the others: look at nvidia-smi for errors")
        return reports

    def steps(self, between: Callable[[], object] = lambda: None) -> Generator[Step]:
        """Yield the report of each iteration, to the end of the run; ``between`` is called between launches."""
        for number in itertools.count(1):
            reports = self._iterate(number)
            n_rows = int(reports[0][:8].view(np.int64)[0])
            self.state = reports[0][16 : 16 + 8 * STATE].view(np.float64).copy()
            rows = np.stack([r[OUTCOME_BYTES:].view(np.float64).reshape(MAX_STATISTICS_ROWS, COLUMNS) for r in reports])
            for row in range(n_rows):
                train, test, penalty, _, slot, accepted, best, _ = rows[0, row].tolist()
                yield Step(train, test, penalty, rows[:, row, 3].copy(), int(slot), bool(accepted), int(best))
            if self.state[FINISHED]:
                return
            between()

    def restore(self, state: NDArray[np.float64], saved: SavedState) -> None:
        """Begin at a state and the slots of a checkpoint."""
        self.state[:] = state
        self.begin({slot: saved_factors(self.matrix, saved, slot) for slot in needed_slots(state)})

    def factors(self, slot: int) -> Store:
        """Return the factors of all vertices in a slot, as a store."""
        found = self.matrix.new_factors()
        self._plans["end"].change([self._at["slot"]], slot)
        self._launch("end", 1, self._order | {"result": found})
        return found

    def result(self) -> Store:
        """Return the best factors in a store."""
        return self.factors(int(self.state[BEST]))

    def close(self) -> None:
        """Take the plans back, once no kernel uses them."""
        runtime.finish()
        for name, plan in self._plans.items():
            plan.unregister(self._key_of[name])
            runtime.unregister(self._key_of[name])


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
