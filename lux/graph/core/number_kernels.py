# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Numba kernels that number the integers in some arrays: their range, which of them occur, and their places."""

import numpy as np

from lux.kernels import njit


@njit(nogil=True, cache=True)
def bounds(values):
    """Return the smallest and the largest value."""
    low = high = values[0]
    for value in values:
        low, high = min(low, value), max(high, value)
    return low, high


@njit(nogil=True, cache=True)
def mark(values, low, present):
    """Set ``present`` for each value, counted from ``low`` modulo 2^64; several threads may do so."""
    for value in values:
        present[np.uint64(value) - low] = True


@njit(nogil=True, cache=True)
def differences(values, low, out):
    """Write each value counted from ``low`` modulo 2^64; ``out`` may be the values."""
    for i in range(np.uint64(len(values))):
        out[i] = np.uint64(values[i]) - low


@njit(nogil=True, cache=True)
def places(values, low, table, out):
    """Write each value's entry of a table that begins with that of ``low``; ``out`` may be the values."""
    for i in range(np.uint64(len(values))):
        out[i] = table[np.uint64(values[i]) - low]
