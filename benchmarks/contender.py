# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""One row of the table: a library doing one kind of work in one way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

WORKS = ("pagerank", "bfs", "components")
ALPHA = 0.85
ITERATIONS = 20


@dataclass(frozen=True)
class Contender:
    """A library doing one kind of work in one way.

    Attributes
    ----------
    library, work, variant : str
        ``variant`` says which algorithm, what it leaves out, how many partitions.
    precision : str
        ``float32`` or ``float64`` of PageRank's ranks, else empty.
    threads : int
        How many the call can use.
    call : callable
        The work that is timed. For breadth-first search it takes the root, else nothing.
    answer : callable
        From what ``call`` returned to an array of shape (n_vertices,) in memory; not timed. Ranks; distances, -1
        where unreached; a label for each component.
    run_seconds : callable, optional
        From what ``call`` returned to the seconds that the library itself reports.
    iterations : callable, optional
        From what ``call`` returned to the iterations it really did.
    baseline : bool
        Lux with its defaults, which every ratio is relative to.
    """

    library: str
    work: str
    variant: str
    threads: int
    call: Callable[..., Any]
    answer: Callable[[Any], Any]
    precision: str = ""
    run_seconds: Callable[[Any], float] | None = None
    iterations: Callable[[Any], int] | None = None
    baseline: bool = False

    @property
    def title(self) -> str:
        """What the table and the notes call it."""
        return ", ".join(part for part in (self.library, self.variant, self.precision) if part)


def fastest(*alternatives: Contender) -> Contender:
    """Of a library's ways to the same answer the one whose best of three calls is fastest."""
    return min(alternatives, key=lambda c: min(_seconds(c.call) for _ in range(3)))


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
