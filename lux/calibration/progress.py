# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Times at which iterations of a run were known to be done, and the time of each besides its kernels.

One run so separates its fixed costs (set-up, the first launch, the end) from the costs of each iteration.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEAST = 3
"""Minimum of iterations between the first and the last note that count."""
Noted = tuple[tuple[int, float], ...]
"""Iterations known to be done, and the seconds until then that were in no kernel."""


class Clock:
    """Clock that is passed as ``progress``: notes how many iterations are known to be done, and when."""

    def __init__(self) -> None:
        self._began, self._times = time.perf_counter(), list[tuple[int, float]]()

    def __call__(self, done: int) -> None:
        """Note that so many iterations are known to be done."""
        self._times.append((done, time.perf_counter() - self._began))

    def noted(self, kernels: NDArray[np.float64]) -> Noted:
        """Return the notes without the seconds of kernels, one for each iteration; from the first note on.

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
    """Return the median run's time besides its kernels, and its notes; of an even number the shorter one.

    >>> median_rest([5.0, 9.0, 5.0], [np.array([1.0, 1.0]), np.array([1.0]), np.array([1.0])], [(), (), ((1, 0.0),)])
    (4.0, ((1, 0.0),))
    """
    rests = [max(whole - float(each.sum()), 0.0) for whole, each in zip(seconds, kernels, strict=True)]
    middle = int(np.argsort(rests, kind="stable")[(len(rests) - 1) // 2])
    return rests[middle], noted[middle]


def of_iteration(noted: Sequence[tuple[int, float]]) -> float | None:
    """Return the seconds of an iteration that were in no kernel; None if the notes are too few.

    The result is the median slope between notes that are half of all apart. The last note does not count, as it waits
    for the end of the run. A driver that launches ahead may note an iteration late, by as much as an iteration takes;
    if launches take longer than kernels, it polls after every eighth.

    Examples
    --------
    Each iteration takes half a second; once the driver polled late:

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
