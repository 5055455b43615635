# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The interpreter with checks, for ``lux.run(check=True)``: what compiled kernels do without a word is an error.

- A contribution, a sum of integers or an assigned number that its field cannot hold: compiled, it wraps around, or a
  float becomes any integer.
- NaN as a contribution to a MIN or MAX: compiled, it is passed over, or not, by the order of the edges.
- ``compute`` that changes what it is given, or answers differently when it is called again: compiled, the answer
  depends on how often, and in which order, an edge is visited.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.engine.interpreter import Interpreter, Record
from lux.errors import ProgramError
from lux.program.fields import Field, Reduction


class CheckedInterpreter(Interpreter):
    """A run that ends with a `ProgramError`, which names program, field and vertex, at the first mistake."""

    _place = 0
    _role = "start"

    def _call(self, name: str, *arguments: Any) -> Any:
        self._role = name
        return super()._call(name, *arguments)

    def _vertex(self, place: int, state: Mapping[str, NDArray[Any]]) -> Record:
        self._place = place
        return super()._vertex(place, state)

    def _compute(self, compute: Callable[..., Any], v: Record, u: Record, edge: Record) -> tuple[Any, ...]:
        self._role, self._place = "compute", int(v.place)
        given = {"v": v, "u": u, "edge": edge, "params": self.params}
        before = {role: dict(vars(record)) for role, record in given.items()}
        made = super()._compute(compute, v, u, edge)
        where = f"on the edge from vertex {self._label(int(u.place))}"
        for role, record in given.items():
            changed = [name for name, value in vars(record).items() if not _same(value, before[role].get(name))]
            if changed:
                raise self._error(f"changed {role}.{changed[0]} {where}", "it may only return contributions")
        again = super()._compute(compute, v, u, edge)
        if not all(map(_same, made, again)):
            raise self._error(
                f"returned {_shown(made)} {where}, and {_shown(again)} when it was called again with the same values",
                "its answer must depend on its arguments alone",
            )
        for field, value in zip(self.spec.reduced, made, strict=True):
            key = self.spec.fields[str(field.arg_of)] if field.arg_of is not None else field
            if key is field and field.reduce in (Reduction.MIN, Reduction.MAX) and np.isnan(_floats(value)).any():
                raise self._error(
                    f"returned NaN for the {field.reduce} field {field.name!r} {where}",
                    "NaN is neither smaller nor larger than a number: return the field's identity instead",
                )
        return made

    def _combine(self, now: Record, contributions: tuple[Any, ...]) -> None:
        for field, value in zip(self.spec.reduced, contributions, strict=True):
            if field.reduce is Reduction.ADD and self._limits(field) is not None:
                added = zip(_integers(vars(now)[field.name]), _integers(self._held(field, value)), strict=True)
                for held, more in added:
                    self._check_range(field, held + more, f"a sum, {held} + {more},")
        super()._combine(now, contributions)

    def _held(self, field: Field, value: Any) -> Any:
        if self._limits(field) is not None:
            for number in np.atleast_1d(np.asarray(value)).tolist():
                if isinstance(number, float) and not np.isfinite(number):
                    raise self._error(f"made {number} for the field {field.name!r}", self._advice(field))
                self._check_range(field, int(number), "a value")
        return super()._held(field, value)

    def _store(self, state: dict[str, NDArray[Any]], place: int, vertex: Record) -> None:
        self._place = place
        self._settle(vertex)
        super()._store(state, place, vertex)

    def _limits(self, field: Field) -> tuple[int, int] | None:
        """Return the numbers that a field of integers can hold; None for others."""
        dtype = field.numpy_dtype(self.graph.id_dtype)
        if dtype.kind not in "iu" or field.holds_vertices:
            return None
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)

    def _check_range(self, field: Field, number: int, what: str) -> None:
        low, high = self._limits(field) or (number, number)
        if not low <= number <= high:
            raise self._error(f"made {what} of {number} for the field {field.name!r}", self._advice(field))

    def _advice(self, field: Field) -> str:
        low, high = self._limits(field) or (0, 0)
        return (
            f"{field.numpy_dtype(self.graph.id_dtype)} holds {low} to {high}, and compiled functions wrap around: give "
            "the field another type"
        )

    def _error(self, what: str, advice: str) -> ProgramError:
        label = self._label(self._place)
        return ProgramError(f"{self.spec.name}.{self._role} {what} at vertex {label}: {advice}")

    def _label(self, place: int) -> str:
        dense = int(self.facts["id"][place])
        return repr(self.graph.ids.labels(dense, dense + 1).tolist()[0])


def _same(one: Any, other: Any) -> bool:
    """Tell whether two numbers or vectors are equal, NaN being equal to itself."""
    a, b = np.asarray(one), np.asarray(other)
    return np.array_equal(a, b, equal_nan=a.dtype.kind == b.dtype.kind == "f")


def _floats(value: Any) -> NDArray[np.float64]:
    return np.asarray(value, np.float64)


def _integers(value: Any) -> list[int]:
    return [int(number) for number in np.atleast_1d(np.asarray(value)).tolist()]


def _shown(made: tuple[Any, ...]) -> str:
    return ", ".join(str(value) for value in made)
