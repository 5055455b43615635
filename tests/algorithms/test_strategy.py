# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The contract of strategies, with strategies that only say that they ran."""

import re
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import lux
from lux.algorithms.strategy import (
    Memory,
    Query,
    VertexProgram,
    needs_gpu,
    needs_partitions,
    needs_program,
    select,
)
from lux.errors import MemoryNeededError, ParameterError
from lux_cases.programs import Hops
from lux_cases.stores import to_array

NOTHING = Memory()


@dataclass
class Toy:
    """A strategy that refuses with some words, and notes what it was asked."""

    name: str
    why: str = ""
    calls: list[str] = field(default_factory=list)
    needed: Memory = NOTHING

    def refusal(self, query):
        self.calls.append("refusal")
        return self.why

    def memory(self, query):
        return self.needed

    def prepare(self, query):
        self.calls.append("prepare")

    def run(self, query, progress):
        self.calls.append("run")
        return VertexProgram(Hops).run(replace(query, params={"source": 0}), progress)


def toys():
    return Toy("fast", "there is no GPU"), Toy("dense", "the graph is sparse"), Toy("plain"), Toy("slow")


@pytest.mark.check
def test_the_first_that_does_not_refuse_runs_and_the_others_before_it_say_why():
    strategies, query = toys(), Query(graph=lux.toy.path(3))
    chosen = select(strategies, query)
    assert chosen.strategy is strategies[2]
    assert chosen.refusals == {"fast": "there is no GPU", "dense": "the graph is sparse"}
    run = chosen.run(query, None)
    assert (run.strategy, run.refusals) == ("plain", chosen.refusals)
    assert [toy.calls for toy in strategies] == [["refusal"], ["refusal"], ["refusal", "run"], []]


def test_memory_is_checked_before_a_strategy_is_called(monkeypatch):
    strategies, query = toys(), Query(graph=lux.toy.path(3), algorithm="hops")
    strategies[2].needed = Memory(host=1 << 60)
    for call in ("run", "prepare"):
        arguments = (query, None) if call == "run" else (query,)
        with pytest.raises(MemoryNeededError, match=r"hops by strategy='plain' needs \d+ MiB .* start with --sysmem"):
            getattr(select(strategies, query), call)(*arguments)
    assert strategies[2].calls == ["refusal", "refusal"]


def test_a_strategy_without_room_on_gpus_is_passed_over():
    (first, second), graph = (Toy("large", needed=Memory(gpu=1 << 60, gpus=2)), Toy("plain")), lux.toy.path(3)
    chosen = select([first, second], Query(graph=graph))
    assert chosen.strategy is second
    assert re.fullmatch(r"it needs \d+ MiB of each of 2 GPUs, and there is no room for that", chosen.refusals["large"])
    said = r"run by strategy='large' on each of 2 GPUs needs \d+ MiB .* start with --fbmem"
    for strategies, asked in (([first, second], "large"), ([first, Toy("other", "it is slow")], "auto")):
        with pytest.raises(MemoryNeededError, match=said):
            select(strategies, Query(graph=graph, strategy=asked))


def test_a_strategy_is_asked_for_by_name():
    strategies, query = toys(), Query(graph=lux.toy.path(3), strategy="slow")
    assert query.named
    assert select(strategies, query).run(query, None).strategy == "slow"
    assert [toy.calls for toy in strategies[:3]] == [[], [], []]


@pytest.mark.parametrize(
    "name, message",
    [
        ("dense", "strategy='dense' was passed, which cannot run here: the graph is sparse"),
        ("plane", r"strategy='plane' was passed: did you mean plain\? Allowed are auto, fast, dense, plain, slow"),
        ("x", "strategy='x' was passed; allowed are auto, fast, dense, plain, slow"),
        (["plain"], r"strategy=\['plain'\] was passed; allowed are auto"),
        (None, "strategy=None was passed; allowed are auto"),
    ],
)
def test_a_name_that_there_is_not_and_one_that_refuses(name, message):
    with pytest.raises(ParameterError, match=message):
        select(toys(), Query(graph=lux.toy.path(3), strategy=name))


