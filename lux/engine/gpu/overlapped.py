# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Moves that are prepared while iterations go on, on the GPUs of one process.

GPUs do not wait for the driver: while it looks, decides, and prepares the launches on new partitions, iterations go on
as they were, a few launched ahead. To prepare is to cut the rows into work, to make members of INS and local ids from
those there are, and to have Legion bring what a run only reads to where it will be read. Iterations stop when all that
is left to do is to bring them the values.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lux import runtime
from lux.engine.gpu.moving import SHORT_OF_MEMORY, Driver
from lux.engine.gpu.part_launches import NOTED
from lux.engine.gpu.parts import AHEAD
from lux.kernels import frontier as fr

if TYPE_CHECKING:
    from collections.abc import Callable

    from lux.engine.balance import Decision
    from lux.engine.gpu.movable import MovingRun
    from lux.engine.gpu.stretch import Stretch

SHORT = 2
"""Iterations of a launch until the first look and while a move is prepared, where launches have several: an even
number, as two copies swap roles. What GPUs do to prepare a move waits for the end of a launch."""
HELD = 4
"""Iterations that are launched ahead meanwhile, as those that follow may be on other partitions."""


class Overlapped(Driver):
    """Looks without waiting, and moves while launches go on."""

    def _wait(self, stretch: Stretch) -> None:
        first, enough = stretch.noted == stretch.begun, self._enough(stretch)
        while True:
            self._launch(stretch, held=first)
            self._look(stretch)
            if self.finished != fr.RUNNING:
                runtime.finish()
                stretch.check()
                return
            if self.done >= enough:
                return

    def _launch(self, stretch: Stretch, *, held: bool) -> None:
        """Launch as far ahead as may be: not far where those that follow may be on other partitions (``held``)."""
        most_turns = self.run.turns
        turns = min(SHORT if held else most_turns, most_turns)
        ahead = HELD if held else AHEAD if most_turns == 1 else NOTED // 2 + turns
        while stretch.scheduled <= self.run.limit and stretch.scheduled + turns - self.done <= ahead:
            if stretch.scheduled + turns > stretch.noted + NOTED:  # a report has room for so many rows
                return
            stretch.step(turns)

    def _look(self, stretch: Stretch) -> None:
        super()._look(stretch)
        if self.done - stretch.noted > NOTED // 4:
            self._note(stretch, self.done - 1)  # the last row may be on its way

    def _decide(self, stretch: Stretch) -> Decision | None:
        self._note(stretch, self.done - 1)  # as above
        return super()._decide(stretch)

    def _move(self, stretch: Stretch, decision: Decision) -> Stretch:
        run = stretch.run.moved(decision.after)
        if not self._has_room(stretch, run):
            self._instead(phase="none", why=SHORT_OF_MEMORY)
            return stretch
        began = time.perf_counter()
        try:
            after, primed = self._prepare(stretch, run)
            runtime.finish()
            prepared = time.perf_counter()
            self.lasting.append(run.lasting)
        finally:
            runtime.finish()
            run.relocation.close()
        stretch.check()
        self.done, self.finished = stretch.outcome()
        self._note(stretch, self.done)
        if self.finished != fr.RUNNING:
            self._instead(phase="none", why="the run is over")
            self._close(after)
            return stretch
        fields, run.left = stretch.left(self.done)
        self.loads.append(stretch.loads())
        after.resume(fields, self.done)
        after.begin()
        runtime.finish()
        after.check()
        self._close(stretch)
        moving = time.perf_counter() - prepared
        if self.cost is not None and decision.cost > 0:
            self.cost.learn(decision.cost, moving)
        if primed:  # else something was compiled and loaded, too
            self._preparing[run.form] = prepared - began
        self._instead(moving_seconds=moving, preparing_seconds=prepared - began, moved_after=self.done)
        self.usual = None
        return after

    def _prepare(self, stretch: Stretch, run: MovingRun) -> tuple[Stretch, bool]:
        """Make what a run at other split points needs, while this one goes on.

        Returns its stretch, and whether GPUs had the kernels of moves already.
        """
        compiled, laid = run.making()
        self._go_on(stretch, compiled.done)
        compiled.result()
        primed = run.prime()
        self._go_on(stretch)
        run.relocate(stretch.run.layout, lambda ready: self._go_on(stretch, ready))
        self._go_on(stretch, laid.done)
        run.take(laid.result())
        self._go_on(stretch)
        fields, run.left = stretch.left(self.done)
        after = self._open(run, fields)
        self._go_on(stretch)
        after.issue_load()
        self._go_on(stretch, after.loaded)
        return after, primed

    def _go_on(self, stretch: Stretch, ready: Callable[[], bool] = lambda: True) -> None:
        """Have iterations go on until something is ready, and at least look once."""
        while True:
            self._launch(stretch, held=True)
            self._look(stretch)
            if ready():
                return
