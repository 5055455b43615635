# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Estimate of |INS| and |UDS| for more partitions than were counted.

A vertex of out-degree d whose edges end anywhere is in P (1 - (1 - 1/P)^d) of P sets on average; a vertex whose edges
end near it is in one, and a few more at each border. The sums are fitted by a mixture of both kinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

BINS_PER_DOUBLING = 4


def degree_bins(degrees: ArrayLike) -> list[tuple[int, float]]:
    """Bin out-degrees into at most about 100 pairs of a count and a mean degree, without isolated vertices.

    >>> degree_bins([0, 1, 1, 4])
    [(2, 1.0), (1, 4.0)]
    """
    d = np.asarray(degrees, np.float64)
    d = d[d > 0]
    which = np.floor(BINS_PER_DOUBLING * np.log2(np.maximum(d, 1))).astype(np.int64)
    counts, sums = np.bincount(which), np.bincount(which, weights=d)
    return [(int(n), float(s / n)) for n, s in zip(counts, sums, strict=True) if n]


def occupied(bins: Sequence[tuple[float, float]], parts: float) -> float:
    """Return the expected sum of |INS| over ``parts`` partitions if every edge ends in each with equal probability.

    >>> occupied([(100, 1.0)], 8), occupied([(1, 1e9)], 8)
    (100.0, 8.0)
    """
    counts, degrees = np.array(bins, np.float64).reshape(-1, 2).T
    miss = np.zeros_like(degrees) if parts == 1 else np.exp(degrees * np.log1p(-1 / parts))
    return float((counts * parts * (1 - miss)).sum())


class InsCurve:
    """INS curve: a sum over partitions, as a function of their number.

    Parameters
    ----------
    bins : sequence of (count, mean out-degree)
    exact : mapping of a number of partitions to the sum
    owned : bool
        Count the partitions' own vertices: |INS|; without them, |UDS|.
    """

    def __init__(self, bins: Sequence[tuple[float, float]], exact: Mapping[int, int], *, owned: bool) -> None:
        from scipy.optimize import nnls

        self._bins, self._owned = bins, owned
        parts = sorted(p for p in exact if p > 1)
        if not parts:
            self._weights = np.array([0.0, 1.0, 0.0])
            return
        sums = np.array([exact[p] for p in parts], np.float64)
        scale = np.maximum(sums, 1.0)
        # Weight later points more: they lie nearer to the extrapolation.
        trust = np.sqrt(np.array(parts, np.float64))
        basis = np.array([self._basis(p) for p in parts])
        self._weights = nnls(basis / scale[:, None] * trust[:, None], sums / scale * trust)[0]

    def _basis(self, parts: float) -> NDArray[Any]:
        sources = sum(n for n, _ in self._bins)
        spread = occupied(self._bins, parts)
        if self._owned:
            return np.array([sources, spread, parts - 1])
        return np.array([0.0, spread * (1 - 1 / parts), parts - 1])

    def at(self, parts: float) -> float:
        """Return the estimate for ``parts`` partitions."""
        most = sum(n * d for n, d in self._bins)
        return float(min(self._basis(parts) @ self._weights, most))
