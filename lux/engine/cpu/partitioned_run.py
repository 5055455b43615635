# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A run on CPU partitions of one process or several: many iterations in one launch (`lux.runtime.exchange`).

Stores bring values in and out: where a run begins, where it ends, and where partitions move. They move where their
seconds say that it pays (`lux.partition.repartitioner`).
"""

from __future__ import annotations

import functools
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.engine.cpu import repartition
from lux.engine.cpu.cpu_run import MAX_PER_TASK, Runner
from lux.engine.cpu.exchange_body import collect_statistics, lasting
from lux.engine.cpu.local_partitions import LocalPartitions
from lux.engine.run.program_launches import PartitionKernels
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import Iteration, Rows
from lux.errors import MemoryNeededError
from lux.graph.core.partitions import rectangles
from lux.graph.indexes import ins_sets
from lux.graph.layout import PartitionedGraph
from lux.kernels import frontier as fr
from lux.partition import split_points
from lux.partition.node_traffic import NodeTraffic
from lux.partition.repartitioner import EXPECTED_ITERATIONS, RepartitionDecision, Repartitioner, remember
from lux.partition.weight_curve import WeightCurve
from lux.runtime import Launcher, Store, link
from lux.runtime.exchange import Sent

NO_LIMIT = 2**62
FIRST_ITERATIONS = 5
"""Iterations of the first launch where partitions may have to move; later launches have twice as many each."""

_observers: list[Callable[[PartitionedRun], None]] = []


@contextmanager
def observed(see: Callable[[PartitionedRun], None]) -> Iterator[None]:
    """Call ``see`` before every iteration inside a ``with`` block, with a run whose stores have the newest values.

    ``see`` is also called once after the last iteration.
    """
    _observers.append(see)
    try:
        yield
    finally:
        _observers.remove(see)


class PartitionedRun(Runner):
    """Driver of a run on CPU partitions.

    Parameters
    ----------
    *arguments
        Arguments of `Runner`.
    body : (str, callable)
        Module of the kernels, and the Numba type of each argument by name.
    ends_after : int or None
        Iterations after which the run ends, if the number is known.
    """

    limit = MAX_PER_TASK
    launches: PartitionKernels

    def __init__(self, *arguments: Any, body: tuple[str, Callable[[str], Any]], ends_after: int | None) -> None:
        self.body, self.ends_after = body, ends_after
        self.decisions: list[RepartitionDecision] = []
        self.rows: dict[int, Rows] = defaultdict(Rows)
        self.sent: list[Sent] = []
        self.measured: NodeTraffic | None = None
        super().__init__(*arguments)
        scope = settings.current().repartition
        self.cost = None if scope == "off" or self.layout.parts == 1 else self._cost()
        if self.cost is not None:
            curve = WeightCurve.by_edges(self.layout.work)
            traffic = self._traffic if runtime.ranks() > 1 else None
            self.repartitioner = Repartitioner(curve, self.cost.nodes, scope, self.cost, traffic=traffic)
            repartition.compile_kernels(self.layout.graph.id_dtype)

    def _lay_out(self, layout: PartitionedGraph) -> None:
        super()._lay_out(layout)
        if runtime.ranks() > 1:  # Legate takes care of Ctrl-C, and each launch costs messages
            self.shared.values["work_limit"] = NO_LIMIT

    def _field_stores(self, layout: PartitionedGraph) -> tuple[dict[str, Store], dict[str, Store], dict[str, Store]]:
        """Make stores of the fields, which hold values between launches only."""
        stores = {f.name: self._field_store(layout, f) for f in self.spec.state}
        owned = self.launches.writer.owned
        return {n: s for n, s in stores.items() if n in owned}, {n: s for n, s in stores.items() if n not in owned}, {}

    def run(self, progress: Progress | None) -> Run:
        """Launch until the run has finished."""
        runtime.check_points(self.layout.parts)
        runtime.finish()
        began = time.perf_counter()
        self.resumed, stores = self._resumed()
        self._begin(stores)
        try:
            state = self._iterate(progress).copy()
            self._save(self.owned | self.a)
            seconds = time.perf_counter() - began
        finally:
            self._end()
        if progress is not None:
            progress(int(state[fr.ITERATIONS]))
        statistics = self._statistics(int(state[fr.ITERATIONS]) - self.resumed)
        done = self._finished(state, seconds, statistics, 1, self.resumed)
        return replace(done, sent=Sent.joined(self.sent), repartitions=self.decisions)

    def _begin(self, stores: dict[str, Any]) -> None:
        """Locate the graph's stores, and set the first values, or those of ``stores``."""
        self.measured = None
        self.local = LocalPartitions(self.layout, self.launches, self.spec, self.shared.values, self.limit)
        self.key = runtime.register(self.local)
        static = {name: self.static[name] for name in self.launches.graph_stores}
        located = tuple(self.launches.graph_stores.items())
        launcher = _resume_launcher(located, self._own_splits(stores)) if stores else _start_launcher(located)
        launcher(self.layout.parts, **static, **_newest(stores), **self._splits(), key=self.key)
        runtime.finish()
        self.local.prepare(static, self.body, started=not stores)

    def _splits(self) -> dict[str, Any]:
        return self.layout.splits | (self.by_source.splits if self.by_source else {}) | rectangles(self.vector_cuts)

    def _iterate(self, progress: Progress | None) -> NDArray[np.int64]:
        """Launch until the run has finished; return a row of the state."""
        short = self.cost is not None or self.checkpoint is not None
        done, many = self.resumed, FIRST_ITERATIONS if short else self.limit
        while True:
            self._show_observers()
            self._record()
            ran = self.local.launch(1 if _observers else many, progress)
            for thread, part in enumerate(self.local.partitions):
                self.rows[part].append(self.local.statistics[thread][: ran * fr.STATISTICS_COLUMNS])
            done += ran
            if self.local.state[fr.FINISHED] != fr.RUNNING:
                return self.local.state
            self._keep_if_due()
            many = self._most(FIRST_ITERATIONS if self._repartition(done) else 2 * many)
            if progress is not None and ran:
                progress(done)

    def _keep_if_due(self) -> None:
        """Save a checkpoint, if it is time."""
        if self.checkpoint is not None and self.checkpoint.due():
            control = self._progress(self.layout)
            self._save(self.owned | self.a | control)
            self._keep(self.owned | self.a | control)

    def _most(self, many: int) -> int:
        """Return the iterations of the next launch: ``many``, or those that take half of the time to a checkpoint."""
        if self.checkpoint is None:
            return many
        each = max(float(self.local.seconds.max()), 1e-6)
        return max(min(many, int(0.5 * self.checkpoint.every / each)), 1)

    def _record(self) -> None:
        """Record a launch of iterations, and what it uses of the graph, for `lux.explain`."""
        splits = self.launches.graph_stores
        reads = [("reads", name, split, int(self.static[name].nbytes)) for name, split in splits.items()]
        runtime.record("iterate", self.layout.parts, reads)

    def _show_observers(self) -> None:
        if _observers:
            self.a |= self._progress(self.layout)
            self._save(self.owned | self.a)
            for see in _observers:
                see(self)

    def _repartition(self, done: int) -> bool:
        """Move partitions where the predicted gain is larger than the cost; tell whether they did."""
        if self.cost is None:
            return False
        remaining = EXPECTED_ITERATIONS if self.ends_after is None else self.ends_after - done
        seconds, points = self.local.seconds, self.layout.points
        decision = self.repartitioner.decide(points, seconds, iteration=done, remaining=remaining)
        if decision.phase != "none":
            decision = self._move(decision)
        remember(self.decisions, decision)
        return decision.phase != "none"

    def _traffic(self) -> NodeTraffic:
        """Measure what processes exchange, once between two moves."""
        assert self.cost is not None
        if self.measured is None:
            self.measured = self.local.traffic(self.cost.network)
        return self.measured

    def _move(self, decision: RepartitionDecision) -> RepartitionDecision:
        """Go on with other split points, and measure how long the change takes."""
        assert self.cost is not None
        try:
            runtime.check_memory(self.bytes_to_make(), "")
        except MemoryNeededError:  # in all processes
            return replace(decision, phase="none", why="memory for other partitions' edges is short")
        began = time.perf_counter()
        before, old = self.layout, self._progress(self.layout)
        fields = self.owned | self.a
        self._save(fields | old)
        self._end()
        self._lay_out(before.moved(decision.after))
        new = self._progress(self.layout)
        repartition.resume(before, self.layout, old, new, self.static | self._splits())
        self._begin(fields | new)
        took = float(runtime.allreduce_max(np.array([time.perf_counter() - began]))[0])
        self.cost.learn(decision.cost, took)
        return replace(decision, moving_seconds=took)

    def _save(self, stores: dict[str, Any]) -> None:
        """Copy the newest values into stores."""
        _save_launcher(self._own_splits(stores))(self.layout.parts, **_newest(stores), **self._splits(), key=self.key)
        runtime.finish()

    def _own_splits(self, stores: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        return tuple((f"newest_{name}", self.local.own_split(name)) for name in stores)

    def _end(self) -> None:
        """Forget this process's partitions, of which no launch is under way."""
        runtime.finish()
        self.sent.append(self.local.exchange.sent())
        self.local.exchange.close()
        runtime.unregister(self.key)

    def _cost(self) -> repartition.MoveCost:
        """Return the cost function of moves of this run."""
        layout, graph, ranks = self.layout, self.layout.graph, runtime.ranks()
        form = "by source" if self.push else "rows" if self.by_rows else "blocks"
        fields = sum(store.nbytes for copy in (self.owned, self.a, self.a) for store in copy.values())
        edge = graph.id_dtype.itemsize + sum(graph.property_types[n].itemsize for n in self.launches.writer.edge)
        return repartition.MoveCost(
            work=layout.work,
            nodes=split_points.nodes_of(layout.parts, ranks),
            processors=max(runtime.processors() // ranks, 1),
            form=form,
            vertex_bytes=(fields + graph.offsets.nbytes) // graph.n_vertices,
            edge_bytes=edge,
            network=link.measured().byte if ranks > 1 else 0.0,
            launch=link.seconds_of_launch() if ranks > 1 else 0.0,
        )

    def bytes_to_make(self) -> int:
        """Count the bytes of the edges by source or in tiles, made while the old ones are still there."""
        assert self.cost is not None
        graph = self.layout.graph
        ins = ins_sets.most_bytes(self.layout) if self.push else 0
        return ins + (0 if self.cost.form == "rows" else self.cost.edge_bytes * graph.n_edges)

    def _statistics(self, iterations: int) -> Sequence[Iteration]:
        """Bring the statistics of all partitions to every process."""
        if iterations == 0:
            return []
        return self._table(*collect_statistics(self.local.borders.partitions_of, self.rows, iterations))


def _newest(stores: Mapping[str, Any]) -> dict[str, Any]:
    """Name stores as arguments of a launch, apart from its splits."""
    return {f"newest_{name}": store for name, store in stores.items()}


def _names(arguments: Iterable[tuple[str, str]]) -> list[str]:
    return [name.removeprefix("newest_") for name, _ in arguments]


@functools.lru_cache(256)
def _start_launcher(located: tuple[tuple[str, str | None], ...]) -> Launcher:
    def start_partition(point: int, *values: Any) -> None:
        *arrays, key = values
        names = dict(located)
        runtime.context(key).start(point, {n: lasting(n, array) for n, array in zip(names, arrays, strict=True)})

    return Launcher(start_partition, inputs=dict(located), scalars={"key": int})


@functools.lru_cache(256)
def _resume_launcher(located: tuple[tuple[str, str | None], ...], stores: tuple[tuple[str, str], ...]) -> Launcher:
    def resume_partition(point: int, *values: Any) -> None:
        *arrays, key = values
        static, newest = arrays[: len(located)], arrays[len(located) :]
        located_here = {n: lasting(n, array) for n, array in zip(dict(located), static, strict=True)}
        runtime.context(key).resume(point, located_here, dict(zip(_names(stores), newest, strict=True)))

    return Launcher(resume_partition, inputs=dict(located) | dict(stores), scalars={"key": int})


@functools.lru_cache(256)
def _save_launcher(stores: tuple[tuple[str, str], ...]) -> Launcher:
    def save_partition(point: int, *values: Any) -> None:
        *arrays, key = values
        runtime.context(key).save(point, dict(zip(_names(stores), arrays, strict=True)))

    return Launcher(save_partition, outputs=dict(stores), scalars={"key": int})
