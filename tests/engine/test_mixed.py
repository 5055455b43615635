# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs on GPUs and CPU cores at once, as far as they can be seen without a GPU: shares, memory, launches, refusals."""

from types import SimpleNamespace

import numpy as np
import pytest

import lux
from lux.engine import mixed
from lux.engine.cpu.repartition import STOPPED_SETUP_SECONDS
from lux.engine.gpu import part_launches
from lux.engine.gpu.placement import device_selection
from lux.engine.mixed import MixedRun
from lux.engine.repartition import repartition_loop
from lux.errors import ConfigurationError, MemoryNeededError, ParameterError
from lux_cases.builtin import PageRank32, ShortestPathsFloat32, SmallestLabel
from lux_cases.launches import frontier
from lux_cases.machine import gpus, processors
from lux_cases.moves import running_work, shared_points

PROGRAMS = {
    PageRank32: {"alpha": 0.85, "stop": 0.0},
    SmallestLabel: {},
    ShortestPathsFloat32: {"source": 1, "cutoff": 1e9},
}


def graph(order="degree"):
    return lux.generate("kronecker:8", seed=3, weights=(1, 255)).reordered(order)


@pytest.fixture
def two_gpus(pretend_gpus):
    """As if Legate had two GPUs; returns what sets the memory that it was given."""
    pretend_gpus(2)
    return lambda fbmem, **more: pretend_gpus(2, fbmem=fbmem, **more)


def run(program=PageRank32, parts=4, share=0.25, g=None):
    return MixedRun(program, g or graph(), {}, PROGRAMS[program], "auto", 5, parts=parts, share=share)


@pytest.mark.check
def test_shares_of_the_work():
    work = running_work(np.arange(0, 1001, 10))
    points = shared_points(work, mixed.shares(2, 3, 0.3))
    assert points.tolist() == [0, 35, 70, 80, 90, 100]
    assert shared_points(work, mixed.shares(1, 2, 0.0)).tolist() == [0, 100, 100, 100]
    assert shared_points(work, mixed.shares(1, 2, 1.0)).tolist() == [0, 0, 50, 100]
    star = running_work(np.array([0, 9, 9, 9]))
    assert shared_points(star, mixed.shares(1, 3, 0.5)).tolist() == [0, 1, 1, 1, 3]


def test_a_large_graph_is_cut_by_share(two_gpus):
    found = run(parts=5, share=0.2, g=lux.generate("uniform:12", seed=1))
    assert (found.on_gpus, found.parts, found.points) == (2, 5, 2)
    assert found.share == pytest.approx(0.2, abs=0.01)
    again = run(parts=5, share=0.2, g=found.graph)
    assert again.layout is found.layout
    assert run(parts=5, share=0.3, g=found.graph).layout is not found.layout


