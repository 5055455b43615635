# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Calibration of a machine: ``python -m lux.calibration --output my-machine.json``.

Runs Lux on a few synthetic graphs, with one worker and with several, and fits the rates of `perfmodel.profile`. Runs
are interleaved, runs disturbed by other processes are repeated, and the median of each iteration counts. With
``--device gpu`` the workers are the GPUs that Legate was given, in each placement (`lux.calibration.measure_gpu`), and
graphs run one after the other. Several processes (under ``legate --nodes`` or ``--ranks-per-node``) measure internode
rates, which are added to the profile of one process that ``--base`` names (`lux.calibration.measure_nodes`); of the
network alone with ``--programs link``, in a second. Rates of `lux.factorize` (``--programs factorize``) and of the CPU
cores beside GPUs (``--device gpu --programs cores``) can be added to a profile that lacks them: ``--base`` names it.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import legate_config
import lux
from lux import runtime
from lux.calibration import (
    compiling,
    measure_cpu,
    measure_factors,
    measure_gpu,
    measure_nodes,
    measure_oversubscribed,
)
from lux.calibration.fit import Sample
from lux.calibration.fit_factors import FactorSample
from lux.calibration.measure import made as made_graph
from lux.calibration.measure_factors import FactorCase
from lux.calibration.samples import Measured
from lux.errors import ConfigurationError, LuxError
from lux.runtime import link
from perfmodel import profile
from perfmodel.errors import ModelError
from perfmodel.factors import Factors
from perfmodel.profile import Machine, Profile
from perfmodel.programs import PROGRAMS
from perfmodel.this_machine import this_machine

GRAPHS = {
    "cpu": "kronecker:16,kronecker:19,rmat:17,uniform:16,uniform:18,uniform:18:4,uniform:20:4,uniform:19:8,"
    "uniform:17:2,grid:512x512,grid:900x900",
    "gpu": "kronecker:18,uniform:20:4,grid:1536x1536,kronecker:20,kronecker:19/degree,uniform:20,uniform:23:2,"
    "grid:2500x2500,kronecker:20:8/degree,uniform:22:6,rmat:20,kronecker:22,uniform:18",
}
"""Graphs of a calibration. A colon stands for the comma of an edge factor, as commas separate the graphs. On GPUs the
most informative come first, and graphs may be stored by degree."""
ROUNDS, ROUNDS_OF_NODES = {"cpu": 8, "gpu": 3}, {"cpu": 5, "gpu": 3}
SECONDS = {"cpu": 180.0, "gpu": 150.0}
LINK_SECONDS = 0.1
"""Seconds of the shorter sequence by which the network is measured (`lux.runtime.link.measure`), in four in all."""
FACTORS, CORES, LINK = "factorize", "cores", "link"
SHARES = {FACTORS: 1 / 4, CORES: 1 / 5, LINK: 0.0}
"""Shares of the time, if other programs are measured too."""
BESIDE_SHARE = 0.15
"""Share of the GPU programs' time for runs with edges in zero-copy memory and on CPU cores."""
CALIBRATED = tuple(name for name, p in PROGRAMS.items() if not (p.like or p.sources))
DEFAULT = {"cpu": CALIBRATED, "gpu": (*CALIBRATED, CORES)}
"""Programs that are measured by default."""


def measure_gpus(
    specs: Sequence[str], programs: Sequence[str], rounds: int, seconds: float, *, cores: bool = False
) -> list[Sample]:
    """Measure the GPUs that Legate was given; with ``cores``, also runs in which CPU cores work at once."""
    made = {spec: functools.partial(made_graph, spec) for spec in specs}
    of_beside = BESIDE_SHARE * seconds if "pagerank" in programs else 0.0
    take = measure_gpu.GpuCase.sample
    samples, left = measure_gpu.measured(made, programs, rounds, seconds - of_beside, take, shared=True)
    if of_beside:
        also = [spec for spec in measure_oversubscribed.GRAPHS if spec in specs] or specs[:2]
        shares = (measure_oversubscribed.CPU_SHARE,) if cores else ()
        take_beside = measure_oversubscribed.OversubscribedCase.sample
        more, more_left = measure_oversubscribed.measured(also, (0.0, 0.5), shares, rounds, of_beside, take_beside)
        samples, left = samples + more, left + more_left
    _warn_of_runs_left_out(left)
    return samples


