# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Blocking repartitioning: moves between iterations, on the GPUs of several processes, and on GPUs and CPU cores.

Nothing is launched while the driver reads, decides and moves. So the driver may wait for stores, as processes have to
in order to decide the same from the same seconds, and CPU cores prepare the new partitions as they prepared the first
ones.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from lux import runtime
from lux.engine.cpu.repartition import compile_kernels
from lux.engine.repartition import repartition_loop
from lux.engine.repartition.repartition_loop import SHORT_OF_MEMORY, RepartitionLoop
from lux.kernels import frontier as fr

if TYPE_CHECKING:
    from lux.engine.repartition.epoch import Epoch
    from lux.engine.repartition.repartitionable_run import RepartitionableRun
    from lux.engine.run.run import Progress
    from lux.partition.repartitioner import RepartitionDecision


class BlockingRepartition(RepartitionLoop):
    """Repartition loop that decides when all launches have ended, alike on every process."""

    def __init__(self, run: RepartitionableRun, scope: str, progress: Progress | None) -> None:
        super().__init__(run, scope, progress)
        self.held = run.held.on_gpu
        if run.mixed:
            compile_kernels(run.graph.id_dtype, run.graph.degree_dtype)

    def _wait(self, epoch: Epoch) -> None:
        enough, latest = self._enough(epoch), self._latest(epoch)  # reports have room for twice as many rows
        if self.run.packed:
            work = self.run.graph.n_edges + self.run.graph.n_vertices
            enough, last = max(enough, epoch.noted + repartition_loop.LEAST_EDGES // work), self.run.limit + 1
            if last - enough < repartition_loop.LOOKS:  # no move would pay any more
                enough = max(enough, last)
            enough = min(enough, latest)
            epoch.iterate(min(enough, last) - epoch.scheduled)
            self._look(epoch)
        enough = min(enough, latest)
        while self.finished == fr.RUNNING and self.done < enough:
            most = self.run.ahead(epoch.made, epoch.launched, self.done - epoch.begun)
            for _ in range(min(most, enough - epoch.scheduled, self.run.limit + 1 - epoch.scheduled)):
                epoch.step(1)
            self._look(epoch)
        runtime.finish()
        epoch.check()
        self._note(epoch, self.done)

    def move(self, epoch: Epoch, decision: RepartitionDecision) -> Epoch:
        """Begin an epoch at other split points while nothing runs."""
        before, run = epoch.run, epoch.run.moved(decision.after)
        if not self._has_room(epoch, run):
            self._instead(phase="none", why=SHORT_OF_MEMORY)
            return epoch
        began = time.perf_counter()
        fields, run.left = epoch.left(self.done)
        self.loads.append(epoch.loads())
        after = self.open(run, fields, self._close(epoch))
        after.load()
        after.begin()
        runtime.finish()
        after.check()
        moving = float(runtime.allreduce_max(np.array([time.perf_counter() - began]))[0])
        if self.cost is not None and decision.cost > 0:
            self.cost.learn(decision.cost, moving)
        if run.on_gpus_at != before.on_gpus_at:
            self.lasting.append(run.lasting)
        self._instead(moving_seconds=moving)
        self.smoothed = None
        return after
