# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What a run on several GPUs launches, as far as it can be seen without one."""

import ctypes
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import legate_config
import lux
from lux import runtime
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.errors import ConfigurationError, MemoryNeededError
from lux.graph.indexes.degree_bins import CLASSES, IS_SEGMENT, ITEMS_WANTED, LEAST, MOST, ROW_COST, SEGMENT, DegreeBins
from lux.graph.indexes.warp_work import HostWarpWork, WarpWork
from lux.runtime import to_array
from lux_cases.builtin import PageRank32, ShortestPathsFloat32, SmallestLabel

PLACEMENTS = ("peer", "device", "zero-copy")
PROGRAMS = {
    PageRank32: {"alpha": 0.85, "stop": 0.0},
    SmallestLabel: {},
    ShortestPathsFloat32: {"source": 1, "cutoff": 1e9},
}
UNUSED = {
    "met",
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
    first, later = run._launchers(splits | {"work": "work_rows"})
    scratch = run.scratch(max(work.n_items), int(run.layout.members.sizes.max()) if run.lists else 0)
    addresses = {n for n, kind in run.writer.members.items() if kind.endswith("*")}
    for number in (0, 1):
        arrays = run._arrays(first, later, work, number)
        assert set(arrays) <= addresses
        given = {*arrays, *scratch.at, "outcome", "statistics", "front"} | {
            n for n in addresses if n.startswith("peer_")
        }
        pending = {n for n in addresses if n.startswith("pend")} if not run.pushes else set()
        words = set() if run.spec.frontier else {"old_words", "new_words", "bits"}
        assert addresses - given <= UNUSED | pending | words
        # The two copies swap their roles.
        swapped = run._arrays(first, later, work, 1 - number)
        for n in set(run.writer.swapped) - set(run.writer.crossing if placement == "device" else []):
            assert (arrays[f"a_{n}"], arrays[f"b_{n}"]) == (swapped[f"b_{n}"], swapped[f"a_{n}"])
    # Only what Legion moves, or orders launches by, is in each of them.
    moved = {n for n in later.split_of if n[:2] in ("a_", "b_")}
    assert bool(moved) == (placement == "device")


@pytest.mark.parametrize("parts", [1, 2, 3])
@pytest.mark.parametrize("program", PROGRAMS)
def test_several_iterations_in_a_launch(program, parts):
    run = PartitionedGpuRun(program, graph(), {}, PROGRAMS[program], "auto", 5, parts, placement="peer")
    run.turns = 4
    work = run.layout.gpu_work
    _, splits = run.static()
    first, later = run._launchers(splits | {"work": "work_rows", "met": None})
    scratch = run.scratch(max(work.n_items), int(run.layout.members.sizes.max()))
    even, odd = (run._arrays(first, later, work, number) for number in (0, 1))
    assert even["met"] == odd["met"] == ~first.arrays.index("met")
    assert all(k < 0 for k in [*even.values(), *odd.values()])  # all addresses are the first launch's
    for n in run._control_stores:
        assert (even[f"old_{n}"], even[f"new_{n}"]) == (odd[f"new_{n}"], odd[f"old_{n}"])
    for n in run.writer.swapped:
        assert (even[f"a_{n}"], even[f"b_{n}"]) == (odd[f"b_{n}"], odd[f"a_{n}"])
    kept = np.zeros((parts, len(first.arrays)), np.int64)
    kernel = SimpleNamespace(handle=0)
    plan = run._plan(kernel, scratch, work, first, kept, [even, odd])
    members = list(run.writer.members)
    stores = np.ctypeslib.as_array((ctypes.c_int64 * (4 * plan.struct.n_stores)).from_address(plan.struct.stores))
    by_launch = stores.reshape(2, -1, 2)
    assert (by_launch[0] == by_launch[1]).all()  # a launch has an even number of iterations
    given = dict(by_launch[0].tolist())
    for half, arrays in ((0, odd), (1, even)):
        assert {n: given[half * len(members) + members.index(n)] for n in arrays} == arrays


def test_edges_overflow_where_a_gpu_has_no_room(monkeypatch):
    given = (PageRank32, graph(), {}, PROGRAMS[PageRank32], "auto", 5)
    monkeypatch.setattr(runtime, "gpus", lambda: 2)
    monkeypatch.setattr(runtime, "block_memory", lambda: 227 << 10)
    edges, others, once, shared = PartitionedGpuRun(*given, 6, placement="device")._partition_bytes
    room = 3 * others + once + 2 * edges

    def memory(fbmem, zcmem):
        found = SimpleNamespace(fbmem_bytes=fbmem, zcmem_bytes=zcmem, sysmem_bytes=1 << 31)
        monkeypatch.setattr(legate_config, "settings", lambda: found)

    memory(room, shared + 2 * edges)
    run = PartitionedGpuRun(*given, 6, placement="device", overflow=True)
    assert run.overflowing.tolist() == [False, False, True] * 2
    assert run.memory_bytes() == (room, shared + 2 * edges)
    launcher = run._launchers(run.static()[1] | {"work": "work_rows"})[0]
    assert launcher._overflowing == 0b100100
    assert launcher._overflow == 1 << launcher.arrays.index("sources")
    with lux.using(device="gpu", placement="device"):
        assert PartitionedGpuRun.placed(*given, parts=6, asked=True).overflowing.sum() == 2
        memory(room, shared + edges)
        with pytest.raises(MemoryNeededError, match="needs"):
            PartitionedGpuRun.placed(*given, parts=6, asked=True)
    memory(room + edges, shared)
    assert not PartitionedGpuRun(*given, 6, placement="device", overflow=True).overflowing.any()


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("parts", [1, 2, 7])
def test_the_members_of_ins(order, parts):
    g = graph(order)
    layout = g.layout(parts)
    members, sources = layout.members, to_array(g.sources)
    places, local = to_array(members.places), to_array(members.local_sources)
    begin = 0
    for part, size in enumerate(members.sizes.tolist()):
        edges = slice(*layout.edge_points[part : part + 2].tolist())
        mine, begin = places[begin : begin + size], begin + size
        np.testing.assert_array_equal(mine, np.unique(sources[edges]))
        np.testing.assert_array_equal(mine[local[edges]], sources[edges])
        wanted = np.array([0, 5, g.n_vertices])
        np.testing.assert_array_equal(members.first_of(wanted)[part], np.searchsorted(mine, wanted))


def class_of(degrees):
    """Which of `CLASSES` each row is of."""
    return np.searchsorted(-np.array(CLASSES), -degrees, side="right")


def plainly_cut(degrees):
    """Items of rows that are in the order of their classes, by whole arrays."""
    budget = min(max(int(degrees.sum()) // ITEMS_WANTED, LEAST), MOST)
    ends = np.searchsorted(class_of(degrees), np.arange(len(CLASSES)), side="right").tolist()
    segments = -(-degrees[: ends[0]] // SEGMENT)
    found = [(row, IS_SEGMENT + k) for row, count in enumerate(segments.tolist()) for k in range(count)]
    for begin, end in itertools.pairwise(ends):
        if end > begin:
            cost = np.cumsum(degrees[begin:end] + ROW_COST)
            count = -(-int(cost[-1]) // budget)
            inner = np.searchsorted(cost, np.arange(1, count) * (cost[-1] / count)) + begin
            found += itertools.pairwise(np.unique(np.concatenate([[begin], inner, [end]])).tolist())
    return np.array(found, np.int64).reshape(-1, 2)


@pytest.mark.parametrize("kind", ["few", "many", "hubs", "by degree", "hubs last"])
@pytest.mark.parametrize("n", [0, 1, 7, 3000, 70_000])
@pytest.mark.parametrize("each", [0, 1])
def test_work_of_any_partition_is_cut_from_rows_by_class(n, kind, each, monkeypatch):
    monkeypatch.setattr("lux.graph.indexes.degree_bins.ROWS_OF_A_THREAD", 1000)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    rng = np.random.default_rng(n)
    hubs = np.clip(rng.zipf(1.3, n) - 1, 0, 40_000)
    degrees = {
        "few": lambda: rng.poisson(5, n),
        "many": lambda: rng.integers(0, 5000, n),
        "hubs": lambda: hubs,
        "by degree": lambda: np.sort(hubs)[::-1],
        "hubs last": lambda: np.sort(hubs),
    }[kind]()
    rows = DegreeBins(np.cumsum([11, *(degrees + each)]), each)
    classes = class_of(degrees)
    order = np.argsort(classes, kind="stable")
    assert (rows.order is None) == (order == np.arange(n)).all()
    assert rows.order is None or rows.order.tolist() == order.tolist()
    assert rows.costs.tolist() == [0, *np.cumsum(degrees[order] + ROW_COST).tolist()]
    cuts = np.sort(rng.integers(0, n + 1, 6)).tolist()
    for lo, hi in [(0, n), (0, 0), (n, n), (max(n - 1, 0), n), *itertools.pairwise(cuts)]:
        positions = np.argsort(classes[lo:hi], kind="stable")
        expected = plainly_cut(degrees[lo:hi][positions])
        items = rows.items(lo, hi)
        assert items.dtype == np.uint32
        assert items.shape == expected.shape
        spans = rows.spans(lo, hi)
        assert np.diff(spans).ravel().tolist() == np.bincount(classes[lo:hi], minlength=len(CLASSES)).tolist()
        # Where a row lies in the order of all, and in the order of the partition's.
        of_all = np.concatenate([np.arange(*span) for span in spans.tolist()])
        if rows.order is None:
            of_all = np.arange(hi - lo)
        else:
            assert rows.order[of_all].tolist() == (lo + positions).tolist()
        is_hub = expected[:, 1] >= IS_SEGMENT
        assert items[:, 0].tolist() == of_all[expected[:, 0]].tolist()
        assert items[is_hub, 1].tolist() == expected[is_hub, 1].tolist()
        assert items[~is_hub, 1].tolist() == (of_all[expected[~is_hub, 1].astype(int) - 1] + 1).tolist()


def test_more_rows_than_items_can_number():
    many = np.broadcast_to(np.int64(0), (IS_SEGMENT + 1,))
    with pytest.raises(ConfigurationError, match=r"fewer than 2,147,483,648 vertices.*use device='cpu'"):
        DegreeBins(many)


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("parts", [1, 3])
def test_work_of_partitions(parts, order):
    layout = graph(order).layout(parts)
    work = WarpWork(HostWarpWork(layout.points, layout.word_at, layout.row_classes))
    held = to_array(work.store)
    spans = np.asarray(work.rows.legate.get_physical_store()).view(np.int64).reshape(parts, -1)
    assert (
        layout.row_classes.order is None
        or to_array(layout.row_classes.store).tolist() == layout.row_classes.order.tolist()
    )
    for part in range(parts):
        lo, hi = layout.points[part : part + 2].tolist()
        mine = held[spans[part, 0] : spans[part, 1] + 1].view(np.uint8)
        assert len(mine) == work.at["items"][part] + 8 * work.n_items[part]
        found = mine[work.at["points"][part] :][: 8 * (parts + 1)].view(np.int64)
        np.testing.assert_array_equal(found, layout.points)
        found = mine[work.at["word_at"][part] :][: 8 * (parts + 1)].view(np.int64)
        np.testing.assert_array_equal(found, layout.word_at)
        items = mine[work.at["items"][part] :].view(np.uint32).reshape(-1, 2)
        np.testing.assert_array_equal(items, layout.row_classes.items(lo, hi))


@pytest.mark.parametrize("program", PROGRAMS)
def test_kernels_count_offsets_and_degrees_by_place(program):
    run = PartitionedGpuRun(program, graph("given"), {}, PROGRAMS[program], "auto", 5, 3, placement="peer")
    static, splits = run.static()
    assert splits["in_offsets"] == "offsets"
    assert splits["row_order"] is None
    assert splits.get("out_degree", "vertices") == ("vertices" if run.own_degrees else None)
    first, _ = run._launchers(splits | {"work": "work_rows"})
    arrays = run._first_arrays(first, run.layout.gpu_work)
    assert first.arrays[arrays["rows"]] == "row_order"
    points = run.layout.points[:-1]
    assert run._before("in_offsets", run.layout.gpu_work, []).tolist() == (8 * points).tolist()
    size = static["out_degree"].dtype.itemsize if run.own_degrees else 0
    assert run._before("out_degree", run.layout.gpu_work, []).tolist() == (size * points).tolist()


@pytest.mark.check
def test_items_cover_all_rows_once():
    degrees = np.sort(np.random.default_rng(1).zipf(1.5, 5000) % 20000)[::-1].astype(np.int64)
    items = DegreeBins(np.cumsum([0, *degrees])).items(0, len(degrees)).astype(np.int64)
    hubs = items[items[:, 1] >= IS_SEGMENT]
    assert np.bincount(hubs[:, 0]).sum() == -(-degrees[degrees >= 4096] // 4096).sum()
    rest = items[items[:, 1] < IS_SEGMENT]
    np.testing.assert_array_equal(rest[1:, 0], rest[:-1, 1])
    assert rest[-1, 1] == len(degrees)
    for first, end in rest.tolist():
        assert len(set(class_of(degrees[first:end]).tolist())) == 1


@pytest.mark.check
def test_memory_that_placements_take():
    needed = {}
    for placement in PLACEMENTS:
        run = PartitionedGpuRun(PageRank32, graph(), {}, PROGRAMS[PageRank32], "auto", 5, 2, placement=placement)
        needed[placement] = run.memory_bytes()
    shared = {placement: zero_copy for placement, (_, zero_copy) in needed.items()}
    assert shared["peer"] == shared["device"] < shared["zero-copy"]
