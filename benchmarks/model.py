# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Performance model beside measurements, as in Figure 20 of the Lux paper: ``python benchmarks/model.py``.

On graphs unseen by the calibration, each program runs on one partition, in one task with all cores, and with a
partition for each core; with ``--device gpu`` on one GPU, and on partitions in each placement (`benchmarks.model_gpu`).
With ``--calibrate`` the profile is measured in the same process first. ``--programs factorize`` does the same for both
methods of `lux.factorize` (`benchmarks.model_factors`); on GPUs they run beside the other programs, too, by default if
the profile has their rates. Several processes (``legate --ranks-per-node 2``) run all of these on all processors that
they have (`benchmarks.model_nodes`); ``--beside`` adds one process's measurements to the choice.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console

import legate_config
import lux
from benchmarks import model_beside, model_factors, model_gpu, model_nodes
from benchmarks.machine import circumstances, gpus, since
from benchmarks.model_tables import choices, show
from benchmarks.report import write_json
from lux import runtime
from lux.autotune import tuning
from lux.calibration import calibrate, compiling, fit_cpu, fit_gpu, measure_cpu, measure_factors, measure_nodes
from lux.calibration.fit import Sample
from lux.calibration.fit_factors import fit_factors
from lux.calibration.measure import Case
from perfmodel import Configuration, GraphSummary, Profile, predict
from perfmodel import profile as profiles
from perfmodel.this_machine import OtherProcesses, this_machine

GRAPHS = ("kronecker:18", "rmat:18", "uniform:19", "grid:1024x1024", "uniform:19,4")
PROGRAMS = ("pagerank", "components", "sssp")
PACKAGES = ("legate", "numpy", "numba")
AGAIN = "python benchmarks/model.py --again FILE --profile {}"
FACTORS_SHARE, BESIDE_SHARE = 1 / 4, 1 / 5
"""Shares of the time for `lux.factorize` beside other programs, and for edges that are not in GPUs' memory."""


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    if options.again is not None:
        _again(options)
        return
    several = runtime.ranks() > 1
    together = measure_nodes.of_this_machine if several else float
    others, began = OtherProcesses(together), time.time()
    console = _console() if not several else Console(width=130, force_terminal=False, quiet=runtime.rank() > 0)
    here, left, summaries = this_machine(options.device), list[str](), dict[str, Any]()
    beside: list[dict[str, Any]] = []
    facts = circumstances(PACKAGES)
    facts |= {"gpus": (gpus() * runtime.ranks())[: runtime.gpus()]} if options.device == "gpu" else {}
    of_one = model_nodes.beside(options.beside, facts)
    if several:
        profile, rows, left, summaries = _on_nodes(options)
    elif options.programs == [calibrate.FACTORS]:
        profile, rows, left = _factorizations(options)
    elif options.device == "gpu":
        profile, rows, left, summaries = _on_gpus(options)
        beside, more_left, more = _beside_gpus(options, profile)
        left, summaries = left + more_left, summaries | more
    else:
        if options.calibrate:
            seen = measure_cpu.cases(calibrate.graphs_of(None, "cpu"), options.programs, calibrate.workers_of(here))
            profile = fit_cpu.fit(measure_cpu.sample(seen, options.rounds or 8, options.seconds), here)
            del seen
        else:
            profile = profiles.matching(here) if options.profile is None else profiles.load(options.profile)
        cases = measure_cpu.cases(options.graphs or GRAPHS, options.programs, calibrate.workers_of(here))
        measure_cpu.sample(cases, options.rounds or 8, options.seconds)
        rows = [row for row in (_row(case, profile) for case in cases) if row is not None]
    refused, rows = [r for r in rows if "why" in r], [r for r in rows if "why" not in r]
    of_one = model_nodes.alike(of_one, rows)
    chosen = choices([*rows, *of_one["rows"]])
    show(rows, chosen, console, every=options.all or options.device == "cpu")
    if beside:
        console.print(model_beside.table(beside))
    why = [f"{r['program']}, {r['model']}, {r.get('placement', 'host')}: {r['why']}" for r in refused]
    for what in why[:4] + left[:4]:
        console.print(f"left out: {what}", markup=False)
    busy = others.cores()
    console.print(f"other processes kept {busy:.2f} cores busy")
    facts |= since(began) | {
        "others_cores": busy,
        "measured": "medians of the runs",
        "profile": asdict(profile),
        "rows": rows,
        "choices": chosen,
    }
    if options.device == "gpu" or several:
        facts |= {"refused": refused, "left": left, "summaries": summaries, "beside": beside}
    facts |= {"one_process": of_one} if options.beside else {}
    if runtime.rank() == 0:
        write_json(options.output, facts)
    console.print(f"written to {options.output}")


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 130)


