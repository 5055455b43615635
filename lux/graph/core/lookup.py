# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Few values of stores that are spread over processes or lie on GPUs, read there: no process copies a whole store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen.cuda_functions import C_TYPES
from lux.launch.call import kernel
from lux.launch.part_calls import REPORT, PartCalls, Wait, until_finished
from lux.runtime import Kernel, Store
from lux.runtime.exchange import summed

if TYPE_CHECKING:
    from lux.runtime.stores import Rectangles

THREADS = 1024


def values_at(
    store: Store, length: int, places: NDArray[np.int64], points: NDArray[np.int64] | None = None
) -> NDArray[Any]:
    """Return a store's integers at some places, on every process. All processes must call this alike.

    Parameters
    ----------
    store : Store of shape (length,)
        Integers from 0 to 2^63 - 1.
    length : int
    places : np.ndarray of any shape, int64
    points : np.ndarray, int64, optional
        Ranges by which the store is read, the last up to ``length``: those in which it was written, so that nothing
        moves. By default they are of equal length.

    Examples
    --------
    >>> values_at(runtime.from_array([5, 7, 9]), 3, np.array([2, 0]))
    array([9, 5])
    """
    if runtime.ranks() == 1:
        if not store.lies_on_gpus:
            return np.asarray(runtime.to_array(store)[places])
        with PartCalls() as calls:
            found = looked_up(calls, store, store.gpu_rows, places.ravel(), until_finished)
        return found.astype(store.dtype).reshape(places.shape)
    parts = runtime.processors()
    if points is None or len(points) != parts + 1:
        points = np.arange(parts + 1, dtype=np.int64) * length // parts
    points = points.copy()
    points[-1] = length
    asked, found = places.ravel(), np.zeros(places.size, np.int64)
    with runtime.registered((points.tolist(), asked, found)) as key:
        _look_up(parts, values=store, pieces=runtime.ranges(points), key=key)
    return summed(found).astype(store.dtype).reshape(places.shape)


def looking_up(itemsize: int) -> Kernel:
    """Return the kernel for integers of that size, compiled or loaded from disk."""
    return kernel("look_up.cu", "lux_look_up", THREADS, VALUE=C_TYPES[f"uint{8 * itemsize}"])


def report_bytes(n_places: int) -> int:
    """Count the bytes of a GPU's report of `looked_up`: values, and a word that is 1 when they are written."""
    return 8 * (n_places + 1)


def looked_up(
    calls: PartCalls, store: Store, rows: Rectangles | None, places: NDArray[np.int64], wait: Wait
) -> NDArray[np.int64]:
    """Return the integers at some places of a store on the GPUs of one process, side by side with other launches.

    Parameters
    ----------
    calls : PartCalls
    store : Store
    rows : Rectangles or None
        The parts that GPUs have, in order; None: one GPU has all.
    places : np.ndarray of shape (k,), int64
    wait : callable
    """
    cuts = np.array([(0, runtime.length_of(store))] if rows is None else rows.cuts)
    first, end = cuts[:, 0], np.append(cuts[1:, 0], cuts[-1, 1])  # parts may share an element
    calls.issue(
        looking_up(np.dtype(store.dtype).itemsize),
        "look_up",
        ["values", first, end, "places", len(places), REPORT],
        {"values": store, "places": runtime.from_array(places)},
        {},
        {"values": None if rows is None else "value_rows", "places": None},
        {} if rows is None else {"value_rows": rows},
        report_bytes=report_bytes(len(places)),
    )
    return np.asarray(calls.reported(len(cuts), len(places) + 1, wait)[:, :-1].sum(axis=0))


@runtime.internal
@runtime.task(inputs={"values": "pieces"}, scalars={"key": int})
def _look_up(point: int, values: NDArray[Any], key: int) -> None:
    points, asked, found = runtime.context(key)
    lo, hi = points[point : point + 2]
    here = (asked >= lo) & (asked < hi)
    found[here] = values[asked[here] - lo]
