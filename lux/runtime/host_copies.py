# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Copies between NumPy arrays and stores in the memory of GPUs, by several threads (``mapper/host_copies.cc``)."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux.errors import LuxError
from lux.runtime import mapper_library
from lux.runtime.gpu import WARM_UP, GpuLauncher
from lux.runtime.gpu_plan import addresses_kept
from lux.runtime.launcher import internal
from lux.runtime.start import finish
from lux.runtime.stores import Rectangles, Store, length_of, new_store

MOST_THREADS = 8
"""Threads that copy to or from a GPU, at most: they fill the link, and each has 2 MiB of pinned memory."""
WORTH_A_THREAD = 1 << 22
"""Bytes that are worth a thread."""

Copy = tuple[int, int, int, int, int]
"""Point, number of the thread on the point's GPU, address of the target, address of the source, bytes."""


def uploaded(array: NDArray[np.generic], rows: Rectangles | None = None) -> Store:
    """Copy an array of shape (n,), n > 0, to a new store in the memory of this process's first GPU.

    With ``rows``, which cover the array, each point's part goes to the point's GPU.

    Examples
    --------
    >>> from lux import runtime
    >>> runtime.to_array(uploaded(np.arange(3))) if runtime.gpus() else np.arange(3)
    array([0, 1, 2])
    """
    given = np.ascontiguousarray(array)
    store = new_store(given.dtype, given.size, touched=False)
    cuts = [(0, given.size)] if rows is None else rows.cuts
    with _addresses(store, rows, len(cuts), written=True) as (key, addresses):
        copies: list[Copy] = []
        for point, ((lo, hi), to) in enumerate(zip(cuts, addresses, strict=True)):
            copies += _pieces(point, to, given.ctypes.data + lo * given.itemsize, (hi - lo) * given.itemsize)
        _run(mapper_library.functions().lux_upload, key, copies)
    return store


def downloaded(store: Store, rows: Rectangles | None = None) -> NDArray[Any]:
    """Copy a store that lies in the memory of this process's first GPU to a new array.

    With ``rows``, which cover the store, each point's part comes from the point's GPU.
    """
    array = np.empty(length_of(store), store.dtype)
    cuts = [(0, array.size)] if rows is None else rows.cuts
    with _addresses(store, rows, len(cuts), written=False) as (key, addresses):
        copies: list[Copy] = []
        for point, ((lo, hi), of) in enumerate(zip(cuts, addresses, strict=True)):
            copies += _pieces(point, array.ctypes.data + lo * array.itemsize, of, (hi - lo) * array.itemsize)
        _run(mapper_library.functions().lux_download, key, copies)
    return array


@contextmanager
def _addresses(
    store: Store, rows: Rectangles | None, points: int, *, written: bool
) -> Iterator[tuple[int, Sequence[int]]]:
    """Have Legion place a store on GPUs; yields the key of the plan, and the address of each point's part."""
    launcher = _launcher(written, rows is None)
    kept = np.zeros((points, len(launcher.arrays)), np.int64)
    with addresses_kept(kept) as key:
        launcher(points, x=store, key=key, number=WARM_UP, **({} if rows is None else {"rows": rows}))
        finish()
        yield key, kept[:, launcher.arrays.index("x")].tolist()


@functools.cache
def _launcher(written: bool, whole: bool) -> GpuLauncher:
    stores: dict[str, str | None] = {"x": None if whole else "rows"}
    inputs, outputs = ({}, stores) if written else (stores, {})
    return internal(GpuLauncher("note_addresses", inputs, outputs, single_point=whole))


def _pieces(point: int, to: int, of: int, nbytes: int) -> list[Copy]:
    threads = min(MOST_THREADS, len(_cores()), max(1, nbytes // WORTH_A_THREAD))
    cuts = [nbytes * k // threads for k in range(threads + 1)]
    return [(point, k, to + cuts[k], of + cuts[k], cuts[k + 1] - cuts[k]) for k in range(threads)]


def _run(function: Callable[..., bytes | None], key: int, copies: Sequence[Copy]) -> None:
    if len(copies) == 1:
        errors = [function(key, *copies[0])]
    else:
        errors = list(_threads().map(lambda copy: function(key, *copy), copies))
    for error in filter(None, errors):
        nbytes = sum(copy[-1] for copy in copies)
        raise LuxError(f"copying {nbytes:,} bytes between the host and a GPU failed with {error.decode()}")


def _cores() -> frozenset[int]:
    return legate_config.rank_cores() or frozenset(os.sched_getaffinity(0))


@functools.cache
def _threads() -> ThreadPoolExecutor:
    def spread() -> None:
        os.sched_setaffinity(0, _cores())

    return ThreadPoolExecutor(len(_cores()), "lux-copies", initializer=spread)
