# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Ranges of destinations: each task that makes a graph sorts the edges of one range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.partition import split_points

MOST_GRANULES = 1 << 16
"""Granules, at most: runs of vertices of equal length whose block a task looks up in its cache."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of destinations that begin and end with granules of ``2 ** shift`` vertices.

    Attributes
    ----------
    points : np.ndarray of shape (blocks + 1,), int64
    shift : int
    of : np.ndarray of shape (granules,), int64
        The block of each granule.
    """

    points: NDArray[np.int64]
    shift: int
    of: NDArray[np.int64]


def cut(n_vertices: int, blocks: int, in_degrees: NDArray[Any] | None = None) -> Blocks:
    """Cut vertices into blocks of equally many in-edges if in-degrees are known, else of equally many vertices.

    >>> cut(8, 2).points.tolist(), cut(8, 2, np.array([9, 1, 1, 1, 1, 1, 1, 1])).points.tolist()
    ([0, 4, 8], [0, 2, 8])
    """
    shift = max(0, (n_vertices - 1).bit_length() - (MOST_GRANULES.bit_length() - 1))
    begins = np.append(np.arange(0, n_vertices, 1 << shift), n_vertices)
    work = begins
    if in_degrees is not None:
        work = begins + split_points.starts(np.add.reduceat(in_degrees, begins[:-1], dtype=np.int64))
    granules = split_points.nearest(work.__getitem__, len(work), np.linspace(0.0, float(work[-1]), blocks + 1))
    granules[0], granules[-1] = 0, len(begins) - 1
    granules = np.maximum.accumulate(granules)
    return Blocks(begins[granules], shift, np.repeat(np.arange(blocks), np.diff(granules)))
