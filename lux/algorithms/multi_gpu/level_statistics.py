# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Statistics from kernels' notes of the levels of a search on several GPUs (`grid.cu`, `bfs_multi_gpu.cu`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lux.engine.run.statistics import MODELS, Iteration

MAX_STATISTICS_ROWS = 1 << 14
"""Levels of which there are statistics, at most."""
LEVEL_COLUMNS = 8
"""Numbers of a row of statistics; `level_seconds.cuh` has the same."""
Why = Callable[[int, int], tuple[str, str]]
"""``why(frontier, edges)``: the model of the next level, and the reason."""


def iterations(notes: NDArray[np.int64], sent: int, why: Why) -> list[Iteration]:
    """Make statistics from rows of shape (parts, levels, LEVEL_COLUMNS); ``sent`` are the bytes of parents, at the end.

    >>> row = [2, 1, 3, 1000, 900, 100, 36, 0]  # as notes of grid.cu: model, frontier, edges, nanoseconds, bytes
    >>> iterations(np.array([[row]]), 4, lambda frontier, edges: ("push", "only"))[0].exchanged
    40
    """
    found: list[Iteration] = []
    for rows in notes.transpose(1, 0, 2):
        frontier, edges = int(rows[:, 1].sum()), int(rows[:, 2].sum())
        model, reason = MODELS[int(rows[0, 0])], why(frontier, edges)[1]
        seconds = 1e-9 * rows[:, 3].astype(np.float64)
        found.append(Iteration(model, frontier, edges, seconds, why=reason, exchanged=int(rows[:, 6].sum())))
    if found:
        found[-1] = replace(found[-1], exchanged=(found[-1].exchanged or 0) + sent)
    return found
