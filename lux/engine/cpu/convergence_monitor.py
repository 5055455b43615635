# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Convergence monitor: reads a run's state while launches go on, to see its end and its partitions' seconds.

A read is a launch that copies the state of the run to every rank. The driver waits for it only after further launches,
so that Legion always has launches to prepare while the last ones run. All ranks see the same state, as it comes out of
a store.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.kernels import frontier as fr
from lux.runtime import Store

LAUNCHES_PER_READ = 4
"""Launches between two reads of the state on several partitions; each read is waited for after as many launches more. A
read costs as much as a launch, and up to seven launches after the end do nothing.
"""
FIRST_LOOK = 2
"""Launches after which a run that may repartition reads first, and waits: the driver is still at work during the first
iteration, on the cores that the partitions want.
"""


@dataclass(frozen=True)
class Snapshot:
    """The state of a run at one time.

    Attributes
    ----------
    iterations : int
        Iterations that are done.
    finished : bool
        True if a launch has found that the run is over.
    seconds : np.ndarray of shape (parts,), float64
        Smoothed seconds of an iteration of each partition, since the run began or partitions moved.
    """

    iterations: int
    finished: bool
    seconds: NDArray[np.float64]


class ConvergenceMonitor:
    """Schedule and results of the driver's reads of the state.

    Parameters
    ----------
    eager : bool
        True if partitions may have to move: the first read is earlier, and waited for.
    """

    def __init__(self, *, eager: bool) -> None:
        self._pending: tuple[int, Store] | None = None
        self._eager = eager
        self._due = FIRST_LOOK if eager else LAUNCHES_PER_READ

    def due(self, launched: int) -> bool:
        """Tell whether it is time to `see`."""
        return launched >= self._due

    def see(self, launched: int, state: Store) -> Snapshot | None:
        """Launch a read of ``state``, which the latest launch writes, and wait for the read before it, if there is one.

        An eager read is itself waited for.
        """
        key, done = runtime.register({}), runtime.new_scalar()
        _look(runtime.ranks(), state=state, done=done, key=key)
        before, self._pending = self._pending, (key, done)
        if self._eager:
            before, self._pending, self._eager = self._pending, None, False
        self._due = launched + LAUNCHES_PER_READ
        return None if before is None else _seen(*before)

    def restart(self, launched: int) -> None:
        """Restart after partitions have moved; no launch is under way."""
        self.close()
        self._eager, self._due = True, launched + FIRST_LOOK

    def close(self) -> None:
        """Drop a read that nobody has waited for; no launch is under way."""
        if self._pending is not None:
            runtime.unregister(self._pending[0])
            self._pending = None


def _seen(key: int, done: Store) -> Snapshot:
    runtime.read_scalar(done)
    state = runtime.context(key)["state"].reshape(-1, fr.STATE_COLUMNS)
    runtime.unregister(key)
    row = state[0]
    return Snapshot(int(row[fr.ITERATIONS]), bool(row[fr.FINISHED] != fr.RUNNING), state[:, fr.NANOSECONDS] * 1e-9)


@runtime.internal
@runtime.task(inputs={"state": None}, sums={"done": None}, scalars={"key": int})
def _look(_point: int, state: NDArray[np.int64], done: NDArray[np.int64], key: int) -> None:
    runtime.context(key)["state"] = state.copy()
    done[0] += 1
