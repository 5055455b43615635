# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of several processes in the model's report: steps by hand, other profiles, and choices beside one process."""

import importlib.util
import json
import sys
from dataclasses import asdict, replace

import pytest

from benchmarks import model, model_nodes, plots
from benchmarks.model_tables import choices
from perfmodel import GraphSummary, Machine, Profile, Rate, Sizes
from perfmodel.internode import InternodeRates

SIZES = {p: Sizes(1000 * p, 1000, 1000 * p - 1000, 1000 - 1000 // p, 16_000 // p) for p in (1, 2, 4, 8, 16)}
SUMMARY = GraphSummary(1000, 16_000, False, False, 0.0, 20, ((1000, 1e6),), SIZES)
RATES = {"pagerank": {model: Rate(1e-9, 1e-9, 0.0, 0.0) for model in ("pull", "push")}}
BETWEEN = InternodeRates(iteration=1e-3, byte=1e-9, exchange="whole")
PROFILE = Profile(Machine("cpu", "Abacus", 2, 0, 1 << 34, 0), RATES, 1e9, 0.0, 0.0, 0.0, network=0.0)
PROFILE = replace(PROFILE, between={"host": BETWEEN})
"""A 20th of the exchange before the first iteration."""
ONE = {"graph": "g", "program": "pagerank", "model": "pull", "n_vertices": 1000, "n_edges": 16_000, "workers": 2}
ONE |= {"values": 1000, "irregular": 0.0, "activity": 1.0, "kernel": 8e-6, "rest": 20 * 1.3e-3, "iterations": 20}
ONE |= {"parts": 2, "nodes": 2}


@pytest.fixture
def facts():
    """What two processes write that have measured one graph, with launches of 1.2 ms."""
    row = {"graph": "g", "program": "pagerank", "model": "pull", "parts": 2, "workers": 2, "nodes": 2, "per_node": 1}
    row |= {"summary": "g", "frontier": {"vertices": [1.0] * 20, "edges": [1.0] * 20}, "measured": {"runs": [0.03]}}
    launches = {("pagerank", "pull", "host"): (0.0, 1.2e-3)}
    rows = [model_nodes.predicted(model_nodes.measured_steps(row | {"sample": ONE}, launches), SUMMARY, PROFILE)]
    return {
        "machine": {"cpu": "Abacus", "cores": 2, "processes": 2},
        "versions": {"lux": "0.1.0", "legate": "26.1.0"},
        "rows": rows,
        "refused": [],
        "summaries": {"g": asdict(SUMMARY)},
    }


def test_steps(facts):
    (row,) = facts["rows"]
    measured, predicted = row["measured"], row["predicted"]
    assert (measured["transfer"], measured["launch"]) == pytest.approx((1e-4, 1.2e-3))
    steps = [predicted[step] for step in ("compute", "transfer", "launch")]
    assert steps == pytest.approx([8e-6, 4e-6, 1e-3])
    assert row["errors"] == pytest.approx({"transfer": 4e-6 / 1e-4 - 1, "launch": (1e-3) / 1.2e-3 - 1})
    assert row["error"] == pytest.approx(1.012e-3 / 1.308e-3 - 1)


def test_other_profiles_and_results_of_one_process(facts, tmp_path, monkeypatch, capsys):
    one = {"graph": "g", "program": "pagerank", "model": "push", "parts": 1, "workers": 1}
    one |= {which: {"all": 1e-3, "kernel": 1e-3, "launch": 0.0} for which in ("predicted", "measured")}
    alone = {"machine": facts["machine"] | {"processes": 1}, "rows": [one, one | {"graph": "another"}]}
    files = {name: tmp_path / f"{name}.json" for name in ("ranks", "one", "profile", "output")}
    files["ranks"].write_text(json.dumps(facts))
    files["one"].write_text(json.dumps(alone))
    replace(PROFILE, between={"host": replace(BETWEEN, iteration=1e-4)}).write(files["profile"])
    words = ["--again", files["ranks"], "--profile", files["profile"], "--output", files["output"]]
    monkeypatch.setattr(sys, "argv", list(map(str, ["model.py", *words, "--beside", files["one"], "--all"])))
    model.main()
    assert "relative errors of steps" in capsys.readouterr().out
    found = json.loads(files["output"].read_text())
    assert found["rows"][0]["predicted"]["launch"] == pytest.approx(1e-4)
    assert found["rows"][0]["measured"] == facts["rows"][0]["measured"]
    assert [row["graph"] for row in found["one_process"]["rows"]] == ["g"]
    (chosen,) = found["choices"]
    assert (chosen["chosen"], chosen["best"], chosen["rank"]) == (["pull", 2, "2 nodes"], ["push", 1], 2)
    for change in ({"machine": alone["machine"] | {"cores": 3}}, {"machine": facts["machine"]}):
        files["one"].write_text(json.dumps(alone | change))
        with pytest.raises(SystemExit, match=r"is of Abacus, 3 cores|no rows of one process"):
            model.main()


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="Matplotlib is not installed")
def test_figures(facts, tmp_path):
    names = ("model-nodes-steps", "model-nodes-choices")
    (tmp_path / "model-nodes-200.json").write_text(json.dumps(facts | {"choices": choices(facts["rows"])}))
    steps, _ = plots.draw(tmp_path, tmp_path, names)
    assert "2 processes" in steps.read_text()
    assert "between processes" in steps.read_text()
