# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""One sweep over a partition's vertices in a matrix factorization: least squares, or a step of gradient descent.

A vertex's factor is K numbers in a row; ``old`` holds the rows of all vertices and ``new`` begins with those of the
partition. The threads of a partition take `CHUNK` vertices at a time. What is summed over vertices is summed for each
chunk, so that it does not depend on who took it.
"""

# The annotations of named tuples are read by Numba.
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

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
from lux.graph.construction.generate_kernels import GOLDEN, MIX_1, mix
from lux.graph.sides import RIGHT
from lux.kernels import njit
from lux.kernels.frontier import prefetch
from lux.kernels.inlined import inner
from lux.kernels.scalars import copy_into
from lux.kernels.threads import atomic_add

CHUNK = 16
TRAIN_ERROR, TEST_ERROR, PENALTY = 0, 1, 2
SUMS = 3
"""Columns of a chunk's sums: squared errors of training and test ratings, counted at their right ends, and
regularization times squared norms."""
N_TRAIN, N_TEST, RATING, RATING_SQUARE, BAD_RATINGS, BAD_EDGES = 0, 1, 2, 3, 4, 5
COUNTS = 6
"""Columns of what `hold_out` counts: ratings of both parts, sums over training ratings, ratings that are not finite,
and edges inside a side."""
_AHEAD = 8  # edges between asking for a neighbour's row and reading it
_LINE = 16  # elements of a cache line, of float32
_UNIT = 2.0**-53
_ROUNDING = 32  # units in the last place of a diagonal element, below which a pivot is nothing


class Ratings(NamedTuple):
    """A partition's ratings, by the vertex they are stored with.

    Attributes
    ----------
    offsets : array of shape (n + 1,), int64
        The ratings of the partition's vertex i are ``offsets[i] - offsets[0]`` to ``offsets[i + 1] - offsets[0] - 1``.
    neighbours, values, held_out : array of shape (n_edges,)
        The vertex at the other end, the rating, and whether it belongs to the test part.
    counts : array of shape (n_vertices,), int32 or int64
        Training ratings of every vertex.
    sides : array of shape (n_vertices,), uint8
        `LEFT` or `RIGHT`, of every vertex.
    mean : float
        Of the training ratings; predicted where one end has none.
    """

    offsets: Any
    neighbours: Any
    values: Any
    held_out: Any
    counts: Any
    sides: Any
    mean: Any


class Penalty(NamedTuple):
    """The regularization, and whether a vertex's is multiplied by the number of its training ratings."""

    factor: Any
    by_degree: Any


@inner
def _id(order, place):
    """Return the dense id of the vertex at a place; ``order`` is empty where they are the same."""
    return np.uint64(order[place]) if len(order) else np.uint64(place)


@njit(nogil=True, cache=True)
def hold_out(lo, offsets, neighbours, values, sides, order, seed, fraction, held_out, counts, found):
    """Choose the test ratings by a hash of their two ends, and count; ``order`` is that of the graph."""
    found[:] = 0.0
    begin = mix(np.uint64(seed) + GOLDEN)
    for i in range(len(offsets) - 1):
        v = lo + i
        n = 0
        for e in range(offsets[i] - offsets[0], offsets[i + 1] - offsets[0]):
            u = np.int64(neighbours[e])
            left, right = (u, v) if sides[v] == RIGHT else (v, u)
            hashed = mix(mix(begin ^ (_id(order, left) * GOLDEN)) ^ (_id(order, right) * MIX_1))
            held_out[e] = np.float64(hashed >> np.uint64(11)) * _UNIT < fraction
            n += not held_out[e]
            found[BAD_EDGES] += sides[u] == sides[v]
            if sides[v] == RIGHT:
                rating = np.float64(values[e])
                found[BAD_RATINGS] += not np.isfinite(rating)
                found[N_TEST] += held_out[e]
                if not held_out[e]:
                    found[N_TRAIN] += 1
                    found[RATING] += rating
                    found[RATING_SQUARE] += rating * rating
        counts[i] = n


