# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Types of kernels' arguments, without Numba: its import takes longer than most kernels run."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import DTypeLike


class Kind(NamedTuple):
    """Type of a number, or of an array.

    Attributes
    ----------
    dtype : np.dtype
    ndim : int
        Dimensions of an array; 0 for a number.
    readonly : bool
    layout : {"C", "F", "A"}
        "C" or "F" of a contiguous array, "A" of another.
    """

    dtype: np.dtype[Any]
    ndim: int = 0
    readonly: bool = False
    layout: Literal["C", "F", "A"] = "C"

    def numba(self) -> Any:
        """Return Numba's name of the type."""
        from numba import from_dtype, types

        scalar: Any = from_dtype(self.dtype)
        return types.Array(scalar, self.ndim, self.layout, readonly=self.readonly) if self.ndim else scalar


class Group(NamedTuple):
    """Kind of a tuple.

    Attributes
    ----------
    name : str
        Of its class.
    parts : tuple of Kind or Group
    """

    name: str
    parts: tuple[Any, ...]

    def numba(self) -> Any:
        """Return Numba's name of the type."""
        from numba import types

        module, _, name = self.name.rpartition(".")
        return types.BaseTuple.from_types([part.numba() for part in self.parts], getattr(sys.modules[module], name))


def number(dtype: DTypeLike) -> Kind:
    """Return the kind of a number."""
    return Kind(np.dtype(dtype))


def array(dtype: DTypeLike, ndim: int = 1) -> Kind:
    """Return the kind of an array."""
    return Kind(np.dtype(dtype), ndim)


_PYTHON = {bool: number(bool), int: number(np.int64), float: number(np.float64)}


def name_of(of: type) -> str:
    """Return the name of a tuple's class."""
    return f"{of.__module__}.{of.__qualname__}"


def kind_of(value: Any) -> Kind | Group | None:
    """Return the kind of an argument, as Numba would type it; None for all that is neither number, array nor tuple.

    >>> kind_of(np.zeros((2, 3), np.int32)), kind_of("2")
    (Kind(dtype=dtype('int32'), ndim=2, readonly=False, layout='C'), None)
    """
    if isinstance(value, np.ndarray):
        flags = value.flags
        if not (value.ndim and flags.aligned):
            return None
        layout: Literal["C", "F", "A"] = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return Kind(value.dtype, value.ndim, not flags.writeable, layout)
    if isinstance(value, tuple):
        parts = tuple(map(kind_of, value))
        return None if None in parts else Group(name_of(type(value)), parts)
    known = _PYTHON.get(type(value))
    if known is None and isinstance(value, np.number | np.bool_):
        return Kind(value.dtype)
    return known


def numba_type(value: Any) -> Any:
    """Return Numba's type of any argument."""
    import numba

    kind = kind_of(value)
    return kind.numba() if kind is not None else numba.typeof(value)


def flat(kinds: Iterable[Kind | Group]) -> Iterator[Kind]:
    """Yield the kinds of numbers and arrays, of tuples those of their parts."""
    for kind in kinds:
        if isinstance(kind, Kind):
            yield kind
        else:
            yield from flat(kind.parts)


def flat_values(values: Iterable[Any]) -> Iterator[Any]:
    """Yield numbers and arrays, of tuples their parts."""
    for value in values:
        if isinstance(value, tuple):
            yield from flat_values(value)
        else:
            yield value
