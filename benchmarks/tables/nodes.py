# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of programs on several nodes, by the JSON of ``benchmarks/nodes.py``."""

from __future__ import annotations

from typing import Any

from benchmarks.tables import table

NAMES = {
    "pagerank": "PageRank, float32",
    "components": "components by labels",
    "sssp": "shortest paths by relaxation",
    "bfs": "breadth-first search",
}


def times(document: dict[str, Any], nodes: str) -> str:
    """Compare an iteration's time on so many nodes with the kernels of the slowest and its bytes over the rate."""
    head = ["", "iterations", "ms each", "kernels, ms", "wire, ms", "ms over their sum"]
    rows = []
    for row in document["results"]:
        if row["nodes"] == int(nodes):
            numbers = [f"{row[key]:.3g}" for key in ("ms", "compute_ms", "wire_ms")]
            rows.append([_name(row), f"{row['iterations']:,}", *numbers, f"{row['over_sum']:.2f}"])
    return table(head, rows)


def sent(document: dict[str, Any]) -> str:
    """Compare what a node sends in an iteration, in bytes by its interface's counter, with the values in it."""
    rows = ([_name(r), str(r["nodes"]), f"{r['bytes']:,.0f}", f"{r['values']:,.0f}"] for r in document["results"])
    return table(["", "nodes", "bytes sent", "bytes of values"], rows)


def host(document: dict[str, Any]) -> str:
    """Return the time of two processes with a core each over that of one with both cores."""
    return f"{document['host'][1]['ratio']:.2f}"


def exchange(document: dict[str, Any], nodes: str) -> str:
    """Return the microseconds of an exchange of 8 bytes inside a launch."""
    return f"{1e6 * document['exchange_of_8_bytes'][f'{nodes} nodes']:.0f}"


def _name(row: dict[str, Any]) -> str:
    work, _, graph = row["case"].partition(" ")
    return f"{NAMES[work]}, {graph}"
