# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Exchange of levels, for sweeps from several sources at once (``mapper/level_exchange.cc``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.runtime.exchange import IterationExchange, check_size
from lux.runtime.start import rank, ranks

Borders = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint64]]
"""Vertices that another process reads, those of its vertices that this one reads, and an index of the former."""


class LevelExchange(IterationExchange):
    """Exchange of the numbers of a level's entries, forward and then back.

    An entry is a vertex and a source: vertex * sources + source. Other processes get the entries whose vertices they
    read. Their owners have both copies of numbers, of even and of odd levels; whoever reads them has copies as long.

    Parameters
    ----------
    parts : int
        This process's partitions.
    first_vertex : int
        First of this process's vertices.
    sources : int
    directed : bool
        The backward sweep reads other vertices than the forward sweep.
    state : pair of np.ndarray, int64
        Rows of this process's partitions, and of the other processes in their order.
    values : pair of np.ndarray, float64
    exponents : np.ndarray, int32
        Of all entries.
    queue : np.ndarray, int64
        Entries of all levels.
    """

    def __init__(
        self,
        parts: int,
        first_vertex: int,
        sources: int,
        directed: bool,
        state: Sequence[NDArray[np.int64]],
        values: Sequence[NDArray[np.float64]],
        exponents: NDArray[np.int32],
        queue: NDArray[np.int64],
    ) -> None:
        super().__init__()
        self._sources, self._sent, self._received = sources, 0, 0
        arrays: list[NDArray[Any]] = [*state, *values, exponents, queue]
        self._kept += arrays
        self._native.lux_level_exchange(
            self._key,
            rank(),
            ranks(),
            parts,
            first_vertex,
            sources,
            int(directed),
            *(array.ctypes.data for array in arrays),
        )

    def add_peer(self, first_vertex: int, queue_at: int, forward: Borders, back: Borders) -> None:
        """Add another process; in the order of their numbers.

        Parameters
        ----------
        first_vertex : int
            First of its vertices.
        queue_at : int
            Where its entries begin in the queue.
        forward, back : Borders
            Of the forward sweep, and of the backward sweep.
        """
        self._sent += words_of_message(max(len(forward[0]), len(back[0])), self._sources)
        self._received += words_of_message(max(len(forward[1]), len(back[1])), self._sources)
        check_size(max(self._sent, self._received))
        self._native.lux_level_peer(self._key, first_vertex, queue_at)
        for direction, (sent, received, members) in enumerate((forward, back)):
            self._kept += [sent, received, members]
            self._native.lux_level_borders(
                self._key, direction, sent.ctypes.data, len(sent), received.ctypes.data, len(received),
                members.ctypes.data,
            )  # fmt: skip


def words_of_message(vertices: int, sources: int) -> int:
    """Bound the words of a message with entries of so many vertices: a bitmap, numbers, and exponents."""
    return 128 + 2 * vertices * sources
