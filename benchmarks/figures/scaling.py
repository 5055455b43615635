# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Scaling over GPUs, from JSON files of `benchmarks/gpus.py` (one for each graph and machine).

A run counts if each partition had a GPU of its own. Strong scaling is one graph on more GPUs. Weak scaling is graphs
that grow with the GPUs: the stored edges for each GPU are equal, rounded to a power of two.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Point:
    """Point: one run, with its graph, placement, GPUs and measurements."""

    graph: str
    edges: int
    how: str
    gpus: int
    found: dict[str, Any]


Series = dict[str, dict[int, float]]


def points(documents: Sequence[dict[str, Any]]) -> list[Point]:
    """Return all runs that count; raises ValueError for several kinds of GPUs."""
    found, kinds = [], {gpu["name"] for document in documents for gpu in document["gpus"]}
    if len(kinds) > 1:
        raise ValueError(f"scaling is over GPUs of one kind, and these are {', '.join(sorted(kinds))}")
    for document in documents:
        graph, ranks = document["graph"], document["ranks"]
        for r in document["results"]:
            parts, placement, *launches = r["run"].split("/")
            if ranks == 1 and int(parts) > len(document["gpus"]):
                continue  # partitions shared a GPU
            how = placement + ", a launch each iteration" * bool(launches) + f", {ranks} processes" * (ranks > 1)
            name = f"2^{round(math.log2(graph['vertices']))} vertices"
            found.append(Point(name, graph["edges"], how, int(parts), r))
    return found


def strong(found: Sequence[Point], measure: str) -> Series:
    """Return the measure by GPUs for each graph and placement that ran on several numbers of GPUs.

    A placement without meaning on one GPU starts from the one run on one GPU.
    """
    alone = {p.graph: p.found[measure] for p in found if p.gpus == 1 and p.how == "device" and measure in p.found}
    series: Series = defaultdict(dict)
    for p in found:
        if measure in p.found:
            series[f"{p.graph}, {p.how}"][p.gpus] = p.found[measure]
    for p in found:
        name = f"{p.graph}, {p.how}"
        if p.how in {"device", "peer"} and p.graph in alone and name in series:
            series[name].setdefault(1, alone[p.graph])
    return {name: dict(sorted(by.items())) for name, by in series.items() if len(by) > 1}


def weak(found: Sequence[Point], measure: str) -> Series:
    """Return the measure by GPUs for each number of edges a GPU and placement."""
    series: Series = defaultdict(dict)
    for p in found:
        if measure in p.found:
            how = "device or peer" if p.how in {"device", "peer"} else p.how
            each = series[f"2^{round(math.log2(p.edges / p.gpus))} edges a GPU, {how}"]
            each[p.gpus] = min(each.get(p.gpus, math.inf), p.found[measure])
    return {name: dict(sorted(by.items())) for name, by in series.items() if len(by) > 1}


def draw(documents: Sequence[dict[str, Any]]) -> Figure | None:
    """Draw PageRank and breadth-first search over GPUs; None without runs on several numbers of GPUs."""
    found = points(documents)
    wanted: list[tuple[str, str, Series]] = [
        ("strong scaling: PageRank", "ms per iteration", strong(found, "pagerank_ms")),
        ("strong scaling: breadth-first search", "GTEPS", strong(found, "bfs_gteps")),
        ("weak scaling: PageRank", "ms per iteration", weak(found, "pagerank_ms")),
    ]
    drawn = [one for one in wanted if one[2]]
    if not drawn:
        return None
    sources = "; ".join(dict.fromkeys(style.source(d) for d in documents))
    figure, panels = style.panels(1, len(drawn), (max(3.6 * len(drawn), 5.0), 3.8), sources)
    for panel, (title, unit, series) in zip(panels, drawn, strict=True):
        _lines(panel, series, ideal=title.startswith("strong"), grows=unit == "GTEPS")
        panel.set(title=title, xlabel="GPUs", ylabel=unit)
    return figure


def _lines(panel: Axes, series: Series, *, ideal: bool, grows: bool) -> None:
    colours = (style.DARK, style.ACCENT, style.MIDDLE, style.BLACK)
    for k, (name, by) in enumerate(series.items()):
        gpus, colour = list(by), colours[k % len(colours)]
        if ideal:
            first = gpus[0]
            perfect = [by[first] * (n / first if grows else first / n) for n in gpus]
            panel.plot(gpus, perfect, color="#b0b0b0", lw=0.8, ls=":")
        line = style.LINES[k % len(style.LINES)]
        panel.plot(gpus, list(by.values()), marker=style.MARKERS[k % 8], color=colour, ls=line, label=name)
    panel.set_xscale("log", base=2)
    style.plain_numbers(panel.xaxis, sorted({n for by in series.values() for n in by}))
    if ideal:
        panel.plot([], [], color="#b0b0b0", lw=0.8, ls=":", label="perfect")
        panel.set_yscale("log")
        style.plain_numbers(panel.yaxis)
    else:
        panel.set_ylim(bottom=0)
    panel.legend(fontsize=7)
