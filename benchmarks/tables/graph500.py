# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The Graph500 benchmark on GPUs, and its reference checker on Lux's answers.

From the JSON of `benchmarks/graph500.py` and of `benchmarks/graph500_reference.py`.
"""

from __future__ import annotations

from typing import Any

from benchmarks.tables import short, table


def on_gpus(*documents: dict[str, Any]) -> str:
    """Make a row of each run of kernel 2: seconds of its steps and of all, ms of a search, and rates."""
    rows = []
    for document in documents:
        steps = document["graph_generation"], document["construction_time"], document["bfs_mean_validate"]
        rates = (document[f"bfs_harmonic_mean_{which}TEPS"] / 1e9 for which in ("", "distinct_"))
        assert document["validated"]
        cells = [*steps, 1e3 * document["bfs_mean_time"], *rates, document["seconds"]]
        rows.append([f"{document['SCALE']}, {len(document['gpus'])}", *map(short, cells)])
    steps = ["edge list, s", "kernel 1, s", "a validation, s", "a search, ms"]
    return table(["scale, H200s", *steps, "GTEPS", "GTEPS of distinct edges", "whole run, s"], rows)


def reference(document: dict[str, Any]) -> str:
    """Say how many trees and shortest paths the reference code accepted, and by which strategies they were found."""
    rows = [row for row in document["results"] if row["passed"]]
    trees, paths = (sum(row["validated"][kernel] for row in rows) for kernel in ("BFS", "SSSP"))
    names = ", ".join(f"`{row['strategy']}`" for row in rows)
    return f"{trees} trees ({names}) and {paths} shortest paths of scale {document['scale']}"
