# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Moving the split points of a run on GPUs where that pays (section 5 of the Lux paper).

Kernels report the seconds of each iteration; `lux.engine.balance` decides, as it does on CPU cores. The launches
between two moves are a stretch, which has a layout, addresses and kernels' arguments of its own. Fields are whole
stores: the first launch of a stretch takes them at the new split points, and Legion copies what other GPUs need from
now on. The state and the frontier are translated by the kernel of that launch (``resume.cuh``).

GPUs do not wait for the driver: while it looks, decides, and prepares the launches on new partitions, iterations go on
as they were, a few launched ahead. To prepare is to cut the rows into work, to make members of INS and local ids from
those there are, and to have Legion bring what a run only reads to where it will be read. Iterations stop when all that
is left to do is to bring them the values.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux import runtime
from lux.engine.balance import BALANCED, EXPECTED_ITERATIONS, LEAST_GAIN, Balancer, Decision
from lux.engine.gpu.part_launches import NOTED
from lux.engine.gpu.parts import AHEAD, Loads
from lux.engine.gpu.stretch import Stretch
from lux.engine.weight_curve import WeightCurve
from lux.kernels import frontier as fr

if TYPE_CHECKING:
    from collections.abc import Callable

    from lux.engine.gpu.movable import MovingRun
    from lux.engine.moving import MoveCost
    from lux.engine.run import Progress, Run

FIRST_LOOK = 3
"""Iterations of a stretch after which it is looked at the seconds, of all but the last of them."""
SHORT = 2
"""Iterations of a launch until then and while a move is prepared, where launches have several: an even number, as two
copies swap roles. What GPUs do to prepare a move waits for the end of a launch."""
HELD = 4
"""Iterations that are launched ahead meanwhile, as those that follow may be on other partitions."""
LOOKS = 8
"""Iterations between later looks, at least; twice as many after each that moves nothing."""
FILLED = 0.95
"""Part of a GPU's memory that may be filled where partitions move: what is new is allocated while kernels use what
Legion believes idle, which it must have no reason to take back."""


