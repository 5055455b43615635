# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Vertex programs: typed vertex fields and the paper's init, compute and update functions.

A program is a class. Its functions are written once, in the subset of Python that Numba compiles, and run
in the pull and in the push model (sections 3.1 and 3.2 of the Lux paper, VLDB 2017).
"""

from __future__ import annotations

import difflib
import enum
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lux.errors import ProgramError
from lux.functions import ROLES, Function, parse


class Reduction(enum.Enum):
    """How the contributions of a vertex's edges are combined into a field."""

    ADD = "add"
    MIN = "min"
    MAX = "max"
    OR = "or"
    AND = "and"
    OWN = "own"


class Edges(enum.Enum):
    """Which edges bring contributions to a vertex."""

    IN = "in"
    OUT = "out"
    BOTH = "both"


VERTEX = "vertex"
"""The type of a field that holds a vertex: the graph's dense id, uint32 or uint64."""

PLACE = "place"
"""The type of a field that holds a vertex by the place where it is stored; results have the vertex."""


MAX_TOTALS = 8
"""What fits into a partition's row of the state (`lux.kernels.frontier`)."""

BUILT_IN_PARAMETERS = frozenset({"n_vertices", "iteration"})
"""What functions may read of ``params`` besides the caller's values and the program's globals."""

TAKEN_PARAMETERS = frozenset({"program", "graph", "given", "parts", "model", "max_iter", "progress"})
"""The arguments of `lux.run`, which no parameter can be named like."""

_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
)  # fmt: skip
_RESERVED = {"id", "place", "in_degree", "out_degree", "state", "queue", "bits", "totals", "words"}


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
        """Whether the values are vertices, by id or by place."""
        return self.dtype in (VERTEX, PLACE)

    def numpy_dtype(self, id_dtype: np.dtype[Any]) -> np.dtype[Any]:
        """The field's type in a graph whose ids have type ``id_dtype``."""
        return id_dtype if self.holds_vertices else np.dtype(self.dtype)


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
        The field receives the contributions of a vertex's edges, combined so.
    arg_of : str, optional
        The field receives, with each contribution to the MIN or MAX field of that name, a value of its own;
        of equal contributions the smallest value stays. This is how a parent goes with a distance.
    constant : bool, optional
        The caller gives the values once, and no function may assign to them.
    shape : int, optional
        Length K of a vector field. Vectors are used element-wise (``v.p = v.p + 0.1 * u.p``), in ``lux.dot`` and by
        index.
    identity : number
        With ``reduce=lux.OWN``: the value that changes nothing when the program's ``combine(a, b)`` combines it.

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
        allowed = dtype in (VERTEX, PLACE) or np.dtype(dtype).name in _TYPES
    except TypeError:
        allowed = False
    if not allowed:
        raise ProgramError(f"a field's type must be lux.VERTEX, lux.PLACE or one of {', '.join(_TYPES)}, not {dtype!r}")
    if reduce is not None and not isinstance(reduce, Reduction):
        raise ProgramError(f"reduce={reduce!r} was passed; allowed are {', '.join(f'lux.{r.name}' for r in Reduction)}")
    number: Any = identity
    if isinstance(number, bool) or not isinstance(number, int | float | np.integer | np.floating):
        raise ProgramError(f"identity={identity!r} was passed; allowed are numbers")
    if identity != 0 and reduce is not Reduction.OWN:
        raise ProgramError(f"identity={identity!r} was passed; only a field with reduce=lux.OWN has one of its own")
    if reduce in (Reduction.OR, Reduction.AND) and dtype not in (VERTEX, PLACE) and np.dtype(dtype).kind == "f":
        raise ProgramError(f"reduce={reduce} combines bits; a field of {np.dtype(dtype)} can have ADD, MIN or MAX")
    size: Any = shape
    if size is not None and (isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1):
        raise ProgramError(f"shape={shape!r} was passed; allowed is the length of a vector, a whole number from 1")
    if shape is not None and (dtype in (VERTEX, PLACE) or arg_of is not None or reduce is Reduction.OWN):
        raise ProgramError("a vector field holds numbers, and has no arg_of= and no reduce=lux.OWN")
    if reduce is Reduction.OWN and dtype in (VERTEX, PLACE):
        raise ProgramError("reduce=lux.OWN combines numbers, not vertices")
    if sum((reduce is not None, arg_of is not None, constant)) > 1:
        raise ProgramError("a field has one of reduce=, arg_of= and constant=")
    length = None if shape is None else int(shape)
    return Field(dtype, reduce, arg_of, constant, length, identity)


