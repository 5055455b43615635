# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What `benchmarks/model.py` measures on GPUs: each program on one GPU, and on partitions in each placement.

A row has the steps of an iteration, predicted and measured: ``load`` (gathering from other memories), ``kernel`` (all
else that kernels do) and ``launch`` (what is in no kernel; where Legion copies values between GPUs, that is there when
measured, and in ``load`` when it is predicted, so both are shown in ``launch``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import lux
from perfmodel import Configuration, Frontier, ModelError, Profile, predict
from perfmodel.fit_gpu import loaded
from perfmodel.measure import frontier_of
from perfmodel.measure import made as graph_of
from perfmodel.measure_gpu import GpuCase, measured
from perfmodel.programs import program

GRAPHS = ("kronecker:21", "uniform:21", "kronecker:21/degree", "grid:2000x2000", "rmat:21", "kronecker:23")


def graphs(specs: Sequence[str], files: Sequence[Path]) -> dict[str, Callable[[], lux.Graph]]:
    """What makes each graph: synthetic ones, of which the last is the largest, and in front of it files."""
    found: dict[str, Callable[[], lux.Graph]] = {}
    for spec in specs:
        if spec == specs[-1]:
            found |= {path.name: lambda path=path: lux.read_graph(path) for path in files}
        found[spec] = lambda spec=spec: graph_of(spec)
    return found


def rows(
    made: Mapping[str, Callable[[], lux.Graph]], programs: Sequence[str], profile: Profile, rounds: int, seconds: float
) -> tuple[list[dict[str, Any]], list[str]]:
    """A row for each case, and what there was no time for."""
    return measured(made, programs, rounds, seconds, lambda case: row(case, profile))


def row(case: GpuCase, profile: Profile) -> dict[str, Any] | None:
    """One case: steps predicted and measured, in seconds; None where the model or the run has none that counts."""
    sample, of = case.sample(), program(case.program)
    if sample is None:
        return None
    configuration = Configuration(case.program, case.model, case.placement, 1, case.parts, case.parts)
    try:
        blind = predict(replace(case.summary, frontiers={}), profile, configuration)
    except ModelError as error:
        return {"graph": case.name, "program": case.program, "model": case.model, "why": str(error)} | _where(case)
    frontier = frontier_of(case.graph, list(case.last.statistics))
    n, load = sample.iterations, loaded(profile, sample)
    by_legion = blind.load if case.placement == "device" else 0.0
    predicted = blind.iteration + blind.run / n
    all_measured = sample.kernel + sample.rest / n
    share = sample.activity / profile.rate(of.rates_of, case.model).activity if case.model == "push" else 1.0
    informed = predicted + blind.compute * (share - 1)
    whole = _whole(case, profile, configuration, frontier, blind.iteration * n + blind.run)
    return {
        "graph": case.name,
        "program": case.program,
        "model": case.model,
        **_where(case),
        "predicted": {
            "load": blind.load - by_legion,
            "kernel": blind.compute + blind.update + blind.fixed,
            "launch": blind.launch + by_legion + blind.run / n,
            "all": predicted,
        },
        "measured": {
            "load": load,
            "kernel": sample.kernel - load,
            "launch": sample.rest / n,
            "all": all_measured,
            "runs": case.seconds,
        },
        "error": predicted / all_measured - 1,
        "error_with_frontier": informed / all_measured - 1,
        "run": {"predicted": whole, "measured": min(case.seconds), "iterations": n},
    } | _each(case, frontier)


def _each(case: GpuCase, frontier: Frontier) -> dict[str, Any]:
    """Seconds of each iteration's slowest kernel, where each GPU has its own memory."""
    if case.placement == "zero-copy" or (case.placement == "device" and case.parts > 1):
        return {}
    n = min(map(len, case.kernels))
    each = np.min([k[:n] for k in case.kernels], axis=0)
    return {
        "each": {
            "seconds": [float(f"{t:.4g}") for t in each],
            "vertices": [float(f"{v:.4g}") for v in frontier.vertices[:n]],
        }
    }


def _where(case: GpuCase) -> dict[str, Any]:
    return {"placement": case.placement, "parts": case.parts, "workers": case.parts}


def _whole(case: GpuCase, profile: Profile, configuration: Configuration, frontier: Frontier, blind: float) -> float:
    """The whole run: given its frontier where the program has one."""
    if not program(case.program).frontier:
        return blind
    known = replace(case.summary, frontiers={program(case.program).rates_of: frontier})
    total = predict(known, profile, configuration).total
    return blind if total is None else total
