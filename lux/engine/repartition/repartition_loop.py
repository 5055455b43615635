# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Repartition loop: moves the split points of a run on GPUs where that pays (section 5 of the Lux paper).

Kernels report the seconds of each iteration; `lux.partition.repartitioner` decides, as it does on CPU cores. The
launches between two moves are an epoch, which has a layout, addresses and kernels' arguments of its own. Fields are
whole stores: the first launch of an epoch takes them at the new split points, and Legion copies the values that other
GPUs need from now on. The state and the frontier are translated by the kernel of that launch (``resume.cuh``).

Two subclasses choose when to read the seconds and how to move: `lux.engine.repartition.overlapped_repartition` while
iterations go on, on the GPUs of one process, and `lux.engine.repartition.blocking_repartition` between them, for all
else.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux import runtime
from lux.engine.repartition import checkpoints
from lux.engine.repartition.epoch import Epoch
from lux.engine.run.statistics import GatherStatistics, Rows
from lux.kernels import frontier as fr
from lux.launch.memory import FILLED
from lux.partition.repartitioner import (
    BALANCED,
    EXPECTED_ITERATIONS,
    LEAST_GAIN,
    RepartitionDecision,
    Repartitioner,
    remember,
)
from lux.partition.weight_curve import WeightCurve

if TYPE_CHECKING:
    from lux.engine.cpu.repartition import MoveCost
    from lux.engine.repartition.repartitionable_run import RepartitionableRun
    from lux.engine.run.run import Progress, Run
    from lux.runtime import Store

FIRST_LOOK = 3
"""Iterations of an epoch before the first read of the seconds."""
LOOKS = 8
"""Iterations between later reads, at least; twice as many after each that moves nothing."""
LEAST_EDGES = 1 << 24
"""Edges that GPUs of several processes gather between two reads, at least: a read takes as long."""
UNKNOWN_SECONDS = 1.0
"""Seconds that an iteration is taken for, before the first, where checkpoints are kept."""
SHORT_OF_MEMORY = "memory for other partitions' edges is short"


