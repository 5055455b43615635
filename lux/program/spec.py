# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Spec: the parsed program that the engine runs, and the facts that follow from its functions."""

from __future__ import annotations

from dataclasses import dataclass

from lux.program.fields import Edges, Field, Reduction
from lux.program.parser import Function

BUILT_IN_PARAMETERS = frozenset({"n_vertices", "iteration"})
"""Names that functions may read of ``params`` besides the caller's values and the program's aggregates."""


@dataclass(frozen=True)
class Spec:
    """A program as the engine sees it, its fields and its parsed functions."""

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
        """True if only vertices for which ``update`` returned True contribute to the next iteration."""
        return self.functions["start"].returns_value

    @property
    def ends(self) -> bool:
        """True if a run ends by itself."""
        return self.frontier or "converged" in self.functions

    @property
    def sparse(self) -> bool:
        """True if a vertex without contributions stays as it is, so that only touched vertices need work."""
        update = self.functions["update"]
        adds = any(f.reduce is Reduction.ADD for f in self.reduced)  # a sum may come back to its old value
        plain = not adds and not self.lengths
        return self.frontier and "init" not in self.functions and not update.writes and not self.totals and plain

    @property
    def lengths(self) -> dict[str, int]:
        """Lengths of the vector fields."""
        return {f.name: f.length for f in self.fields.values() if f.length is not None}

    def read_from_neighbours(self, name: str) -> bool:
        """Tell whether ``compute`` reads the field (or ``out_degree``) of the other endpoint."""
        return ("u", name) in self.functions["compute"].arguments

    def owned(self, name: str) -> bool:
        """Tell whether only its owner ever reads a vertex's field, so that one copy, changed in place, is enough."""
        init, compute = self.functions.get("init"), self.functions["compute"]
        reduced = any(f.name == name for f in self.reduced)
        # Pushes need the old value while the new one grows, and the values that init assigns are stored before pushes
        # begin.
        seen_by_pushes = reduced and self.sparse and ("v", name) in compute.arguments
        laid_ready = not reduced and init is not None and (name in init.writes or name in self.lengths)
        return not self.read_from_neighbours(name) and not seen_by_pushes and not laid_ready

    def uses(self, role: str, name: str) -> bool:
        """Tell whether any function reads ``role.name``."""
        return any((role, name) in f.arguments for f in [*self.functions.values(), *self.totals.values()])

    @property
    def edge_properties(self) -> list[str]:
        """Names of the edge properties that ``compute`` reads."""
        return sorted(name for role, name in self.functions["compute"].arguments if role == "edge")

    @property
    def parameters(self) -> list[str]:
        """Names of the values that the caller gives: read of ``params``, and neither aggregates nor built-ins."""
        functions = [*self.functions.values(), *self.totals.values()]
        names = {name for f in functions for role, name in f.arguments if role == "params"}
        return sorted(names - set(self.totals) - BUILT_IN_PARAMETERS)

    @property
    def vertex_parameters(self) -> list[str]:
        """Names in `parameters` whose values are vertices."""
        named = {name for f in [*self.functions.values(), *self.totals.values()] for name in f.vertices}
        return [name for name in self.parameters if name in named]