def measure_factorizations(
    specs: Sequence[str], workers: Sequence[int | None], device: str, rounds: int, seconds: float
) -> list[FactorSample]:
    """Measure `lux.factorize` on synthetic ratings; see `lux.calibration.measure_factors.ratings` for ``specs``."""
    made = measure_factors.cases(specs, measure_factors.KS[device], workers, device)
    if device == "cpu":
        ready = [case for case in made if case.prepare()]
        measure_cpu.sample(ready, rounds, seconds)
        return [case.sample() for case in measure_cpu.undisturbed(ready)]
    samples, left = measure_factors.measured(made, rounds, seconds, FactorCase.sample)
    _warn_of_runs_left_out(left)
    return samples


def measure_cores_beside_gpus(programs: Sequence[str], rounds: int, seconds: float) -> Measured:
    """Measure the CPU cores that Legate was given beside GPUs."""
    cores = runtime.processors()
    specs = graphs_of(",".join(measure_cpu.BESIDE), "cpu")
    samples, left = measure_cpu.beside_gpus(specs, programs, cores, rounds, seconds)
    _warn_of_runs_left_out(left)
    return Measured(replace(this_machine("cpu"), cores=cores), samples)


def _warn_of_runs_left_out(left: Sequence[str]) -> None:
    if left:
        sys.stderr.write(f"no time was left for {len(left)} of the runs: {', '.join(left[:3])} ...: raise --seconds\n")


def measure(options: argparse.Namespace, base: Profile | None) -> Measured:
    """Measure the programs that the command line asks for."""
    device, machine, names = options.device, this_machine(options.device), options.programs.split(",")
    if device == "gpu" and not runtime.gpus():
        raise ModelError("device gpu was asked for, and Legate was given none: start it with --gpus 1 or more")
    machine = replace(machine, gpus=runtime.gpus()) if device == "gpu" else machine
    programs, others = [n for n in names if n not in SHARES], [n for n in names if n in SHARES]
    if LINK in others:
        raise ModelError(f"--programs {LINK} measures the network between processes, and one runs: start several")
    if CORES in others and device == "cpu":
        raise ModelError(f"--programs {CORES} measures CPU cores beside GPUs: pass --device gpu, or leave it out")
    if not programs:
        Measured(machine).fitted(base)  # refused before anything is measured
    rounds, seconds = options.rounds or ROUNDS[device], options.seconds or SECONDS[device]
    on_cores = (programs or [p for p in CALIBRATED if not PROGRAMS[p].factors]) if CORES in others else []
    if device == "gpu":
        specs, ks = graphs_of(options.graphs, device), measure_factors.KS["gpu"] if FACTORS in others else ()
        by_degree = any("/degree" in spec for spec in specs)
        compiling.compile_all(programs, runtime.gpus(), by_degree=by_degree, ks=ks, cores=on_cores)
    each = {n: (SHARES[n] if programs else 1 / len(others)) * seconds for n in others}
    workers, left = workers_of(machine), seconds - sum(each.values())
    found = Measured(machine)
    if programs and device == "gpu":
        found = replace(found, samples=measure_gpus(specs, programs, rounds, left, cores=CORES in others))
    elif programs:
        cases = measure_cpu.cases(graphs_of(options.graphs, device), programs, workers)
        found = replace(found, samples=measure_cpu.sample(cases, rounds, left))
    if FACTORS in others:
        ratings = options.ratings.split(",") if options.ratings else measure_factors.GRAPHS[device]
        found = replace(found, factors=measure_factorizations(ratings, workers, device, rounds, each[FACTORS]))
    if on_cores:
        found = replace(found, beside=measure_cores_beside_gpus(on_cores, rounds, each[CORES]))
    return found


def measure_nodes_together(options: argparse.Namespace, base: Profile) -> Measured:
    """Measure all processes together, each a node, for the internode rates that they add to a profile of one."""
    device, names = options.device, options.programs.split(",")
    rounds, seconds = options.rounds or ROUNDS_OF_NODES[device], options.seconds or SECONDS[device]
    if measure_nodes.processors(device) < runtime.ranks():
        raise ModelError(f"device {device} was asked for, and Legate has too few for {runtime.ranks()} processes")
    programs, of_factors = [n for n in names if n not in SHARES], FACTORS in names
    Measured(this_machine(device)).fitted(base)  # refused before anything is measured
    if of_factors:
        base.factor_rate(Factors())
    if LINK in names and device == "gpu":
        raise ModelError(f"--programs {LINK} is of CPU cores; GPUs have a network of their own: measure their programs")
    network = link.measure(LINK_SECONDS) if device == "cpu" else None
    each = seconds * (1 if not programs else SHARES[FACTORS]) if of_factors else 0.0
    graphs = graphs_of(options.graphs, device) if options.graphs else measure_nodes.GRAPHS[device]
    cases = measure_nodes.cases(graphs, programs, device) if programs else iter(())
    found, left = measure_nodes.measured(cases, device, rounds, seconds - each, measure_nodes.sample)
    if of_factors:
        ratings = options.ratings.split(",") if options.ratings else measure_nodes.RATINGS[device]
        more = measure_nodes.factor_cases(ratings, measure_nodes.KS[device], device)
        factors, more_left = measure_nodes.measured(more, device, rounds, each, measure_nodes.sample)
        found, left = found + factors, left + more_left
    if runtime.rank() == 0:
        _warn_of_runs_left_out(left)
    samples = [s for s in found if isinstance(s, Sample)]
    return Measured(this_machine(device), samples, [s for s in found if isinstance(s, FactorSample)], link=network)


