# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness whose sources are dealt to several GPUs is that of CPU cores and of NetworkX."""

import importlib.util
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import lux
from lux.algorithms.betweenness import gpu as dependencies
from lux.errors import ConfigurationError
from lux_cases.machine import gpus

pytestmark = pytest.mark.gpu

_spec = importlib.util.spec_from_file_location("gpu_betweenness_graphs", Path(__file__).with_name("test_programs.py"))
shared = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(shared)


def all_parts():
    return range(1, min(gpus(), 4) + 1)


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("name", shared.GRAPHS)
def test_beside_cpu_cores(name, order):
    g = shared.graph(name, order)
    for sources in (1, 2, 7):
        options = {"k": min(sources, g.n_vertices), "seed": 5, "endpoints": sources == 7, "normalized": False}
        with lux.using(device="cpu"):
            cpu = lux.betweenness(g, **options)
        for parts in all_parts():
            with lux.using(device="gpu"):
                gpu = lux.betweenness(g, parts=parts, **options)
            assert (gpu.device, gpu.parts, gpu.iterations) == ("gpu", parts, cpu.iterations)
            assert [i.frontier for i in gpu.statistics] == [1] * cpu.iterations
            assert all(i.seconds[0] > 0 for i in gpu.statistics)
            np.testing.assert_allclose(gpu.scores.dense(), cpu.scores.dense(), rtol=1e-9, atol=1e-12)


def test_beside_networkx():
    h = nx.gnp_random_graph(60, 0.07, seed=2)
    h.add_node(77)  # alone
    g = lux.from_networkx(h)
    expected = nx.betweenness_centrality(h)
    for parts in all_parts():
        with lux.using(device="gpu"):
            found = lux.betweenness(g, parts=parts)
        for vertex, score in found.top(g.n_vertices):
            assert score == pytest.approx(expected[vertex], rel=1e-9, abs=1e-12)


def test_more_sources_than_a_launch_has_room_for():
    g = lux.from_edges(np.arange(1500), np.arange(1, 1501), directed=False)
    assert g.n_vertices > dependencies.MAX_STATISTICS_ROWS
    place = np.arange(1501.0)
    for parts in all_parts():
        seen = []
        with lux.using(device="gpu"):
            found = lux.betweenness(g, normalized=False, parts=parts, progress=seen.append)
        np.testing.assert_allclose(found.scores.to_numpy(), place * (1500 - place), rtol=1e-12)
        assert seen == sorted(seen)
        assert seen[-1] == len(found.statistics) == 1501


def test_interruption_leaves_nothing_behind():
    g = shared.graph("grid", "given")

    def stop(done):
        raise KeyboardInterrupt

    with lux.using(device="gpu"):
        expected = lux.betweenness(g, k=9, seed=1)
        with pytest.raises(KeyboardInterrupt):
            lux.betweenness(g, progress=stop)
        again = lux.betweenness(g, k=9, seed=1)
    np.testing.assert_allclose(again.scores.dense(), expected.scores.dense(), rtol=1e-12)


def test_what_is_refused():
    g = shared.graph("grid", "given")
    for options, match in (
        ({"parts": gpus() + 1}, "is more than its"),
        ({"model": "push"}, "leave model= out"),
    ):
        with lux.using(device="gpu"), pytest.raises(ConfigurationError, match=match):
            lux.betweenness(g, sources=[0], **options)
