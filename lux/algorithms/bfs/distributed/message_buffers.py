# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Buffers of messages between processors: a store with a slot for each communicating pair, or for each sender.

Senders write their own slots, which lie together; receivers read theirs through an image. A slot holds any message
about its range of vertices (`lux.algorithms.bfs.distributed.message_kernels`). While all messages are short, only the
beginnings of slots are read.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.partition.split_points import starts
from lux.runtime import Store

SHORT = 1024
"""Words below which a message is short: a list that filled the read part of a slot would be taken for a bitmap."""


class _Slots:
    """The slots that receivers read, whole or, while messages are short, their beginnings.

    Attributes
    ----------
    parts : int
        Number of processors.
    """

    parts: int
    _senders: int
    """Slots that each receiver reads."""
    _first: NDArray[np.int64]
    """First element of these in the store, receiver by receiver."""
    _sizes: NDArray[np.int64] | np.int64
    """Words of these slots."""

    def inbox(self, longest: int) -> tuple[Store, Store]:
        """Return the rectangles that receivers read, sender by sender, and the receiver of each (see `Launcher`).

        Parameters
        ----------
        longest : int
            Words of the longest message in any slot.
        """
        return (self._short if longest < SHORT else self._whole), self._receivers

    @cached_property
    def _whole(self) -> Store:
        return runtime.rectangles(self._first, self._first + self._sizes - 1)

    @cached_property
    def _short(self) -> Store:
        return runtime.rectangles(self._first, self._first + np.minimum(self._sizes, SHORT) - 1)

    @cached_property
    def _receivers(self) -> Store:
        return runtime.ranges(np.arange(self.parts + 1, dtype=np.int64) * self._senders)


class PairBuffers(_Slots):
    """Slots for messages.

    Parameters
    ----------
    words : np.ndarray of shape (parts, parts), int64
        Words of the slot from each processor (row) to each other (column); 0 where they do not communicate.

    Attributes
    ----------
    store : Store, uint32
        All slots, by sender, then receiver.
    sent_at : np.ndarray of shape (parts, parts), int64
        First element of each slot in its sender's part.
    found_at : np.ndarray of shape (parts, parts), int64
        First element of each slot in its receiver's part.

    Examples
    --------
    >>> buffers = PairBuffers(np.array([[0, 5, 5], [9, 0, 0], [9, 0, 0]]))
    >>> buffers.sent_at[0].tolist(), buffers.found_at[:, 0].tolist()
    ([0, 0, 5], [0, 0, 9])
    """

    def __init__(self, words: NDArray[np.int64]) -> None:
        at = starts(words.ravel())[:-1].reshape(words.shape)
        self.words, self.parts = words, len(words)
        self.store = runtime.new_store(np.uint32, int(words.sum()))
        self.sent_at = at - at[:, :1]
        first = np.where(words > 0, at, np.iinfo(np.int64).max).min(axis=0)
        self.found_at = np.where(words > 0, at - first, 0)
        self._senders, self._first, self._sizes = self.parts, at.T.ravel(), words.T.ravel()

    @cached_property
    def outbox(self) -> Store:
        """Return the rectangle of each sender's slots."""
        return runtime.ranges(starts(self.words.sum(axis=1)))
