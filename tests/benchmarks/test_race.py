# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Turns, summaries and ratios, of contenders that say themselves how long they took."""

import time
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.agreement import DisagreementError
from benchmarks.contender import ITERATIONS, PLAIN, REORDERED, Contender, fastest
from benchmarks.race import race
from benchmarks.report import Race


def contender(library, seconds, work="pagerank", **named):
    """Every call returns the next of ``seconds``, over and over; its answer is three ranks."""
    calls = []

    def call(*given):
        calls.append(given)
        return seconds[(len(calls) - 1) % len(seconds)]

    named = {"answer": lambda _: np.array([0.2, 0.3, 0.5]), "precision": "float64"} | named
    return Contender(library, work, "", 1, call, seconds=lambda done: done, **named), calls


@pytest.mark.check
def test_a_time_of_pagerank_is_that_of_an_iteration():
    lux, calls = contender("Lux", [0.02], baseline=PLAIN)
    (times,) = race([lux], [5, 6], trials=3)
    assert len(calls) == 1 + 1 + 3  # the reference, its check, and the trials
    assert times.calls == [[pytest.approx(20 / ITERATIONS)]] * 3


def test_searches_start_at_every_root_in_every_trial():
    lux, calls = contender("Lux", [0.1], "sssp", baseline=PLAIN)
    theirs, _ = contender("Other", [0.2, 0.2, 0.1, 0.3, 0.3, 0.5], "sssp")
    ours, other = race([lux, theirs], [5, 6], trials=2)
    assert calls[-4:] == [(5,), (6,), (5,), (6,)]
    assert ours.searches()["harmonic_mean"] == pytest.approx(100)
    np.testing.assert_allclose(other.calls, [[100, 300], [300, 500]])
    assert (other.median(), other.best()) == (pytest.approx(300), pytest.approx(200))


def test_long_calls_of_peers_are_timed_in_the_first_trial_only():
    lux, _ = contender("Lux", [0.7], "bfs", baseline=PLAIN)
    slow, calls = contender("Other", [0.6], "bfs")
    ours, other = race([lux, slow], [5, 6], trials=3)
    np.testing.assert_allclose(ours.calls, [[700, 700]] * 3)
    np.testing.assert_allclose(other.calls, [[600, 600]])
    assert len(calls) == 2 + 2


@pytest.mark.check
def test_who_disagrees_is_named():
    lux, _ = contender("Lux", [1], baseline=PLAIN)
    wrong, _ = contender("Other", [1], answer=lambda _: np.array([0.3, 0.2, 0.5]))
    with pytest.raises(DisagreementError, match=r"Other, float64: a rank differs"):
        race([lux, wrong], [], trials=1)
    early, _ = contender("Other", [1], iterations=lambda _: 7)
    with pytest.raises(DisagreementError, match=r"Other, float64: 7 iterations, not 20"):
        race([lux, early], [], trials=1)


def test_one_that_keeps_its_answers_verifies_them():
    def fail(*given):
        raise DisagreementError(f"no tree from {given[0]}")

    lux, _ = contender("Lux", [1], "bfs", baseline=PLAIN)
    alone, _ = contender("Other", [1], "bfs", answer=None, verify=fail, precision="")
    with pytest.raises(DisagreementError, match=r"Other: no tree from 5"):
        race([lux, alone], [5], trials=1)


def test_ratios_compare_the_same_precision():
    field = [
        contender("Lux", [1], precision="float32", baseline=PLAIN)[0],
        contender("Lux", [2], precision="float64", baseline=PLAIN)[0],
        contender("Lux", [4], precision="float64", baseline=REORDERED)[0],
        contender("Lux", [9], precision="float64")[0],
        contender("Double", [8], precision="float64")[0],
        contender("Integer", [8], precision="int32", answer=None, verify=lambda: None)[0],
    ]
    ratios = Race("grid:1x3", "pagerank", race(field, [], trials=1)).ratios()
    found = [(r["peer"].split(",")[0], r["baseline"], r["lux"], r["ratio_of_medians"]) for r in ratios]
    assert found == [
        ("Double", PLAIN, "Lux, float64", 0.25),
        ("Double", REORDERED, "Lux, float64", 0.5),
        ("Integer", PLAIN, "Lux, float32", 0.125),
        ("Integer", PLAIN, "Lux, float64", 0.25),
        ("Integer", REORDERED, "Lux, float64", 0.5),
    ]


def test_the_fastest_way_is_taken():
    slow, _ = contender("Slow", [3])
    sometimes, calls = contender("Sometimes", [9, 9, 1])
    found = fastest([slow, sometimes], (4,))
    assert (found.library, found.tried) == ("Sometimes", {"": 1000})
    assert calls == [(4,)] * 3


def test_what_becomes_too_slow_is_not_tried_any_further():
    times = {4096: 4, 256: 1, 16: 3, 4: 5}
    made = [replace(contender("Steps", [times[delta]])[0], variant=f"delta {delta}") for delta in times]
    never, calls = contender("Never", [1])
    found = fastest([*made, never], (4,))
    assert (found.variant, found.tried) == ("delta 256", {f"delta {d}": 1000 * t for d, t in times.items()})
    assert not calls


def test_short_calls_are_repeated_untimed_until_the_cores_are_awake(monkeypatch):
    now, calls = [0.0], []

    def call():
        calls.append(now[0])
        now[0] += 0.02

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda _: None)
    row = Contender("Lux", "components", "", 1, call, lambda _: np.zeros(3), baseline=PLAIN)
    (times,) = race([row], [], trials=2)
    untimed = 3  # 0.06 s
    assert len(calls) == 2 + 2 * (untimed + 1)
    assert times.calls == [pytest.approx([20.0])] * 2
