# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Numbers of shortest paths, which grow beyond what a float64 holds: a lattice of 1,024 x 1,024 has 10^600.

A number is ``m * STEP ** e`` with a float64 ``m`` from 1 to STEP and an integer ``e``. Levels whose numbers all
have ``e == 0`` are narrow, and need no look at exponents; the others are wide.
"""

# Used by kernels: keep the signatures and constants of this file.
from __future__ import annotations

import numpy as np

from lux.kernels.inlined import inlined

STEP = 2.0**512
"""Sums of 2^32 numbers below it, and their quotients, are far from overflow; as a power of two it loses no bits."""
INVERSE = 1.0 / STEP


@inlined
def gather(values, neighbours, first, end):
    """Sum of the values of a row's neighbours, in an order that depends on the row only."""
    j, stop = np.uint64(first), np.uint64(end)
    four = j + ((stop - j) & ~np.uint64(3))
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    while j < four:
        a += values[neighbours[j]]
        b += values[neighbours[j + np.uint64(1)]]
        c += values[neighbours[j + np.uint64(2)]]
        d += values[neighbours[j + np.uint64(3)]]
        j += np.uint64(4)
    while j < stop:
        a += values[neighbours[j]]
        j += np.uint64(1)
    return (a + b) + (c + d)


@inlined
def add(m, e, more, more_e):
    """Add two numbers, without normalizing. A number STEP ** 2 times smaller than the other counts as zero."""
    if more_e == e:
        return m + more, e
    if more_e > e:
        return more + (m * INVERSE if more_e == e + 1 else 0.0), more_e
    return m + (more * INVERSE if more_e == e - 1 else 0.0), e


@inlined
def normal(m, e):
    """Normalize a sum."""
    if m >= STEP:
        return m * INVERSE, e + 1
    return m, e


@inlined
def gather_wide(values, exponents, neighbours, first, end):
    """`gather` of numbers with exponents; only where a value is not 0 does its exponent count."""
    m, e = 0.0, np.int32(0)
    for j in range(np.uint64(first), np.uint64(end)):
        u = neighbours[j]
        if values[u] != 0.0:
            m, e = add(m, e, values[u], exponents[u])
    return normal(m, e)


@inlined
def gather_quotients(values, exponents, neighbours, first, end, m, e):
    """``m * STEP ** e`` times the sum of neighbours' values, whose exponents count as negative ones.

    A neighbour has at least as many paths, so its exponent is ``e`` or larger; from ``e + 2`` on it adds nothing.
    """
    near, far = 0.0, 0.0
    for j in range(np.uint64(first), np.uint64(end)):
        v = neighbours[j]
        if values[v] != 0.0:
            if exponents[v] == e:
                near += values[v]
            elif exponents[v] == e + 1:
                far += values[v]
    return m * near + (m * INVERSE) * far
