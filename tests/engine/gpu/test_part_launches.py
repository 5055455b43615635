# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of a run on several GPUs, and edges that overflow; `tests/cuda` runs its launches."""

import pytest

import lux
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.errors import MemoryNeededError
from lux_cases.builtin import PageRank32

PLACEMENTS = ("peer", "device", "zero-copy")
PARAMETERS = {"alpha": 0.85, "stop": 0.0}


def graph():
    return lux.generate("kronecker:8", seed=3, weights=(1, 255)).reordered("degree")


def test_edges_overflow_where_a_gpu_has_no_room(pretend_gpus):
    given = (PageRank32, graph(), {}, PARAMETERS, "auto", 5)
    pretend_gpus(2)
    edges, others, once, shared = PartitionedGpuRun(*given, 6, placement="device").partition_bytes
    room = 3 * others + once + 2 * edges

    def memory(fbmem, zcmem):
        pretend_gpus(2, fbmem=fbmem, zcmem=zcmem)

    memory(room, shared + 2 * edges)
    run = PartitionedGpuRun(*given, 6, placement="device", overflow=True)
    assert run.overflowing.tolist() == [False, False, True] * 2
    assert run.memory_bytes() == (room, shared + 2 * edges)
    launcher = run.launchers(run.static()[1] | {"work": "work_rows"})[0]
    assert launcher.overflowing_points == 0b100100
    assert launcher.overflow_mask == 1 << launcher.arrays.index("sources")
    with lux.using(device="gpu", placement="device"):
        assert PartitionedGpuRun.placed(*given, parts=6, asked=True).overflowing.sum() == 2
        memory(room, shared + edges)
        with pytest.raises(MemoryNeededError, match="needs"):
            PartitionedGpuRun.placed(*given, parts=6, asked=True)
    memory(room + edges, shared)
    assert not PartitionedGpuRun(*given, 6, placement="device", overflow=True).overflowing.any()


@pytest.mark.check
def test_memory_that_placements_take():
    needed = {}
    for placement in PLACEMENTS:
        run = PartitionedGpuRun(PageRank32, graph(), {}, PARAMETERS, "auto", 5, 2, placement=placement)
        needed[placement] = run.memory_bytes()
    shared = {placement: zero_copy for placement, (_, zero_copy) in needed.items()}
    assert shared["peer"] == shared["device"] < shared["zero-copy"]
