# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Exchanges of numbers: of rows of them and some of each thread (``mapper/rows_exchange.cc``), and of levels.

The numbers of levels are for sweeps from several sources at once (``mapper/level_exchange.cc``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.runtime.exchange import IterationExchange, check_size
from lux.runtime.start import rank, ranks

Borders = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint64]]
"""Vertices that another process reads, those of its vertices that this one reads, and an index of the former."""


class RowsExchange(IterationExchange):
    """Exchange of rows that an iteration has written, and of numbers of each thread.

    ``written`` of `lux.kernels.threads.exchange` is the copy of the numbers, plus twice the list of the rows, plus
    twice the number of lists for each slot before that of the rows.

    Parameters
    ----------
    threads_of : sequence of range
        Threads of each process.
    numbers : pair of np.ndarray, float64
        Both copies of the numbers, one row for each thread of all processes, which may be followed by others.
    slots : np.ndarray
        Of shape (slots, vertices, length of a row).
    n_lists : int
    """

    def __init__(
        self,
        threads_of: Sequence[range],
        numbers: Sequence[NDArray[np.float64]],
        slots: NDArray[Any],
        n_lists: int,
    ) -> None:
        super().__init__()
        own = threads_of[rank()]
        self._kept += [slots, *numbers]
        row_bytes = slots.shape[2] * slots.itemsize
        self._native.lux_rows_exchange(
            self._key, rank(), ranks(), own.start, len(own), numbers[0].shape[1],
            *(copy.ctypes.data for copy in numbers), slots.ctypes.data, slots.shape[1] * row_bytes, row_bytes, n_lists,
        )  # fmt: skip

    def add_peer(self, threads: range) -> None:
        """Add another process, in the order of their numbers; its lists follow."""
        self._native.lux_rows_peer(self._key, threads.start, len(threads))

    def add_list(
        self, first_sent: int, sent: NDArray[np.uint32], first_received: int, received: NDArray[np.uint32]
    ) -> None:
        """Add a list of rows to the process that was added last: what goes there and what comes from there.

        Both are counted from the owner's first row.
        """
        self._kept += [sent, received]
        self._native.lux_rows_list(
            self._key, first_sent, sent.ctypes.data, len(sent), first_received, received.ctypes.data, len(received)
        )


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
