# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Fit of rates to measured runs: least squares of relative errors, without negative times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lux.calibration.progress import Noted, of_iteration
from perfmodel.equations import near_share
from perfmodel.errors import ModelError
from perfmodel.locality import Caches
from perfmodel.profile import Rate
from perfmodel.programs import program
from perfmodel.summary import GraphSummary

CACHES = tuple(2.0**k for k in range(18, 28))
"""Sizes of the last cache that are tried: 256 KiB to 128 MiB."""
FINER = tuple(m * 2.0**20 for m in (4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128))
"""Sizes that are tried on GPUs."""
FIRST = {
    "cpu": tuple(2.0**k for k in range(17, 22)),
    "gpu": tuple(k * 2.0**10 for k in (16, 32, 64, 96, 128, 192, 256)),
}
"""Sizes of the cache before it that are tried, by device."""


@dataclass(frozen=True)
class Sample:
    """Sample: measured runs of one program in one model on one graph.

    Attributes
    ----------
    graph, program, model : str
    n_vertices, n_edges : int
    workers : int
    values : float
        Vertices whose values are gathered: `GraphSummary.gathered`.
    irregular : float
        `GraphSummary.irregular`.
    activity : float
        Share of the edges that leave the frontier.
    kernel : float
        Seconds of an iteration in the slowest worker's kernel, mean over the iterations that count.
    rest : float
        Seconds of the whole run that were in no kernel.
    iterations : int
        Iterations of the whole run.
    parts : int
        Partitions; 1 where one task runs all iterations.
    bytes_in : float
        Bytes that a GPU reads from others; with several nodes, of the active vertices in a node's UDS.
    placement : str
        As in `Configuration`.
    load : float
        Part of ``kernel`` in which values were gathered from other memories, mean over all iterations.
    active : float
        Share of the vertices in the frontier.
    ins_total, ins_most : float
        |INS| of all partitions, and of the largest.
    overflow : float
        Part of the edges in zero-copy memory; ``parts`` are then more than ``workers``.
    cpu_share : float
        Part of the edges on CPU cores, whose number is ``parts`` less ``workers``; ``kernel`` is then the slower
        side's.
    noted : tuple of (iterations, seconds)
        Notes of `lux.calibration.progress.Clock` for the run with the least ``rest``; empty if there are none.
    exchange : float or None
        Part of ``rest`` in each iteration, if that is known: of exchanges between nodes, mean over the iterations that
        count; ``rest`` then has as much for all of them.
    quiet : float or None
        Seconds of an iteration that does not count, over ``kernel``, if there are some.
    ended : bool
        True if the run converged, and did not end at a limit.
    nodes : int
        Processes, on all of which ``workers`` are.
    summary : GraphSummary or None
        Summary of the graph; without one, a single cache is modelled from ``values``.
    """

    graph: str
    program: str
    model: str
    n_vertices: int
    n_edges: int
    workers: int
    values: float
    irregular: float
    activity: float
    kernel: float
    rest: float
    iterations: int
    parts: int = 1
    bytes_in: float = 0.0
    placement: str = "host"
    load: float = 0.0
    active: float = 1.0
    ins_total: float = 0.0
    ins_most: float = 0.0
    overflow: float = 0.0
    cpu_share: float = 0.0
    noted: Noted = ()
    exchange: float | None = None
    quiet: float | None = None
    ended: bool = False
    summary: GraphSummary | None = None
    nodes: int = 1

    @property
    def device(self) -> str:
        """Device of the run: ``cpu`` or ``gpu``."""
        return "cpu" if self.placement == "host" else "gpu"

    @property
    def rest_each(self) -> float | None:
        """Part of ``rest`` in an iteration, in seconds; None if not known.

        >>> import dataclasses
        >>> one = Sample("g", "pagerank", "pull", 1, 1, 1, 1, 0, 1, kernel=1, rest=8.0, iterations=8)
        >>> dataclasses.replace(one, noted=tuple((k, 0.5 * k) for k in range(1, 9))).rest_each
        0.5
        """
        each = of_iteration(self.noted) if self.exchange is None else self.exchange
        return None if each is None else min(each, self.rest / self.iterations)

    @classmethod
    def of_json(cls, found: dict[str, Any], summary: GraphSummary | None) -> Sample:
        """Build a sample from its JSON; files before version 3 have no notes, and runs of up to 20 iterations."""
        noted = tuple((int(done), float(seconds)) for done, seconds in found.get("noted", ()))
        ended = found.get("ended", program(found["program"]).frontier and found["iterations"] < 20)
        return cls(**{**found, "noted": noted, "ended": ended, "summary": summary})


def fit_rates(samples: Iterable[Sample], sizes: Sequence[float] = CACHES) -> tuple[dict[str, dict[str, Rate]], Caches]:
    """Fit the rates of every program and model, and the cache sizes (shared by all) that fit best.

    Raises
    ------
    ModelError
        A program and model have fewer than two graphs with one worker.
    """
    groups: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for sample in samples:
        groups[sample.program, sample.model].append(sample)
    if not groups:
        raise ModelError("nothing was measured: there is nothing to fit")

    everything = [s for group in groups.values() for s in group]
    device, known = everything[0].device, all(s.summary is not None and s.summary.reads is not None for s in everything)
    # Cores prefetch; on some machines the share of values that fit the last cache explains as much.
    first: Sequence[float | None] = (None, *FIRST[device]) if device == "cpu" else FIRST[device]
    first = first if known else (None,)
    tried = [Caches(device, last, hot) for last in sizes for hot in first if hot is None or hot < last]

    def misfit(caches: Caches) -> float:
        return sum(fit_rate(group, caches)[1] for group in groups.values())

    caches = min(tried, key=misfit)
    rates: dict[str, dict[str, Rate]] = defaultdict(dict)
    for (name, model), group in groups.items():
        rates[name][model] = fit_rate(group, caches)[0]
    return dict(rates), caches


