# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Progress of a run between two iterations, in a form that does not depend on its partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.kernels import frontier as fr

if TYPE_CHECKING:
    from lux.graph.layout import PartitionedGraph


@dataclass(frozen=True)
class ProgressState:
    """Progress of a run.

    Attributes
    ----------
    iterations : int
        Iterations that are done.
    model, visited, active_edges : int
        Columns of the state of the same names (`lux.kernels.frontier`), the last summed over all partitions.
    totals : np.ndarray of shape (MAX_TOTALS,), float64
        The program's aggregates.
    frontier : np.ndarray of shape (n_vertices // 64 + 2,), uint64, or None
        Bits of the active vertices, in the order in which the graph is stored; None where there is no frontier.
    """

    iterations: int
    model: int
    visited: int
    active_edges: int
    totals: NDArray[np.float64]
    frontier: NDArray[np.uint64] | None

    @classmethod
    def of(cls, layout: PartitionedGraph, state: NDArray[np.int64], words: NDArray[np.uint64] | None) -> ProgressState:
        """Return the progress of which partitions have ``state`` and, if there is a frontier, ``words``."""
        rows = state[: layout.parts * fr.STATE_COLUMNS].reshape(layout.parts, fr.STATE_COLUMNS)
        frontier = None
        if words is not None:
            queue = words.view(layout.graph.id_dtype)
            places = layout.points, layout.queue_at, layout.word_at
            frontier = fr.frontier_bits(state, *places, queue, words)
        iterations, model, visited = (int(rows[0, column]) for column in (fr.ITERATIONS, fr.MODEL, fr.VISITED))
        totals = np.ascontiguousarray(rows[:, fr.TOTALS :]).view(np.float64).sum(axis=0)
        return cls(iterations, model, visited, int(rows[:, fr.ACTIVE_EDGES].sum()), totals, frontier)

    def for_partitions(self, layout: PartitionedGraph) -> tuple[NDArray[np.int64], NDArray[np.uint64] | None]:
        """Return the ``state`` of a layout's partitions and, if there is a frontier, their ``words``.

        Of aggregates and edges only sums over all partitions are read: the first partition has all.
        """
        rows = np.zeros((layout.parts, fr.STATE_COLUMNS), np.int64)
        rows[:, [fr.ITERATIONS, fr.MODEL, fr.VISITED]] = self.iterations, self.model, self.visited
        rows[0, fr.ACTIVE_EDGES], rows[0, fr.TOTALS :] = self.active_edges, self.totals.view(np.int64)
        rows[:, fr.ACTIVE], rows[:, fr.FORM] = np.diff(layout.points), fr.EVERY
        if self.frontier is None:
            return rows.reshape(-1), None
        words = np.zeros(int(layout.word_at[-1]), np.uint64)
        for part in range(layout.parts):
            lo, hi = layout.points[part : part + 2].tolist()
            own: Any = words[layout.word_at[part] : layout.word_at[part + 1]]
            members = np.flatnonzero(self._bits(lo, hi)).astype(np.uint32)
            if len(members) < hi - lo:
                rows[part, fr.ACTIVE] = len(members)
                queue = own.view(layout.graph.id_dtype)
                rows[part, fr.FORM] = fr.publish(members, len(members), lo, queue, own)
        return rows.reshape(-1), words

    def _bits(self, lo: int, hi: int) -> NDArray[np.uint8]:
        """Return a byte for each vertex from ``lo`` to ``hi - 1``: 1 if it is active."""
        assert self.frontier is not None
        piece = self.frontier[lo >> 6 : (hi + 63) >> 6]
        return np.unpackbits(piece.view(np.uint8), bitorder="little")[lo & 63 :][: hi - lo]
