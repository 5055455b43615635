# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Vector fields in a program's functions: element-wise expressions become loops over the elements.

A vector ``v.p`` of length K reaches the generated function as an array ``v_p`` and the index ``v_p_at`` of its first
element. ``v.p = expr`` and a returned ``expr`` become ``for`` loops in which each vector is read at the loop's index,
so nothing is allocated, and K is a constant that compilers see. Inner products and single elements in ``expr`` are
computed before the loop, which may overwrite their operands.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import Any, NoReturn

import numpy as np

_INDEX = "element"
WHO_ASSIGNS = "start, init and update assign fields of v"


def dot(a: Any, b: Any) -> Any:
    """Compute the inner product of two vector fields, inside a program's functions: ``lux.dot(u.p, v.p)``.

    Parameters
    ----------
    a, b : vector fields of shape (K,)
        Vectors of one length, or element-wise expressions of them.

    Returns
    -------
    number
        In the type of the products of elements.

    Examples
    --------
    >>> import lux, numpy as np
    >>> class Likeness(lux.Program):
    ...     p = lux.field(float, shape=2, constant=True)
    ...     most = lux.field(float, reduce=lux.MAX)
    ...     def start(v, params):
    ...         v.most = 0.0
    ...     def compute(v, u, edge, params):
    ...         return lux.dot(u.p, v.p)
    ...     def update(v, old, params):
    ...         pass
    >>> given = {"p": np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])}
    >>> lux.run(Likeness, lux.toy.path(3), constants=given, max_iter=1)["most"].to_numpy()[1:]
    array([11., 39.])
    """
    return np.dot(a, b)  # of an interpreter; compiled functions have a loop instead


