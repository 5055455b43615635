# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Interpreter of programs: calls a program's own functions in plain Python, vertex by vertex and edge by edge.

It is for finding mistakes: ``print`` and ``breakpoint`` work in the functions, and an exception shows the user's line.
It shares nothing with the generated kernels but the order of what happens in an iteration (`lux.program.program`), and
so is an oracle for them.

Numbers are NumPy's of 64 bits: as in compiled functions, integers wrap around and a division by zero is no exception.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.executor import check_model_and_limit, checked_inputs
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import Iteration
from lux.graph.core.stored_graph import in_degrees
from lux.program.fields import Field, Reduction
from lux.program.program import started

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.program.program import Program

STRATEGY = "interpreter"
"""Name of the strategy in results."""


def interpret(
    program: type[Program],
    graph: Graph,
    params: Mapping[str, Any],
    *,
    constants: Mapping[str, Any] | None = None,
    max_iterations: Any = None,
    progress: Progress | None = None,
    check: bool = False,
) -> Run:
    """Run a program in plain Python, on every process alike; arguments and errors are those of `lux.run`."""
    limit = check_model_and_limit("auto", max_iterations)
    values, graph, given = checked_inputs(program, graph, params, constants, max_iterations)
    from lux.engine.checked import CheckedInterpreter  # which is derived from the one below

    kind = CheckedInterpreter if check else Interpreter
    with np.errstate(all="ignore"):
        return kind(program, graph, values, given.stores).run(limit, progress)


