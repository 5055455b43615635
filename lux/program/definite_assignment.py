# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Definite assignment: refuses a program's function that reads a name which some path leaves unset."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence

State = frozenset[str] | None
"""Names that are set on every path to a statement; None for a statement that no path reaches."""


def _both(states: Sequence[State]) -> State:
    reached = [state for state in states if state is not None]
    return frozenset.intersection(*reached) if reached else None


class DefiniteAssignment:
    """DefiniteAssignment follows the paths through a function.

    Parameters
    ----------
    names : collection of str
        Local variables of the function.
    refuse : callable ``refuse(node, why)``
        Called for a name that may be unset where it is read.
    number : callable
        Returns the value of an expression that is a constant whole number, else None.
    """

    def __init__(
        self,
        names: Collection[str],
        refuse: Callable[[ast.AST, str], object],
        number: Callable[[ast.expr], int | None],
    ) -> None:
        self._names, self._refuse, self._number = frozenset(names), refuse, number
        self._leaving: list[tuple[list[State], list[State]]] = []  # per loop: states at break, and at continue

    def check(self, body: Sequence[ast.stmt]) -> None:
        """Refuse the first name that may be unset."""
        if self._names:
            self._block(body, frozenset())

    def _block(self, body: Sequence[ast.stmt], state: State) -> State:
        for statement in body:
            if state is None:  # after a return
                break
            state = self._statement(statement, state)
        return state

    def _statement(self, node: ast.stmt, state: frozenset[str]) -> State:
        if isinstance(node, ast.If):
            self._reads(node.test, state)
            return _both([self._block(node.body, state), self._block(node.orelse, state)])
        if isinstance(node, ast.For | ast.While):
            return self._loop(node, state)
        if isinstance(node, ast.AugAssign):
            self._reads(ast.copy_location(ast.BinOp(_as_read(node.target), node.op, node.value), node), state)
        else:
            self._reads(node, state)
        if isinstance(node, ast.Break | ast.Continue):
            if self._leaving:
                self._leaving[-1][isinstance(node, ast.Continue)].append(state)
            return None
        return None if isinstance(node, ast.Return) else state | self._sets(node)

    def _loop(self, node: ast.For | ast.While, state: frozenset[str]) -> State:
        self._reads(node.iter if isinstance(node, ast.For) else node.test, state)
        inside = state | self._sets(node.target) if isinstance(node, ast.For) else state
        self._leaving.append(([], []))
        end = self._block(node.body, inside)
        broken, continued = self._leaving.pop()
        after: list[State] = [end, *continued] if self._runs_once(node) else [state]
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
            after = []  # only a break leads out
        return _both([self._block(node.orelse, _both(after)), *broken])

    def _runs_once(self, node: ast.For | ast.While) -> bool:
        """Tell whether a loop's body runs at least once: it does over a constant range that is not empty."""
        if not (isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and len(node.iter.args) in (1, 2)):
            return False
        ends = [self._number(end) for end in node.iter.args]
        first, last = (0, ends[0]) if len(ends) == 1 else ends
        return first is not None and last is not None and first < last

    def _reads(self, node: ast.AST, state: frozenset[str]) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id in self._names - state:
                self._refuse(part, f"{part.id} may be unset here: assign it on every path that leads here")

    def _sets(self, node: ast.AST) -> frozenset[str]:
        return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _as_read(target: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Name(target.id, ast.Load()), target) if isinstance(target, ast.Name) else target
