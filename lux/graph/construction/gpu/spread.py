# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shares of several GPUs: of edges in any order, and of ranges of destinations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_RANGES = 4096
"""Ranges of destinations in which edges are counted; ``send_edges.cu`` has the same."""
ALIGNED, ALIGNED_SMALL, SMALL = 8, 5, 1 << 16
"""Binary logarithms of the divisor of split points: vertices of a sector of 32 bytes of a bitmap and, on graphs of at
most ``SMALL`` vertices, of a word."""


def even_points(length: int, gpus: int) -> NDArray[np.int64]:
    """Cut so many elements evenly; as `lux.runtime.even_ranges` does.

    >>> even_points(7, 2).tolist()
    [0, 3, 7]
    """
    return np.array([gpu * length // gpus for gpu in range(gpus + 1)], np.int64)


def range_shift(n_vertices: int) -> int:
    """Return the binary logarithm of the vertices of a range, so that there are at most `MOST_RANGES`.

    >>> range_shift(100), range_shift(1 << 20), range_shift(1 << 30)
    (5, 8, 18)
    """
    least = ALIGNED_SMALL if n_vertices <= SMALL else ALIGNED
    return max(least, (n_vertices - 1).bit_length() - (MOST_RANGES.bit_length() - 1))


def cut_ranges(counts: NDArray[np.int64], gpus: int, pieces: int) -> NDArray[np.int64]:
    """Deal ranges out to GPUs, and each GPU's to pieces, one after the other, by their edges and themselves.

    Parameters
    ----------
    counts : np.ndarray of shape (ranges,), int64
        Edges of each range.

    Returns
    -------
    np.ndarray of shape (gpus, pieces + 1), int64
        The first range of each piece, and the end.

    Examples
    --------
    >>> cut_ranges(np.array([5, 1, 1, 1, 6, 0]), 2, 2).tolist()
    [[0, 1, 3], [3, 4, 6]]
    """
    work = np.concatenate([[0], np.cumsum(counts + 1)])

    def cut(lo: int, hi: int, parts: int) -> NDArray[np.int64]:
        wanted = np.linspace(float(work[lo]), float(work[hi]), parts + 1)
        at = np.clip(np.searchsorted(work, wanted), lo, hi)
        before = np.maximum(at - 1, lo)
        at = np.where(wanted - work[before] < work[at] - wanted, before, at)
        at[0], at[-1] = lo, hi
        return np.maximum.accumulate(at)

    points = cut(0, len(counts), gpus)
    return np.stack([cut(lo, hi, pieces) for lo, hi in zip(points[:-1].tolist(), points[1:].tolist(), strict=True)])