class Record:
    """Attributes that a function reads, and may assign: a vertex, an edge or the parameters."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None:
        held = vars(self).get(name)
        # A vector's elements are assigned, all to one number or each to its own, and stay apart from other vectors.
        vars(self)[name] = np.array(np.broadcast_to(value, held.shape)) if isinstance(held, np.ndarray) else value

    def __repr__(self) -> str:
        return f"({', '.join(f'{name}={value}' for name, value in vars(self).items())})"


class _Fixed:
    """A vertex some of whose fields have given values: assignments to them do nothing."""

    def __init__(self, vertex: Record, given: Mapping[str, Any]) -> None:
        vars(vertex).update(given)
        vars(self).update(_vertex=vertex, _given=given)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_vertex"], name)

    def __setattr__(self, name: str, value: object) -> None:
        if name not in vars(self)["_given"]:
            setattr(vars(self)["_vertex"], name, value)


class Interpreter:
    """A run: the graph's arrays, and the fields in the order in which vertices are stored."""

    def __init__(
        self, program: type[Program], graph: Graph, params: Mapping[str, Any], given: Mapping[str, Any]
    ) -> None:
        self.program, self.spec, self.graph, n = program, program.spec, graph, graph.n_vertices
        self.offsets = runtime.to_array(graph.offsets)[: n + 1]
        self.sources = runtime.to_array(graph.sources)[: graph.n_edges]
        self.edge = {name: runtime.to_array(graph.properties[name]) for name in self.spec.edge_properties}
        ids = np.arange(n) if graph.order is None else runtime.to_array(graph.order.vertices)[:n]
        self.facts: dict[str, NDArray[Any]] = {
            "id": ids.astype(np.int64), "place": np.arange(n), "in_degree": in_degrees(graph),
            "out_degree": runtime.to_array(graph.out_degree_store)[:n].astype(np.int64),
        }  # fmt: skip
        self.constants = {name: self._shaped(name, runtime.to_array(store)) for name, store in given.items()}
        self.state = {field.name: self._cleared(field, n) for field in self.spec.state}
        self.params = Record(**{name: _number(np.asarray(value)) for name, value in params.items()})
        self.params.n_vertices, self.params.iteration = np.int64(n), np.int64(0)

    def _shaped(self, name: str, flat: NDArray[Any]) -> NDArray[Any]:
        length = self.spec.lengths.get(name)
        return flat[: self.graph.n_vertices * (length or 1)].reshape(-1, *([] if length is None else [length]))

    def _cleared(self, field: Field, n: int) -> NDArray[Any]:
        dtype = field.numpy_dtype(self.graph.id_dtype)
        shape = (n,) if field.length is None else (n, field.length)
        return np.full(shape, _identity(field, dtype), dtype)

    def run(self, limit: int, progress: Progress | None) -> Run:
        """Iterate until the program ends."""
        began, n = time.perf_counter(), self.graph.n_vertices
        active = np.ones(n, np.bool_)
        start = self._function("start")
        for place in range(n):
            vertex = self._vertex(place, self.state)
            given = {name: vars(vertex)[started(name)] for name in self.program.given_fields}
            answer = start(_Fixed(vertex, given), self.params)
            vars(vertex).update(given)
            self._store(self.state, place, vertex)
            active[place] = bool(answer) if self.spec.frontier else True
        self._add_totals(self.state)
        statistics: list[Iteration] = []
        while not self._ended(active, len(statistics)) and len(statistics) < limit:
            lap, edges = time.perf_counter(), int(self.facts["out_degree"][active].sum())
            self.params.iteration = np.int64(len(statistics))
            frontier = int(active.sum())
            active = self._iterate(active)
            seconds = np.array([time.perf_counter() - lap])
            statistics.append(Iteration("pull", frontier, edges, seconds, why="the interpreter pulls"))
            if progress is not None:
                progress(len(statistics))
        fields = {name: runtime.from_array(array.ravel()) for name, array in self.state.items()}
        done = self._ended(active, len(statistics))
        took = time.perf_counter() - began
        return Run(fields, len(statistics), done, took, 1, statistics, strategy=STRATEGY)

    def _ended(self, active: NDArray[np.bool_], iterations: int) -> bool:
        if self.spec.frontier and not active.any():
            return True
        self.params.iteration = np.int64(iterations)
        return iterations > 0 and "converged" in self.spec.functions and bool(self._call("converged", self.params))

    def _function(self, name: str) -> Callable[..., Any]:
        return _called(getattr(self.program, name))

    def _call(self, name: str, *arguments: Any) -> Any:
        return self._function(name)(*arguments)

    def _iterate(self, active: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Run an iteration; returns the next frontier."""
        old, self.state = self.state, {name: array.copy() for name, array in self.state.items()}
        after = np.ones_like(active)
        for place in range(self.graph.n_vertices):
            now, before = self._vertex(place, old), self._vertex(place, old)
            if not self.spec.frontier:
                for field in self.spec.reduced:
                    vars(now)[field.name] = _element(self._cleared(field, 1), 0)
            if "init" in self.spec.functions:
                self._call("init", now, before, self.params)
                self._settle(now)
            self._gather(place, now, before, old, active)
            answer = self._call("update", now, before, self.params)
            if self.spec.frontier:
                after[place] = bool(answer)
            if after[place]:
                self._store(self.state, place, now)
        self._add_totals(old)
        return after

    def _gather(
        self, place: int, now: Record, before: Record, old: dict[str, NDArray[Any]], active: NDArray[np.bool_]
    ) -> None:
        """Combine the contributions of a vertex's edges from the frontier."""
        compute, lo, hi = self._function("compute"), int(self.offsets[place]), int(self.offsets[place + 1])
        for at in range(lo, hi):
            source = int(self.sources[at])
            if not active[source]:
                continue
            edge = Record(**{name: _element(values, at) for name, values in self.edge.items()})
            self._combine(now, self._compute(compute, self._vertex(place, old), self._vertex(source, old), edge))
            if "done" in self.spec.functions and self._call("done", now, before):
                return

    def _compute(self, compute: Callable[..., Any], v: Record, u: Record, edge: Record) -> tuple[Any, ...]:
        """Return the contributions of an edge."""
        made = compute(v, u, edge, self.params)
        return made if isinstance(made, tuple) else (made,)

    def _combine(self, now: Record, contributions: tuple[Any, ...]) -> None:
        fields = self.spec.reduced
        given = {f.name: self._held(f, value) for f, value in zip(fields, contributions, strict=True)}
        state = vars(now)
        arg = next((f for f in fields if f.arg_of is not None), None)
        if arg is not None:
            key = str(arg.arg_of)
            new, best = (given[key], given[arg.name]), (state[key], state[arg.name])
            largest = self.spec.fields[key].reduce is Reduction.MAX
            if (new[0] > best[0] if largest else new[0] < best[0]) or (new[0] == best[0] and new[1] < best[1]):
                state[key], state[arg.name] = new
            return
        for field in fields:
            if field.reduce in _COMBINE:
                combined = _COMBINE[field.reduce](state[field.name], given[field.name])
                state[field.name] = self._held(field, combined)
        own = [field.name for field in fields if field.reduce is Reduction.CUSTOM]
        if own:
            a = Record(**{name: state[name] for name in own})
            self._call("combine", a, Record(**{name: given[name] for name in own}))
            state |= vars(a)
            self._settle(now)

    def _vertex(self, place: int, state: Mapping[str, NDArray[Any]]) -> Record:
        """Make a vertex with fields of its own."""
        arrays = {**self.facts, **self.constants, **state}
        return Record(**{name: _element(array, place) for name, array in arrays.items()})

    def _held(self, field: Field, value: Any) -> Any:
        """Convert a value to what the field can hold."""
        dtype = field.numpy_dtype(self.graph.id_dtype)
        return _number(np.asarray(value).astype(dtype))

    def _settle(self, vertex: Record) -> None:
        for field in self.spec.state:
            vars(vertex)[field.name] = self._held(field, vars(vertex)[field.name])

    def _store(self, state: dict[str, NDArray[Any]], place: int, vertex: Record) -> None:
        for name, array in state.items():
            array[place] = np.asarray(vars(vertex)[name]).astype(array.dtype)

    def _add_totals(self, old: Mapping[str, NDArray[Any]]) -> None:
        for name in self.spec.totals:
            total = _called(inspect.getattr_static(self.program, name).function)
            places = range(self.graph.n_vertices)
            each = [total(self._vertex(p, self.state), self._vertex(p, old), self.params) for p in places]
            vars(self.params)[name] = np.float64(np.sum(np.asarray(each, np.float64)))


def _called(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that ignores the arguments that the user's leaves out at the end."""
    count = function.__code__.co_argcount
    return lambda *arguments: function(*arguments[:count])


_COMBINE: dict[Reduction | None, Callable[[Any, Any], Any]] = {
    Reduction.ADD: np.add, Reduction.MIN: np.minimum, Reduction.MAX: np.maximum,
    Reduction.OR: np.bitwise_or, Reduction.AND: np.bitwise_and,
}  # fmt: skip


def _identity(field: Field, dtype: np.dtype[Any]) -> Any:
    """Return the value that changes nothing in a field's reduction, with which the field begins."""
    floats = dtype.kind == "f"
    least, most = (-np.inf, np.inf) if floats else (False, True) if dtype.kind == "b" else _range(dtype)
    if field.arg_of is not None or field.reduce is Reduction.MIN:
        return most
    if field.reduce is Reduction.MAX:
        return least
    if field.reduce is Reduction.AND:
        return most if dtype.kind in "bu" else -1
    return field.identity if field.reduce is Reduction.CUSTOM else 0


def _range(dtype: np.dtype[Any]) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _element(array: NDArray[Any], at: int) -> Any:
    return _number(array[at])


def _number(value: Any) -> Any:
    """Widen a number or a vector to 64 bits; vectors are copied."""
    kind = value.dtype.kind
    wide = {"f": np.float64, "i": np.int64, "u": np.uint64 if value.dtype.itemsize == 8 else np.int64, "b": np.bool_}
    return np.array(value, wide[kind])[()] if value.ndim == 0 else np.array(value, wide[kind])
