# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Report: tables on the terminal, and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.contender import BASELINES, SEARCHES
from benchmarks.graphs import SharedGraph
from benchmarks.race import Times

TITLES = {
    "pagerank": "PageRank, ms per iteration",
    "bfs": "Breadth-first search, ms, median over roots",
    "components": "Connected components, ms",
    "sssp": "Shortest paths with weights, ms, median over roots",
    "betweenness": "Betweenness of the paths from one source, ms, median over sources",
    "pagerank, default call": "PageRank with its own tolerance, ms of a whole call",
}


@dataclass(frozen=True)
class Race:
    """Race of all contenders: one kind of work on one graph."""

    spec: str
    work: str
    times: list[Times]

    def ratios(self) -> list[dict[str, Any]]:
        """Return Lux's median divided by each peer's: below 1 Lux is faster.

        A peer is compared with Lux in the same precision, if Lux has such a row.
        """
        ours = [times for times in self.times if times.contender.baseline]
        return [
            {
                "graph": self.spec,
                "work": self.work,
                "baseline": lux.contender.baseline,
                "lux": lux.contender.title,
                "peer": peer.contender.title,
                "ratio_of_medians": lux.median() / peer.median(),
                "ratio_of_bests": lux.best() / peer.best(),
            }
            for peer in self.times
            if peer.contender.library != "Lux"
            for lux in _alike(ours, peer.contender.precision)
        ]

    def results(self) -> list[dict[str, Any]]:
        """Return all contenders' times for JSON."""
        return [_result(self, times) for times in self.times]


def _alike(ours: list[Times], precision: str) -> list[Times]:
    same = [times for times in ours if times.contender.precision == precision]
    return same or ours


def print_race(race: Race, console: Console) -> None:
    """Print one table: a row for each contender."""
    table = Table(title=f"{TITLES[race.work]}, on {race.spec}", title_justify="left")
    means = ("mean", "harmonic mean") if race.work in SEARCHES else ()
    for name in ("library", "variant", "precision"):
        table.add_column(name)
    for name in ("threads", "best", "median", "by its own clock", *means):
        table.add_column(name, justify="right")
    for times in race.times:
        c = times.contender
        numbers = [times.best(), times.median(), times.median(own_clock=True) if c.run_seconds else None]
        numbers += [times.searches()[name.replace(" ", "_")] for name in means]
        shown = ("" if x is None else f"{x:.3f}" for x in numbers)
        table.add_row(c.library, c.variant, c.precision, str(c.threads), *shown)
    console.print(table)


def print_setup(shared: SharedGraph, console: Console) -> None:
    """Print the set-up steps of a graph, and their seconds."""
    table = Table(title=f"Set-up for {shared.spec}, seconds", title_justify="left")
    table.add_column("what")
    table.add_column("seconds", justify="right")
    for what, seconds in shared.setup_seconds.items():
        table.add_row(what, f"{seconds:.3f}")
    console.print(table)


def print_ratios(ratios: Sequence[dict[str, Any]], console: Console) -> None:
    """Print a row for each peer, with the ratio of medians (and of bests) of each of Lux's rows to it."""
    table = Table(title="Lux / peer, medians (bests) of whole calls; below 1 Lux is faster", title_justify="left")
    for name in ("graph", "work", "peer"):
        table.add_column(name)
    for name in BASELINES:
        table.add_column(name, justify="right")
    for (_, _), of_work in groupby(ratios, lambda r: (r["graph"], r["work"])):
        for peer, of_peer in groupby(of_work, lambda r: r["peer"]):
            rows = list(of_peer)
            cells = {r["baseline"]: f"{r['ratio_of_medians']:.2f} ({r['ratio_of_bests']:.2f})" for r in rows}
            table.add_row(rows[0]["graph"], rows[0]["work"], peer, *(cells.get(name, "") for name in BASELINES))
        table.add_section()
    console.print(table)


def graph_facts(shared: SharedGraph) -> dict[str, Any]:
    """Describe a graph for JSON."""
    return {
        "spec": shared.spec,
        "n_vertices": shared.n,
        "stored_edges": shared.graph.n_edges,
        "roots": shared.roots.tolist(),
        "setup_seconds": shared.setup_seconds,
    }


def print_figures(
    results: Sequence[dict[str, Any]], what: str, figures: Sequence[str], title: str, console: Console
) -> None:
    """Print a row for each result, named by its ``what``, and a column for each figure."""
    table = Table(what, *figures, title=title)
    for result in results:
        table.add_row(str(result[what]), *(f"{result[f]:.4g}" if f in result else "" for f in figures))
    console.print(table)


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write results; a missing folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _result(race: Race, times: Times) -> dict[str, Any]:
    c = times.contender
    return {
        "graph": race.spec,
        "work": race.work,
        "unit": "ms per iteration" if race.work == "pagerank" else "ms",
        "library": c.library,
        "variant": c.variant,
        "precision": c.precision,
        "threads": c.threads,
        "best": times.best(),
        "median": times.median(),
        "median_by_own_clock": times.median(own_clock=True) if c.run_seconds else None,
        "searches": times.searches() if race.work in SEARCHES else None,
        "largest_difference": times.difference if race.work in ("pagerank", "betweenness") else None,
        "calls": times.calls,
        "runs_by_own_clock": times.runs if c.run_seconds else None,
        "tried": c.tried or None,
    }
