# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""One row of the table: a library doing one kind of work in one way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

WORKS = ("pagerank", "bfs", "components", "sssp", "betweenness")
SEARCHES = ("bfs", "sssp", "betweenness")
"""Works that start at a vertex."""
ALPHA = 0.85
ITERATIONS = 20
PLAIN, REORDERED = "Lux", "Lux, reordered"
"""Lux with its defaults, on the graph as it is and on one stored in the order that Lux found best for it."""
BASELINES = (PLAIN, REORDERED)
TOO_SLOW = 4
"""Times as slow as the fastest alternative, after which a series is not tried any further."""
DELTAS = (16384, 4096, 1024, 256, 64, 16, 4, 2, 1)
"""Of delta-stepping, with weights from 1 to 255."""


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
    tried : dict of str to float
        Where this is the fastest of some alternatives: of each variant the ms of its best call.
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
    tried: dict[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What the table and the notes call it."""
        return ", ".join(part for part in (self.library, self.variant, self.precision) if part)


def fastest(alternatives: Iterable[Contender], given: tuple[int, ...] = (), calls: int = 3) -> Contender:
    """Of a library's ways to the same answer the one whose best call is fastest.

    Parameters
    ----------
    alternatives : iterable of Contender
        Where it makes them one after the other, no more than two are in memory. The rest is not tried after one that is
        `TOO_SLOW` times as slow as the fastest.
    given : tuple of int
        What each call gets: of searches the vertex they start at.
    calls : int
        Of each of them.
    """
    best, tried = None, dict[str, float]()
    for one in alternatives:
        tried[one.variant] = 1e3 * min(timed(one, given)[0] for _ in range(calls))
        if tried[one.variant] == min(tried.values()):
            best = one
        elif tried[one.variant] > TOO_SLOW * min(tried.values()):
            break
    assert best is not None
    return replace(best, tried=tried)


def timed(contender: Contender, given: tuple[int, ...]) -> tuple[float, Any]:
    """The seconds of one call that count, and what it returned."""
    began = time.perf_counter()
    done = contender.call(*given)
    seconds = time.perf_counter() - began
    return contender.seconds(done) if contender.seconds else seconds, done
