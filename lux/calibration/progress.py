# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""When iterations of a run were known to be done, and what each of them took besides its kernels.

One run so tells what a run takes once (set-up, the first launch, the end) from what it takes in each iteration.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEAST = 3
"""Iterations between the first and the last note that count, at least."""
Noted = tuple[tuple[int, float], ...]
"""Iterations that were known to be done, and the seconds until then that were in no kernel."""


class Clock:
    """What is passed as ``progress``: notes how many iterations are known to be done, and when."""

    def __init__(self) -> None:
        self._began, self._times = time.perf_counter(), list[tuple[int, float]]()

    def __call__(self, done: int) -> None:
        """So many iterations are known to be done."""
        self._times.append((done, time.perf_counter() - self._began))

    def noted(self, kernels: NDArray[np.float64]) -> Noted:
        """The same without the seconds of kernels, one for each iteration; from the first note on.

        >>> clock = Clock()
        >>> clock(1)
        >>> clock.noted(np.array([1.0, 2.0]))
        ((1, 0.0),)
        """
        until = np.concatenate([[0.0], np.cumsum(kernels)])
        since = [(done, seconds - float(until[done])) for done, seconds in self._times if done < len(until)]
        return tuple((done, round(seconds - since[0][1], 7)) for done, seconds in since)


def median_rest(
    seconds: Sequence[float], kernels: Sequence[NDArray[np.float64]], noted: Sequence[Noted]
) -> tuple[float, Noted]:
    """What the median run took besides its kernels, and what was noted of it; of an even number the shorter one.

    >>> median_rest([5.0, 9.0, 5.0], [np.array([1.0, 1.0]), np.array([1.0]), np.array([1.0])], [(), (), ((1, 0.0),)])
    (4.0, ((1, 0.0),))
    """
    rests = [max(whole - float(each.sum()), 0.0) for whole, each in zip(seconds, kernels, strict=True)]
    middle = int(np.argsort(rests, kind="stable")[(len(rests) - 1) // 2])
    return rests[middle], noted[middle]


def of_iteration(noted: Sequence[tuple[int, float]]) -> float | None:
    """Seconds of an iteration that were in no kernel; None where the notes say too little.

    The median slope between notes that are half of all apart. The last does not count, as it waits for the end of the
    run. A driver that launches ahead before it looks may be late, by as much as an iteration takes; where launches take
    longer than kernels, it looks after every eighth.

    Examples
    --------
    Half a second an iteration; once the driver looked late:

    >>> of_iteration([(1, 0.0), (2, 0.5), (3, 1.0), (4, 2.3), (5, 2.0), (6, 2.5), (7, 3.0), (8, 9.0)])
    0.5
    >>> of_iteration([(8, 0.0), (16, 4.0), (20, 9.0)])
    0.5
    >>> of_iteration([(8, 0.0), (10, 1.0)]) is None
    True
    """
    done, seconds = np.array(noted, np.float64).reshape(-1, 2)[:-1].T
    if len(done) < 2 or done[-1] - done[0] < LEAST:
        return None
    apart = done[None, :] - done[:, None]
    one, two = np.nonzero(2 * apart >= done[-1] - done[0])
    return max(float(np.median((seconds[two] - seconds[one]) / apart[one, two])), 0.0)
