# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Pieces of a kernel's text: calls of a program's functions, elements of fields, and the copies that they lie in.

``v`` and ``u`` are positions in the stored order (``u`` in the list of sources where their values are gathered first);
``now`` are a vertex's values while it is worked on, ``old`` the arrays of the copy that an iteration reads, and
``before`` the values of them, and of constants, that were loaded before the vertex's edges were gathered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lux.codegen.cuda_arguments import Arguments, c_type
from lux.program.fields import Field, Reduction
from lux.program.parser import Function
from lux.program.spec import BUILT_IN_PARAMETERS


class Expressions(Arguments):
    """Pieces of the text of one program's kernel."""

    def call(self, function: Function, symbol: str, v: str, old: str, results: Sequence[str], outs: str = "") -> str:
        """Write a call; ``v`` and ``old`` are variables (Value, Vertex, Owner or Acc), or the arrays ``old``."""
        given = [x for role, name in function.arguments for x in self._argument(role, name, v, old)]
        given += [f"{outs}.{n}" for n in function.outs]
        return f"{symbol}({', '.join([*given, *results])});"

    def _argument(self, role: str, name: str, v: str, old: str) -> list[str]:
        if role == "params":
            if name in BUILT_IN_PARAMETERS:
                return [f"known.{name}"]
            kind = c_type(self.types["params", name])
            return [f"known.total[{self.totals.index(name)}]" if name in self.totals else f"({kind})g.params_{name}"]
        if role == "edge":
            return [f"edge.{name}"]
        if role in ("a", "b"):
            return [f"{role}.{name}"]
        place = "v" if role != "u" else "g.members[u]" if self.local else "u"
        if name in self.spec.lengths:
            return self._vector(role, name, v, old)
        if role == "u" and name in self.of_neighbour:
            return [f"(i64)n.{name}" if name == "id" else f"n.{name}"]
        if name in ("id", "place"):
            return [f"(i64)g.order[{place}]" if name == "id" and self.ordered else f"(i64){place}"]
        if name == "in_degree":
            return ["g.in_offsets[v + 1] - g.in_offsets[v]"]
        if name == "out_degree":
            return ["before.out_degree" if old == "before" else "g.out_degree[v]"]
        if name in self.constant:
            return [f"before.{name}" if old == "before" else f"g.given_{name}[v]"]
        source = old if role == "old" else v
        return [f"old.{name}[v]" if source == "old" else f"{source}.{name}"]

    def _vector(self, role: str, name: str, v: str, old: str) -> list[str]:
        length, kind = self.spec.lengths[name], self.field(name)
        place = "u" if role == "u" else "v"
        if role == "u" and self.local:
            return [f"g.near_{name}", f"(i64)u * {length}"]
        if name in self.constant:
            return [f"const_cast<{kind}*>(g.given_{name})", f"(i64){place} * {length}"]
        source = "old" if role == "u" else (old if role == "old" else v)
        return (
            [f"old.{name}", f"(i64){place} * {length}"]
            if source in ("old", "own", "before")
            else [f"{source}.{name}", "0"]
        )

    def _declare(self, names: Sequence[str]) -> str:
        lengths = self.spec.lengths
        lines = (f"{self.field(n)} {n}" + (f"[{lengths[n]}]" if n in lengths else "") + ";" for n in names)
        return " ".join(lines)

    def _each(self, name: str, statement: str) -> str:
        """Write a statement for a scalar, or with ``[k]`` for every element of a vector; ``@`` marks the index."""
        if name not in self.spec.lengths:
            return statement.replace("@", "")
        return f"for (int k = 0; k < {self.spec.lengths[name]}; ++k) {statement.replace('@', '[k]')}"

    def _at(self, array: str, name: str) -> str:
        """Write an element of an array by vertex."""
        k = self.spec.lengths.get(name)
        return f"{array}[v]" if k is None else f"{array}[(u64)v * {k} + k]"

    def _old(self, name: str, old: str) -> str:
        """Write a state's value (for `_each`) before an iteration: of the arrays ``old``, or of ``before`` if it is there."""
        return f"before.{name}" if old == "before" and name in self.of_vertex else self._at(f"old.{name}", name)

    def identity(self, field: Field) -> str:
        """Write the identity of a field's reduction."""
        kind = self.field(field.name)
        dtype = self.dtype(field.name)
        if field.reduce is Reduction.CUSTOM:
            return f"({kind}){_number(field.identity)}"
        if field.arg_of is not None or field.reduce is Reduction.MIN:
            return extreme(dtype, largest=True)
        if field.reduce is Reduction.MAX:
            return extreme(dtype, largest=False)
        if field.reduce is Reduction.AND:
            return "1" if dtype == np.bool_ else f"({kind})~({kind})0"
        return f"({kind})0"

    def _copies(self, inside: str) -> list[str]:
        """Write the copies that an iteration reads and writes; a launch for each iteration gets them in their roles."""
        if not self.part:
            a, b = (", ".join(f"g.{c}_{n}" for n in self.state) for c in "ab")
            odd = "false" if self.spec.sparse else "iteration & 1"
            even = "false" if self.spec.sparse else "!(iteration & 1)"
            return [
                f"{inside} Fields a_or_b(const Args& g, bool second) {{ Fields a{{{a}}}, b{{{b}}}; return second ? b : a; }}",
                f"{inside} Fields old_fields(const Args& g, i64 iteration) {{ return a_or_b(g, {odd}); }}",
                f"{inside} Fields new_fields(const Args& g, i64 iteration) {{ return a_or_b(g, {even}); }}",
            ]

        def copy(name: str, which: str, parity: str) -> str:
            return f"{parity} ? g.m1_{name} : g.m0_{name}" if name in self.remote else f"g.{which}_{name}"

        old = ", ".join(copy(n, "a", "(iteration & 1)") for n in self.state)
        new = ", ".join(copy(n, "b", "!(iteration & 1)") for n in self.state)
        return [
            f"{inside} Fields old_fields(const Args& g, i64 iteration) {{ return Fields{{{old}}}; }}",
            f"{inside} Fields new_fields(const Args& g, i64 iteration) {{ return Fields{{{new}}}; }}",
        ]

    def _parts(self, inside: str) -> list[str]:
        """Write the copy of a vertex and, where neighbours' values are gathered first, the gather of one."""
        carried = " ".join(self._each(n, self._put(n, self._at(f"old.{n}", n))) for n in self.swapped)
        lines = [f"{inside} void carry(const Args& g, const Fields& old, const Fields& out, u32 v) {{ {carried} }}"]
        lines.append(f"{inside} void take_over(const Args& g, u32 v) {{ {self._taken()} }}")
        if not self.local:
            return lines
        fields: list[str] = []
        constants: list[str] = []
        for n in self.of_neighbour:
            (fields if n in self.crossing else constants).append(f"g.near_{n}[k] = {self._remote_array(n)}[u];")
        for n in self.vectors_of_neighbour:
            length = self.spec.lengths[n]
            copy = f"g.near_{n}[(u64)k * {length} + j] = {self._remote_array(n)}[(u64)u * {length} + j];"
            (fields if n in self.crossing else constants).append(f"for (int j = 0; j < {length}; ++j) {copy}")
        lines += self._messages(inside) if self.packed else []
        given = "(const Args& g, u32 owner, u32 u, u32 k)"
        return [
            *lines,
            f"{inside} void load_member{given} {{ {' '.join(fields)} }}",
            f"{inside} void load_constants{given} {{ {' '.join(constants)} }}",
        ]

    def _messages(self, inside: str) -> list[str]:
        """Write size, writing and reading of a message's values: field by field, each from a word of 64 bits on."""
        words, give, take = [], [], []
        for n in self.exchanged:
            kind, length, end = self.field(n), self.spec.lengths.get(n, 1), f"(n * {self.bytes_of(n)} + 7) / 8"
            words.append(end)
            each = f"for (int j = 0; j < {length}; ++j)" if n in self.spec.lengths else "const int j = 0;"
            value = f"reinterpret_cast<{kind}*>(at)[i * {length} + j]"
            give.append(f"{{ {each} {value} = g.b_{n}[(u64)v * {length} + j]; at += {end}; }}")
            value = f"reinterpret_cast<const {kind}*>(at)[i * {length} + j]"
            take.append(f"{{ {each} g.near_{n}[(u64)k * {length} + j] = {value}; at += {end}; }}")
        return [
            f"{inside} u64 value_words(u64 n) {{ return {' + '.join(words) or '0'}; }}",
            f"{inside} void give_values(const Args& g, u64* at, u64 n, u64 i, u32 v) {{ {' '.join(give)} }}",
            f"{inside} void take_values(const Args& g, const u64* at, u64 n, u64 i, u32 k) {{ {' '.join(take)} }}",
        ]

    def _taken(self) -> str:
        """Write the values of a vertex that a partition keeps besides fields, from b as after a run's start."""
        taken = [
            self._each(n, f"{self._at(f'g.m0_{n}', n)} = {self._at(f'g.m1_{n}', n)} = {self._at(f'g.b_{n}', n)};")
            for n in self.remote
        ]
        if self.spec.sparse:
            taken.append("Acc base;")
            taken += [self._each(n, f"base.{n}@ = {self._at(f'g.b_{n}', n)};") for n in self.reduced]
            taken.append("pend_set(g, v, base);")
        return " ".join(taken)

    def _put(self, name: str, value: str) -> str:
        """Write a store of vertex v's value (for `_each`) to the new copy and, if it lies there, to zero-copy memory."""
        text = f"{self._at(f'out.{name}', name)} = {value};"
        return f"{{ {text} {self._at(f'g.b_{name}', name)} = {value}; }}" if name in self.remote else text

    def _of_neighbour(self, name: str) -> str:
        """Write the array of a value that compute reads of neighbours."""
        if self.local:
            return f"g.near_{name}"
        return f"old.{name}" if name in self.state else self._array(name)

    def _remote_array(self, name: str) -> str:
        """Write the array from which a neighbour's value is gathered."""
        return f"(&g.peer_{name}_0)[owner]" if self.peers and name in self.crossing else self._array(name)

    def _array(self, name: str) -> str:
        """Write the array of a field or property by position in the stored order."""
        if name in ("id", "out_degree"):
            return "g.order" if name == "id" else "g.out_degree"
        return f"g.given_{name}" if name in self.constant else f"g.a_{name}"

    def _hot(self, inside: str, names: Sequence[str]) -> list[str]:
        """Write loads and stores of the hot table: an array for each name, the widest first."""
        room, at, read, keep = self.hot_bytes // self.neighbour_bytes, 0, [], []
        for n in names:
            kind = c_type(self.neighbour_type(n))
            array = f"reinterpret_cast<{kind}*>(dynamic_memory + {at * room})"
            read.append(f"load_either(hot ? {array} + slot : const_cast<{kind}*>({self._of_neighbour(n)}) + u)")
            keep.append(f"{array}[slot] = n.{n};")
            at += self.neighbour_type(n).itemsize
        if self._few_ranges:
            later = [f"(u32)g.range_{k}" for k in range(1, self.ranges)]
            tests = " ".join(f"if (u >= {first}) range = {k}, first = {first};" for k, first in enumerate(later, 1))
            of = f"u32 range = 0; first = 0; {tests} return range;"
            begin = "return " + "".join(f"k == {k} ? {first} : " for k, first in enumerate(later, 1)) + "0;"
        else:
            of = "const u32 range = u / (u32)g.range_1; first = range * (u32)g.range_1; return range;"
            begin = "return k * (u32)g.range_1;"
        return [
            f"{inside} u32 range_of(const Args& g, u32 u, u32& first) {{ {of} }}",
            f"{inside} u32 range_first(const Args& g, u32 k) {{ {begin} }}",
            "extern __shared__ __align__(16) unsigned char dynamic_memory[];",
            f"{inside} Neighbour either_neighbour(const Args& g, const Fields& old, u32 u, bool hot, u32 slot) "
            f"{{ return Neighbour{{{', '.join(read)}}}; }}",
            f"{inside} void keep_hot(const Neighbour& n, u32 slot) {{ {' '.join(keep)} }}",
        ]


def _number(value: float) -> str:
    if value != value:  # noqa: PLR0124  # not a number
        return "__longlong_as_double(0x7ff8000000000000ll)"
    if value in (float("inf"), float("-inf")):
        return ("-" if value < 0 else "") + "__longlong_as_double(0x7ff0000000000000ll)"
    return repr(value)


def extreme(dtype: np.dtype[Any], *, largest: bool) -> str:
    """Write the largest or smallest value of a type, in CUDA C++.

    >>> extreme(np.dtype(np.int32), largest=True)
    '(int)2147483647ll'
    """
    kind = c_type(dtype)
    if dtype == np.bool_:
        return "1" if largest else "0"
    if dtype.kind == "f":
        return f"({kind}){_number(float('inf') if largest else float('-inf'))}"
    info = np.iinfo(dtype)
    value = int(info.max if largest else info.min)
    if dtype.kind == "u":
        return f"({kind}){value}ull"
    return f"({kind})({value + 1}ll - 1)" if value < 0 else f"({kind}){value}ll"
