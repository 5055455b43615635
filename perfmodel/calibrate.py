# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measuring a machine: ``python -m perfmodel.calibrate --output my-machine.json``.

Runs Lux on a few synthetic graphs, with one worker and with several, and fits the rates of `perfmodel.profile`. Runs
are interleaved, runs that other processes disturbed are repeated, and the fastest of each iteration counts. With
``--device gpu`` the workers are the GPUs that Legate was given, in each placement (`perfmodel.measure_gpu`), and graphs
come one after the other. On several nodes (under ``legate --nodes``) only the launches and the rate between nodes are
measured, and ``--base`` gives the rest. Rates of `lux.factorize` (``--programs factorize``) can be added to a profile
that lacks them: ``--base`` names it.
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

import numpy as np

import lux
from lux import runtime
from lux.errors import LuxError
from lux.summary import summarize
from perfmodel import fit_gpu, measure_factors, measure_gpu, profile
from perfmodel import samples as stored
from perfmodel.errors import ModelError
from perfmodel.factors import FactorRate
from perfmodel.fit import Sample, fit_line, fit_rates, measured
from perfmodel.fit_factors import FactorSample, fit_factors
from perfmodel.here import OtherProcesses, this_machine
from perfmodel.measure import Case
from perfmodel.measure import made as made_graph
from perfmodel.measure_factors import FactorCase
from perfmodel.profile import Machine, Profile
from perfmodel.programs import PROGRAMS, program

GRAPHS = {
    "cpu": "kronecker:16,kronecker:19,rmat:17,uniform:16,uniform:18,uniform:18:4,uniform:20:4,uniform:19:8,"
    "grid:512x512",
    "gpu": "kronecker:18,uniform:20:4,grid:1536x1536,kronecker:20,kronecker:19/degree,uniform:20,uniform:23:2,rmat:20,"
    "kronecker:22,kronecker:20/degree,uniform:18",
}
"""A colon stands for the comma of an edge factor, as commas part the graphs; on GPUs the first tell most, and graphs
may be stored by degree."""
TOGETHER = 6
"""Cases that are run one after the other, long enough to see what others do meanwhile."""
ROUNDS = {"cpu": 8, "gpu": 2}
SECONDS = {"cpu": 180.0, "gpu": 95.0}
FACTORS = "factorize"
FACTORS_SHARE = 1 / 3
"""Of the time, for `lux.factorize`, where other programs are measured, too."""
QUIET, WAIT = 0.15, 0.5
"""Cores that others may keep busy, and seconds after which is looked again."""
LOUD = 0.5
"""Cores that others kept busy, from which on a factorization says nothing."""
CALIBRATED = tuple(name for name, p in PROGRAMS.items() if not p.like)


def cases(graphs: Iterable[str], programs: Iterable[str], workers: Sequence[int | None]) -> list[Case]:
    """Everything to run; what the engine refuses is left out."""
    found = []
    for spec in graphs:
        graph = made_graph(spec)
        both = graph.symmetrized()
        source = int(np.argmax(graph.out_degrees()))
        for name in programs:
            used = both if program(name).both else graph
            summary = summarize(used, symmetrized=used is not graph)
            found += [
                Case(used, summary, spec, name, model, parts, source) for model in ("pull", "push") for parts in workers
            ]
    return [case for case in found if _runs(case)]


def _runs(case: Case) -> bool:
    """Compile, and make what the graph keeps."""
    try:
        case.run()
    except LuxError as error:
        sys.stderr.write(f"left out: {case.program} ({case.model}) on {case.parts} partitions: {error}\n")
        return False
    case.seconds.clear()
    case.kernels.clear()
    return True


@overload
def sample(all_cases: Sequence[Case], rounds: int, seconds: float) -> list[Sample]: ...
@overload
def sample(all_cases: Sequence[FactorCase], rounds: int, seconds: float) -> list[FactorSample]: ...
def sample(all_cases: Sequence[Case] | Sequence[FactorCase], rounds: int, seconds: float) -> list[Any]:
    """Run all, a few at a time, ``rounds`` times; what other processes disturbed, again.

    After ``seconds`` nothing is run again, and what has run once is not run a second time.
    """
    end = time.perf_counter() + seconds
    for number in range(rounds):
        for first in range(0, len(all_cases), TOGETHER):
            if number == 0 or time.perf_counter() < end:
                _run_quietly(all_cases[first : first + TOGETHER], end)
    return [s for s in (case.sample() for case in all_cases) if s is not None]


