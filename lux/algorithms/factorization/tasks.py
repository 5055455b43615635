# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Bodies of the point tasks of `rating_matrix`, each for its partition of a rating matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.factorization import kernels as kernel
from lux.graph.sides import RIGHT

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
    mean: float = 0.0


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


@runtime.task(outputs={"new": "factor_rows"}, scalars={"key": int})
def save_factors(point: int, new: Any, key: int) -> None:
    """Copy a partition's factors from its process's memory."""
    new[:] = runtime.context(key)[point]


@runtime.task(
    inputs={"left": "factor_rows", "right": "factor_rows"}, outputs={"new": "factor_rows"}, scalars={"key": int}
)
def join_sides(point: int, left: Any, right: Any, new: Any, key: int) -> None:
    """Take each vertex's factor from the store of its side."""
    shared, points = runtime.context(key)
    k, lo = shared.problem.k, points[point]
    of_right = shared.sides[lo : lo + len(new) // k, None] == RIGHT
    new[:] = np.where(of_right, right.reshape(-1, k), left.reshape(-1, k)).reshape(-1)