class VectorRewriter(ast.NodeTransformer):
    """VectorRewriter rewrites the vector fields of a program's function as loops; scalars are left to the subclass."""

    role: dict[str, str]
    lengths: dict[str, int]
    reads: set[tuple[str, str]]
    can_write: bool

    def __init__(self) -> None:
        self._index: str | None = None  # the loop's index, inside an element-wise expression
        self._scalars: list[ast.stmt] = []  # assignments that go before the loop, to names of their own
        self._n_scalars = 0
        self._bounds: dict[str, tuple[int, int]] = {}  # names of loop variables, their first and last value

    @abstractmethod
    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        """Raise an error that names the function and the node's line."""

    @abstractmethod
    def number(self, node: ast.expr) -> int | None:
        """Return the value of a constant whole number or of a name that stands for one, else None."""

    def vector_of(self, node: ast.AST) -> tuple[str, str, int] | None:
        """Return role, field and length if the node is a vector field such as ``u.p``, else None."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.role:
            role = self.role[node.value.id]
            if node.attr in self.lengths and role not in ("edge", "params"):
                return role, node.attr, self.lengths[node.attr]
        return None

    def length_of(self, node: ast.AST) -> int | None:
        """Return the length of an element-wise expression; None for a scalar."""
        found: set[int] = set()

        def look(part: ast.AST) -> None:
            vector = self.vector_of(part)
            if vector is not None:
                found.add(vector[2])
            elif not isinstance(part, ast.Subscript) and not self._is_dot(part):
                for child in ast.iter_child_nodes(part):
                    look(child)

        look(node)
        if len(found) > 1:
            self.refuse(node, f"combines vectors of lengths {', '.join(map(str, sorted(found)))}")
        return found.pop() if found else None

    def loop(
        self, target: ast.Subscript, value: ast.expr, length: int, where: ast.AST, op: ast.operator | None = None
    ) -> list[ast.stmt]:
        """Build ``for element in range(length): target = value`` (or ``target op= value``), both read at that index."""
        self._index, self._scalars = _INDEX, []
        elements: ast.expr = self.visit(value)
        self._index = None
        assign = ast.Assign([target], elements) if op is None else ast.AugAssign(target, op, elements)
        count = ast.Call(ast.Name("range", ast.Load()), [ast.Constant(length)], [])
        made = [*self._scalars, ast.For(ast.Name(_INDEX, ast.Store()), count, [assign], [])]
        return [ast.fix_missing_locations(ast.copy_location(statement, where)) for statement in made]

    def _before_the_loop(self, value: ast.expr) -> ast.expr:
        """Assign a scalar inside an element-wise expression to a name before the loop, and return the name."""
        if self._index is None:
            return value
        name = f"scalar_{self._n_scalars}"
        self._n_scalars += 1
        self._scalars.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return ast.Name(name, ast.Load())

    @staticmethod
    def element(name: str, index: ast.expr, ctx: ast.expr_context) -> ast.Subscript:
        """Build ``name[name_at + index]``."""
        at = ast.BinOp(ast.Name(f"{name}_at", ast.Load()), ast.Add(), index)
        return ast.Subscript(ast.Name(name, ast.Load()), at, ctx)

    def visit_vector(self, node: ast.Attribute, vector: tuple[str, str, int]) -> ast.expr:
        """Replace a vector field inside an element-wise expression by its element at the loop's index."""
        role, name, _ = vector
        if self._index is None:
            self.refuse(
                node,
                f"{ast.unparse(node)} is a vector: use it in an expression that is assigned to a vector field or "
                "returned for one, in lux.dot, or by index",
            )
        self.reads.add((role, name))
        return ast.copy_location(self.element(f"{role}_{name}", ast.Name(self._index, ast.Load()), ast.Load()), node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Turn an assignment to a vector field into a loop."""
        target = node.targets[0]
        vector = self.vector_of(target) if len(node.targets) == 1 else None
        if vector is None:
            if self.length_of(node.value) is not None:
                self.refuse(
                    node,
                    "a vector can only be assigned to a vector field; to make a number of it use lux.dot, or a loop "
                    "over its elements",
                )
            return self.generic_visit(node)
        self._check_written(target, vector)
        self._check_length(node.value, vector)
        place = self.element(f"v_{vector[1]}", ast.Name(_INDEX, ast.Load()), ast.Store())
        return self.loop(place, node.value, vector[2], node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Turn ``+=`` of a vector field into a loop."""
        vector = self.vector_of(node.target)
        if vector is None:
            return self.generic_visit(node)
        self._check_written(node.target, vector)
        self._check_length(node.value, vector)
        place = self.element(f"v_{vector[1]}", ast.Name(_INDEX, ast.Load()), ast.Store())
        return self.loop(place, node.value, vector[2], node, node.op)

    def _check_length(self, value: ast.expr, vector: tuple[str, str, int]) -> None:
        length = self.length_of(value)
        if length not in (None, vector[2]):
            self.refuse(value, f"a vector of length {length} cannot be assigned to one of length {vector[2]}")

    def _check_written(self, node: ast.AST, vector: tuple[str, str, int]) -> None:
        if vector[0] != "v" or not self.can_write:
            self.refuse(node, f"{ast.unparse(node)} cannot be assigned here: {WHO_ASSIGNS}")
        self.reads.add(("v", vector[1]))

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Rewrite an element of a vector as one of its array."""
        vector = self.vector_of(node.value)
        if vector is None:
            return self.generic_visit(node)
        role, name, length = vector
        if isinstance(node.ctx, ast.Store):
            self._check_written(node.value, vector)
        self._check_index(node, length)
        self.reads.add((role, name))
        index: ast.expr = self.visit(node.slice)
        element = ast.copy_location(self.element(f"{role}_{name}", index, node.ctx), node)
        return element if isinstance(node.ctx, ast.Store) else self._before_the_loop(element)

    def _check_index(self, node: ast.Subscript, length: int) -> None:
        """Refuse an index that is not seen to be within bounds, as nothing checks it when the program runs."""
        reach = self._reach(node.slice)
        if reach is None:
            self.refuse(
                node,
                f"{ast.unparse(node)}: an index is a constant, or the variable of an enclosing "
                "`for NAME in range(N)` with a constant N, or a sum or difference of those",
            )
        if reach[0] < 0 or reach[1] >= length:
            where = "is" if reach[0] == reach[1] else f"runs from {reach[0]} to {reach[1]}, which is"
            self.refuse(node, f"{ast.unparse(node)} {where} out of range: the vector has {length} elements")

    def _reach(self, index: ast.expr) -> tuple[int, int] | None:
        """Return the smallest and the largest value of an index, where they are known."""
        known = self.number(index)
        if known is not None:
            return known, known
        if isinstance(index, ast.Name):
            return self._bounds.get(index.id)
        if not isinstance(index, ast.BinOp) or not isinstance(index.op, ast.Add | ast.Sub):
            return None
        left, right = self._reach(index.left), self._reach(index.right)
        if left is None or right is None:
            return None
        if isinstance(index.op, ast.Add):
            return left[0] + right[0], left[1] + right[1]
        return left[0] - right[1], left[1] - right[0]

    def visit_For(self, node: ast.For) -> Any:
        """Record the bounds of a loop variable."""
        ends: list[tuple[int, int] | None] = []
        if (
            isinstance(node.target, ast.Name)
            and isinstance(node.iter, ast.Call)
            and isinstance(node.iter.func, ast.Name)
            and node.iter.func.id == "range"
            and len(node.iter.args) in (1, 2)
        ):
            ends = [self._reach(end) for end in node.iter.args]
        assigned = {n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name) and not _is_load(n)}
        known = [end for end in ends if end is not None]
        if not known or len(known) < len(ends) or not isinstance(node.target, ast.Name) or node.target.id in assigned:
            return self.generic_visit(node)
        name = node.target.id
        self._bounds[name] = (0 if len(known) == 1 else known[0][0], known[-1][1] - 1)
        rewritten = self.generic_visit(node)
        del self._bounds[name]
        return rewritten

    def _is_dot(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and (
            (isinstance(node.func, ast.Attribute) and node.func.attr == "dot")
            or (isinstance(node.func, ast.Name) and node.func.id == "dot")
        )

    def visit_Call(self, node: ast.Call) -> Any:
        """Compute ``lux.dot`` before the loop."""
        if not self._is_dot(node):
            return self.generic_visit(node)
        vectors = [self.vector_of(argument) for argument in node.args]
        if len(vectors) != 2 or None in vectors or len({v[2] for v in vectors if v}) != 1:
            self.refuse(node, "lux.dot takes two vector fields of equal length, as in lux.dot(u.p, v.p)")
        arguments: list[ast.expr] = []
        for vector in vectors:
            assert vector is not None
            role, name, length = vector
            self.reads.add((role, name))
            arguments += [ast.Name(f"{role}_{name}", ast.Load()), ast.Name(f"{role}_{name}_at", ast.Load())]
        call = ast.Call(ast.Name("dot", ast.Load()), [*arguments, ast.Constant(length)], [])
        return self._before_the_loop(ast.fix_missing_locations(ast.copy_location(call, node)))


def _is_load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
