# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Overlapped repartitioning: prepares moves while iterations go on, unless these are slow, on the GPUs of one process.

GPUs do not wait for the driver: while it looks, decides, and prepares the launches on new partitions, iterations go on
as they were, a few launched ahead. To prepare is to cut the rows into work, to make members of INS and local ids from
those there are, and to have Legion bring what a run only reads to where it will be read. Iterations stop when all that
is left to do is to bring them the values.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.gpu.part_launches import MAX_STATISTICS_ROWS
from lux.engine.gpu.parts import LAUNCHES_IN_FLIGHT
from lux.engine.repartition.repartition_loop import SHORT_OF_MEMORY, RepartitionLoop
from lux.kernels import frontier as fr

if TYPE_CHECKING:
    from collections.abc import Callable

    from lux.engine.repartition.epoch import Epoch
    from lux.engine.repartition.repartitionable_run import RepartitionableRun
    from lux.partition.repartitioner import RepartitionDecision

SHORT = 2
"""Iterations of a launch until the first read and while a move is prepared, if launches have several: an even number,
as two copies swap roles. Preparations on GPUs wait for the end of a launch.
"""
HELD = 4
"""Iterations that are launched ahead meanwhile, as later ones may be on other partitions."""
SLOW = 10e-3
"""Seconds of an iteration from which on none is launched while a move is prepared: each step of the preparation would
wait for two of them, and the gain for all. The first read is an iteration earlier, too.
"""


class OverlappedRepartition(RepartitionLoop):
    """Repartition loop that reads without waiting, and moves while launches go on."""

    _stops = False
    """True if nothing more is launched while a move is prepared."""
    _idle_since: float | None = None
    """Time when all launches had ended in that case."""

    def _wait(self, epoch: Epoch) -> None:
        first, enough = epoch.noted == epoch.begun, self._enough(epoch)
        while True:
            slow = first and self.done > epoch.begun and epoch.first_seconds >= SLOW
            if not slow:
                self._launch(epoch, held=first)
            self._look(epoch)
            if self.finished != fr.RUNNING:
                runtime.finish()
                epoch.check()
                return
            if self.done >= enough - slow or self.save_is_due:
                return

    def _launch(self, epoch: Epoch, *, held: bool) -> None:
        """Launch as far ahead as possible: not far if later iterations may be on other partitions (``held``)."""
        most = self.run.iterations_per_launch
        iterations = min(SHORT if held else most, most)
        ahead = HELD if held else LAUNCHES_IN_FLIGHT if most == 1 else MAX_STATISTICS_ROWS // 2 + iterations
        while epoch.scheduled <= self.run.limit and epoch.scheduled + iterations - self.done <= ahead:
            if epoch.scheduled + iterations > epoch.noted + MAX_STATISTICS_ROWS:  # a report has room for so many rows
                return
            epoch.step(iterations)

    def _look(self, epoch: Epoch) -> None:
        super()._look(epoch)
        if self.done - epoch.noted > MAX_STATISTICS_ROWS // 4:
            self._note(epoch, self.done - 1)  # the last row may be on its way

    def decide(self, epoch: Epoch) -> RepartitionDecision | None:
        """Decide by the rows that are there for certain."""
        self._note(epoch, self.done - 1)  # as above
        return super().decide(epoch)

    def _cost_of(self, before: NDArray[np.int64], after: NDArray[np.int64], nodes: NDArray[np.int64]) -> float:
        """Predict the cost; slow iterations wait for everything: as long as the last move took to prepare."""
        preparing = self.preparing.get(self.run.form, 0.0) if self._is_slow() else 0.0
        return super()._cost_of(before, after, nodes) + preparing

    def _is_slow(self) -> bool:
        return self.smoothed is not None and bool(self.smoothed.max() >= SLOW)

    def move(self, epoch: Epoch, decision: RepartitionDecision) -> Epoch:
        """Begin an epoch at other split points, which is prepared while iterations of this one go on."""
        run = epoch.run.moved(decision.after)
        began = time.perf_counter()
        try:
            preloaded = self._preload(epoch, run)
            if not self._has_room(epoch, run):
                self._instead(phase="none", why=SHORT_OF_MEMORY)
                return epoch
            after = self._prepare(epoch, run)
            runtime.finish()
            prepared = self._idle_since or time.perf_counter()
            self.lasting.append(run.lasting)
        finally:
            runtime.finish()
            run.relocation.close()
        epoch.check()
        self.done, self.finished = epoch.outcome()
        self._note(epoch, self.done)
        if self.finished != fr.RUNNING:
            self._instead(phase="none", why="the run is over")
            self._close(after)
            return epoch
        fields, run.left = epoch.left(self.done)
        self.loads.append(epoch.loads())
        after.resume(fields, self.done)
        after.begin()
        runtime.finish()
        after.check()
        self._close(epoch)
        moving = time.perf_counter() - prepared
        if self.cost is not None and decision.cost > 0 and not self._stops:
            self.cost.learn(decision.cost, moving)
        if preloaded:  # else something was compiled and loaded, too
            self.preparing[run.form] = prepared - began + (moving if self._stops else 0.0)
        self._instead(moving_seconds=moving, preparing_seconds=prepared - began, moved_after=self.done)
        self.smoothed = None
        return after

    def _preload(self, epoch: Epoch, run: RepartitionableRun) -> bool:
        """Have GPUs load the kernels of moves, and count edges with the first of them, while the run goes on.

        Returns whether GPUs had the kernels already.
        """
        self._stops, self._idle_since = self._is_slow(), None
        compiled = run.start_background_build()
        self.go_on(epoch, compiled.done)
        compiled.result()
        preloaded = run.preload_kernels()
        run.count_edges(epoch.run.layout, lambda ready: self.go_on(epoch, ready))
        return preloaded

    def _prepare(self, epoch: Epoch, run: RepartitionableRun) -> Epoch:
        """Prepare a run at other split points, while this one goes on; returns its epoch."""
        run.relocate(epoch.run.layout, lambda ready: self.go_on(epoch, ready))
        self.go_on(epoch)
        fields, run.left = epoch.left(self.done)
        after = self.open(run, fields)
        self.go_on(epoch)
        after.issue_load()
        self.go_on(epoch, after.loaded)
        return after

    def go_on(self, epoch: Epoch, ready: Callable[[], bool] = lambda: True) -> None:
        """Have iterations go on until something is ready, with a read at least; only launched ones if they are slow."""
        while True:
            if not self._stops:
                self._launch(epoch, held=True)
            self._look(epoch)
            if self._stops and self._idle_since is None and self.done >= epoch.scheduled:
                self._idle_since = time.perf_counter()
            if ready():
                return
