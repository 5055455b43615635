# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Declarations in the class of a program: typed vertex fields, their reductions, aggregates, and the edges."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lux.errors import ProgramError
from lux.names import checked_call


class Reduction(enum.Enum):
    """The ways to combine the contributions of a vertex's edges into a field."""

    ADD = "add"
    MIN = "min"
    MAX = "max"
    OR = "or"
    AND = "and"
    CUSTOM = "custom"


class Edges(enum.Enum):
    """The edges that bring contributions to a vertex."""

    IN = "in"
    OUT = "out"
    BOTH = "both"


VERTEX = "vertex"
"""The type of a field that holds a vertex: the graph's dense id, uint32 or uint64."""

PLACE = "place"
"""The type of a field that holds a vertex by its position in the stored order; results have the user's id."""

_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
)  # fmt: skip


@dataclass
class Field:
    """A typed property of every vertex; made by `field`."""

    dtype: Any
    reduce: Reduction | None
    arg_of: str | None
    constant: bool
    length: int | None = None
    identity: float = 0
    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def holds_vertices(self) -> bool:
        """True for a field whose values are vertices, by dense id or by position."""
        return self.dtype in (VERTEX, PLACE)

    def typed(self, dtype: Any) -> Field:
        """Return the same field with another type."""
        made: Field = field(
            dtype,
            reduce=self.reduce,
            arg_of=self.arg_of,
            constant=self.constant,
            shape=self.length,
            identity=self.identity,
        )
        return made

    def numpy_dtype(self, id_dtype: np.dtype[Any]) -> np.dtype[Any]:
        """Return the field's type in a graph whose ids have type ``id_dtype``."""
        return id_dtype if self.holds_vertices else np.dtype(self.dtype)


@checked_call
def field(
    dtype: Any,
    *,
    reduce: Reduction | None = None,
    arg_of: str | None = None,
    constant: bool = False,
    shape: int | None = None,
    identity: float = 0,
) -> Any:
    """Declare a vertex field.

    Parameters
    ----------
    dtype : NumPy numeric or boolean type, `VERTEX` or `PLACE`
    reduce : Reduction, optional
        The reduction that combines the contributions of a vertex's edges into the field.
    arg_of : str, optional
        The field receives, with each contribution to the MIN or MAX field of that name, a value of its own; of equal
        contributions the smallest value stays. A parent, for example, goes with a distance.
    constant : bool, optional
        The caller gives the values once, and no function may assign to them.
    shape : int, optional
        Length K of a vector field. Vectors are used element-wise (``v.p = v.p + 0.1 * u.p``), in ``lux.dot`` and by
        index.
    identity : number
        With ``reduce=lux.CUSTOM``: the value that changes nothing when the program's ``combine(a, b)`` combines it.

    Fields that ``start`` leaves unassigned begin at the reduction's identity, or at zero.

    Returns
    -------
    Field

    Raises
    ------
    ProgramError
        Arguments that no field has, or that contradict each other.

    Examples
    --------
    >>> import lux
    >>> lux.field("float32", reduce=lux.MIN).numpy_dtype(None)
    dtype('float32')
    >>> lux.field("text")
    Traceback (most recent call last):
        ...
    lux.errors.ProgramError: a field's type must be lux.VERTEX, lux.PLACE or one of bool, int8, ...
    """
    try:
        allowed = dtype in (VERTEX, PLACE) or (np.dtype(dtype).name in _TYPES and np.dtype(dtype).isnative)
    except TypeError:
        allowed = False
    if not allowed:
        raise ProgramError(f"a field's type must be lux.VERTEX, lux.PLACE or one of {', '.join(_TYPES)}, not {dtype!r}")
    if reduce is not None and not isinstance(reduce, Reduction):
        raise ProgramError(f"reduce={reduce!r} was passed; allowed are {', '.join(f'lux.{r.name}' for r in Reduction)}")
    number: Any = identity
    if isinstance(number, bool) or not isinstance(number, int | float | np.integer | np.floating):
        raise ProgramError(f"identity={identity!r} was passed; allowed are numbers")
    if identity != 0 and reduce is not Reduction.CUSTOM:
        raise ProgramError(f"identity={identity!r} was passed; only a field with reduce=lux.CUSTOM has one of its own")
    if reduce in (Reduction.OR, Reduction.AND) and dtype not in (VERTEX, PLACE) and np.dtype(dtype).kind == "f":
        raise ProgramError(f"reduce={reduce} combines bits; a field of {np.dtype(dtype)} can have ADD, MIN or MAX")
    size: Any = shape
    if size is not None and (isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1):
        raise ProgramError(f"shape={shape!r} was passed; allowed is the length of a vector, a whole number from 1")
    if shape is not None and (dtype in (VERTEX, PLACE) or arg_of is not None or reduce is Reduction.CUSTOM):
        raise ProgramError("a vector field holds numbers, and has no arg_of= and no reduce=lux.CUSTOM")
    if reduce is Reduction.CUSTOM and dtype in (VERTEX, PLACE):
        raise ProgramError("reduce=lux.CUSTOM combines numbers, not vertices")
    if not isinstance(constant, bool):
        raise ProgramError(f"constant={constant!r} was passed; allowed are True and False")
    if sum((reduce is not None, arg_of is not None, constant)) > 1:
        raise ProgramError("a field has one of reduce=, arg_of= and constant=")
    length = None if shape is None else int(shape)
    return Field(dtype, reduce, arg_of, constant, length, identity)


class Total:
    """A number summed over all vertices after every iteration; made by `aggregate`."""

    def __init__(self, function: Callable[..., float]) -> None:
        self.function = function.__func__ if isinstance(function, staticmethod) else function


def aggregate(function: Callable[..., float]) -> Any:
    """Declare a global value: the sum of ``function(v, old, params)`` over all vertices (float64).

    The sum is computed after ``start`` and after each iteration; the next iteration's functions and ``converged`` read
    it as ``params.NAME``. A program has eight totals at most.

    Parameters
    ----------
    function : callable ``function(v, old, params)``
        Reads fields, assigns none, and returns a number.

    Returns
    -------
    Total

    Examples
    --------
    >>> import lux
    >>> class Spread(lux.Program):
    ...     heat = lux.field(float, reduce=lux.ADD)
    ...     def start(v, params):
    ...         v.heat = 1.0
    ...     def compute(v, u, edge, params):
    ...         return u.heat / u.out_degree
    ...     def update(v, old, params):
    ...         pass
    ...     @lux.aggregate
    ...     def change(v, old, params):
    ...         return abs(v.heat - old.heat)
    ...     def converged(params):
    ...         return params.change < 1e-9
    >>> lux.run(Spread, lux.toy.cycle(5)).iterations
    1
    """
    return Total(function)
