# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Reports of results, for people (tables) and for programs (one JSON object)."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import lux
from lux import runtime
from lux.app.application import Summary
from lux.app.console.terminal import is_terminal
from lux.engine.run.statistics import between

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.results.result import Result

IDS = ("vertex", "label", "item", "source", "target")
"""Columns and rows with ids."""
MOST_PARTITIONS = 8
"""Partitions that the table of iterations shows one by one; of more it shows least, mean and most."""


def machine() -> dict[str, int]:
    """Describe Legate's processors and memories over all processes."""
    import legate_config

    gpus = legate_config.settings().gpus * runtime.ranks()
    return {"processes": runtime.ranks(), "cores": legate_config.settings().cpus * runtime.ranks(), "gpus": gpus}


def describe(graph: Graph, name: str) -> dict[str, Any]:
    """Describe a graph in a few words."""
    return {
        "name": name,
        "vertices": graph.n_vertices,
        "edges": graph.n_edges,
        "directed": graph.directed,
        "order": graph.order.name if graph.order else "given",
        "properties": {key: str(kind) for key, kind in graph.property_types.items()},
    }


def facts(
    app: str, graph: dict[str, Any], result: Result, summary: Summary, seconds: dict[str, float], *, verbose: bool
) -> dict[str, Any]:
    """Return the whole report for JSON; times in seconds."""
    models, gone = Counter(step.model for step in result.statistics), between(result.statistics)
    models.update(gone.models if gone else {})
    found: dict[str, Any] = {
        "app": app,
        "version": lux.__version__,
        "graph": graph,
        "machine": machine(),
        "parts": result.parts,
        "threads": result.threads,
        "device": result.device,
        "strategy": result.strategy,
        "refusals": dict(result.refusals),
        "models": dict(models),
        "iterations": result.iterations,
        "resumed": result.resumed,
        "converged": result.converged,
        "final": not summary.unfinished,
        "seconds": seconds | {"run": result.seconds},
        "edges_per_second": summary.edges / result.seconds if result.seconds > 0 else None,
        **summary.facts,
        **summary.tables,
        "top": summary.listing,
    }
    if verbose:
        found["statistics"] = [
            {
                "model": s.model,
                "frontier": s.frontier,
                "frontier_edges": s.frontier_edges,
                "seconds": s.seconds.tolist(),
                "why": s.why,
            }
            | ({} if s.exchanged is None else {"exchanged": s.exchanged})
            | ({} if s.phases is None else {"phases": {name: each.tolist() for name, each in s.phases.items()}})
            for s in result.statistics
        ]
        if gone:
            found["statistics_left_out"] = asdict(gone) | {"seconds": gone.seconds.tolist()}
        found["repartitions"] = [decision.facts() for decision in result.repartitions]
    return found


def print_json(found: dict[str, Any]) -> None:
    """Print one JSON object on one line."""
    sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")


def rows(found: dict[str, Any], summary: Summary) -> dict[str, Any]:
    """Return names and values for the head of a report, from `facts`."""
    made = {
        "graph": graph_words(found["graph"]),
        "order": "" if found["graph"]["order"] == "given" else f"by {found['graph']['order']}",
        "machine": machine_words(found["machine"]),
        "partitions": f"{found['parts']:,}" + (f" of {found['threads']} threads" if found["threads"] > 1 else ""),
        "device": {"gpu": "GPU", "gpu+cpu": "GPU and CPU cores"}.get(found["device"], ""),
        "strategy": found["strategy"],
        "model": ", ".join(
            f"{model} {n:,}" if len(found["models"]) > 1 else model for model, n in found["models"].items()
        ),
        "iterations": f"{found['iterations']:,}" + ("" if found["converged"] else " (the limit)"),
        "resumed": f"after {found['resumed']:,}, from a checkpoint" if found["resumed"] else "",
        "time": time_words(found["seconds"]["run"]),
        "edges/s": f"{_count(found['edges_per_second'])}" if found["edges_per_second"] else "",
        "set-up": ", ".join(
            f"{phase} {time_words(found['seconds'][phase])}"
            for phase in ("load", "order", "partition", "compile")
            if phase in found["seconds"]
        ),
        "note": "not final: the iteration limit ended the run" if summary.unfinished else "",
        **{key.replace("_", " "): value for key, value in summary.facts.items()},
    }
    made.pop("path", None)  # the listing has it
    if made.get("target") is not None and made["distance"] is None:
        made["distance"] = "no path leads there"
    made |= {"verified": f"yes, in {time_words(found['seconds']['verify'])}"} if "verify" in found["seconds"] else {}
    if "output" in found:
        made["output"] = f"{found['output']}, in {time_words(found['seconds']['write'])}"
    if made.pop("source chosen", False):
        made["source"] = f"{made['source']} (the most out-edges)"
    return made


