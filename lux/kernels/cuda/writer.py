# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Writes what is special to one program in front of `whole.cuh` or `part.cuh`: its fields, and calls of its functions.

``v`` and ``u`` are places (``u`` a position in the list of sources where the values of those are gathered first); ``now`` are a vertex's values while it is worked on, ``old`` the arrays of the copy that an
iteration reads. The kernel's arguments are words of eight bytes, in the order of `Writer.members`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from lux.functions import Function
from lux.kernels import frontier as fr
from lux.kernels.cuda.functions import C_TYPES, Device
from lux.program import BUILT_IN_PARAMETERS, Field, Reduction, Spec

FIXED = (
    "lo", "hi", "n_vertices", "n_edges", "n_rows", "n_neighbours", "first", "limit", "max_iterations", "model", "n_items",
    "chunks_length", "hot",
)  # fmt: skip
"""Numbers that every kernel is given."""
FIXED_OF_PARTS = ("part", "parts", "n_members", "noted")
POINTERS = {
    "control": "Control", "statistics": "double", "block_totals": "double", "in_offsets": "const i64",
    "sources": "const u32", "rows": "const u32", "items": "const Item", "partial": "Acc", "partial_count": "u32", "out_offsets": "const i64",
    "destinations": "const u32", "small": "u32", "chunks": "u64", "touched": "u32", "marks": "u32", "front": "u32",
    "locks": "u32", "order": "const u32",
}  # fmt: skip
POINTERS_OF_PARTS = {
    "points": "const i64", "word_at": "const i64", "old_state": "const i64", "new_state": "i64", "old_words": "const u64",
    "new_words": "u64", "outcome": "i64", "members": "const u32", "all_front": "u32", "bits": "u32",
}  # fmt: skip
HOT_BYTES = 192 << 10
"""Shared memory for the hot table; the rest of a multiprocessor's 256 KiB is its first-level cache."""
FEW_RANGES = 8
"""So many ranges are told apart by comparing, more by a division."""
_WIDE = {"bool": "uint32", "uint8": "uint32", "uint16": "uint32", "int8": "int32", "int16": "int32"}


def c_type(dtype: np.dtype[Any]) -> str:
    """The C++ type of a NumPy type."""
    return C_TYPES[dtype.name]


