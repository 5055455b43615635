# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurement on CPU cores for the model, while other processes leave them alone. Part of `lux.calibration`."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np

import lux
from lux.autotune.summarize import summarize
from lux.calibration.fit import Sample
from lux.calibration.fit_factors import FactorSample
from lux.calibration.measure import Case, made
from lux.calibration.measure_factors import FactorCase
from perfmodel.programs import program
from perfmodel.summary import DOUBLINGS, GraphSummary
from perfmodel.this_machine import OtherProcesses

TOGETHER = 6
"""Cases that run one after the other, long enough to see other processes' load meanwhile."""
QUIET, WAIT = 0.15, 0.5
"""Cores that others may keep busy, and seconds between two checks."""
LOUD = 0.5
"""Cores that others kept busy, from which on a factorization is discarded."""
BESIDE = ("kronecker:17", "uniform:20:4", "uniform:22:2", "grid:1024x1024")
"""Graphs for CPU cores beside GPUs; everything is measured on the first two before the others."""
BESIDE_ITERATIONS = 5
"""Iterations of their runs: so few that edges are not sorted into tiles, as beside GPUs."""


def cases(graphs: Iterable[str], programs: Iterable[str], workers: Sequence[int | None]) -> list[Case]:
    """Return everything to run; refused cases are left out."""
    found = []
    for spec in graphs:
        graph = made(spec)
        both = graph.symmetrized()
        source = int(np.argmax(graph.dense_out_degrees()))
        for name in programs:
            used = both if program(name).both else graph
            summary = summarize(used, symmetrized=used is not graph)
            found += [
                Case(used, summary, Path(spec).name if Path(spec).exists() else spec, name, model, parts, source)
                for model in ("pull", "push")
                for parts in workers
            ]
    return [case for case in found if case.prepare()]


@overload
def sample(all_cases: Sequence[Case], rounds: int, seconds: float) -> list[Sample]: ...
@overload
def sample(all_cases: Sequence[FactorCase], rounds: int, seconds: float) -> list[FactorSample]: ...
def sample(all_cases: Sequence[Case] | Sequence[FactorCase], rounds: int, seconds: float) -> list[Any]:
    """Run all cases, a few at a time, ``rounds`` times; disturbed runs are repeated."""
    end = time.perf_counter() + seconds
    for number in range(rounds):
        for first in range(0, len(all_cases), TOGETHER):
            if number == 0 or time.perf_counter() < end:
                _run_quietly(all_cases[first : first + TOGETHER], end)
    return [s for s in (case.sample() for case in all_cases) if s is not None]


def _run_quietly(cases: Sequence[Case] | Sequence[FactorCase], end: float) -> None:
    """Run each case once, and again while others keep cores busy, until ``end``."""
    while True:
        others = OtherProcesses()
        for case in cases:
            case.run()
        busy = others.cores()
        if busy < QUIET or time.perf_counter() > end:
            break
        for case in cases:
            case.drop()
        time.sleep(WAIT)
    for case in cases:
        case.others.append(busy)


def undisturbed(cases: Sequence[FactorCase]) -> Sequence[FactorCase]:
    """Return the cases that ran at least once undisturbed; all cases, if fewer than half did."""
    found = [case for case in cases if min(case.others) < LOUD]
    if 2 * len(found) < len(cases):
        sys.stderr.write(f"other processes disturbed {len(cases) - len(found)} of {len(cases)} runs: calibrate again\n")
        return cases
    return found


def beside_gpus(
    specs: Sequence[str], programs: Sequence[str], cores: int, rounds: int, seconds: float
) -> tuple[list[Sample], list[str]]:
    """Measure a GPU machine's CPU cores alone: one core, and a partition for each, until the time is over.

    Returns
    -------
    list of Sample
    list of str
        Cases that there was no time for.
    """
    end, found, left = time.perf_counter() + seconds, [], []
    with lux.using(device="cpu", repartition="off", config=None):
        for case in _in_order(specs, programs, [1, cores] if cores > 1 else [1]):
            if time.perf_counter() > end:
                left.append(f"{case.program} ({case.model}) on {case.name}, {case.parts} cores")
            elif case.prepare():
                for k in range(rounds):
                    if k == 0 or time.perf_counter() < end:
                        case.run()
                found.append(case.sample())
    return [s for s in found if s is not None], left


def _in_order(specs: Sequence[str], programs: Sequence[str], workers: Sequence[int]) -> Iterator[Case]:
    """Yield each program and model on two graphs, pull first, then on the others; graphs are made in turn."""

    @functools.cache
    def of(spec: str, *, both: bool) -> tuple[lux.Graph, GraphSummary, int]:
        graph = made(spec)
        used, source = graph.symmetrized() if both else graph, int(np.argmax(graph.dense_out_degrees()))
        return used, summarize(used, {*DOUBLINGS, *workers}, symmetrized=used is not graph), source

    for some in (specs[:2], specs[2:]):
        for model in ("pull", "push"):
            for name in programs:
                for spec in some:
                    graph, summary, source = of(spec, both=program(name).both)
                    for parts in workers:
                        yield Case(graph, summary, spec, name, model, parts, source, BESIDE_ITERATIONS)
