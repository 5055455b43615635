# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Vertex programs: typed vertex fields (`lux.program.fields`) and the paper's init, compute and update functions.

A program is a class. Its functions are written once, in the subset of Python that Numba compiles, and run
in the pull and in the push model (sections 3.1 and 3.2 of the Lux paper, VLDB 2017).
"""

from __future__ import annotations

import difflib
import functools
import inspect
from typing import TYPE_CHECKING, Any, ClassVar, Self

from lux.errors import ProgramError
from lux.program.fields import Edges, Field, Reduction, Total, field
from lux.program.parser import ROLES, Function, parse
from lux.program.spec import BUILT_IN_PARAMETERS, Spec

MAX_TOTALS = 8
"""Aggregates of a program, at most: they fill a partition's row of the state (`lux.kernels.frontier`)."""

TAKEN_PARAMETERS = frozenset({
    "program", "graph", "constants", "parts", "model", "max_iter", "strategy", "config", "progress", "start",
    "interpret", "check",
})  # fmt: skip
"""Arguments of `lux.run`, whose names no parameter of a program can have."""

_RESERVED = {"id", "place", "in_degree", "out_degree", "state", "queue", "bits", "totals", "words"}


class Program:
    """Base class of vertex programs.

    A subclass declares fields with `lux.field` and defines, as plain functions without ``self``:

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
    ``combine(a, b)``, with ``reduce=lux.CUSTOM``
        Combines the contributions ``a`` and ``b`` by assigning the fields of ``a``; it must be associative and
        commutative, as edges are combined in any order.
    ``done(v, old)``, optional
        True where further contributions cannot change ``v``: its gather ends early.
    ``converged(params)``, optional
        Read before every iteration but the first; True ends the run.

    Functions can also read ``v.id``, ``v.in_degree``, ``v.out_degree``, ``u.id``, ``u.out_degree``, ``v.place`` and
    ``u.place`` (numbers in the order in which the graph is stored, in which sources ascend; ids where it was not
    reordered), ``params.n_vertices``, ``params.iteration`` (0 in the first) and, as ``params.NAME``, the values that
    the caller gives and the globals declared with `lux.aggregate`. ``v.id`` is the position of the vertex in the
    ascending order of the user's ids; a parameter that is compared with it by ``==`` or ``!=`` is given as the user's
    id.

    Raises
    ------
    ProgramError
        When the class is defined: what is wrong, with function and line.

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

    if TYPE_CHECKING:  # fields of a program's first argument; type checkers take the argument for self
        id: int
        place: int
        in_degree: int
        out_degree: int

        def __getattr__(self, name: str) -> Any: ...

    given_fields: ClassVar[tuple[str, ...]] = ()
    """Fields whose first values are given, each by a constant field (`started`)."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("lux."):
            cls.spec = _Later()  # type: ignore[assignment]  # a descriptor
            return
        try:
            cls.spec = _analyse(cls)
        except ProgramError as error:
            raise ProgramError(str(error)) from None  # the error shows the program's line, without Lux's own calls

    @classmethod
    def typed(cls, name: str, /, **dtypes: Any) -> type[Self]:
        """Return this program with fields of other types, as a class called ``name``.

        Parameters
        ----------
        name : str
            Name of the class, which kernels on disk, `lux.explain` and messages have.
        **dtypes : dtype
            New types of fields, by name.

        Raises
        ------
        ProgramError
            The program has no such field, or a field has no such type.

        Examples
        --------
        >>> import lux
        >>> from lux.algorithms.pagerank.pagerank import PageRank
        >>> Single = PageRank.typed("Single", rank="float32", share="float32")
        >>> lux.run(Single, lux.toy.path(3), alpha=0.85, stop=0.1)["rank"].to_numpy().dtype
        dtype('float32')
        >>> PageRank.typed("Single", ranks="float32")
        Traceback (most recent call last):
            ...
        lux.errors.ProgramError: PageRank has no field ranks: it has rank, share
        """
        known = _fields(cls)
        unknown = [field for field in dtypes if field not in known]
        if unknown:
            raise ProgramError(f"{cls.__name__} has no field {unknown[0]}: it has {', '.join(known)}")
        fields = {field: known[field].typed(dtype) for field, dtype in dtypes.items()}
        made: type[Self] = type(name, (cls,), {"__doc__": cls.__doc__, "__module__": cls.__module__, **fields})
        return made

    @classmethod
    def started(cls, *fields: str) -> type[Self]:
        """Return this program with first values of some fields that the caller gives, in constant fields.

        `lux.run` calls it for ``start=``.
        """
        made: type[Self] = _with_start(cls, fields)  # type: ignore[arg-type]  # a class is hashable
        return made


