# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Repartitioning, from the JSON of `benchmarks/balance.py`."""

from __future__ import annotations

from statistics import median
from typing import Any

from benchmarks.tables import percent, table

LATE = 20
"""Iterations at the end of a run, whose median is "after the move"."""


def cases(document: dict[str, Any]) -> str:
    """Make the table of all kinds of imbalance on CPU cores."""
    head = ["", "slowest / mean partition, before", "after", "an iteration", "the run"]
    head += ["moves", "moving, ms a run", "deciding, ms a run"]
    return table(head, ([case["title"], *_case(case)] for case in document["cases"].values()))


def _case(case: dict[str, Any]) -> list[str]:
    ratios = [f"{case[f'max_over_mean_{when}']:.2f}" for when in ("without", "after_five_iterations")]
    times = [percent(-case["iteration_falls_by"], "+"), percent(case["run_changes_by"], "+")]
    costs = [f"{1e3 * case[f'{what}_seconds_per_run']:.1f}" for what in ("moving", "deciding")]
    return [*ratios, *times, f"{case['moves_per_run']:.1f}", *costs]


def gpus(*documents: dict[str, Any]) -> str:
    """Make the table of the imbalanced program on GPUs."""
    head = ["H200s", "iterations", "partitions at first, ms", "slowest / mean", "after the move, ms", "slowest / mean"]
    head += ["of the gain", "an iteration", "the run", "moves", "waited for, ms a run", "prepared for, ms a run"]
    rows = []
    for document in documents:
        case = document["cases"]["steps"]
        first, last = (_partitions(case, moved) for moved in (False, True))
        ratios, (times, costs) = _case(case)[:2], (_case(case)[2:4], _case(case)[4:6])
        kind = "slow" if case["iteration_without"] > SLOW else "fast"
        rows.append([str(len(document["gpus"])), kind, first, ratios[0], last, ratios[1], percent(case["gain_had"])])
        rows[-1] += [*times, *costs, f"{1e3 * case['preparing_seconds_per_run']:.0f}"]
    return table(head, rows)


SLOW = 0.01


def _partitions(case: dict[str, Any], moved: bool) -> str:
    runs = [trial["iterations"] for trial in case["trials"] if (trial["repartition"] != "off") == moved]
    each = zip(*(seconds for run in runs for seconds in (run[-LATE:] if moved else run)), strict=True)
    return ", ".join(f"{1e3 * median(seconds):.{1 if case['iteration_without'] > SLOW else 2}f}" for seconds in each)


def balanced(document: dict[str, Any]) -> str:
    """Say how much longer a balanced program takes with checks for repartitioning than without."""
    return percent(document["cases"]["balanced"]["run_changes_by"])
