# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import pytest

import lux
from lux.algorithms import gpu_strategy
from lux.algorithms.gpu_strategy import GpuStrategy
from lux.algorithms.strategy import Memory, Query


class Answering:
    """A strategy that answers all queries."""

    name = "answering"

    def refusal(self, query):
        return ""

    def memory(self, query):
        return Memory(gpu=7)

    def prepare(self, query):
        pass

    def run(self, query, progress):
        return "answer"


@pytest.fixture
def query():
    return Query(graph=lux.toy.path(3))


def test_a_strategy_is_loaded_where_gpus_are_wanted(query, monkeypatch):
    loaded = []
    strategy = GpuStrategy("gpu", lambda: loaded.append(1) or Answering(), lambda _: "")
    with lux.using(device="cpu"):
        assert strategy.refusal(query) == "device='cpu' is asked for"
    assert loaded == []
    monkeypatch.setattr(gpu_strategy.device_selection, "why_not_wanted", lambda _: "")
    assert strategy.refusal(query) == ""
    assert strategy.memory(query).gpu == 7
    strategy.prepare(query)
    assert strategy.run(query, None) == "answer"
    assert loaded == [1]


def test_the_strategys_own_reason_comes_first(query):
    strategy = GpuStrategy("gpu", Answering, lambda query: f"parts={query.parts} is asked for")
    assert strategy.refusal(query) == "parts=None is asked for"