class Total:
    """A number summed over all vertices after every iteration; made by `total`."""

    def __init__(self, function: Callable[..., float]) -> None:
        self.function = function


def total(function: Callable[..., float]) -> Any:
    """Declare a global value: the sum of ``function(v, old, params)`` over all vertices (float64).

    It is computed after ``start`` and after each iteration; the next iteration's functions and ``converged``
    read it as ``params.NAME``.

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
    ...     @lux.total
    ...     def change(v, old, params):
    ...         return abs(v.heat - old.heat)
    ...     def converged(params):
    ...         return params.change < 1e-9
    >>> lux.run(Spread, lux.toy.cycle(5)).iterations
    1
    """
    return Total(function)


@dataclass(frozen=True)
class Spec:
    """What the engine knows of a program: its fields and its parsed functions."""

    name: str
    fields: dict[str, Field]
    functions: dict[str, Function]
    totals: dict[str, Function]
    edges: Edges

    @property
    def reduced(self) -> list[Field]:
        """Fields that receive contributions, in the order in which ``compute`` returns them."""
        return [f for f in self.fields.values() if f.reduce is not None or f.arg_of is not None]

    @property
    def state(self) -> list[Field]:
        """Fields with an old and a new copy."""
        return [f for f in self.fields.values() if not f.constant]

    @property
    def frontier(self) -> bool:
        """Whether only vertices for which ``update`` returned True contribute to the next iteration."""
        return self.functions["start"].returns_value

    @property
    def ends(self) -> bool:
        """Whether a run ends by itself."""
        return self.frontier or "converged" in self.functions

    @property
    def sparse(self) -> bool:
        """Whether a vertex without contributions stays as it is, so that only touched vertices need work."""
        update = self.functions["update"]
        adds = any(f.reduce is Reduction.ADD for f in self.reduced)  # a sum may come back to its old value
        plain = not adds and not self.lengths
        return self.frontier and "init" not in self.functions and not update.writes and not self.totals and plain

    @property
    def lengths(self) -> dict[str, int]:
        """Lengths of the vector fields."""
        return {f.name: f.length for f in self.fields.values() if f.length is not None}

    def read_from_neighbours(self, name: str) -> bool:
        """Whether ``compute`` reads the field (or ``out_degree``) of the other endpoint."""
        return ("u", name) in self.functions["compute"].arguments

    def owned(self, name: str) -> bool:
        """Whether only its owner ever looks at a vertex's field, so that one copy, changed in place, is enough."""
        init, compute = self.functions.get("init"), self.functions["compute"]
        reduced = any(f.name == name for f in self.reduced)
        # Pushes need the old value while the new one grows, and what init assigns lies ready before they begin.
        seen_by_pushes = reduced and self.sparse and ("v", name) in compute.arguments
        laid_ready = not reduced and init is not None and (name in init.writes or name in self.lengths)
        return not self.read_from_neighbours(name) and not seen_by_pushes and not laid_ready

    def uses(self, role: str, name: str) -> bool:
        """Whether any function reads ``role.name``."""
        return any((role, name) in f.arguments for f in [*self.functions.values(), *self.totals.values()])

    @property
    def edge_properties(self) -> list[str]:
        """Names of the edge properties that ``compute`` reads."""
        return sorted(name for role, name in self.functions["compute"].arguments if role == "edge")

    @property
    def parameters(self) -> list[str]:
        """Names that the caller gives: what the functions read of ``params``, without globals and built-ins."""
        functions = [*self.functions.values(), *self.totals.values()]
        names = {name for f in functions for role, name in f.arguments if role == "params"}
        return sorted(names - set(self.totals) - BUILT_IN_PARAMETERS)


