# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The launches of a run on GPUs between two moves of its split points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.gpu.prepared_launches import NoCpuPartitions
from lux.kernels import frontier as fr
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.engine.cpu_cores import CpuPartitions
    from lux.engine.gpu.parts import GatherStatistics
    from lux.engine.repartition.repartitionable_run import RepartitionableRun
    from lux.graph.layout import PartitionedGraph


@dataclass(frozen=True)
class EpochState:
    """What partitions have left to those after them.

    Attributes
    ----------
    layout : PartitionedGraph
        Where they were.
    told : dict of str to Store
        ``state`` and, where there is a frontier, ``words``, as written last.
    """

    layout: PartitionedGraph
    told: dict[str, Store]


class Epoch:
    """Launches on one layout.

    Parameters
    ----------
    run : RepartitionableRun
    fields : dict of str to Store, optional
        Those of the stretch before, of which those of the copy 0 were written last.
    begun : int
        Iterations that are done.
    memory : Store, optional
        Scratch memory that nobody works in any more.

    Attributes
    ----------
    scheduled, noted : int
        Iterations that are launched, and those whose rows of statistics have been taken, counted from the run's first.
    """

    def __init__(
        self, run: RepartitionableRun, fields: dict[str, Store] | None, begun: int, memory: Store | None = None
    ) -> None:
        self.run, self.begun, self.scheduled, self.launched, self.noted = run, begun, begun, 0, begun
        self.made = run.set_up(fields, memory)
        self.fields, self.told = self.made.fields, self.made.told
        self.beside: CpuPartitions | NoCpuPartitions = run.beside(self.fields, self.told)

    def load(self) -> None:
        """Have GPUs load what launches need, and wait for it."""
        self.run.load(self.made)

    def issue_load(self) -> None:
        """The same without waiting."""
        self.run.issue_load(self.made)

    def loaded(self) -> bool:
        """Whether all GPUs have."""
        return self.run.loaded(self.made)

    def resume(self, fields: dict[str, Store], done: int) -> None:
        """Take over after so many iterations, with these fields, whose copies may have turned; no launch runs."""
        self.fields, self.made = fields, replace(self.made, fields=fields)
        self.begun = self.scheduled = self.noted = done

    def begin(self) -> None:
        """The launch that sets first values, or takes over."""
        run, given = self.run, {}
        if run.left is not None:
            layout = run.left.layout
            given = {f"left_{n}": store for n, store in run.left.told.items()}
            given["left"] = runtime.from_array(np.concatenate([layout.points, layout.word_at]).astype(np.int64))
        run.begin(self.made, **given)
        if run.left is None:
            self.beside.start()
        else:
            self.beside.resume(run.left.layout, run.left.told)
            run.left = None  # it keeps what partitions before have of the edges

    def step(self, turns: int) -> None:
        """One launch more, of so many iterations."""
        self.launched += 1
        self.run.step(self.made, self.launched, {}, turns)
        self.beside.launch()
        self.scheduled += turns

    def outcome(self) -> tuple[int, int]:
        """Iterations that are known to be done, and whether the run has finished."""
        return max((self.begun, fr.RUNNING), self.run.outcome(self.made, self.launched), key=lambda o: (o[1], o[0]))

    @cached_property
    def first_seconds(self) -> float:
        """What the first iteration took, of the slowest partition; once it is done."""
        return float(self.run.rows(self.made, self.begun, self.begun + 1)[:, 3].max())

    def rows(self, done: int) -> NDArray[np.float64]:
        """Rows of statistics of the iterations from the last call to ``done``, of shape (parts, numbers).

        Where there are several processes or CPU cores, no launch runs.
        """
        before, self.noted = self.noted, max(done, self.noted)
        rows = self.run.together(self.run.rows(self.made, before, self.noted))
        return np.concatenate([rows, self.beside.rows(before - self.begun, self.noted - self.begun)])

    def sampled(self) -> NDArray[np.float64] | None:
        """What pieces of partitions took in the first iterations."""
        return self.run.sampled(self.made)

    def loads(self) -> GatherStatistics:
        """What was gathered."""
        return self.run.loads(self.made)

    def check(self) -> None:
        """Raise what has failed on any GPU."""
        self.run.check(self.made)

    def left(self, done: int) -> tuple[dict[str, Store], EpochState]:
        """Fields with the copy that was written last as copy 0, and what was told last, when no launch runs."""
        last = (done - self.begun) & 1
        fields = {f"{int(n[0]) ^ last}{n[1:]}" if n[0].isdigit() else n: store for n, store in self.fields.items()}
        told = {n[2:]: store for n, store in self.told.items() if n[0] == str(last)}
        return fields, EpochState(self.run.layout, told)

    def close(self) -> Store | None:
        """Forget the plans, and give back what kernels worked in; no launch runs."""
        memory = self.made.memory
        self.made.forget()
        self.made = replace(self.made, plans=[], keys=[], memory=None)
        self.beside.close()
        self.beside = NoCpuPartitions()
        return memory
