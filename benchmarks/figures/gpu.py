# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Whole calls of Lux and of cuGraph on one GPU over the scale of a Kronecker graph: `benchmarks/gpu.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks import whole_calls as wc
from benchmarks.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GRAPH = "raw edges to a graph"
WORKS = {
    wc.PAGERANK: ("20 iterations of PageRank, float32", "ms"),
    wc.GTEPS: ("breadth-first search with parents", "GTEPS (higher is better)"),
    wc.COMPONENTS: ("connected components", "ms"),
    wc.SSSP: ("shortest paths, float32 weights", "ms"),
    wc.BETWEENNESS: ("betweenness from one source", "ms"),
    GRAPH: ("raw edges in host memory to a graph", "ms"),
}
LOOKS = {"Lux": ("o-", style.DARK), "cuGraph": ("s--", style.ACCENT)}


def draw(document: dict[str, Any]) -> Figure:
    """Draw a panel for each kind of work; times on a logarithmic axis, and GTEPS from 0."""
    peer = document["cugraph"]
    note = f"whole calls by wall clock, medians; cuGraph {peer['versions']['pylibcugraph-cu13']}; Lux's graph by degree"
    figure, panels = style.panels(2, 3, (9.0, 5.2), f"{style.source(document)}\n{note}")
    for panel, (work, (title, unit)) in zip(panels, WORKS.items(), strict=True):
        for library, results in (("Lux", document["results"]), ("cuGraph", peer["results"])):
            form, colour = LOOKS[library]
            scales = [r["scale"] for r in results]
            panel.plot(scales, [_value(r, work) for r in results], form, color=colour, label=library)
        panel.set(title=title, ylabel=unit, xlabel="Kronecker scale (log2 of the vertices)")
        panel.set_xticks([r["scale"] for r in document["results"]])
        if unit.startswith("GTEPS"):
            panel.set_ylim(bottom=0)
        else:
            panel.set_yscale("log")
            style.plain_numbers(panel.yaxis)
    panels[0].legend(loc="upper left")
    return figure


def _value(result: dict[str, Any], work: str) -> float:
    """Return a median; for making a graph the second time, Lux's including ordering."""
    if work != GRAPH:
        return float(result["summary"][work])
    kinds = [kind for kind in ("graph_seconds", "order_seconds") if kind in result]
    return 1e3 * sum(float(result[kind][-1]) for kind in kinds)
