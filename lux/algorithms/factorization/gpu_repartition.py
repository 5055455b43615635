# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix factorization on GPUs between which Legion moves factors (`factors_moved.cu`): also of several processes.

The factors of each side lie in stores of their own, in the order of the vertices of that side. A launch makes those of
one side (least squares) or of both (gradient descent): each GPU reads all factors that it needs, which Legion brings
there, and writes its own rows. Kernels, and the order of their sums, are those of `lux.algorithms.factorization.gpu`,
so factors are the same bit for bit. What comes next the host decides, from the sums that each iteration leaves in a
store: every process from the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.factorization.gpu import FactorRun, kernel_of
from lux.algorithms.factorization.gpu_text import SLOTS
from lux.algorithms.factorization.rating_matrix import Problem, Sums
from lux.engine.gpu.single import word_of
from lux.errors import ConfigurationError, LuxError
from lux.graph.sides import LEFT, RIGHT
from lux.launch.memory import allocated
from lux.partition import split_points
from lux.runtime import GpuLauncher, Store

SUMS = 8
"""Numbers of a GPU's row: the three sums, seconds, and which GPU has written them."""
CHECKED = 32
"""After so many iterations processes ask each other whether a launch has failed."""


class Factors:
    """One copy of all factors: a store for each side."""

    def __init__(self, left: Store, right: Store) -> None:
        self.sides = [left, right]