class RepartitionLoop(ABC):
    """Driver of one run: epochs, and the decisions between them."""

    preparing: ClassVar[dict[str, float]] = {}
    """Seconds of preparation of the last move of each form, in this process."""

    def __init__(self, run: RepartitionableRun, scope: str, progress: Progress | None) -> None:
        self.run, self.scope, self.progress = run, scope, progress
        self.moves, self.checkpoint, self.resumed = scope != "off", run.checkpoint, 0
        self.save_is_due = False
        self.done, self.finished, run.samples = 0, fr.RUNNING, not run.mixed
        self.decisions: list[RepartitionDecision] = []
        self.rows = Rows(run.parts)
        self.loads: list[GatherStatistics] = []
        self.smoothed: NDArray[np.float64] | None = None
        self.repartitioner: Repartitioner | None = None
        self.cost: MoveCost | None = None
        self.patience, self.ended = 1, 0.0
        self.opened: list[Epoch] = []
        self.held = 0
        """Bytes that others hold on the GPU of which they hold most, where that is looked at."""
        # Factors of all moves of runs on these partitions.
        self.lasting: list[int] = run.layout.cached("lasting on GPUs", lambda _: [])

    @abstractmethod
    def _wait(self, epoch: Epoch) -> None:
        """Launch until there is something to decide, or the run is over."""

    @abstractmethod
    def move(self, epoch: Epoch, decision: RepartitionDecision) -> Epoch:
        """Begin an epoch at other split points, and measure how long GPUs wait; the same epoch if that cannot be."""

    def execute(self) -> Run:
        """Run to the end."""
        runtime.check_points(self.run.on_gpus)
        _ = self.run.layout.work  # nothing may be read from stores, which waits for launches, while they go on
        try:
            epoch = self._first_epoch()
            epoch.load()
            began = time.perf_counter()
            epoch.begin()
            while self.finished == fr.RUNNING:
                self._wait(epoch)
                if self.finished != fr.RUNNING:
                    break
                if self.save_is_due:
                    epoch = self._save(epoch)
                    continue
                before, decision = epoch, self.decide(epoch) if self.moves else None
                if decision is not None and decision.phase != "none":
                    epoch = self.move(epoch, decision)
                self.patience = 2 * self.patience if epoch is before else 1
            self._note(epoch, self.done)
            self.loads.append(epoch.loads())
        finally:
            runtime.finish()  # kernels use memory that Legion believes idle
            for each in self.opened:
                each.close()
        how = (self.done, self.finished, self.ended - began, added(self.loads), self.decisions, self.resumed)
        return epoch.run.ended(epoch.fields, self.rows, *how)

    def _first_epoch(self) -> Epoch:
        """Make the epoch that sets first values, or takes those of a checkpoint."""
        found = None if self.checkpoint is None else checkpoints.load(self.checkpoint, self.run)
        if found is None:
            return self.open(self.run, None)
        self.resumed, fields, self.run.left = found
        self.done = self.resumed
        return self.open(self.run, fields)

    def _save(self, epoch: Epoch) -> Epoch:
        """Save a checkpoint once all launches have ended; begin an epoch on the same partitions."""
        assert self.checkpoint is not None
        runtime.finish()
        epoch.check()
        self._look(epoch)
        self._note(epoch, self.done)
        self.save_is_due = False
        if self.finished != fr.RUNNING:
            return epoch
        run, (fields, left) = epoch.run, epoch.left(self.done)
        checkpoints.save(self.checkpoint, run, fields, left)
        self.loads.append(epoch.loads())
        run.left = left
        after = self.open(run, fields, self._close(epoch))
        after.load()
        after.begin()
        runtime.finish()
        after.check()
        if self.progress is not None:
            self.progress(self.done)
        return after

    def open(self, run: RepartitionableRun, fields: dict[str, Store] | None, memory: Store | None = None) -> Epoch:
        """Make an epoch, which is closed at the end."""
        self.opened.append(Epoch(run, fields, self.done, memory))
        return self.opened[-1]

    def _close(self, epoch: Epoch) -> Store | None:
        self.opened.remove(epoch)
        return epoch.close()

    def _has_room(self, epoch: Epoch, run: RepartitionableRun) -> bool:
        """Tell whether a run at other split points fits beside the stores of this epoch, and of others."""
        first = [] if epoch.run is self.run else [self.run]  # the graph keeps its layout
        return fits([*first, epoch.run, run], sum(self.lasting) + self.held)

    def _has_room_at(self, points: NDArray[np.int64]) -> bool:
        return self._has_room(self.opened[-1], self.opened[-1].run.moved(points))

    def _enough(self, epoch: Epoch) -> int:
        """Return the iterations after which the seconds are read."""
        first = epoch.noted == epoch.begun
        return epoch.begun + FIRST_LOOK if first else epoch.noted + LOOKS * self.patience

    def _latest(self, epoch: Epoch) -> int:
        """Return the iterations after which they are read at the latest: half the time between two checkpoints."""
        if self.checkpoint is None:
            return epoch.noted + self.run.statistics_rows // 2
        each = UNKNOWN_SECONDS if self.smoothed is None else max(float(self.smoothed.max()), 1e-6)
        most = max(int(0.5 * self.checkpoint.every / each), 1)
        return epoch.noted + min(most, self.run.statistics_rows // 2)

    def _look(self, epoch: Epoch) -> None:
        """Read how far the run is."""
        before, (self.done, self.finished) = self.done, epoch.outcome()
        if self.finished != fr.RUNNING:
            self.ended = time.perf_counter()
        if self.checkpoint is not None and not self.save_is_due and self.done > epoch.begun:
            self.save_is_due = self.checkpoint.due()
        if self.progress is not None and self.done > before and (not self.save_is_due or self.finished != fr.RUNNING):
            self.progress(self.done)  # else once it is saved

    def _note(self, epoch: Epoch, done: int) -> None:
        """Collect rows of statistics, and smooth the seconds of an iteration."""
        found = epoch.rows(done)
        self.rows.append(found)
        for seconds in found.reshape(self.run.parts, -1, fr.STATISTICS_COLUMNS)[:, :, 3].T:
            self.smoothed = smoothed_seconds(self.smoothed, seconds)

    def decide(self, epoch: Epoch) -> RepartitionDecision | None:
        """Decide by the seconds since the last read; None if they say nothing."""
        run, seconds = self.run, self.smoothed
        if seconds is None or not seconds.any():
            return None
        points = epoch.run.layout.points
        remaining = EXPECTED_ITERATIONS
        if run.ends_after is not None:  # a move gains nothing while it is prepared
            first = epoch.scheduled + int(self.preparing.get(run.form, 0.0) / max(float(seconds.max()), 1e-9))
            remaining = max(run.ends_after - first, 0)
        if run.kinds is None:
            gpus = of_gpus(seconds, runtime.gpus())
            gain = float(gpus.max() - gpus.mean())
            if gain <= LEAST_GAIN * float(gpus.mean()) and (self.repartitioner is None or len(gpus) < len(seconds)):
                why = BALANCED if len(gpus) > 1 else "one GPU has all partitions"  # most runs: nothing is made for them
                none = RepartitionDecision(
                    self.done, seconds, "none", gain, 0.0, remaining, points, points, 0.0, why=why
                )
                return self._keep(none)
        if self.repartitioner is None:
            self.cost = run.cost()
            curve = WeightCurve.by_edges(run.layout.work)
            room = None if run.kinds is None else self._has_room_at
            self.repartitioner = Repartitioner(curve, self.cost.nodes, self.scope, self._cost_of, run.kinds, room)
        pieces = epoch.sampled()
        decide = self.repartitioner.decide
        return self._keep(decide(points, seconds, iteration=self.done, remaining=remaining, pieces=pieces))

    def _cost_of(self, before: NDArray[np.int64], after: NDArray[np.int64], nodes: NDArray[np.int64]) -> float:
        """Predict the seconds of a move while no iteration runs."""
        assert self.cost is not None
        return self.cost(before, after, nodes)

    def _keep(self, decision: RepartitionDecision) -> RepartitionDecision:
        remember(self.decisions, decision)
        return decision

    def _instead(self, **facts: object) -> None:
        """Correct the last decision."""
        self.decisions[-1] = replace(self.decisions[-1], **facts)  # type: ignore[arg-type]


def of_gpus(seconds: NDArray[np.float64], gpus: int) -> NDArray[np.float64]:
    """Sum what partitions that share a GPU take, as they run one after the other there.

    >>> of_gpus(np.array([3.0, 1.0, 2.0, 2.0]), 2).tolist(), of_gpus(np.array([3.0, 1.0]), 4).tolist()
    ([4.0, 4.0], [3.0, 1.0])
    """
    parts = len(seconds)
    return np.asarray(np.bincount(np.arange(parts) * gpus // parts, seconds)) if 0 < gpus < parts else seconds


def smoothed_seconds(before: NDArray[np.float64] | None, took: NDArray[np.float64]) -> NDArray[np.float64]:
    """Smooth the seconds of an iteration of each partition by one more iteration.

    Smoothed seconds fall at once, and rise by a quarter at most, as in `lux.kernels.frontier.smoothed_seconds`.

    >>> smoothed_seconds(np.array([1.0, 1.0, 1.0]), np.array([0.5, 1.1, 9.0])).tolist()
    [0.5, 1.1, 1.25]
    """
    return took.copy() if before is None else np.minimum(took, 1.25 * before)


def added(loads: list[GatherStatistics]) -> GatherStatistics:
    """Sum the gathers of all epochs."""
    seconds, work = (sum(getattr(x, n) for x in loads) for n in ("seconds", "work_seconds"))
    return GatherStatistics(
        sum(x.vertices for x in loads), sum(x.nbytes for x in loads), seconds, work, sum(x.moved for x in loads)
    )


def fits(runs: list[RepartitionableRun], lasting: int) -> bool:
    """Tell whether these runs, one after the other, fit on every process; the last is a new one.

    Parameters
    ----------
    runs : list of RepartitionableRun
    lasting : int
        Bytes that earlier moves have left on a GPU, and others hold there.
    """
    given, last, memory_bytes = legate_config.settings(), runs[-1], [run.memory_bytes() for run in runs]
    on_gpu, beside = sum(n for n, _ in memory_bytes) + last.relocating, max(n for _, n in memory_bytes)
    if last.is_blocking:  # partitions that stay on GPUs keep their stores there, except for edges by source
        edges = {run.on_gpus_at if not run.pushes else k: run.edges_bytes for k, run in enumerate(runs)}
        others = {run.on_gpus_at: n - run.edges_bytes for run, (n, _) in zip(runs[-2:], memory_bytes[-2:], strict=True)}
        on_gpu = sum(edges.values()) + sum(others.values())
    there = on_gpu + lasting <= FILLED * given.fbmem_bytes and beside + 2**20 <= given.zcmem_bytes
    return bool(runtime.allreduce_max(np.array([not (there and last.fits_host())], np.float64))[0] == 0)
