# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A run is refused where other graphs and results hold the GPU's memory, and takes it once they are dropped."""

import gc
from dataclasses import replace

import numpy as np
import pytest

import legate_config
import lux
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.engine.gpu.placement import allocation_ledger
from lux.engine.gpu.single import GpuRun
from lux.errors import MemoryNeededError
from lux_cases.builtin import PageRank32
from lux_cases.machine import on_cores, placed
from lux_cases.sizes import fill_beside_others

VALUES = {"alpha": 0.85, "stop": 0.0}


def pagerank(graph, **options):
    return lux.pagerank(graph, tol=0, max_iter=3, weight=None, dtype=np.float32, **options)


@pytest.fixture
def room(monkeypatch):
    """What Legate was given, of a machine that runs, where stores leave no gaps."""
    fill_beside_others(monkeypatch, 1.0)
    monkeypatch.setattr(legate_config, "settings", legate_config.settings)  # what undo leaves: not a machine's, later

    def make(fbmem, zcmem=2**28):
        given = replace(legate_config.settings(), fbmem_bytes=fbmem, zcmem_bytes=zcmem)
        monkeypatch.setattr(legate_config, "settings", lambda: given)

    yield make
    monkeypatch.undo()


def needed(graph):
    return GpuRun(PageRank32, graph, {}, VALUES, "auto", 3).memory_bytes()


