# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Statistics from kernels' notes of the levels of a search on several GPUs (`grid.cu`, `bfs_multi_gpu.cu`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from lux.engine.run.statistics import MODELS, Iteration

MAX_STATISTICS_ROWS = 1 << 14
"""Levels of which there are statistics, at most."""
LEVEL_COLUMNS = 8
"""Numbers of a row of statistics; `level_seconds.cuh` has the same."""
Why = Callable[[int, int], tuple[str, str]]
"""``why(frontier, edges)``: the model of the next level, and the reason."""


class Levels(Sequence[Iteration]):
    """Statistics from rows of shape (parts, levels, LEVEL_COLUMNS), made when they are first read.

    ``sent`` are the bytes of parents, at the end.

    >>> row = [2, 1, 3, 1000, 900, 100, 36, 0]  # as notes of grid.cu: model, frontier, edges, nanoseconds, bytes
    >>> Levels(np.array([[row]]), 4, lambda frontier, edges: ("push", "only"))[0].exchanged
    40
    """

    def __init__(self, notes: NDArray[np.int64], sent: int, why: Why) -> None:
        self._notes, self._sent, self._why = notes, sent, why

    @functools.cached_property
    def _made(self) -> list[Iteration]:
        found: list[Iteration] = []
        for rows in self._notes.transpose(1, 0, 2):
            frontier, edges = int(rows[:, 1].sum()), int(rows[:, 2].sum())
            model, reason = MODELS[int(rows[0, 0])], self._why(frontier, edges)[1]
            seconds = 1e-9 * rows[:, 3].astype(np.float64)
            found.append(Iteration(model, frontier, edges, seconds, why=reason, exchanged=int(rows[:, 6].sum())))
        if found:
            found[-1] = replace(found[-1], exchanged=(found[-1].exchanged or 0) + self._sent)
        return found

    def __len__(self) -> int:
        return int(self._notes.shape[1])

    @overload
    def __getitem__(self, k: int) -> Iteration: ...
    @overload
    def __getitem__(self, k: slice) -> list[Iteration]: ...
    def __getitem__(self, k: int | slice) -> Any:
        return self._made[k]

    def __repr__(self) -> str:
        return f"<{len(self)} level{'s' * (len(self) != 1)}>"