def test_all_refuse():
    with pytest.raises(ParameterError, match="no strategy can run this: fast: there is no GPU; dense: the graph is sp"):
        select(toys()[:2], Query(graph=lux.toy.path(3)))


@pytest.mark.parametrize(
    "asked, message",
    [
        ({"model": "sideways"}, "model='sideways' was passed; allowed are auto, pull, push"),
        ({"max_iter": -1}, "max_iter=-1 was passed"),
        ({"parts": 4}, "parts=4 was passed; allowed are 1 to 3"),
        ({"parts": 1.5}, "parts must be a whole number"),
    ],
)
def test_a_query_refuses_values_that_there_are_not(asked, message):
    with pytest.raises(ParameterError, match=message):
        Query(graph=lux.toy.path(3), **asked)


@pytest.mark.check
@pytest.mark.parametrize("asked", [{}, {"parts": 2}, {"model": "pull"}, {"max_iter": 1}])
def test_a_program_is_a_strategy(asked):
    query = Query(graph=lux.toy.path(4), params={"source": 1}, **asked)
    strategy = VertexProgram(Hops)
    strategy.prepare(query)
    run = select([strategy], query).run(query, None)
    expected = [2**63 - 1, 0, 1, 2**63 - 1 if asked.get("max_iter") else 2]
    assert (run.strategy, run.parts) == ("program", asked.get("parts", 1))
    np.testing.assert_array_equal(to_array(run.fields["count"])[:4], expected)
    assert VertexProgram(lambda query: Hops).of(query) is Hops
    assert strategy.memory(query).host >= 8 * 4


def test_own_programs_and_pagerank_are_strategies():
    graph = lux.toy.kite()
    ran = lux.run(Hops, graph, source=1)
    assert (ran.strategy, ran.refusals) == ("program", {})
    assert lux.run(Hops, graph, source=1, strategy="program").strategy == "program"
    assert "strategy program" in str(lux.explain(Hops, graph, source=1, strategy="program"))
    with pytest.raises(ParameterError, match=r"strategy='programm.* did you mean program\? Allowed are auto, program"):
        lux.run(Hops, graph, source=1, strategy="programm")
    for asked in ("auto", "program"):
        assert lux.pagerank(graph, strategy=asked).strategy == "program"
    with pytest.raises(ParameterError, match="strategy='gpu' was passed; allowed are auto, program"):
        lux.pagerank(graph, strategy="gpu")


def test_explain_says_which_strategy_ran_and_why_others_did_not():
    with lux.using(device="cpu"):
        said = str(lux.explain(lux.components, lux.toy.kite(), parts=2))
    of_gpus = "".join(f"  not {name}: device='cpu' is asked for\n" for name in ("gpus", "gpu"))
    assert f"strategy partitions\n{of_gpus}  not threads: it is one task" in said


def test_words_of_refusals():
    graph = lux.toy.path(4)
    assert needs_program(Query(graph=graph)) == needs_partitions(Query(graph=graph)) == ""
    assert needs_program(Query(graph=graph, model="pull")) == "model='pull' is asked for, which only the program has"
    found = lux.bfs(graph, 0, direction="edges")
    assert "direction='edges' is asked for, which only the program has" in found.refusals.values()
    assert needs_partitions(Query(graph=graph, parts=3)) == "it is one task, and parts=3 is asked for"
    with lux.using(device="cpu"):
        assert needs_gpu(Query(graph=graph)) == ""


def test_logging_says_what_ran(caplog):
    with caplog.at_level("DEBUG", "lux"):
        result = lux.bfs(lux.toy.kite(), 0, direction="edges")
    told = [record.getMessage() for record in caplog.records]
    assert "graph of 10 vertices and 36 stored edges made in" in told[0]
    assert f"bfs: strategy program on cpu, {result.iterations} iterations in" in told[1]
    assert {f"bfs: not strategy {name}: {why}" for name, why in result.refusals.items()} == set(told[2:])
