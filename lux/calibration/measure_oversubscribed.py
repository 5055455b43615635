# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurement of PageRank with edges outside GPUs' memory: some overflow, or CPU cores have them.

Part of `lux.calibration` (what a byte of overflown edges costs) and of `benchmarks/model.py`. The edges are made to
overflow although this process's GPUs have room for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux import runtime
from lux.autotune.summarize import summarize
from lux.calibration.fit import Sample
from lux.calibration.measure import made, prepared
from lux.calibration.measure_gpu import execute
from lux.calibration.progress import Clock, Noted, median_rest
from perfmodel.configuration import Configuration
from perfmodel.oversubscribed import OVERFLOW_PARTS
from perfmodel.summary import DOUBLINGS, GraphSummary

GRAPHS = ("uniform:20,4", "kronecker:20")
"""Default graphs of a calibration."""
ITERATIONS = 20
CPU_SHARE = 0.05
"""Part of the edges on CPU cores in a calibration, which measures the time of such runs besides kernels."""


@dataclass
class OversubscribedCase:
    """Oversubscribed case: PageRank by pull on one graph, with some edges outside GPUs' memory.

    Attributes
    ----------
    beside : float
        Part of the edges that actually are outside.
    seconds : list of float
        Of each run.
    sides : list of np.ndarray of shape (2, iterations)
        Seconds of the slowest GPU, and of the slowest core, in each run.
    """

    graph: lux.Graph
    summary: GraphSummary
    name: str
    configuration: Configuration
    beside: float = 0.0
    seconds: list[float] = field(default_factory=list)
    sides: list[NDArray[np.float64]] = field(default_factory=list)
    noted: list[Noted] = field(default_factory=list)

    def run(self) -> None:
        """Run once more."""
        c, clock = self.configuration, Clock()
        if c.cpus:
            with lux.using(device="gpu+cpu", cpu_share=c.cpu_share, repartition="off", config=None):
                found = execute("pagerank", self.graph, "pull", c.parts or 1, None, ITERATIONS, clock)
            self.beside = c.cpu_share
        else:
            found, self.beside = overflown(self.graph, c, clock)
        each = np.array([step.seconds for step in found.statistics]).T
        on_gpus = [p for p in range(len(each)) if not c.cpus or p < c.per_node]
        gpus = np.array([c.per_node * p // len(on_gpus) for p in on_gpus])
        busy = [each[on_gpus][gpus == g].sum(axis=0) for g in range(c.per_node)]
        cores = each[len(on_gpus) :].max(axis=0) if c.cpus else np.zeros(each.shape[1])
        self.seconds.append(found.seconds)
        self.sides.append(np.array([np.max(busy, axis=0), cores]))
        self.noted.append(clock.noted(self.sides[-1].max(axis=0)))

    def prepare(self) -> bool:
        """Compile, and cache data with the graph; False if the engine refuses."""
        return prepared(self.run, f"{self.configuration} on {self.name}", self.seconds, self.sides, self.noted)

    def sample(self) -> Sample:
        """Return the median of the runs."""
        c, v = self.configuration, self.summary.n_vertices
        each = np.median([sides.max(axis=0) for sides in self.sides], axis=0)
        rest, noted = median_rest(self.seconds, [sides.max(axis=0) for sides in self.sides], self.noted)
        values, irregular = self.summary.gathered(1), self.summary.irregular
        return Sample(
            *(self.name, "pagerank", "pull", v, self.summary.n_edges, c.per_node, values, irregular, 1.0),
            kernel=float(each.mean()),
            rest=rest,
            iterations=len(each),
            parts=c.parts or 1,
            placement=c.placement,
            overflow=0.0 if c.cpus else self.beside,
            cpu_share=self.beside if c.cpus else 0.0,
            noted=noted,
            summary=self.summary,
        )


def overflown(
    graph: lux.Graph, configuration: Configuration, progress: Callable[[int], None] | None = None
) -> tuple[Any, float]:
    """Run with some of each GPU's partitions in zero-copy memory; also returns the actual part of the edges."""
    from lux.algorithms.pagerank.pagerank import PageRank
    from lux.engine.gpu.parts import PartitionedGpuRun
    from lux.engine.run.check import parameter_values

    parts, gpus = configuration.parts or 1, configuration.per_node
    values = parameter_values(PageRank.spec, {"alpha": 0.85, "stop": 0.0})
    beside = round(configuration.overflow * parts / gpus)
    with lux.using(device="gpu", repartition="off", config=None):
        given: tuple[Any, ...] = (PageRank, graph, {}, values, "pull", ITERATIONS, parts)
        run = PartitionedGpuRun(*given, placement=configuration.placement, overflow=beside)
        run.check_memory()
        edges = np.diff(run.layout.edge_points)[run.overflowing].sum()
        return run.execute(progress), float(edges) / max(graph.n_edges, 1)


def cases(
    name: str, graph: lux.Graph, shares: Sequence[float], cpu_shares: Sequence[float]
) -> Iterator[OversubscribedCase]:
    """Return everything to run on one graph: parts of the edges that overflow, and that CPU cores have."""
    gpus, cpus = runtime.gpus(), runtime.processors()
    summary = summarize(graph, {*DOUBLINGS, *range(1, gpus + 1), OVERFLOW_PARTS * gpus}, symmetrized=False)
    for share in shares:
        parts = OVERFLOW_PARTS * gpus
        one = Configuration("pagerank", "pull", "device", 1, gpus, parts, overflow=share)
        yield OversubscribedCase(graph, summary, name, one)
    for share in cpu_shares:
        one = Configuration("pagerank", "pull", "zero-copy", 1, gpus, gpus + cpus, cpus=cpus, cpu_share=share)
        yield OversubscribedCase(graph, summary, name, one)


def measured(
    specs: Sequence[str],
    shares: Sequence[float],
    cpu_shares: Sequence[float],
    rounds: int,
    seconds: float,
    take: Callable[[OversubscribedCase], Any],
) -> tuple[list[Any], list[str]]:
    """Return the results of ``take`` for each case that has run, and the cases that there was no time for."""
    end, found, left = time.perf_counter() + seconds, [], []
    for spec in specs:
        if time.perf_counter() > end:
            left.append(spec)
            continue
        for case in cases(spec, made(spec), shares, cpu_shares):
            if time.perf_counter() > end:
                left.append(f"{case.configuration} on {spec}")
            elif case.prepare():
                for k in range(rounds):
                    if k == 0 or time.perf_counter() < end:
                        case.run()
                found.append(take(case))
    return found, left
