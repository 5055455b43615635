# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Uploads of NumPy arrays to stores in a GPU's memory, by several threads (``mapper/upload.cc``)."""

from __future__ import annotations

import ctypes
import functools
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux.errors import LuxError
from lux.runtime import mapper_library
from lux.runtime.gpu import WARM_UP, GpuLauncher
from lux.runtime.gpu_plan import PlanStruct
from lux.runtime.launcher import internal
from lux.runtime.start import finish
from lux.runtime.stores import Store, new_store
from lux.runtime.task_context import register, unregister

MOST_THREADS = 8
"""Threads that copy, at most: they fill the link to a GPU, and each has 2 MiB of pinned memory."""
WORTH_A_THREAD = 1 << 22
"""Bytes that are worth a thread."""


def uploaded(array: NDArray[np.generic]) -> Store:
    """Copy an array of shape (n,), n > 0, to a new store in the memory of this process's first GPU.

    Examples
    --------
    >>> from lux import runtime
    >>> runtime.to_array(uploaded(np.arange(3))) if runtime.gpus() else np.arange(3)
    array([0, 1, 2])
    """
    given = np.ascontiguousarray(array)
    store = new_store(given.dtype, given.size, touched=False)
    launcher = internal(GpuLauncher("note_addresses", outputs={"x": None}, single_point=True))
    kept = np.zeros((1, len(launcher.arrays)), np.int64)
    plan = PlanStruct(keeps=1, n_kept=kept.shape[1], kept=kept.ctypes.data)
    functions, key = mapper_library.functions(), register(kept)
    functions.lux_plan(key, ctypes.byref(plan), 1)
    try:
        launcher(1, x=store, key=key, number=WARM_UP)
        finish()
        to = int(kept[0, launcher.arrays.index("x")])
        threads = min(MOST_THREADS, len(_cores()), max(1, given.nbytes // WORTH_A_THREAD))
        cuts = [given.nbytes * k // threads for k in range(threads + 1)]

        def copy(k: int) -> bytes | None:
            found: bytes | None = functions.lux_upload(
                key, k, to + cuts[k], given.ctypes.data + cuts[k], cuts[k + 1] - cuts[k]
            )
            return found

        errors = [copy(0)] if threads == 1 else list(_threads().map(copy, range(threads)))
    finally:
        functions.lux_forget_plan(key)
        unregister(key)
    for error in errors:
        if error is not None:
            raise LuxError(f"copying {given.nbytes:,} bytes to the GPU failed with {error.decode()}")
    return store


def _cores() -> frozenset[int]:
    return legate_config.rank_cores() or frozenset(os.sched_getaffinity(0))


@functools.cache
def _threads() -> ThreadPoolExecutor:
    def spread() -> None:
        os.sched_setaffinity(0, _cores())

    return ThreadPoolExecutor(MOST_THREADS, "lux-upload", initializer=spread)
