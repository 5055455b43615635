# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Statistics of a run's iterations."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from lux.kernels import frontier as fr
from perfmodel.direction import LUX, by_share

if TYPE_CHECKING:
    from lux.graph.graph import Graph

MODELS = {fr.PULL: "pull", fr.PUSH: "push"}
FIRST_KEPT = LAST_KEPT = 100_000
"""Iterations with statistics of their own: so many of the first, and of the last."""
SUMS = 5
"""Numbers of a row of sums: iterations that pulled, and that pushed, active vertices, their out-edges, and seconds."""


@dataclass(frozen=True)
class Iteration:
    """One iteration of a run.

    Attributes
    ----------
    model : str
        ``pull`` or ``push``.
    frontier : int
        Active vertices at its start.
    frontier_edges : int
        Their out-edges.
    seconds : np.ndarray of shape (parts,), or (threads,) where one task holds all partitions
        Kernel time of each partition or thread.
    why : str
        Reason for the model.
    exchanged : int or None
        Bytes that processors sent one another, if an engine counts them.
    phases : mapping of str to np.ndarray of shape (parts,), or None
        Seconds of each processor in each phase, exchanges included, if an engine measures them.
    """

    model: str
    frontier: int
    frontier_edges: int
    seconds: NDArray[np.float64]
    why: str = field(default="", kw_only=True)
    exchanged: int | None = field(default=None, kw_only=True)
    phases: Mapping[str, NDArray[np.float64]] | None = field(default=None, kw_only=True)


def seconds_of_phases(statistics: Iterable[Iteration]) -> dict[str, float]:
    """Add up the seconds of each phase over the iterations that have any, means over the processors.

    >>> steps = [Iteration("push", 1, 2, np.ones(2), phases={"fold": np.array([1.0, 3.0])})] * 2
    >>> seconds_of_phases(steps)
    {'fold': 4.0}
    """
    found: dict[str, float] = {}
    for step in statistics:
        for name, seconds in (step.phases or {}).items():
            found[name] = found.get(name, 0.0) + float(seconds.mean())
    return found


def most_kept(iterations: int) -> int:
    """Count the iterations, of so many, that have statistics of their own."""
    return min(iterations, FIRST_KEPT + LAST_KEPT)


@dataclass(frozen=True)
class Between:
    """Sums over the iterations that have no statistics of their own.

    Attributes
    ----------
    first : int
        Number of the first such iteration; a run's first iteration is 1.
    iterations : int
        Number of such iterations.
    models : dict of str to int
        Number of iterations in each model.
    frontier, frontier_edges : int
        Sums of the values of `Iteration`.
    seconds : np.ndarray, as in `Iteration`
        Sums of the values of `Iteration`.
    """

    first: int
    iterations: int
    models: dict[str, int]
    frontier: int
    frontier_edges: int
    seconds: NDArray[np.float64]


