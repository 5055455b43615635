# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Allocations of stores in the memory of GPUs and in zero-copy memory, recorded at each launch.

Legion keeps a placed instance until its store is given back, so the bytes are taken for as long as the store is alive.
(They may be fewer: Legion may give up instances of stores that CPU cores have written to since, when it needs room.)
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from lux.runtime.start import gpus, ranks
from lux.runtime.stores import Store

stores_noted: weakref.WeakSet[Store] = weakref.WeakSet()
WHOLE = "whole"


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
            known = store.placed = Placed(count)
        if key not in known.ways:
            stores_noted.add(store)
            known.ways[key] = taken = _taken(store, *key)
            # Overlapping parts of a store have one instance.
            several = len(known.ways) > 1
            known.taken = np.minimum(np.sum(list(known.ways.values()), axis=0), size_of(store)) if several else taken


class Placed:
    """Placements of one store by launches on so many GPUs.

    Attributes
    ----------
    taken : np.ndarray of shape (2, gpus), int64
        Bytes of the store on each GPU, and in zero-copy memory.
    """

    def __init__(self, count: int) -> None:
        self.gpus, self.taken = count, np.zeros((2, max(count, 1)), np.int64)
        self.ways: dict[tuple[int, bytes | str, bool, int], NDArray[np.int64]] = {}


def _taken(store: Store, points: int, spans: bytes | str, zero_copy: bool, overflowing: int) -> NDArray[np.int64]:
    """Compute bytes on each GPU, and beside each in zero-copy memory, of shape (2, gpus)."""
    count, found = max(gpus(), 1), np.zeros((2, max(gpus(), 1)), np.int64)
    nbytes = size_of(store)
    if points == 1 and spans == WHOLE and not zero_copy:
        found[overflowing & 1, 0] = nbytes
        return found
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
    """Sum the bytes of stores, by default all that are alive, of shape (2, gpus): per GPU, and in zero-copy memory.

    Zero-copy memory of a process is the sum over the entries of its GPUs.
    """
    total = np.zeros((2, max(gpus(), 1)), np.int64)
    for store in alive() if stores is None else stores:
        if store.placed is not None and store.placed.gpus == gpus():
            total += store.placed.taken
    return total


def alive() -> list[Store]:
    """List the stores that are on GPUs or in zero-copy memory."""
    return list(stores_noted)
