# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of a program's kernel: words of eight bytes, in the order of `Arguments.members`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from lux.codegen.cuda_functions import C_TYPES, Device
from lux.program.fields import Reduction
from lux.program.parser import Function
from lux.program.spec import Spec

FIXED = (
    "lo", "hi", "n_vertices", "n_edges", "n_rows", "n_neighbours", "number", "limit", "max_iterations", "model",
    "n_items", "n_segments", "chunks_length", "hot",
)  # fmt: skip
"""Numbers that every kernel is given."""
FIXED_OF_WHOLE = ("resumed", "resumed_iteration", "resumed_model")
"""Numbers of kernels for a whole graph: 1 where a checkpoint has first values, its iterations and its last model."""
FIXED_OF_PARTS = ("part", "parts", "n_members", "noted", "staged", "sampled")
POINTERS = {
    "control": "Control", "statistics": "double", "block_totals": "double", "in_offsets": "const i64",
    "sources": "const u32", "rows": "const u32", "items": "const Item", "partial": "Acc", "partial_count": "u32",
    "out_offsets": "const i64", "destinations": "const u32", "small": "u32", "chunks": "u64", "touched": "u32",
    "marks": "u32", "front": "u32", "locks": "u32", "order": "const u32",
}  # fmt: skip
POINTERS_OF_WHOLE = {"saved_front": "u32", "saved_totals": "double"}
"""Frontier and aggregates between launches, of runs that keep checkpoints; else both are null."""
POINTERS_OF_PARTS = {
    "points": "const i64", "word_at": "const i64", "old_state": "const i64", "new_state": "i64",
    "old_words": "const u64", "new_words": "u64", "outcome": "i64", "members": "const u32", "all_front": "u32",
    "bits": "u32", "arrivals": "u64", "spent": "u64",
}  # fmt: skip
POINTERS_OF_MESSAGES = {
    "inbox": "const u64", "outbox": "u64", "exports": "const u32", "slots": "const i64", "sent": "u32",
}  # fmt: skip
HOT_BYTES = 192 << 10
"""Shared memory for the hot table, at most; the rest of a multiprocessor's 256 KiB is its first-level cache."""
FEW_RANGES = 8
"""Most ranges that are told apart by comparing; more by a division."""
_WIDE = {"bool": "uint32", "uint8": "uint32", "uint16": "uint32", "int8": "int32", "int16": "int32"}


def c_type(dtype: np.dtype[Any]) -> str:
    """Return the C++ type of a NumPy type."""
    return C_TYPES[dtype.name]


