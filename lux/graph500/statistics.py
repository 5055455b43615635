# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Statistics of the output, as the reference code's ``get_statistics`` computes them (src/main.c)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

QUARTILES = ("min", "firstquartile", "median", "thirdquartile", "max")


@dataclass(frozen=True)
class Statistics:
    """Statistics of some values: quartiles, mean and standard deviation.

    Attributes
    ----------
    quartiles : tuple of float
        In the order of `QUARTILES`.
    mean, stddev : float
        The deviation is a sample's (divided by n - 1): NaN for a single value.
    """

    quartiles: tuple[float, float, float, float, float]
    mean: float
    stddev: float


def statistics(values: Sequence[float]) -> Statistics:
    """Compute the statistics of one value or more.

    Quartiles lie on a value or half-way between two.

    >>> statistics([4, 1, 3, 2])
    Statistics(quartiles=(1, 1.5, 2.5, 3.5, 4), mean=2.5, stddev=1.29...)
    """
    x, n = sorted(values), len(values)
    mean = sum(values) / n
    stddev = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1)) if n > 1 else math.nan
    first = (x[(n - 1) // 4] + x[n // 4]) / 2
    median = (x[(n - 1) // 2] + x[n // 2]) / 2
    third = (x[n - 1 - (n - 1) // 4] + x[n - 1 - n // 4]) / 2
    return Statistics((x[0], first, median, third, x[-1]), mean, stddev)


def rates(edges: Sequence[float], seconds: Sequence[float]) -> Statistics:
    """Compute the statistics of TEPS, edges per second: harmonic mean, and its deviation.

    Norris, "The Standard Errors of the Geometric and Harmonic Means and Their Application to Index Numbers" (1940).

    >>> rates([6, 6], [1, 2]).mean
    4.0
    """
    s = statistics([time / count for time, count in zip(seconds, edges, strict=True)])
    least, first, median, third, most = (1 / value for value in reversed(s.quartiles))
    stddev = s.stddev / (s.mean**2 * math.sqrt(len(edges) - 1)) if len(edges) > 1 else math.nan
    return Statistics((least, first, median, third, most), 1 / s.mean, stddev)
