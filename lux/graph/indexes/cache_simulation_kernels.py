# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Cache simulation: how often gathers would miss a core's cache."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit
from lux.kernels.inlined import inlined

LINES_LOG = 14
LINES = 1 << LINES_LOG  # of 64 bytes: the 1 MiB of a core
PER_LINE = 16  # values of 4 bytes
SAMPLES = 8
SAMPLE = 1 << 18
"""Consecutive edges of a sample; the first half fills the cache and is not counted."""


@inlined
def _slot(line):
    """Return the slot that holds a line: hashed, as lines at equal distances must not displace each other."""
    return np.int64((np.uint64(line) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - LINES_LOG))


@njit(nogil=True, cache=True)
def misses_of(sources, places, out):
    """Count gathers, and those that miss the cache, of sources and of their ``places``; each line has one slot."""
    n = len(sources)
    out[:] = 0.0
    step = max(n // SAMPLES, SAMPLE)
    for first in range(0, n, step):
        end = min(first + SAMPLE, n)
        held, held_by_places = np.full(LINES, -1, np.int64), np.full(LINES, -1, np.int64)
        for e in range(first, end):
            counted = e >= (first + end) // 2
            line = np.int64(sources[e]) // PER_LINE
            by_places = np.int64(places[sources[e]]) // PER_LINE
            at, at_by_places = _slot(line), _slot(by_places)
            if counted:
                out[0] += 1
                out[1] += held[at] != line
                out[2] += held_by_places[at_by_places] != by_places
            held[at] = line
            held_by_places[at_by_places] = by_places
