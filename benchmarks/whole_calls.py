# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Whole calls by wall clock, for Lux (`benchmarks/gpu.py`) and for cuGraph (`benchmarks/cugraph.py`) alike.

Both read the same edges, start at the same roots and write the same kind of JSON; nothing here imports either library.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALPHA = 0.85
ITERATIONS = 20
ROOTS = 16
PAGERANK, PAGERANK64, BFS, COMPONENTS, SSSP, BETWEENNESS = (
    *("PageRank float32", "PageRank float64", "BFS", "components", "shortest paths", "betweenness"),
)
"""Works: 20 iterations of PageRank; breadth-first search with parents; components; shortest paths with parents, along
float32 weights; betweenness of the paths from one source."""
GTEPS = "BFS, GTEPS"
"""Extra row: undirected edges of the component, each once, in 1e-9 s; harmonic mean over the roots."""


def timed(call: Callable[[], Any], fence: Callable[[], object]) -> tuple[float, Any]:
    """Return the milliseconds of a call by wall clock, from an idle library to an idle library, and its result."""
    fence()
    began = time.perf_counter()
    found = call()
    fence()
    return 1e3 * (time.perf_counter() - began), found


@dataclass
class Times:
    """Times of a library on a graph.

    Attributes
    ----------
    fence : callable
        Waits until the library has nothing left to do.
    trials : int
        Calls of each work and root, after the first call of the work.
    first_ms : dict of work to float
        Time of the first call, which prepares data for later ones.
    calls_ms : dict of work to list of list of float
        All later calls of each root; works without roots have one list.
    """

    fence: Callable[[], object]
    trials: int
    first_ms: dict[str, float] = field(default_factory=dict)
    calls_ms: dict[str, list[list[float]]] = field(default_factory=dict)

    def take(self, work: str, call: Callable[..., Any], roots: Sequence[int] = ()) -> Iterator[Any]:
        """Call with each root, or without; yields the result of each root's last call."""
        given: list[tuple[int, ...]] = [(root,) for root in roots] or [()]
        self.first_ms[work], found = timed(partial(call, *given[0]), self.fence)
        self.calls_ms[work] = []
        for each in given:
            self.calls_ms[work].append([])
            for _ in range(self.trials):
                found = None  # freed before the clock starts
                took, found = timed(partial(call, *each), self.fence)
                self.calls_ms[work][-1].append(took)
            yield found

    def summary(self, edges: Sequence[float]) -> dict[str, float]:
        """Return median ms of each work (for searches the median over roots of each root's median), and GTEPS.

        ``edges`` are the undirected edges of each root's component.

        >>> times = Times(print, 3, calls_ms={"BFS": [[2.0, 1.0, 9.0], [4.0, 4.0, 4.0]]})
        >>> times.summary([2e6, 8e6])
        {'BFS': 3.0, 'BFS, GTEPS': 1.3333333333333333}
        """
        medians = {work: [statistics.median(trials) for trials in of] for work, of in self.calls_ms.items()}
        found = {work: statistics.median(of) for work, of in medians.items()}
        if BFS in medians:
            found[GTEPS] = statistics.harmonic_mean([n / ms / 1e6 for n, ms in zip(edges, medians[BFS], strict=True)])
        return found


class Folder:
    """Folder of one graph's arrays, which both libraries read: raw edges, roots, and the first root's answers.

    Edges are those of the Graph500 with their repeats and loops, each listed once, in any order; weights are whole
    numbers from 1 to 255 as float32, equal for equal ends.
    """

    def __init__(self, base: Path, scale: int) -> None:
        self.path = base / str(scale)
        self.path.mkdir(parents=True, exist_ok=True)

    def __contains__(self, name: str) -> bool:
        return (self.path / f"{name}.npy").exists()

    def __setitem__(self, name: str, array: NDArray[Any]) -> None:
        np.save(self.path / f"{name}.npy", array)

    def __getitem__(self, name: str) -> NDArray[Any]:
        found: NDArray[Any] = np.load(self.path / f"{name}.npy")
        return found
