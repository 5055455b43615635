# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Index launches on GPUs: each point launches a CUDA kernel, without Python or waiting (``mapper/gpu.cc``)."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.runtime import allocations, mapper_library
from lux.runtime.compiled_launch import NativeLauncher
from lux.runtime.exchange import summed
from lux.runtime.gpu_plan import PlanStruct, addresses_kept
from lux.runtime.launcher import internal
from lux.runtime.start import finish, gpus, ranks
from lux.runtime.stores import Rectangles, Store, length_of, view
from lux.runtime.task_context import register, unregister

POINTS_OF_A_SCALAR = 63
"""Points whose bits one scalar of a launch has (``mapper/mapper.h`` has the same)."""
WARM_UP = -1
"""Number of a warm-up launch, whose points only find their GPU and prepare the launches to come."""


class GpuLauncher(NativeLauncher):
    """One kind of launch on GPUs; ``key`` names its plan, and ``number`` counts the launches of a run.

    Stores named in ``zero_copy`` are placed in zero-copy memory, as are those named in ``overflow`` in the points of
    the bit set ``overflowing``, and all others in the GPU's own.
    """

    task = 1

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, str | None] = MappingProxyType({}),
        outputs: Mapping[str, str | None] = MappingProxyType({}),
        updates: Mapping[str, str | None] = MappingProxyType({}),
        zero_copy: Collection[str] = (),
        single_point: bool = False,
        overflow: Collection[str] = (),
        overflowing: int = 0,
        grouped: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(
            name, inputs, outputs, updates, gpu=True, single_point=single_point, zero_copy=zero_copy, grouped=grouped
        )
        self.overflow_mask, self.overflowing_points = self._set_of(overflow), overflowing
        self._in_zero_copy, self._overflows = frozenset(zero_copy), frozenset(overflow)

    def __call__(self, points: int, **arguments: Any) -> None:
        """Launch, and record the allocations."""
        super().__call__(points, **arguments)
        if gpus():
            stores = {name: arguments[name] for name in self.split_of}
            # A launch of one point may be given no rectangles, and sees whole stores.
            splits = {n: arguments.get(split) if split and points > 1 else None for n, split in self.split_of.items()}
            allocations.note(points, stores, splits, self._in_zero_copy, self._overflows, self.overflowing_points)
        for name in self._written:
            store, split = arguments[name], self.split_of[name]
            own = name not in self._in_zero_copy | self._overflows
            store.on_gpu = own and points == 1 and split is None
            rows = arguments[split] if own and 1 < points <= gpus() and split is not None else None
            store.gpu_rows = rows if covers(rows, store, points) else None
            if store.lies_on_gpus:
                store.note_on_gpus()

    def _scalars(self, arguments: Mapping[str, Any]) -> list[int]:
        masks = [self.zero_copy_mask, self.overflow_mask]
        return [arguments["key"], arguments["number"], *masks, *words_of_points(self.overflowing_points)]


def covers(rows: Any, store: Store, points: int) -> bool:
    """Tell whether so many rectangles, in order, are all of a store."""
    return isinstance(rows, Rectangles) and len(rows.cuts) == points and rows.end == length_of(store)


def words_of_points(points: int) -> list[int]:
    """Cut a bit set of points into scalars, the lowest bits first.

    >>> words_of_points(5), words_of_points(1 << 64)
    ([5], [0, 2])
    """
    count = max(-(-points.bit_length() // POINTS_OF_A_SCALAR), 1)
    return [points >> k * POINTS_OF_A_SCALAR & (1 << POINTS_OF_A_SCALAR) - 1 for k in range(count)]


def encode_launch(number: int, iterations: int = 0) -> int:
    """Encode the number of a launch together with its iterations; 0: as many as its plan has.

    >>> encode_launch(3), encode_launch(3, 4) == 3 + (4 << 32)
    (3, True)
    """
    return number + (iterations << 32)


@functools.cache
def on_distinct_gpus(points: int) -> bool:
    """Tell whether the points of a launch run side by side, each on a GPU of its own.

    All processes must call this at the same place.
    """
    if points > gpus():
        return False
    functions, key, plan = mapper_library.functions(), register(None), PlanStruct()
    functions.lux_plan(key, ctypes.byref(plan), points)
    GpuLauncher("look")(points, key=key, number=WARM_UP)
    finish()
    found = functions.lux_contexts(key)
    functions.lux_forget_plan(key)
    unregister(key)
    if ranks() > 1:
        found = int(summed(np.array([found], np.int64))[0])
    return bool(found == points)


def zero_copy_arrays(stores: Mapping[str, Any], *, alone: bool = False) -> dict[str, NDArray[Any]]:
    """Map whole stores of `new_store`, of which each process has an instance in its zero-copy memory, as arrays.

    The arrays are valid for as long as the stores live and only compiled bodies and kernels write them; where there are
    several processes, until any launch writes them. Where Legion has copies of the stores in other memory, these must
    be the only ones from now on (``alone``, in one process): it does not see what kernels write.
    """
    if not stores:
        return {}
    whole: dict[str, str | None] = dict.fromkeys(stores)
    reads, updates = ({}, whole) if alone else (whole, {})
    launcher = internal(GpuLauncher("note_addresses", reads, updates=updates, zero_copy=stores, single_point=True))
    points = 1 if ranks() == 1 else gpus()  # each process has some of the stores
    kept = np.zeros((points, len(launcher.arrays)), np.int64)
    with addresses_kept(kept) as key:
        launcher(points, **stores, key=key, number=WARM_UP)
        finish()
    at = dict(zip(launcher.arrays, kept.max(axis=0).tolist(), strict=True))  # alike in all points that ran here
    return {name: view(at[name], store.nbytes // store.dtype.itemsize, store.dtype) for name, store in stores.items()}
