# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The performance model beside measurements, as in Figure 20 of the Lux paper: ``python benchmarks/model.py``.

On graphs that the calibration has not seen, each program runs on one partition, in one task with all cores, and with a
partition for each core. With ``--calibrate`` the profile is measured in the same process first.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.table import Table

from benchmarks.machine import commit, machine, versions
from benchmarks.report import write_json
from lux import runtime
from perfmodel import Configuration, Profile, calibrate, predict
from perfmodel import profile as profiles
from perfmodel.fit import Sample
from perfmodel.here import OtherProcesses, this_machine
from perfmodel.measure import Case

GRAPHS = ("kronecker:18", "rmat:18", "uniform:19", "grid:1024x1024", "uniform:19,4")
PROGRAMS = ("pagerank", "components", "sssp")
WHICH = ("predicted", "measured")
PACKAGES = ("legate", "numpy", "numba")


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    console, others, began = Console(width=None if sys.stdout.isatty() else 130), OtherProcesses(), time.time()
    here = this_machine("cpu")
    if options.calibrate:
        seen = calibrate.cases(calibrate.graphs_of(None, "cpu"), PROGRAMS, calibrate.workers_of(here))
        profile = calibrate.fit(calibrate.sample(seen, options.rounds, options.seconds), here)
        del seen
    else:
        profile = profiles.matching(here) if options.profile is None else profiles.load(options.profile)
    cases = calibrate.cases(options.graphs, PROGRAMS, calibrate.workers_of(here))
    calibrate.sample(cases, options.rounds, options.seconds)
    rows = [row for row in (_row(case, profile) for case in cases) if row is not None]
    choices = _choices(rows)
    _show(rows, choices, console)
    busy = others.cores()
    console.print(f"other processes kept {busy:.2f} cores busy")
    facts = {
        "machine": machine(runtime.processors()),
        "versions": versions(PACKAGES),
        "commit": commit(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
        "seconds": time.time() - began,
        "others_cores": busy,
        "profile": asdict(profile),
        "rows": rows,
        "choices": choices,
    }
    write_json(options.output, facts)
    console.print(f"written to {options.output}")


def _row(case: Case, profile: Profile) -> dict[str, Any] | None:
    """One case: steps predicted and measured, in seconds."""
    sample = case.sample()
    if sample is None:
        return None
    # The summary has no frontier, as for a graph on which nothing ran yet; then, with what this run's was.
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
    """The share of the edges that left the frontier, over what the profile expects."""
    return sample.activity / profile.rate(case.program, case.model).activity if case.model == "push" else 1.0


def _choices(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each graph and program: what the model would take, beside the best that was measured."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["graph"], row["program"]].append(row)
    found = []
    for (graph, program), group in groups.items():
        chosen = min(group, key=lambda r: r["predicted"]["all"])
        best = min(group, key=lambda r: r["measured"]["all"])
        found.append(
            {"graph": graph, "program": program}
            | {name: [row["model"], row["parts"]] for name, row in (("chosen", chosen), ("best", best))}
            | {"slower": chosen["measured"]["all"] / best["measured"]["all"] - 1}
        )
    return found


def _show(rows: Sequence[dict[str, Any]], choices: Sequence[dict[str, Any]], console: Console) -> None:
    columns = ("graph", "program", "model", "parts", "kernel", "measured", "launch", "measured", "iteration")
    table = Table(*columns, "measured", "error", "with frontier", title="an iteration, predicted and measured, in ms")
    for r in rows:
        steps = [f"{1e3 * r[which][step]:.2f}" for step in ("kernel", "launch", "all") for which in WHICH]
        name = [r["graph"], r["program"], r["model"], str(r["parts"] or "all cores")]
        table.add_row(*name, *steps, f"{r['error']:+.0%}", f"{r['error_with_frontier']:+.0%}")
    console.print(table)
    table = Table("graph", "program", "chosen", "best", "slower", title="chosen by the model, and the best measured")
    for c in choices:
        names = [f"{model}, {parts or 'all cores'}" for model, parts in (c["chosen"], c["best"])]
        table.add_row(c["graph"], c["program"], *names, f"{c['slower']:.0%}")
    console.print(table)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The performance model beside measurements.")
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), metavar="SPEC")
    parser.add_argument("--profile", metavar="NAME", help="a shipped profile or a file (this machine's)")
    parser.add_argument("--calibrate", action="store_true", help="measure the profile first")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=90.0)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "model.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
