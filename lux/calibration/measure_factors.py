# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurement of `lux.factorize` for the model, on synthetic ratings. Part of `lux.calibration`."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import lux
from lux.autotune.summarize import summarize_for
from lux.calibration.fit_factors import FactorSample
from lux.calibration.measure import prepared
from perfmodel.errors import ModelError
from perfmodel.factors import FIRST, METHODS, Factors
from perfmodel.summary import DOUBLINGS, WINDOW, GraphSummary

T = TypeVar("T")
GRAPHS = {
    "cpu": ("5000x3000:150000:1", "40000x2000:200000:2", "60000x60000:150000:1", "1000x500:200000:1"),
    "gpu": ("60000x20000:2000000:1", "20000x4000:4000000:2", "500000x100000:8000000:1", "200000x10000:16000000:2"),
}
KS = {"cpu": (8, 13, 32, 60), "gpu": (8, 32, 24, 64, 16, 48)}
"""Values of K: some fill whole vectors, and some do not."""
ITERATIONS = {"cpu": {"als": 2, "gd": 5}, "gpu": {"als": 5, "gd": 20}}


def ratings(spec: str) -> lux.Graph:
    """Make a graph of random ratings from 1 to 5: ``USERSxITEMS:RATINGS:SKEW``.

    Users are uniformly distributed; a uniform number x from 0 to 1 selects the item at the place x^SKEW of all. A user
    may rate an item twice.

    Examples
    --------
    >>> g = ratings("30x10:200:2")
    >>> g.n_vertices, g.n_edges
    (40, 200)
    """
    try:
        sides, count, skew = spec.split(":")
        users, items = map(int, sides.split("x"))
        n, power = int(count), float(skew)
    except ValueError:
        raise ModelError(f"{spec!r} are no ratings: pass USERSxITEMS:RATINGS:SKEW, as in {GRAPHS['cpu'][0]}") from None
    random = np.random.default_rng(1)
    rows = random.integers(0, users, n)
    columns = (items * random.random(n) ** power).astype(np.int64)
    stars = random.integers(1, 6, n).astype(np.float32)
    return lux.from_edges(rows, columns, weight=stars, bipartite=True)


@dataclass
class FactorCase:
    """Factorization case: one method with one K on one graph and a number of partitions; see `Case`."""

    graph: lux.Graph
    summary: GraphSummary
    name: str
    factors: Factors
    parts: int | None
    device: str = "cpu"
    seconds: list[float] = field(default_factory=list)
    kernels: list[NDArray[np.float64]] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    last: Any = None

    def run(self) -> None:
        """Run once more."""
        f = self.factors
        limit = ITERATIONS[self.device][f.method]
        with lux.using(device=self.device, repartition="off", config=None):
            self.last = lux.factorize(
                self.graph, f.k, method=f.method, dtype=np.dtype(f.dtype), tol=0, max_iter=limit, parts=self.parts
            )
        self.seconds.append(self.last.seconds)
        self.kernels.append(np.array([step.seconds.max() for step in self.last.statistics]))

    def drop(self) -> None:
        """Forget the last run."""
        self.seconds.pop()
        self.kernels.pop()

    def prepare(self) -> bool:
        """Compile, and cache data with the graph; False if it is refused."""
        return prepared(self.run, self, self.seconds, self.kernels)

    def sample(self) -> FactorSample:
        """Return the median of the runs."""
        kernel = float(np.median(self.kernels, axis=0).mean())
        first = FIRST[self.factors.method]
        rests = [s - float(k.sum()) for s, k in zip(self.seconds, self.kernels, strict=True)]
        rest = float(np.median(rests)) - first * kernel
        parts, workers = self.last.parts, self.last.parts * self.last.threads
        return FactorSample(
            self.name,
            self.factors,
            self.summary.n_vertices,
            self.summary.n_edges,
            workers,
            parts,
            self.summary.gathered(workers),
            kernel,
            max(rest, 0.0),
            len(self.kernels[0]) + first,
            self.device,
        )

    def __str__(self) -> str:
        f = self.factors
        return f"factorize ({f.method}, k={f.k}) on {self.name}, {self.parts or 'all'} workers"


def cases(
    specs: Iterable[str], ks: Sequence[int], workers: Sequence[int | None], device: str = "cpu"
) -> Iterator[FactorCase]:
    """Yield everything to run: each graph with one K, then each with the next, so that a few suffice for a fit.

    Each graph is made when its turn comes, and kept.
    """

    @functools.cache
    def made(spec: str) -> tuple[lux.Graph, GraphSummary]:
        graph = ratings(spec)
        needed = {n for n in workers if n is not None} | ({WINDOW} if device == "gpu" else {*DOUBLINGS})
        return graph, summarize_for("factorize", graph, needed)[1]

    every = list(specs)
    for turn in range(len(ks)):
        for number, spec in enumerate(every):
            k = ks[(turn + number) % len(ks)]
            for method in METHODS:
                yield from (FactorCase(*made(spec), spec, Factors(k, method), n, device) for n in workers)


def measured(
    all_cases: Iterable[FactorCase], rounds: int, seconds: float, take: Callable[[FactorCase], T]
) -> tuple[list[T], list[str]]:
    """Run cases on GPUs, one after the other, until ``seconds`` are over.

    Returns
    -------
    list
        Results of ``take`` for each case.
    list of str
        Cases that there was no time for.
    """
    end, found, left = time.perf_counter() + seconds, [], []
    for case in all_cases:
        if time.perf_counter() > end:
            left.append(str(case))
            break
        if case.prepare():
            for k in range(rounds):
                if k == 0 or time.perf_counter() < end:
                    case.run()
            found.append(take(case))
    return found, [f"{what}, and what follows it" for what in left]
