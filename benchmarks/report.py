# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The table on the terminal, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.graphs import SharedGraph
from benchmarks.race import Times

TITLES = {
    "pagerank": "PageRank, ms per iteration",
    "bfs": "Breadth-first search, ms, median over roots",
    "components": "Connected components, ms",
}


@dataclass(frozen=True)
class Race:
    """One kind of work on one graph, and everybody's times."""

    shared: SharedGraph
    work: str
    times: list[Times]

    def ratios(self) -> list[dict[str, Any]]:
        """Lux's median divided by each peer's: below 1 Lux is faster. Both precisions of Lux are compared with all."""
        return [
            {
                "graph": self.shared.spec,
                "work": self.work,
                "lux": ours.contender.title,
                "peer": times.contender.title,
                "ratio_of_medians": ours.median() / times.median(),
                "ratio_of_bests": ours.best() / times.best(),
            }
            for ours in self.times
            if ours.contender.baseline
            for times in self.times
            if times.contender.library != "Lux" or times.contender.precision == ours.contender.precision
            if times is not ours
        ]


def print_race(race: Race, console: Console) -> None:
    """One table: a row for each contender."""
    table = Table(title=f"{TITLES[race.work]}, on {race.shared.spec}", title_justify="left")
    means = ("mean", "harmonic mean") if race.work == "bfs" else ()
    for name in ("library", "variant", "float"):
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


def print_ratios(races: Sequence[Race], console: Console) -> None:
    """All ratios in one table."""
    table = Table(title="Lux / peer, whole calls (below 1: Lux is faster)", title_justify="left")
    for name in ("graph", "work", "Lux", "peer"):
        table.add_column(name)
    table.add_column("medians", justify="right")
    table.add_column("bests", justify="right")
    for race in races:
        for r in race.ratios():
            ratios = f"{r['ratio_of_medians']:.2f}", f"{r['ratio_of_bests']:.2f}"
            table.add_row(r["graph"], r["work"], r["lux"], r["peer"], *ratios)
        table.add_section()
    console.print(table)


def write_json(path: Path, races: Sequence[Race], facts: dict[str, Any]) -> None:
    """Everything measured, with the facts about machine and versions first."""
    graphs = {id(race.shared): race.shared for race in races}.values()
    document = facts | {
        "graphs": [
            {
                "spec": shared.spec,
                "n_vertices": shared.n,
                "stored_edges": shared.graph.n_edges,
                "roots": shared.roots.tolist(),
                "setup_seconds": shared.setup_seconds,
            }
            for shared in graphs
        ],
        "results": [_result(race, times) for race in races for times in race.times],
        "ratios": [ratio for race in races for ratio in race.ratios()],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _result(race: Race, times: Times) -> dict[str, Any]:
    c = times.contender
    return {
        "graph": race.shared.spec,
        "work": race.work,
        "unit": "ms per iteration" if race.work == "pagerank" else "ms",
        "library": c.library,
        "variant": c.variant,
        "precision": c.precision,
        "threads": c.threads,
        "best": times.best(),
        "median": times.median(),
        "median_by_own_clock": times.median(own_clock=True) if c.run_seconds else None,
        "searches": times.searches() if race.work == "bfs" else None,
        "largest_rank_difference": times.difference if race.work == "pagerank" else None,
        "calls": times.calls,
        "runs_by_own_clock": times.runs if c.run_seconds else None,
    }
