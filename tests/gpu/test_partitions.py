# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs on partitions, each on a GPU (or several on one), give the same as on CPU cores, in every placement."""

import numpy as np
import pytest

import lux
from lux.engine import executor
from lux.engine.gpu import part_launches
from lux.engine.gpu.parts import PartitionedGpuRun
from lux_cases import programs
from lux_cases.builtin import PageRank, PageRank32, SmallestLabel
from lux_cases.graphs import graph
from lux_cases.machine import gpus, peer_access
from lux_cases.runs import EXACT, RANKS, RUNS, Case, agree, decisions, with_little_memory
from lux_cases.stores import to_array

pytestmark = pytest.mark.gpu


GRAPHS = [
    ("kronecker:12", "degree"),
    ("kronecker:11", "given"),
    ("grid", "given"),
    ("star", "degree"),
    ("bipartite", "given"),
]


def alone(case, g, parts, placement, progress=None):
    """A run on partitions even where one GPU would hold the whole graph."""
    limit = case.arguments.get("max_iter", executor.NO_LIMIT)
    return PartitionedGpuRun(case.program, g, {}, case.values, "auto", limit, parts, placement=placement).execute(
        progress
    )


@pytest.mark.parametrize("model", ["pull", "push", "auto"])
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name, order", GRAPHS)
def test_partitions_and_placements(name, order, run, model):
    g, (program, arguments, double) = graph(name, order), RUNS[run]
    with lux.using(device="cpu"):
        expected = lux.run(program, g, model=model, **arguments)
    for parts in (1, 2, 3, 7):
        for placement in ("peer", "device", "zero-copy"):
            with lux.using(device="gpu", placement=placement):
                found = lux.run(program, g, model=model, parts=parts, **arguments)
            assert (found.device, found.parts) == ("gpu", parts)
            agree(expected, found, double=double)
            if run in EXACT:
                assert decisions(found) == decisions(expected)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("placement", ["peer", "device", "zero-copy"])
def test_one_partition_with_a_launch_for_each_iteration(placement, run):
    g, case = graph("kronecker:11", "given"), RUNS[run]
    with lux.using(device="cpu"):
        expected = executor.execute(case.program, g, case.values, max_iterations=case.arguments.get("max_iter"))
    found = alone(case, g, 1, placement)
    for name, store in found.fields.items():
        there = to_array(expected.fields[name])
        np.testing.assert_allclose(to_array(store), there, rtol=max(case.double, 1e-5))


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name, order", GRAPHS)
def test_gpus_side_by_side(name, order, run):
    """A launch runs many iterations, and the GPUs meet by themselves."""
    there = gpus()
    if there < 2 or not peer_access():
        pytest.skip("needs two GPUs that reach each other's memory")
    g, (program, arguments, double) = graph(name, order), RUNS[run]
    assert (
        PartitionedGpuRun(program, g, {}, RUNS[run].values, "auto", 1, there, placement="peer").iterations_per_launch
        == part_launches.ITERATIONS_PER_LAUNCH
    )
    with lux.using(device="cpu"):
        expected = lux.run(program, g, **arguments)
    with lux.using(device="gpu", placement="peer"):
        found = lux.run(program, g, parts=there, **arguments)
    agree(expected, found, double=double)
    if run in EXACT:
        assert decisions(found) == decisions(expected)


def test_a_run_that_is_interrupted_leaves_nothing_behind():
    g = graph("kronecker:12", "degree")

    def stop(done):
        raise KeyboardInterrupt

    with lux.using(device="gpu"):
        expected = lux.pagerank(g, parts=2, tol=0, max_iter=40)
        with pytest.raises(KeyboardInterrupt):
            alone(Case(PageRank, RANKS | {"max_iter": 4000}), g, 2, "device", stop)
        again = lux.pagerank(g, parts=2, tol=0, max_iter=40)
    # Which warp adds which vertex's share to the totals varies, so the last bit does.
    np.testing.assert_allclose(again.ranks.dense(), expected.ranks.dense(), rtol=1e-13)


def test_a_constant_field_and_degrees():
    g = graph("kronecker:11", "given")
    heights = np.linspace(0, 1, g.n_vertices, dtype=np.float32)
    with lux.using(device="cpu"):
        expected = lux.run(programs.Small, g, max_iter=4, constants={"height": heights})
    for placement in ("peer", "device", "zero-copy"):
        with lux.using(device="gpu", placement=placement):
            agree(expected, lux.run(programs.Small, g, max_iter=4, parts=3, constants={"height": heights}))


@pytest.mark.parametrize("placement", ["peer", "zero-copy"])
@pytest.mark.parametrize("parts", [1, 2, 4])
def test_the_bytes_of_ins_are_what_is_gathered(placement, parts):
    g = graph("kronecker:12", "degree")
    with lux.using(device="gpu", placement=placement):
        if parts == 1 and placement == "peer":
            pytest.skip("one GPU gathers from itself")
        run = executor.execute(PageRank32, g, {"alpha": 0.85, "stop": 0.0}, parts=parts, max_iterations=5)
    assert run.loads.nbytes == 5 * 4 * int(g.layout(parts).members.sizes.sum())


@pytest.mark.parametrize("program, arguments", [(PageRank32, {"alpha": 0.85, "stop": 0.0}), (SmallestLabel, {})])
@pytest.mark.parametrize("placement", ["peer", "device", "zero-copy"])
def test_edges_in_zero_copy_memory(placement, program, arguments, monkeypatch):
    g = graph("kronecker:12", "degree")
    with lux.using(device="cpu"):
        expected = executor.execute(program, g, arguments, max_iterations=5)
    monkeypatch.setattr(PartitionedGpuRun, "partitions_without_room", lambda self: 2)
    run = PartitionedGpuRun(program, g, {}, arguments, "auto", 5, 4 * gpus(), placement=placement, overflow=True)
    found = run.execute(None)
    some, most = 2 * gpus(), 4 * gpus()
    assert found.statistics[0].why == f"edges of {some} of {most} partitions are in zero-copy memory"
    for name, store in expected.fields.items():
        np.testing.assert_allclose(to_array(found.fields[name]), to_array(store), rtol=1e-5)


def test_little_memory_on_the_gpu():
    device, why, close = with_little_memory("auto")
    assert device == "gpu"
    assert why.startswith("edges of ")
    assert close


def test_runs_of_many_iterations_keep_all_statistics():
    n = 1500
    g = lux.from_edges(np.arange(n), np.arange(1, n + 1), directed=True)
    with lux.using(device="gpu"):
        found = lux.bfs(g, 0, parts=max(gpus(), 2))
    np.testing.assert_array_equal(found.distances.to_numpy(), np.arange(n + 1))
    assert len(found.statistics) == found.iterations
    assert all((i.seconds > 0).all() for i in found.statistics)