def _run_quietly(cases: Sequence[Case] | Sequence[FactorCase], end: float) -> None:
    """Run each once; again, while others keep cores busy, until ``end``."""
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


def fit(samples: Sequence[Sample], machine: Machine) -> Profile:
    """A profile of the machine on which the samples were measured."""
    rates, caches = fit_rates(samples)
    alone = [(float(s.n_vertices), s.rest) for s in samples if s.parts == 1]
    run, run_vertex = fit_line(alone)
    launches = [(s.bytes_in, (s.rest - run - run_vertex * s.n_vertices) / s.iterations) for s in samples if s.parts > 1]
    exchanges = runtime.ranks() > 1
    launch, _ = fit_line([(b if exchanges else 0.0, max(t, 0.0)) for b, t in launches]) if launches else (0, 0)
    if not exchanges and launches:
        launch = float(np.median([max(t, 0.0) for _, t in launches]))
    versions = {"lux": lux.__version__, "measured": time.strftime("%Y-%m-%d", time.gmtime())}
    return Profile(
        machine,
        rates,
        caches.cache_bytes,
        run,
        run_vertex,
        launch,
        versions=versions,
        hot_bytes=caches.hot_bytes,
        measured=measured(samples),
    )


def profile_of_gpus(
    specs: Iterable[str], programs: Sequence[str], rounds: int, seconds: float, keep: Path | None = None
) -> Profile:
    """Measure the GPUs that Legate was given; raises `ModelError` where there are none.

    Parameters
    ----------
    keep : Path, optional
        A file for what was measured, for `perfmodel.samples`.
    """
    machine = replace(this_machine("gpu"), gpus=runtime.gpus())
    if not machine.gpus:
        raise ModelError("device gpu was asked for, and Legate was given none: start it with --gpus 1 or more")
    made = {spec: functools.partial(made_graph, spec) for spec in specs}
    samples, left = measure_gpu.measured(made, programs, rounds, seconds, measure_gpu.GpuCase.sample, fewer=True)
    if left:
        sys.stderr.write(f"no time was left for {len(left)} of the runs: {', '.join(left[:3])} ...: raise --seconds\n")
    if keep is not None:
        stored.write(keep, machine, samples)
    return fit_gpu.fit(samples, machine, lux.__version__)


def factor_rates(
    specs: Sequence[str], workers: Sequence[int | None], device: str, rounds: int, seconds: float
) -> dict[str, FactorRate]:
    """Measure `lux.factorize` on synthetic ratings; see `perfmodel.measure_factors.ratings` for ``specs``."""
    made = measure_factors.cases(specs, measure_factors.KS[device], workers, device)
    if device == "cpu":
        ready = [case for case in made if case.prepare()]
        sample(ready, rounds, seconds)
        return fit_factors([case.sample() for case in undisturbed(ready)])
    samples, left = measure_factors.measured(made, rounds, seconds, FactorCase.sample)
    if left:
        sys.stderr.write(f"no time was left for {left[0]}: raise --seconds\n")
    return fit_factors(samples)


def undisturbed(cases: Sequence[FactorCase]) -> Sequence[FactorCase]:
    """Those that ran at least once while others left the cores alone; all, where that are fewer than half."""
    found = [case for case in cases if min(case.others) < LOUD]
    if 2 * len(found) < len(cases):
        sys.stderr.write(f"other processes disturbed {len(cases) - len(found)} of {len(cases)} runs: calibrate again\n")
        return cases
    return found