def fit_rate(samples: Sequence[Sample], caches: Caches) -> tuple[Rate, float]:
    """Fit the rate of one program and model; also returns the sum of squared relative errors."""
    from scipy.optimize import nnls

    alone = [s for s in samples if s.workers == 1]
    if len(alone) < 2:
        raise ModelError(
            f"{len(alone)} runs of {samples[0].program} ({samples[0].model}) with one worker are too few: calibrate on "
            "two graphs or more"
        )
    times = np.array([s.kernel for s in alone])
    # An edge or vertex costs its near time, plus an extra if its value is far: far is never less than near.
    rows = np.array([_row(s, caches) for s in alone]) / times[:, None]
    found, _ = nnls(rows, np.ones(len(alone)))
    errors = rows @ found - 1
    hot, near_more, far_more, vertex, vertex_more, uneven, *fixed = (float(x) for x in found)
    quiet = [s.quiet for s in alone if s.quiet is not None]
    serial = [_serial(s, float(np.dot(_row(s, caches), found))) for s in samples if s.workers > 1]
    return Rate(
        edge_hot=None if caches.hot_bytes is None else hot,
        edge_near=hot + near_more,
        edge_far=hot + near_more + far_more,
        vertex_near=vertex,
        vertex_far=vertex + vertex_more,
        vertex_irregular=uneven,
        serial=float(np.median(serial)) if serial else 0.0,
        activity=float(np.mean([s.activity for s in alone])),
        active=float(np.mean([s.active for s in alone])),
        quiet=min(float(np.median(quiet)), 1.0) if quiet and alone[0].model == "pull" else 1.0,
        fixed=sum(fixed),
        error=float(np.abs(errors).max()),
    ), float((errors**2).sum())


def _row(sample: Sample, caches: Caches) -> list[float]:
    of, edges, vertices = program(sample.program), sample.activity * sample.n_edges, sample.n_vertices
    if caches.hot_bytes is None or sample.summary is None:
        far = 1 - near_share(of.value_bytes, sample.values, caches.cache_bytes)
        row = [edges, 0.0, edges * far, vertices, vertices * far]
    else:  # vertices are read in order, and none are far
        first, far = caches.missed(sample.summary, of, sample.model, sample.workers)
        row = [edges, edges * first, edges * far, vertices, 0.0]
    row.append(vertices * sample.irregular)
    return row if sample.device == "cpu" else [*row, 1.0]  # barriers of a GPU


def _serial(sample: Sample, alone: float) -> float:
    """Return the share s that explains a time of s + (1 - s) / workers of one worker's.

    >>> one = Sample("g", "pagerank", "pull", 1, 1, 2, 1, 0, 1, kernel=0.75, rest=0, iterations=1)
    >>> _serial(one, 1.0)
    0.5
    """
    ideal = 1 / sample.workers
    return min(max((sample.kernel / alone - ideal) / (1 - ideal), 0.0), 1.0)


def fit_line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Fit intercept and slope, neither negative, of times over bytes, by relative errors.

    >>> intercept, slope = fit_line([(0, 1.0), (10, 3.0)])
    >>> round(intercept, 6), round(slope, 6)
    (1.0, 0.2)
    """
    from scipy.optimize import nnls

    bytes_in, times = np.array(points, np.float64).T
    scale = max(float(bytes_in.max()), 1.0)
    weights = 1 / np.maximum(times, times.max() * 1e-3) if times.max() > 0 else np.ones_like(times)
    rows = np.column_stack([np.ones_like(bytes_in), bytes_in / scale]) * weights[:, None]
    (intercept, slope), _ = nnls(rows, times * weights)
    return float(intercept), float(slope / scale)


def enough(samples: Iterable[Sample]) -> list[Sample]:
    """Keep the samples of programs and models that ran on two graphs at least."""
    every = list(samples)
    graphs: dict[tuple[str, str], set[str]] = defaultdict(set)
    for s in every:
        graphs[s.program, s.model].add(s.graph)
    return [s for s in every if len(graphs[s.program, s.model]) > 1]


def measured(samples: Iterable[Sample]) -> dict[str, dict[str, int]]:
    """Count the graphs on which each program and model ran, by placement and processors (or nodes x processors).

    >>> one = Sample("g", "pagerank", "pull", 1, 1, 2, 1, 0, 1, kernel=1, rest=0, iterations=1, placement="peer")
    >>> measured([one, one])
    {'2 peer': {'pagerank pull': 1}}
    """
    graphs: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for s in samples:
        where = f"{s.workers} {s.placement}" if s.nodes == 1 else f"{s.nodes} x {s.workers // s.nodes} {s.placement}"
        graphs[where][f"{s.program} {s.model}"].add(s.graph)
    return {place: {name: len(found) for name, found in each.items()} for place, each in graphs.items()}
