# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurement on GPUs for the model: each program on one GPU, and on partitions in each placement.

Part of `lux.calibration`. Only the engine runs, without the public functions' work on its results. Graphs run one after
the other, smaller ones first, so that only the largest are left out for lack of time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import lux
from lux import runtime
from lux.autotune.summarize import summarize
from lux.calibration.fit import Sample
from lux.calibration.measure import ITERATIONS, frontier_of, prepared
from lux.calibration.progress import Clock, Noted, median_rest
from perfmodel.programs import program
from perfmodel.steps import LARGE
from perfmodel.summary import WINDOW, GraphSummary

T = TypeVar("T")
SHARE = 1.5
"""Factor on the mean of the remaining time that one graph may take."""


@dataclass
class GpuCase:
    """GPU case: one program in one model on one graph, on partitions in one placement.

    Attributes
    ----------
    seconds : list of float
        Of each run.
    kernels : list of np.ndarray of shape (iterations,)
        Of the slowest partition, in each run.
    loads : list of float
        Seconds of gathering in each run.
    noted : list of Noted
        When iterations of each run were known to be done.
    """

    graph: lux.Graph
    summary: GraphSummary
    name: str
    program: str
    model: str
    placement: str
    parts: int
    source: Any
    seconds: list[float] = field(default_factory=list)
    kernels: list[NDArray[np.float64]] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)
    noted: list[Noted] = field(default_factory=list)
    last: Any = None

    def run(self) -> None:
        """Run once more."""
        clock, given = Clock(), (self.program, self.graph, self.model, self.parts, self.source, ITERATIONS)
        with lux.using(device="gpu", placement=self.placement, repartition="off"):
            self.last = execute(*given, progress=clock)
        self.seconds.append(self.last.seconds)
        self.kernels.append(np.array([step.seconds.max() for step in self.last.statistics]))
        self.noted.append(clock.noted(self.kernels[-1]))
        self.loads.append(0.0 if self.last.loads is None else self.last.loads.seconds)

    def prepare(self) -> bool:
        """Compile, and cache data with the graph; False if the engine refuses."""
        what = f"{self.program} ({self.model}) on {self.name}, {self.parts} partitions, {self.placement}"
        return prepared(self.run, what, self.seconds, self.kernels, self.loads, self.noted)

    def sample(self) -> Sample | None:
        """Return the median of the runs; None if no iteration counts (see section 6.2 of the paper)."""
        n = min(map(len, self.kernels))  # runs that end at a limit may differ by an iteration
        each = np.median([k[:n] for k in self.kernels], axis=0)
        if n == 0:
            return None
        rest, noted = median_rest(self.seconds, self.kernels, self.noted)
        activity, active, counts = 1.0, 1.0, np.ones(n, np.bool_)
        if program(self.program).frontier or self.model == "push":
            frontier = frontier_of(self.graph, list(self.last.statistics))
            counts = np.array(frontier.vertices) > LARGE
            if not counts.any():
                return None
            active = float(np.array(frontier.vertices)[counts].mean())
            activity = float(np.array(frontier.edges)[counts].mean()) if self.model == "push" else 1.0
        v, size, sizes = self.summary.n_vertices, program(self.program).value_bytes, self.summary.of(self.parts)
        crossing = v * (self.parts - 1) / self.parts if self.placement == "device" else sizes.uds_most
        return Sample(
            graph=self.name,
            program=self.program,
            model=self.model,
            n_vertices=v,
            n_edges=self.summary.n_edges,
            workers=self.parts,
            values=self.summary.gathered(self.parts),
            irregular=self.summary.irregular,
            activity=activity,
            kernel=float(each[counts].mean()),
            rest=rest,
            iterations=n,
            parts=self.parts,
            bytes_in=float(size * crossing),
            placement=self.placement,
            load=float(np.median(self.loads)) / n,
            active=active,
            ins_total=float(sizes.ins_total),
            ins_most=float(sizes.ins_most),
            noted=noted,
            ended=self.last.converged,
            summary=self.summary,
        )


def execute(
    name: str,
    graph: lux.Graph,
    model: str,
    parts: int,
    source: Any,
    limit: int,
    progress: Callable[[int], None] | None = None,
) -> Any:
    """Run a program as its public function does, without processing the result; returns the engine's `Run`."""
    from lux.engine.executor import execute as run

    of, parameters = vertex_programs(name, graph, source)[model]
    return run(of, graph, parameters, parts=parts, model=model, max_iterations=limit, progress=progress)


