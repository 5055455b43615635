# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Legate's overhead over the kernels: PageRank on two partitions, with a launch for every iteration."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
from rich.console import Console

import lux
from benchmarks.contender import ALPHA, ITERATIONS

PARTS = 2


def overhead(graph: lux.Graph, spec: str, trials: int) -> list[dict[str, Any]]:
    """Return the seconds of an iteration through Legate, and of the kernels alone, in both precisions.

    A launch takes as long as its slowest partition, whose kernel seconds therefore count. ``overhead`` is Legate's time
    in a run of `ITERATIONS`, divided by the kernels' seconds: the median over the trials. The run's first launch sets
    initial values and is not among the kernels; ``overhead_of_an_iteration`` excludes it, by subtracting the time of a
    run without iterations.
    """
    return [_measured(graph, spec, trials, dtype) for dtype in (np.float32, np.float64)]


def _measured(graph: lux.Graph, spec: str, trials: int, dtype: Any) -> dict[str, Any]:
    through, alone, start = [], [], []
    given: dict[str, Any] = {"alpha": ALPHA, "tol": 0, "weight": None, "dtype": dtype, "parts": PARTS}
    for _ in range(1 + trials):  # the first one compiles
        start.append(lux.pagerank(graph, max_iter=0, **given).seconds * 1e3 / ITERATIONS)
        result = lux.pagerank(graph, max_iter=ITERATIONS, **given)
        through.append(result.seconds * 1e3 / ITERATIONS)
        alone.append(sum(float(one.seconds.max()) for one in result.statistics) * 1e3 / ITERATIONS)
    return {
        "graph": spec,
        "work": "pagerank",
        "precision": np.dtype(dtype).name,
        "partitions": PARTS,
        "unit": "ms per iteration",
        "through_legate": through[1:],
        "kernels_alone": alone[1:],
        "without_iterations": start[1:],
        "overhead": statistics.median(t / k - 1 for t, k in zip(through[1:], alone[1:], strict=True)),
        "overhead_of_an_iteration": statistics.median(
            (t - s) / k - 1 for t, s, k in zip(through[1:], start[1:], alone[1:], strict=True)
        ),
    }


def print_overhead(measured: list[dict[str, Any]], console: Console) -> None:
    """Print one line for each precision."""
    for m in measured:
        through, alone = statistics.median(m["through_legate"]), statistics.median(m["kernels_alone"])
        console.print(
            f"Legate's overhead, PageRank in {m['precision']} on {m['graph']}, {m['partitions']} partitions: "
            f"{through:.3f} ms per iteration, kernels alone {alone:.3f} ms, that is {m['overhead']:+.1%} "
            f"({m['overhead_of_an_iteration']:+.1%} without the launch that sets the first values)"
        )
