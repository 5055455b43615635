# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The Graph500's reference checker on Lux's answers, from the JSON of `benchmarks/graph500_reference.py`."""

from __future__ import annotations

from typing import Any


def reference(document: dict[str, Any]) -> str:
    """Say how many trees and shortest paths the reference code accepted, and by which strategies they were found."""
    rows = [row for row in document["results"] if row["passed"]]
    trees, paths = (sum(row["validated"][kernel] for row in rows) for kernel in ("BFS", "SSSP"))
    names = ", ".join(f"`{row['strategy']}`" for row in rows)
    return f"{trees} trees ({names}) and {paths} shortest paths of scale {document['scale']}"
