# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""State, reports and limits of a factorization, alike on GPUs and on CPU cores."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lux.algorithms.factorization.rating_matrix import RatingMatrix
    from lux.io.saved.state import SavedState
    from lux.runtime import Store

ITERATION, NOW, LAST, BEST, RATE, OBJECTIVE, LOWEST, REFERENCE, SINCE, FINISHED, ERROR = range(11)
STATE = 11
"""Numbers that decide what comes next (`factors.cu` has the same): the next iteration; the slots that it begins with,
of the last factors that were accepted, and of the best (-1: none yet); the rate; the objective, the lowest error, and
the one that must be improved on; how many iterations ago that was; whether the run has ended; and the error of the
accepted factors."""
FASTER, SLOWER = 1.05, 0.5
"""Factors of the rate of gradient descent after a step that was accepted, and one that was not."""
ROUNDING = 1e-6
"""By how much an objective may seem to rise, relative to it, without being taken for a rise."""


@dataclass(frozen=True)
class Step:
    """Report of an iteration.

    Attributes
    ----------
    train_error, test_error, penalty : float
        Sums of the factors that it began with (gradient descent) or led to (least squares).
    seconds : np.ndarray of shape (parts,)
    slot, best : int
        The factors that the last accepted step led to (of gradient descent, began with), and the best.
    accepted : bool
    """

    train_error: float
    test_error: float
    penalty: float
    seconds: NDArray[np.float64]
    slot: int
    accepted: bool
    best: int


@dataclass(frozen=True)
class Limits:
    """Limits of a run, and its first rate; as in `lux.algorithms.factorization.minimize.follow`."""

    max_iter: int
    tol: float
    patience: int
    rate: float
    scaled: bool


class Iterations(Protocol):
    """A run of a factorization on any processors, between whose launches checkpoints are saved."""

    @property
    def state(self) -> NDArray[np.float64]:
        """Return the numbers that decide the next iteration, of shape (STATE,)."""

    def steps(self, between: Callable[[], object]) -> Generator[Step]:
        """Yield the report of each iteration; ``between`` is called between launches."""

    def restore(self, state: NDArray[np.float64], saved: SavedState) -> None:
        """Begin at a state and the slots of a checkpoint."""

    def factors(self, slot: int) -> Store:
        """Return the factors of all vertices in a slot, in the order in which the graph is stored."""

    def result(self) -> Store:
        """Return the best factors."""


def first_state(method: str, rate: float) -> NDArray[np.float64]:
    """Return the state of a run that begins, of shape (STATE,).

    Iterations of least squares count from 1; the first one of gradient descent finds the errors of the first factors.

    >>> first_state("als", 1.0)[[ITERATION, BEST, RATE, LOWEST]].tolist()
    [1.0, -1.0, 1.0, inf]
    """
    state = np.zeros(STATE)
    state[[ITERATION, BEST, RATE]] = int(method == "als"), -1, rate
    state[[OBJECTIVE, LOWEST, REFERENCE, ERROR]] = np.inf
    return state


def needed_slots(state: NDArray[np.float64]) -> list[int]:
    """Return the slots whose factors later iterations read, or the end of the run.

    >>> needed_slots(first_state("gd", 1.0))
    [0]
    """
    return sorted({int(state[column]) for column in (NOW, LAST, BEST)} - {-1})


def renumbered(state: NDArray[np.float64]) -> tuple[NDArray[np.float64], dict[int, int]]:
    """Return a state whose needed slots are numbered from 0, and the new number of each.

    >>> state = first_state("gd", 1.0)
    >>> state[[NOW, LAST, BEST]] = 3, 1, 3
    >>> found, numbers = renumbered(state)
    >>> found[[NOW, LAST, BEST]].tolist(), numbers
    ([1.0, 0.0, 1.0], {1: 0, 3: 1})
    """
    numbers = {slot: k for k, slot in enumerate(needed_slots(state))}
    found = state.copy()
    for column in (NOW, LAST, BEST):
        found[column] = numbers.get(int(state[column]), -1)
    return found, numbers


def saved_factors(matrix: RatingMatrix, saved: SavedState, slot: int) -> Store:
    """Read the factors of all vertices that a checkpoint has in a slot."""
    found = matrix.new_factors()
    saved.read(f"slot {slot}", found)
    return found
