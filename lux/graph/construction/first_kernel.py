# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Start of Legate and of kernels, side by side."""

from __future__ import annotations

import functools

import numpy as np

from lux import runtime


@functools.cache
def load() -> None:
    """Start Legate, and load a first kernel while Legate's threads prepare for their first task, which takes 0.1 s.

    Where no kernels are shipped, the first one imports Numba, which takes as long.
    """
    runtime.new_store(np.int64, 1)
    with runtime.unsearched():
        from lux.graph.construction import sort_kernels

        sort_kernels.rows_sorted(np.zeros(1, np.int64), np.zeros(0, np.uint32))
