# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Random tests draw something new in every run, say how it is replayed, and run some ways of many."""

import itertools
from pathlib import Path
from types import SimpleNamespace

from hypothesis import settings

from lux_cases import examples

HERE = Path(__file__).parent


def test_failures_say_how_they_are_replayed(pytestconfig, monkeypatch):
    plugins = pytestconfig.pluginmanager.get_plugins()
    (conftest,) = (p for p in plugins if getattr(p, "__file__", None) == str(HERE / "conftest.py"))
    monkeypatch.setenv("LUX_TEST_QUICK", "1")
    lines = []
    failed = SimpleNamespace(nodeid="tests/test_x.py::test_y[a b]")
    conftest.pytest_terminal_summary(SimpleNamespace(stats={"failed": [failed]}, write_line=lines.append), pytestconfig)
    seed = pytestconfig.option.hypothesis_seed
    assert lines[-1].endswith(f"LUX_TEST_QUICK=1 LUX_TEST_SEED={seed} python -m pytest 'tests/test_x.py::test_y[a b]'")
    assert str(seed).isdecimal()
    assert not settings().derandomize  # whether there is CI or not


def test_a_commit_has_one_seed_in_ci(pytestconfig, monkeypatch):
    plugins = pytestconfig.pluginmanager.get_plugins()
    (conftest,) = (p for p in plugins if getattr(p, "__file__", None) == str(HERE / "conftest.py"))
    monkeypatch.delenv("LUX_TEST_SEED", raising=False)
    monkeypatch.delenv("CI", raising=False)
    assert conftest._seed() != conftest._seed()
    monkeypatch.setenv("CI", "1")
    if (HERE.parent / ".git").exists():
        assert conftest._seed() == conftest._seed()
    monkeypatch.setenv("LUX_TEST_SEED", "7")
    assert conftest._seed() == "7"


def test_some_ways(monkeypatch):
    ways = [(parts, model) for parts in range(5) for model in "ab"]
    monkeypatch.setattr(examples, "QUICK", True)
    chosen = [examples.some(ways, chance, 3) for chance in range(30)]
    assert {len(set(each)) for each in chosen} == {3}
    assert {way for each in chosen for way in each} == set(ways)
    assert examples.some(ways, 7) == examples.some(ways, 7)
    assert examples.some(ways[:2], 7, 3) in (ways[:2], ways[1::-1])
    monkeypatch.setattr(examples, "QUICK", False)
    assert examples.some(ways, 7) == ways


def test_combinations_that_cover_all_values():
    factors = list("abcdef"), (1, 2), ("x", "y"), (1, 2, 3)
    found = [*examples.covering(*factors, times=2)]
    assert [each.values for each in found] == [*itertools.product(*factors)]
    kept = [each.values for each in found if not each.marks]
    assert len(kept) == 12
    for one, other in itertools.combinations(range(4), 2):  # all pairs, too, but for some of six times three
        assert len({(way[one], way[other]) for way in kept}) == min(len(factors[one]) * len(factors[other]), 12)
