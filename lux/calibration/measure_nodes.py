# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurement on several processes (nodes) for the model, on all processors that they have.

Part of `lux.calibration`, and of `benchmarks/model.py`. Every process runs the same cases, so all decisions by time use
the slowest process's clock, and a run's seconds are the slowest process's. One graph is a path of a few vertices, whose
iterations cost little more than launches.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

import lux
from lux import runtime
from lux.autotune.summarize import summarize
from lux.calibration import measure_factors
from lux.calibration.fit import Sample
from lux.calibration.fit_factors import FactorSample
from lux.calibration.measure import Case, frontier_of, made
from lux.calibration.measure_factors import FactorCase
from lux.calibration.measure_gpu import GpuCase
from perfmodel.equations import changed_bytes
from perfmodel.programs import program
from perfmodel.steps import LARGE
from perfmodel.summary import WINDOW, Frontier
from perfmodel.this_machine import OtherProcesses

T = TypeVar("T")
NodeCase = Case | GpuCase | FactorCase
PATH, FEW_RATINGS = "grid:16x1", "12x6:40:1"
"""Graph and ratings that cost hardly more than launches: 16 vertices, of which a frontier of one still counts."""
GRAPHS = {
    "cpu": ("uniform:18,4", "grid:700x700", "kronecker:17", "uniform:17,2", "uniform:19,2"),
    "gpu": ("uniform:20,4", "grid:1536x1536", "kronecker:20", "uniform:22,2", "kronecker:19/degree"),
}
RATINGS = {
    "cpu": ("40000x2000:200000:2", "60000x60000:150000:1"),
    "gpu": ("60000x20000:2000000:1", "500000x100000:8000000:1"),
}
KS = {"cpu": (8, 32), "gpu": (24, 48)}
PLACEMENTS = {"cpu": ("host",), "gpu": ("device", "zero-copy")}


class CommonClock:
    """Common clock: seconds since it was made, on the slowest process; all processes must ask at the same places."""

    def __init__(self) -> None:
        self._began = time.perf_counter()

    def seconds(self) -> float:
        """Return the seconds, equal on every process."""
        return float(runtime.allreduce_max(np.array([time.perf_counter() - self._began]))[0])


def processors(device: str) -> int:
    """Return the number of processors of all processes."""
    return runtime.gpus() if device == "gpu" else runtime.processors()


def cases(specs: Iterable[str], programs: Iterable[str], device: str) -> Iterator[NodeCase]:
    """Yield vertex programs, graph by graph, each made when its turn comes; the path first."""
    parts, names = processors(device), [n for n in programs if not program(n).factors]
    for spec in (PATH, *specs):
        graph = made(spec)
        both = graph.symmetrized()
        source = graph.out_degrees().top(1)[0][0]
        for name in names:
            used = both if program(name).both else graph
            summary = summarize(used, {WINDOW, runtime.ranks(), parts}, symmetrized=used is not graph)
            for placement in PLACEMENTS[device]:
                for model in ("pull", "push"):
                    what = (used, summary, Path(spec).name if Path(spec).exists() else spec, name, model)
                    if placement == "host":
                        yield Case(*what, parts, source)
                    else:
                        yield GpuCase(*what, placement, parts, source)


def factor_cases(specs: Sequence[str], ks: Sequence[int], device: str) -> Iterator[NodeCase]:
    """Yield factorizations: of few ratings with each K, then of the others, with one K after the other."""
    parts = [processors(device)]
    for k in ks:
        yield from measure_factors.cases([FEW_RATINGS], [k], parts, device)
    yield from measure_factors.cases(specs, ks, parts, device)


