# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Whole calls on CPU cores beside other libraries, from the JSON of `benchmarks/cpu.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.tables import short, table

WORKS = {
    "pagerank": "PageRank",
    "bfs": "BFS",
    "components": "components",
    "sssp": "shortest paths",
    "betweenness": "betweenness",
}
GRAPHS = {"kronecker": "Kronecker", "uniform": "Uniform", "grid": "Grid"}
BY_DEGREE = "vertices by degree"
PYPI = ("NetworKit", "GraphBLAS", "SciPy", "igraph")


def calls(document: dict[str, Any]) -> str:
    """Make the short table: Lux, the fastest library from PyPI, and the GAP Benchmark Suite."""
    rows = []
    for spec in _graphs(document):
        name = GRAPHS[spec.partition(":")[0]]
        rows.append([f"{name}: Lux", *(_lux(document, spec, work) for work in WORKS)])
        for title, libraries in (("fastest of PyPI", PYPI), ("GAP", ("GAPBS",))):
            rows.append([title, *(_fastest(document, spec, work, libraries) for work in WORKS)])
    return table(["", *WORKS.values()], rows)


def _graphs(document: dict[str, Any]) -> list[str]:
    return [graph["spec"] for graph in document["graphs"]]


def _rows(document: dict[str, Any], spec: str, work: str) -> Iterator[dict[str, Any]]:
    """All rows of a kind of work on a graph; of PageRank those in float32."""
    for row in document["results"]:
        if (row["graph"], row["work"]) == (spec, work) and (work != "pagerank" or row["precision"] == "float32"):
            yield row


def _lux(document: dict[str, Any], spec: str, work: str) -> str:
    medians = {r["variant"]: r["median"] for r in _rows(document, spec, work) if r["library"] == "Lux"}
    reordered = f" (by degree {short(medians[BY_DEGREE])})" if BY_DEGREE in medians else ""
    return short(medians[""]) + reordered if "" in medians else ""


def _fastest(document: dict[str, Any], spec: str, work: str, libraries: tuple[str, ...]) -> str:
    medians = [r["median"] for r in _rows(document, spec, work) if r["library"] in libraries]
    return short(min(medians)) if medians else ""
