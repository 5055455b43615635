# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Scalars of an array's type, inside Numba: identities of the reductions and conversion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lux.kernels.deferred import njit, overload, types
from lux.kernels.inlined import inlined


def largest(array: Any) -> Any:
    """Return the largest value of an array's type: the identity of MIN."""
    raise NotImplementedError("only inside Numba")


def smallest(array: Any) -> Any:
    """Return the smallest value of an array's type: the identity of MAX."""
    raise NotImplementedError("only inside Numba")


def ones(array: Any) -> Any:
    """Return a value with all bits set: the identity of AND."""
    raise NotImplementedError("only inside Numba")


def accumulators(array: Any, length: int, add: bool) -> Any:
    """Allocate an uninitialised array for sums (in float64 if they are floats) or other reductions."""
    raise NotImplementedError("only inside Numba")


def wide(value: Any) -> Any:
    """Widen a float to float64, the type of sums of many contributions; other values stay as they are."""
    raise NotImplementedError("only inside Numba")


def _constant(value: Any) -> Callable[[Any], Any]:
    return lambda array: value


def _numpy(array: Any) -> np.dtype[Any]:
    return np.dtype(str(array.dtype) if array.dtype != types.boolean else "bool")


_PLAIN: Any = {"_nrt": False}  # as in `inlined`


@overload(largest, jit_options=_PLAIN)
def _largest(array):
    dtype = _numpy(array)
    if dtype.kind == "b":
        return _constant(True)
    return _constant(dtype.type(np.inf) if dtype.kind == "f" else dtype.type(np.iinfo(dtype).max))


@overload(smallest, jit_options=_PLAIN)
def _smallest(array):
    dtype = _numpy(array)
    if dtype.kind == "b":
        return _constant(False)
    return _constant(dtype.type(-np.inf) if dtype.kind == "f" else dtype.type(np.iinfo(dtype).min))


@overload(ones, jit_options=_PLAIN)
def _ones(array):
    dtype = _numpy(array)
    return _constant(True if dtype.kind == "b" else dtype.type(~dtype.type(0)))


@overload(accumulators)
def _accumulators(array, length, add):
    wide = _numpy(array).kind == "f" and getattr(add, "literal_value", True)
    dtype = np.float64 if wide else _numpy(array).type
    return lambda array, length, add: np.empty(length, dtype)


@overload(wide)
def _wide(value):
    if isinstance(value, types.Float):
        return lambda value: np.float64(value)  # noqa: PLW0108  # Numba wants a function
    return lambda value: value


@inlined
def zero(array):
    """Return zero of an array's type."""
    return array.dtype.type(0)


@inlined
def like(array, value):
    """Convert ``value`` to an array's type."""
    return array.dtype.type(value)


@inlined
def copy_into(target, source):
    """Copy an array into the beginning of one that is as long, or longer.

    An assignment to a slice would have Numba compile the text of an error for shapes that differ, for three seconds.
    """
    for i in range(len(source)):
        target[i] = source[i]


@inlined(fastmath={"reassoc", "contract"})
def dot(a, a_at, b, b_at, length):
    """Compute the inner product of two vectors; ``length`` is constant at each call, so the loop has vector code."""
    total = a[a_at] * b[b_at]
    for k in range(1, length):
        total += a[a_at + k] * b[b_at + k]
    return total


@njit(nogil=True, cache=True)
def signed(before, after):
    """Copy an array into one of a signed type, with -1 for the largest value."""
    none = largest(before)
    for i in range(len(before)):
        after[i] = -1 if before[i] == none else before[i]


@njit(nogil=True, cache=True)
def take(values, at, out):
    """Gather rows of a table: row i of ``out`` is row ``at[i]`` of ``values``, both flat."""
    length = len(out) // max(len(at), 1)
    for i in range(len(at)):
        first = np.int64(at[i]) * length
        for k in range(length):
            out[i * length + k] = values[first + k]


@njit(nogil=True, cache=True)
def take_signed(values, at, names, out):
    """Gather ``values[at[i]]`` in a signed type, with -1 for the largest value; others by ``names``, if any."""
    none = largest(values)
    for i in range(len(out)):
        value = values[at[i]]
        if value == none:
            out[i] = -1
        elif len(names):
            out[i] = names[value]
        else:
            out[i] = value
