# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Least squares for one vertex: its K x K normal equations, summed from its neighbours' factors, and their solution.

The matrix has its right-hand side as one more column: a neighbour's factor q with the rating r behind it is one row
``[q, r, 0, ...]`` of `width(K)` elements, and the sum of outer products of such rows is ``[Q'Q, Q'r]``. Only the
upper triangle counts. Rows are summed in their own type, `SUM_BLOCK` at a time, and the sums of those in float64.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lux.algorithms.factorization.small_vector_kernels import LANES, TILE_ROWS, add_products, add_scaled, dot
from lux.kernels import njit

PANEL = 64
"""Rows that are summed together, while a part of the matrix stays in registers."""
SUM_BLOCK = 1024
"""Rows that are summed in the factors' type; a multiple of `PANEL`."""


class Equations(NamedTuple):
    """Scratch memory of one thread; ``w`` is `width(k)`.

    Attributes
    ----------
    panel : array of shape (PANEL * w,)
        Rows that wait to be summed.
    block : array of shape (w * w,)
        The sum of at most `SUM_BLOCK` rows.
    matrix : array of shape (w * w,), float64
    inverse : array of shape (w,), float64
        Inverse pivots.
    scaled : array of shape (TILE_ROWS * w,), float64
    solution : array of shape (w,), float64
    """

    panel: Any
    block: Any
    matrix: Any
    inverse: Any
    scaled: Any
    solution: Any


@njit(nogil=True, cache=True)
def width(k):
    """Elements of a row: a factor, a rating, and zeros."""
    return (k + LANES) // LANES * LANES


@njit(nogil=True, cache=True)
def equations(k, like):
    """Room for the equations of one thread, with rows of the type of the array ``like``."""
    w = width(k)
    return Equations(
        np.zeros(PANEL * w, like.dtype),
        np.zeros(w * w, like.dtype),
        np.zeros(w * w),
        np.zeros(w),
        np.zeros(TILE_ROWS * w),
        np.zeros(w),
    )


@njit(nogil=True, cache=True)
def add_panel(eq, k, rows, so_far):
    """Add the first ``rows`` rows of the panel, before which ``so_far`` rows were added."""
    if so_far > 0 and so_far % SUM_BLOCK == 0:
        add_block(eq)
    add_products(eq.block, eq.panel, 0, eq.panel, 0, width(k), rows, 0, k)


@njit(nogil=True, cache=True)
def add_block(eq):
    """Add the block to the matrix, and begin a new one."""
    for i in range(len(eq.matrix)):
        eq.matrix[i] += eq.block[i]
    eq.block[:] = 0


@njit(nogil=True, cache=True, error_model="numpy")
def solve(eq, k, least):
    """Solve the equations by Cholesky's method without square roots (L D L'), `TILE_ROWS` pivots at a time.

    A pivot below ``least`` times the diagonal element that it comes from is rounding: no rating determines that
    direction, and its component becomes zero. ``solution[k]`` becomes -1, so that the product of the solution with
    a row is the error made there. The matrix is zero afterwards.
    """
    matrix, inverse, scaled, x = eq.matrix, eq.inverse, eq.scaled, eq.solution
    w = width(k)
    for i in range(k):
        inverse[i] = least * matrix[i * w + i]
    for first in range(0, k, TILE_ROWS):
        end = min(first + TILE_ROWS, k)
        begin = first // LANES * LANES
        for p in range(first, end):
            pivot = matrix[p * w + p]
            inverse[p] = 1.0 / pivot if pivot > inverse[p] else 0.0
            for i in range(p + 1, end):
                factor = -matrix[p * w + i] * inverse[p]
                add_scaled(matrix, i * w + begin, factor, matrix, p * w + begin, w - begin)
        if end < k:
            scaled[:] = 0.0
            for p in range(first, end):
                add_scaled(scaled, (p - first) * w + begin, -inverse[p], matrix, p * w + begin, w - begin)
            add_products(matrix, scaled, 0, matrix, first * w, w, end - first, end, k)
    x[:] = 0.0
    x[k] = -1.0
    for i in range(k - 1, -1, -1):
        begin = i // LANES * LANES
        x[i] = -inverse[i] * dot(matrix, i * w + begin, x, begin, w - begin)
    matrix[:] = 0.0
