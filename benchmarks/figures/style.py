# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Style of all figures: colours that differ in lightness, fonts, and reproducible SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import provenance

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLACK, DARK, MIDDLE, LIGHT, ACCENT = "#202020", "#2f5f8f", "#7fa8cf", "#c9dcee", "#c25e1a"
MARKERS = "osD^vPX*"
LINES = ("-", "--", "-.", ":")
STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial"],
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.labelsize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#e2e2e2",
    "grid.linewidth": 0.6,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "lux",
}


def panels(rows: int, columns: int, size: tuple[float, float], source: str) -> tuple[Figure, list[Axes]]:
    """Return a figure of so many panels, row by row; size in inches, and a description of the source in small print."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    figure.supxlabel(source, fontsize=7, color="#606060", x=0.01, ha="left")
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def save(figure: Figure, path: Path, identifier: str) -> None:
    """Write a figure as SVG without a date, and without spaces at the ends of lines."""
    metadata = {"Date": None, "Creator": None, "Identifier": identifier}
    figure.savefig(path, format="svg", facecolor="white", metadata=metadata)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line.rstrip() for line in lines) + "\n", encoding="utf-8")


def source(document: dict[str, Any]) -> str:
    """Return the machine, versions and commit of a benchmark's JSON, in a line."""
    of = document["machine"]
    gpus = [gpu["name"] for gpu in document.get("gpus", [])]
    name = f"{len(gpus)} x {gpus[0]}, {of['cpu']}" if gpus else of["cpu"]
    parts = [f"{name}, {of['cores']} cores"]
    if document.get("driver"):
        parts.append(f"driver {document['driver']}")
    versions = f"Lux {document['versions']['lux']}, Legate {document['versions']['legate']}"
    return "; ".join([*parts, versions, provenance.code(document)])


def positions(count: int, bars: int, width: float) -> list[list[float]]:
    """Return the places of a group's bars: for each bar, its place in every group.

    >>> positions(count=2, bars=2, width=0.4)
    [[-0.2, 0.8], [0.2, 1.2]]
    """
    return [[round(g + width * (b - (bars - 1) / 2), 6) for g in range(count)] for b in range(bars)]


def plain_numbers(axis: Any, ticks: Sequence[float] | None = None) -> None:
    """Format a logarithmic axis in plain numbers: 1, 2 and 5 of each decade, or the ones passed."""
    from matplotlib.ticker import FixedLocator, FormatStrFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)) if ticks is None else FixedLocator(list(ticks)))
    axis.set_major_formatter(FormatStrFormatter("%g"))
    axis.set_minor_locator(NullLocator())
