# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Reports and limits of a factorization that decides inside its launches, on GPUs and on CPU cores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Step:
    """Report of an iteration.

    Attributes
    ----------
    train_error, test_error, penalty : float
        Sums of the factors that it began with (gradient descent) or led to (least squares).
    seconds : np.ndarray of shape (parts,)
    slot, best : int
        The factors that the last accepted step led to (of gradient descent, began with), and the best.
    accepted : bool
    """

    train_error: float
    test_error: float
    penalty: float
    seconds: NDArray[np.float64]
    slot: int
    accepted: bool
    best: int


@dataclass(frozen=True)
class Limits:
    """Limits of a run, and its first rate; as in `lux.algorithms.factorization.minimize.follow`."""

    max_iter: int
    tol: float
    patience: int
    rate: float
    scaled: bool
