# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurements of `benchmarks/model.py` on several processes (``legate --ranks-per-node 2``), each a node.

All processes run on all of their processors. A row has the steps of an iteration, predicted and measured: ``load``
(gathering on GPUs), ``kernel`` (compute and update, which kernels do at once), ``transfer`` (Legion's copies to
processes and, with ``device`` placement, to their GPUs) and ``launch``. The last two are in no kernel: launches are the
time on a path of 16 vertices (`lux.calibration.measure_nodes`), and transfers are the rest.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.model_gpu import KEPT, name_of_summary, shares, summaries_of, whole_run
from benchmarks.model_tables import STEPS
from lux.calibration import measure_nodes
from lux.calibration.fit import Sample
from lux.calibration.fit_factors import FactorSample
from lux.calibration.fit_nodes import layout_of
from lux.calibration.measure_factors import FactorCase
from lux.calibration.measure_nodes import FEW_RATINGS, PATH, NodeCase
from perfmodel import Frontier, ModelError, Profile, predict
from perfmodel.factors import FIRST, Factors
from perfmodel.predict_factors import predict_factors
from perfmodel.prediction import Prediction
from perfmodel.programs import program
from perfmodel.summary import GraphSummary

Row = dict[str, Any]
GPU_GRAPHS = ("uniform:21", "kronecker:21", "grid:2000x2000")
"""Graphs on GPUs, which each process generates: small, as time on GPU machines is short."""
TELLING = 0.02
"""Minimum part of an iteration for which a step's own error counts."""


def rows(
    graphs: Sequence[str],
    programs: Sequence[str],
    ratings: tuple[Sequence[str], Sequence[int]],
    device: str,
    rounds: int,
    seconds: tuple[float, float],
) -> tuple[list[Row], list[str], dict[str, Any]]:
    """Return rows of measurements, the cases that there was no time for, and summaries of the graphs.

    Parameters
    ----------
    ratings : (specs, values of K)
    seconds : (float, float)
        Time for vertex programs, and for `lux.factorize`; nothing runs with zero seconds.
    """
    summaries: dict[str, Any] = {}

    def take(case: NodeCase) -> Row | None:
        sample = measure_nodes.sample(case)
        if sample is None:
            return None
        found = _kept(case, sample)
        summaries.setdefault(found["summary"], asdict(case.summary))
        return found

    found, left = list[Row](), list[str]()
    each = (
        measure_nodes.cases(graphs, programs, device),
        measure_nodes.factor_cases(*ratings, device),
    )
    for cases, limit in zip(each, seconds, strict=True):
        if limit:
            more, more_left = measure_nodes.measured(cases, device, rounds, limit, take)
            found, left = found + more, left + more_left
    launches = _launches(found)
    return [measured_steps(row, launches) for row in found if not _few(row)], left, summaries


def _kept(case: NodeCase, sample: Sample | FactorSample) -> Row:
    """Return the measurements of a case, as a row without steps."""
    layout = layout_of(sample)
    found: Row = {"graph": case.name}
    if isinstance(case, FactorCase):
        found |= {"program": f"factorize, K = {case.factors.k}", "model": case.factors.method, "summary": case.name}
    else:
        found |= {"program": case.program, "model": case.model}
        found |= {"summary": name_of_summary(found), "frontier": shares(measure_nodes.frontier(case))}
    placed = {} if layout.placement == "host" else {"placement": layout.placement}
    numbers = {"parts": sample.parts, "workers": sample.workers, "nodes": layout.nodes, "per_node": layout.per_node}
    sampled = replace(sample, summary=None) if isinstance(sample, Sample) else sample
    kept = {name: x for name, x in asdict(sampled).items() if name != "summary"}
    return found | placed | numbers | {"sample": kept, "measured": {"runs": case.seconds}}


def _few(row: Row) -> bool:
    return row["graph"] in (PATH, FEW_RATINGS)


def _launches(found: Sequence[Row]) -> dict[tuple[str, ...], tuple[float, float]]:
    """Return, by program, model and placement, the seconds of a run's and of an iteration's launches."""
    rests: dict[tuple[str, ...], dict[int, float]] = {}
    launches = {}
    for row in filter(_few, found):
        sample = row["sample"]
        rests.setdefault(_what(row), {})[sample["iterations"]] = sample["rest"]
        each = None if "factors" in sample else Sample.of_json(sample, None).rest_each
        if each is not None:
            launches.setdefault(_what(row), (sample["rest"] - sample["iterations"] * each, each))
    for what, known in rests.items():
        if what in launches:
            continue
        fewest, most = min(known), max(known)
        each = max(known[most] - known[fewest], 0.0) / (most - fewest) if most > fewest else known[most] / most
        launches[what] = max(known[most] - most * each, 0.0), each
    return launches


def _what(row: Row) -> tuple[str, ...]:
    return row["program"], row["model"], row.get("placement", "host")


