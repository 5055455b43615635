# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of `benchmarks.networkx_backend`."""

from __future__ import annotations

from typing import Any

from benchmarks.tables import short, table


def large(document: dict[str, Any]) -> str:
    """Make the table of the random graph: milliseconds of NetworkX and of Lux, and how many times faster Lux is."""
    rows = [
        [f"`{name}`", short(1e3 * each["networkx"]), short(1e3 * each["lux"]), short(each["networkx"] / each["lux"])]
        for name, each in document["large"].items()
    ]
    return table(["milliseconds", "NetworkX", "Lux", "times"], rows)


def karate(document: dict[str, Any]) -> str:
    """Make the table of the functions that take longest in Lux, beside NetworkX, on the karate club."""
    slower = sorted(document["karate"].items(), key=lambda each: each[1]["networkx"] - each[1]["lux"])
    rows = [[f"`{name}`", *(f"{1e3 * each[by]:.2f}" for by in ("networkx", "lux"))] for name, each in slower[:10]]
    return table(["milliseconds", "NetworkX", "Lux"], rows)


def conversion(document: dict[str, Any]) -> str:
    """Say what the conversion of an edge takes."""
    return f"{1e6 * document['conversion'] / document['edges']:.1f} us"


def from_table(document: dict[str, Any]) -> str:
    """Say how long the table of 10^7 edges takes to the graph, and to its PageRank."""
    found = document["table"]
    return f"{short(found['graph'])} s, and its PageRank {short(found['pagerank'])} s"