class Writer:
    """The text of one program's kernel.

    Parameters
    ----------
    spec : Spec
    types : mapping of (role, attribute) to dtype
        The type of each thing that the functions may read.
    ordered : bool
        The graph's vertices are stored in another order than that of their ids.
    ranges : int
        Ranges in each of which vertices with more edges come first; 0 where the graph is not stored by degree.
    part : bool
        A launch is an iteration on a partition, else it is a run on the whole graph.
    local : bool
        What neighbours are asked for is gathered first; with ``part`` only.
    peers : int
        From the memory of so many GPUs; if 0, from zero-copy memory.
    """

    def __init__(
        self,
        spec: Spec,
        types: Mapping[tuple[str, str], np.dtype[Any]],
        *,
        ordered: bool,
        ranges: int,
        part: bool = False,
        local: bool = False,
        peers: int = 0,
    ) -> None:
        self.spec, self.types, self.part, self.local, self.peers = spec, types, part, local, peers
        self.ordered = ordered and any(spec.uses(role, "id") for role in ("v", "old", "u"))
        self.ranges = ranges
        self.state = [f.name for f in spec.state]
        self.reduced = [f.name for f in spec.reduced]
        self.plain = [n for n in self.state if n not in self.reduced]
        self.constant = [f.name for f in spec.fields.values() if f.constant]
        self.totals = list(spec.totals)
        self.edge = spec.edge_properties
        self.swapped = [n for n in self.state if not spec.owned(n) and (part or not spec.sparse)]
        self.crossing = [n for n in self.state if spec.read_from_neighbours(n)]
        self.remote = self.crossing if local and not peers else []
        compute = spec.functions["compute"].arguments
        self.of_owner = [n for role, n in compute if role == "v" and n in self.state and n not in spec.lengths]
        self.of_neighbour = [
            n
            for role, n in compute
            if role == "u" and n not in spec.lengths and n != "place" and (n != "id" or self.ordered)
        ]
        self.vectors_of_neighbour = [n for role, n in compute if role == "u" and n in spec.lengths]

    # Types

    def dtype(self, name: str) -> np.dtype[Any]:
        """Type of a field."""
        return self.types["v", name]

    def field(self, name: str) -> str:
        """C++ type of a field's element."""
        return c_type(self.dtype(name))

    @cached_property
    def how(self) -> str:
        """How contributions are pushed: each field by itself, all in one word, or under a lock."""
        together = any(f.arg_of is not None or f.reduce is Reduction.OWN for f in self.spec.reduced)
        if not together:
            return "each"
        size = sum(self.dtype(n).itemsize for n in self.reduced)
        return "word" if size <= 8 and not any(n in self.spec.lengths for n in self.reduced) else "lock"

    def pending(self, name: str) -> np.dtype[Any]:
        """Type of what contributions to a field are pushed into: sums of floats in float64, small numbers wider."""
        dtype = self.dtype(name)
        adds = self.spec.fields[name].reduce is Reduction.ADD
        if self.how != "each":
            return dtype
        if adds and dtype.kind == "f":
            return np.dtype(np.float64)
        return np.dtype(_WIDE.get(dtype.name, dtype.name))

    @cached_property
    def neighbour_bytes(self) -> int:
        """Bytes of what compute reads of a neighbour, packed."""
        return sum(self.neighbour_type(n).itemsize for n in self.of_neighbour)

    def neighbour_type(self, name: str) -> np.dtype[Any]:
        """Type of something that compute reads of a neighbour, as it is stored."""
        return np.dtype(np.uint32) if name == "id" else self.types["u", name]

    @cached_property
    def uses_hot(self) -> bool:
        """Whether a table of the vertices with the most edges pays."""
        spec = self.spec
        ordered = 0 < self.ranges <= (FEW_RANGES if self.local else self.ranges)
        return bool(ordered and not spec.frontier and 0 < self.neighbour_bytes <= 16 and not spec.lengths)

    def hot_each(self, n_vertices: int) -> int:
        """Vertices of each range in the hot table."""
        if not self.uses_hot:
            return 0
        return min(HOT_BYTES // self.neighbour_bytes // self.ranges, n_vertices // self.ranges)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return 512 if self.spec.lengths else 1024

    # Arguments

    @cached_property
    def members(self) -> dict[str, str]:
        """The kernel's arguments in order, with their C++ types (each of eight bytes)."""
        found = dict.fromkeys(FIXED, "i64") | {n: f"{t}*" for n, t in POINTERS.items()}
        if self.part:
            found |= dict.fromkeys(FIXED_OF_PARTS, "i64") | {n: f"{t}*" for n, t in POINTERS_OF_PARTS.items()}
        found |= dict.fromkeys(self.range_names, "i64")
        found["out_degree"] = f"const {c_type(self.types['v', 'out_degree'])}*"
        for n in self.edge:
            kind = c_type(self.types["edge", n])
            found |= {f"in_edge_{n}": f"const {kind}*", f"out_edge_{n}": f"const {kind}*"}
        found |= {f"given_{n}": f"const {self.field(n)}*" for n in self.constant}
        found |= {f"a_{n}": f"{self.field(n)}*" for n in self.state}
        found |= {f"b_{n}": f"{self.field(n)}*" for n in self.state}
        for n in self.remote:
            found |= {f"m0_{n}": f"{self.field(n)}*", f"m1_{n}": f"{self.field(n)}*"}
        for n in self.crossing if self.peers else []:
            found |= {f"peer_{n}_{q}": f"const {self.field(n)}*" for q in range(self.peers)}
        found |= {f"near_{n}": f"{c_type(self.neighbour_type(n))}*" for n in self.near}
        if self.how == "word":
            found["pend"] = "u64*"
        else:
            found |= {f"pend_{n}": f"{c_type(self.pending(n))}*" for n in self.reduced}
        for n in self.spec.parameters:
            found[f"params_{n}"] = "double" if self.types["params", n].kind == "f" else "i64"
        return found

    def devices(self) -> list[Device]:
        """The program's functions."""
        made = []
        for name, f in self.spec.functions.items():
            made.append(Device(self.spec, f, f"lux_{name}", self.types, self._returned(f)))
        for k, f in enumerate(self.spec.totals.values()):
            made.append(Device(self.spec, f, f"lux_total_{k}", self.types, [np.dtype(np.float64)]))
        return made

    def _returned(self, function: Function) -> list[np.dtype[Any]]:
        if function.name == "compute":
            return [self.dtype(n) for n in self.reduced if n not in self.spec.lengths]
        first = [np.dtype(np.bool_)] if function.returns_value else []
        return [*first, *(self.dtype(n) for n in function.writes)]

    # Calls

    def call(self, function: Function, symbol: str, v: str, old: str, results: Sequence[str], outs: str = "") -> str:
        """A call; ``v`` and ``old`` are variables (Value, Owner or Acc), or the arrays ``old``."""
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
            return ["g.out_degree[v]"]
        if name in self.constant:
            return [f"g.given_{name}[v]"]
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
        return [f"old.{name}", f"(i64){place} * {length}"] if source in ("old", "own") else [f"{source}.{name}", "0"]

    # Text

    def _declare(self, names: Sequence[str]) -> str:
        lengths = self.spec.lengths
        lines = (f"{self.field(n)} {n}" + (f"[{lengths[n]}]" if n in lengths else "") + ";" for n in names)
        return " ".join(lines)

    def _each(self, name: str, statement: str) -> str:
        """A statement for a scalar, or with ``[k]`` for every element of a vector; ``@`` marks where the index goes."""
        if name not in self.spec.lengths:
            return statement.replace("@", "")
        return f"for (int k = 0; k < {self.spec.lengths[name]}; ++k) {statement.replace('@', '[k]')}"

    def _at(self, array: str, name: str) -> str:
        """An element of an array by vertex."""
        k = self.spec.lengths.get(name)
        return f"{array}[v]" if k is None else f"{array}[(u64)v * {k} + k]"

    def identity(self, field: Field) -> str:
        """The identity of a field's reduction."""
        kind = self.field(field.name)
        dtype = self.dtype(field.name)
        if field.reduce is Reduction.OWN:
            return f"({kind}){_number(field.identity)}"
        if field.arg_of is not None or field.reduce is Reduction.MIN:
            return _extreme(dtype, largest=True)
        if field.reduce is Reduction.MAX:
            return _extreme(dtype, largest=False)
        if field.reduce is Reduction.AND:
            return "1" if dtype == np.bool_ else f"({kind})~({kind})0"
        return f"({kind})0"

    def text(self) -> str:
        """All that goes in front of `program.cuh`."""
        spec = self.spec
        scalars = [n for n in self.reduced if n not in spec.lengths]
        macros = {
            "SPARSE": int(spec.sparse), "HAS_FRONTIER": int(spec.frontier), "HAS_DONE": int("done" in spec.functions),
            "HAS_CONVERGED": int("converged" in spec.functions), "HAS_VECTORS": int(bool(spec.lengths)),
            "TOTALS": len(self.totals), "HOT": int(self.uses_hot), "RANGES": max(self.ranges, 1),
            "THREADS": self.threads, "PULL_ABOVE": fr.PULL_ABOVE, "PUSH_BELOW": fr.PUSH_BELOW,
            "PART": int(self.part), "LOCAL": int(self.local), "PEERS": self.peers,
        }  # fmt: skip
        if self.part:
            columns = ("ITERATIONS", "FINISHED", "ACTIVE", "ACTIVE_EDGES", "FORM", "MODEL", "TOTALS")
            macros |= {f"STATE_{n}": getattr(fr, n) for n in columns} | {"STATE_COLUMNS": fr.STATE_COLUMNS}
            macros |= {f"FORM_{n}": getattr(fr, n) for n in ("QUEUE", "BITMAP", "EVERY")}
        inside = "__device__ __forceinline__"
        lines = ['#include "common.cuh"', '#include "words.cuh"']
        lines += [f"#define {k} {v}" for k, v in macros.items()]
        lines += [d.declaration() for d in self.devices()]
        lines += ["struct Item;", "struct Control;"]
        lines.append(f"struct Acc {{ {self._declare(self.reduced)} }};")
        lines.append(f"struct Value {{ {self._declare(self.state)} }};")
        lines.append(f"struct Owner {{ {self._declare(self.of_owner)} }};")
        ask = [f"ask_for(old.{n} + (u64)v * {spec.lengths.get(n, 1)});" for n in self.plain]
        ask += [f"ask_for(g.given_{n} + (u64)v * {spec.lengths.get(n, 1)});" for n in self.constant]
        ask += ["ask_for(g.out_degree + v);"] if spec.uses("v", "out_degree") else []
        by_size = sorted(self.of_neighbour, key=lambda n: -self.neighbour_type(n).itemsize)
        members = " ".join(f"{c_type(self.neighbour_type(n))} {n};" for n in by_size)
        lines.append(f"struct Neighbour {{ {members} }};")
        properties = " ".join(c_type(self.types["edge", n]) + f" {n};" for n in self.edge)
        lines.append(f"struct Edge {{ {properties} }};")
        lines.append(f"struct Known {{ i64 n_vertices, iteration; double total[{max(len(self.totals), 1)}]; }};")
        lines.append(f"struct Fields {{ {' '.join(f'{self.field(n)}* {n};' for n in self.state)} }};")
        lines.append(f"struct Args {{ {' '.join(f'{t} {n};' for n, t in self.members.items())} }};")
        lines += self._copies(inside)
        for side in ("in", "out"):
            values = ", ".join(f"__ldcs(g.{side}_edge_{n} + e)" for n in self.edge)
            lines.append(f"{inside} Edge g_{side}_edges(const Args& g, i64 e) {{ return Edge{{{values}}}; }}")
        lines.append(f"{inside} void ask_for_vertex(const Args& g, const Fields& old, u32 v) {{ {' '.join(ask)} }}")
        own = ", ".join(f"old.{n}[v]" for n in self.of_owner)
        lines.append(f"{inside} Owner load_owner(const Args& g, const Fields& old, u32 v) {{ return Owner{{{own}}}; }}")
        lines.append(
            f"{inside} Neighbour load_neighbour(const Args& g, const Fields& old, u32 u) "
            f"{{ return Neighbour{{{', '.join(f'load_either({self._of_neighbour(n)} + u)' for n in by_size)}}}; }}"
        )
        lines += self._hot(inside, by_size) if self.uses_hot else []
        compute = spec.functions["compute"]
        call = self.call(compute, "lux_compute", "own", "own", [f"&x.{n}" for n in scalars], "x")
        lines.append(
            f"{inside} void contribution(const Args& g, const Known& known, const Fields& old, const Owner& own, u32 v, "
            f"const Neighbour& n, u32 u, const Edge& edge, Acc& x) {{ {call} }}"
        )
        clear = " ".join(self._each(f.name, f"a.{f.name}@ = {self.identity(f)};") for f in spec.reduced)
        lines.append(f"{inside} void identity(Acc& a) {{ {clear} }}")
        lines.append(f"{inside} void combine(Acc& a, const Acc& b) {{ {self._combine()} }}")
        moved = " ".join(
            self._each(n, f"y.{n}@ = ({self.field(n)})shuffle_word(mask, x.{n}@, d, width);") for n in self.reduced
        )
        lines.append(
            f"{inside} Acc shuffle_down(u32 mask, const Acc& x, int d, int width) {{ Acc y; {moved} return y; }}"
        )
        from_lane = " ".join(
            self._each(n, f"y.{n}@ = ({self.field(n)})shuffle_word_from(x.{n}@, lane);") for n in self.reduced
        )
        lines.append(f"{inside} Acc shuffle_from(const Acc& x, u32 lane) {{ Acc y; {from_lane} return y; }}")
        read = " ".join(self._each(n, f"y.{n}@ = __ldcg(&p->{n}@);") for n in self.reduced)
        lines.append(f"{inside} Acc load_partial(const Acc* p) {{ Acc y; {read} return y; }}")
        lines += self._vertices(inside)
        lines += self._pushes(inside)
        lines += self._tests(inside)
        if self.part:
            lines += self._parts(inside)
        return "\n".join([*lines, f'#include "{"part" if self.part else "whole"}.cuh"', ""])

    @cached_property
    def near(self) -> list[str]:
        """What is gathered of the neighbours first."""
        return [*self.of_neighbour, *self.vectors_of_neighbour] if self.local else []

    @cached_property
    def range_names(self) -> list[str]:
        """Arguments that say where the second range begins, and if they are few, each later one."""
        return [f"range_{k}" for k in range(1, self.ranges)] if self._few_ranges else ["range_1"]

    @property
    def _few_ranges(self) -> bool:
        return self.ranges <= FEW_RANGES

    def _copies(self, inside: str) -> list[str]:
        """What an iteration reads and writes. A launch for each iteration is given the two copies in their roles."""
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
        """Copying a vertex, and where neighbours' values are gathered first, gathering one."""
        carried = " ".join(self._each(n, self._put(n, self._at(f"old.{n}", n))) for n in self.swapped)
        lines = [f"{inside} void carry(const Args& g, const Fields& old, const Fields& out, u32 v) {{ {carried} }}"]
        if not self.local:
            return lines
        fields: list[str] = []
        constants: list[str] = []
        for n in self.of_neighbour:
            (fields if n in self.crossing else constants).append(f"g.near_{n}[k] = {self._far(n)}[u];")
        for n in self.vectors_of_neighbour:
            length = self.spec.lengths[n]
            copy = f"g.near_{n}[(u64)k * {length} + j] = {self._far(n)}[(u64)u * {length} + j];"
            (fields if n in self.crossing else constants).append(f"for (int j = 0; j < {length}; ++j) {copy}")
        given = "(const Args& g, u32 owner, u32 u, u32 k)"
        return [
            *lines,
            f"{inside} void load_member{given} {{ {' '.join(fields)} }}",
            f"{inside} void load_constants{given} {{ {' '.join(constants)} }}",
        ]

    def _put(self, name: str, value: str) -> str:
        """Store a value of vertex v (for `_each`) in the copy that is written and, if it lies there, in zero-copy memory."""
        text = f"{self._at(f'out.{name}', name)} = {value};"
        return f"{{ {text} {self._at(f'g.b_{name}', name)} = {value}; }}" if name in self.remote else text

    def _of_neighbour(self, name: str) -> str:
        """The array of something that compute reads of neighbours."""
        if self.local:
            return f"g.near_{name}"
        return f"old.{name}" if name in self.state else self._array(name)

    def _far(self, name: str) -> str:
        """Where a neighbour's value is gathered from."""
        return f"(&g.peer_{name}_0)[owner]" if self.peers and name in self.crossing else self._array(name)

    def _array(self, name: str) -> str:
        """The array of a field or property by place."""
        if name in ("id", "out_degree"):
            return "g.order" if name == "id" else "g.out_degree"
        return f"g.given_{name}" if name in self.constant else f"g.a_{name}"

    def _hot(self, inside: str, names: Sequence[str]) -> list[str]:
        """Reading and writing the hot table: an array for each name, the widest first."""
        room, at, read, keep = HOT_BYTES // self.neighbour_bytes, 0, [], []
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

    def _combine(self) -> str:
        spec = self.spec
        how = {
            Reduction.ADD: "a.{n}@ += b.{n}@;",
            Reduction.MIN: "a.{n}@ = b.{n}@ < a.{n}@ ? b.{n}@ : a.{n}@;",
            Reduction.MAX: "a.{n}@ = b.{n}@ > a.{n}@ ? b.{n}@ : a.{n}@;",
            Reduction.OR: "a.{n}@ |= b.{n}@;",
            Reduction.AND: "a.{n}@ &= b.{n}@;",
        }
        args = next((f for f in spec.reduced if f.arg_of is not None), None)
        if args is not None:
            key = next(f for f in spec.reduced if f.name == args.arg_of)
            sign = "<" if key.reduce is Reduction.MIN else ">"
            return (
                f"if (b.{key.name} {sign} a.{key.name} || (b.{key.name} == a.{key.name} && b.{args.name} < a.{args.name})) "
                f"{{ a.{key.name} = b.{key.name}; a.{args.name} = b.{args.name}; }}"
            )
        lines = [self._each(f.name, how[f.reduce].format(n=f.name)) for f in spec.reduced if f.reduce in how]
        own = spec.functions.get("combine")
        if own is not None:
            lines.append(self.call(own, "lux_combine", "a", "a", [f"&a.{n}" for n in own.writes]))
        return " ".join(lines)

    def _vertices(self, inside: str) -> list[str]:
        spec = self.spec
        known, vertex = "const Args& g, const Known& known", "const Fields& old, u32 v"
        load = [
            self._each(n, f"now.{n}@ = {self.identity(spec.fields[n])};")
            if n in self.reduced and not spec.frontier
            else self._each(n, f"now.{n}@ = {self._at(f'old.{n}', n)};")
            for n in self.state
        ]
        if "init" in spec.functions:
            f = spec.functions["init"]
            load.append(self.call(f, "lux_init", "now", "old", [f"&now.{n}" for n in f.writes]))
        update = self._update("old")
        back = " ".join(self._each(n, f"now.{n}@ = {self._at(f'old.{n}', n)};") for n in self.state)
        store = " ".join(self._each(n, self._put(n, f"now.{n}@")) for n in self.state)
        take = " ".join(self._each(n, f"base.{n}@ = now.{n}@;") for n in self.reduced)
        give = " ".join(self._each(n, f"now.{n}@ = base.{n}@;") for n in self.reduced)
        end = f"{update} {f'if (!active) {{ {back} }}' if spec.frontier else ''} {self._add_totals('old')} {store} return active;"
        lines = [f"{inside} void begin_vertex({known}, {vertex}, Value& now) {{ {' '.join(load)} }}"]
        lines.append(
            f"{inside} bool finish_vertex({known}, const Fields& old, const Fields& out, u32 v, const Acc& acc, double* totals) "
            f"{{ Value now; begin_vertex(g, known, old, v, now); Acc base; {take} combine(base, acc); {give} {end} }}"
        )
        plain = " ".join(self._each(n, f"{self._at(f'out.{n}', n)} = now.{n}@;") for n in self.plain)
        again = " ".join(self._each(n, f"now.{n}@ = {self._at(f'out.{n}', n)};") for n in self.plain)
        lines.append(f"{inside} void pend_set(const Args& g, u32 v, const Acc& x);")
        lines.append(f"{inside} Acc pend_get(const Args& g, u32 v);")
        lines.append(
            f"{inside} void lay_ready({known}, const Fields& old, const Fields& out, u32 v) "
            f"{{ Value now; begin_vertex(g, known, old, v, now); Acc base; {take} pend_set(g, v, base); {plain} }}"
        )
        lines.append(
            f"{inside} bool finish_pushed({known}, const Fields& old, const Fields& out, u32 v, double* totals) "
            f"{{ Value now; {again} const Acc base = pend_get(g, v); {give} {end} }}"
        )
        start = spec.functions["start"]
        first = " ".join(self._each(f.name, f"now.{f.name}@ = {self.identity(f)};") for f in spec.state)
        results = [*(["&flag"] if start.returns_value else []), *(f"&now.{n}" for n in start.writes)]
        write = " ".join(self._each(n, self._put(n, f"now.{n}@")) for n in self.state)
        if self.part and spec.sparse:  # what no vertex changes is never written again
            write += " " + " ".join(self._each(n, f"{self._at(f'old.{n}', n)} = now.{n}@;") for n in self.swapped)
            write += " " + " ".join(self._each(n, f"{self._at(f'g.a_{n}', n)} = now.{n}@;") for n in self.remote)
        pend = f"Acc base; {take} pend_set(g, v, base);" if spec.sparse else ""
        lines.append(
            f"{inside} bool first_values({known}, u32 v, double* totals) "
            f"{{ const Fields old = old_fields(g, -1), out = new_fields(g, -1); Value now; "
            f"unsigned char flag = 1; {first} {self.call(start, 'lux_start', 'now', 'now', results)} "
            f"{self._add_totals('now')} {write} {pend} return flag; }}"
        )
        return lines

    def _update(self, old: str) -> str:
        f = self.spec.functions["update"]
        results = [*(["&flag"] if f.returns_value else []), *(f"&now.{n}" for n in f.writes)]
        return f"unsigned char flag = 1; {self.call(f, 'lux_update', 'now', old, results)} const bool active = flag;"

    def _add_totals(self, old: str) -> str:
        calls = (
            f"{{ double x; {self.call(f, f'lux_total_{k}', 'now', old, ['&x'])} totals[{k}] += x; }}"
            for k, f in enumerate(self.spec.totals.values())
        )
        return " ".join(calls)

    def _pushes(self, inside: str) -> list[str]:
        """Where contributions are pushed to: set, get, and push, which says whether anything changed."""
        set_, get, push = (
            f"{inside} void pend_set(const Args& g, u32 v, const Acc& x)",
            f"{inside} Acc pend_get(const Args& g, u32 v)",
            f"{inside} bool pend_push(const Args& g, u32 v, const Acc& x)",
        )
        if self.how == "word":
            shift, pack, unpack = 0, [], []
            for n in sorted(self.reduced, key=lambda n: -self.dtype(n).itemsize):
                bits = 8 * self.dtype(n).itemsize
                pack.append(f"((u64)bits_of(x.{n}) << {shift})")
                unpack.append(f"from_bits((u{bits})(w >> {shift}), x.{n});")
                shift += bits
            return [
                f"{inside} u64 pack(const Acc& x) {{ return {' | '.join(pack)}; }}",
                f"{inside} Acc unpack(u64 w) {{ Acc x; {' '.join(unpack)} return x; }}",
                f"{set_} {{ g.pend[v] = pack(x); }}",
                f"{get} {{ return unpack(__ldcg(g.pend + v)); }}",
                f"{push} {{ u64 seen = __ldcg(g.pend + v); while (true) {{ Acc a = unpack(seen); combine(a, x); "
                "const u64 w = pack(a); if (w == seen) return false; "
                "const u64 was = atomicCAS(g.pend + v, seen, w); if (was == seen) return true; seen = was; } }",
            ]
        store = " ".join(self._each(n, f"{self._at(f'g.pend_{n}', n)} = x.{n}@;") for n in self.reduced)
        load = " ".join(
            self._each(n, f"x.{n}@ = ({self.field(n)})__ldcg(&{self._at(f'g.pend_{n}', n)});") for n in self.reduced
        )
        lines = [f"{set_} {{ {store} }}", f"{get} {{ Acc x; {load} return x; }}"]
        if self.how == "lock":
            differ = " ".join(self._each(n, f"changed |= a.{n}@ != before.{n}@;") for n in self.reduced)
            return [
                *lines,
                f"{push} {{ bool changed = false; for (bool done = false; !done;) {{ if (atomicCAS(g.locks + v, 0u, 1u) == 0u) "
                "{ __threadfence(); const Acc before = pend_get(g, v); Acc a = before; combine(a, x); "
                f"{differ} pend_set(g, v, a); __threadfence(); atomicExch(g.locks + v, 0u); done = true; }} }} return changed; }}",
            ]
        each = []
        for f in self.spec.reduced:
            operation = {
                Reduction.ADD: "Add",
                Reduction.MIN: "Min",
                Reduction.MAX: "Max",
                Reduction.OR: "Or",
                Reduction.AND: "And",
            }
            assert f.reduce is not None
            kind = c_type(self.pending(f.name))
            target = f"&{self._at(f'g.pend_{f.name}', f.name)}"
            each.append(
                self._each(f.name, f"changed |= push_word<{operation[f.reduce]}>({target}, ({kind})x.{f.name}@);")
            )
        return [*lines, f"{push} {{ bool changed = false; {' '.join(each)} return changed; }}"]

    def _tests(self, inside: str) -> list[str]:
        spec, lines = self.spec, []
        test = spec.functions.get("converged")
        call = "" if test is None else self.call(test, "lux_converged", "", "", ["&flag"])
        lines.append(
            f"{inside} bool has_converged(const Args& g, const Known& known) {{ unsigned char flag = 0; {call} return flag; }}"
        )
        if not spec.sparse:
            return lines
        vertex = "const Args& g, const Fields& old, u32 v"
        take = " ".join(f"x.{n} = old.{n}[v];" for n in self.reduced)
        lines.append(f"{inside} void begin_sparse({vertex}, Acc& x) {{ {take} }}")
        differ = " || ".join(f"x.{n} != old.{n}[v]" for n in self.reduced)
        lines.append(f"{inside} bool differs({vertex}, const Acc& x) {{ return {differ}; }}")
        if "done" in spec.functions:
            f = spec.functions["done"]
            lines.append(
                f"{inside} bool done_before({vertex}) {{ unsigned char flag; "
                f"{self.call(f, 'lux_done', 'old', 'old', ['&flag'])} return flag; }}"
            )
            rest = " ".join(f"now.{n} = old.{n}[v];" for n in self.plain)
            now = " ".join(f"now.{n} = x.{n};" for n in self.reduced)
            lines.append(
                f"{inside} bool done_with({vertex}, const Acc& x) {{ Value now; {rest} {now} unsigned char flag; "
                f"{self.call(f, 'lux_done', 'now', 'old', ['&flag'])} return flag; }}"
            )
        now = " ".join(f"now.{n} = x.{n};" for n in self.reduced) + " ".join(
            f" now.{n} = old.{n}[v];" for n in self.plain
        )
        store = " ".join(self._put(n, f"now.{n}") for n in self.reduced)
        lines.append(
            f"{inside} bool settle_vertex(const Args& g, const Known& known, const Fields& old, const Fields& out, u32 v) {{ "
            f"Acc x = pend_get(g, v); Value now; {now} {self._update('old')} "
            f"if (active) {{ {store} }} else {{ begin_sparse(g, old, v, x); pend_set(g, v, x); }} return active; }}"
        )
        return lines


def _number(value: float) -> str:
    if value != value:  # noqa: PLR0124  # not a number
        return "__longlong_as_double(0x7ff8000000000000ll)"
    if value in (float("inf"), float("-inf")):
        return ("-" if value < 0 else "") + "__longlong_as_double(0x7ff0000000000000ll)"
    return repr(value)


def _extreme(dtype: np.dtype[Any], *, largest: bool) -> str:
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
