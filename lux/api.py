# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`lux.run`: run a user's program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lux import runtime
from lux.autotune import tuning
from lux.checks import checked_flag, described, warn
from lux.errors import ParameterError
from lux.graph.arguments import checked_graph
from lux.graph.values import Values
from lux.names import checked_call
from lux.results.result import Result, common

if TYPE_CHECKING:
    from lux.algorithms.strategy import Query
    from lux.engine.run.run import Progress, Run
    from lux.graph.graph import Graph
    from lux.program.program import Program


@checked_call
@tuning.tuned
def run(
    program: type[Program],
    graph: Graph,
    *,
    constants: Mapping[str, Any] | None = None,
    parts: int | None = None,
    model: str = "auto",
    max_iter: int | None = None,
    strategy: str = "auto",
    config: Any = None,
    progress: Progress | None = None,
    start: Mapping[str, Any] | None = None,
    interpret: bool = False,
    check: bool = False,
    **params: Any,
) -> Result:
    """Run a vertex program until it converges.

    Parameters
    ----------
    program : subclass of `lux.Program`
    graph : Graph
    constants : mapping of field name to values, optional
        Values of the program's constant fields, for every vertex: a dict or a pandas Series (of vectors, a DataFrame)
        by the user's ids; `Values` of a result or the degrees of this graph; or an array of shape (n_vertices,) or
        (n_vertices, K) in the order of ``graph.ids.to_numpy()``. Vertices as values are the user's ids.
    parts : int, optional
        Number of partitions, 1 to 65,536. By default one for each processor, or one for a small graph.
    model : {"auto", "pull", "push"}
        Pull: vertices gather from their in-neighbours. Push: the frontier pushes to its out-neighbours. ``auto``
        decides in every iteration. The result does not depend on it.
    max_iter : int, optional
        Maximum number of iterations; by default the run ends when it has converged. It warns after 100,000 iterations
        and 10 for each vertex, and after ten times as many it is an error.
    strategy : {"auto", "program"}
        The strategy to run, by name, as of the algorithms of Lux; the program itself is the only one.
    config : "auto", path or perfmodel.Configuration, optional
        Where ``parts`` and ``model`` come from if they are not given; see `lux.autotune.tuning.apply`. ``auto`` first
        runs the program for five iterations on one processor.
    progress : callable, optional
        Called with the number of iterations that are known to be done.
    start : mapping of field name to values, optional
        First values of fields, given as those of constant fields: the answer of an earlier run, for one. The program's
        ``start`` reads them, and what it assigns to these fields is left out.
    interpret : bool
        True: call the program's functions in plain Python, on small graphs, to find mistakes. ``print`` and
        ``breakpoint`` work then; compiled functions leave them out. ``parts`` and ``model`` make no difference.
    check : bool
        True: the same, and what compiled functions do without a word is a `ProgramError`, which names the field and the
        vertex: integers that their field cannot hold, as sums or otherwise, which wrap around; NaN for a MIN or MAX;
        and a ``compute`` that changes its arguments, or answers differently when it is called again. On CPU cores,
        wherever the program would run.
    **params
        Values that the program's functions read as ``params.NAME``: numbers, and vertices. A parameter that is compared
        with ``v.id`` or ``u.id`` by ``==`` or ``!=`` is a vertex: pass the user's id.

    Returns
    -------
    Result
        Its columns are the program's fields.

    Raises
    ------
    ProgramError
        Numba cannot compile one of the program's functions; or ``check`` has found a mistake.
    ParameterError, GraphError
        Wrong parameters, or vertices or edge properties that the graph lacks.
    ConvergenceError
        There is no ``max_iter``, and the run does not end.
    ConfigurationError, MemoryNeededError
        The requested processors are not available: the message names the flag to pass.

    Examples
    --------
    >>> import lux
    >>> class Hops(lux.Program):
    ...     count = lux.field(int, reduce=lux.MIN)
    ...     def start(v, params):
    ...         if v.id == params.source:
    ...             v.count = 0
    ...         return v.id == params.source
    ...     def compute(v, u, edge, params):
    ...         return u.count + 1
    ...     def update(v, old, params):
    ...         return v.count < old.count
    >>> result = lux.run(Hops, lux.from_edges([10, 20, 30], [20, 30, 10]), source=20)
    >>> result["count"].to_dict(), result.iterations, result.converged
    ({10: 2, 20: 0, 30: 1}, 3, True)
    """
    from lux.algorithms.strategy import Query
    from lux.program.program import Program, started

    first: Any = program
    if not isinstance(first, type) or not issubclass(first, Program) or first is Program:
        raise ParameterError(f"lux.run takes a subclass of lux.Program, then a graph, not {described(first)}")
    checked_graph(graph, "run")
    if start is not None:
        program = program.started(*_checked_start(program, start))
        constants = {**(constants or {}), **{started(name): values for name, values in start.items()}}
    for name in set(program.spec.vertex_parameters) & params.keys():
        params[name] = graph.ids.dense(params[name])
    if config is not None:
        from lux.autotune import short_run

        configure = runtime.on_driver(short_run.configure)
        parts, model = configure(program, graph, params, constants, config, parts, model)
    query = Query(
        graph=graph,
        algorithm=program.__name__,
        parts=parts,
        model=model,
        max_iter=max_iter,
        strategy=strategy,
        params=params,
        constants=constants,
    )
    if any([checked_flag("interpret", interpret), checked_flag("check", check)]):
        from lux.engine import interpreter  # in the caller's thread, for debuggers

        how: Any = {"constants": constants, "max_iterations": max_iter, "progress": progress, "check": check}
        return _result(program, graph, interpreter.interpret(program, graph, params, **how))
    _warn_of_prints(program)
    return _compiled(program, query, progress)


