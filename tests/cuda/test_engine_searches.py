# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches by engines on GPUs, one after the other: stores are placed once, and stay until the graph is dropped."""

import numpy as np
import pytest

import lux
from lux.algorithms.multi_gpu.launch import MultiGpuKernel
from lux.errors import LuxError
from lux_cases import searches
from lux_cases.builtin import verify
from lux_cases.machine import placed
from lux_cases.stores import recorded

KERNELS = {"two-dimensional": "lux_grid", "hybrid": "lux_grid", "degree-separated": "lux_separated"}
"""And their kernels."""


def found_by(graph, source, strategy, parts, device="gpu", limit=None):
    with lux.using(device=device):
        return lux.bfs(graph, source, strategy=strategy, parts=parts, max_iter=limit)


def check(graph, source, strategy, parts, limit=None):
    """Distances and counts are those of CPU cores, and parents make a tree."""
    found = found_by(graph, source, strategy, parts, limit=limit)
    right = found_by(graph, source, strategy, parts, "cpu", limit)
    np.testing.assert_array_equal(found.distances.dense(), right.distances.dense())
    assert (found.iterations, found.converged, found.device) == (right.iterations, right.converged, "gpu")
    verify(found)
    for did, would in zip(found.statistics, right.statistics, strict=True):
        assert (did.frontier, did.frontier_edges) == (would.frontier, would.frontier_edges)
    if strategy != "degree-separated":
        sent = [[did.exchanged for did in each.statistics[:-1]] for each in (found, right)]
        assert sent[0] == sent[1]
    return found


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("strategy", KERNELS)
def test_many_searches(machine, strategy, parts):
    """Each is a launch, of whose results nobody has to make anything; those of the first stay what they are."""
    graph = lux.generate("kronecker:7,4", seed=2).reordered("degree")
    lonely = int(graph.dense_out_degrees().argmin())
    assert graph.dense_out_degrees()[lonely] == 0
    with machine(parts, blocks=1 + (parts == 1), seed=parts) as m:
        first = check(graph, 7, strategy, parts)
        assert m.launched == [KERNELS[strategy]] * 2  # of which the first placed stores
        before = first.distances.dense().tolist(), first.parents.dense().tolist()
        for source, limit in ((lonely, None), (100, 2), (9, 0)):
            check(graph, source, strategy, parts, limit)
        with recorded() as by_cores:
            again = found_by(graph, 7, strategy, parts)
        assert all(launch.internal for launch in by_cores)  # this machine reads what kernels are given
        assert m.launched == [KERNELS[strategy]] * 6
        assert (first.distances.dense().tolist(), first.parents.dense().tolist()) == before
        assert again.distances.dense().tolist() == before[0]


@pytest.mark.parametrize("strategy", ["two-dimensional", "hybrid"])
def test_grids_in_another_order(machine, strategy):
    """Several rows and columns, and directed graphs."""
    for made, parts in (("rmat:7,4", 1), ("rmat:7,4", 4), ("kronecker:7,4", 4)):
        graph = lux.generate(made, seed=3).reordered("degree")
        with machine(parts, blocks=1):
            check(graph, int(graph.dense_out_degrees().argmax()), strategy, parts)


@pytest.mark.parametrize("strategy", KERNELS)
def test_after_a_search_that_came_to_nothing(machine, strategy, monkeypatch):
    graph = searches.made("loops and isolated", "degree")
    with machine(2, blocks=1) as m:
        expected = check(graph, 5, strategy, 2).distances.dense()
        m.lost = {1}
        with pytest.raises(LuxError, match="waited in vain"):
            found_by(graph, 5, strategy, 2)
        m.lost = ()
        np.testing.assert_array_equal(check(graph, 5, strategy, 2).distances.dense(), expected)

        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(MultiGpuKernel, "outcome", interrupted)
        with pytest.raises(KeyboardInterrupt):
            found_by(graph, 5, strategy, 2)
        monkeypatch.undo()
        for source in (70, 5):
            check(graph, source, strategy, 2)
        assert m.plans == 1  # that of the next search


@pytest.mark.parametrize("strategy", [*KERNELS, "auto"])
def test_a_dropped_graph_frees_its_memory(machine, strategy):
    with machine(2, blocks=1) as m:
        graph = lux.generate("kronecker:7,4", seed=5).reordered("degree")
        before = placed().sum()
        with lux.using(device="gpu"):
            found = lux.bfs(graph, 0, strategy=strategy, parts=2)
        assert placed().sum() > before
        assert m.plans
        m.flush()
        m.forget_stores()
        del graph, found
        assert placed().sum() == before
        assert not m.plans
