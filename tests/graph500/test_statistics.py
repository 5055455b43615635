# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Statistics as the reference code computes them, on examples that can be done by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lux.graph500.statistics import rates, statistics

positive = st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=70)


def test_times():
    s = statistics([5, 1, 4, 2, 3])
    assert s.quartiles == (1, 2, 3, 4, 5)
    assert (s.mean, s.stddev) == (3, math.sqrt(10 / 4))
    assert statistics(list(range(64))).quartiles == (0, 15.5, 31.5, 47.5, 63)


@pytest.mark.check
def test_rates():
    """Twelve edges in 1, 2 and 3 seconds: 12, 6 and 4 edges/s, and 1/12, 2/12 and 3/12 seconds an edge."""
    s = rates([12, 12, 12], [1, 2, 3])
    assert s.quartiles == pytest.approx((4, 4, 6, 12, 12))  # of so few values quartiles are the ends
    assert s.mean == pytest.approx(3 / (1 / 12 + 2 / 12 + 3 / 12))
    # The sample's deviation of seconds an edge is 1/12, their mean 2/12: 1/12 / (2/12)^2 / sqrt(3 - 1).
    assert s.stddev == pytest.approx(3 / math.sqrt(2))


def test_one_search_has_no_deviation():
    assert math.isnan(statistics([2]).stddev)
    assert math.isnan(rates([6], [2]).stddev)
    assert rates([6], [2]).mean == 3


@given(seconds=positive)
def test_the_specification_s_formula(seconds):
    """Norris' standard error as the specification's sample code spells it (octave/output.m)."""
    edges = [1000] * len(seconds)
    found, inverse = rates(edges, seconds), np.array(seconds) / 1000
    harmonic = 1 / inverse.mean()
    deviation = math.sqrt(((inverse - 1 / harmonic) ** 2).sum()) / (len(seconds) - 1) * harmonic**2
    assert found.mean == pytest.approx(harmonic)
    assert found.stddev == pytest.approx(deviation, rel=1e-6, abs=1e-9 * harmonic)
    assert list(found.quartiles) == sorted(found.quartiles)


@pytest.mark.check
@given(values=positive)
def test_statistics_are_numpy_s(values):
    s = statistics(values)
    assert s.mean == pytest.approx(np.mean(values))
    assert s.stddev == pytest.approx(np.std(values, ddof=1), abs=1e-9 * s.mean)
    assert s.quartiles[2] == pytest.approx(np.median(values))
    assert (s.quartiles[0], s.quartiles[4]) == (min(values), max(values))