class _Later:
    """The analysis of a program of Lux's own, made when it is first asked for.

    Modules define programs for several types and models, of which one runs: the four of PageRank took 60 ms, on a busy
    machine, of the 430 ms after which a call could begin.
    """

    def __get__(self, instance: object, cls: type[Program]) -> Spec:
        cls.spec = _analyse(cls)
        return cls.spec


def started(field: str) -> str:
    """Return the name of the constant field with a field's first values."""
    return f"{field}_given"


@functools.cache
def _with_start(cls: type[Any], fields: tuple[str, ...]) -> type[Any]:
    """Make the program once, so that its kernels are compiled once."""
    known = cls.spec.fields
    if taken := [name for name in fields if started(name) in known]:
        raise ProgramError(f"{cls.__name__}.{started(taken[0])}: start= needs this name; choose another")
    given = {started(name): field(known[name].dtype, constant=True, shape=known[name].length) for name in fields}
    return type(
        cls.__name__, (cls,), {"__doc__": cls.__doc__, "__module__": cls.__module__, **given, "given_fields": fields}
    )


def _fields(cls: type[Program]) -> dict[str, Field]:
    return {k: v for base in reversed(cls.__mro__) for k, v in vars(base).items() if isinstance(v, Field)}


def _analyse(cls: type[Program]) -> Spec:
    fields = _fields(cls)
    totals: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        totals |= {k: v.function for k, v in vars(base).items() if isinstance(v, Total)}
    _check_names(cls, fields, totals)
    state = {name for name, f in fields.items() if not f.constant}
    reduced = [f for f in fields.values() if f.reduce is not None or f.arg_of is not None]
    _check_reductions(cls, fields, reduced)
    names, lengths = [f.name for f in reduced], {f.name: f.length for f in fields.values() if f.length is not None}
    own = [f.name for f in reduced if f.reduce is Reduction.CUSTOM]
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
            {name: started(name) for name in cls.given_fields} if name == "start" else {},
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
            f"{cls.__name__}: fields with reduce=lux.CUSTOM are combined by a function combine(a, b), which assigns "
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
    at = {
        f"{f.name}_at" for f in fields.values() if f.length is not None
    }  # beside each vector, see lux.program.vector_expressions
    taken = _RESERVED | at | (BUILT_IN_PARAMETERS & set(totals)) | (set(fields) & set(totals))
    for name in sorted(taken & (set(fields) | set(totals))):
        raise ProgramError(
            f"{cls.__name__}.{name}: this name means something else to Lux; choose another than "
            f"{', '.join(sorted(_RESERVED | BUILT_IN_PARAMETERS))}, the names of totals, and NAME_at of vectors NAME"
        )
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
    """Refuse functions that read an aggregate before it is computed, or a parameter that nobody can pass."""
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
    """Refuse degrees in a program over OUT or BOTH edges, whose run uses a graph with other degrees than the user's."""
    for f in functions:
        for role, name in f.arguments:
            if name in ("in_degree", "out_degree"):
                raise ProgramError(
                    f"{cls.__name__}.{f.name}, {f.file}, line {f.line}: {role}.{name} can only be read in a program "
                    "over lux.IN edges; give degrees as a constant field"
                )
