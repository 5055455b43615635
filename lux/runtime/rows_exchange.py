# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The exchange of rows of numbers, and of a few numbers of each thread (``mapper/rows_exchange.cc``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.runtime.exchange import IterationExchange
from lux.runtime.start import rank, ranks


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
