# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurement of runs for the model: the median of some runs, iteration by iteration. Part of `lux.calibration`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux import runtime
from lux.calibration.fit import Sample
from lux.engine.run.statistics import Iteration
from lux.errors import LuxError
from perfmodel.programs import program
from perfmodel.steps import LARGE
from perfmodel.summary import Frontier, GraphSummary

ITERATIONS = 20
"""Maximum of iterations of a run: as many as Lux wants before it sorts edges into tiles."""
WEIGHTS = (1, 255)


def prepared(run: Callable[[], None], what: object, *measured: list[Any]) -> bool:
    """Run once, to compile and to cache data with the graph, and forget what was ``measured``.

    Returns False, with a message that ``what`` is left out, if Lux refuses it.
    """
    try:
        run()
    except LuxError as error:
        sys.stderr.write(f"left out: {what}: {error}\n")
        return False
    for kept in measured:
        kept.clear()
    return True


@dataclass
class Case:
    """Case to measure: one program in one model on one graph, with a number of partitions.

    Attributes
    ----------
    parts : int or None
        None for one task with a thread for each core.
    iterations : int
        Iteration limit.
    others : list of float
        Cores that other processes kept busy during each run.
    exchanged : list of np.ndarray
        Seconds of each exchange between processes, of each run.
    own : list of np.ndarray
        Seconds of this process's slowest kernel in each iteration, of each run.
    """

    graph: lux.Graph
    summary: GraphSummary
    name: str
    program: str
    model: str
    parts: int | None
    source: Any
    iterations: int = ITERATIONS
    seconds: list[float] = field(default_factory=list)
    kernels: list[NDArray[np.float64]] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    exchanged: list[NDArray[np.float64]] = field(default_factory=list)
    own: list[NDArray[np.float64]] = field(default_factory=list)
    last: Any = None

    def run(self) -> None:
        """Run once more."""
        self.last = call(self.program, self.graph, self.model, self.parts, self.source, self.iterations)
        steps = list(self.last.statistics)
        self.seconds.append(self.last.seconds)
        self.kernels.append(np.array([step.seconds.max() for step in steps]))
        self.own.append(np.array([step.seconds.reshape(runtime.ranks(), -1)[runtime.rank()].max() for step in steps]))
        self.exchanged.append(np.empty(0) if self.last.sent is None else self.last.sent.times)

    def prepare(self) -> bool:
        """Compile, and cache data with the graph; False if the engine refuses."""
        what = f"{self.program} ({self.model}) on {self.parts} partitions"
        return prepared(self.run, what, self.seconds, self.kernels, self.exchanged, self.own)

    def drop(self) -> None:
        """Forget the last run."""
        self.seconds.pop()
        self.kernels.pop()
        self.exchanged.pop()
        self.own.pop()

    def sample(self) -> Sample | None:
        """Return the median of the runs; None if no iteration counts (see section 6.2 of the paper)."""
        each = np.median(self.kernels, axis=0)
        activity, active, counts = 1.0, 1.0, np.ones(len(each), np.bool_)
        if program(self.program).frontier or self.model == "push":
            frontier = frontier_of(self.last.graph, list(self.last.statistics))
            counts = np.array(frontier.vertices) > LARGE
            if not counts.any():
                return None
            active = float(np.array(frontier.vertices)[counts].mean())
            if self.model == "push":
                activity = float(np.array(frontier.edges)[counts].mean())
        measured = zip(self.seconds, self.kernels, self.exchanged, strict=True)
        rests = [max(s - k.sum() - x.sum(), 0.0) for s, k, x in measured]
        rest, exchange = float(np.median(rests)), None
        if len(self.exchanged[0]):  # the first is before the first iteration, as the others are before theirs
            exchange = float(np.median(self.exchanged, axis=0)[: len(each)][counts].mean())
            rest += len(each) * exchange
        parts = self.last.parts
        workers = parts * self.last.threads
        return Sample(
            self.name,
            self.program,
            self.model,
            self.summary.n_vertices,
            self.summary.n_edges,
            workers,
            self.summary.gathered(workers),
            self.summary.irregular,
            activity,
            float(each[counts].mean()),
            rest,
            len(each),
            parts,
            program(self.program).value_bytes * float(self.summary.of(parts).uds_most),
            active=active,
            exchange=exchange,
            quiet=None if counts.all() else float(each[~counts].mean() / each[counts].mean()),
            ended=self.last.converged,
            summary=self.summary,
        )


def made(spec: str) -> lux.Graph:
    """Make a synthetic graph by its spelling, or read a file; ``kronecker:20/degree`` is stored by degree."""
    if Path(spec).exists():
        return lux.read_graph(spec)
    what, _, order = spec.partition("/")
    graph = lux.generate(what, weights=WEIGHTS)
    return graph.reordered(order) if order else graph


def call(
    name: str,
    graph: lux.Graph,
    model: str,
    parts: int | None,
    source: Any,
    limit: int = ITERATIONS,
    progress: Callable[[int], None] | None = None,
) -> Any:
    """Run a program as a user would; PageRank in exactly ``limit`` iterations, and no other in more."""
    given: dict[str, Any] = {"model": model, "parts": parts, "max_iter": limit, "progress": progress}
    if name == "pagerank":
        return lux.pagerank(graph, tol=0, weight=None, **given)
    if model == "auto":
        del given["max_iter"]  # with a limit, auto would not run the strategy
    if name == "components":
        return lux.components(graph, **given)
    return lux.bfs(graph, source, **given) if name == "bfs" else lux.sssp(graph, source, **given)


def frontier_of(graph: lux.Graph, steps: Sequence[Iteration]) -> Frontier:
    """Return a run's frontier from its statistics."""
    v, e = graph.n_vertices, max(graph.n_edges, 1)
    return Frontier(tuple(s.frontier / v for s in steps), tuple(min(s.frontier_edges / e, 1.0) for s in steps))
