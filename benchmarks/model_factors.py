# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurements of `benchmarks/model.py` for `lux.factorize`: both methods, with K unseen by the calibration.

A row has the steps of an iteration, predicted and measured: ``kernel`` (on GPUs with writes into each other's memory)
and ``launch`` (time in no kernel, and the run's start).
"""

from __future__ import annotations

from typing import Any

from lux.calibration.measure_factors import FactorCase
from perfmodel import Configuration, ModelError, Profile
from perfmodel.factors import FIRST
from perfmodel.predict_factors import predict_factors

GRAPHS = {
    "cpu": ("25000x4000:350000:1.2", "7000x7000:500000:1", "150000x10000:200000:2.5"),
    "gpu": ("100000x30000:3000000:1", "30000x8000:6000000:2", "800000x60000:12000000:1.5"),
}
KS = (20, 50)


def row(case: FactorCase, profile: Profile) -> dict[str, Any]:
    """Return one case: steps predicted and measured, in seconds; or the reason why there is no prediction."""
    sample, f = case.sample(), case.factors
    placement = "host" if case.device == "cpu" else "peer" if sample.parts > 1 else "device"
    name = {"graph": case.name, "program": f"factorize, K = {f.k}", "model": f.method}
    where = {} if case.device == "cpu" else {"placement": placement}
    configuration = Configuration("factorize", "auto", placement, 1, sample.workers, case.parts)
    try:
        one = predict_factors(case.summary, profile, configuration, f)
    except ModelError as error:
        return {**name, **where, "why": str(error)}
    n = sample.iterations
    run = one.run - FIRST[f.method] * one.iteration
    predicted, measured = one.iteration + run / n, sample.kernel + sample.rest / n
    return {
        **name,
        "parts": case.parts,
        "workers": sample.workers,
        **where,
        "predicted": {
            "kernel": one.load + one.compute + one.update + one.fixed,
            "launch": one.launch + run / n,
            "all": predicted,
        },
        "measured": {"kernel": sample.kernel, "launch": sample.rest / n, "all": measured, "runs": case.seconds},
        "others_cores": case.others,
        "error": predicted / measured - 1,
        "error_with_frontier": predicted / measured - 1,
    }
