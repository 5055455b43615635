# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A run on several partitions: one launch for each iteration, a point task for each partition.

Where the partitions' seconds say that it pays, split points move (`lux.partition.repartitioner`): the launches so far
are one epoch, and the next begins with a new layout, the fields as they are, and the progress translated.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.engine.cpu import repartition
from lux.engine.cpu.convergence_monitor import ConvergenceMonitor, Snapshot
from lux.engine.cpu.cpu_run import Runner
from lux.engine.cpu.native import register_body
from lux.engine.run.instance_addresses import arrays_of
from lux.engine.run.program_launches import PartitionLaunches, TaskContext, collected
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import Iteration, Rows
from lux.errors import MemoryNeededError
from lux.graph.core.partitions import rectangles
from lux.graph.layout import PartitionedGraph
from lux.kernels import frontier as fr
from lux.partition import split_points
from lux.partition.repartitioner import EXPECTED_ITERATIONS, RepartitionDecision, Repartitioner, remember
from lux.partition.weight_curve import WeightCurve

LAUNCHES_NOTED = 1 << 16
"""Launches after which the driver waits and collects the statistics of the launches."""

_observers: list[Callable[[PartitionedRunner], None]] = []


@contextmanager
def observed(see: Callable[[PartitionedRunner], None]) -> Iterator[None]:
    """Call ``see`` before every iteration's launch inside a ``with`` block: the launch reads the runner's ``a``.

    ``see`` is also called before the launches that find that the run is over, and all later ones.
    """
    _observers.append(see)
    try:
        yield
    finally:
        _observers.remove(see)


