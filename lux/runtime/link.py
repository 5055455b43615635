# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurement of the network between the processes of this run, inside launches."""

from __future__ import annotations

import functools
import statistics
import time

import numpy as np

from lux.runtime.agreement import allreduce_max
from lux.runtime.exchange import exchange_words, seconds_of_exchange
from lux.runtime.start import ranks
from perfmodel.internode import Link

EXCHANGES = 200
"""Exchanges of one word that are timed."""
FIRST_WORDS, MOST_WORDS, MOST_TIMES, LONGER = 1 << 12, 1 << 16, 1 << 10, 4
"""Words of the message that is sent first, the most of one (of longer ones TCP may send one way at a time), how many
may follow one another, and how many times as many the longer sequence has."""
LEAST_SECONDS, PAUSE, REPEATS = 0.02, 0.02, 3
"""Seconds that a sequence must take at least, seconds of the pause before it, and how often it is sent."""


def measure(least: float = LEAST_SECONDS) -> Link:
    """Measure latency, rate and burst; all processes must call this, and get the same.

    Each sequence of messages comes after a pause. The rate is the difference of two sequences with the same burst. TCP
    carries short sequences more slowly, as acknowledgements wait behind what is sent the other way.

    Parameters
    ----------
    least : float
        Seconds that the shorter sequence must take. All takes about 25 times as long.
    """
    latency, words, times = _most(1, EXCHANGES) / EXCHANGES, FIRST_WORDS, 1
    while _most(words, times) < least and times < MOST_TIMES:
        words, times = (2 * words, 1) if words < MOST_WORDS else (words, 2 * times)
    short, long = (statistics.median(_most(words, n * times) for _ in range(REPEATS)) for n in (1, LONGER))
    slope = max((long - short) / (LONGER - 1), 0.1 * short)  # of the shorter sequence
    return Link(slope / (8 * words * times * (ranks() - 1)), latency, max(slope - short, 0.0))


@functools.cache
def measured() -> Link:
    """Measure once in a process; see `measure`."""
    return measure()


@functools.cache
def seconds_of_launch() -> float:
    """Measure once in a process how long a launch over all processes takes, with the wait for its end."""
    times, nothing = [], [np.empty(0, np.uint64)] * ranks()
    for _ in range(REPEATS):
        began = time.perf_counter()
        exchange_words(nothing, [0] * ranks())
        times.append(time.perf_counter() - began)
    return float(allreduce_max(np.array([statistics.median(times)]))[0])


def _most(words: int, times: int) -> float:
    """Return the seconds of so many exchanges, one after the other, of the slowest process, after a pause."""
    time.sleep(PAUSE)
    return times * float(allreduce_max(np.array([seconds_of_exchange(words, times)]))[0])