def measured_steps(row: Row, launches: Mapping[tuple[str, ...], tuple[float, float]]) -> Row:
    """Return a row with the steps that were measured."""
    sample = row["sample"]
    n = sample["iterations"]
    run, each = launches.get(_what(row), (0.0, 0.0))
    load = sample.get("load", 0.0) if row["model"] == "pull" else 0.0
    launch = min(run / n + each, sample["rest"] / n)
    if sample.get("exchange") is not None:
        launch = sample["rest"] / n - max(sample["exchange"] - each, 0.0)
    steps = {"load": load, "kernel": max(sample["kernel"] - load, 0.0), "transfer": sample["rest"] / n - launch}
    steps |= {"launch": launch, "all": sample["kernel"] + sample["rest"] / n}
    return row | {"measured": steps | row["measured"]}


def predicted(row: Row, summary: GraphSummary, profile: Profile) -> Row:
    """Return a measured row with a profile's predictions; or with the reason why there are none."""
    row = {name: x for name, x in row.items() if name not in ("predicted", "error", "errors", "why")}
    try:
        one, n, more = _prediction(row, summary, profile)
    except ModelError as error:
        return row | {"why": str(error)}
    # A measured iteration has its own exchange, so one exchange of a run is left out: here the first.
    once = (one.run - one.first) / n
    steps = {
        "load": one.load,
        "compute": one.compute,
        "update": one.update + one.fixed,
        "kernel": one.compute + one.update + one.fixed,
        "transfer": one.transfer,
        "launch": one.launch + once,
    }
    measured, iteration = row["measured"], one.iteration + once
    telling = [s for s in STEPS if measured[s] > TELLING * measured["all"]]
    return row | {
        "predicted": steps | {"all": iteration},
        "error": iteration / measured["all"] - 1,
        "errors": {step: steps[step] / measured[step] - 1 for step in telling},
        "error_with_frontier": (more["iteration"] + once) / measured["all"] - 1,
        "run": {"predicted": more["run"], "measured": statistics.median(measured["runs"]), "iterations": n},
    }


def _prediction(row: Row, summary: GraphSummary, profile: Profile) -> tuple[Prediction, int, dict[str, float]]:
    """Predict one iteration and their number, and, given the run's frontier, an iteration and the whole run."""
    kept = row["sample"]
    if "factors" in kept:
        ratings = FactorSample(**{**kept, "factors": Factors(**kept["factors"])})
        f = ratings.factors
        one = predict_factors(summary, profile, layout_of(ratings), f)
        one, n = replace(one, run=one.run - FIRST[f.method] * one.iteration), ratings.iterations
        return one, n, {"iteration": one.iteration, "run": n * one.iteration + one.run}
    sample = Sample.of_json(kept, summary)
    layout, n, of = layout_of(sample), sample.iterations, program(sample.program)
    one = predict(replace(summary, frontiers={}), profile, layout)
    frontier = Frontier(*(tuple(row["frontier"][name]) for name in KEPT))
    run = whole_run(summary, profile, layout, frontier, n * one.iteration + one.run)
    if of.frontier:
        given = predict(replace(summary, frontiers={of.rates_of: frontier}), profile, layout)
        return one, n, {"iteration": given.iteration, "run": run}
    share = sample.activity / profile.rate(of.rates_of, sample.model).activity if sample.model == "push" else 1.0
    return one, n, {"iteration": one.iteration + one.compute * (share - 1), "run": run}


def again(facts: dict[str, Any], profile: Profile) -> dict[str, Any]:
    """Predict earlier measurements anew with another profile; rows of one process are unchanged."""
    summaries = summaries_of(facts)
    made = [predicted(row, summaries[row["summary"]], profile) for row in [*facts["rows"], *facts["refused"]]]
    return facts | split(made) | {"profile": asdict(profile)}


def split(made: Sequence[Row]) -> dict[str, list[Row]]:
    """Split rows into the ones with predictions, and without."""
    return {"rows": [r for r in made if "why" not in r], "refused": [r for r in made if "why" in r]}


def beside(paths: Sequence[Path], here: Mapping[str, Any]) -> dict[str, Any]:
    """Return rows of one process on such processors, from earlier results of this benchmark.

    Parameters
    ----------
    here : mapping
        Result with ``machine`` and, on GPUs, ``gpus``, as this benchmark writes them.

    Raises
    ------
    SystemExit
        A file is from other processors, or has other results.
    """
    found, has = list[Row](), _processors(here)
    for path in paths:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if "rows" not in facts or facts.get("machine", {}).get("processes", 1) != 1:
            sys.exit(f"--beside {path} has no rows of one process: pass what benchmarks/model.py wrote without ranks")
        if _processors(facts) != has:
            sys.exit(f"--beside {path} is of {_processors(facts)}, and this is {has}: measure one process here")
        found += facts["rows"]
    return {"files": [path.name for path in paths], "rows": found}


def _processors(facts: Mapping[str, Any]) -> str:
    if facts.get("gpus"):
        return str(facts["gpus"][0]["name"])
    return f"{facts['machine']['cpu']}, {facts['machine']['cores']} cores"


def alike(of_one: dict[str, Any], found: Sequence[Row]) -> dict[str, Any]:
    """Return one process's rows restricted to these rows' graphs and programs."""
    wanted = {(r["graph"], r["program"]) for r in found}
    return of_one | {"rows": [r for r in of_one["rows"] if (r["graph"], r["program"]) in wanted]}
