# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Checks of the labels of components against the in-edges of a partition's vertices."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit


@njit(nogil=True, cache=True)
def count_split_edges(lo, offsets, sources, labels):
    """Count the edges into a partition's vertices, from ``lo`` on, between different labels."""
    first, found = offsets[0], 0
    for i in range(len(offsets) - 1):
        label = labels[np.int64(lo) + i]
        for e in range(np.uint64(offsets[i] - first), np.uint64(offsets[i + 1] - first)):
            found += labels[sources[e]] != label
    return found


@njit(nogil=True, cache=True)
def spread(lo, number, offsets, sources, marks):
    """Mark the neighbours of those of a partition's vertices, from ``lo`` on, that have the mark ``number``.

    They get the next number, unless they are marked. Other threads do the same. Returns 1 if there were any, else 0.
    """
    first, found = offsets[0], 0
    for i in range(len(offsets) - 1):
        if marks[np.int64(lo) + i] == number:
            for e in range(np.uint64(offsets[i] - first), np.uint64(offsets[i + 1] - first)):
                if marks[sources[e]] == 0:
                    marks[sources[e]] = number + 1
                    found = 1
    return found