def measured(
    all_cases: Iterable[NodeCase], device: str, rounds: int, seconds: float, take: Callable[[NodeCase], T | None]
) -> tuple[list[T], list[str]]:
    """Run cases one after the other, until the time is over.

    Parameters
    ----------
    rounds : int
        Runs of each case, at most.
    take : callable
        Returns the result to keep of a case that has run, equal on every process; None is left out.

    Returns
    -------
    list
        Results of ``take``.
    list of str
        Cases that there was no time for.
    """
    clock, found, left = CommonClock(), [], []
    with lux.using(device=device, repartition="off", config=None):
        for case in all_cases:
            if clock.seconds() > seconds:
                left.append(name_of(case))
            elif case.prepare():
                others = OtherProcesses(of_this_machine)
                for k in range(rounds):
                    if k == 0 or clock.seconds() < seconds:
                        case.run()
                _agree(case, others)
                kept = take(case)
                found += [] if kept is None else [kept]
    return found, left


def name_of(case: NodeCase) -> str:
    """Name a case's program, model and configuration."""
    if isinstance(case, FactorCase):
        return str(case)
    placed = f", {case.placement}" if isinstance(case, GpuCase) else ""
    return f"{case.program} ({case.model}{placed}) on {case.name}"


def of_this_machine(own: float) -> float:
    """Sum the core seconds of all processes of this run on the same machine, given this process's."""
    rows, host = np.zeros((runtime.ranks(), 2)), float(zlib.crc32(os.uname().nodename.encode()))
    rows[runtime.rank()] = own, host
    all_rows = runtime.allreduce_max(rows)
    return float(all_rows[all_rows[:, 1] == host, 0].sum())


def _agree(case: NodeCase, others: OtherProcesses) -> None:
    """Replace seconds by the slowest process's, where each has its own: kernels' come from a store."""
    case.seconds = runtime.allreduce_max(np.array(case.seconds)).tolist()
    if isinstance(case, GpuCase):
        case.loads = runtime.allreduce_max(np.array(case.loads)).tolist()
    busy = float(runtime.allreduce_max(np.array([others.cores()]))[0])
    if not isinstance(case, GpuCase):
        case.others = [busy] * len(case.seconds)
    if isinstance(case, Case):
        case.exchanged = [_exchanges(*run) for run in zip(case.exchanged, case.own, case.kernels, strict=True)]


def _exchanges(
    exchanged: NDArray[np.float64], own: NDArray[np.float64], kernels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what exchanges take besides the slowest kernel before each, mean over the processes: equal on all.

    Processes that wait for the slowest kernel do so in the exchange, and one may end it before another.
    """
    n, rows = len(exchanged) - 1, np.zeros((runtime.ranks(), len(exchanged)))
    rows[runtime.rank()] = exchanged
    rows[runtime.rank(), 1:] += own[:n]
    mean = runtime.allreduce_max(rows).mean(axis=0)
    mean[1:] -= kernels[:n]
    least: NDArray[np.float64] = np.maximum(mean, 0.0)
    return least


def sample(case: NodeCase) -> Sample | FactorSample | None:
    """Return the median of a case's runs."""
    found, x = case.sample(), runtime.ranks()
    if isinstance(found, FactorSample):
        return replace(found, nodes=x, uds=case.summary.read_rows(x, found.factors.method))
    if found is None or isinstance(case, FactorCase):
        return None
    of, uds, n = program(case.program), float(case.summary.of(x).uds_most), found.iterations
    value_bytes = of.value_bytes if of.crosses or not of.frontier else 0
    placement = "host" if isinstance(case, Case) else case.placement
    shares = frontier(case).vertices if moves_less(case) else (1.0,) * n
    counted = [share for share in shares if share > LARGE] or shares
    if placement == "host" and shares[0] > LARGE:  # all values are sent before the first iteration
        counted = [1.0, *counted[1:]]
    bytes_in = float(np.mean([changed_bytes(value_bytes, uds, share) for share in counted]))
    return replace(found, nodes=x, placement=placement, bytes_in=bytes_in)


def moves_less(case: Case | GpuCase) -> bool:
    """Return True if not all vertices change in each iteration."""
    return program(case.program).frontier or case.model == "push"


def frontier(case: Case | GpuCase) -> Frontier:
    """Return the frontier of the case's last run."""
    return frontier_of(case.graph, list(case.last.statistics))
