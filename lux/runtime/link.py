# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurement of the network between the processes of this run, inside launches."""

from __future__ import annotations

import functools
import statistics
import time

import numpy as np

from lux.runtime.agreement import allreduce_max
from lux.runtime.exchange import seconds_of_exchange
from lux.runtime.start import ranks
from perfmodel.internode import Link

EXCHANGES = 200
"""Exchanges of one word that are timed."""
FIRST_WORDS, MOST_WORDS, LONGER = 1 << 12, 1 << 21, 4
"""Words of the messages that are sent first, and the most of the shorter one; the other is so many times as long."""
LEAST_SECONDS, PAUSE, REPEATS = 0.02, 0.02, 3
"""Seconds that a message must take for its rate to count, seconds of the pause before it, and how often it is sent."""


def measure() -> Link:
    """Measure latency, rate and burst, in half a second; all processes must call this, and get the same.

    Each message comes after a pause. The rate is the difference of two lengths, which have the same burst.
    """
    latency, words = _most(1, EXCHANGES), FIRST_WORDS
    while _most(words, 1) < LEAST_SECONDS and words < MOST_WORDS:
        words *= 2
    short, long = (statistics.median(_most(n, 1) for _ in range(REPEATS)) for n in (words, LONGER * words))
    slope = max((long - short) / (LONGER - 1), 0.1 * short)  # of ``words``
    return Link(slope / (8 * words * (ranks() - 1)), latency, max(slope - short, 0.0))


@functools.cache
def measured() -> Link:
    """Measure once in a process; see `measure`."""
    return measure()


def _most(words: int, times: int) -> float:
    """Return the seconds of an exchange of the slowest process, mean over so many, after a pause."""
    time.sleep(PAUSE)
    return float(allreduce_max(np.array([seconds_of_exchange(words, times)]))[0])
