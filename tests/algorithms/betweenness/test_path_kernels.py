# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of paths with exponents, beside Python's integers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from lux.algorithms.betweenness import path_kernels
from lux.algorithms.betweenness.path_kernels import STEP

NUMBERS = st.lists(st.tuples(st.integers(1, 1 << 53), st.integers(0, 2000)), min_size=1, max_size=12)


@njit
def add(m, e, more, more_e):
    """A normal sum."""
    return path_kernels.normal(*path_kernels.add(m, e, more, more_e))


@njit
def gather(values, neighbours, first, end):
    return path_kernels.gather(values, neighbours, first, end)


@njit
def gather_wide(values, exponents, neighbours, first, end):
    return path_kernels.gather_wide(values, exponents, neighbours, first, end)


@njit
def gather_quotients(values, exponents, neighbours, first, end, m, e):
    return path_kernels.gather_quotients(values, exponents, neighbours, first, end, m, e)


def scaled(number):
    """A number that is a short integer times a power of two, in normal form."""
    factor, power = number
    e, rest = divmod(power + factor.bit_length() - 1, 512)
    return np.ldexp(float(factor), rest - factor.bit_length() + 1), np.int32(e)


def exact(m, e):
    return Fraction(float(m)) * Fraction(STEP) ** int(e)


def arrays(numbers):
    pairs = [scaled(number) for number in numbers]
    return np.array([m for m, _ in pairs]), np.array([e for _, e in pairs], np.int32)


@settings(max_examples=200)
@given(numbers=NUMBERS)
def test_sums(numbers):
    true = sum(factor << power for factor, power in numbers)
    values, exponents = arrays(numbers)
    assert all(1 <= m < STEP for m in values)
    m, e = 0.0, np.int32(0)
    for more, more_e in zip(values, exponents, strict=True):
        m, e = add(m, e, more, more_e)
    row = np.arange(len(values), dtype=np.uint32)
    for found in ((m, e), gather_wide(values, exponents, row, 0, len(row))):
        assert abs(exact(*found) / true - 1) < 1e-14
        assert 1 <= found[0] < STEP


@settings(max_examples=200)
@given(numbers=NUMBERS, shares=st.lists(st.floats(1, 1e9), min_size=12, max_size=12))
def test_quotients(numbers, shares):
    """A vertex's number of paths times the sum over successors, which have at least as many, of share / number."""
    values, exponents = arrays(numbers)
    least = min(numbers, key=lambda number: number[0] << number[1])
    m, e = scaled(least)
    true = sum(Fraction(s) * (least[0] << least[1]) / (f << p) for s, (f, p) in zip(shares, numbers, strict=False))
    given_to_predecessors = np.array(shares[: len(values)]) / values
    row = np.arange(len(values), dtype=np.uint32)
    found = gather_quotients(given_to_predecessors, exponents, row, 0, len(row), m, e)
    assert abs(Fraction(float(found)) / true - 1) < 1e-14


@pytest.mark.check
def test_gather_adds_each_neighbour_once():
    values = np.random.default_rng(0).random(50)
    for size in range(12):
        row = np.arange(5, 5 + size, dtype=np.uint32)
        np.testing.assert_allclose(gather(values, row, 0, size), values[5 : 5 + size].sum(), rtol=1e-15)