def vertex_programs(name: str, graph: lux.Graph, source: Any) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Return the vertex program of each model, and its parameters, from the vertex with the user's id ``source``."""
    from lux.algorithms.bfs import bfs
    from lux.algorithms.components import components
    from lux.algorithms.pagerank import pagerank
    from lux.algorithms.sssp import bellman_ford

    if name == "pagerank":
        given = {"alpha": 0.85, "stop": 0.0}
        return {"pull": (pagerank.PageRank, given), "push": (pagerank.PageRankDeltas, given)}
    if name == "components":
        return dict.fromkeys(("pull", "push"), (components.SmallestLabel, {}))
    at = graph.ids.dense(source)
    if name == "bfs":
        return dict.fromkeys(("pull", "push"), (bfs.BreadthFirstSearch, {"source": at}))
    kind = graph.property_types["weight"]
    which, cutoff = (kind.name, np.inf) if kind.kind == "f" else ("int64", bellman_ford.UNREACHED)
    return dict.fromkeys(("pull", "push"), (bellman_ford.PROGRAMS[which], {"source": at, "cutoff": cutoff}))


def configurations(gpus: int) -> list[tuple[int, str]]:
    """Return the partitions and placements to run: one whole GPU, and other `numbers` of GPUs in each placement.

    >>> configurations(2)
    [(1, 'device'), (1, 'zero-copy'), (2, 'peer'), (2, 'device'), (2, 'zero-copy')]
    """
    several = [(n, placement) for n in numbers(gpus)[1:] for placement in ("peer", "device", "zero-copy")]
    return [(1, "device"), (1, "zero-copy"), *several]


def numbers(gpus: int) -> list[int]:
    """Return the numbers of GPUs to run on: the powers of two, and all.

    >>> numbers(6)
    [1, 2, 4, 6]
    """
    return sorted({*(1 << k for k in range(gpus.bit_length())), gpus})


def cases(name: str, graph: lux.Graph, programs: Iterable[str], gpus: int) -> Iterator[GpuCase]:
    """Return everything to run on one graph."""
    both = graph.symmetrized()
    source = graph.out_degrees().top(1)[0][0]
    for program_name in programs:
        of = program(program_name)
        used = both if of.both else graph
        if of.edge_bytes and "weight" not in used.property_types:
            continue
        summary = summarize(used, {*range(1, gpus + 1), WINDOW}, symmetrized=used is not graph)
        for parts, placement in configurations(gpus):
            for model in ("pull", "push"):
                yield GpuCase(used, summary, name, program_name, model, placement, parts, source)


def in_turns(found: Iterable[GpuCase], number: int) -> list[GpuCase]:
    """Order cases so that all programs run in a placement before the next placement.

    One GPU that holds the graph comes first; the order of the other configurations rotates with the graph's number.
    So each program, model and placement has run on some graphs when time ends.
    """
    every = list(found)
    whole, *others = dict.fromkeys((case.parts, case.placement) for case in every)
    first = number % max(len(others), 1)
    ranks = {where: k for k, where in enumerate([whole, *others[first:], *others[:first]])}
    return sorted(every, key=lambda c: ranks[c.parts, c.placement])


def measured(
    graphs: Mapping[str, Callable[[], lux.Graph]],
    programs: Sequence[str],
    rounds: int,
    seconds: float,
    take: Callable[[GpuCase], T | None],
    *,
    shared: bool = False,
) -> tuple[list[T], list[str]]:
    """Run everything on some graphs, with only one graph in memory at a time.

    Parameters
    ----------
    graphs : mapping of name to callable
        Each makes a graph.
    seconds : float
        Time after which no case begins.
    take : callable
        Returns the result to keep of a case that has run; None is left out.
    shared : bool
        For a calibration: each graph has a share of the time, and cases run `in_turns`.

    Returns
    -------
    list
        Results of ``take``.
    list of str
        Cases that there was no time for.
    """
    end, found, left = time.perf_counter() + seconds, [], []
    for number, (name, make) in enumerate(graphs.items()):
        now = time.perf_counter()
        if now > end:
            left.append(name)
            continue
        until = min(end, now + SHARE * (end - now) / (len(graphs) - number)) if shared else end
        every: Iterable[GpuCase] = cases(name, make(), programs, runtime.gpus())
        for case in in_turns(every, number) if shared else every:
            if time.perf_counter() > until:
                left.append(f"{case.program} ({case.model}) on {name}, {case.parts} {case.placement}")
            elif case.prepare():
                for k in range(rounds):
                    if k == 0 or time.perf_counter() < until:
                        case.run()
                kept = take(case)
                found += [] if kept is None else [kept]
    return found, left
