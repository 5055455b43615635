# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Whole calls on CPU cores beside other libraries: `benchmarks/cpu.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = {
    "pagerank": "PageRank, an iteration",
    "bfs": "breadth-first search",
    "components": "components",
    "sssp": "shortest paths",
    "betweenness": "betweenness, one source",
}
BY_DEGREE = "vertices by degree"
SAID = "medians of each library's fastest variant and precision, on the graph as given"


def draw(document: dict[str, Any]) -> Figure:
    """Draw a panel for each graph, a row for each work: the median time of each library's fastest variant."""
    graphs = [g["spec"] for g in document["graphs"]]
    figure, panels = style.panels(1, len(graphs), (3.3 * len(graphs), 3.1), f"{SAID}; {style.source(document)}")
    libraries = list(dict.fromkeys(r["library"] for r in document["results"] if r["library"] != "Lux"))
    for panel, graph in zip(panels, graphs, strict=True):
        for library, marker in zip(["Lux", *libraries], style.MARKERS, strict=False):  # others lie on top of Lux
            _marks(panel, fastest(document["results"], graph, library), marker, library)
        panel.set(title=graph, xlabel="ms (logarithmic)", xscale="log", ylim=(len(NAMES) - 0.5, -0.5))
        panel.grid(axis="x")
        panel.set_yticks(range(len(NAMES)), list(NAMES.values()) if panel is panels[0] else [""] * len(NAMES))
        style.plain_numbers(panel.xaxis, (1, 10, 100, 1000))
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return figure


def _marks(panel: Any, times: dict[str, float], marker: str, label: str) -> None:
    rows = [list(NAMES).index(work) for work in times]
    look = {"color": style.DARK, "ms": 7} if label == "Lux" else {"color": style.ACCENT, "mfc": "white"}
    panel.plot(list(times.values()), rows, marker, label=label, **look)


def fastest(results: list[dict[str, Any]], graph: str, library: str) -> dict[str, float]:
    """Return each work's least median of a library in ms, with the graph stored in its default order."""
    found: dict[str, float] = {}
    for r in results:
        if (r["graph"], r["library"]) == (graph, library) and r["work"] in NAMES and r["variant"] != BY_DEGREE:
            found[r["work"]] = min(found.get(r["work"], float("inf")), r["median"])
    return found
