# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of `benchmarks/model.py`: steps, their errors, and the model's choices beside the best."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from perfmodel.factors import METHODS

STEPS = ("load", "kernel", "transfer", "launch")
WHICH = ("predicted", "measured")
NEAR = 0.05
"""Relative excess over the best time up to which a choice counts as near it."""


def choices(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return, for each graph and program, the model's choice beside the best measured configuration."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        program = row["program"] + (f" ({row['model']})" if row["model"] in METHODS else "")
        groups[row["graph"], program].append(row)
    found = []
    for (graph, program), group in groups.items():
        chosen = min(group, key=lambda r: r["predicted"]["all"])
        best = min(group, key=lambda r: r["measured"]["all"])
        found.append(
            {"graph": graph, "program": program}
            | {name: _name(row) for name, row in (("chosen", chosen), ("best", best))}
            | {"rank": 1 + sum(r["measured"]["all"] < chosen["measured"]["all"] for r in group), "of": len(group)}
            | {"slower": chosen["measured"]["all"] / best["measured"]["all"] - 1}
        )
    return found


@dataclass(frozen=True)
class Rule:
    """Rule of choice, and its distance from the best that was measured.

    Attributes
    ----------
    name : str
        Name: "the model", or the configuration that is always taken.
    within : int
        Number of cases in which the choice is at most `NEAR` slower than the best.
    of : int
        Number of cases.
    worst : float
        Relative slowdown in the worst case: 0.5 is half as long again.
    """

    name: str
    within: int
    of: int
    worst: float

    def __str__(self) -> str:
        return f"{self.name}: within {NEAR:.0%} of the best in {self.within} of {self.of}, at worst {self.worst:+.0%}"


def rules(rows: Sequence[dict[str, Any]]) -> tuple[Rule, Rule] | None:
    """Return the model beside the best rule that always takes the same configuration, for vertex programs.

    A rule's configuration was measured in each case. The best rule has the most cases near the best time; among equals,
    the least slowdown in its worst case. None if no configuration was measured in each case.
    """
    groups: dict[tuple[str, str], dict[tuple[Any, ...], dict[str, Any]]] = defaultdict(dict)
    for row in rows:
        if row["model"] not in METHODS:
            groups[row["graph"], row["program"]][tuple(_name(row))] = row
    if not groups:
        return None
    always = set.intersection(*(set(group) for group in groups.values()))
    chosen = [min(group.values(), key=lambda r: r["predicted"]["all"]) for group in groups.values()]
    constant = [
        _rule(_written(name), groups.values(), [g[name] for g in groups.values()]) for name in sorted(always, key=str)
    ]
    best = min(constant, key=lambda rule: (-rule.within, rule.worst), default=None)
    return None if best is None else (_rule("the model", groups.values(), chosen), best)


def _rule(name: str, groups: Iterable[dict[Any, dict[str, Any]]], taken: Sequence[dict[str, Any]]) -> Rule:
    bests = [min(row["measured"]["all"] for row in group.values()) for group in groups]
    slower = [row["measured"]["all"] / best - 1 for row, best in zip(taken, bests, strict=True)]
    return Rule(name, sum(s <= NEAR for s in slower), len(slower), max(slower))


def _written(name: Sequence[Any]) -> str:
    return "always " + ", ".join(str(x or "all cores") for x in name)


def _name(row: dict[str, Any]) -> list[Any]:
    """Name model, partitions and, on GPUs, placement; with several processes also their number."""
    placed = [row["placement"]] if "placement" in row else []
    return [row["model"], row["parts"], *placed, *([f"{row['nodes']} nodes"] if "nodes" in row else [])]


def show(
    rows: Sequence[dict[str, Any]], chosen: Sequence[dict[str, Any]], console: Console, *, every: bool = True
) -> None:
    """Print all tables; the rows themselves only if ``every``."""
    parts = [step for step in STEPS if any(r["predicted"].get(step) for r in rows)]
    columns = ["graph", "program", "model", "parts", *(c for part in parts for c in (part, "measured")), "iteration"]
    title = "an iteration, predicted and measured, in ms"
    table = Table(*columns, "measured", "error", "with frontier", title=title, padding=(0, 0))
    for r in rows if every else []:
        digits = 3 if "placement" in r else 2
        steps = [f"{1e3 * r[which].get(step, 0.0):.{digits}f}" for step in (*parts, "all") for which in WHICH]
        name = [r["graph"], r["program"], r["model"], _where(r)]
        table.add_row(*name, *steps, f"{r['error']:+.0%}", f"{r['error_with_frontier']:+.0%}")
    if every:
        console.print(table)
    console.print(_errors(rows))
    if any("errors" in r for r in rows):
        console.print(_step_errors(rows))
    table = Table(
        "graph", "program", "chosen", "best", "slower", "rank", title="chosen by the model, and the best measured"
    )
    for c in chosen:
        names = [", ".join(str(x or "all cores") for x in c[which]) for which in ("chosen", "best")]
        table.add_row(c["graph"], c["program"], *names, f"{c['slower']:.0%}", f"{c['rank']} of {c['of']}")
    console.print(table)
    for rule in rules(rows) or ():
        console.print(str(rule), markup=False)


def _where(row: dict[str, Any]) -> str:
    placed = f" {row['placement']}" if "placement" in row else ""
    return f"{row['parts'] or 'all cores'}{placed}" + (f", {row['nodes']} nodes" if "nodes" in row else "")


def _errors(rows: Sequence[dict[str, Any]]) -> Table:
    """Return the relative errors of an iteration, over all graphs."""
    table = Table("program", "model", "parts", "cases", "median", "largest", "with frontier", "largest", "whole run")
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["program"], row["model"], _where(row)].append(row)
    for name, group in groups.items():
        found = [[abs(r[key]) for r in group] for key in ("error", "error_with_frontier")]
        runs = [abs(r["run"]["predicted"] / r["run"]["measured"] - 1) for r in group if "run" in r]
        cells = [f"{f(errors):.0%}" for errors in found for f in (statistics.median, max)]
        table.add_row(*name, str(len(group)), *cells, f"{statistics.median(runs):.0%}" if runs else "")
    table.title = "relative errors of an iteration"
    return table


def _step_errors(rows: Sequence[dict[str, Any]]) -> Table:
    """Return the median relative errors of each step."""
    table = Table("program", "model", "parts", *STEPS, title="relative errors of steps, medians")
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["program"], row["model"], _where(row)].append(row)
    for name, group in groups.items():
        found = [[r["errors"][step] for r in group if step in r["errors"]] for step in STEPS]
        table.add_row(*name, *(f"{statistics.median(errors):+.0%}" if errors else "" for errors in found))
    return table