class Driver:
    """One run: stretches, and the decisions between them."""

    _preparing: ClassVar[dict[str, float]] = {}
    """Seconds for which the last move of each form was prepared, in this process."""

    def __init__(self, run: MovingRun, scope: str, progress: Progress | None) -> None:
        self.run, self.scope, self.progress = run, scope, progress
        self.done, self.finished, run.samples = 0, fr.RUNNING, True
        self.decisions: list[Decision] = []
        self.rows: list[NDArray[np.float64]] = []
        self.loads: list[Loads] = []
        self.usual: NDArray[np.float64] | None = None
        self.balancer: Balancer | None = None
        self.cost: MoveCost | None = None
        self.patience = 1
        # Of all moves of runs on these partitions.
        self.lasting: list[int] = run.layout.keep("lasting on GPUs", lambda _: [])

    def execute(self) -> Run:
        """Run to the end."""
        runtime.check_points(self.run.parts)
        _ = self.run.layout.work  # nothing may be read from stores, which waits for launches, while they go on
        stretch = Stretch(self.run, None, 0)
        stretch.load()
        began = time.perf_counter()
        try:
            stretch.begin()
            while self.finished == fr.RUNNING:
                self._wait(stretch)
                if self.finished != fr.RUNNING:
                    break
                before, decision = stretch, self._decide(stretch)
                if decision is not None and decision.phase != "none":
                    stretch = self._move(stretch, decision)
                self.patience = 2 * self.patience if stretch is before else 1
            seconds = time.perf_counter() - began
            self._note(stretch, self.done)
            self.loads.append(stretch.loads())
        finally:
            runtime.finish()  # kernels use memory that Legion believes idle
            stretch.close()
        table = np.concatenate(self.rows, axis=1)
        how = (self.done, self.finished, seconds, added(self.loads), self.decisions)
        return stretch.run.ended(stretch.fields, table, *how)

    def _wait(self, stretch: Stretch) -> None:
        """Launch until there is something to decide, or the run is over."""
        first = stretch.noted == stretch.begun
        enough = stretch.begun + FIRST_LOOK if first else stretch.noted + LOOKS * self.patience
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
        """See how far the run is."""
        before, (self.done, self.finished) = self.done, stretch.outcome()
        if self.done - stretch.noted > NOTED // 4:
            self._note(stretch, self.done - 1)  # the last row may be on its way
        if self.progress is not None and self.done > before:
            self.progress(self.done)

    def _note(self, stretch: Stretch, done: int) -> None:
        """Keep rows of statistics, and what an iteration usually takes."""
        found = stretch.rows(done)
        self.rows.append(found)
        for seconds in found.reshape(self.run.parts, -1, fr.STATISTICS_COLUMNS)[:, :, 3].T:
            self.usual = usual(self.usual, seconds)

    def _decide(self, stretch: Stretch) -> Decision | None:
        """What to do about the seconds since the last look; None where they say nothing."""
        self._note(stretch, self.done - 1)  # the last row may be on its way
        run, seconds = self.run, self.usual
        if seconds is None or not seconds.any():
            return None
        points = stretch.run.layout.points
        remaining = EXPECTED_ITERATIONS
        if run.ends_after is not None:  # a move gains nothing while it is prepared
            first = stretch.scheduled + int(self._preparing.get(run.form, 0.0) / max(float(seconds.max()), 1e-9))
            remaining = max(run.ends_after - first, 0)
        on_gpus = of_gpus(seconds, runtime.gpus())
        gain = float(on_gpus.max() - on_gpus.mean())
        if gain <= LEAST_GAIN * float(on_gpus.mean()) and (self.balancer is None or len(on_gpus) < len(seconds)):
            why = BALANCED if len(on_gpus) > 1 else "one GPU has all partitions"  # most runs: nothing is made for them
            return self._keep(Decision(self.done, seconds, "none", gain, 0.0, remaining, points, points, 0.0, why=why))
        if self.balancer is None:
            self.cost = run.cost()
            curve = WeightCurve.by_edges(run.layout.work)
            self.balancer = Balancer(curve, self.cost.nodes, self.scope, self.cost)
        pieces = stretch.sampled()
        decide = self.balancer.decide
        return self._keep(decide(points, seconds, iteration=self.done, remaining=remaining, pieces=pieces))

    def _keep(self, decision: Decision) -> Decision:
        self.decisions.append(decision)
        return decision

    def _move(self, stretch: Stretch, decision: Decision) -> Stretch:
        """Begin a stretch at other split points, and see how long GPUs wait for it; the same where that cannot be."""
        run = stretch.run.moved(decision.after)
        first = [] if stretch.run is self.run else [self.run]  # the graph keeps its layout
        if not _fits([*first, stretch.run, run], sum(self.lasting)):
            self.decisions[-1] = replace(decision, phase="none", why="memory for other partitions' edges is short")
            return stretch
        began = time.perf_counter()
        after: list[Stretch] = []
        try:
            primed = self._prepare(stretch, run, after)
            runtime.finish()
            prepared = time.perf_counter()
            self.lasting.append(run.lasting)
            run.relocation.close()
            stretch.check()
            self.done, self.finished = stretch.outcome()
            self._note(stretch, self.done)
            if self.finished != fr.RUNNING:
                self.decisions[-1] = replace(decision, phase="none", why="the run is over")
                after[0].close()
                return stretch
            fields, run.left = stretch.left(self.done)
            self.loads.append(stretch.loads())
            after[0].resume(fields, self.done)
            after[0].begin()
            runtime.finish()
            after[0].check()
        except BaseException:
            runtime.finish()
            for each in after:
                each.close()
            run.relocation.close()
            raise
        stretch.close()
        moving = time.perf_counter() - prepared
        if self.cost is not None and decision.cost > 0:
            self.cost.learn(decision.cost, moving)
        if primed:  # else something was compiled and loaded, too
            self._preparing[run.form] = prepared - began
        self.decisions[-1] = replace(
            decision, moving_seconds=moving, preparing_seconds=prepared - began, moved_after=self.done
        )
        self.usual = None
        return after[0]

    def _prepare(self, stretch: Stretch, run: MovingRun, after: list[Stretch]) -> bool:
        """Make what a run at other split points needs, while this one goes on; adds its stretch to ``after``.

        Returns whether GPUs had the kernels of moves already.
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
        after.append(Stretch(run, fields, self.done))
        self._go_on(stretch)
        after[0].issue_load()
        self._go_on(stretch, after[0].loaded)
        return primed

    def _go_on(self, stretch: Stretch, ready: Callable[[], bool] = lambda: True) -> None:
        """Have iterations go on until something is ready, and at least look once."""
        while True:
            self._launch(stretch, held=True)
            self._look(stretch)
            if ready():
                return


def of_gpus(seconds: NDArray[np.float64], gpus: int) -> NDArray[np.float64]:
    """What each GPU takes, where partitions that share one run one after the other there.

    >>> of_gpus(np.array([3.0, 1.0, 2.0, 2.0]), 2).tolist(), of_gpus(np.array([3.0, 1.0]), 4).tolist()
    ([4.0, 4.0], [3.0, 1.0])
    """
    parts = len(seconds)
    return np.asarray(np.bincount(np.arange(parts) * gpus // parts, seconds)) if 0 < gpus < parts else seconds


def usual(before: NDArray[np.float64] | None, took: NDArray[np.float64]) -> NDArray[np.float64]:
    """What an iteration of each partition usually takes, after one more.

    As `lux.kernels.frontier.usual`: it falls at once, and rises by a quarter at most.

    >>> usual(np.array([1.0, 1.0, 1.0]), np.array([0.5, 1.1, 9.0])).tolist()
    [0.5, 1.1, 1.25]
    """
    return took.copy() if before is None else np.minimum(took, 1.25 * before)


def added(loads: list[Loads]) -> Loads:
    """What all stretches have gathered."""
    seconds, work = (sum(getattr(x, n) for x in loads) for n in ("seconds", "work_seconds"))
    return Loads(sum(x.vertices for x in loads), sum(x.nbytes for x in loads), seconds, work)


def _fits(runs: list[MovingRun], lasting: int) -> bool:
    """Whether there is room for what these runs hold at once, and on GPUs for what moves before have left there."""
    given, needed = legate_config.settings(), [run.needed() for run in runs]
    on_gpu, beside = sum(n for n, _ in needed) + runs[-1].relocating, max(n for _, n in needed)
    there = on_gpu + lasting <= FILLED * given.fbmem_bytes and beside + 2**20 <= given.zcmem_bytes
    return there and runs[-1].fits_host()
