# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Statistics of very many iterations take so much memory, and runs without an end say so."""

import json
import re

import numpy as np
import pytest

import lux
from lux.engine import executor
from lux.engine.cpu import partitioned_run
from lux.engine.run import statistics
from lux.engine.run.statistics import Rows, between, numbered
from lux.errors import LuxWarning
from lux_cases.builtin import PageRank
from lux_cases.launches import frontier

ENDLESS = {"alpha": 0.85, "stop": -1.0}
"""With these, ranks never converge."""


@pytest.fixture
def few(monkeypatch):
    """The first three iterations and the last two have statistics of their own."""
    monkeypatch.setattr(statistics, "FIRST_KEPT", 3)
    monkeypatch.setattr(statistics, "LAST_KEPT", 2)
    monkeypatch.setattr(partitioned_run, "FIRST_ITERATIONS", 5)


@pytest.mark.parametrize("sizes", [[1] * 12, [12], [2, 3, 7], [4, 8], [11, 1], [3, 9]])
def test_rows_that_are_kept_and_sums_of_the_others(few, sizes):
    rows = np.arange(2 * 12 * 4, dtype=np.float64).reshape(2, 12, 4)
    rows[:, :, 0] = np.where(np.arange(12) % 3, frontier.PUSH, frontier.PULL)
    kept = Rows(2)
    for end, size in zip(np.cumsum(sizes), sizes, strict=True):
        kept.append(rows[:, end - size : end].reshape(2, -1))
    found, sums = kept.kept()
    np.testing.assert_array_equal(found.reshape(2, -1, 4), rows[:, [0, 1, 2, 10, 11]])
    assert sums[:, :2].tolist() == [[3, 4]] * 2  # iterations 3, 6, 9 of 3 to 9 pull
    np.testing.assert_array_equal(sums[:, 2:], rows[:, 3:10, 1:].sum(axis=1))


@pytest.mark.parametrize("iterations", [3, 5])
def test_nothing_is_left_out_of_few(few, iterations):
    kept = Rows()
    kept.append(np.ones(4 * iterations))
    found, sums = kept.kept()
    assert (found.size, sums.any()) == (4 * iterations, False)


@pytest.mark.parametrize("parts", [None, 2])
def test_of_a_long_run_the_first_and_the_last(few, parts):
    step = lux.run(PageRank, lux.toy.grid(5, 8), parts=parts, max_iter=30, **ENDLESS)
    assert [number for number, _ in numbered(step.statistics)] == [1, 2, 3, 29, 30]
    gone = between(step.statistics)
    assert (gone.first, gone.iterations, sum(gone.models.values())) == (4, 25, 25)
    assert gone.frontier == 25 * 40
    assert len(gone.seconds) == len(step.statistics[0].seconds)
    assert all(i.frontier == 40 for i in step.statistics)


@pytest.mark.check
def test_explanations_count_what_is_left_out(few):
    said = str(lux.explain(PageRank, lux.toy.grid(5, 8), max_iter=30, parts=1, **ENDLESS))
    assert re.search(r"\n +3 p.*\n +25 more: 1,000 active.*\n +29 p", said)


def test_reports_count_what_is_left_out(few, call):
    command = ("pagerank", "--generate", "grid:8x8", "--tol", 0, "--max-iter", 30, "--parts", 2, "--verbose")
    code, out, _ = call(*command, "--json")
    found = json.loads(out)
    assert (code, len(found["statistics"]), sum(found["models"].values())) == (0, 5, 30)
    assert found["statistics_left_out"]["iterations"] == 25
    _, out, _ = call(*command)
    numbers = [int(n) for n in re.findall(r"(\d+)\W+pull\W+64 ", out)]
    assert numbers == [1, 2, 3, 29, 30]


@pytest.mark.parametrize("parts", [None, 2])
def test_a_run_without_an_end_says_so_once(parts, monkeypatch):
    monkeypatch.setattr(executor, "LONG", 20)
    monkeypatch.setattr(executor, "LONG_EACH", 1)
    monkeypatch.setattr(executor, "ENDLESS", 10**9)
    told = []

    def stop(done):
        told.append(done)
        if len(told) > 3 and done > 100:
            raise KeyboardInterrupt

    graph = lux.toy.grid(1, 5)
    with (
        pytest.warns(LuxWarning, match=r"PageRank has run for [\d,]+ iterations on 5 vertices.*max_iter=None") as shown,
        pytest.raises(KeyboardInterrupt),
    ):
        lux.run(PageRank, graph, parts=parts, progress=stop, **ENDLESS)
    assert len(shown) == 1
    assert shown[0].filename == __file__
    lux.run(PageRank, graph, parts=parts, max_iter=200, **ENDLESS)  # no warning, which would be an error
