# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux on one GPU over the scale of a Kronecker graph, beside published figures: `benchmarks/gpu.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORKS = {
    "PageRank float32, ms/iteration": ("PageRank, float32", "ms per iteration"),
    "BFS with parents, GTEPS": ("breadth-first search with parents", "GTEPS (higher is better)"),
    "components, ms": ("connected components", "ms"),
    "shortest paths, ms": ("shortest paths", "ms"),
    "betweenness from one source, ms": ("betweenness from one source", "ms"),
}
REFERENCE = "cugraph"
NOTE = """Edge factor 16, stored by degree.
Lux: through Legate, launch included.
cuGraph: whole calls, one H200."""


def draw(document: dict[str, Any]) -> Figure:
    """A panel for each kind of work; times on a logarithmic axis, and GTEPS from 0."""
    figure, panels = style.panels(2, 3, (9.0, 5.2), style.source(document))
    *used, last = panels
    results = sorted(document["results"], key=lambda r: r["scale"])
    for panel, (name, (title, unit)) in zip(used, WORKS.items(), strict=True):
        theirs = {int(scale): value for scale, value in document.get(REFERENCE, {}).get(name, {}).items()}
        done = [r for r in results if name in r["summary"]]  # graphs from files have no weights
        scales = [r["scale"] for r in done]
        panel.plot(scales, [r["summary"][name] for r in done], "o-", color=style.DARK, label="Lux")
        look = {"color": style.ACCENT, "mfc": "white", "label": "cuGraph 26.10"}
        panel.plot(list(theirs), list(theirs.values()), "s--", **look)
        panel.set(title=title, ylabel=unit, xlabel="Kronecker scale (log2 of the vertices)")
        panel.set_xticks(sorted({*scales, *theirs}))
        if unit.startswith("GTEPS"):
            panel.set_ylim(bottom=0)
        else:
            panel.set_yscale("log")
            style.plain_numbers(panel.yaxis)
    last.axis("off")
    last.legend(*used[0].get_legend_handles_labels(), loc="upper left")
    last.text(0.02, 0.62, NOTE, transform=last.transAxes, va="top")
    return figure