class Program:
    """Base class of vertex programs.

    A subclass declares fields with `field` and defines, as plain functions without ``self``:

    ``start(v, params)``
        The fields' first values. Where it returns a bool, the program has a frontier: True puts ``v`` in
        the first one. Otherwise every vertex takes part in every iteration.
    ``init(v, old, params)``, optional
        The fields' values at the start of an iteration. By default a program with a frontier keeps the old
        values; in other programs the reduced fields begin at the reduction's identity.
    ``compute(v, u, edge, params)``
        The contribution of edge (u, v) to v, from the old values of both: one value for each field with
        ``reduce`` or ``arg_of``, in the order of their declaration.
    ``update(v, old, params)``
        Ends the iteration of a vertex. In a program with a frontier it returns whether ``v`` changed: True
        puts it in the next frontier, False restores its old values. It must be False where nothing was contributed.
    ``combine(a, b)``, with ``reduce=lux.OWN``
        Combines the contributions ``a`` and ``b`` by assigning the fields of ``a``; it must be associative and
        commutative, as edges are combined in any order.
    ``done(v, old)``, optional
        True where further contributions cannot change ``v``: its gather ends early.
    ``converged(params)``, optional
        Read before every iteration but the first; True ends the run.

    ``v.id``, ``v.in_degree``, ``v.out_degree``, ``u.id``, ``u.out_degree``, ``params.n_vertices``,
    ``v.place`` and ``u.place`` (numbers in the order in which the graph is stored, in which sources ascend; ids where
    it was not reordered),
    ``params.iteration`` (0 in the first) and, as ``params.NAME``, the globals declared with `total` can be read
    besides. Mistakes are reported as
    `ProgramError` when the class is defined, with function and line.

    Examples
    --------
    >>> import lux
    >>> class Reached(lux.Program):
    ...     mark = lux.field(bool, reduce=lux.OR)
    ...     def start(v, params):
    ...         v.mark = v.id == params.source
    ...         return v.mark
    ...     def compute(v, u, edge, params):
    ...         return u.mark
    ...     def update(v, old, params):
    ...         return v.mark != old.mark
    >>> lux.run(Reached, lux.toy.path(4), source=2)["mark"].to_numpy()
    array([False, False,  True,  True])
    """

    edges: ClassVar[Edges] = Edges.IN
    spec: ClassVar[Spec]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        try:
            cls.spec = _analyse(cls)
        except ProgramError as error:
            raise ProgramError(str(error)) from None  # its own line, and not how Lux came to it


def _analyse(cls: type[Program]) -> Spec:
    fields: dict[str, Field] = {}
    totals: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        fields |= {k: v for k, v in vars(base).items() if isinstance(v, Field)}
        totals |= {k: v.function for k, v in vars(base).items() if isinstance(v, Total)}
    _check_names(cls, fields, totals)
    state = {name for name, f in fields.items() if not f.constant}
    reduced = [f for f in fields.values() if f.reduce is not None or f.arg_of is not None]
    _check_reductions(cls, fields, reduced)
    names, lengths = [f.name for f in reduced], {f.name: f.length for f in fields.values() if f.length is not None}
    own = [f.name for f in reduced if f.reduce is Reduction.OWN]
    functions = {
        name: parse(
            cls,
            name,
            getattr(cls, name),
            ROLES[name],
            set(own) if name == "combine" else set(fields),
            set(own) if name == "combine" else state,
            names,
            lengths,
        )
        for name in ROLES
        if name != "total" and callable(getattr(cls, name, None))
    }
    parsed = {
        name: parse(cls, name, function, ROLES["total"], set(fields), set(), names, lengths)
        for name, function in totals.items()
    }
    if bool(own) != ("combine" in functions):
        raise ProgramError(
            f"{cls.__name__}: fields with reduce=lux.OWN are combined by a function combine(a, b), which assigns "
            "the fields of a; a program has both or neither"
        )
    if "done" in functions and any(name in lengths for _, name in functions["done"].arguments):
        raise ProgramError(f"{cls.__name__}.done can read scalar fields only")
    if cls.edges is not Edges.IN:
        _check_degrees(cls, [*functions.values(), *parsed.values()])
    _check_parameters(cls, [*functions.values(), *parsed.values()], set(totals))
    if functions["start"].returns_value != functions["update"].returns_value:
        raise ProgramError(
            f"{cls.__name__}: start and update must both return a bool (a program with a frontier) or neither"
        )
    return Spec(cls.__name__, fields, functions, parsed, cls.edges)


