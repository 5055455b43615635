# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurements of `benchmarks/model.py` with edges outside GPUs' memory: PageRank by pull.

Some edges overflow, or CPU cores have them. All GPUs take part. Edges are kept outside even if they would fit, so that
a graph of any size will do. A row has the times of GPUs, of CPU cores and of the whole iteration, predicted and
measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from rich.table import Table

from lux.calibration.measure_oversubscribed import OversubscribedCase, measured
from perfmodel import Configuration, GraphSummary, ModelError, Profile, predict
from perfmodel.predict_program import sides

GRAPHS = ("kronecker:21", "uniform:21")
SHARES, CPU_SHARES = (0.25, 0.5), (0.05, 0.25)


def rows(
    specs: Sequence[str], profile: Profile, rounds: int, seconds: float
) -> tuple[list[dict[str, Any]], list[str], dict[str, Any]]:
    """Return a row for each case, the cases that there was no time for, and the graphs' summaries."""
    summaries: dict[str, Any] = {}

    def take(case: OversubscribedCase) -> dict[str, Any]:
        summaries.setdefault(case.name, asdict(case.summary))
        return predicted(_kept(case), case.summary, profile)

    return *measured(specs, SHARES, CPU_SHARES, rounds, seconds, take), summaries


def _kept(case: OversubscribedCase) -> dict[str, Any]:
    """Return the measurements of a case; a row's share is the actual one of its split points."""
    gpus, cores = np.median(case.sides, axis=0).mean(axis=1)
    sample, configuration = case.sample(), asdict(case.configuration)
    configuration["cpu_share" if case.configuration.cpus else "overflow"] = case.beside
    found = {
        "gpus": gpus,
        "cores": cores,
        "kernel": sample.kernel,
        "all": sample.kernel + sample.rest / sample.iterations,
    }
    return {"graph": case.name, "configuration": configuration, "iterations": sample.iterations} | {
        "measured": {name: float(x) for name, x in found.items()} | {"runs": case.seconds}
    }


def predicted(kept: dict[str, Any], summary: GraphSummary, profile: Profile) -> dict[str, Any]:
    """Return a row with a profile's predictions, or the reason why there are none."""
    configuration, n = Configuration(**kept["configuration"]), kept["iterations"]
    try:
        one = predict(summary, profile, configuration)
        gpus, cores = one.kernels, 0.0
        if configuration.cpus:
            gpus, cores = (side.kernels for side in sides(summary, profile, configuration))
    except ModelError as error:
        return {name: x for name, x in kept.items() if name not in ("predicted", "error")} | {"why": str(error)}
    found = {"gpus": gpus, "cores": cores, "all": one.iteration + one.run / n}
    return kept | {"predicted": found, "error": found["all"] / kept["measured"]["all"] - 1}


def again(
    found: Sequence[dict[str, Any]], summaries: Mapping[str, GraphSummary], profile: Profile
) -> list[dict[str, Any]]:
    """Predict earlier measurements anew with another profile."""
    return [predicted(row, summaries[row["graph"]], profile) for row in found]


def table(found: Sequence[dict[str, Any]]) -> Table:
    """Return all rows, in ms."""
    names = ("GPUs", "measured", "cores", "measured", "iteration", "measured", "error")
    shown = Table("graph", "beside the GPUs", *names, title="edges that are not in GPUs' memory; ms an iteration")
    for row in found:
        c = row["configuration"]
        what = f"{c['cpu_share']:.0%} on {c['cpus']} cores" if c["cpus"] else f"{c['overflow']:.0%} overflow"
        if "why" in row:
            shown.add_row(row["graph"], what, "", "", "", "", "", f"{1e3 * row['measured']['all']:.2f}", "")
            continue
        steps = [
            f"{1e3 * row[which][step]:.2f}" for step in ("gpus", "cores", "all") for which in ("predicted", "measured")
        ]
        shown.add_row(row["graph"], what, *steps, f"{row['error']:+.0%}")
    return shown