@njit(nogil=True, cache=True)
def start(lo, k, counts, sides, order, seed, first, noise, new):
    """First factors: uniform random numbers of standard deviation ``noise``, and ``first[side]`` more in front."""
    begin = mix(np.uint64(seed) + MIX_1)
    for i in range(len(new) // k):
        v = lo + i
        state = begin + _id(order, v) * np.uint64(k) * GOLDEN
        for c in range(k):
            unit = np.float64(mix(state + np.uint64(c) * GOLDEN) >> np.uint64(11)) * _UNIT
            more = first[sides[v]] if c == 0 else 0.0
            new[i * k + c] = (unit - 0.5) * noise * np.sqrt(12.0) + more if counts[v] else 0.0


@inner
def _row(neighbours, e, old, k):
    """Return where the factor of edge ``e``'s neighbour begins; prefetch a later one."""
    if e + _AHEAD < len(neighbours):
        soon = np.int64(neighbours[e + _AHEAD]) * k
        for c in range(0, k, _LINE):
            prefetch(old, soon + c)
    return np.int64(neighbours[e]) * k


@inner
def _regularization(penalty, count):
    return penalty.factor * count if penalty.by_degree else penalty.factor


@inner(error_model="numpy")
def least_squares(lo, ratings, penalty, side, old, new, k, taken, sums):
    """New factors of the vertices of one side, each the best for the old factors of the other.

    On the right side, which comes last in an iteration, errors are summed as well.
    """
    w = width(k)
    n = len(ratings.offsets) - 1
    base = ratings.offsets[0]
    eq = equations(k, old)
    panel = eq.panel
    x = np.zeros(w, old.dtype)
    least = _ROUNDING * np.finfo(old.dtype).eps
    while True:
        chunk = atomic_add(taken, 0, np.int64(1))
        if chunk * CHUNK >= n:
            return
        train_error, test_error, norms = 0.0, 0.0, 0.0
        for i in range(chunk * CHUNK, min(n, (chunk + 1) * CHUNK)):
            v = lo + i
            if ratings.sides[v] != side:
                continue
            first, end = ratings.offsets[i] - base, ratings.offsets[i + 1] - base
            rows, so_far = 0, 0
            for e in range(first, end):
                if not ratings.held_out[e]:
                    copy(panel, rows * w, old, _row(ratings.neighbours, e, old, k), k)
                    panel[rows * w + k] = ratings.values[e]
                    rows += 1
                    if rows == PANEL:
                        add_panel(eq, k, rows, so_far)
                        rows, so_far = 0, so_far + rows
            add_panel(eq, k, rows, so_far)
            add_block(eq)
            weight = _regularization(penalty, ratings.counts[v])
            for c in range(k):
                eq.matrix[c * w + c] += weight
            solve(eq, k, least)
            for c in range(k):
                x[c] = eq.solution[c]
                new[i * k + c] = x[c]
                norms += weight * np.float64(x[c]) ** 2
            if side == RIGHT:
                for e in range(first, end):
                    error = ratings.values[e] - np.float64(dot(old, _row(ratings.neighbours, e, old, k), x, 0, k))
                    if ratings.held_out[e]:
                        test_error += _test_error(ratings, v, e, error)
                    else:
                        train_error += error * error
        sums[chunk * SUMS + TRAIN_ERROR] = train_error
        sums[chunk * SUMS + TEST_ERROR] = test_error
        sums[chunk * SUMS + PENALTY] = norms


@inner
def _test_error(ratings, v, e, error):
    """Return the squared error of a test rating; one without a factor at either end is predicted to be the mean."""
    if ratings.counts[v] == 0 or ratings.counts[ratings.neighbours[e]] == 0:
        error = ratings.values[e] - ratings.mean
    return error * error


@inner(error_model="numpy")
def gradient_step(lo, ratings, penalty, rate, scaled, old, new, k, taken, sums):
    """One step of gradient descent for every vertex (equations 3 to 5 of the Lux paper), and the sums before it.

    The step is ``rate``, or, where ``scaled``, ``rate`` divided by a bound of the curvature: twice the sum of the
    neighbours' squared norms, for both ends of a rating move at once, and the regularization.
    """
    w = width(k)
    n = len(ratings.offsets) - 1
    base = ratings.offsets[0]
    x, part = np.zeros(w, old.dtype), np.zeros(w, old.dtype)
    gradient = np.zeros(w)
    while True:
        chunk = atomic_add(taken, 0, np.int64(1))
        if chunk * CHUNK >= n:
            return
        train_error, test_error, norms = 0.0, 0.0, 0.0
        for i in range(chunk * CHUNK, min(n, (chunk + 1) * CHUNK)):
            v = lo + i
            copy_into(x, old[v * k : (v + 1) * k])
            gradient[:] = 0.0
            curvature = 0.0
            so_far = 0
            counted = np.float64(ratings.sides[v] == RIGHT)
            for e in range(ratings.offsets[i] - base, ratings.offsets[i + 1] - base):
                row = _row(ratings.neighbours, e, old, k)
                error = old.dtype.type(ratings.values[e]) - dot(old, row, x, 0, k)
                if ratings.held_out[e]:
                    test_error += counted * _test_error(ratings, v, e, np.float64(error))
                    continue
                train_error += counted * np.float64(error) ** 2
                add_scaled(part, 0, error, old, row, k)
                curvature += np.float64(dot(old, row, old, row, k))
                so_far += 1
                if so_far % SUM_BLOCK == 0:
                    _empty_into(gradient, part)
            _empty_into(gradient, part)
            weight = _regularization(penalty, ratings.counts[v])
            step = rate
            if scaled:
                bound = 2.0 * curvature + weight
                step = rate / bound if bound > 0.0 else 0.0
            for c in range(k):
                norms += weight * np.float64(x[c]) ** 2
                new[i * k + c] = x[c] + step * (gradient[c] - weight * x[c])
        sums[chunk * SUMS + TRAIN_ERROR] = train_error
        sums[chunk * SUMS + TEST_ERROR] = test_error
        sums[chunk * SUMS + PENALTY] = norms


@inner
def _empty_into(gradient, part):
    for c in range(len(part)):
        gradient[c] += part[c]
    part[:] = 0
