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
from lux.kernels import frontier as fr
from lux.runtime import Launcher, Store

LAUNCHES_PER_READ = 4
"""With several partitions: launches between two looks at how far they are, each of which is read after as many launches
more. A look costs as much as a launch, and up to seven launches after the end do nothing."""
FIRST_LOOK = 2
"""Launches after which a run that may move its partitions looks first, and waits: the driver is still at work during
the first iteration, on the cores that the partitions want."""


@dataclass(frozen=True)
class Snapshot:
    """The state of a run.

    Attributes
    ----------
    iterations : int
        Those that are done.
    finished : bool
        A launch has found that the run is over.
    seconds : np.ndarray of shape (parts,), float64
        What an iteration of each partition usually takes, since the run began or partitions moved.
    """

    iterations: int
    finished: bool
    seconds: NDArray[np.float64]


class ConvergenceMonitor:
    """When the driver looks, and what it sees.

    Parameters
    ----------
    eager : bool
        Partitions may have to move: the first look is earlier, and waited for.
    """

    def __init__(self, *, eager: bool) -> None:
        self._pending: tuple[int, Store] | None = None
        self._eager = eager
        self._due = FIRST_LOOK if eager else LAUNCHES_PER_READ

    def due(self, launched: int) -> bool:
        """Whether it is time to `see`."""
        return launched >= self._due

    def see(self, launched: int, state: Store) -> Snapshot | None:
        """Launch a look at ``state``, which the latest launch writes, and wait for the look before it, if there is one.

        An eager look is waited for itself.
        """
        key, done = runtime.register({}), runtime.new_scalar()
        _look()(runtime.ranks(), state=state, done=done, key=key)
        before, self._pending = self._pending, (key, done)
        if self._eager:
            before, self._pending, self._eager = self._pending, None, False
        self._due = launched + LAUNCHES_PER_READ
        return None if before is None else _seen(*before)

    def restart(self, launched: int) -> None:
        """Partitions have moved, and nothing is under way."""
        self.close()
        self._eager, self._due = True, launched + FIRST_LOOK

    def close(self) -> None:
        """Forget a look that nobody has waited for; nothing is under way."""
        if self._pending is not None:
            runtime.unregister(self._pending[0])
            self._pending = None


def _seen(key: int, done: Store) -> Snapshot:
    runtime.read_scalar(done)
    state = runtime.context(key)["state"].reshape(-1, fr.STATE_COLUMNS)
    runtime.unregister(key)
    row = state[0]
    return Snapshot(int(row[fr.ITERATIONS]), bool(row[fr.FINISHED] != fr.RUNNING), state[:, fr.NANOSECONDS] * 1e-9)


@functools.cache
def _look() -> Launcher:
    def look(_point: int, state: NDArray[np.int64], done: NDArray[np.int64], key: int) -> None:
        runtime.context(key)["state"] = state.copy()
        done[0] += 1

    made = Launcher(look, inputs={"state": None}, sums={"done": None}, scalars={"key": int})
    return runtime.internal(made)
