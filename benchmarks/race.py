# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Race: timing in turns, so that every trial goes through all contenders and noise hits all."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.agreement import DisagreementError, check
from benchmarks.contender import ITERATIONS, PLAIN, SEARCHES, Contender, timed

PAUSE = 0.005
"""Seconds before each call, in which the previous library's threads go to sleep: OpenMP's spin for a while."""
SHORT = 0.25
"""Calls shorter than this many seconds run untimed first, so that threads and data are awake; longer calls are hardly
slower without. (GAPBS does the same in its own process.)"""
LONG = 0.5
"""Calls longer than this many seconds, which are those of peers, are timed in the first trial only: they vary little
beside what they differ from Lux, and would take most of a benchmark's time."""
AWAKE = 0.05
"""Seconds of such calls, of which there is one at least. While a library works with one thread, the other cores fall
asleep, and are slow for some tens of milliseconds: a search of 3.6 ms by two threads took 7 ms right after 0.2 s in
which nothing ran, and 5 ms in the third call; where another program had kept the cores busy, 3.6 ms in the third."""


@dataclass
class Times:
    """Times of one contender.

    Attributes
    ----------
    contender : Contender
    calls : list of list of float
        Wall-clock ms of each call, for every trial and in it every root (one entry without roots). For PageRank
        divided by the iterations really done.
    runs : list of list of float
        Times by the library's own clock, if it has one.
    difference : float
        Largest relative difference of a value from the reference.
    last : float
        Seconds of the last call.
    """

    contender: Contender
    calls: list[list[float]] = field(default_factory=list)
    runs: list[list[float]] = field(default_factory=list)
    difference: float = 0.0
    last: float = 0.0

    def median(self, *, own_clock: bool = False) -> float:
        """Return the median ms over the trials; for searches the median over roots of the medians."""
        return statistics.median(_over_trials(self.runs if own_clock else self.calls, statistics.median))

    def best(self) -> float:
        """Return the smallest ms over the trials; for searches the median over roots of the smallest."""
        return statistics.median(_over_trials(self.calls, min))

    def searches(self) -> dict[str, float]:
        """Return mean, median and harmonic mean over roots of the trials' medians, in ms."""
        times = _over_trials(self.calls, statistics.median)
        return {
            "mean": statistics.fmean(times),
            "median": statistics.median(times),
            "harmonic_mean": statistics.harmonic_mean(times),
        }


def _over_trials(trials: list[list[float]], summary: Any) -> list[float]:
    return [summary(times) for times in zip(*trials, strict=True)]


def race(contenders: Sequence[Contender], roots: Sequence[int], trials: int) -> list[Times]:
    """Check that all agree, which also warms them up, and then time them in turns.

    Parameters
    ----------
    contenders : sequence of Contender
        All for the same work on the same graph. The answers of Lux on the graph as it is, in its highest precision,
        are the reference.
    roots : sequence of int
        Sources of searches; ignored for other work.
    trials : int

    Raises
    ------
    DisagreementError
        Two of them gave different answers, or one did another number of iterations.
    """
    arguments: list[tuple[int, ...]] = [(root,) for root in roots] if contenders[0].work in SEARCHES else [()]
    all_times = [Times(contender) for contender in contenders]
    reference = max((c for c in contenders if c.baseline == PLAIN), key=lambda c: c.precision)
    assert reference.answer is not None
    for given in arguments:
        expected = reference.answer(reference.call(*given))
        for times in all_times:
            times.difference = max(times.difference, _agree(times.contender, given, expected))
    return in_turns(all_times, arguments, trials)


def in_turns(all_times: list[Times], arguments: Sequence[tuple[int, ...]], trials: int) -> list[Times]:
    """Time calls that agree, or a single one: each with all arguments, trial by trial; `LONG` ones in the first."""
    for trial in range(trials):
        timed_now = [
            times for times in all_times if trial == 0 or times.last <= LONG or times.contender.library == PLAIN
        ]
        for times in timed_now:
            times.calls.append([])
            times.runs.append([])
        for given in arguments:
            for times in timed_now:
                _time(times, given)
    return all_times


def _agree(contender: Contender, given: tuple[int, ...], expected: Any) -> float:
    try:
        if contender.answer is None:
            assert contender.verify is not None
            contender.verify(*given)
            return 0.0
        done = contender.call(*given)
        if contender.work == "pagerank" and contender.iterations and contender.iterations(done) != ITERATIONS:
            raise DisagreementError(f"{contender.iterations(done)} iterations, not {ITERATIONS}")
        return check(contender.work, contender.precision, contender.answer(done), expected, *given)
    except DisagreementError as error:
        raise DisagreementError(f"{contender.title}: {error}") from None


def _time(times: Times, given: tuple[int, ...]) -> None:
    contender = times.contender
    time.sleep(PAUSE)
    if contender.seconds is None and times.last < SHORT:
        _wake(contender, given)
    seconds, done = timed(contender, given)
    times.last = seconds
    per = ITERATIONS if contender.work == "pagerank" else 1
    times.calls[-1].append(seconds * 1e3 / per)
    if contender.run_seconds:
        times.runs[-1].append(contender.run_seconds(done) * 1e3 / per)


def _wake(contender: Contender, given: tuple[int, ...]) -> None:
    """Repeat the call untimed for a while."""
    began = time.perf_counter()
    contender.call(*given)
    while time.perf_counter() - began < AWAKE:
        contender.call(*given)