class Rows:
    """Rows of statistics as they come, of which memory holds so many: the first, the last, and sums of the others.

    Parameters
    ----------
    parts : int
        Partitions, or threads.
    """

    def __init__(self, parts: int = 1) -> None:
        self._parts = parts
        self._first: list[NDArray[np.float64]] = []
        self._last: deque[NDArray[np.float64]] = deque()
        self._n_first = self._n_last = 0
        self._sums = np.zeros((parts, SUMS))

    def append(self, rows: NDArray[np.float64]) -> None:
        """Keep the rows of some iterations, of shape (parts, iterations * STATISTICS_COLUMNS); they are copied."""
        rows = rows.reshape(self._parts, -1, fr.STATISTICS_COLUMNS)
        room = FIRST_KEPT - self._n_first
        for to, some in ((self._first, rows[:, :room]), (self._last, rows[:, room:])):
            if some.shape[1]:
                to.append(some.copy())
        self._n_first += min(room, rows.shape[1])
        self._n_last += max(rows.shape[1] - room, 0)
        while self._last and self._n_last - self._last[0].shape[1] >= LAST_KEPT:
            self._add(self._last.popleft())

    def _add(self, rows: NDArray[np.float64]) -> None:
        """Add rows of the last ones to the sums."""
        self._n_last -= rows.shape[1]
        for k, model in enumerate(MODELS):
            self._sums[:, k] += (rows[:, :, 0] == model).sum(axis=1)
        self._sums[:, 2:] += rows[:, :, 1:].sum(axis=1)

    def kept(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the kept rows, of shape (parts, iterations * STATISTICS_COLUMNS), and the sums of the others."""
        if self._n_last > LAST_KEPT:
            first = self._last.popleft()
            many = self._n_last - LAST_KEPT
            self._last.appendleft(first[:, many:].copy())
            self._add(first[:, :many])
        nothing = np.empty((self._parts, 0, fr.STATISTICS_COLUMNS))
        return np.concatenate([nothing, *self._first, *self._last], axis=1).reshape(self._parts, -1), self._sums


class Table(Sequence[Iteration]):
    """Iterations as rows that kernels wrote; an object is made when it is read, as there may be thousands.

    Parameters
    ----------
    rows : np.ndarray of shape (parts, iterations * STATISTICS_COLUMNS), float64, or a callable that returns it
        Model, active vertices and their out-edges (taken from the first partition's rows), and seconds. It is called
        when the first row is read.
    why : callable ``why(model, frontier, frontier_edges, model_before)``
    sums : np.ndarray of shape (parts, SUMS), float64, optional
        Sums of iterations that have no rows, as in `Rows`; they come after the first `FIRST_KEPT`.

    Attributes
    ----------
    between : Between or None
        Sums of the iterations that are not in this sequence.
    """

    def __init__(
        self,
        rows: NDArray[np.float64] | Callable[[], NDArray[np.float64]],
        why: Callable[[str, int, int, str], str],
        sums: NDArray[np.float64] | None = None,
    ) -> None:
        self._rows = rows
        self._why = why
        self.between: Between | None = None
        if sums is not None and sums[0, :2].any():
            pulled, pushed, frontier, edges = map(int, sums[0, :4].tolist())
            models = {name: n for name, n in (("pull", pulled), ("push", pushed)) if n}
            self.between = Between(FIRST_KEPT + 1, pulled + pushed, models, frontier, edges, sums[:, 4].copy())

    @functools.cached_property
    def _table(self) -> NDArray[np.float64]:
        rows = self._rows() if callable(self._rows) else self._rows
        return rows.reshape(len(rows), -1, fr.STATISTICS_COLUMNS)

    def number(self, k: int) -> int:
        """Return the number in the run of the iteration at ``k``; the first is 1."""
        gone = self.between.iterations if self.between is not None and k >= self.between.first - 1 else 0
        return k + 1 + gone

    def __len__(self) -> int:
        return int(self._table.shape[1])

    @overload
    def __getitem__(self, k: int) -> Iteration: ...
    @overload
    def __getitem__(self, k: slice) -> list[Iteration]: ...
    def __getitem__(self, k: int | slice) -> Any:
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        k = range(len(self))[k]
        name, counts = MODELS[int(self._table[0, k, 0])], self.counts(k)
        before = MODELS[int(self._table[0, k - 1, 0])] if k else ""
        if self.between is not None and k == self.between.first - 1:
            before = name  # where the model before matters, `why` gets it
        return Iteration(name, *counts, self._table[:, k, 3].copy(), why=self.reason(k, name, *counts, before))

    def counts(self, k: int) -> tuple[int, int]:
        """Return the active vertices of iteration ``k``, and their out-edges."""
        frontier, edges = self._table[0, k, 1:3].tolist()
        return int(frontier), int(edges)

    def reason(self, _k: int, model: str, frontier: int, edges: int, before: str) -> str:
        """Say why iteration ``_k`` has its model."""
        return self._why(model, frontier, edges, before)

    def __repr__(self) -> str:
        return f"<{len(self)} iteration{'s' * (len(self) != 1)}>"


def numbered(statistics: Sequence[Iteration]) -> Iterator[tuple[int, Iteration]]:
    """Enumerate the iterations with their numbers in the run, from 1."""
    for k, iteration in enumerate(statistics):
        yield statistics.number(k) if isinstance(statistics, Table) else k + 1, iteration


def between(statistics: Sequence[Iteration]) -> Between | None:
    """Return the sums of the iterations that are not among these."""
    return statistics.between if isinstance(statistics, Table) else None


def why(graph: Graph, asked: str, model: str, frontier: int, edges: int, before: str) -> str:
    """Say which part of `perfmodel.direction.by_share` chose an iteration's model."""
    if asked != "auto":
        return "as asked for"
    heavy = by_share(False, frontier, edges, graph.n_vertices, graph.n_edges)
    if model == "pull" and not heavy:
        return f"{before} before, and the frontier, {frontier:,}, exceeds 1/{LUX.push_below} of all vertices"
    how = f"{'exceed' if heavy else 'are within'} 1/{LUX.pull_above}"
    return f"frontier and its edges, {frontier + edges:,}, {how} of all edges"


@dataclass(frozen=True)
class GatherStatistics:
    """Statistics of the gathers of INS by the partitions of this process.

    Attributes
    ----------
    vertices : int
        Gathered vertices, over all iterations and partitions.
    nbytes : int
        Bytes of their fields.
    seconds, work_seconds : float
        Kernel time until all values were there, and from then on; of the slowest partition.
    moved : int
        Bytes of the messages that partitions were sent for the gathers (`lux.engine.gpu.messages`); ``vertices`` then
        counts other partitions' vertices only.
    """

    vertices: int
    nbytes: int
    seconds: float
    work_seconds: float
    moved: int = 0

    @classmethod
    def noted(cls, outcome: NDArray[Any], nbytes: int, vertices: int = 0) -> GatherStatistics:
        """Take the times of a kernel's ``outcome`` on several GPUs that exchanged ``nbytes`` bytes."""
        slowest = outcome["exchanging"].max(), outcome["working"].max()
        return cls(vertices, nbytes, 1e-9 * float(slowest[0]), 1e-9 * float(slowest[1]))
