# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Several pieces of a store for each processor to read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.partition.split_points import starts


class ReadPlan:
    """Pieces of a store that each point reads: their rectangles, and the first element of each in the point's part.

    Parameters
    ----------
    first, size : list of np.ndarray, int64
        For each point the first elements of its pieces, and their lengths.
    """

    def __init__(self, first: list[NDArray[np.int64]], size: list[NDArray[np.int64]]) -> None:
        every, lengths = np.concatenate(first), np.concatenate(size)
        self.inbox = runtime.rectangles(every, every + lengths - 1)
        self.inbox_of = runtime.ranges(starts(np.array([len(f) for f in first])))
        far = np.iinfo(np.int64).max
        self.at = [f - np.where(n > 0, f, far).min(initial=far) for f, n in zip(first, size, strict=True)]
        self.size = size