def test_cores_take_what_gpus_have_no_room_for(two_gpus):
    with lux.using(device="cpu"):  # there are no GPUs that make graphs
        g = lux.generate("uniform:13", seed=1)
    given = (PageRank32, g, {}, PROGRAMS[PageRank32], "auto", 5)
    with lux.using(device="gpu+cpu"):
        assert MixedRun.shared_out(*given, parts=4).share == pytest.approx(mixed.fast_share(2, 2), abs=0.01)
        all_of_it, _ = run(parts=4, share=0.0, g=g).memory_bytes()
        two_gpus(all_of_it // 2)
        found = MixedRun.shared_out(*given, parts=4)
        assert found.memory_bytes()[0] <= mixed.FILLED * (all_of_it // 2)
        assert 0.3 < found.share < 0.8
        closer = run(parts=4, share=found.share - 2 / mixed.STEPS, g=g)
        assert closer.memory_bytes()[0] > mixed.FILLED * (all_of_it // 2)
    with (
        lux.using(device="gpu+cpu", cpu_share=0.1),
        pytest.raises(MemoryNeededError, match=r"on a GPU.*--fbmem .*--cpu-share"),
    ):
        MixedRun.shared_out(*given, parts=4)
    two_gpus(1 << 30, zcmem=1000)
    with lux.using(device="gpu+cpu"), pytest.raises(MemoryNeededError, match=r"zero-copy memory.*--zcmem"):
        MixedRun.shared_out(*given, parts=4)
    two_gpus(1 << 30, sysmem=1000)
    with lux.using(device="gpu+cpu"), pytest.raises(MemoryNeededError, match="--sysmem"):
        MixedRun.shared_out(*given, parts=4)


@pytest.mark.parametrize("parts", [2, 4])
@pytest.mark.parametrize("program", PROGRAMS)
def test_launches_take_the_state_alone(program, parts):
    found = run(program, parts)
    assert (found.on_gpus, found.points) == (1, 2)  # Legate would give a launch of one point whole stores
    work = part_launches.warp_work.on_cores(found.layout)
    _, splits = found.static()
    first, later = found.launchers(splits | {"work": "work_rows"})
    assert later.arrays == ["split rows", "old_state", "new_state"]
    assert later.zero_copy_mask == 0b110
    even, odd = (found.arrays(first, later, work, number) for number in (0, 1))
    for arrays in (even, odd):
        assert {n for n, k in arrays.items() if k >= 0} == {"old_state", "new_state"}
    if found.spec.frontier:
        assert (even["old_words"], even["new_words"]) == (odd["new_words"], odd["old_words"])
    for n in found.writer.swapped:
        assert (even[f"a_{n}"], even[f"b_{n}"]) == (odd[f"b_{n}"], odd[f"a_{n}"])
    assert found.bytes_before("new_state", work, [])[1] == 8 * frontier.STATE_COLUMNS
    assert found.bytes_before("old_state", work, []).tolist() == [0] * parts
    if found.spec.frontier:
        assert found.bytes_before("old_words", work, [])[1] == 8 * found.layout.word_at[1]
    scratch = found.scratch(max(work.n_items[:1]), int(found.layout.members.sizes[0]))
    rectangles = found.split_stores(scratch, work)
    used = {s for s in (*splits.values(), *first.split_of.values(), *later.split_of.values()) if s}
    assert used | {"work_rows"} <= rectangles.keys()
    kept = np.zeros((1, len(first.arrays)), np.int64)
    plan = found.gpu_plan(SimpleNamespace(handle=0), scratch, work, first, kept, [even, odd])
    assert plan.points == 1
    edges = np.asarray(rectangles["edges"].legate.get_physical_store()).view(np.int64).reshape(-1, 2)
    assert edges.tolist() == [[0, int(found.layout.edge_points[1]) - 1], [0, -1]]


def test_partitions_move_unless_their_share_was_set(two_gpus):
    found = run()
    assert (found.is_blocking, found.keeps_points, found.kinds.tolist()) == (True, False, [0, 0, 1, 1])
    with lux.using(cpu_share=0.25):
        assert found.keeps_points


@pytest.mark.parametrize("program", [PageRank32, SmallestLabel])
def test_what_gpus_keep_where_cores_alone_move(two_gpus, program):
    """Local ids, for which there need be no room twice, and which cost nothing; programs that push need more."""
    found, pushes = run(program), program is SmallestLabel
    local, before = found.layout.members.local_sources, found.layout.points
    beside, away = (found.moved(before + np.array(d)) for d in ([0, 0, 0, 5, 0], [0, 0, -5, 5, 0]))
    assert beside.layout.members.local_sources is local
    assert beside.layout.members.layout is beside.layout
    assert "members" not in vars(away.layout)
    cost, nodes = found.cost(), np.array([0])
    of_edges = cost.predict(before, away.layout.points, nodes) - STOPPED_SETUP_SECONDS
    least = 25e-9 if pushes else 8e-9
    assert of_edges >= least * np.diff(away.layout.edge_points).max() > 0
    assert (cost.predict(before, beside.layout.points, nodes) == STOPPED_SETUP_SECONDS) != pushes
    two_gpus(int(found.memory_bytes()[0] / repartition_loop.FILLED) + 2)
    assert repartition_loop.fits([found, beside], 0) != pushes
    assert not repartition_loop.fits([found, beside], 10)
    assert not repartition_loop.fits([found, away], 0)
    two_gpus(2 * found.memory_bytes()[0] + away.memory_bytes()[0])
    assert repartition_loop.fits([found, away], 0)


def test_what_is_refused(two_gpus, monkeypatch):
    g = lux.toy.kite()
    with lux.using(device="gpu+cpu"):
        assert device_selection.partitions(g, 3) == 3
        assert device_selection.partitions(g, None) == min(2 + processors(), 10)
        with pytest.raises(ConfigurationError, match=r"2 partitions, of which each of 2 GPUs .* parts=3 or more"):
            lux.pagerank(g, parts=2)
        with pytest.raises(ParameterError, match="parts=11"):
            lux.pagerank(g, parts=11)
        with pytest.raises(ParameterError, match=r"no strategy can run .* which only vertex programs take"):
            lux.factorize(lux.from_edges([0, 1], [2, 3], weight=[1.0, 2.0]), k=1)
        with pytest.raises(ParameterError, match=r"'hybrid' was passed, .* which only vertex programs take"):
            lux.bfs(g, 0, strategy="hybrid")
        for placement in ("peer", "device"):
            with lux.using(placement=placement), pytest.raises(ConfigurationError, match="do not reach the memory"):
                lux.components(g)
        two_gpus(1 << 30, ranks=2)
        with pytest.raises(ConfigurationError, match="several processes"):
            lux.components(g)


@pytest.mark.check
def test_without_gpus():
    if gpus():
        pytest.skip("there is a GPU")
    with lux.using(device="gpu+cpu"), pytest.raises(ConfigurationError, match="no GPU"):
        lux.pagerank(lux.toy.kite())


@pytest.mark.parametrize("share", [-0.1, 1.5, "half", True, float("nan")])
def test_shares_that_there_are_not(share):
    with pytest.raises(ParameterError, match="numbers from 0 to 1"), lux.using(cpu_share=share):
        pass
