# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""One row of the table: a library doing one kind of work in one way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

WORKS = ("pagerank", "bfs", "components", "sssp", "betweenness")
SEARCHES = ("bfs", "sssp", "betweenness")
"""Works that start at a vertex."""
ALPHA = 0.85
ITERATIONS = 20
PLAIN, REORDERED = "Lux", "Lux, reordered"
"""Lux with its defaults, on the graph as it is and on one stored in the order that Lux found best for it."""
BASELINES = (PLAIN, REORDERED)


@dataclass(frozen=True)
class Contender:
    """A library doing one kind of work in one way.

    Attributes
    ----------
    library, work, variant : str
        ``variant`` says which algorithm, what it leaves out, how many partitions.
    threads : int
        How many the call can use.
    call : callable
        The work that is timed. Searches take the vertex they start at, other works nothing.
    answer : callable, optional
        From what ``call`` returned to an array of shape (n_vertices,) in memory; not timed. Ranks; distances, -1 (of
        shortest paths infinity) where unreached; a label for each component; how much of the shortest paths from the
        source leads through each vertex, the source's own entry being anything.
    verify : callable, optional
        In the place of ``answer``: takes what ``call`` takes, and raises `DisagreementError` where the library's own
        verifier finds fault.
    precision : str
        Type of ranks, of distances with weights, and of betweenness; else empty.
    seconds : callable, optional
        From what ``call`` returned to the seconds that count, where the call does more than the work. By default
        those of the whole call by wall clock.
    run_seconds : callable, optional
        From what ``call`` returned to the seconds that the library itself reports.
    iterations : callable, optional
        From what ``call`` returned to the iterations it really did.
    baseline : str
        Which of `BASELINES` this is, that ratios are relative to; empty for all others.
    """

    library: str
    work: str
    variant: str
    threads: int
    call: Callable[..., Any]
    answer: Callable[[Any], Any] | None = None
    verify: Callable[..., None] | None = None
    precision: str = ""
    seconds: Callable[[Any], float] | None = None
    run_seconds: Callable[[Any], float] | None = None
    iterations: Callable[[Any], int] | None = None
    baseline: str = ""

    @property
    def title(self) -> str:
        """What the table and the notes call it."""
        return ", ".join(part for part in (self.library, self.variant, self.precision) if part)


def fastest(*alternatives: Contender, given: tuple[int, ...] = (), calls: int = 3) -> Contender:
    """Of a library's ways to the same answer the one whose best call is fastest.

    Parameters
    ----------
    given : tuple of int
        What each call gets: of searches the vertex they start at.
    calls : int
        Of each of them.
    """
    return min(alternatives, key=lambda c: min(timed(c, given)[0] for _ in range(calls)))


def timed(contender: Contender, given: tuple[int, ...]) -> tuple[float, Any]:
    """The seconds of one call that count, and what it returned."""
    began = time.perf_counter()
    done = contender.call(*given)
    seconds = time.perf_counter() - began
    return contender.seconds(done) if contender.seconds else seconds, done
