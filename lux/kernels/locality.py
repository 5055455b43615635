# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Distance at which a graph stores the two ends of its edges."""

from __future__ import annotations

import numpy as np

from lux.kernels.inlined import inlined

NEAR = 1 << 17
"""Vertices between two ends whose values, in float64, share the second cache of a core."""
SAMPLES = 256
"""Rows that are looked at."""


@inlined(forceinline=False)
def far_sources(lo, hi, in_offsets, sources):
    """Tell whether many first or last sources of the rows of vertices ``lo`` to ``hi - 1`` are not `NEAR`."""
    looked, far = 0, 0
    for k in range(min(SAMPLES, hi - lo)):
        i = (hi - lo) * k // min(SAMPLES, hi - lo)
        first, end = in_offsets[i] - in_offsets[0], in_offsets[i + 1] - in_offsets[0]
        if first < end:
            looked += 2
            far += abs(np.int64(sources[first]) - (lo + i)) >= NEAR
            far += abs(np.int64(sources[end - 1]) - (lo + i)) >= NEAR
    return 8 * far > looked