def print_tables(found: dict[str, Any], summary: Summary) -> None:
    """Print the report as tables."""
    from rich.markup import escape

    out = console()
    shown = rows(found, summary)
    shown |= {"graph": escape(shown["graph"]), "time": f"[bold]{shown['time']}[/bold]"}
    out.print(key_values(f"lux {found['app']}", shown))
    if "launches" in found:  # the report is verbose
        if found["refusals"]:
            refused = ({"strategy": name, "why it did not run": why} for name, why in found["refusals"].items())
            out.print(listing("strategies that are preferred", refused))
        out.print("launches", style="bold")
        out.print("\n".join(found["launches"]), markup=False, highlight=False)
    if "statistics" in found:
        out.print(listing("iterations", iteration_rows(found["statistics"], found.get("statistics_left_out"))))
    if found.get("repartitions"):
        out.print(listing("repartitioning", map(_decision, found["repartitions"])))
    for title, table in summary.tables.items():
        out.print(listing(title, table))
    if summary.listing:
        out.print(listing(summary.title, summary.listing))
    if summary.more and summary.listing:
        out.print(f"... and {summary.more:,} more", style="dim", highlight=False)


def key_values(title: str, rows: dict[str, Any]) -> Any:
    """Return a table of names and values, without empty ones."""
    from rich.table import Table

    table = Table(title=title, show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in rows.items():
        if value not in ("", None):
            table.add_row(key, cell(value, key))
    return table


def listing(title: str, rows: Iterable[dict[str, Any]]) -> Any:
    """Return a table with a column for each key."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold")
    for number, row in enumerate(rows):
        if number == 0:
            for key in row:
                table.add_column(key.replace("_", " "), justify="right")
        table.add_row(*(cell(value, key) for key, value in row.items()))
    return table


def cell(value: Any, name: str = "") -> str:
    """Format a value for a table, None as nothing; ids of vertices are unchanged.

    >>> cell(12345), cell(12345, "vertex"), cell(True), cell(0.1234567), cell(None)
    ('12,345', '12345', 'yes', '0.123457', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name not in IDS:
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def iteration_rows(statistics: list[dict[str, Any]], left_out: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return a row for each iteration that has statistics of its own."""
    found = []
    for number, step in enumerate(statistics, 1):
        after = left_out is not None and number >= left_out["first"]
        row = {
            "iteration": number + left_out["iterations"] if left_out and after else number,
            "model": step["model"],
            "frontier": step["frontier"],
            "edges": step["frontier_edges"],
        }
        times = [1000 * seconds for seconds in step["seconds"]]
        if len(times) <= MOST_PARTITIONS:
            row |= {f"ms in {part}": f"{time:.3f}" for part, time in enumerate(times)}
        else:
            spread = {"least ms": min(times), "mean ms": sum(times) / len(times), "most ms": max(times)}
            row |= {key: f"{time:.3f}" for key, time in spread.items()}
        row |= {"bytes sent": step["exchanged"]} if "exchanged" in step else {}
        row["why"] = step["why"]
        found.append(row)
    return found


def _decision(decision: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the table of repartitioning: times in ms, and the split points if they move."""
    seconds, moved = decision["seconds"], decision["phase"] != "none"
    return {
        "iterations": decision["iteration"],
        "mean ms": f"{1000 * sum(seconds) / len(seconds):.3f}",
        "most ms": f"{1000 * max(seconds):.3f}",
        "gain ms": f"{1000 * decision['gain']:.3f}",
        "cost ms": f"{1000 * decision['cost']:.2f}",
        "remaining": decision["remaining"],
        "moved": decision["phase"],
        "in ms": f"{1000 * decision['moving_seconds']:.2f}" if moved else "",
        "split points": f"{_points(decision['before'])} -> {_points(decision['after'])}" if moved else "",
        "why": decision["why"],
    }


def _points(points: list[int]) -> str:
    shown = " ".join(map(str, points[1:-1][:MOST_PARTITIONS]))
    return shown + (" ..." if len(points) - 2 > MOST_PARTITIONS else "")


def graph_words(graph: dict[str, Any]) -> str:
    """Describe the name, size, direction and edge properties."""
    kind = "directed" if graph["directed"] else "undirected"
    words = f"{graph['name']}: {graph['vertices']:,} vertices, {graph['edges']:,} stored edges, {kind}"
    return words + (f", with {', '.join(graph['properties'])}" if graph["properties"] else "")


def machine_words(found: dict[str, int]) -> str:
    """Describe processors and processes."""
    kinds = [("GPU", found["gpus"]), ("CPU core", found["cores"]), ("process", found["processes"])]
    ends = {"process": "es"}
    return ", ".join(f"{n} {kind}{ends.get(kind, 's') if n != 1 else ''}" for kind, n in kinds if n)


def time_words(seconds: float) -> str:
    """Format a time with its unit.

    >>> time_words(0.00123), time_words(12.3)
    ('1.23 ms', '12.3 s')
    """
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:,.3g} s" if seconds < 1000 else f"{seconds:,.0f} s"


def _count(number: float) -> str:
    for unit, size in (("billion", 1e9), ("million", 1e6)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:,.0f}"


def console() -> Any:
    """Return standard output, with tables."""
    from rich.console import Console

    # A file has no width; ids and names must not be wrapped there.
    if is_terminal(sys.stdout):
        return Console(highlight=False)
    return Console(highlight=False, width=120, color_system=None, force_terminal=False)
