# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Whether two libraries gave the same answer: a time counts only then."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

RANK_TOLERANCE = {"float32": 1e-4, "float64": 1e-9}
"""Largest relative difference of a rank from the reference in float64, which other orders of summation explain."""


class DisagreementError(Exception):
    """Two libraries gave different answers to the same question."""


def check(work: str, precision: str, answer: NDArray[Any], reference: NDArray[Any]) -> float:
    """Compare an answer with the reference.

    Parameters
    ----------
    work, precision : str
        As in `benchmarks.contender.Contender`.
    answer, reference : np.ndarray of shape (n_vertices,)

    Returns
    -------
    float
        Largest relative difference of a rank; 0 for distances and components, which must be equal.

    Raises
    ------
    DisagreementError
    """
    if answer.shape != reference.shape:
        raise DisagreementError(f"{len(answer):,} values and {len(reference):,} in the reference")
    if work == "pagerank":
        worst = float(np.abs(answer / reference - 1).max())
        if not worst <= RANK_TOLERANCE[precision]:
            raise DisagreementError(
                f"a rank differs by {worst:.2g}, relative; allowed is {RANK_TOLERANCE[precision]:.0e}"
            )
        return worst
    if work == "bfs" and not np.array_equal(answer, reference):
        raise DisagreementError(f"{int((answer != reference).sum()):,} distances differ")
    if work == "components":
        _check_components(answer, reference)
    return 0.0


def _check_components(answer: NDArray[Any], reference: NDArray[Any]) -> None:
    """Labels are equal up to their names."""
    counts = len(np.unique(answer)), len(np.unique(reference))
    pairs = len(np.unique(reference.astype(np.int64) * len(reference) + answer))
    if counts != (pairs, pairs):
        raise DisagreementError(f"{counts[0]:,} components and {counts[1]:,} in the reference, {pairs:,} intersections")
