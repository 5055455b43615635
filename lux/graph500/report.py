# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Output of the benchmark: the reference code's block, key for key, and JSON with the specification's names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from lux.graph500.benchmark import KERNELS, Outcome
from lux.graph500.statistics import QUARTILES, Statistics, rates, statistics

Line = tuple[str, float, str]
"""Key, value and format."""


def lines(outcome: Outcome, processes: int) -> list[Line]:
    """Return the block's keys, values and formats, in the reference code's order (src/main.c).

    Kernels that did not run are left out. ``*_nedge`` are the edges that TEPS counts: input edge tuples.
    """
    plan, runs = outcome.plan, outcome.runs
    made: list[Line] = [
        ("SCALE", plan.scale, "d"),
        ("edgefactor", plan.edge_factor, "d"),
        ("NBFS", len(outcome.roots), "d"),
        ("graph_generation", outcome.generation, "g"),
        ("num_mpi_processes", processes, "d"),
        ("construction_time", outcome.construction, "g"),
    ]
    for kernel, found in runs.items():
        made += _each(f"{kernel:<4} ", "time", statistics(found.seconds))
    last = list(runs.values())[-1]
    made += [(key, value, ".11g") for key, value, _ in _each("", "nedge", statistics(last.edges))]
    for kernel, found in runs.items():
        made += _each(f"{kernel:<4} ", "TEPS", rates(found.edges, found.seconds), "harmonic_")
    for kernel, found in runs.items():
        made += _each(f"{kernel:<4} ", "validate", statistics(found.validation))
    return made


def _each(prefix: str, what: str, found: Statistics, mean: str = "") -> Iterator[Line]:
    for name, value in zip(QUARTILES, found.quartiles, strict=True):
        yield f"{prefix}{name}_{what}", value, "g"
    yield f"{prefix}{mean}mean_{what}", found.mean, "g"
    yield f"{prefix}{mean}stddev_{what}", found.stddev, "g"


def further_lines(outcome: Outcome) -> list[Line]:
    """Return the fields that Lux adds: TEPS of distinct undirected edges, without self-loops."""
    last = list(outcome.runs.values())[-1]
    made: list[Line] = [("mean_distinct_nedge", statistics(last.distinct).mean, ".11g")]
    for kernel, found in outcome.runs.items():
        made.append((f"{kernel:<4} harmonic_mean_distinct_TEPS", rates(found.distinct, found.seconds).mean, "g"))
    return made


def block(entries: list[Line]) -> str:
    """Format lines as the reference code prints them, each with its format's mark.

    >>> print(block([("SCALE", 18, "d"), ("bfs  harmonic_mean_TEPS", 1.5e9, "g")]))
    SCALE:                          18
    bfs  harmonic_mean_TEPS:     !  1.5e+09
    """
    return "\n".join(
        f"{key + ':':<29}!  {value:{form}}"
        if key.endswith(" harmonic_mean_TEPS")
        else f"{key + ': ':<32}{value:{form}}"
        for key, value, form in entries
    )


def fields(outcome: Outcome, processes: int) -> dict[str, Any]:
    """Return all measurements for JSON: the specification's fields, and every search.

    TEPS of a kernel that did not run are 0, by the specification; the deviation of a single search is None.
    """
    plan = outcome.plan
    found: dict[str, Any] = {
        "SCALE": plan.scale,
        "edgefactor": plan.edge_factor,
        "NBFS": len(outcome.roots),
        "graph_generation": outcome.generation,
        "num_mpi_processes": processes,
        "construction_time": outcome.construction,
        "strategy": plan.strategy,
        "order": plan.order,
        "seed": plan.seed,
        "validated": plan.validated,
        "roots": outcome.roots,
    }
    for kernel in KERNELS:
        if kernel not in outcome.runs:
            found |= {key: 0 for key, _, _ in _each(f"{kernel}_", "TEPS", statistics([0]), "harmonic_")}
            continue
        runs = outcome.runs[kernel]
        entries = [
            *_each(f"{kernel}_", "time", statistics(runs.seconds)),
            *_each(f"{kernel}_", "nedge", statistics(runs.edges)),
            *_each(f"{kernel}_", "TEPS", rates(runs.edges, runs.seconds), "harmonic_"),
            *_each(f"{kernel}_", "validate", statistics(runs.validation)),
            *_each(f"{kernel}_", "distinct_TEPS", rates(runs.distinct, runs.seconds), "harmonic_"),
        ]
        found |= {key: None if math.isnan(value) else value for key, value, _ in entries}
        found[f"{kernel}_runs"] = vars(runs)
    return found
