# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Few values of stores that are spread over processes, read where they lie: no process copies a whole store."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.runtime import Store
from lux.runtime.exchange import summed


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
        return np.asarray(runtime.to_array(store)[places])
    parts = runtime.processors()
    if points is None or len(points) != parts + 1:
        points = np.arange(parts + 1, dtype=np.int64) * length // parts
    points = points.copy()
    points[-1] = length
    asked, found = places.ravel(), np.zeros(places.size, np.int64)
    with runtime.registered((points.tolist(), asked, found)) as key:
        _look_up(parts, values=store, pieces=runtime.ranges(points), key=key)
    return summed(found).astype(store.dtype).reshape(places.shape)


@runtime.internal
@runtime.task(inputs={"values": "pieces"}, scalars={"key": int})
def _look_up(point: int, values: NDArray[Any], key: int) -> None:
    points, asked, found = runtime.context(key)
    lo, hi = points[point : point + 2]
    here = (asked >= lo) & (asked < hi)
    found[here] = values[asked[here] - lo]
