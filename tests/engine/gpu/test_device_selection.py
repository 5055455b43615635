# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Device selection: a run that takes CPU cores where there are GPUs says why, once."""

import warnings

import pytest

import lux
from lux.engine.gpu.placement import device_selection
from lux_cases.machine import on_cores


@pytest.fixture
def graph():
    return lux.generate("kronecker:8")


@pytest.mark.check
@pytest.mark.parametrize("run", [lux.pagerank, lux.components, lambda graph: lux.bfs(graph, 1)])
def test_more_vertices_than_gpus_take(graph, pretend_gpus, monkeypatch, run):
    monkeypatch.setattr(device_selection, "MOST_VERTICES", graph.n_vertices)
    pretend_gpus(2)
    with on_cores("GPUs take graphs of fewer than 256 vertices") as told:
        assert run(graph).device == "cpu"
    assert len(told) == 1


def test_no_room(graph, pretend_gpus):
    pretend_gpus(1, fbmem=1 << 12, zcmem=1 << 12)
    with on_cores("256 vertices and .* edges fit neither the GPUs' memory"):
        assert lux.pagerank(graph).device == "cpu"


def test_betweenness_by_a_model(graph, pretend_gpus):
    pretend_gpus(1)
    with on_cores("model='pull'"):
        assert lux.betweenness(graph, sources=[1], model="pull").device == "cpu"


def test_a_rule_for_directions(graph, pretend_gpus):
    pretend_gpus(1)
    with on_cores("direction='estimates' is asked for"):
        assert lux.bfs(graph, 1, direction="estimates").device == "cpu"


def test_cores_that_were_asked_for(graph, pretend_gpus):
    pretend_gpus(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with lux.using(device="cpu"):
            lux.pagerank(graph)
        lux.bfs(graph, 1, strategy="threads-top-down")
