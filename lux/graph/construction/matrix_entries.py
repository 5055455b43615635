# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Entries of sparse matrices: entries of one position are summed, and no sum overflows without a word."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError

Entries = tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]


def summed(name: str, rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any] | None) -> Entries:
    """Sum the entries of one position, as SciPy does; entries without values are kept once.

    Parameters
    ----------
    name : str
        Name of the matrix, for messages.
    rows, columns, values : np.ndarray of shape (entries,)

    Returns
    -------
    rows, columns, values
        The given order is kept if no position has two entries, else entries are sorted by rows. Sums of integers have
        their type where all fit, else int64.

    Raises
    ------
    FormatError
        A sum of integers does not fit 64 bits.

    Examples
    --------
    >>> summed("A", np.array([1, 0, 1]), np.array([2, 0, 2]), np.array([100, 1, 100], np.int8))
    (array([0, 1]), array([0, 2]), array([  1, 200]))
    """
    if _ascending(rows, columns) or _ascending(columns, rows):
        return rows, columns, values
    order = np.lexsort((columns, rows))
    u, v = rows[order], columns[order]
    first = np.ones(len(u), np.bool_)
    first[1:] = (u[1:] != u[:-1]) | (v[1:] != v[:-1])
    if first.all():
        return rows, columns, values
    starts = np.flatnonzero(first)
    sums = None if values is None else _sums(name, values[order], starts)
    return u[starts], v[starts], sums


def _ascending(major: NDArray[Any], minor: NDArray[Any]) -> bool:
    """Tell whether entries ascend by two keys, and none is there twice."""
    later = (major[1:] == major[:-1]) & (minor[1:] > minor[:-1])
    later |= major[1:] > major[:-1]
    return bool(later.all())


def _sums(name: str, values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    if values.dtype.kind not in "iu":
        return np.add.reduceat(values, starts)
    wide = np.dtype(np.uint64 if values.dtype == np.uint64 else np.int64)
    sums: NDArray[Any] = np.add.reduceat(values, starts, dtype=wide)
    # A sum that overflows is off by 2^64 or more, rounding by far less.
    about = np.add.reduceat(values, starts, dtype=np.float64)
    if np.any(np.abs(sums.astype(np.float64) - about) > 2.0**62):
        raise FormatError(f"{name} has several entries at one place whose sum does not fit 64 bits: leave one of each")
    narrow = np.iinfo(values.dtype)
    fit = sums.min() >= narrow.min and sums.max() <= narrow.max
    return sums.astype(values.dtype, copy=False) if fit else sums
