# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Contender: one row of the table, a library doing one kind of work in one way."""

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
"""Slowdown against the fastest alternative, after which a series is not tried any further."""
DELTAS = (16384, 4096, 1024, 256, 64, 16, 4, 2, 1)
"""Deltas of delta-stepping, with weights from 1 to 255."""


@dataclass(frozen=True)
class Contender:
    """Contender: a library doing one kind of work in one way.

    Attributes
    ----------
    library, work, variant : str
        ``variant`` names the algorithm, its omissions, and the partitions.
    threads : int
        Number of threads that the call can use.
    call : callable
        Work that is timed. Searches take their source, other works nothing.
    answer : callable, optional
        Converts the result of ``call`` to an array of shape (n_vertices,) in memory; not timed. Ranks; distances, -1
        (of shortest paths infinity) if unreached; a label for each component; or each vertex's dependency of the
        source, the source's own entry being arbitrary.
    verify : callable, optional
        Replaces ``answer``: takes the arguments of ``call``, and raises `DisagreementError` if the library's own
        verifier finds an error.
    precision : str
        Type of ranks, of distances with weights, and of betweenness; else empty.
    seconds : callable, optional
        Converts the result of ``call`` to the seconds that count, if the call does more than the work. By default the
        whole call counts, by wall clock.
    run_seconds : callable, optional
        Converts the result of ``call`` to the seconds that the library itself reports.
    iterations : callable, optional
        Converts the result of ``call`` to the iterations that it did.
    baseline : str
        Name in `BASELINES` of a baseline, to which ratios are relative; empty for all others.
    tried : dict of str to float
        Best call in ms of each variant, if this contender is the fastest of several.
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
        """Title in the table and the notes."""
        return ", ".join(part for part in (self.library, self.variant, self.precision) if part)


def fastest(alternatives: Iterable[Contender], given: tuple[int, ...] = (), calls: int = 3) -> Contender:
    """Return the variant of a library whose best call is fastest.

    Parameters
    ----------
    alternatives : iterable of Contender
        Variants; a generator keeps no more than two in memory. After one that is `TOO_SLOW` times as slow as the
        fastest, the rest is not tried.
    given : tuple of int
        Arguments of each call: the source of searches.
    calls : int
        Number of calls of each variant; of one that is too slow there is one.
    """
    best, tried = None, dict[str, float]()
    for one in alternatives:
        tried[one.variant] = 1e3 * timed(one, given)[0]
        if tried[one.variant] > TOO_SLOW * min(tried.values()):
            break
        tried[one.variant] = min([tried[one.variant], *(1e3 * timed(one, given)[0] for _ in range(calls - 1))])
        if tried[one.variant] == min(tried.values()):
            best = one
    assert best is not None
    return replace(best, tried=tried)


def timed(contender: Contender, given: tuple[int, ...]) -> tuple[float, Any]:
    """Call once; returns the seconds that count, and the result."""
    began = time.perf_counter()
    done = contender.call(*given)
    seconds = time.perf_counter() - began
    return contender.seconds(done) if contender.seconds else seconds, done