class MovedFactors(FactorRun):
    """A run. It makes factors as `RatingMatrix` does; parameters are those of `FactorRun`.

    Attributes
    ----------
    side_points : np.ndarray of shape (2, parts + 1), int64
        Where each GPU's rows of a side begin among that side's.
    """

    what: ClassVar[Mapping[str, int]] = MappingProxyType(
        {"left": LEFT, "right": RIGHT, "step": LEFT, "begin": 2, "end": 3}
    )
    """Number by which the kernel knows each launch; `factors_moved.cu` has the same."""
    of_a_launch: ClassVar[tuple[str, ...]] = (
        *("old_0", "old_1", "new_0", "new_1", "before", "sums"),
        *FactorRun.of_a_launch,
    )

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        sizes = np.array([[len(side.rows) for side in both] for both in self.plan.assignment.of], np.int64)
        self.side_points = np.stack([split_points.starts(each) for each in sizes.T])
        self._row = self.shape.padded
        self._spare: list[Factors] = []
        self._done = 0

    @property
    def problem(self) -> Problem:
        """The objective."""
        return self.plan.problem

    @property
    def mean_square(self) -> float:
        """Mean square of the training ratings."""
        return self.matrix.mean_square

    # What is launched

    def own_static(self) -> dict[str, Store]:
        """Find each vertex's factor among all, if left vertices do not all come before right ones."""
        if not self.shape.placed:
            return {}
        places = np.empty(self.plan.graph.n_vertices, np.uint32)
        places[np.argsort(self.plan.sides, kind="stable")] = np.arange(len(places), dtype=np.uint32)
        return {"places": runtime.from_array(places)}

    def rectangles(self) -> dict[str, Store]:
        """Rectangles of every split."""
        plan, each = self.plan, np.arange(self.parts + 1, dtype=np.int64)
        found = self.edge_rectangles() | {
            "list_rows": runtime.ranges(self._list_points),
            "scratch_rows": runtime.ranges(each * plan.scratch.nbytes),
            "result_rows": runtime.ranges(plan.result_points * plan.problem.k),
            "sum_rows": runtime.ranges(each * SUMS),
        }
        return found | {f"rows_{side}": runtime.ranges(self.side_points[side] * self._row) for side in (0, 1)}

    def launchers(self, splits: dict[str, str | None]) -> dict[str, GpuLauncher]:
        """Launches by name: that of the first factors, that of each side (or of both, ``step``), and the last."""
        alone = self.parts == 1

        def make(name: str, inputs: dict[str, str | None], outputs: dict[str, str | None]) -> GpuLauncher:
            return GpuLauncher(f"factorize_{name}", inputs, outputs, zero_copy=("sums", "before"), single_point=alone)

        made = {f"new_{side}": f"rows_{side}" for side in (0, 1)}
        sums = {"sums": "sum_rows"}
        found = {"begin": make("begin", {**splits, "first": None}, {**made, "scratch": "scratch_rows"})}
        if self.plan.method == "als":
            found["left"] = make("left", {"old_1": None}, {"new_0": "rows_0", **sums})
            found["right"] = make("right", {"old_0": None, "before": "sum_rows"}, {"new_1": "rows_1", **sums})
        else:
            found["step"] = make("step", {"old_0": None, "old_1": None}, {**made, **sums})
        found["end"] = make("end", {"old_0": None, "old_1": None}, {"result": "result_rows"})
        return found

    def moved_back(self, argument: str) -> NDArray[np.int64]:
        """Return the bytes by which the address of a kernel's argument is moved back on each GPU."""
        role, _, side = argument.rpartition("_")
        if role not in ("old", "new"):
            return super().moved_back(argument)
        before = int(self.side_points[LEFT, -1]) if int(side) == RIGHT else 0
        first = self.side_points[int(side), :-1] if role == "new" else np.zeros(self.parts, np.int64)
        return (before + first) * self._row * self.problem.dtype.itemsize

    def numbers(self, part: int) -> dict[str, Any]:
        """Return the kernel's arguments that are numbers, but for what a launch does."""
        return super().numbers(part) | {"n_left": int(self.side_points[LEFT, -1])}

    def addresses(self, first: GpuLauncher) -> dict[str, int]:
        """For each argument of the kernel that is the address of a kept store, its place in the first launch."""
        places = {"places": first.arrays.index("places")} if self.shape.placed else {}
        return self.static_addresses(first) | places

    # A run

    def set_up(self) -> None:
        """Compile, and bring to the GPUs what the run reads."""
        static, splits = self.static()
        self._rectangles, self._launchers = self.rectangles(), self.launchers(splits)
        always = {"zeroed_always": self.plan.scratch.zeroed}
        self.make_plans(kernel_of(self.shape), **dict.fromkeys(self._launchers, always))
        # Only the first launch is given these; they stay where it found them, as nobody else is given them meanwhile.
        scratch = runtime.new_store(np.uint8, self.parts * self.plan.scratch.nbytes, touched=False)
        self._given = static | {"scratch": scratch}
        self._spare = [self._copy() for _ in range(SLOTS[self.plan.method])]
        self._sums = [self._row_of_sums() for _ in range(2)]
        load = GpuLauncher("load", splits, single_point=self.parts == 1)
        load(self.parts, **static, **self._rectangles, key=self._key_of["begin"], number=runtime.WARM_UP)
        runtime.finish()

    def write(self, factors: Factors, values: Store) -> None:
        """Set a copy of all factors to those of all vertices, in their order."""
        self._make("begin", 0, new=factors, more=self._given | {"first": values})
        runtime.finish()
        self._check()

    def new_factors(self) -> Factors:
        """Return a copy that is in no use."""
        return self._spare.pop()

    def solve(self, side: int, old: Factors, new: Factors) -> Sums:
        """Least squares for the vertices of one side; ``new`` has the other side's factors then, too.

        The sums are those of a whole iteration, and there after its second launch, that of the right side.
        """
        if side == LEFT:
            self._make("left", 1, old=old, new=new, more={"sums": self._sums[0]})
            return Sums(0.0, 0.0, 0.0, np.zeros(self.parts))
        self._make("right", 1, old=old, new=new, more={"before": self._sums[0], "sums": self._sums[1]})
        old.sides[LEFT], new.sides[LEFT] = new.sides[LEFT], old.sides[LEFT]
        return self._read(self._sums[1])

    def descend(self, rate: float, old: Factors, new: Factors, *, scaled: bool) -> Sums:  # noqa: ARG002  # in the plan
        """One step of gradient descent for all vertices; the sums are those of the old factors."""
        self._plans["step"].change([self._at["rate"]], word_of(rate, "double"))
        self._make("step", 1, old=old, new=new, more={"sums": self._sums[0]})
        return self._read(self._sums[0])

    def read(self, factors: Factors) -> Store:
        """Return the factors of all vertices, in their order."""
        found = self.matrix.new_factors()
        self._make("end", 1, old=factors, more={"result": found})
        runtime.finish()
        self._check()
        return found

    def _make(
        self,
        name: str,
        number: int,
        *,
        old: Factors | None = None,
        new: Factors | None = None,
        more: Mapping[str, Store] = MappingProxyType({}),
    ) -> None:
        stores = dict(more)
        for role, factors in (("old", old), ("new", new)):
            stores |= {f"{role}_{side}": store for side, store in enumerate(factors.sides)} if factors else {}
        self._launchers[name](self.parts, **self._rectangles, **stores, key=self._key_of[name], number=number)

    def _read(self, store: Store) -> Sums:
        rows = runtime.to_array(store).reshape(self.parts, SUMS)
        self._done += 1
        if runtime.ranks() == 1 or self._done % CHECKED == 0:
            self._check()
        if rows[:, 4].tolist() != list(range(1, self.parts + 1)):
            self._check()
            raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        train, test, penalty = rows[:, :3].sum(axis=0).tolist()
        return Sums(train, test, penalty, rows[:, 3].copy())

    def _check(self) -> None:
        """Raise what has failed on any GPU, on every process."""
        error = None
        try:
            for name, plan in self._plans.items():
                plan.report(self._key_of[name], nbytes=0)
        except LuxError as failed:
            error = failed
        runtime.raise_on_all_ranks(error)

    def _copy(self) -> Factors:
        left, right = (
            runtime.new_store(self.problem.dtype, int(self.side_points[side, -1]) * self._row, touched=False)
            for side in (LEFT, RIGHT)
        )
        return Factors(*(allocated(store, self.parts, zero_copy=False) for store in (left, right)))

    def _row_of_sums(self) -> Store:
        return allocated(runtime.new_store(np.float64, self.parts * SUMS, touched=False), self.parts, zero_copy=True)
