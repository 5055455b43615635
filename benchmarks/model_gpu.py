# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurements of `benchmarks/model.py` on GPUs: each program on one GPU, and on partitions in each placement.

A row has the steps of an iteration, predicted and measured: ``load`` (gathering from other memories), ``kernel`` (all
other kernel time) and ``launch`` (time in no kernel; Legion's copies between GPUs are measured as ``launch`` and
predicted as ``load``, so both are shown in ``launch``).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

import lux
from lux.calibration.fit import Sample
from lux.calibration.fit_gpu import loaded
from lux.calibration.measure import frontier_of
from lux.calibration.measure import made as graph_of
from lux.calibration.measure_gpu import GpuCase, measured
from perfmodel import Configuration, Frontier, ModelError, Profile, predict
from perfmodel.programs import program
from perfmodel.summary import GraphSummary

CASE = ("graph", "program", "model", "placement", "parts", "workers")
KEPT = ("vertices", "edges")
"""Fields kept of a frontier."""
GRAPHS = ("kronecker:21", "uniform:21", "kronecker:21/degree", "grid:2000x2000", "rmat:21", "kronecker:23")


def graphs(specs: Sequence[str], files: Sequence[Path]) -> dict[str, Callable[[], lux.Graph]]:
    """Return functions that make the graphs: files, then synthetic ones, of which the last is the largest."""
    found: dict[str, Callable[[], lux.Graph]] = {}
    for spec in specs:
        if spec == specs[-1]:
            found |= {path.name: lambda path=path: lux.read_graph(path) for path in files}
        found[spec] = lambda spec=spec: graph_of(spec)
    return found


def rows(
    made: Mapping[str, Callable[[], lux.Graph]], programs: Sequence[str], profile: Profile, rounds: int, seconds: float
) -> tuple[list[dict[str, Any]], list[str], dict[str, Any]]:
    """Return a row for each case, the cases that there was no time for, and the graphs' summaries."""
    summaries: dict[str, Any] = {}

    def take(case: GpuCase) -> dict[str, Any] | None:
        found = row(case, profile)
        if found is not None:
            summaries.setdefault(name_of_summary(found), asdict(case.summary))
        return found

    return *measured(made, programs, rounds, seconds, take), summaries


def row(case: GpuCase, profile: Profile) -> dict[str, Any] | None:
    """Return one case: steps predicted and measured, in seconds; None without a counting iteration."""
    sample = case.sample()
    if sample is None:
        return None
    frontier = frontier_of(case.graph, list(case.last.statistics))
    kept = {
        "graph": case.name,
        "program": case.program,
        "model": case.model,
        "placement": case.placement,
        "parts": case.parts,
        "workers": case.parts,
        "measured": {"runs": case.seconds},
        "sample": {name: x for name, x in asdict(replace(sample, summary=None)).items() if name != "summary"},
        "frontier": shares(frontier),
    }
    return predicted(kept, case.summary, profile) | _each(case, frontier)


def shares(frontier: Frontier) -> dict[str, list[float]]:
    """Return a frontier as a row has it."""
    return {name: [float(f"{x:.5g}") for x in of] for name, of in asdict(frontier).items() if name in KEPT}


def predicted(kept: dict[str, Any], summary: GraphSummary, profile: Profile) -> dict[str, Any]:
    """Return a measured row with a profile's predictions.

    Parameters
    ----------
    kept : dict
        Row with ``sample`` and ``frontier``, as `row` makes it; or a row that was predicted before.
    """
    sample, of = Sample.of_json(kept["sample"], summary), program(kept["program"])
    frontier = Frontier(*(tuple(kept["frontier"][name]) for name in KEPT))
    configuration = Configuration(kept["program"], kept["model"], kept["placement"], 1, kept["parts"], kept["parts"])
    try:
        blind = predict(replace(summary, frontiers={}), profile, configuration)
    except ModelError as error:
        return {name: kept[name] for name in CASE} | {"why": str(error)}
    n, load = sample.iterations, loaded(profile, sample)
    by_legion = blind.load if sample.placement == "device" else 0.0
    runs = kept["measured"]["runs"]
    iteration, measured_all = blind.iteration + blind.run / n, sample.kernel + sample.rest / n
    share = sample.activity / profile.rate(of.rates_of, sample.model).activity if sample.model == "push" else 1.0
    informed = replace(blind, compute=blind.compute * share).iteration + blind.run / n
    whole = whole_run(summary, profile, configuration, frontier, blind.iteration * n + blind.run)
    return kept | {
        "predicted": {
            "load": blind.load - by_legion,
            "kernel": blind.compute + blind.update + blind.fixed,
            "launch": iteration - blind.kernels + by_legion,
            "all": iteration,
        },
        "measured": {
            "load": load,
            "kernel": sample.kernel - load,
            "launch": sample.rest / n,
            "all": measured_all,
            "runs": runs,
        },
        "error": iteration / measured_all - 1,
        "error_with_frontier": informed / measured_all - 1,
        "run": {"predicted": whole, "measured": statistics.median(runs), "iterations": n},
    }


def again(facts: dict[str, Any], profile: Profile) -> dict[str, Any]:
    """Predict earlier measurements anew with another profile; rows of `lux.factorize` are unchanged."""
    summaries = summaries_of(facts)
    rows = [predicted(r, summaries[name_of_summary(r)], profile) if "sample" in r else r for r in facts["rows"]]
    return facts | {"rows": rows, "profile": asdict(profile)}


def summaries_of(facts: dict[str, Any]) -> dict[str, GraphSummary]:
    """Return the summaries of the graphs that a benchmark has measured."""
    return {name: GraphSummary.of_json(dict(found)) for name, found in facts["summaries"].items()}


def name_of_summary(kept: dict[str, Any]) -> str:
    """Return the key of a row's graph summary in a file."""
    return f"{kept['graph']} in both directions" if program(kept["program"]).both else str(kept["graph"])


def _each(case: GpuCase, frontier: Frontier) -> dict[str, Any]:
    """Return the seconds of each iteration's slowest kernel, if each GPU has its own memory."""
    if case.placement == "zero-copy" or (case.placement == "device" and case.parts > 1):
        return {}
    n = min(map(len, case.kernels))
    each = np.median([k[:n] for k in case.kernels], axis=0)
    return {
        "each": {
            "seconds": [float(f"{t:.4g}") for t in each],
            "vertices": [float(f"{v:.4g}") for v in frontier.vertices[:n]],
        }
    }


def whole_run(
    summary: GraphSummary, profile: Profile, configuration: Configuration, frontier: Frontier, blind: float
) -> float:
    """Predict the whole run: given its frontier if the program has one."""
    of = program(configuration.program)
    if not of.frontier and configuration.model == "pull":
        return blind
    total = predict(replace(summary, frontiers={of.rates_of: frontier}), profile, configuration).total
    return blind if total is None else total