def with_network(samples: Sequence[Sample], base: Profile) -> Profile:
    """A profile of one node with the rate between nodes: what an iteration takes beyond one node's prediction."""
    points = [(s.bytes_in, max(s.rest - base.run_seconds, 0.0) / s.iterations) for s in samples if s.parts > 1]
    if not points:
        raise ModelError("nothing ran on several partitions: start with legate --nodes 2 or more")
    launch, network = fit_line(points)
    return replace(base, launch_seconds=launch, network=network or None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Calibrate as the command line says; returns the exit code."""
    options = _options(arguments)
    try:
        if options.fit is not None:
            _again(options)
            return 0
        machine = this_machine(options.device)
        rounds, seconds = options.rounds or ROUNDS[options.device], options.seconds or SECONDS[options.device]
        base = None if options.base is None else profile.load(options.base)
        with lux.using(device=options.device):
            nodes, workers = runtime.ranks(), workers_of(machine)
            if nodes > 1 and base is None:
                raise ModelError(f"{nodes} processes run: pass --base PROFILE, one of a single node")
            specs, programs = graphs_of(options.graphs, options.device), options.programs.split(",")
            factors = FACTORS in programs and nodes == 1
            programs = [name for name in programs if name != FACTORS]
            of_factors = (FACTORS_SHARE if programs else 1.0) * seconds if factors else 0.0
            if not programs:
                found = _only_factors(base, machine)
            elif options.device == "gpu" and nodes == 1:
                found = profile_of_gpus(specs, programs, rounds, seconds - of_factors, options.samples)
            else:
                made = cases(specs, programs, [nodes] if nodes > 1 else workers)
                samples = sample(made, rounds, seconds - of_factors)
                if options.samples is not None and runtime.rank() == 0:
                    stored.write(options.samples, machine, samples)
                found = fit(samples, machine) if base is None or nodes == 1 else with_network(samples, base)
            if factors:
                ratings = options.ratings.split(",") if options.ratings else measure_factors.GRAPHS[options.device]
                rates = factor_rates(ratings, workers, options.device, rounds, of_factors)
                found = replace(found, factors={**found.factors, **rates})
        if runtime.rank() == 0:
            found.write(options.output)
            sys.stdout.write(f"{found.machine.describe()}: written to {options.output}\n")
    except (ModelError, LuxError) as error:
        sys.stderr.write(f"calibrate: error: {error}\n")
        return 2
    return 0


def _again(options: argparse.Namespace) -> None:
    """Fit what an earlier calibration kept; rates of `lux.factorize` are those of ``--base``."""
    machine, samples = stored.read(options.fit)
    found = fit_gpu.fit(samples, machine, lux.__version__) if machine.device == "gpu" else fit(samples, machine)
    if options.base is not None:
        found = replace(found, factors=_only_factors(profile.load(options.base), machine).factors)
    found.write(options.output)
    sys.stdout.write(f"{machine.describe()}: written to {options.output}\n")


def _only_factors(base: Profile | None, machine: Machine) -> Profile:
    """The profile to which rates of `lux.factorize` are added."""
    if base is None:
        raise ModelError(f"only {FACTORS} was asked for: pass --base PROFILE, to which its rates are added")
    if not profile.alike(base.machine, machine):
        raise ModelError(
            f"the profile of --base is of another machine ({base.machine.describe()}; this one is "
            f"{machine.describe()}): measure all programs (leave --programs out)"
        )
    return base


def workers_of(machine: Machine) -> list[int | None]:
    """Partitions to run with: one; one task with all cores; and one for each processor."""
    if machine.device == "cpu":
        cores = runtime.processors() // runtime.ranks()
        return [1, None, cores] if cores > 1 else [1]
    return [1, *range(2, runtime.gpus() + 1)]


def graphs_of(text: str | None, device: str) -> list[str]:
    """Synthetic graphs by their spelling on the command line; by default those of a device.

    >>> graphs_of("uniform:20:4,grid:8x8", "cpu")
    ['uniform:20,4', 'grid:8x8']
    """
    specs = (text or GRAPHS[device]).split(",")
    return [":".join(s.split(":")[:2]) + "".join("," + x for x in s.split(":")[2:]) for s in specs]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m perfmodel.calibrate", description="Measure this machine's rates.")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="the profile to write")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="what to measure (cpu)")
    parser.add_argument("--graphs", metavar="SPEC,...", help="synthetic graphs; uniform:20:4 has edge factor 4")
    parser.add_argument("--programs", default=",".join(CALIBRATED), metavar="NAME,...")
    parser.add_argument("--rounds", type=int, help="runs of each at most (8; on GPUs 2)")
    parser.add_argument("--seconds", type=float, help="begin no further round after this time (180; on GPUs 95)")
    parser.add_argument("--ratings", metavar="SPEC,...", help="synthetic ratings, USERSxITEMS:RATINGS:SKEW")
    parser.add_argument("--samples", type=Path, metavar="FILE", help="keep what was measured, for --fit")
    parser.add_argument("--fit", type=Path, metavar="FILE", help="fit what --samples kept, and measure nothing")
    parser.add_argument("--base", metavar="PROFILE", help="a profile of one node to add what is measured to")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
