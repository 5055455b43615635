# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Looking at a run while launches go on: whether it is over, and what its partitions took.

A look is a launch that copies the state of the run to every rank. The driver waits for it only when it has launched
more, so that Legion always has launches to prepare while the last ones run. All ranks see the same, as it comes out
of a store.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.loop import LAUNCHES_PER_READ
from lux.kernels import frontier as fr
from lux.runtime import Launcher, Store

MOST_ITERATIONS_PER_MEAN = 64
"""Iterations over which seconds are averaged at most: one at first, and twice as many after each mean."""


@dataclass(frozen=True)
class Seen:
    """The state of a run.

    Attributes
    ----------
    iterations : int
        Those that are done.
    finished : bool
        A launch has found that the run is over.
    nanoseconds : np.ndarray of shape (parts,), int64
        What each partition took since the run began or partitions moved.
    """

    iterations: int
    finished: bool
    nanoseconds: NDArray[np.int64]


class Watch:
    """When the driver looks, and when it reads what the look saw.

    Parameters
    ----------
    eager : bool
        The first looks are read sooner, as partitions may have to move.
    """

    def __init__(self, *, eager: bool) -> None:
        self._interval = 1 if eager else LAUNCHES_PER_READ
        self._due = self._interval
        self._pending: tuple[int, Store] | None = None

    def due(self, launched: int) -> bool:
        """Whether it is time to read the last look and to launch another."""
        return launched >= self._due

    def look(self, launched: int, state: Store) -> None:
        """Launch a look at ``state``, which the latest launch writes."""
        key, seen = runtime.share({}), runtime.new_scalar()
        _look()(runtime.ranks(), state=state, seen=seen, key=key)
        self._pending = key, seen
        self._due = launched + self._interval
        self._interval = min(2 * self._interval, LAUNCHES_PER_READ)

    def see(self) -> Seen | None:
        """Wait for the last look; None if there was none."""
        if self._pending is None:
            return None
        (key, seen), self._pending = self._pending, None
        runtime.read_scalar(seen)
        state = runtime.shared(key)["state"].reshape(-1, fr.STATE_COLUMNS)
        runtime.unshare(key)
        row = state[0]
        return Seen(int(row[fr.ITERATIONS]), bool(row[fr.FINISHED] != fr.RUNNING), state[:, fr.NANOSECONDS])

    def restart(self, launched: int) -> None:
        """Partitions have moved: look after the next launch, and read that soon."""
        self._interval, self._due = 1, launched + 1


class Mean:
    """Seconds of partitions, averaged over so many iterations that chance has little part in them."""

    def __init__(self) -> None:
        self._length = 1
        self._iterations = 0
        self._nanoseconds: NDArray[np.int64] | int = 0

    def add(self, seen: Seen) -> tuple[int, NDArray[np.float64]] | None:
        """How many iterations there were since the last mean, and each partition's seconds in one; None: too few."""
        iterations = seen.iterations - self._iterations
        if iterations < self._length:
            return None
        seconds = np.asarray(seen.nanoseconds - self._nanoseconds, np.float64) * (1e-9 / iterations)
        self._iterations, self._nanoseconds = seen.iterations, seen.nanoseconds
        self._length = min(2 * self._length, MOST_ITERATIONS_PER_MEAN)
        return iterations, seconds

    def restart(self, iterations: int) -> None:
        """Partitions have moved after so many iterations, and their times count from 0 again."""
        self._length, self._iterations, self._nanoseconds = 1, iterations, 0


@functools.cache
def _look() -> Launcher:
    def look(_point: int, state: NDArray[np.int64], seen: NDArray[np.int64], key: int) -> None:
        runtime.shared(key)["state"] = state.copy()
        seen[0] += 1

    return Launcher(look, inputs={"state": None}, sums={"seen": None}, scalars={"key": int})
