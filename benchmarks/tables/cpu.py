# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Whole calls on CPU cores beside other libraries, from the JSON of `benchmarks/cpu.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median
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
DEFAULT_CALL = "pagerank, default call"
FIRST = "Lux: first call of "
NO_PREPARATION = ("Lux: generate", "Lux: edges to arrays")
NOT_MEASURED = "(Not in these results.)"
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


def slower(document: dict[str, Any]) -> str:
    """Say where Lux is slower than another library in the short table, and how many times; "nothing" if nowhere."""
    found = []
    for spec in _graphs(document):
        for work, title in WORKS.items():
            ours, theirs = (_best(document, spec, work, libraries) for libraries in (("Lux",), (*PYPI, "GAPBS")))
            if ours is not None and theirs is not None and ours > theirs:
                graph = GRAPHS[spec.partition(":")[0]].lower()
                found.append(f"{title} on the {graph} ({ours / theirs:.1f} times the time of the fastest)")
    return " and ".join(found) or "nothing"


def command(document: dict[str, Any]) -> str:
    """Say how the benchmark was called."""
    roots, sources = (len(next(_rows(document, _graphs(document)[0], work))["calls"][0]) for work in ("bfs", "sssp"))
    call = f"python benchmarks/cpu.py --trials {document['trials']} --roots {roots} --sources {sources}"
    minutes = f"about {document['seconds'] / 60:.0f} minutes"
    return f"    pip install -e .[benchmarks]\n    GAPBS_DIR=/path/to/built/gapbs {call}   # {minutes}"


def work(document: dict[str, Any], name: str) -> str:
    """Make the table of one kind of work: every library and variant, on every graph."""
    name, graphs = DEFAULT_CALL if name == "default-call" else name, _graphs(document)
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in document["results"]:
        if row["work"] == name:
            variant = "with a delta" if row["variant"].startswith("delta") else row["variant"]
            variant = "with its defaults" if name == DEFAULT_CALL else variant
            who = (row["library"], variant, row["precision"], str(row["threads"]))
            cells.setdefault(who, {})[row["graph"]] = _with_range(row)
    rows = [[*who, *(of.get(graph, "") for graph in graphs)] for who, of in cells.items()]
    return table(["library", "variant", "values", "threads", *graphs], rows) if rows else NOT_MEASURED


def _with_range(row: dict[str, Any]) -> str:
    """Return the median over the trials, and of several the least and the most; for searches medians over the roots."""
    least, most = (median(map(pick, zip(*row["calls"], strict=True))) for pick in (min, max))
    more = [f"{short(least)} to {short(most)}"] if len(row["calls"]) > 1 else []
    if row["variant"].startswith("delta") or row["work"] == DEFAULT_CALL:
        more.append(row["variant"])
    return f"{short(row['median'])} ({', '.join(more)})" if more else short(row["median"])


def first_calls(document: dict[str, Any]) -> str:
    """Make the table of the first call of each kind on a graph beside the median of later ones, in ms."""
    rows = []
    for graph in document["graphs"]:
        seconds = {what.removeprefix(FIRST): s for what, s in graph["setup_seconds"].items() if what.startswith(FIRST)}
        for what, first in seconds.items():
            if BY_DEGREE not in what:
                shown = what.replace(name := re.split(r"[ ,]", what)[0], WORKS[name], 1)
                rows.append([graph["spec"], shown, short(1e3 * first), _later(document, graph["spec"], what)])
        for what, s in graph["setup_seconds"].items():
            if what.startswith("Lux: ") and not what.startswith(FIRST) and what not in NO_PREPARATION:
                rows.append([graph["spec"], what.removeprefix("Lux: "), short(1e3 * s), ""])
    return table(["graph", "first call, or preparation", "ms", "later calls, ms"], rows)


def _later(document: dict[str, Any], spec: str, what: str) -> str:
    name, _, precision = what.partition(", ")
    name = DEFAULT_CALL if name == "pagerank with its defaults" else name
    for row in document["results"]:
        same = (row["graph"], row["work"], row["library"], row["variant"]) == (spec, name, "Lux", "")
        if same and precision in ("", row["precision"]):
            return short(row["median"] * (document["iterations"] if name == "pagerank" else 1))
        if (row["graph"], row["work"]) == (spec, name) == (spec, DEFAULT_CALL):
            return short(row["median"])
    return ""


def deltas(document: dict[str, Any]) -> str:
    """Make the table of the deltas that were tried: ms of the best call from the first source."""
    found = {
        (r["graph"], r["library"]): r["tried"] for r in document["results"] if r["work"] == "sssp" and r.get("tried")
    }
    if not found:
        return NOT_MEASURED
    names = sorted({int(name.split()[1]) for tried in found.values() for name in tried})
    rows = []
    for (graph, library), tried in found.items():
        rows.append([graph, library, *(short(t) if (t := tried.get(f"delta {d}")) else "" for d in names)])
    return table(["graph", "library", *map(str, names)], rows)


def gapbs(document: dict[str, Any]) -> str:
    """Say how the GAP Benchmark Suite was built."""
    found = document.get("gapbs")
    if not found:
        return "of which neither commit nor compiler were recorded"
    return f"of commit {found['commit'][:7]}, built by `{found['command']}` with {found['compiler']}"


def others(document: dict[str, Any]) -> str:
    """Say how busy other processes kept the machine."""
    return f"{document['cores_used_by_others']:.2f}"


def _graphs(document: dict[str, Any]) -> list[str]:
    return [graph["spec"] for graph in document["graphs"]]


def _rows(document: dict[str, Any], spec: str, work: str) -> Iterator[dict[str, Any]]:
    """Return all rows of a kind of work on a graph; for PageRank only float32."""
    for row in document["results"]:
        if (row["graph"], row["work"]) == (spec, work) and (work != "pagerank" or row["precision"] == "float32"):
            yield row


def _lux(document: dict[str, Any], spec: str, work: str) -> str:
    medians = {r["variant"]: r["median"] for r in _rows(document, spec, work) if r["library"] == "Lux"}
    reordered = f" (by degree {short(medians[BY_DEGREE])})" if BY_DEGREE in medians else ""
    return short(medians[""]) + reordered if "" in medians else ""


def _fastest(document: dict[str, Any], spec: str, work: str, libraries: tuple[str, ...]) -> str:
    found = _best(document, spec, work, libraries)
    return "" if found is None else short(found)


def _best(document: dict[str, Any], spec: str, work: str, libraries: tuple[str, ...]) -> float | None:
    return min((r["median"] for r in _rows(document, spec, work) if r["library"] in libraries), default=None)
