# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Repartitioning: Figure 18 of the Lux paper (VLDB 2017), from the JSON of `benchmarks/balance.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = 20
"""Minimum of iterations that are drawn; later ones change little, unless partitions move so late."""
AFTER = 5
"""Minimum of iterations that are drawn after the last move."""


def draw(document: dict[str, Any]) -> Figure:
    """Draw a panel for each case: an iteration's computation, then deciding and moving, and perfect balance.

    Iterations are medians over the runs, costs of deciding and moving means.
    """
    cases = document["cases"]
    rows = (len(cases) + 1) // 2
    figure, panels = style.panels(rows, 2, (9.0, 2.5 * rows + 0.5), style.source(document))
    for panel, case in zip(panels, cases.values(), strict=False):
        _case(panel, case)
    for panel in panels[len(cases) :]:
        panel.axis("off")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return figure


def _case(panel: Axes, case: dict[str, Any]) -> None:
    found = costs(case["trials"], len(case["slowest_with"]))
    last = max(np.flatnonzero(found[1]).tolist(), default=0) + 1
    shown = max(SHOWN, -(-(last + AFTER) // 5) * 5)
    computed = 1e3 * np.array(case["slowest_with"][:shown])
    deciding, moving = (1e3 * s[: len(computed)] for s in found)
    at = np.arange(1, len(computed) + 1)
    panel.bar(at, computed, 0.75, color=style.MIDDLE, label="slowest partition computes")
    panel.bar(at, moving, 0.75, computed, color=style.ACCENT, hatch="////", edgecolor="white", label="migration")
    panel.bar(at, deciding, 0.75, computed + moving, color=style.BLACK, label="deciding")
    without = 1e3 * np.array(case["slowest_without"][:shown])
    panel.plot(at, without, ".:", color=style.BLACK, lw=1, ms=4, label="without repartitioning")
    perfect = 1e3 * float(np.median(case["mean_with"]))
    panel.axhline(perfect, color=style.DARK, ls="--", lw=1.2, label="perfect balance")
    panel.set(title=case["title"], xlabel="iteration", ylabel="ms")
    panel.set_xticks([1, *range(5, shown + 1, 5)])


def costs(trials: list[dict[str, Any]], iterations: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the seconds of deciding and of moving after each iteration, mean over the runs with repartitioning.

    On GPUs iterations go on between the two.

    >>> decision = {"iteration": 2, "deciding_seconds": 0.25, "moving_seconds": 4.0}
    >>> runs = [{"repartition": "global", "decisions": decisions} for decisions in ([decision], [])]
    >>> [seconds.tolist() for seconds in costs(runs, iterations=3)]
    [[0.0, 0.125, 0.0], [0.0, 2.0, 0.0]]
    >>> later = [{"repartition": "global", "decisions": [decision | {"moved_after": 3}]}]
    >>> costs(later, iterations=3)[1].tolist()
    [0.0, 0.0, 4.0]
    """
    runs = [t["decisions"] for t in trials if t["repartition"] != "off"]
    found = np.zeros((2, iterations))
    for decision in (d for decisions in runs for d in decisions):
        decided = decision["iteration"]
        found[0, decided - 1] += decision["deciding_seconds"]
        found[1, (decision.get("moved_after") or decided) - 1] += decision["moving_seconds"]
    deciding, moving = found / len(runs)
    return deciding, moving
