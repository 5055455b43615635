# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs of the user's own: what a short run of them tells the model."""

import inspect
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import lux
from lux.autotune import short_run
from lux.autotune.summarize import summarize
from lux_cases.programs import Hops
from perfmodel import Configuration, choose, predict
from perfmodel import profile as profiles
from perfmodel.programs import program
from perfmodel.summary import Frontier

HOPS = f"""
import lux


{inspect.getsource(Hops)}

not_a_program = 3
"""


class Spread(lux.Program):
    """A share of what the neighbours have."""

    x = lux.field(np.float32, shape=4)
    total = lux.field(np.float32, shape=4, reduce=lux.ADD)

    def start(v, params):
        v.x[0] = 1.0

    def compute(v, u, edge, params):
        return edge.weight * u.x

    def update(v, old, params):
        v.x = 0.5 * v.total


@pytest.fixture
def known():
    return profiles.load("epyc-2-cores")


def test_what_is_known_without_a_run(known):
    graph = lux.generate("kronecker:8", weights=(1, 9))
    found = short_run.learn(Spread, graph, {}, None, known)
    of = program("run:Spread")
    assert (of.value_bytes, of.edge_bytes, of.frontier, of.crosses, of.both) == (16, 4, False, True, False)
    assert of.state_bytes >= 32
    assert list(found.rates["run:Spread"]) == ["pull"]
    assert {name: found.rates[name] for name in known.rates} == known.rates


@pytest.mark.parametrize("model", ["pull", "push"])
def test_rates_predict_the_short_run(known, model):
    graph = lux.generate("kronecker:8")
    learned = short_run.learn(Hops, graph, {"source": 0}, None, known)
    summary, like = replace(summarize(graph), frontiers={}), program("components")
    steps = [
        SimpleNamespace(frontier=256 // k, frontier_edges=graph.n_edges // k, seconds=np.array([k * 1e-3]))
        for k in (1, 2, 4)
    ]
    rate = short_run.rate_of(steps, summary, known, like, "run:Hops", model)
    shares = Frontier(tuple(1 / k for k in (1, 2, 4)), tuple(1 / k for k in (1, 2, 4)))
    guess = replace(learned, rates={"run:Hops": {model: rate}})
    one = predict(summary, guess, Configuration("run:Hops", model))
    edges = [1.0] * 3 if model == "pull" else [e / rate.activity for e in shares.edges]
    assert one.compute * sum(edges) + 3 * one.update == pytest.approx(7e-3)


def test_a_run_that_ends_tells_its_frontier(known):
    graph = lux.generate("kronecker:8")
    learned = short_run.learn(Hops, graph, {"source": 0}, None, known)
    assert "run:Hops" in graph.summary.frontiers
    choice = choose(summarize(graph), learned, "run:Hops", 1, 2)
    assert {p.configuration.model for p in choice.predictions} == {"pull", "push", "auto"}
    assert choice.best.total is not None


def test_auto_gives_the_same_answer(known, tmp_path, monkeypatch):
    machine = known.machine
    assert machine.device == "cpu"
    graph = lux.generate("kronecker:9")
    monkeypatch.setattr("lux.autotune.tuning.profile_here", lambda _: known)
    expected = lux.run(Hops, graph, source=3)["count"].to_numpy()
    np.testing.assert_array_equal(lux.run(Hops, graph, source=3, config="auto")["count"].to_numpy(), expected)
    Configuration("run:Hops", "push", parts=2, per_node=2).write(tmp_path / "c.json")
    found = lux.run(Hops, graph, source=3, config=tmp_path / "c.json")
    assert (found.parts, {s.model for s in found.statistics}) == (2, {"push"})
    np.testing.assert_array_equal(found["count"].to_numpy(), expected)
    with pytest.raises(lux.errors.ConfigurationError, match="is for run:Hops, and run:Spread runs"):
        lux.run(Spread, lux.generate("kronecker:8", weights=(1, 9)), max_iter=2, config=tmp_path / "c.json")


def test_the_command_line_takes_a_class_of_a_file(call, tmp_path):
    script = tmp_path / "hops.py"
    script.write_text(HOPS)
    words = ("autotune", "--generate", "kronecker:8", "--profile", "epyc-2-cores", "--json")
    code, out, _ = call(*words, "--program", f"{script}:Hops", "--param", "source=3")
    found = json.loads(out)
    assert (code, found["program"]) == (0, "run:Hops")
    assert found["command"].endswith(str(script))


def test_betweenness_runs_for_a_moment(call):
    words = ("autotune", "--generate", "kronecker:8", "--profile", "epyc-2-cores", "--program", "betweenness", "--json")
    code, out, _ = call(*words, "--sources", 30)
    found = json.loads(out)
    assert code == 0
    assert found["best"]["iterations"] == 30
    assert found["command"].endswith("apps/betweenness.py --generate kronecker:8 --k 30")


@pytest.mark.parametrize(
    "given, message",
    [
        (("--program", "{}:Missing"), "has no subclass of lux.Program of that name"),
        (("--program", "{}:not_a_program"), "has no subclass of lux.Program of that name"),
        (("--program", "{}.py:Hops"), "there is no file"),
        (("--program", "hops"), "'hops' is no program: pass one of pagerank"),
        (("--program", "pagerank", "--param", "source=3"), "--param is for a program of your own"),
        (("--program", "{}:Hops", "--param", "source"), "'source' is no parameter: pass NAME=X"),
        (("--sources", "3"), "--sources is for --program betweenness"),
        (("--program", "betweenness", "--summary", "x.json"), "leave --summary out"),
        (("--program", "{}:Hops", "--summary", "x.json"), "leave --summary out"),
    ],
)
def test_mistakes(given, message, call, tmp_path):
    script = tmp_path / "hops.py"
    script.write_text(HOPS)
    graph = () if "--summary" in given else ("--generate", "kronecker:8")
    words = (word.format(script) for word in given)
    code, out, err = call("autotune", "--profile", "epyc-2-cores", *graph, *words)
    assert (code, out) == (2, "")
    assert message in err
