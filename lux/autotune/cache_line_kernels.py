# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Counts of the cache lines of vertices that consecutive edges read."""

from __future__ import annotations

import numpy as np

from lux.kernels import njit

RUNS = ((64, 14), (8, 18), (1, 24))
"""Sampled runs, as (number, k): that many evenly spaced runs of 2^k consecutive edges; longer runs are fewer."""
WINDOWS = 25
"""Windows of 1, 2, 4, ... edges."""


@njit(nogil=True, cache=True)
def count_lines(sources, shift, n_lines, out):
    """Add up the lines that windows of 1, 2, 4, ... edges from the start of a run read, and count the windows.

    Parameters
    ----------
    sources : array of shape (E,)
    shift : int
        log2 of the vertices of a line.
    n_lines : int
    out : float64 array of shape (2 * WINDOWS,)
        Sums of lines, then numbers of windows; zero before.
    """
    n = len(sources)
    seen = np.zeros(n_lines, np.int32)
    number = 0
    for runs, log in RUNS:
        length = min(1 << log, n)
        for k in range(runs):
            first = k * (n - length) // max(runs - 1, 1) if runs > 1 else (n - length) // 2
            number += 1
            lines, window, at = 0, 1, 0
            for e in range(length):
                line = np.int64(sources[first + e]) >> shift
                if seen[line] != number:
                    seen[line] = number
                    lines += 1
                if e + 1 == window:
                    out[at] += lines
                    out[WINDOWS + at] += 1
                    window *= 2
                    at += 1
