# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Owners of vertices, where ranges of places are dealt to processors."""

from __future__ import annotations

import numpy as np

from lux.kernels.inlined import inlined


@inlined
def owner(points, v):
    """Find the processor whose range of places has ``v``; empty ranges have no vertices."""
    low, high = np.int64(0), np.int64(len(points) - 1)
    while high - low > 1:
        middle = (low + high) >> 1
        if points[middle] <= v:
            low = middle
        else:
            high = middle
    return low