def _check_names(cls: type[Program], fields: dict[str, Field], totals: dict[str, Any]) -> None:
    if not fields:
        raise ProgramError(f"{cls.__name__} has no vertex field: declare one with lux.field(dtype)")
    missing = [f for f in ("start", "compute", "update") if not callable(getattr(cls, f, None))]
    for name in missing:
        near = difflib.get_close_matches(name, [n for n, value in vars(cls).items() if inspect.isfunction(value)], 1)
        hint = f": did you mean it by {near[0]}?" if near else ""
        raise ProgramError(f"{cls.__name__} has no function {name}({', '.join(ROLES[name])}){hint}")
    at = {f"{f.name}_at" for f in fields.values() if f.length is not None}  # beside each vector, see lux.vectors
    taken = _RESERVED | at | (BUILT_IN_PARAMETERS & set(totals)) | (set(fields) & set(totals))
    for name in sorted(taken & (set(fields) | set(totals))):
        raise ProgramError(f"{cls.__name__}.{name}: this name means something else to Lux; choose another")
    if not isinstance(cls.edges, Edges):
        raise ProgramError(f"{cls.__name__}.edges is {cls.edges!r}; allowed are lux.IN, lux.OUT and lux.BOTH")
    allowed = [*(name for name in ROLES if name != "total"), "edges"]
    for name, value in vars(cls).items():
        if (
            name not in allowed
            and not name.startswith("__")
            and (inspect.isfunction(value) or isinstance(value, Edges))
        ):
            near = difflib.get_close_matches(name, allowed, 1)
            raise ProgramError(
                f"{cls.__name__}.{name} is no part of a program{f': did you mean {near[0]}?' if near else ''}; "
                f"it has fields, totals and {', '.join(allowed)}"
            )
    if len(totals) > MAX_TOTALS:
        raise ProgramError(f"{cls.__name__} has {len(totals)} totals; allowed are {MAX_TOTALS}")


def _check_reductions(cls: type[Program], fields: dict[str, Field], reduced: list[Field]) -> None:
    if not any(f.reduce is not None for f in reduced):
        raise ProgramError(f"{cls.__name__}: give a field reduce=lux.ADD, MIN, MAX, OR or AND to receive contributions")
    for f in reduced:
        if f.arg_of is not None:
            target = fields.get(f.arg_of)
            if target is None or target.reduce not in (Reduction.MIN, Reduction.MAX) or len(reduced) != 2:
                raise ProgramError(
                    f"{cls.__name__}.{f.name}: arg_of={f.arg_of!r} must name the program's one other reduced field, "
                    "with reduce=lux.MIN or lux.MAX"
                )


def _check_parameters(cls: type[Program], functions: list[Function], totals: set[str]) -> None:
    """No function reads a total before it is computed, or a parameter that nobody can pass."""
    for f in functions:
        names = {name for role, name in f.arguments if role == "params"}
        where = f"{cls.__name__}.{f.name}, {f.file}, line {f.line}: params."
        for name in sorted(names & totals if f.name in {"start", *totals} else ()):
            raise ProgramError(
                f"{where}{name} is a total: it is computed after start and after each iteration, for init, compute, "
                "update and converged of the next one"
            )
        for name in sorted(names & TAKEN_PARAMETERS):
            raise ProgramError(f"{where}{name} has the name of an argument of lux.run; choose another")


def _check_degrees(cls: type[Program], functions: list[Function]) -> None:
    """The graph that a program over OUT or BOTH edges runs on has other degrees than the user's."""
    for f in functions:
        for role, name in f.arguments:
            if name in ("in_degree", "out_degree"):
                raise ProgramError(
                    f"{cls.__name__}.{f.name}, {f.file}, line {f.line}: {role}.{name} can only be read in a program "
                    "over lux.IN edges; give degrees as a constant field"
                )
