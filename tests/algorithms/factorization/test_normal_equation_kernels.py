# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Short vectors, and sums and solutions of normal equations, beside NumPy."""

import numpy as np
import pytest
from numba import njit

from lux.algorithms.factorization.normal_equation_kernels import (
    PANEL,
    SUM_BLOCK,
    add_block,
    add_panel,
    equations,
    solve,
    width,
)
from lux.algorithms.factorization.small_vector_kernels import add_scaled, copy, dot

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 64, 100)
TYPES = (np.float32, np.float64)


@njit
def vectors(x, y, at, n, factor):
    room = np.full(n + 8, 7.0).astype(x.dtype)
    copy(room, 0, x, at, n)
    product = dot(x, at, y, at, n)
    add_scaled(y, at, x.dtype.type(factor), x, at, n // 8 * 8)
    return room, product


@njit
def least_squares(rows, ratings, k, weight, least):
    eq = equations(k, rows)
    w = width(k)
    waiting, so_far = 0, 0
    for e in range(len(ratings)):
        copy(eq.panel, waiting * w, rows, e * k, k)
        eq.panel[waiting * w + k] = ratings[e]
        waiting += 1
        if waiting == PANEL:
            add_panel(eq, k, waiting, so_far)
            waiting, so_far = 0, so_far + waiting
    add_panel(eq, k, waiting, so_far)
    add_block(eq)
    for c in range(k):
        eq.matrix[c * w + c] += weight
    solve(eq, k, least)
    return eq.solution[: k + 1].copy()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", LENGTHS)
def test_vectors(dtype, n):
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n + 12)).astype(dtype)
    before = y.copy()
    room, product = vectors(x, y, 3, n, 0.5)
    np.testing.assert_array_equal(room[:n], x[3 : 3 + n])
    padded = -(-n // (32 // dtype().itemsize)) * (32 // dtype().itemsize)
    assert (room[n:padded] == 0).all()
    assert (room[padded:] == 7).all()
    assert product == pytest.approx(x[3 : 3 + n] @ before[3 : 3 + n], rel=1e-4, abs=1e-4)
    before[3 : 3 + n // 8 * 8] += dtype(0.5) * x[3 : 3 + n // 8 * 8]
    np.testing.assert_allclose(y, before, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("k", LENGTHS)
def test_least_squares(dtype, k):
    rng = np.random.default_rng(k)
    for n in (0, 1, PANEL - 1, PANEL, 3 * PANEL + 5):
        rows = rng.normal(size=(n, k)).astype(dtype)
        ratings = rng.normal(size=n).astype(dtype)
        found = least_squares(rows.ravel(), ratings, k, 0.5, 1e-15)
        exact = rows.astype(np.float64)
        expected = np.linalg.solve(exact.T @ exact + 0.5 * np.eye(k), exact.T @ ratings)
        np.testing.assert_allclose(found[:k], expected, rtol=0, atol=1e-10 if dtype == np.float64 else 1e-4)
        assert found[k] == -1


def test_long_sums_are_exact_to_single_precision():
    """Sums of a million equal products, which alone in float32 would be wrong by a part in a thousand."""
    n = 1_000_000 // SUM_BLOCK * SUM_BLOCK + 77
    rows = np.full(n, 0.1, np.float32)
    found = least_squares(rows, np.full(n, 0.3, np.float32), 1, 0.0, 1e-15)
    assert found[0] == pytest.approx(3.0, rel=1e-5)


@pytest.mark.check
def test_directions_that_nothing_determines_are_zero():
    rows = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]])
    found = least_squares(rows.ravel(), np.array([3.0, 6.0]), 3, 0.0, 1e-14)
    np.testing.assert_allclose(found, [3.0, 0.0, 0.0, -1.0], atol=1e-12)
