# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the iterations of a run did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from lux.kernels import frontier as fr

if TYPE_CHECKING:
    from lux.graph import Graph

MODELS = {fr.PULL: "pull", fr.PUSH: "push"}


@dataclass(frozen=True)
class Iteration:
    """What one iteration did.

    Attributes
    ----------
    model : str
        ``pull`` or ``push``.
    frontier : int
        Active vertices at its start.
    frontier_edges : int
        Their out-edges.
    seconds : np.ndarray of shape (parts,), or (threads,) where one task holds all partitions
        Kernel time of each.
    why : str
        Why this model.
    exchanged : int or None
        Bytes that processors sent one another, where an engine counts them.
    """

    model: str
    frontier: int
    frontier_edges: int
    seconds: NDArray[np.float64]
    why: str = field(default="", kw_only=True)
    exchanged: int | None = field(default=None, kw_only=True)


class Table(Sequence[Iteration]):
    """The iterations that kernels wrote rows of; each object is made when it is looked at, as there may be thousands.

    Parameters
    ----------
    rows : np.ndarray of shape (parts, iterations * STATISTICS_COLUMNS), float64
        Model, active vertices and their out-edges (taken from the first partition's rows), and seconds.
    why : callable ``why(model, frontier, frontier_edges, model_before)``
    """

    def __init__(self, rows: NDArray[np.float64], why: Callable[[str, int, int, str], str]) -> None:
        self._table = rows.reshape(len(rows), -1, fr.STATISTICS_COLUMNS)
        self._why = why

    def __len__(self) -> int:
        return self._table.shape[1]

    @overload
    def __getitem__(self, k: int) -> Iteration: ...
    @overload
    def __getitem__(self, k: slice) -> list[Iteration]: ...
    def __getitem__(self, k: int | slice) -> Any:
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        k = range(len(self))[k]
        before = MODELS[int(self._table[0, k - 1, 0])] if k else ""
        name, counts = MODELS[int(self._table[0, k, 0])], self.counts(k)
        return Iteration(name, *counts, self._table[:, k, 3].copy(), why=self.reason(k, name, *counts, before))

    def counts(self, k: int) -> tuple[int, int]:
        """Active vertices of iteration ``k``, and their out-edges."""
        frontier, edges = self._table[0, k, 1:3].tolist()
        return int(frontier), int(edges)

    def reason(self, _k: int, model: str, frontier: int, edges: int, before: str) -> str:
        """Why iteration ``_k`` has its model."""
        return self._why(model, frontier, edges, before)

    def __repr__(self) -> str:
        return f"<{len(self)} iteration{'s' * (len(self) != 1)}>"


def why(graph: Graph, asked: str, model: str, frontier: int, edges: int, before: str) -> str:
    """The part of the rule in `lux.kernels.loops.iterate` that chose an iteration's model."""
    if asked != "auto":
        return "as asked for"
    if frontier + edges > graph.n_edges // fr.PULL_ABOVE:
        return f"frontier and its edges, {frontier + edges:,}, exceed 1/{fr.PULL_ABOVE} of all edges"
    if model == "pull":
        return f"{before} before, and the frontier, {frontier:,}, exceeds 1/{fr.PUSH_BELOW} of all vertices"
    return f"frontier and its edges, {frontier + edges:,}, are within 1/{fr.PULL_ABOVE} of all edges"
