# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The query of a breadth-first search."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from lux.algorithms.strategy import Query, needs_program


@dataclass(frozen=True, eq=False, kw_only=True)
class BfsQuery(Query):
    """A breadth-first search from one source; to `prepare` the source makes no difference.

    Attributes
    ----------
    source, target : object
        The users' ids of the source, and of the vertex to end at, if any.
    deterministic : bool
        The parent is to be the first of all valid ones in the graph's order, whatever the device.
    """

    algorithm: str = "bfs"
    source: Any = None
    target: Any = None
    deterministic: bool = False

    @functools.cached_property
    def place(self) -> int:
        """The place of the source."""
        return self.graph.place_of(self.source)

    @property
    def target_place(self) -> int:
        """The place of the target; -1 if there is none."""
        return -1 if self.target is None else self.graph.place_of(self.target)

    def takes_any_parent(self) -> str:
        """Say why a search that takes whichever parent is found first cannot answer; empty if it can."""
        if self.deterministic:
            return "deterministic=True is asked for, and it takes whichever parent is found first"
        return needs_program(self)
