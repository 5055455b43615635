# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What is said of a run: its launches, models and reasons."""

import pytest

import lux
from lux_cases.builtin import SmallestLabel


@pytest.mark.check
def test_launches_and_reasons_of_a_search() -> None:
    graph = lux.generate("kronecker:10")
    source = int(graph.dense_out_degrees().argmax())
    said = lux.explain(lux.bfs, graph, source, parts=2)
    runs = [launch for launch in said.launches if launch.task == "iterate"]
    assert 0 < len(runs) < said.result.iterations
    assert all(launch.points == 2 for launch in runs)
    reads = {name: split for kind, name, split, _ in runs[0].stores if kind == "reads"}
    assert reads["sources"] == "edges"
    text = str(said)
    assert "touch," not in text
    assert "that make, read or look at stores (" in text
    assert "iterate, 2 points" in text
    assert "exceed 1/20 of all edges" in text
    assert text.count("active") == said.result.iterations


def test_programs_and_reasons() -> None:
    said = lux.explain(SmallestLabel, lux.toy.path(5), model="push")
    assert {step.why for step in said.result.statistics} == {"as asked for"}
    assert "SmallestLabel on 5 vertices and 4 stored edges" in str(said)
    ranks = lux.explain(lux.pagerank, lux.toy.path(5)).result
    assert {step.why for step in ranks.statistics} == {
        "without a frontier all vertices gather, by rows: there are under 1,048,576 edges"
    }


def test_nothing_is_recorded_afterwards() -> None:
    said = lux.explain(lux.bfs, lux.toy.path(4), 0)
    before = len(said.launches)
    lux.bfs(lux.toy.path(4), 0)
    assert len(said.launches) == before
