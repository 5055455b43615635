# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges of partitions that several GPUs group by source, beside what CPU cores make of the same."""

import numpy as np
import pytest

import lux
from lux.engine.gpu import by_source, ins_rebuild
from lux.engine.gpu.parts import PartitionedGpuRun
from lux_cases.builtin import BreadthFirstSearch
from lux_cases.stores import to_array

NONE = np.array([], np.int64)


@pytest.fixture(autouse=True)
def any_size(made_on_gpus_from):
    """Several GPUs group also few edges."""
    made_on_gpus_from(1)


def weighted(n, m, seed):
    """A graph with hubs, loops and repeats, and two properties of its edges."""
    rng = np.random.default_rng(seed)
    u, v = (n * rng.random((2, m)) ** 3).astype(np.int64)
    return lux.from_edges(u, v, n_vertices=n, weight=rng.random(m), kind=(u % 7).astype(np.int8))


GRAPHS = {
    "rmat": lambda: lux.generate("rmat:9,8", seed=2),
    "grid": lambda: lux.generate("grid:20x13"),
    "star": lambda: lux.from_edges(np.arange(1, 700), np.zeros(699, int), n_vertices=700),
    "one edge": lambda: lux.from_edges([2], [32], n_vertices=64),
    "weighted": lambda: weighted(600, 5000, seed=1),
}


@pytest.mark.parametrize("gpus", [2, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_rows_are_those_of_cpu_cores(machine, name, gpus):
    graph = GRAPHS[name]()
    names = tuple(graph.property_types)
    for moved in (None, [0, *[graph.n_vertices // 64 * 32] * (gpus - 1), graph.n_vertices]):
        points = graph.layout(gpus).points if moved is None else np.array(moved)
        expected = graph.layout(gpus).moved(points).by_source(names, listed=True)
        with machine(gpus, blocks=2) as on:
            layout = graph.layout(gpus).moved(points)
            layout.members = ins_rebuild.made(layout, NONE)
            found = by_source.made(layout, names)
            assert found is not None
            assert {"lux_list_rows", "lux_sort_edges", "lux_write_edges"} <= set(on.launched)
            rows = int((layout.members.sizes + 1).sum())
            np.testing.assert_array_equal(found.cuts["by_offsets"], expected.cuts["by_offsets"])
            for one, other, size in (
                (found.offsets, expected.offsets, rows),
                (found.destinations, expected.destinations, graph.n_edges),
                *((found.properties[p], expected.properties[p], graph.n_edges) for p in names),
            ):
                np.testing.assert_array_equal(to_array(one)[:size], to_array(other)[:size])


@pytest.mark.parametrize("placement", ["peer", "device", "zero-copy"])
def test_runs_take_the_rows_of_gpus(machine, placement):
    graph = GRAPHS["rmat"]()
    wanted = lux.bfs(graph, 1).distances.to_numpy()
    with machine(2, blocks=2) as on, lux.using(device="gpu", placement=placement):
        found = lux.bfs(graph, 1, parts=2, model="push", strategy="program")
        assert "lux_write_edges" in on.launched
        np.testing.assert_array_equal(found.distances.to_numpy(), wanted)


def test_gpus_without_room_leave_it_to_cores(machine, monkeypatch):
    graph = GRAPHS["rmat"]()
    with machine(2, blocks=2):
        layout = graph.layout(2)
        assert by_source.made(layout, ()) is None  # no lists of members yet
        layout.members = ins_rebuild.made(layout, NONE)
        monkeypatch.setattr(by_source.gpu_edges, "has_room", lambda _: False)
        assert by_source.made(layout, ()) is None


@pytest.mark.parametrize("gpus", [1, 2])
def test_the_host_memory_that_cores_would_take(machine, gpus, monkeypatch):
    """Cores group the edges of two partitions on one GPU, and copy them; on a GPU each, the host has no part in it."""
    monkeypatch.setattr(by_source.choice, "WORTH_SEVERAL", 1)
    with machine(gpus, blocks=2), lux.using(device="gpu"):
        graph = lux.generate("kronecker:8")
        assert graph.edges_on_gpus
        run = PartitionedGpuRun(BreadthFirstSearch, graph, {}, {"source": 1}, "push", 50, 2, placement="zero-copy")
        assert run.makes_members
        copied, rows = 4 * graph.n_edges + 8 * graph.n_vertices, 4 * graph.n_edges
        assert copied + rows <= run.host_bytes() <= copied + rows + 8 * 2 * graph.n_vertices or run.groups_on_gpus
        assert run.groups_on_gpus == (gpus == 2) == (run.host_bytes() == 0)
        lux.run(BreadthFirstSearch, graph, source=1, parts=2, model="push")
        run.by_source()
        assert run.host_bytes() == 0