@runtime.on_driver
def _compiled(program: type[Program], query: Query, progress: Progress | None) -> Result:
    """Run the program compiled, and return its result, by one call of the driver's thread."""
    from lux.algorithms.strategy import Query, VertexProgram, select

    done = select((VertexProgram[Query](program),), query).run(query, progress)
    return _result(program, query.graph, done)


@runtime.on_driver
def _result(program: type[Program], graph: Graph, done: Run) -> Result:
    """Return the result that has the fields of a run, by the user's ids."""
    from lux.engine.to_user_ids import to_user_ids
    from lux.program.fields import PLACE

    columns = []
    for field in program.spec.state:
        # A vertex that was never assigned is "none", which is -1.
        dtype = np.int64 if field.holds_vertices else None
        how: Any = {"places": field.dtype == PLACE, "length": field.length or 1, "run": done}
        store = to_user_ids(graph, done.fields[field.name], dtype, **how)
        columns.append(Values(graph, store, vertices=field.holds_vertices, length=field.length, name=field.name))
    return Result(**common(done, graph, *columns))


def _checked_start(program: type[Program], start: Any) -> list[str]:
    """Return the names of the fields that are given first values."""
    if not isinstance(start, Mapping):
        raise ParameterError(f"start maps fields' names to values, and {described(start)} was passed")
    allowed = [field.name for field in program.spec.state]
    for name in start:
        if name not in allowed:
            what = "is constant, and given in constants=" if name in program.spec.fields else "is no field"
            raise ParameterError(f"start: {name!r} {what}; fields of {program.__name__}: {', '.join(allowed)}")
    return sorted(start)


_warned: set[type[Program]] = set()
"""Programs with prints of which users have been told."""


def _warn_of_prints(program: type[Program]) -> None:
    """Warn, once, that compiled functions leave out print and breakpoint."""
    functions = [*program.spec.functions.values(), *program.spec.totals.values()]
    talking = [function for function in functions if function.prints]
    if talking and program not in _warned:
        _warned.add(program)
        where = f"{program.__name__}.{talking[0].name}, {talking[0].file}, line {talking[0].line}"
        warn(f"{where}: print and breakpoint do nothing in compiled functions: pass interpret=True to lux.run")
