# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Times of whole calls on a GPU, and the edges that all libraries share."""

import doctest
import time

import numpy as np
import pytest

from benchmarks import gpu, machine, whole_calls
from benchmarks.tables import gpu as tables


def test_examples():
    assert doctest.testmod(whole_calls).failed == 0


def test_a_time_lasts_until_nothing_is_left_to_do():
    times = whole_calls.Times(fence=lambda: time.sleep(0.01), trials=2)
    roots = []
    assert list(times.take("BFS", lambda root: roots.append(root) or root, [5, 6])) == [5, 6]
    assert roots == [5, 5, 5, 6, 6]
    assert times.first_ms["BFS"] >= 10
    assert [len(trials) for trials in times.calls_ms["BFS"]] == [2, 2]
    assert min(min(times.calls_ms["BFS"])) >= 10
    assert len(list(times.take("components", lambda: 1))) == 1


def test_weights_are_those_of_the_ends():
    source = gpu.PairWeights(6)
    u, v = np.empty((2, source.n_edges), np.uint32)
    weights = np.empty(source.n_edges, np.float32)
    source.fill(0, source.n_edges, u, v, {"weight": weights})
    assert ((weights >= 1) & (weights <= 255) & (weights == weights.round())).all()
    of_ends = {}
    for ends, weight in zip(np.sort([u, v], axis=0).T.tolist(), weights.tolist(), strict=True):
        assert of_ends.setdefault(tuple(ends), weight) == weight
    assert len(of_ends) < source.n_edges
    assert len(set(of_ends.values())) > 100


@pytest.mark.parametrize("said", [None, "1b5303562ba8-dirty"])
def test_nothing_is_measured_of_an_unknown_state(monkeypatch, said):
    monkeypatch.setattr(machine, "commit", lambda: said)
    with pytest.raises(SystemExit, match="results name a commit"):
        machine.clean_commit()
    monkeypatch.setattr(machine, "commit", lambda: "1b5303562ba8")
    assert machine.clean_commit() == "1b5303562ba8"


def test_times_of_wrong_answers_are_not_shown():
    right = {"results": [{"scale": 20, "differences": {"BFS": 0.0}}]}
    wrong = {"results": [{"scale": 20, "differences": {"BFS": "3 distances differ"}}]}
    with pytest.raises(ValueError, match=r"wrong answers on scales \[20\]"):
        tables.calls(wrong | {"cugraph": right})
    with pytest.raises(ValueError, match=r"wrong answers on scales \[20\]"):
        tables.calls(right | {"cugraph": wrong})
