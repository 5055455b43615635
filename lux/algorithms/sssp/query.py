# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The query of shortest paths."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

from lux.algorithms.sssp.weights import weight_range
from lux.algorithms.strategy import Query, needs_program


@dataclass(frozen=True, eq=False, kw_only=True)
class PathQuery(Query):
    """Shortest paths from one source; to `prepare` the source makes no difference.

    Attributes
    ----------
    source, target : object
        The users' ids of the source, and of the vertex to end at, if any.
    cutoff : float or None
    delta : float or None
        Width of the buckets that was asked for.
    """

    algorithm: str = "sssp"
    source: Any = None
    target: Any = None
    cutoff: float | None = None
    delta: float | None = None

    @functools.cached_property
    def place(self) -> int:
        """The place of the source."""
        return self.graph.place_of(self.source)

    @property
    def target_place(self) -> int:
        """The place of the target; -1 if there is none."""
        return -1 if self.target is None else self.graph.place_of(self.target)

    @property
    def negative(self) -> bool:
        """True where some weight is negative."""
        return bool(weight_range(self.graph).least < 0)

    @property
    def unreached(self) -> float:
        """The distance of unreached vertices in results."""
        if self.graph.property_types["weight"].kind == "f":
            return math.inf
        return 2**63 - 1 if self.negative else -1

    def needs_bellman_ford(self) -> str:
        """Say why delta-stepping cannot answer; empty if it can."""
        if self.max_iter is not None:
            return f"max_iter={self.max_iter!r} is asked for, and only the program counts the edges of paths"
        if self.negative:
            return "some weights are negative"
        return needs_program(self)