def main(arguments: Sequence[str] | None = None) -> int:
    """Calibrate as the command line says; returns the exit code."""
    options = _options(arguments)
    try:
        base = _base(options)
        if options.fit is not None:
            found = Measured.read(options.fit).fitted(base, lux.__version__)
        else:
            with lux.using(device=options.device):
                found = _measured_and_fitted(options, base)
        if options.fit is not None or runtime.rank() == 0:
            found.write(options.output)
            sys.stdout.write(f"{found.machine.describe()}: written to {options.output}\n")
    except (ModelError, LuxError) as error:
        sys.stderr.write(f"calibrate: error: {error}\n")
        return 2
    return 0


def _base(options: argparse.Namespace) -> Profile | None:
    """Load the profile that ``--base`` names; a file that one process lacks ends all of them."""
    found, error = None, None
    try:
        found = None if options.base is None else profile.load(options.base)
    except ModelError as raised:
        error = ConfigurationError(str(raised))
    if options.fit is None and legate_config.rank_info().ranks > 1:
        runtime.raise_on_all_ranks(error)
    if error is not None:
        raise error
    return found


def _measured_and_fitted(options: argparse.Namespace, base: Profile | None) -> Profile:
    several = runtime.ranks() > 1
    if several and base is None:
        raise ModelError(f"{runtime.ranks()} processes run: pass --base PROFILE, one of a single process")
    samples = measure_nodes_together(options, base) if several and base is not None else measure(options, base)
    if options.samples is not None and runtime.rank() == 0:
        samples.write(options.samples)
    found = samples.fitted(base, lux.__version__)
    if samples.beside is not None and found.beside is (None if base is None else base.beside):
        sys.stderr.write("no program ran on CPU cores with two graphs, so they have no rates: raise --seconds\n")
    return found


def workers_of(machine: Machine) -> list[int | None]:
    """Return the partitions to run with: one; one task with all cores; and one for each processor."""
    if machine.device == "cpu":
        cores = runtime.processors() // runtime.ranks()
        return [1, None, cores] if cores > 1 else [1]
    return [1, *range(2, runtime.gpus() + 1)]


def graphs_of(text: str | None, device: str) -> list[str]:
    """Return synthetic graphs from their spelling on the command line; by default those of a device.

    >>> graphs_of("uniform:20:4,grid:8x8", "cpu")
    ['uniform:20,4', 'grid:8x8']
    """
    specs = (text or GRAPHS[device]).split(",")
    return [":".join(s.split(":")[:2]) + "".join("," + x for x in s.split(":")[2:]) for s in specs]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m lux.calibration", description="Measure this machine's rates.")
    names = f"programs to measure (all: {','.join(DEFAULT['gpu'])}; {CORES} are those beside GPUs; of several processes"
    names += f" also {LINK}, the network alone)"
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="the profile to write")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="what to measure (cpu)")
    parser.add_argument("--graphs", metavar="SPEC,...", help="synthetic graphs; uniform:20:4 has edge factor 4")
    parser.add_argument("--programs", metavar="NAME,...", help=names)
    parser.add_argument("--rounds", type=int, help="runs of each at most (8, on GPUs 3; of several processes 5 and 3)")
    parser.add_argument("--seconds", type=float, help="begin no further round after this time (180; on GPUs 150)")
    parser.add_argument("--ratings", metavar="SPEC,...", help="synthetic ratings, USERSxITEMS:RATINGS:SKEW")
    parser.add_argument("--samples", type=Path, metavar="FILE", help="keep what was measured, for --fit")
    parser.add_argument("--fit", type=Path, metavar="FILE", help="fit what --samples kept, and measure nothing")
    parser.add_argument("--base", metavar="PROFILE", help="a profile to add to; needed with several processes")
    options = parser.parse_args(arguments)
    options.programs = options.programs or ",".join(DEFAULT[options.device])
    return options
