# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Parser of a program's functions: ``v.dist`` becomes a scalar argument, an assignment to it a returned value.

The result is a plain function of scalars, which Numba (and a GPU's linker) can inline into any kernel.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import numbers
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from lux.errors import ProgramError
from lux.program.definite_assignment import DefiniteAssignment
from lux.program.vector_expressions import WHO_ASSIGNS, VectorRewriter

ROLES: dict[str, tuple[str, ...]] = {
    "start": ("v", "params"),
    "init": ("v", "old", "params"),
    "compute": ("v", "u", "edge", "params"),
    "update": ("v", "old", "params"),
    "done": ("v", "old"),
    "converged": ("params",),
    "total": ("v", "old", "params"),
    "combine": ("a", "b"),
}
"""Arguments of each function, by position."""

_WRITES = {"start": "v", "init": "v", "update": "v", "combine": "a"}
"""Functions that assign fields, and the vertex whose fields they assign."""
_RETURNS_NOTHING = ("init", "combine")
_BUILT_IN = {
    "v": {"id", "place", "in_degree", "out_degree"},
    "old": {"id", "place"},
    "u": {"id", "place", "out_degree"},
    "a": set(),
    "b": set(),
}
_BUILTINS = {"abs", "min", "max", "int", "float", "bool", "range", "round", "pow", "True", "False"}
_INTERPRETED = ("print", "breakpoint")
"""Functions whose calls are taken out of what is compiled."""
_REFUSED = {
    ast.Lambda: "a lambda",
    ast.FunctionDef: "a nested function",
    ast.ClassDef: "a class",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.Try: "try",
    ast.Raise: "raise",
    ast.With: "with",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Await: "await",
    ast.Delete: "del",
    ast.Assert: "assert",  # an assertion would end the process, not the run
    ast.NamedExpr: "an assignment inside an expression",
    ast.JoinedStr: "text",
    ast.List: "a list",
    ast.Set: "a set",
    ast.Dict: "a dict",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
}


@dataclass(frozen=True)
class Function:
    """One function of a program, as a function of scalars.

    Attributes
    ----------
    name : str
    arguments : tuple of (role, attribute)
        Names that it reads, in the order of its parameters, e.g. ``("u", "dist")``. A vector is two parameters: an
        array and the index of its first element.
    outs : tuple of str
        Vector fields for which compute returns contributions; more parameters ``out_FIELD``, arrays to write.
    writes : tuple of str
        Scalar fields of v that it assigns; their values follow the returned value, if there is one. Vector fields
        are written in place.
    returns_value : bool
    vertices : tuple of str
        Parameters that are vertices: those that it compares with ``v.id``, ``old.id`` or ``u.id`` by ``==`` or ``!=``.
    source : str
        A function definition named ``f_NAME`` with parameters ``role_attribute``.
    constants : dict
        Names that the source uses and their values (numbers, or the modules math and numpy).
    file, line : str, int
        Where the user wrote it.
    tree : ast.FunctionDef
        The definition with the user's line numbers.
    prints : bool
        True if the user's function prints or has breakpoints, which are left out of ``source``.
    """

    name: str
    arguments: tuple[tuple[str, str], ...]
    outs: tuple[str, ...]
    writes: tuple[str, ...]
    returns_value: bool
    vertices: tuple[str, ...]
    source: str
    constants: dict[str, Any]
    file: str
    line: int
    tree: ast.FunctionDef
    prints: bool = False


def parse(
    cls: type,
    name: str,
    function: Callable[..., Any],
    roles: Sequence[str],
    fields: set[str],
    state: set[str],
    reduced: Sequence[str],
    lengths: Mapping[str, int],
    given: Mapping[str, str] | None = None,
) -> Function:
    """Check one function of the program ``cls`` and turn it into a function of scalars.

    The fields in ``given`` begin with the values of other fields, whose names are its values, and keep them.
    """
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise ProgramError(f"{cls.__name__}.{name}: its source cannot be read; define the program in a file") from None
    file = inspect.getsourcefile(function) or "<unknown>"
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    ast.increment_lineno(tree, first - 1)
    if not isinstance(tree, ast.FunctionDef):
        raise ProgramError(f"{cls.__name__}.{name} ({file}:{first}) must be a plain function")
    prints = _Silent()
    prints.visit(tree)
    if given:
        _assign(tree, given, lengths)
    made = _Rewriter(cls, name, function, roles, fields, state, reduced, lengths, file, tree).result()
    return replace(made, prints=prints.found)


class _Silent(ast.NodeTransformer):
    """Takes out calls of print and breakpoint, which only an interpreter makes."""

    found = False

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in _INTERPRETED:
            return node
        self.found = True
        return ast.copy_location(ast.Pass(), node)


class _Given(ast.NodeTransformer):
    """Leaves out assignments to fields of the first argument whose values are given."""

    def __init__(self, vertex: str, given: Mapping[str, str], lengths: Mapping[str, int]) -> None:
        self.vertex, self.given, self.lengths = vertex, given, lengths

    def _given(self, target: ast.expr) -> str:
        """Return the name of the given field that is assigned, or nothing."""
        held = target.value if isinstance(target, ast.Subscript) else target
        if not (isinstance(held, ast.Attribute) and isinstance(held.value, ast.Name) and held.value.id == self.vertex):
            return ""
        return held.attr if held.attr in self.given else ""

    def _instead(self, names: Sequence[str], value: ast.expr, where: ast.stmt) -> ast.stmt:
        """Assign a scalar to a variable, so that the program has the same parameters as without given values."""
        scalars = [f"given_{name}" for name in names if name not in self.lengths]
        made = ast.Assign([ast.Name(scalars[0], ast.Store())], value) if scalars else ast.Pass()
        return ast.fix_missing_locations(ast.copy_location(made, where))

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        names = [self._given(target) for target in node.targets]
        kept = [target for target, name in zip(node.targets, names, strict=True) if not name]
        if kept:
            node.targets = kept
            return node
        return self._instead(names, node.value, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        name = self._given(node.target)
        return self._instead([name], node.value, node) if name else node


def _assign(tree: ast.FunctionDef, given: Mapping[str, str], lengths: Mapping[str, int]) -> None:
    """Begin a function with assignments to fields of its first argument, in place of those that it makes itself."""
    if not tree.args.args:
        return
    vertex = tree.args.args[0].arg
    first = ast.parse("\n".join(f"{vertex}.{field} = {vertex}.{of}" for field, of in given.items())).body
    for node in (node for statement in first for node in ast.walk(statement)):
        ast.copy_location(node, tree.body[0])
    tree.body = [*first, *(_Given(vertex, given, lengths).visit(statement) for statement in tree.body)]


class _Rewriter(VectorRewriter):
    def __init__(
        self,
        cls: type,
        name: str,
        function: Callable[..., Any],
        roles: Sequence[str],
        fields: set[str],
        state: set[str],
        reduced: Sequence[str],
        lengths: Mapping[str, int],
        file: str,
        tree: ast.FunctionDef,
    ) -> None:
        super().__init__()
        self.cls, self.name, self.function, self.fields, self.state = cls, name, function, fields, state
        self.reduced, self.lengths, self.file, self.tree = reduced, dict(lengths), file, tree
        self.written_role = _WRITES.get(name, "")
        self.can_write = name in _WRITES
        given = [a.arg for a in tree.args.args]
        if len(given) > len(roles) or tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs or tree.args.defaults:
            self.refuse(tree, f"takes ({', '.join(roles)}), and ({ast.unparse(tree.args)}) was written")
        self.role = dict(zip(given, roles, strict=False))
        self.reads: set[tuple[str, str]] = set()
        self.written: set[str] = set()
        self.locals = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.constants: dict[str, Any] = {}

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        line = getattr(node, "lineno", self.tree.lineno)
        raise ProgramError(f"{self.cls.__name__}.{self.name}, {self.file}, line {line}: {why}")

    def result(self) -> Function:
        tree = self.tree
        for statement in tree.body:
            self._refuse_syntax(statement)
        values = [n for n in ast.walk(tree) if isinstance(n, ast.Return)]
        returns_value = any(r.value is not None for r in values)
        if returns_value and any(r.value is None for r in values):
            self.refuse(tree, "some of its returns have a value and some have none")
        if returns_value and not _always_returns(tree.body):
            self.refuse(tree, "does not return a value on every path")
        if not returns_value and self.name not in _WRITES:
            self.refuse(tree, "must return a value")
        if returns_value and self.name in _RETURNS_NOTHING:
            self.refuse(values[0], f"{self.name} assigns fields and returns nothing")
        if tree.body and isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[0].value, ast.Constant):
            tree.body = tree.body[1:]
        DefiniteAssignment(self.locals - set(self.role), self.refuse, self.number).check(tree.body)
        stores = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and self._is_store(n)}
        self.written = stores - set(self.lengths)
        self.returns_value = returns_value
        vertices = self._vertex_parameters()
        body = [made for statement in tree.body for made in _as_list(self.visit(statement))]
        if not returns_value and self.written:
            body.append(self._return(None, tree))
        # A field that is assigned is read first too: a path may leave it as it was.
        self.reads |= {(self.written_role, name) for name in self.written}
        arguments = tuple(sorted(self.reads))
        outs = tuple(n for n in self.reduced if n in self.lengths) if self.name == "compute" else ()
        names = [n for r, a in arguments for n in ([f"{r}_{a}"] + ([f"{r}_{a}_at"] if a in self.lengths else []))]
        definition = ast.FunctionDef(
            name=f"f_{self.name}",
            args=ast.arguments(
                posonlyargs=[],
                args=[ast.arg(arg=name) for name in [*names, *(f"out_{n}" for n in outs)]],
                kwonlyargs=[],
                kw_defaults=[],
                defaults=[],
            ),
            body=body or [ast.Pass()],
            decorator_list=[],
        )
        definition.__dict__.setdefault("type_params", [])  # Python 3.12 wants it set
        ast.copy_location(definition, tree)
        ast.fix_missing_locations(definition)
        return Function(
            self.name,
            arguments,
            outs,
            tuple(sorted(self.written)),
            returns_value,
            vertices,
            ast.unparse(definition),
            self.constants,
            self.file,
            tree.lineno,
            definition,
        )

    def _vertex_parameters(self) -> tuple[str, ...]:
        """Return the names that are read of ``params`` and compared with an id."""
        found = set()
        for node in ast.walk(self.tree):
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            for a, op, b in zip(sides, getattr(node, "ops", ()), sides[1:], strict=False):
                named = [
                    (self.role.get(side.value.id), side.attr)
                    for side in (a, b)
                    if isinstance(side, ast.Attribute) and isinstance(side.value, ast.Name)
                ]
                if isinstance(op, ast.Eq | ast.NotEq) and any(
                    name == "id" and role != "params" for role, name in named
                ):
                    found |= {name for role, name in named if role == "params"}
        return tuple(sorted(found))

    def _is_store(self, node: ast.Attribute) -> bool:
        return (
            isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and self.role.get(node.value.id) == self.written_role
        )

    def _return(self, value: ast.expr | None, where: ast.AST) -> ast.Return:
        written: list[ast.expr] = [ast.Name(f"{self.written_role}_{name}", ast.Load()) for name in sorted(self.written)]
        items = ([value] if value is not None else []) + written
        result = items[0] if len(items) == 1 and not written else ast.Tuple(items, ast.Load())
        return ast.fix_missing_locations(ast.copy_location(ast.Return(result), where))

    def _refuse_syntax(self, tree: ast.AST) -> None:
        """Refuse the syntax that programs may not use, before functions and names inside it are taken for theirs."""
        for node in ast.walk(tree):
            for kind, text in _REFUSED.items():
                if isinstance(node, kind):
                    self.refuse(node, f"{text} cannot be used in a program's function")

    def visit_Return(self, node: ast.Return) -> Any:
        if node.value is None:
            return self._return(None, node) if self.written else node
        if self.name == "compute":
            return self._contributions(node, node.value)
        if isinstance(node.value, ast.Tuple):
            self.refuse(node, f"{self.name} returns one value, not a tuple")
        value = self.visit(node.value)
        return self._return(value, node)

    def _contributions(self, node: ast.Return, value: ast.expr) -> list[ast.stmt]:
        """Split what compute returns into a value for each reduced field: vectors are written, scalars returned."""
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        if len(values) != len(self.reduced):
            many = f"{len(self.reduced)} values, one for each reduced field" if len(self.reduced) > 1 else "one value"
            self.refuse(node, f"compute must return {many}; it returns {len(values)}")
        loops: list[ast.stmt] = []
        scalars = []
        for name, each in zip(self.reduced, values, strict=True):
            length = self.length_of(each)
            if name in self.lengths:
                if length not in (None, self.lengths[name]):
                    self.refuse(node, f"{name} has length {self.lengths[name]}, and its contribution {length}")
                out, index = ast.Name(f"out_{name}", ast.Load()), ast.Name("element", ast.Load())
                target = ast.Subscript(out, index, ast.Store())
                loops += self.loop(target, each, self.lengths[name], node)
            elif length is not None:
                self.refuse(node, f"{name} is a scalar, and its contribution a vector")
            else:
                scalars.append(self.visit(each))
        end = None if not scalars else scalars[0] if len(scalars) == 1 else ast.Tuple(scalars, ast.Load())
        return [*loops, ast.fix_missing_locations(ast.copy_location(ast.Return(end), node))]

    def number(self, node: ast.expr) -> int | None:
        """Return the value of a constant whole number or of a name that stands for one, else None."""
        value: Any = None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            positive = self.number(node.operand)
            return None if positive is None else -positive
        if isinstance(node, ast.Constant):
            value = node.value
        elif isinstance(node, ast.Name) and node.id not in self.locals:
            closure = inspect.getclosurevars(self.function)
            value = {**closure.globals, **closure.nonlocals}.get(node.id)
        return int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else None

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if not (isinstance(node.value, ast.Name) and node.value.id in self.role and node.value.id not in self.locals):
            self._check_module(node)
            return self.generic_visit(node)
        role, attribute = self.role[node.value.id], node.attr
        vector = self.vector_of(node)
        if vector is not None and isinstance(node.ctx, ast.Load):
            return self.visit_vector(node, vector)
        shown = f"{node.value.id}.{attribute}"
        if isinstance(node.ctx, ast.Store):
            if role != self.written_role:
                who = "combine assigns fields of a" if self.name == "combine" else WHO_ASSIGNS
                self.refuse(node, f"{shown} cannot be assigned in {self.name}: {who}")
            if attribute in self.lengths:
                self.refuse(node, f"{shown} is a vector: assign to it alone, or to its elements")
            if attribute not in self.state:
                what = "is constant" if attribute in self.fields else "is no field"
                self.refuse(node, f"{shown} {what}; fields that can be assigned: {', '.join(sorted(self.state))}")
        elif role in _BUILT_IN and attribute not in self.fields | _BUILT_IN[role]:
            allowed = ", ".join([*sorted(self.fields), *sorted(_BUILT_IN[role])])
            self.refuse(node, f"{shown} is no field; {node.value.id} has {allowed}")
        if isinstance(node.ctx, ast.Load) and not (role == self.written_role and attribute in self.written):
            self.reads.add((role, attribute))
        return ast.copy_location(ast.Name(f"{role}_{attribute}", node.ctx), node)

    def _check_module(self, node: ast.Attribute) -> None:
        """Refuse ``math.NAME`` or ``np.NAME`` where the module has no such name."""
        if isinstance(node.value, ast.Name) and node.value.id not in self.locals:
            module = inspect.getclosurevars(self.function).globals.get(node.value.id)
            if isinstance(module, ModuleType) and not hasattr(module, node.attr):
                self.refuse(node, f"{module.__name__} has no {node.attr!r}")
            if module is np and node.attr == "random":
                self.refuse(
                    node,
                    "random numbers would depend on partitions and threads: give them as a constant field, or compute "
                    "them from v.id and params.iteration",
                )

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        """Refuse constants that are not numbers."""
        if not isinstance(node.value, bool | int | float):
            self.refuse(node, f"{node.value!r} cannot be used: a program's functions compute with real numbers")
        return node

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in self.locals:
            if node.id in self.role:
                self.refuse(node, f"{node.id} is an argument and cannot be assigned")
            return ast.copy_location(ast.Name(f"local_{node.id}", node.ctx), node)
        if node.id in self.role:
            self.refuse(node, f"{node.id} can only be used with an attribute, as in {node.id}.NAME")
        closure = inspect.getclosurevars(self.function)
        known = {**closure.builtins, **closure.globals, **closure.nonlocals}
        if node.id not in known:
            if node.id in _BUILTINS and hasattr(builtins, node.id):
                return node
            inside = " outside the class, which functions do not see into" if node.id in vars(self.cls) else ""
            self.refuse(node, f"the name {node.id!r} is not defined{inside}")
        value = known[node.id]
        if node.id in _BUILTINS and value is getattr(builtins, node.id, None):
            return node
        name = f"{self.name}_constant_{node.id}"
        if isinstance(value, ModuleType) and value in (math, np):
            self.constants[name] = value
        elif isinstance(value, numbers.Number | np.bool_) and not isinstance(value, complex):
            self.constants[name] = value.item() if isinstance(value, np.generic) else value
        else:
            self.refuse(
                node,
                f"{node.id!r} is a {type(value).__name__}; a program's function can use numbers, math, numpy and "
                f"{', '.join(sorted(_BUILTINS))}",
            )
        return ast.copy_location(ast.Name(name, node.ctx), node)


def _as_list(made: Any) -> list[ast.stmt]:
    return made if isinstance(made, list) else [made]


def _always_returns(body: Sequence[ast.stmt]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, ast.Return):
        return True
    return (
        isinstance(last, ast.If) and bool(last.orelse) and _always_returns(last.body) and _always_returns(last.orelse)
    )
