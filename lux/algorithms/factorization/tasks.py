# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Bodies of the point tasks of `rating_matrix`, each for its partition of a rating matrix."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.factorization import kernels as kernel

if TYPE_CHECKING:
    from lux.algorithms.factorization.rating_matrix import Problem

BOTH = 2
"""Instead of a side: a sweep over the vertices of both."""


@dataclass
class SharedRatings:
    """State that the point tasks of a run find in their process."""

    sides: NDArray[np.uint8]
    order: NDArray[Any]
    problem: Problem
    threads: int
    mean: float = 0.0


def sweep_kernel(problem: Problem, side: int, rate: float, *, scaled: bool) -> Callable[..., None]:
    """Return the kernel of a sweep, as a function of what differs between partitions."""
    penalty = kernel.Penalty(problem.regularization, problem.by_degree)

    def run(lo: int, ratings: Any, old: Any, new: Any, taken: Any, sums: Any) -> None:
        if side == BOTH:
            kernel.gradient_step(lo, ratings, penalty, rate, scaled, old, new, problem.k, taken, sums)
        else:
            kernel.least_squares(lo, ratings, penalty, side, old, new, problem.k, taken, sums)

    return run


@runtime.task(
    inputs={"in_offsets": "offsets", "sources": "edges", "ratings": "edges"},
    outputs={"held_out": "edges", "counts": "vertices", "found": "found_rows"},
    scalars={"fraction": float, "key": int},
)
def hold_out(
    point: int,
    in_offsets: NDArray[np.int64],
    sources: Any,
    ratings: Any,
    held_out: Any,
    counts: Any,
    found: NDArray[np.float64],
    fraction: float,
    key: int,
) -> None:
    """Choose the test ratings, and count and sum the others."""
    shared, points = runtime.context(key)
    names = (shared.sides, shared.order, shared.problem.seed)
    kernel.hold_out(points[point], in_offsets, sources, ratings, *names, fraction, held_out, counts, found)


@runtime.task(inputs={"counts": None}, outputs={"new": "factor_rows"}, scalars={"noise": float, "key": int})
def start_factors(point: int, counts: Any, new: Any, noise: float, key: int) -> None:
    """Write the first factors."""
    shared, points, first = runtime.context(key)
    k, seed = shared.problem.k, shared.problem.seed
    kernel.start(points[point], k, counts, shared.sides, shared.order, seed, first, noise, new)


@runtime.task(
    inputs={
        "in_offsets": "offsets",
        "sources": "edges",
        "ratings": "edges",
        "held_out": "edges",
        "counts": None,
        "old": None,
    },
    outputs={"new": "factor_rows", "sums": "sum_rows"},
    scalars={"rate": float, "side": int, "scaled": int, "key": int},
)
def sweep(
    point: int,
    in_offsets: NDArray[np.int64],
    sources: Any,
    values: Any,
    held_out: Any,
    counts: Any,
    old: Any,
    new: Any,
    sums: NDArray[np.float64],
    rate: float,
    side: int,
    scaled: int,
    key: int,
) -> None:
    """Make new factors from old ones, by a team of threads."""
    shared, points = runtime.context(key)
    ratings = kernel.Ratings(in_offsets, sources, values, held_out, counts, shared.sides, shared.mean)
    chunks = -(-(len(in_offsets) - 1) // kernel.CHUNK)
    by_chunk = np.zeros(chunks * kernel.SUMS)
    taken = np.zeros(1, np.int64)
    run = sweep_kernel(shared.problem, side, rate, scaled=bool(scaled))

    def work(thread: int) -> None:
        began = time.perf_counter()
        run(points[point], ratings, old, new, taken, by_chunk)
        sums[kernel.SUMS + thread] = time.perf_counter() - began

    runtime.run_team([functools.partial(work, thread) for thread in range(shared.threads)])
    sums[: kernel.SUMS] = by_chunk.reshape(chunks, kernel.SUMS).sum(axis=0)
