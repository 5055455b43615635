# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Agreement of two libraries' answers, without which a time does not count."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

TOLERANCE = {"float32": 1e-4, "float64": 1e-9}
"""Largest relative difference of a value from the reference in float64; other orders of summation explain less."""
NAMES = {"pagerank": "rank", "betweenness": "dependency"}
"""Works whose values may differ within the tolerance, with the name of a value."""


class DisagreementError(Exception):
    """Disagreement: two libraries gave different answers to the same question."""


def check(work: str, precision: str, answer: NDArray[Any], reference: NDArray[Any], source: int | None = None) -> float:
    """Compare an answer with the reference.

    Parameters
    ----------
    work, precision : str
        As in `benchmarks.contender.Contender`.
    answer, reference : np.ndarray of shape (n_vertices,)
    source : int, optional
        Source of betweenness, whose own value is not compared, since libraries define it differently.

    Returns
    -------
    float
        Largest relative difference of a rank or dependency; 0 for distances and components, which must be equal.

    Raises
    ------
    DisagreementError
    """
    if answer.shape != reference.shape:
        raise DisagreementError(f"{len(answer):,} values and {len(reference):,} in the reference")
    if work in NAMES:
        if work == "betweenness" and source is not None:
            answer, reference = np.delete(answer, source), np.delete(reference, source)
        return _check_floats(NAMES[work], TOLERANCE[precision], answer, reference)
    if work == "components":
        _check_components(answer, reference)
    elif not np.array_equal(answer, reference):
        raise DisagreementError(f"{int((answer != reference).sum()):,} distances differ")
    return 0.0


def _check_floats(name: str, allowed: float, answer: NDArray[Any], reference: NDArray[Any]) -> float:
    """Check that zeros are equal, and all other values relative to the reference."""
    zero = reference == 0
    if answer[zero].any():
        raise DisagreementError(f"{int((answer[zero] != 0).sum()):,} values that are 0 in the reference are not")
    worst = float(np.abs(answer[~zero] / reference[~zero] - 1).max(initial=0.0))
    if not worst <= allowed:
        raise DisagreementError(f"a {name} differs by {worst:.2g}, relative; allowed is {allowed:.0e}")
    return worst


def _check_components(answer: NDArray[Any], reference: NDArray[Any]) -> None:
    """Check that labels are equal up to their names."""
    counts = len(np.unique(answer)), len(np.unique(reference))
    pairs = len(np.unique(reference.astype(np.int64) * len(reference) + answer))
    if counts != (pairs, pairs):
        raise DisagreementError(f"{counts[0]:,} components and {counts[1]:,} in the reference, {pairs:,} intersections")