def _again(options: argparse.Namespace) -> None:
    """Predict an earlier benchmark's measurements on GPUs anew, and write them to the same file or another."""
    facts = json.loads(options.again.read_text())
    profile, several = profiles.load(options.profile), facts["machine"].get("processes", 1) > 1
    facts = model_nodes.again(facts, profile) if several else model_gpu.again(facts, profile)
    facts["predicted"] = f"after the measurements, by {AGAIN.format(options.profile)}"
    facts["predicted"] += "; rows of one process as they were" if several else "; rows of factorize as they were"
    if options.beside:
        of_one = model_nodes.beside(options.beside, facts)
        facts["one_process"] = model_nodes.alike(of_one, facts["rows"])
    facts["choices"] = choices([*facts["rows"], *facts.get("one_process", {"rows": []})["rows"]])
    if facts.get("beside"):
        facts["beside"] = model_beside.again(facts["beside"], model_gpu.summaries_of(facts), profile)
    console = _console()
    show(facts["rows"], facts["choices"], console, every=options.all)
    write_json(options.output, facts)
    console.print(f"written to {options.output}")


def _on_nodes(
    options: argparse.Namespace,
) -> tuple[Profile, list[dict[str, Any]], list[str], dict[str, Any]]:
    """Measure several processes; returns the same as `_on_gpus`."""
    device = options.device
    rounds = options.rounds or calibrate.ROUNDS_OF_NODES[device]
    profile = tuning.profile_here(device) if options.profile is None else profiles.load(options.profile)
    programs = [name for name in options.programs if name != calibrate.FACTORS]
    if options.calibrate:
        words = argparse.Namespace(device=device, programs=",".join(options.programs), rounds=rounds, graphs=None)
        words.seconds, words.ratings = options.seconds, None
        profile = calibrate.measure_nodes_together(words, profile).fitted(profile, lux.__version__)
    profile = tuning.on_this_network(profile)
    graphs = options.graphs or (GRAPHS if device == "cpu" else model_nodes.GPU_GRAPHS)
    ratings = options.ratings or model_factors.GRAPHS[device]
    of_factors = 0.0
    if _has_factors(options, profile):
        of_factors = options.seconds * (FACTORS_SHARE if programs else 1.0)
    seconds = ((options.seconds - of_factors) * bool(programs), of_factors)
    measured, left, summaries = model_nodes.rows(graphs, programs, (ratings, model_factors.KS), device, rounds, seconds)
    of = {name: GraphSummary.of_json(json.loads(json.dumps(found))) for name, found in summaries.items()}
    return profile, [model_nodes.predicted(row, of[row["summary"]], profile) for row in measured], left, summaries


def _on_gpus(
    options: argparse.Namespace,
) -> tuple[Profile, list[dict[str, Any]], list[str], dict[str, Any]]:
    """Return the profile, rows, the cases that there was no time for, and summaries of the graphs."""
    rounds = options.rounds or calibrate.ROUNDS["gpu"]
    with lux.using(device="gpu"):
        programs = [name for name in options.programs if name != calibrate.FACTORS]
        compiling.compile_all(programs, runtime.gpus(), by_degree=True, ks=model_factors.KS)
        if options.calibrate:
            specs = calibrate.graphs_of(None, "gpu")
            samples = calibrate.measure_gpus(specs, programs, rounds, calibrate.SECONDS["gpu"])
            profile = fit_gpu.fit(samples, replace(this_machine("gpu"), gpus=runtime.gpus()), lux.__version__)
        else:
            profile = tuning.profile_here("gpu") if options.profile is None else profiles.load(options.profile)
        made = model_gpu.graphs(options.graphs or model_gpu.GRAPHS, options.files)
        of_factors = FACTORS_SHARE * options.seconds if _has_factors(options, profile) else 0.0
        of_others = of_factors + BESIDE_SHARE * options.seconds * ("pagerank" in programs)
        rows, left, summaries = model_gpu.rows(made, programs, profile, rounds, options.seconds - of_others)
    if of_factors:
        given = {"programs": [calibrate.FACTORS], "graphs": None, "calibrate": False, "seconds": of_factors}
        _, more, more_left = _factorizations(argparse.Namespace(**vars(options) | given), profile)
        rows, left = rows + more, left + more_left
    return profile, rows, left, summaries


def _beside_gpus(
    options: argparse.Namespace, profile: Profile
) -> tuple[list[dict[str, Any]], list[str], dict[str, Any]]:
    """Return rows of edges outside GPUs' memory, the cases that there was no time for, and summaries."""
    if "pagerank" not in options.programs:
        return [], [], {}
    rounds = options.rounds or calibrate.ROUNDS["gpu"]
    return model_beside.rows(model_beside.GRAPHS, profile, rounds, BESIDE_SHARE * options.seconds)


