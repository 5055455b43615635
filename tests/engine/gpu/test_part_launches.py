# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What a run on several GPUs launches, as far as it can be seen without one."""

from types import SimpleNamespace

import numpy as np
import pytest

import lux
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.errors import MemoryNeededError
from lux_cases.builtin import PageRank32, ShortestPathsFloat32, SmallestLabel
from lux_cases.plans import table

PLACEMENTS = ("peer", "device", "zero-copy")
PROGRAMS = {
    PageRank32: {"alpha": 0.85, "stop": 0.0},
    SmallestLabel: {},
    ShortestPathsFloat32: {"source": 1, "cutoff": 1e9},
}
UNUSED = {
    "arrivals",
    "out_offsets",
    "destinations",
    "small",
    "chunks",
    "touched",
    "marks",
    "locks",
    "order",
    "members",
    "all_front",
}


def graph(order="degree"):
    return lux.generate("kronecker:8", seed=3, weights=(1, 255)).reordered(order)


@pytest.mark.parametrize("parts", [1, 2, 3])
@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_address_that_a_kernel_uses_is_given(program, placement, parts):
    run = PartitionedGpuRun(program, graph(), {}, PROGRAMS[program], "auto", 5, parts, placement=placement)
    work = run.layout.gpu_work
    static, splits = run.static()
    assert set(static) == set(splits)
    first, later = run.launchers(splits | {"work": "work_rows"})
    scratch = run.scratch(max(work.n_items), int(run.layout.members.sizes.max()) if run.lists else 0)
    addresses = {n for n, kind in run.writer.members.items() if kind.endswith("*")}
    for number in (0, 1):
        arrays = run.arrays(first, later, work, number)
        assert set(arrays) <= addresses
        given = {*arrays, *scratch.at, "outcome", "statistics", "front"} | {
            n for n in addresses if n.startswith("peer_")
        }
        pending = {n for n in addresses if n.startswith("pend")} if not run.pushes else set()
        words = set() if run.spec.frontier else {"old_words", "new_words", "bits"}
        assert addresses - given <= UNUSED | pending | words
        # The two copies swap their roles.
        swapped = run.arrays(first, later, work, 1 - number)
        for n in set(run.writer.swapped) - set(run.writer.crossing if placement == "device" else []):
            assert (arrays[f"a_{n}"], arrays[f"b_{n}"]) == (swapped[f"b_{n}"], swapped[f"a_{n}"])
    # Only what Legion moves, or orders launches by, is in each of them.
    moved = {n for n in later.split_of if n[:2] in ("a_", "b_")}
    assert bool(moved) == (placement == "device")


@pytest.mark.parametrize("parts", [1, 2, 3])
@pytest.mark.parametrize("program", PROGRAMS)
def test_several_iterations_in_a_launch(program, parts):
    run = PartitionedGpuRun(program, graph(), {}, PROGRAMS[program], "auto", 5, parts, placement="peer")
    run.iterations_per_launch = 4
    work = run.layout.gpu_work
    _, splits = run.static()
    first, later = run.launchers(splits | {"work": "work_rows", "arrivals": None})
    scratch = run.scratch(max(work.n_items), int(run.layout.members.sizes.max()))
    even, odd = (run.arrays(first, later, work, number) for number in (0, 1))
    assert even["arrivals"] == odd["arrivals"] == ~first.arrays.index("arrivals")
    assert all(k < 0 for k in [*even.values(), *odd.values()])  # all addresses are the first launch's
    for n in run.control_stores:
        assert (even[f"old_{n}"], even[f"new_{n}"]) == (odd[f"new_{n}"], odd[f"old_{n}"])
    for n in run.writer.swapped:
        assert (even[f"a_{n}"], even[f"b_{n}"]) == (odd[f"b_{n}"], odd[f"a_{n}"])
    kept = np.zeros((parts, len(first.arrays)), np.int64)
    kernel = SimpleNamespace(handle=0)
    plan = run.gpu_plan(kernel, scratch, work, first, kept, [even, odd])
    members = list(run.writer.members)
    by_launch = table(plan, "stores", 2, plan.struct.n_stores, 2)
    assert (by_launch[0] == by_launch[1]).all()  # a launch has an even number of iterations
    given = dict(by_launch[0].tolist())
    for half, arrays in ((0, odd), (1, even)):
        assert {n: given[half * len(members) + members.index(n)] for n in arrays} == arrays


def test_edges_overflow_where_a_gpu_has_no_room(pretend_gpus):
    given = (PageRank32, graph(), {}, PROGRAMS[PageRank32], "auto", 5)
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


@pytest.mark.parametrize("program", PROGRAMS)
def test_kernels_count_offsets_and_degrees_by_place(program):
    run = PartitionedGpuRun(program, graph("given"), {}, PROGRAMS[program], "auto", 5, 3, placement="peer")
    static, splits = run.static()
    assert splits["in_offsets"] == "offsets"
    assert splits["row_order"] is None
    assert splits.get("out_degree", "vertices") == ("vertices" if run.own_degrees else None)
    first, _ = run.launchers(splits | {"work": "work_rows"})
    arrays = run.first_arrays(first, run.layout.gpu_work)
    assert first.arrays[arrays["rows"]] == "row_order"
    points = run.layout.points[:-1]
    assert run.bytes_before("in_offsets", run.layout.gpu_work, []).tolist() == (8 * points).tolist()
    size = static["out_degree"].dtype.itemsize if run.own_degrees else 0
    assert run.bytes_before("out_degree", run.layout.gpu_work, []).tolist() == (size * points).tolist()


@pytest.mark.check
def test_memory_that_placements_take():
    needed = {}
    for placement in PLACEMENTS:
        run = PartitionedGpuRun(PageRank32, graph(), {}, PROGRAMS[PageRank32], "auto", 5, 2, placement=placement)
        needed[placement] = run.memory_bytes()
    shared = {placement: zero_copy for placement, (_, zero_copy) in needed.items()}
    assert shared["peer"] == shared["device"] < shared["zero-copy"]
