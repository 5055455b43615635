# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Writer of the CPU kernels of one program: ``start`` and ``run``, for a partition, in both models.

The text is a module of its own: the program's functions, then the loops around them with one line for each field. The
text is kept on disk under the hash of its content, where Numba's cache finds the compiled code again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from lux.program.fields import Field, Reduction
from lux.program.parser import Function
from lux.program.spec import BUILT_IN_PARAMETERS, Spec

COPIES = ("a", "b", "aw", "bw")
"""Views of the two copies, a and b, of the fields that iterations change: the elements that a partition reads, and
those that it writes.
"""
CONTROL = ["model", "max_iterations", "n_edges", "statistics", "limit", "work_limit", "meeting", "threads", "between"]
"""The last arguments of ``run``."""
FACTORS = ["do_a", "do_b"]
"""Further arguments of programs whose directions can be chosen by estimates."""


class Place(NamedTuple):
    """A vector in an array: the array and the index of its first element, as text."""

    array: str
    first: str

    @property
    def element(self) -> str:
        """The element at a loop's index ``element``."""
        return f"{self.array}[{self.first} + element]"


class Writer:
    """The generated text of one program's kernels."""

    def __init__(self, spec: Spec, *, ordered: bool = False, blocked: bool = False) -> None:
        self.spec = spec
        self.ordered = ordered
        self.blocked = blocked
        self.wants_order = ordered and any(spec.uses(role, "id") for role in ("v", "old", "u"))
        self.state = [f.name for f in spec.state]
        self.reduced = [f.name for f in spec.reduced]
        self.plain = [n for n in self.state if n not in self.reduced]
        self.owned = [n for n in self.state if spec.owned(n)]
        self.shared_state = [n for n in self.state if n not in self.owned]
        # Fields that pushes save before they change them in place.
        self.saved = [n for n in self.reduced if n in self.owned and spec.sparse]
        self.constant = [f.name for f in spec.fields.values() if f.constant]
        self.params = spec.parameters
        self.totals = list(spec.totals)
        self.edge = spec.edge_properties
        self.lengths = spec.lengths

    # Arguments of the kernels, in order; `lux/engine/run/program_launches.py` passes the same names.

    def shared(self) -> list[str]:
        """List arguments that both kernels take first."""
        return [
            "lo", "hi", "part", "n_vertices", "points", "queue_at", "word_at", "in_offsets",
            *(["out_degree"] if self.wants_out_degree() else []),
            *(["order"] if self.wants_order else []),
            *(f"given_{n}" for n in self.constant),
        ]  # fmt: skip

    def in_edges(self) -> list[str]:
        """List the partition's edges by destination, or in tiles."""
        by = ["place_bits", "block_starts", "blocks_at", "packed"] if self.blocked else ["sources"]
        return [*by, *(f"in_edge_{n}" for n in self.edge)]

    def edges(self) -> list[str]:
        """List the partition's edges by destination, then by source; or in tiles."""
        if self.blocked:
            return self.in_edges()
        return [*self.in_edges(), "ins", "out_offsets", "destinations", *(f"out_edge_{n}" for n in self.edge)]

    def scratch_arrays(self) -> list[str]:
        """List arrays that ``run`` makes once for all its iterations."""
        if self.blocked:
            return [f"sum_{n}" for n in self.reduced]
        return ["far", "members", "touched", *(["marks"] if self.saved else []), *(f"before_{n}" for n in self.saved)]

    @property
    def in_ranges(self) -> bool:
        """True if vertices are updated range by range, after all of a range have gathered (`cpu_ranges`)."""
        return self.blocked or not (self.spec.frontier or self.lengths or "init" in self.spec.functions)

    @property
    def estimates(self) -> bool:
        """True if directions can be chosen by estimates: vertices wait until a neighbour ends their gather."""
        return self.spec.frontier and "done" in self.spec.functions and not self.blocked

    def control(self) -> list[str]:
        """List the last arguments of ``run``."""
        return CONTROL + (FACTORS if self.estimates else [])

    def buffers(self, which: str) -> list[str]:
        """List one of the two copies of fields that iterations change; owned fields have one copy, listed in both."""
        return [*(f"{which}_{n}" for n in self.state), *(f"{which}_{n}" for n in ("queue", "bits", "state", "totals"))]

    def wants_out_degree(self) -> bool:
        """Tell whether the kernels need out-degrees: for the program, or to count a frontier's edges."""
        return self.spec.frontier or self.spec.uses("v", "out_degree") or self.spec.uses("u", "out_degree")

    def signatures(self, module: ModuleType) -> list[tuple[Any, list[str]]]:
        """List the module's kernels, each with the names of its arguments in order."""
        params = [f"params_{n}" for n in self.params]
        first = [*self.shared(), *params]
        copies = [name for which in COPIES for name in self.buffers(which)]
        return [
            (module.start, [*first, *self.buffers("new"), *(f"other_{n}" for n in self.shared_state)]),
            (module.run, [*first, *self.edges(), *copies, *self.control()]),
        ]

    # Expressions

    def at(self, prefix: str, name: str, vertex: str, index: str) -> str:
        """Write an element of a field that neighbours read (indexed by vertex) or only the owner (by local index)."""
        return f"{prefix}_{name}[{self._index(prefix, name, vertex, index)}]"

    def _index(self, prefix: str, name: str, vertex: str, index: str) -> str:
        shared = self.spec.read_from_neighbours(name) and prefix in ("old", "given")
        return vertex if shared else index

    def row(self, prefix: str, name: str, vertex: str = "v", index: str = "i") -> Place:
        """Return the elements of a vertex's vector."""
        return Place(f"{prefix}_{name}", f"({self._index(prefix, name, vertex, index)}) * {self.lengths[name]}")

    def slot(self, prefix: str, name: str) -> str | Place:
        """Return the variable ``PREFIX_NAME``, or for a vector the scratch array of this name."""
        return Place(f"{prefix}_{name}", "0") if name in self.lengths else f"{prefix}_{name}"

    def scratch(self, prefix: str, names: Iterable[str], *, wide: bool = False, like: str = "old") -> list[str]:
        """Write scratch arrays of vectors, of the types of ``like``; ``wide`` ones hold sums."""
        adds = {f.name for f in self.spec.reduced if f.reduce is Reduction.ADD} if wide else set()
        vectors = [n for n in names if n in self.lengths]
        return [f"{prefix}_{n} = accumulators({like}_{n}, {self.lengths[n]}, {n in adds})" for n in vectors]

    def copy(self, name: str, into: str | Place, source: str | Place) -> str:
        """Write a copy of a field's value between two variables or places."""
        if isinstance(into, str) or isinstance(source, str):
            return f"{into} = {source}"
        return self.each(name, f"{into.element} = {source.element}")

    def each(self, name: str, statement: str) -> str:
        """Write a statement for each element of a vector."""
        return f"for element in range({self.lengths[name]}):\n    {statement}"

    def load(self, name: str, into: str, prefix: str = "old") -> str:
        """Write a load of a vertex's field into a variable with prefix ``into``."""
        if name in self.lengths:
            return self.copy(name, self.slot(into, name), self.row(prefix, name))
        return f"{into}_{name} = {self.at(prefix, name, 'v', 'i')}"

    def store(self, name: str, source: str, into: str) -> list[str]:
        """Write stores of a variable with prefix ``source`` to a vertex's field."""
        if name in self.lengths:
            return [self.copy(name, Place(f"{into}_{name}", f"i * {self.lengths[name]}"), self.slot(source, name))]
        return [f"{source}_{name} = like({into}_{name}, {source}_{name})", f"{into}_{name}[i] = {source}_{name}"]

    def clear(self, field: Field, into: str, array: str) -> str:
        """Write the identity of a field's reduction into a variable with prefix ``into``."""
        slot, value = self.slot(into, field.name), self.identity(field, f"{array}_{field.name}")
        return f"{slot} = {value}" if isinstance(slot, str) else self.each(field.name, f"{slot.element} = {value}")

    def out_degree(self, vertex: str, index: str) -> str:
        """Write the out-degree of a vertex of the partition."""
        return f"out_degree[{vertex if self.spec.read_from_neighbours('out_degree') else index}]"

    def call(self, function: Function, v: str, old: str, edge: str = "") -> str:
        """Write a call of a program's function for vertex ``v`` with local index ``i`` and neighbour ``u``.

        ``v`` and ``old`` name the origin of the fields of v and old: a prefix of local variables, or ``old`` for the
        old arrays.
        """
        return f"f_{function.name}({', '.join(self._argument(r, a, v, old, edge) for r, a in function.arguments)})"

    def _argument(self, role: str, name: str, v: str, old: str, edge: str) -> str:
        if role == "params":
            if name in BUILT_IN_PARAMETERS:
                return name
            return f"total_{name}" if name in self.totals else f"params_{name}"
        if role == "edge":
            return f"{edge}_{name}[e]"
        vertex = "u" if role == "u" else "v"
        if name in self.lengths:
            return self._vector(role, name, v, old)
        if name == "id" and self.wants_order:
            return f"np.int64(order[{vertex}])"
        if name in ("id", "place"):
            return "np.int64(u)" if role == "u" else vertex
        if name == "in_degree":
            return "(in_offsets[np.int64(i) + 1] - in_offsets[np.int64(i)])"
        if name == "out_degree":
            return f"out_degree[{vertex}]" if role == "u" else self.out_degree("v", "i")
        if name in self.constant:
            return self.at("given", name, vertex, "i")
        if role == "u":
            return f"old_{name}[u]"
        prefix = old if role == "old" else v
        return self.at("old", name, "v", "i") if prefix == "old" else f"{prefix}_{name}"

    def _vector(self, role: str, name: str, v: str, old: str) -> str:
        """Return the array of a vector argument, and the index of its first element."""
        prefix = old if role == "old" else v
        if name in self.constant or role == "u" or prefix == "old":
            array = "given" if name in self.constant else "old"
            place = self.row(array, name, "np.int64(u)" if role == "u" else "v")
        else:
            place = Place(f"{prefix}_{name}", "0")
        return f"{place.array}, {place.first}"

    def identity(self, field: Field, array: str) -> str:
        """Write the identity of a field's reduction, in the type of ``array``."""
        if field.reduce is Reduction.CUSTOM:
            return f"like({array}, {_literal(field.identity)})"
        kind = {Reduction.MIN: "largest", Reduction.MAX: "smallest", Reduction.AND: "ones"}
        if field.arg_of is not None:
            return f"largest({array}[0:0])"
        return f"{kind[field.reduce]}({array}[0:0])" if field.reduce in kind else f"zero({array}[0:0])"

    def combine(self, into: Sequence[str | Place], values: Sequence[str | Place]) -> list[str]:
        """Write statements that combine ``values`` into ``into``, one of each reduced field."""
        if len(self.reduced) == 2 and any(f.arg_of for f in self.spec.reduced):
            key = next(k for k, f in enumerate(self.spec.reduced) if f.arg_of is None)
            arg = 1 - key
            sign = "<" if self.spec.reduced[key].reduce is Reduction.MIN else ">"
            a, b, x, y = into[key], into[arg], values[key], values[arg]
            return [f"if {x} {sign} {a} or ({x} == {a} and {y} < {b}):", f"    {a} = {x}", f"    {b} = {y}"]
        how = {
            Reduction.ADD: "{a} = {a} + {x}",
            Reduction.MIN: "{a} = {x} if {x} < {a} else {a}",
            Reduction.MAX: "{a} = {x} if {x} > {a} else {a}",
            Reduction.OR: "{a} = {a} | {x}",
            Reduction.AND: "{a} = {a} & {x}",
        }
        lines = []
        for f, a, x in zip(self.spec.reduced, into, values, strict=True):
            if f.reduce is None or f.reduce is Reduction.CUSTOM:
                continue
            if isinstance(a, Place) and isinstance(x, Place):
                lines.append(self.each(f.name, how[f.reduce].format(a=a.element, x=x.element)))
            else:
                lines.append(how[f.reduce].format(a=a, x=x))
        return lines + self._combine_own(into, values)

    def _combine_own(self, into: Sequence[str | Place], values: Sequence[str | Place]) -> list[str]:
        """Write the call of a program's own ``combine``."""
        function = self.spec.functions.get("combine")
        if function is None:
            return []
        at = {name: k for k, name in enumerate(self.reduced)}
        given = ", ".join(str((into if role == "a" else values)[at[name]]) for role, name in function.arguments)
        targets = [str(into[at[name]]) for name in function.writes]
        call = f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = f_combine({given})"
        return [call] + [f"{t} = like(old_{n}, {t})" for t, n in zip(targets, function.writes, strict=True)]

    def contribution(self, names: Sequence[str | Place], edge: str) -> list[str]:
        """Write the contribution of edge ``e`` into the variables or scratch arrays ``names``."""
        function = self.spec.functions["compute"]
        call = self.call(function, "old", "old", edge)
        if function.outs:
            comma = ", " if function.arguments else ""
            call = f"{call[:-1]}{comma}{', '.join(n.array for n in names if isinstance(n, Place))})"
        scalars = [(n, f) for n, f in zip(names, self.reduced, strict=True) if isinstance(n, str)]
        if len(scalars) == 1:
            return [f"{scalars[0][0]} = like(old_{scalars[0][1]}, {call})"]
        targets = ", ".join(n for n, _ in scalars)
        return [f"{targets} = {call}" if targets else call] + [f"{n} = like(old_{f}, {n})" for n, f in scalars]

    def results(self, function: Function, v: str, old: str, into: str, returned: str = "") -> list[str]:
        """Write a call of a function that assigns fields into variables with prefix ``into``."""
        targets = ([returned] if function.returns_value else []) + [f"{into}_{n}" for n in function.writes]
        call = self.call(function, v, old)
        if not targets:  # vectors are written in place
            return [call]
        if len(targets) == 1 and not function.writes:
            return [f"{targets[0]} = {call}"]
        return [f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = {call}"]


def module_text(spec: Spec, *, ordered: bool = False, blocked: bool = False) -> str:
    """Write the whole generated module; ``ordered`` if vertices are stored in another order than that of their ids."""
    from lux.codegen import cpu_loops, cpu_pull, cpu_push, cpu_ranges
    from lux.codegen import cpu_tiled_pull as by_blocks

    w = Writer(spec, ordered=ordered, blocked=blocked)
    by_rows, in_blocks = (cpu_pull.gather, cpu_pull.pull, cpu_push.push), (by_blocks.gather, by_blocks.pull)
    models = [write(w) for write in (in_blocks if blocked else by_rows)]
    functions = [*spec.functions.values(), *spec.totals.values()]
    parts = [
        f'"""Kernels of {spec.name}, written by lux.codegen.cpu_writer."""',
        "import math\nimport numpy as np\nfrom lux.kernels import njit",
        "from lux.kernels.frontier import *\nfrom lux.kernels.scalars import *",
        "from lux.kernels.inlined import inlined, inner\nfrom lux.kernels.threads import barrier, exchange, offer",
        "from lux.kernels.locality import far_sources\nfrom lux.kernels.vertex_set import rows_of",
        "from lux.codegen.direction import *",
        *_constants(functions),
        *(f"@inlined\n{f.source}" for f in functions),
        cpu_loops.start(w),
        cpu_ranges.update(w) if w.in_ranges else "",
        *models,
        cpu_loops.iterate(w),
        cpu_loops.run(w),
    ]
    return "\n\n\n".join(p for p in parts if p) + "\n"


def _constants(functions: Iterable[Function]) -> list[str]:
    lines: dict[str, str] = {}
    for f in functions:
        for name, value in f.constants.items():
            lines[name] = f"{name} = {_literal(value)}" if not isinstance(value, ModuleType) else (
                f"import {value.__name__} as {name}"
            )  # fmt: skip
    return ["\n".join(lines.values())] if lines else []


def _literal(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)
