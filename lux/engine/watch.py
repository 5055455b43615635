# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Looking at what partitions took while launches go on.

A look is a launch that copies the state of the run to every rank; the driver waits for it after one launch more, so
that processors have work meanwhile. All ranks see the same seconds, as those come out of a store.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.kernels import frontier as fr
from lux.runtime import Launcher, Store

MOST_LAUNCHES_PER_LOOK = 64
"""Launches between two looks at most; there is one at first, and twice as many after each that moved nothing."""

NEVER = 2**62


class Watch:
    """When the driver looks, and what it sees."""

    def __init__(self) -> None:
        self._pending: tuple[int, Store] | None = None
        self._interval = self._due = 1
        self._iterations = 0
        self._nanoseconds: NDArray[np.int64] | int = 0

    def look(self, launched: int, state: Store) -> None:
        """Launch a look at ``state``, which the latest launch writes, if one is due after so many launches."""
        if self._pending is None and launched >= self._due:
            key, seen = runtime.share({}), runtime.new_scalar()
            _look()(runtime.processors(), state=state, seen=seen, key=key)
            self._pending = key, seen

    def see(self) -> tuple[int, NDArray[np.float64]] | None:
        """Wait for the look.

        Returns
        -------
        iterations : int
            Those that were done.
        seconds : np.ndarray of shape (parts,)
            Mean over the iterations since the look before, or since partitions moved.
        None
            There was no look, or the run had finished.
        """
        if self._pending is None:
            return None
        (key, seen), self._pending = self._pending, None
        runtime.read_scalar(seen)
        state = runtime.shared(key)["state"].reshape(-1, fr.STATE_COLUMNS)
        runtime.unshare(key)
        iterations, before = int(state[0, fr.ITERATIONS]), self._iterations
        if state[0, fr.FINISHED] != fr.RUNNING:
            self._due = NEVER
            return None
        nanoseconds = state[:, fr.NANOSECONDS]
        seconds = (nanoseconds - self._nanoseconds) * 1e-9 / (iterations - before)
        self._iterations, self._nanoseconds = iterations, nanoseconds
        return iterations, seconds

    def next(self, launched: int, *, moved: bool) -> None:
        """Say when the next look is due; where partitions ``moved``, times are counted anew."""
        if moved:
            self._iterations, self._nanoseconds = launched, 0
        self._interval = 1 if moved else min(2 * self._interval, MOST_LAUNCHES_PER_LOOK)
        self._due = launched + self._interval


@functools.cache
def _look() -> Launcher:
    def look(point: int, state: NDArray[np.int64], seen: NDArray[np.int64], key: int) -> None:
        found = runtime.shared(key)
        if found.setdefault("point", point) == point:  # one point of each process
            found["state"] = state.copy()
        seen[0] += 1

    return Launcher(look, inputs={"state": None}, sums={"seen": None}, scalars={"key": int})
