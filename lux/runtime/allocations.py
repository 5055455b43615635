# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What stores take of the memory of GPUs, and of zero-copy memory: an account of where launches have placed them.

Legion keeps what a launch has placed until the store is given back, so that much is taken for as long as the store is
alive. (It may take less: what CPU cores have written to since, Legion may give up when it needs room.)
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from lux.runtime.start import gpus, ranks
from lux.runtime.stores import Store

_stores: weakref.WeakSet[Store] = weakref.WeakSet()
WHOLE = "whole"


def note(
    points: int,
    stores: Mapping[str, Store],
    splits: Mapping[str, Store | None],
    zero_copy: Collection[str],
    overflow: Collection[str] = (),
    overflowing: int = 0,
) -> None:
    """A launch on GPUs takes these stores.

    Parameters
    ----------
    points : int
    stores : mapping of name to Store
    splits : mapping of name to Store or None
        The rectangles by which a store is split; None: every point sees all of it.
    zero_copy, overflow : collection of str
        Stores that are in zero-copy memory: all of them, and in the points of the bit set ``overflowing``.
    """
    count = gpus()
    for name, store in stores.items():
        split = splits[name]
        spans = split.spans if split is not None else WHOLE
        key = (points, spans, name in zero_copy, overflowing if name in overflow else 0)
        known = store.placed
        if known is None or known.gpus != count:
            known = store.placed = Placed(count)
        if key not in known.ways:
            _stores.add(store)
            known.ways[key] = _taken(store, *key)
            # Parts of it that overlap have one place.
            known.taken = np.minimum(np.sum(list(known.ways.values()), axis=0), size_of(store))


class Placed:
    """Where launches on so many GPUs have placed a store.

    Attributes
    ----------
    taken : np.ndarray of shape (2, gpus), int64
        Bytes that it takes on each GPU, and in zero-copy memory.
    """

    def __init__(self, count: int) -> None:
        self.gpus, self.taken = count, np.zeros((2, max(count, 1)), np.int64)
        self.ways: dict[tuple[int, bytes | str, bool, int], NDArray[np.int64]] = {}


def _taken(store: Store, points: int, spans: bytes | str, zero_copy: bool, overflowing: int) -> NDArray[np.int64]:
    """Bytes on each GPU, and beside each in zero-copy memory, of shape (2, gpus)."""
    count, found = max(gpus(), 1), np.zeros((2, max(gpus(), 1)), np.int64)
    nbytes = size_of(store)
    each = np.full(points, nbytes)
    if isinstance(spans, bytes):
        first, last = np.frombuffer(spans, np.int64).reshape(2, -1)
        each = np.maximum(last - first + 1, 0)[:points] * (1 if store.dtype is None else store.dtype.itemsize)
    gpu = np.arange(len(each)) * count // len(each) if len(each) > count else np.arange(len(each))
    if zero_copy:
        found[1] = 0
        for rank in range(ranks()):  # one instance in each process
            found[1, rank * count // ranks()] = nbytes
        return found
    for point, taken in enumerate(each.tolist()):
        row = overflowing >> point & 1
        if spans == WHOLE and not row:
            found[0, gpu[point]] = taken  # points of a GPU see the same
        else:
            found[row, gpu[point]] += taken
    return found


def size_of(store: Store) -> int:
    """Bytes of a store; those that were made of arrays do not say."""
    if store.nbytes or store.dtype is None:
        return store.nbytes
    return int(np.prod(store.legate.shape)) * store.dtype.itemsize


def placed(stores: Collection[Store] | None = None) -> NDArray[np.int64]:
    """Bytes that stores take, by default all that are alive, of shape (2, gpus): on each GPU, and in zero-copy memory.

    What a process has in zero-copy memory is noted beside its GPUs, of which the sum is meant.
    """
    total = np.zeros((2, max(gpus(), 1)), np.int64)
    for store in alive() if stores is None else stores:
        if store.placed is not None and store.placed.gpus == gpus():
            total += store.placed.taken
    return total


def alive() -> list[Store]:
    """Stores that are on GPUs or in zero-copy memory."""
    return list(_stores)
