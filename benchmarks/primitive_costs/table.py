# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Table I of the paper: the expected costs of each primitive."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks.primitive_costs.borders import Borders
from benchmarks.primitive_costs.costs import Costs


@dataclass(frozen=True)
class Expected:
    """Expected costs by Table I for one run, summed over the processors."""

    computed: float
    handled: float
    sent: float
    supersteps: float


def table_one(costs: Costs, borders: Borders, diameter: int) -> Expected:
    """Evaluate Table I of the paper for the graph and partitions of a run.

    The factors a (of DOBFS) and b (of SSSP) are the share of scanned edges, and the scans of each edge, as counted in
    the run; S is the run's if the table leaves it open.

    Parameters
    ----------
    costs : Costs
    borders : Borders
    diameter : int
        D: of the graph, or a lower bound.
    """
    edges, vertices, present = float(borders.edges.sum()), float(borders.own.sum()), float(borders.present.sum())
    border, others, steps = float(borders.border.sum()), borders.parts - 1, float(costs.supersteps)
    seen = float(costs.computed.sum()) / max(edges, 1.0)
    half = diameter / 2
    rows = {
        "BFS": (edges, present, border, half),
        "DOBFS": (seen * edges, borders.parts * vertices, others * vertices, half),
        "SSSP": (seen * edges, seen * present, 2 * seen * border, seen * half),
        "BC": (2 * edges, 2 * present + borders.parts * vertices, 5 * border + 2 * others * vertices, half),
        "CC": (math.log2(max(half, 2)) * edges, steps * present, steps * 2 * present, steps),
        "PageRank": (steps * edges, steps * border, steps * border, steps),
    }
    return Expected(*rows[costs.primitive])
