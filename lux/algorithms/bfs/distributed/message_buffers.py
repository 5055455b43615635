# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Buffers of messages between processors: a store with a slot for each communicating pair."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.partition.split_points import starts
from lux.runtime import Store


class PairBuffers:
    """Slots for messages: senders write their own, which lie together, and receivers read theirs through an image.

    Parameters
    ----------
    words : np.ndarray of shape (parts, parts), int64
        Words of the slot from each processor (row) to each other (column); 0 where they do not communicate.

    Attributes
    ----------
    store : Store, uint32
        All slots, by sender, then receiver.
    found_at : np.ndarray of shape (parts, parts), int64
        First element of each slot in its receiver's part.

    Examples
    --------
    >>> buffers = PairBuffers(np.array([[0, 5, 5], [9, 0, 0], [9, 0, 0]]))
    >>> buffers.found_at[:, 0].tolist()
    [0, 0, 9]
    """

    def __init__(self, words: NDArray[np.int64]) -> None:
        at = starts(words.ravel())[:-1].reshape(words.shape)
        self.words, self.parts = words, len(words)
        self.store = runtime.new_store(np.uint32, int(words.sum()))
        first = np.where(words > 0, at, np.iinfo(np.int64).max).min(axis=0)
        self.found_at = np.where(words > 0, at - first, 0)
        self._first, self._sizes = at.T.ravel(), words.T.ravel()

    @cached_property
    def outbox(self) -> Store:
        """Return the rectangle of each sender's slots."""
        return runtime.ranges(starts(self.words.sum(axis=1)))

    def inbox(self) -> tuple[Store, Store]:
        """Return the rectangles that receivers read, sender by sender, and the receiver of each (see `Launcher`)."""
        receivers = np.arange(self.parts + 1, dtype=np.int64) * self.parts
        return runtime.rectangles(self._first, self._first + self._sizes - 1), runtime.ranges(receivers)
