# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Iterations of a factorization that the host decides, one by one, from the sums of launches.

The rules are those of `lux.algorithms.factorization.iteration_kernels` and of `factors.cu`, which decide inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.factorization.rating_matrix import RatingMatrix, Sums
from lux.algorithms.factorization.steps import (
    BEST,
    ERROR,
    FASTER,
    ITERATION,
    LAST,
    LOWEST,
    NOW,
    OBJECTIVE,
    RATE,
    REFERENCE,
    ROUNDING,
    SINCE,
    SLOWER,
    Limits,
    Step,
    first_state,
    needed_slots,
    saved_factors,
)
from lux.graph.sides import LEFT, RIGHT

if TYPE_CHECKING:
    from lux.io.saved.state import SavedState
    from lux.runtime import Store


class Launches(Protocol):
    """Launches of one iteration, which read a copy of all factors and write another."""

    matrix: RatingMatrix

    def new_factors(self) -> Any:
        """Return a copy that is in no use."""

    def descend(self, rate: float, old: Any, new: Any, *, scaled: bool) -> Sums:
        """Take one step of gradient descent; the sums are those of the old factors."""

    def write(self, factors: Any, values: Store) -> None:
        """Set a copy to the factors of all vertices, in the order in which the graph is stored."""

    def read(self, factors: Any) -> Store:
        """Return the factors of all vertices, in that order."""


class LeastSquares(Launches, Protocol):
    """Launches that solve, too."""

    def solve(self, side: int, old: Any, new: Any) -> Sums:
        """Solve least squares for one side; ``new`` has the other side's factors then, too."""


class HostIterations:
    """A run whose slots are copies of all factors, made when they are needed.

    Parameters
    ----------
    launches : Launches
        Of least squares, `LeastSquares`.
    method : {"als", "gd"}
    limits : Limits

    Attributes
    ----------
    state : np.ndarray of shape (STATE,)
        What decides the next iteration (`lux.algorithms.factorization.steps`).
    """

    def __init__(self, launches: Launches, method: str, limits: Limits) -> None:
        self.launches, self.method, self.limits = launches, method, limits
        self.state = first_state(method, limits.rate)
        self._copies: list[Any] = []

    def begin(self, values: Store) -> None:
        """Begin with the factors of all vertices."""
        self.launches.write(self._copy(0), values)

    def restore(self, state: NDArray[np.float64], saved: SavedState) -> None:
        """Begin at a state and the slots of a checkpoint."""
        self.state[:] = state
        for slot in needed_slots(state):
            self.launches.write(self._copy(slot), saved_factors(self.launches.matrix, saved, slot))

    def steps(self, between: Callable[[], object] = lambda: None) -> Generator[Step]:
        """Yield the report of each iteration, without end; ``between`` is called between two of them."""
        while True:
            yield self._solve() if self.method == "als" else self._descend()
            between()

    def factors(self, slot: int) -> Store:
        """Return the factors of all vertices in a slot, as a store."""
        return self.launches.read(self._copies[slot])

    def result(self) -> Store:
        """Return the best factors in a store."""
        return self.factors(int(self.state[BEST]))

    def _copy(self, slot: int) -> Any:
        while len(self._copies) <= slot:
            self._copies.append(self.launches.new_factors())
        return self._copies[slot]

    def _unused(self, *needed: int) -> int:
        """Return the first slot that is neither the best nor among those ``needed``."""
        taken, slot = {*needed, int(self.state[BEST])}, 0
        while slot in taken:
            slot += 1
        return slot

    def _solve(self) -> Step:
        launches, now = cast("LeastSquares", self.launches), int(self.state[NOW])
        half = self._unused(now)
        left = launches.solve(LEFT, self._copy(now), self._copy(half))
        ahead = self._unused(half)
        right = launches.solve(RIGHT, self._copy(half), self._copy(ahead))
        self.state[[NOW, LAST]] = ahead
        penalty, seconds = left.penalty + right.penalty, left.seconds + right.seconds
        return self._decide(Sums(right.train_error, right.test_error, penalty, seconds), accepted=True)

    def _descend(self) -> Step:
        state, scaled = self.state, self.limits.scaled
        now, last = int(state[NOW]), int(state[LAST])
        ahead = self._unused(now, last)
        sums = self.launches.descend(float(state[RATE]), self._copy(now), self._copy(ahead), scaled=scaled)
        accepted = not scaled or sums.objective <= state[OBJECTIVE] * (1 + ROUNDING)
        state[[LAST, NOW]] = (now, ahead) if accepted else (last, last)
        if scaled:
            state[RATE] *= FASTER if accepted else SLOWER
        return self._decide(sums, accepted=accepted)

    def _decide(self, sums: Sums, *, accepted: bool) -> Step:
        """Keep the best factors, and count the iterations since the error has improved."""
        state, n_test = self.state, self.launches.matrix.n_test
        if accepted:
            error = math.sqrt(sums.test_error / n_test) if n_test else sums.objective
            state[[OBJECTIVE, ERROR]] = sums.objective, error
        error = state[ERROR]
        state[SINCE] += 1
        if error < state[REFERENCE] * (1 - self.limits.tol):
            state[[REFERENCE, SINCE]] = error, 0
        if error < state[LOWEST] or state[BEST] < 0:
            state[BEST] = state[LAST]
        state[LOWEST] = min(error, state[LOWEST])
        state[ITERATION] += 1
        slot, best = int(state[LAST]), int(state[BEST])
        return Step(sums.train_error, sums.test_error, sums.penalty, sums.seconds, slot, accepted, best)