class PartitionedRunner(Runner):
    """Driver of a run on CPU partitions: launches, reads of the partitions' seconds, and moves.

    Parameters
    ----------
    *arguments
        Arguments of `Runner`.
    body : (str, callable)
        Module and argument types of the kernels; see `lux.engine.cpu.native.register_body`.
    ends_after : int or None
        Iterations after which the run ends, if the number is known.
    """

    limit = 1
    launches: PartitionLaunches

    def __init__(self, *arguments: Any, body: tuple[str, Callable[[str], Any]], ends_after: int | None) -> None:
        self.body, self.ends_after = body, ends_after
        self.stretches: list[tuple[int, TaskContext]] = []
        self.decisions: list[RepartitionDecision] = []
        self.rows: dict[int, Rows] = defaultdict(Rows)
        super().__init__(*arguments)
        scope = settings.current().repartition
        self.cost = None if scope == "off" or self.layout.parts == 1 else self._cost()
        self.monitor = ConvergenceMonitor(eager=self.cost is not None)
        if self.cost is not None:
            curve = WeightCurve.by_edges(self.layout.work)
            self.repartitioner = Repartitioner(curve, self.cost.nodes, scope, self.cost)
            repartition.compile_kernels(self.layout.graph.id_dtype)

    def _lay_out(self, layout: PartitionedGraph) -> None:
        super()._lay_out(layout)
        self.static |= layout.splits | (self.by_source.splits if self.by_source else {})
        self.static |= rectangles(self.vector_cuts)

    def run(self, progress: Progress | None) -> Run:
        """Launch until the run has finished."""
        parts = self.layout.parts
        runtime.check_points(parts)
        runtime.finish()
        try:
            self._begin_epoch()
            began = time.perf_counter()
            self.launches.start(parts, **self.static, **self._first(), key=self.key)
            self._iterate(progress)
            state = runtime.to_array(self.a["state"])
            seconds = time.perf_counter() - began
            if progress is not None:
                progress(int(state[fr.ITERATIONS]))
            statistics = self._statistics(int(state[fr.ITERATIONS]))
        finally:
            self._forget()
        return replace(self._finished(state, seconds, statistics, 1), repartitions=self.decisions)

    @property
    def key(self) -> int:
        """Key by which launches find their process's objects."""
        return self.stretches[-1][0]

    def _forget(self) -> None:
        """Unregister objects, once launches no longer use them, nor memory that Legion believes idle."""
        runtime.finish()
        for key, _ in self.stretches:
            runtime.unregister_body(key)
            runtime.unregister(key)
        self.monitor.close()

    def _take_rows(self) -> None:
        """Collect the statistics of launches, which have run."""
        for key, _ in self.stretches:
            for part in range(self.layout.parts):
                self.rows[part].append(runtime.records(key, part))
            runtime.forget_records(key)

    def _begin_epoch(self) -> None:
        """Begin an epoch: register the objects that its launches need; no launch runs."""
        self.stretches.append((runtime.register(self.shared), self.shared))
        lean = runtime.ranks() == 1
        register_body(self.key, self.launches, self.shared, *self.body, self._resident() if lean else ())
        self.launch, self.number = self.launches.lean if lean else self.launches.run, 0

    def _resident(self) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
        """Map the resident arrays of launches of even and of odd number."""
        taken = self.launches.run.split_of.keys() - self.launches.lean.split_of
        stores = self.static | {f"{c}_{n}": s for c, copy in (("a", self.a), ("b", self.b)) for n, s in copy.items()}
        first = len(self.stretches) == 1
        fresh = {n for n in stores if n in ("b_state", "b_words") or (first and n.startswith(("a_", "b_", "own_")))}
        taken |= {n for n in stores if n.startswith(("a_", "b_"))}
        kept = {n: stores[n] for n in stores if n in taken - fresh}
        even = arrays_of(kept, {n: stores[n] for n in stores if n in taken & fresh})
        turned = {"a_": "b_", "b_": "a_"}
        return even, {turned.get(n[:2], n[:2]) + n[2:]: array for n, array in even.items()}

    def _iterate(self, progress: Progress | None) -> None:
        """Launch until a launch is known to have found that the run has finished."""
        launched, finished = 0, False
        while not finished and launched <= self.max_iterations:  # one more launch finds out whether the last converged
            launched += 1
            for see in _observers:
                see(self)
            self.launch(self.layout.parts, **self.static, **self._next(), key=self.key, number=self.number)
            self.number += 1
            if launched % LAUNCHES_NOTED == 0:
                runtime.finish()
                self._take_rows()
            if not self.monitor.due(launched):
                continue
            seen = self.monitor.see(launched, self.a["state"])
            if seen is None:
                continue
            finished = seen.finished
            if not finished:
                self._repartition(launched, seen)
                if progress is not None:
                    progress(seen.iterations)

    def _repartition(self, launched: int, seen: Snapshot) -> None:
        """Repartition where the predicted gain is larger than the cost."""
        if self.cost is None:
            return
        points, done = self.layout.points, seen.iterations
        remaining = EXPECTED_ITERATIONS if self.ends_after is None else self.ends_after - launched
        decision = self.repartitioner.decide(points, seen.seconds, iteration=done, remaining=remaining)
        if decision.phase != "none":
            decision = self._move(decision)
        remember(self.decisions, decision)
        if decision.phase != "none":
            self.monitor.restart(launched)

    def _move(self, decision: RepartitionDecision) -> RepartitionDecision:
        """Begin an epoch with other split points, and measure its preparation."""
        assert self.cost is not None
        try:
            runtime.check_memory(self.bytes_to_make(), "")
        except MemoryNeededError:  # on all ranks
            return replace(decision, phase="none", why="memory for other partitions' edges is short")
        runtime.finish()
        began = time.perf_counter()
        before, old = self.layout, self.a
        self._lay_out(before.moved(decision.after))
        self.a, self.b = self.a | self._progress(self.layout), self.b | self._progress(self.layout)
        repartition.resume(before, self.layout, old, self.a, self.static)
        self._begin_epoch()
        took = float(runtime.allreduce_max(np.array([time.perf_counter() - began]))[0])
        self.cost.learn(decision.cost, took)
        return replace(decision, moving_seconds=took)

    def _cost(self) -> repartition.MoveCost:
        """Return the cost function of moves of this run."""
        layout, graph, ranks = self.layout, self.layout.graph, runtime.ranks()
        form = "by source" if self.push else "rows" if self.by_rows else "blocks"
        fields = sum(store.nbytes for copy in (self.owned, self.a, self.b) for store in copy.values())
        edge = graph.id_dtype.itemsize + sum(graph.property_types[n].itemsize for n in self.launches.writer.edge)
        return repartition.MoveCost(
            work=layout.work,
            nodes=split_points.nodes_of(layout.parts, ranks),
            processors=max(runtime.processors() // ranks, 1),
            form=form,
            vertex_bytes=(fields + graph.offsets.nbytes) // graph.n_vertices,
            edge_bytes=edge,
        )

    def bytes_to_make(self) -> int:
        """Count the bytes of the edges by source or in tiles, made while the old ones are still there."""
        assert self.cost is not None
        graph = self.layout.graph
        ins = 10 * graph.n_vertices * self.layout.parts if self.push else 0
        return ins + (0 if self.cost.form == "rows" else self.cost.edge_bytes * graph.n_edges)

    def _statistics(self, iterations: int) -> Sequence[Iteration]:
        if iterations == 0:
            return []
        self._take_rows()
        self.shared.statistics = self.rows
        return self._table(*collected(self.layout, self.key, iterations))