def _has_factors(options: argparse.Namespace, profile: Profile) -> bool:
    """Return True if factorizations run beside other programs: if asked for, or by default if the profile allows."""
    return calibrate.FACTORS in options.programs or (options.programs == list(PROGRAMS) and bool(profile.factors))


def _factorizations(
    options: argparse.Namespace, profile: Profile | None = None
) -> tuple[Profile, list[dict[str, Any]], list[str]]:
    """Measure `lux.factorize`, by default with the options' profile; ``--calibrate`` measures its rates."""
    device, here, left = options.device, this_machine(options.device), list[str]()
    rounds = options.rounds or calibrate.ROUNDS[device]
    with lux.using(device=device):
        workers = calibrate.workers_of(here)
        if profile is None:
            profile = tuning.profile_here(device) if options.profile is None else profiles.load(options.profile)
        if options.calibrate:
            specs = measure_factors.GRAPHS[device]
            found = calibrate.measure_factorizations(specs, workers, device, rounds, options.seconds)
            profile = replace(profile, factors=fit_factors(found))
        specs = options.graphs or model_factors.GRAPHS[device]
        made = measure_factors.cases(specs, model_factors.KS, workers, device)
        if device == "gpu":
            cases, left = measure_factors.measured(made, rounds, options.seconds, lambda case: case)
        else:
            cases = [case for case in made if case.prepare()]
            measure_cpu.sample(cases, rounds, options.seconds)
    return profile, [model_factors.row(case, profile) for case in cases], left


def _row(case: Case, profile: Profile) -> dict[str, Any] | None:
    """Return one case: steps predicted and measured, in seconds."""
    sample = case.sample()
    if sample is None:
        return None
    # The summary first has no frontier, as for a graph on which nothing ran yet; then it has this run's.
    configuration = Configuration(case.program, case.model, "host", 1, sample.workers, case.parts)
    blind = predict(case.summary, profile, configuration)
    n = sample.iterations
    predicted = blind.iteration + blind.run / n
    measured = sample.kernel + sample.rest / n
    informed = predicted + blind.compute * (_activity(sample, profile, case) - 1)
    return {
        "graph": case.name,
        "program": case.program,
        "model": case.model,
        "parts": case.parts,
        "workers": sample.workers,
        "predicted": {"kernel": blind.compute + blind.update, "launch": blind.launch + blind.run / n, "all": predicted},
        "measured": {"kernel": sample.kernel, "launch": sample.rest / n, "all": measured, "runs": case.seconds},
        "others_cores": case.others,
        "error": predicted / measured - 1,
        "error_with_frontier": informed / measured - 1,
    }


def _activity(sample: Sample, profile: Profile, case: Case) -> float:
    """Return the share of edges that left the frontier, relative to the profile's expectation."""
    return sample.activity / profile.rate(case.program, case.model).activity if case.model == "push" else 1.0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The performance model beside measurements.")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--graphs", nargs="+", metavar="SPEC")
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), choices=(*PROGRAMS, calibrate.FACTORS))
    parser.add_argument("--files", nargs="*", type=Path, default=[], metavar="FILE", help="graph files, on GPUs")
    parser.add_argument("--ratings", nargs="+", metavar="SPEC", help="of several processes: ratings for factorize")
    parser.add_argument("--profile", metavar="NAME", help="a shipped profile or a file (this machine's)")
    parser.add_argument("--calibrate", action="store_true", help="measure the profile first")
    parser.add_argument("--again", type=Path, metavar="FILE", help="predict what FILE has measured anew (GPUs, nodes)")
    beside = "results of one process on this machine that take part in the choice"
    parser.add_argument("--beside", nargs="+", type=Path, default=[], metavar="FILE", help=beside)
    parser.add_argument("--all", action="store_true", help="show every row, also on GPUs")
    parser.add_argument("--rounds", type=int, help="runs of each (8, on GPUs 3; of nodes 5 and 3)")
    parser.add_argument("--seconds", type=float, default=90.0)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "model.json")
    options = parser.parse_args()
    if options.again is not None and options.profile is None:
        parser.error("--again needs --profile: a shipped one's name, or a file")
    mixed = calibrate.FACTORS in options.programs and len(options.programs) > 1
    one = legate_config.rank_info().ranks == 1
    if one and mixed and (options.device == "cpu" or options.calibrate):
        parser.error("on CPU cores and with --calibrate, factorize is measured alone: leave the other programs out")
    return options


if __name__ == "__main__":
    main()
