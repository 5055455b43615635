# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Private data of a grid's processors from launch to launch: one store, and the layout of each processor's part.

Every store that a launch takes costs about 0.02 ms, and searches are made of short launches: private arrays lie in one
store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.bfs.distributed.grid.two_dimensional_kernels import STATE_COLUMNS
from lux.algorithms.bfs.distributed.processor_grid import Grid


class Views(NamedTuple):
    """The private data of a processor, by local ids.

    Attributes
    ----------
    state : np.ndarray of shape (STATE_COLUMNS,), int64
        The row of the level under way.
    visited : np.ndarray of shape (local_rows / 64,), uint64
        Bits of the local rows that the processor has visited.
    front : np.ndarray of shape (local_columns / 64,), uint64
        Bits of the frontier's local columns, in bottom-up levels.
    preds : np.ndarray of shape (local_rows,), uint32
        The place of the first vertex on this processor from which each local row was found.
    levels : np.ndarray of shape (stride,), int32
        Levels of own vertices.
    finders : np.ndarray of shape (stride,), uint32
        The grid column of the processor that keeps each own vertex' parent; `NONE` where the vertex is unreached.
    degrees : np.ndarray of shape (stride,), int32 or int64
        Out-edges of own vertices in the whole graph, alike in all searches.
    """

    state: NDArray[np.int64]
    visited: NDArray[np.uint64]
    front: NDArray[np.uint64]
    preds: NDArray[np.uint32]
    levels: NDArray[np.int32]
    finders: NDArray[np.uint32]
    degrees: NDArray[Any]


@dataclass(frozen=True)
class PrivateLayout:
    """The layout of a processor's private arrays, in words of eight bytes.

    Examples
    --------
    >>> layout = PrivateLayout.of(Grid.over(100, 4), np.dtype(np.int32))
    >>> layout.words, layout.open(np.zeros(layout.words, np.uint64)).preds.shape
    (172, (128,))
    """

    kinds: tuple[tuple[np.dtype[Any], int], ...]

    @classmethod
    def of(cls, grid: Grid, degrees: np.dtype[Any]) -> PrivateLayout:
        """Lay out the private data of a grid's processors."""
        return cls(
            (
                (np.dtype(np.int64), STATE_COLUMNS),
                (np.dtype(np.uint64), grid.local_rows // 64),
                (np.dtype(np.uint64), grid.local_columns // 64),
                (np.dtype(np.uint32), grid.local_rows),
                (np.dtype(np.int32), grid.stride),
                (np.dtype(np.uint32), grid.stride),
                (degrees, grid.stride),
            )
        )

    @property
    def words(self) -> int:
        """Words of each processor's private data."""
        return sum(kind.itemsize * length for kind, length in self.kinds) // 8

    def open(self, private: NDArray[np.uint64]) -> Views:
        """Return a processor's private arrays, which share the memory of ``private``."""
        views, at = [], 0
        for kind, length in self.kinds:
            size = kind.itemsize * length // 8
            views.append(private[at : at + size].view(kind))
            at += size
        return Views(*views)
