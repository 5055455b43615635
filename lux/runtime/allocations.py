# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Allocations of stores in the memory of GPUs and in zero-copy memory, recorded at each launch.

Legion keeps a placed instance until its store is given back, so the bytes are taken for as long as the store is alive.
(They may be fewer: Legion may give up instances of stores that CPU cores have written to since, when it needs room.)
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from lux.runtime.start import gpus, ranks
from lux.runtime.stores import Store, not_reusable, spare_bytes

WHOLE = "whole"
ON_GPU = 1, WHOLE, False, 0
"""The placement of a whole store on the first GPU, by a launch of one point."""


def note(
    points: int,
    stores: Mapping[str, Store],
    splits: Mapping[str, Store | None],
    zero_copy: Collection[str],
    overflow: Collection[str] = (),
    overflowing: int = 0,
) -> None:
    """Record that a launch on GPUs places these stores.

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
            known = store.placed = Placed(store, count)
        if key not in known.ways:
            known.ways[key] = taken = _taken(store, *key)
            if key != ON_GPU:
                not_reusable(store)
            # Overlapping parts of a store have one instance.
            several = len(known.ways) > 1
            noted.take(
                known, np.minimum(np.sum(list(known.ways.values()), axis=0), size_of(store)) if several else taken
            )


class Placed:
    """Placements of one store by launches on so many GPUs.

    Attributes
    ----------
    store : weakref.ref of Store
    taken : np.ndarray of shape (2, gpus), int64
        Bytes of the store on each GPU, and in zero-copy memory.
    """

    def __init__(self, store: Store, count: int) -> None:
        gone = noted.gone
        self.store = weakref.ref(store, lambda _: gone.append(self))
        self.gpus, self.taken = count, np.zeros((2, max(count, 1)), np.int64)
        self.ways: dict[tuple[int, bytes | str, bool, int], NDArray[np.int64]] = {}


class Noted:
    """The placements of all stores that are alive, and their sum: a process may hold thousands.

    Attributes
    ----------
    gone : list of Placed
        Placements of stores that are gone since the sum was asked for: any thread may drop a store.
    """

    def __init__(self) -> None:
        self.gone: list[Placed] = []
        self._placed: set[Placed] = set()
        self._total = np.zeros((2, 1), np.int64)

    def take(self, placed: Placed, taken: NDArray[np.int64]) -> None:
        """Note the bytes that a store takes from now on."""
        self._placed.add(placed)
        self._change(taken - placed.taken)
        placed.taken = taken

    def _change(self, by: NDArray[np.int64]) -> None:
        if self._total.shape != by.shape:
            self._total = np.zeros_like(by)
        self._total += by

    def _forget_gone(self) -> None:
        while self.gone:
            placed = self.gone.pop()
            self._placed.discard(placed)
            self._change(-placed.taken)

    def total(self) -> NDArray[np.int64]:
        """Sum the bytes of all stores that are alive, or kept for reuse, as `placed` does."""
        self._forget_gone()
        if self._total.shape[1] != max(gpus(), 1):
            return np.zeros((2, max(gpus(), 1)), np.int64)
        total = self._total.copy()
        total[0, 0] += spare_bytes()
        return total

    def stores(self) -> list[Store]:
        """List the stores that are alive."""
        self._forget_gone()
        return [store for placed in self._placed if (store := placed.store()) is not None]


noted = Noted()


def _taken(store: Store, points: int, spans: bytes | str, zero_copy: bool, overflowing: int) -> NDArray[np.int64]:
    """Return bytes on each GPU, and beside each in zero-copy memory, of shape (2, gpus); nobody changes them."""
    itemsize = 1 if store.dtype is None else store.dtype.itemsize
    return _bytes_taken(size_of(store), itemsize, points, spans, zero_copy, overflowing, max(gpus(), 1))


@functools.lru_cache(256)  # each search has results of the same lengths
def _bytes_taken(
    nbytes: int, itemsize: int, points: int, spans: bytes | str, zero_copy: bool, overflowing: int, count: int
) -> NDArray[np.int64]:
    found = np.zeros((2, count), np.int64)
    if points == 1 and spans == WHOLE and not zero_copy:
        found[overflowing & 1, 0] = nbytes
        return found
    each = np.full(points, nbytes)
    if isinstance(spans, bytes):
        first, last = np.frombuffer(spans, np.int64).reshape(2, -1)
        each = np.maximum(last - first + 1, 0)[:points] * itemsize
    gpu = np.arange(len(each)) * count // len(each) if len(each) > count else np.arange(len(each))
    if zero_copy:
        found[1] = 0
        for rank in range(ranks()):  # one instance in each process
            found[1, rank * count // ranks()] = nbytes
        return found
    for point, taken in enumerate(each.tolist()):
        row = overflowing >> point & 1
        if spans == WHOLE and not row:
            found[0, gpu[point]] = taken  # points of one GPU share an instance
        else:
            found[row, gpu[point]] += taken
    return found


def size_of(store: Store) -> int:
    """Return the bytes of a store; stores that were made of arrays do not know theirs."""
    if store.nbytes or store.dtype is None:
        return store.nbytes
    return int(np.prod(store.legate.shape)) * store.dtype.itemsize


def placed(stores: Collection[Store] | None = None) -> NDArray[np.int64]:
    """Sum the bytes of stores, of shape (2, gpus): per GPU, and in zero-copy memory.

    By default of all that are alive, or kept for reuse.

    Zero-copy memory of a process is the sum over the entries of its GPUs.
    """
    if stores is None:
        return noted.total()
    total = np.zeros((2, max(gpus(), 1)), np.int64)
    for store in stores:
        if store.placed is not None and store.placed.gpus == gpus():
            total += store.placed.taken
    return total


def alive() -> list[Store]:
    """List the stores that are on GPUs or in zero-copy memory."""
    return noted.stores()