def test_a_second_graph(machine, room):
    gc.collect()
    first, second = lux.generate("uniform:10,8", seed=1), lux.generate("uniform:9,8", seed=2)
    nothing = allocation_ledger.other_allocations(second).on_gpu
    with machine(1) as m, lux.using(device="gpu"):
        found = pagerank(first, parts=1)
        m.flush()
        m.forget_stores()  # the machine keeps scratch memory that Lux has dropped
        there = allocation_ledger.other_allocations(second).on_gpu - nothing
        assert first.n_edges * 4 <= there <= needed(first)  # and a run leaves no more than it said
        assert (
            allocation_ledger.other_allocations(first).on_gpu - nothing < there - first.n_edges * 4
        )  # only what is not the graph
        assert "a graph of 1,024 vertices" in allocation_ledger.describe_holders(second)
        room(needed(second) + nothing + there // 2)
        with lux.using(device="auto"), on_cores("512 vertices and .* fit neither"):
            assert pagerank(second).device == "cpu"
        with pytest.raises(MemoryNeededError) as refused:
            pagerank(second, parts=1)
        assert "a graph of 1,024 vertices and" in str(refused.value)
        assert "results and other values" in str(refused.value)
        assert "drop what is needed no more (del), start with --fbmem" in str(refused.value)
        m.flush()
        del found, first
        m.forget_stores()
        assert pagerank(second, parts=1).device == "gpu"


def test_partitions(machine, room):
    gc.collect()
    first, second = lux.generate("uniform:10,8", seed=1), lux.generate("uniform:9,8", seed=2)
    given = (PageRank32, second, {}, VALUES, "auto", 3, 2)
    with machine(2), lux.using(device="gpu", placement="zero-copy"):
        before = allocation_ledger.other_allocations(second, 2)
        kept = pagerank(first, parts=2)
        after = allocation_ledger.other_allocations(second, 2)
        assert after.on_gpu - before.on_gpu >= 2 * first.n_edges  # half of the edges on each
        assert after.zero_copy - before.zero_copy >= 4 * first.n_vertices
        run = PartitionedGpuRun(*given, placement="zero-copy")
        on_gpu, shared = run.memory_bytes()
        room(2**30, shared + before.zero_copy)
        with pytest.raises(MemoryNeededError, match=r"MiB of zero-copy memory.*hold some of it.*start with --zcmem"):
            run.check_memory()
        room(on_gpu + after.on_gpu, shared + after.zero_copy)
        run.check_memory()
        room(on_gpu + after.on_gpu - 1, shared + after.zero_copy)
        with pytest.raises(MemoryNeededError, match=r"MiB on a GPU.*hold some of it.*start with --fbmem"):
            run.check_memory()
        room(2**30)
        overflowing = PartitionedGpuRun(*given[:-1], 8, placement="device", overflow=True)
        room(overflowing.memory_bytes()[0] + after.on_gpu - 1)  # so edges make room for what is held
        assert PartitionedGpuRun(*given[:-1], 8, placement="device", overflow=True).overflowing.sum() == 2
    assert kept.device == "gpu"


def test_room_for_gaps(machine, room, monkeypatch):
    """Beside another graph a part of the memory stays free, also by the check that raises."""
    gc.collect()
    graph, other = (lux.generate("uniform:9,8", seed=seed) for seed in (2, 3))
    wanted = needed(graph)
    fill_beside_others(monkeypatch, 0.5)
    with machine(1), lux.using(device="gpu"):
        found = pagerank(other, parts=1)
        there = allocation_ledger.other_allocations(graph).on_gpu
        room(2 * (wanted + there) - 2)
        assert not allocation_ledger.fits(graph, wanted)
        with pytest.raises(MemoryNeededError, match="hold some of it"):
            allocation_ledger.check(graph, wanted, "a run")
        room(2 * (wanted + there))
        assert allocation_ledger.fits(graph, wanted)
        assert found.device == "gpu"


def test_what_nobody_reaches_is_given_back(machine, room):
    gc.collect()
    graph = lux.generate("uniform:9,8", seed=2)
    with machine(1) as m, lux.using(device="gpu"):
        cycle = [pagerank(graph)]
        cycle.append(cycle)
        m.forget_stores()
        there = allocation_ledger.other_allocations(graph).on_gpu
        del cycle
        room(needed(graph) + there - 1)
        gc.disable()
        try:
            assert placed()[0].sum() > there
            assert allocation_ledger.fits(graph, needed(graph))
        finally:
            gc.enable()


@pytest.mark.parametrize("strategy", ["hybrid", pytest.param("degree-separated", marks=pytest.mark.slow)])
def test_what_searches_keep(machine, room, strategy):
    """It is in the way of the graph's other runs and of other graphs, whom messages tell; searches go on."""
    gc.collect()
    graph, other = (lux.generate(f"kronecker:{n},4", seed=n).reordered("degree") for n in (8, 7))
    with machine(1), lux.using(device="gpu"):
        nothing = allocation_ledger.other_allocations(graph).on_gpu
        lux.bfs(graph, 0, strategy=strategy, parts=1)
        apart = graph.layout(1).exclusive
        results = 8 * graph.n_vertices
        kept = (
            allocation_ledger.other_allocations(graph).on_gpu
            - allocation_ledger.other_allocations(graph, mine=[*apart]).on_gpu
        )
        assert 8 * graph.n_vertices + 4 * graph.n_edges < kept
        said = [size for name, size in graph.layout(1).kept.items() if name.startswith("bytes of ")]
        assert nothing + kept <= max(said + [x.edges.nbytes for x in apart.values() if strategy == "hybrid"])
        lux.bfs(other, 0, strategy=strategy, parts=1)  # has room
        there = nothing + kept + results
        room(needed(graph) + there - 1)
        with pytest.raises(
            MemoryNeededError, match=f"searches by strategy='{strategy}'.* of the graph .*start with --fbmem"
        ):
            pagerank(graph, parts=1)
        about = allocation_ledger.other_allocations(graph, mine=[*apart]).on_gpu
        room(about + 2 * kept)
        assert lux.bfs(graph, 0, strategy=strategy, parts=1).device == "gpu"
        room(about + kept // 2)
        with pytest.raises(MemoryNeededError, match="a graph of 128 vertices"):
            lux.bfs(graph, 0, strategy=strategy, parts=1)
        with lux.using(device="auto"), on_cores("no room for that"):
            assert lux.bfs(graph, 0, strategy=strategy, parts=1).device == "cpu"