class Arguments:
    """Names and types of one program's kernel arguments.

    Parameters
    ----------
    spec : Spec
    types : mapping of (role, attribute) to dtype
        Types of the values that the functions may read.
    ordered : bool
        True if the graph's vertices are stored in another order than that of their ids.
    ranges : int
        Ranges in each of which vertices with more edges come first; 0 where the graph is not stored by degree.
    part : bool
        True if a launch is an iteration on a partition; else it is a run on the whole graph.
    local : bool
        True if values of neighbours are gathered first; with ``part`` only.
    peers : int
        GPUs from whose memory the values are gathered; if 0, from zero-copy memory.
    packed : bool
        True if the values are gathered from messages of the other partitions (``messages.cuh``).
    hot_bytes : int
        Shared memory for the hot table.
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
        packed: bool = False,
        hot_bytes: int = HOT_BYTES,
    ) -> None:
        self.spec, self.types, self.part, self.local, self.peers = spec, types, part, local, peers
        self.hot_bytes, self.packed = hot_bytes, packed
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
        self.remote = self.crossing if local and not (peers or packed) else []
        compute = spec.functions["compute"].arguments
        self.of_owner = [n for role, n in compute if role == "v" and n in self.state and n not in spec.lengths]
        self.of_neighbour = [
            n
            for role, n in compute
            if role == "u" and n not in spec.lengths and n != "place" and (n != "id" or self.ordered)
        ]
        self.vectors_of_neighbour = [n for role, n in compute if role == "u" and n in spec.lengths]

    def dtype(self, name: str) -> np.dtype[Any]:
        """Return the type of a field."""
        return self.types["v", name]

    def field(self, name: str) -> str:
        """Return the C++ type of a field's element."""
        return c_type(self.dtype(name))

    @cached_property
    def how(self) -> str:
        """The kind of push for contributions: each field by itself, all in one word, or under a lock."""
        together = any(f.arg_of is not None or f.reduce is Reduction.CUSTOM for f in self.spec.reduced)
        if not together:
            return "each"
        size = sum(self.dtype(n).itemsize for n in self.reduced)
        return "word" if size <= 8 and not any(n in self.spec.lengths for n in self.reduced) else "lock"

    def pending(self, name: str) -> np.dtype[Any]:
        """Return the type that contributions are pushed into: sums of floats in float64, small numbers wider."""
        dtype = self.dtype(name)
        adds = self.spec.fields[name].reduce is Reduction.ADD
        if self.how != "each":
            return dtype
        if adds and dtype.kind == "f":
            return np.dtype(np.float64)
        return np.dtype(_WIDE.get(dtype.name, dtype.name))

    @cached_property
    def neighbour_bytes(self) -> int:
        """Bytes of the values that compute reads of a neighbour, packed."""
        return sum(self.neighbour_type(n).itemsize for n in self.of_neighbour)

    def neighbour_type(self, name: str) -> np.dtype[Any]:
        """Return the type of a value that compute reads of a neighbour, as it is stored."""
        return np.dtype(np.uint32) if name == "id" else self.types["u", name]

    @cached_property
    def uses_hot(self) -> bool:
        """True if a table of the vertices with the most edges pays."""
        spec = self.spec
        ordered = 0 < self.ranges <= (FEW_RANGES if self.local else self.ranges)
        return bool(ordered and not spec.frontier and 0 < self.neighbour_bytes <= 16 and not spec.lengths)

    def hot_each(self, n_vertices: int) -> int:
        """Count the vertices of each range in the hot table."""
        if not self.uses_hot:
            return 0
        return min(self.hot_bytes // self.neighbour_bytes // self.ranges, n_vertices // self.ranges)

    @cached_property
    def of_vertex(self) -> dict[str, tuple[str, str]]:
        """Values that a vertex's end needs, loaded before its edges are gathered: C++ types and arrays by name.

        Loads that came after the gathering took a quarter of an iteration of PageRank.
        """
        spec = self.spec
        if spec.sparse:
            return {n: (self.field(n), f"old.{n}") for n in self.reduced}
        functions = [spec.functions[n] for n in ("init", "update") if n in spec.functions] + list(spec.totals.values())
        read = {argument for f in functions for argument in f.arguments}
        names = {name for role, name in read if role in ("v", "old")} - set(spec.lengths)
        kept = [n for n in self.state if n in self.plain or spec.frontier or ("old", n) in read]
        found = {n: (self.field(n), f"old.{n}") for n in kept if n not in spec.lengths}
        found |= {n: (self.field(n), f"g.given_{n}") for n in self.constant if n in names}
        if "out_degree" in names:
            found["out_degree"] = (c_type(self.types["v", "out_degree"]), "g.out_degree")
        return found

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return 512 if self.spec.lengths else 1024

    @cached_property
    def members(self) -> dict[str, str]:
        """The kernel's arguments in order, with their C++ types (each of eight bytes)."""
        found = dict.fromkeys(FIXED, "i64") | {n: f"{t}*" for n, t in POINTERS.items()}
        if self.part:
            found |= dict.fromkeys(FIXED_OF_PARTS, "i64") | {n: f"{t}*" for n, t in POINTERS_OF_PARTS.items()}
        else:
            found |= dict.fromkeys(FIXED_OF_WHOLE, "i64") | {n: f"{t}*" for n, t in POINTERS_OF_WHOLE.items()}
        found |= {n: f"{t}*" for n, t in POINTERS_OF_MESSAGES.items()} if self.packed else {}
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
        found |= {f"near_{n}": f"{c_type(self.neighbour_type(n))}*" for n in self.gathered}
        if self.how == "word":
            found["pend"] = "u64*"
        else:
            found |= {f"pend_{n}": f"{c_type(self.pending(n))}*" for n in self.reduced}
        for n in self.spec.parameters:
            found[f"params_{n}"] = "double" if self.types["params", n].kind == "f" else "i64"
        return found

    def devices(self) -> list[Device]:
        """List the program's functions."""
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

    @cached_property
    def gathered(self) -> list[str]:
        """Names of the values that are gathered of the neighbours first."""
        return [*self.of_neighbour, *self.vectors_of_neighbour] if self.local else []

    @property
    def exchanged(self) -> list[str]:
        """Names in `gathered` that change: fields whose values cross partitions."""
        return [n for n in self.gathered if n in self.crossing]

    def bytes_of(self, name: str) -> int:
        """Count the bytes of a vertex's value of a field."""
        return self.dtype(name).itemsize * self.spec.lengths.get(name, 1)

    @cached_property
    def range_names(self) -> list[str]:
        """Arguments with the begin of the second range and, if ranges are few, of each later one."""
        return [f"range_{k}" for k in range(1, self.ranges)] if self._few_ranges else ["range_1"]

    @property
    def _few_ranges(self) -> bool:
        return self.ranges <= FEW_RANGES
