# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Epochs: the launches of a run on GPUs between two moves of its split points."""

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
    from lux.engine.cpu.beside_gpus import CpuPartitions
    from lux.engine.repartition.repartitionable_run import RepartitionableRun
    from lux.engine.run.statistics import GatherStatistics
    from lux.graph.layout import PartitionedGraph


@dataclass(frozen=True)
class EpochState:
    """Stores that an epoch leaves to the next.

    Attributes
    ----------
    layout : PartitionedGraph
        The layout of the epoch.
    control_stores : dict of str to Store
        ``state`` and, if there is a frontier, ``words``, as written last.
    """

    layout: PartitionedGraph
    control_stores: dict[str, Store]


class Epoch:
    """Launches of a run on one layout.

    Parameters
    ----------
    run : RepartitionableRun
    fields : dict of str to Store, optional
        Fields of the epoch before, whose copy 0 was written last.
    begun : int
        Iterations that are done.
    memory : Store, optional
        Scratch memory that no kernel uses any more.

    Attributes
    ----------
    scheduled, noted : int
        Iterations that are launched, and iterations whose rows of statistics have been collected, counted from the
        run's first.
    """

    def __init__(
        self, run: RepartitionableRun, fields: dict[str, Store] | None, begun: int, memory: Store | None = None
    ) -> None:
        self.run, self.begun, self.scheduled, self.launched, self.noted = run, begun, begun, 0, begun
        self.made = run.set_up(fields, memory)
        self.fields, self.control_stores = self.made.fields, self.made.control_stores
        self.cpu_partitions: CpuPartitions | NoCpuPartitions = run.cpu_partitions(self.fields, self.control_stores)

    def load(self) -> None:
        """Have GPUs load what launches need, and wait for it."""
        self.run.load(self.made)

    def issue_load(self) -> None:
        """Load kernels as `load`, without waiting."""
        self.run.issue_load(self.made)

    def loaded(self) -> bool:
        """Tell whether all GPUs have loaded."""
        return self.run.loaded(self.made)

    def resume(self, fields: dict[str, Store], done: int) -> None:
        """Take over after so many iterations, with these fields, whose copies may have swapped; no launch runs."""
        self.fields, self.made = fields, replace(self.made, fields=fields)
        self.begun = self.scheduled = self.noted = done

    def begin(self) -> None:
        """Launch the kernel that sets first values, or takes over."""
        run, given = self.run, {}
        if run.left is not None:
            layout = run.left.layout
            given = {f"left_{n}": store for n, store in run.left.control_stores.items()}
            given["left"] = runtime.from_array(np.concatenate([layout.points, layout.word_at]).astype(np.int64))
        run.begin(self.made, **given)
        if run.left is None:
            self.cpu_partitions.start()
        else:
            self.cpu_partitions.resume(run.left.layout, run.left.control_stores)
            run.left = None  # it keeps edges of the previous partitions

    def step(self, iterations: int) -> None:
        """Issue one launch more, of so many iterations."""
        self.launched += 1
        self.run.step(self.made, self.launched, {}, iterations)
        self.cpu_partitions.launch()
        self.scheduled += iterations

    def iterate(self, iterations: int) -> None:
        """Run so many iterations of partitions that send messages, in one launch, and wait for it."""
        assert self.made.exchange is not None
        self.made.exchange.launch(self.launched + 1, iterations)
        self.launched, self.scheduled = self.launched + iterations, self.scheduled + iterations

    def outcome(self) -> tuple[int, int]:
        """Return the iterations that are known to be done, and whether the run has finished."""
        return max((self.begun, fr.RUNNING), self.run.outcome(self.made, self.launched), key=lambda o: (o[1], o[0]))

    @cached_property
    def first_seconds(self) -> float:
        """Seconds of the first iteration on the slowest partition, once it is done."""
        return float(self.run.rows(self.made, self.begun, self.begun + 1)[:, 3].max())

    def rows(self, done: int) -> NDArray[np.float64]:
        """Collect rows of statistics of the iterations from the last call to ``done``, of shape (parts, numbers).

        With several processes or CPU cores, no launch may run.
        """
        before, self.noted = self.noted, max(done, self.noted)
        rows = self.run.on_all_ranks(self.run.rows(self.made, before, self.noted))
        return np.concatenate([rows, self.cpu_partitions.rows(before - self.begun, self.noted - self.begun)])

    def sampled(self) -> NDArray[np.float64] | None:
        """Return the samples of the partitions' pieces in the first iterations."""
        return self.run.sampled(self.made)

    def loads(self) -> GatherStatistics:
        """Return the statistics of the gathers."""
        return self.run.loads(self.made)

    def check(self) -> None:
        """Raise the failure of any GPU."""
        self.run.check(self.made)

    def left(self, done: int) -> tuple[dict[str, Store], EpochState]:
        """Return fields with the copy written last as copy 0, and the last control stores; no launch runs."""
        last = (done - self.begun) & 1
        fields = {f"{int(n[0]) ^ last}{n[1:]}" if n[0].isdigit() else n: store for n, store in self.fields.items()}
        control_stores = {n[2:]: store for n, store in self.control_stores.items() if n[0] == str(last)}
        return fields, EpochState(self.run.layout, control_stores)

    def close(self) -> Store | None:
        """Unregister the plans, and give back the kernels' scratch memory; no launch runs."""
        memory = self.made.memory
        self.made.unregister()
        self.made = replace(self.made, plans=[], keys=[], memory=None)
        self.cpu_partitions.close()
        self.cpu_partitions = NoCpuPartitions()
        return memory
