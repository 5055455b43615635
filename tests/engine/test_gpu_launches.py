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
from lux.algorithms.bellman_ford import ShortestPathsFloat32
from lux.algorithms.components import SmallestLabel
from lux.algorithms.pagerank import PageRank32
from lux.engine.gpu.parts import PartRun
from lux.engine.gpu.rows import CLASSES, IS_SEGMENT, ITEMS_WANTED, LEAST, MOST, ROW_COST, SEGMENT, cut, cut_rows
from lux.engine.gpu.work import Given, Laid, Work
from lux.errors import MemoryNeededError
from lux.runtime import to_array

PLACEMENTS = ("peer", "device", "zero-copy")
PROGRAMS = {
    PageRank32: {"alpha": 0.85, "tol": 0.0},
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
    run = PartRun(program, graph(), {}, PROGRAMS[program], "auto", 5, parts, placement=placement)
    work = run.layout.gpu_work(run.spec.frontier or run.spec.uses("v", "out_degree"))
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
    run = PartRun(program, graph(), {}, PROGRAMS[program], "auto", 5, parts, placement="peer")
    run.turns = 4
    work = run.layout.gpu_work(run.spec.frontier or run.spec.uses("v", "out_degree"))
    _, splits = run.static()
    first, later = run._launchers(splits | {"work": "work_rows", "met": None})
    scratch = run.scratch(max(work.n_items), int(run.layout.members.sizes.max()))
    even, odd = (run._arrays(first, later, work, number) for number in (0, 1))
    assert even["met"] == odd["met"] == ~first.arrays.index("met")
    assert all(k < 0 for k in [*even.values(), *odd.values()])  # all addresses are the first launch's
    for n in run._told:
        assert (even[f"old_{n}"], even[f"new_{n}"]) == (odd[f"new_{n}"], odd[f"old_{n}"])
    for n in run.writer.swapped:
        assert (even[f"a_{n}"], even[f"b_{n}"]) == (odd[f"b_{n}"], odd[f"a_{n}"])
    kept = np.zeros((parts, len(first.arrays)), np.int64)
    kernel = SimpleNamespace(handle=0)
    plan = run._plan(kernel, scratch, work, first, kept, [even, odd])
    members = list(run.writer.members)
    stores = np.ctypeslib.as_array((ctypes.c_int64 * (4 * plan._plan.n_stores)).from_address(plan._plan.stores))
    by_launch = stores.reshape(2, -1, 2)
    assert (by_launch[0] == by_launch[1]).all()  # a launch has an even number of iterations
    given = dict(by_launch[0].tolist())
    for half, arrays in ((0, odd), (1, even)):
        assert {n: given[half * len(members) + members.index(n)] for n in arrays} == arrays


def test_edges_overflow_where_a_gpu_has_no_room(monkeypatch):
    given = (PageRank32, graph(), {}, PROGRAMS[PageRank32], "auto", 5)
    monkeypatch.setattr(runtime, "gpus", lambda: 2)
    monkeypatch.setattr(runtime, "block_memory", lambda: 227 << 10)
    edges, others, once, shared = PartRun(*given, 6, placement="device")._needed
    room = 3 * others + once + 2 * edges

    def memory(fbmem, zcmem):
        found = SimpleNamespace(fbmem_bytes=fbmem, zcmem_bytes=zcmem, sysmem_bytes=1 << 31)
        monkeypatch.setattr(legate_config, "settings", lambda: found)

    memory(room, shared + 2 * edges)
    run = PartRun(*given, 6, placement="device", overflow=True)
    assert run.overflowing.tolist() == [False, False, True] * 2
    assert run.needed() == (room, shared + 2 * edges)
    launcher = run._launchers(run.static()[1] | {"work": "work_rows"})[0]
    assert launcher._overflowing == 0b100100
    assert launcher._overflow == 1 << launcher.arrays.index("sources")
    with lux.using(device="gpu", placement="device"):
        assert PartRun.placed(*given, parts=6, asked=True).overflowing.sum() == 2
        memory(room, shared + edges)
        with pytest.raises(MemoryNeededError, match="needs"):
            PartRun.placed(*given, parts=6, asked=True)
    memory(room + edges, shared)
    assert not PartRun(*given, 6, placement="device", overflow=True).overflowing.any()


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


@pytest.mark.parametrize("kind", ["few", "many", "hubs", "by degree"])
@pytest.mark.parametrize("n", [0, 1, 7, 3000, 60_000])
def test_rows_by_class(n, kind):
    rng = np.random.default_rng(n)
    degrees = {
        "few": lambda: rng.poisson(5, n),
        "many": lambda: rng.integers(0, 5000, n),
        "hubs": lambda: np.clip(rng.zipf(1.3, n) - 1, 0, 40_000),
        "by degree": lambda: np.sort(rng.integers(0, 9000, n) ** 2 // 9000)[::-1],
    }[kind]()
    order, items = cut_rows(np.cumsum([11, *degrees]))
    sorted_ = np.argsort(class_of(degrees), kind="stable")
    assert (order is None) == (sorted_ == np.arange(n)).all()
    if order is not None:
        np.testing.assert_array_equal(order, sorted_)
    np.testing.assert_array_equal(items, plainly_cut(degrees[sorted_]))


@pytest.mark.parametrize("parts", [1, 3])
def test_work_of_partitions(parts):
    g = graph("given")
    layout = g.layout(parts)
    work = Work(Laid(Given.of(layout, out_degrees=True)))
    held, offsets, degrees = to_array(work.store), to_array(g.offsets), to_array(g.out_degree_store)
    rows = np.asarray(work.rows.legate.get_physical_store()).view(np.int64).reshape(parts, -1)
    for part in range(parts):
        lo, hi = layout.points[part : part + 2].tolist()
        mine = held[rows[part, 0] :].view(np.uint8)

        def array(name, dtype, first, count, mine=mine, part=part):
            at = int(work.at[name][part]) + first * np.dtype(dtype).itemsize
            return mine[at : at + count * np.dtype(dtype).itemsize].view(dtype)

        np.testing.assert_array_equal(array("points", np.int64, 0, parts + 1), layout.points)
        np.testing.assert_array_equal(array("in_offsets", np.int64, lo, hi - lo + 1), offsets[lo : hi + 1])
        np.testing.assert_array_equal(array("out_degree", degrees.dtype, lo, hi - lo), degrees[lo:hi])
        order = array("rows", np.uint32, 0, hi - lo)
        assert sorted(order.tolist()) == list(range(lo, hi))
        classes = class_of(np.diff(offsets)[order]).astype(int)
        assert (np.diff(classes) >= 0).all()
        assert (np.diff(order.astype(int))[np.diff(classes) == 0] > 0).all()  # what lies side by side stays there
        items = array("items", np.uint32, 0, 2 * work.n_items[part]).reshape(-1, 2)
        np.testing.assert_array_equal(items, plainly_cut(np.diff(offsets)[order]))


def test_items_cover_all_rows_once():
    degrees = np.sort(np.random.default_rng(1).zipf(1.5, 5000) % 20000)[::-1].astype(np.int64)
    items = cut(degrees).astype(np.int64)
    hubs = items[items[:, 1] >= IS_SEGMENT]
    assert np.bincount(hubs[:, 0]).sum() == -(-degrees[degrees >= 4096] // 4096).sum()
    rest = items[items[:, 1] < IS_SEGMENT]
    np.testing.assert_array_equal(rest[1:, 0], rest[:-1, 1])
    assert rest[-1, 1] == len(degrees)
    for first, end in rest.tolist():
        assert len(set(class_of(degrees[first:end]).tolist())) == 1


def test_memory_that_placements_take():
    needed = {}
    for placement in PLACEMENTS:
        run = PartRun(PageRank32, graph(), {}, PROGRAMS[PageRank32], "auto", 5, 2, placement=placement)
        needed[placement] = run.needed()
    shared = {placement: zero_copy for placement, (_, zero_copy) in needed.items()}
    assert shared["peer"] == shared["device"] < shared["zero-copy"]
