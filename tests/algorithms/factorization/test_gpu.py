# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What factorizations launch on GPUs, need of their memory and refuse, as far as no GPU is needed."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.algorithms.factorization import gpu as factorization_gpu
from lux.algorithms.factorization.gpu import FactorRun
from lux.algorithms.factorization.gpu_memory import FactorPlan, planned
from lux.algorithms.factorization.gpu_repartition import MovedFactors
from lux.algorithms.factorization.gpu_rows import RowAssignment
from lux.algorithms.factorization.gpu_text import SEGMENT, Shape
from lux.algorithms.factorization.rating_matrix import Problem, RatingMatrix
from lux.algorithms.factorization.steps import Limits
from lux.errors import ConfigurationError, MemoryNeededError
from lux_cases.plans import stores_of, table
from lux_cases.stores import Sides, new_store, sides_in_places, to_array

LIMITS = Limits(5, 1e-4, 3, 1.0, scaled=True)


def ratings(order="given"):
    rng = np.random.default_rng(3)
    users, items = rng.integers(0, 300, 4000), (40 * rng.random(4000) ** 3).astype(int)
    values = rng.integers(1, 6, 4000).astype(np.float32)
    return lux.from_edges(users, items, weight=values, bipartite=True).reordered(order).symmetrized()


def problem(k=20, dtype=np.float32):
    return Problem(k, 0.1, True, np.dtype(dtype), 1)


def plan_of(graph, parts, method="als", **more):
    return FactorPlan(graph, "weight", sides_in_places(graph, Sides(graph).of), problem(**more), method, parts)


@settings(max_examples=40)
@given(
    degrees=st.lists(st.integers(0, 40), min_size=1, max_size=60),
    sides=st.randoms(),
    parts=st.integers(1, 5),
    few=st.sampled_from([-1, 3]),
)
def test_every_row_is_dealt_once(degrees, sides, parts, few):
    offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    side = np.array([sides.randrange(2) for _ in degrees], np.uint8)
    assignment = RowAssignment(offsets, side, parts, 2, 8, few)
    for s in (0, 1):
        mine = [both[s] for both in assignment.of]
        rows = np.concatenate([one.rows for one in mine])
        np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(side == s))
        for one in mine:
            n = np.array(degrees)[one.rows]
            assert (np.diff(n) <= 0).all()
            assert (n[: one.n_hubs] > 8).all()
            assert (n[one.n_hubs :] <= 8).all()
            assert one.n_large == (len(n) if few < 0 else max(np.count_nonzero(n > few), one.n_hubs))
            np.testing.assert_array_equal(np.diff(one.first_segment), -(-n[: one.n_hubs] // 8))
            assert len(one.hub_of) == one.n_segments
            assert all(one.first_edge <= offsets[v] and offsets[v + 1] <= one.end_edge for v in one.rows)
    held, points, places = assignment.lists()
    for part, both in enumerate(assignment.of):
        own = held[points[part] : points[part + 1]]
        for s, one in enumerate(both):
            for name, expected in one.arrays.items():
                at = int(places[f"{name}_{s}"][part]) // 4
                np.testing.assert_array_equal(own[at : at + len(expected)], expected)


def test_both_sides_are_balanced():
    graph = ratings()
    assignment = plan_of(graph, 2).assignment
    degrees = np.diff(to_array(graph.offsets))
    for side in (0, 1):
        work = [degrees[both[side].rows].sum() + 60 * len(both[side].rows) for both in assignment.of]
        assert max(work) < 1.4 * min(work)


@pytest.mark.check
@pytest.mark.parametrize("method", ["als", "gd"])
@pytest.mark.parametrize("k", [1, 4, 20, 27, 28, 64, 160, 161, 512])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shapes_fit_shared_memory(k, dtype, method):
    shape = Shape(k, np.dtype(dtype), method, 2, np.dtype(np.float32), np.dtype(np.int32), 227 << 10)
    assert shape.shared_bytes <= (227 << 10) - 1024
    assert shape.padded == -(-k // 4) * 4
    assert shape.width == -(-(k + 1) // 4) * 4
    assert 4 * shape.lanes >= min(shape.padded, 128)
    assert (shape.group == 32) == (k < 28)
    assert SEGMENT[method] % max(shape.memory[0], 1) == 0
    assert f"#define LENGTH {k}\n" in shape.text()
    assert shape.members["shared"] == "char*[2]"


def every_plan(run, parts):
    """Return the launchers of a run, and for each its addresses: argument, and place among the launch's arrays."""
    static, splits = run.static()
    assert set(static) == set(splits)
    launchers, rectangles, members = run.launchers(splits), run.rectangles(), run.plan.shape.members
    lengths = [int(kind.partition("[")[2].rstrip("]") or 1) for kind in members.values()]
    first_words = dict(zip(members, np.cumsum([0, *lengths]).tolist(), strict=False))
    argument_at = {at: name for name, at in first_words.items()}
    kept, named = np.zeros((parts, len(launchers["begin"].arrays)), np.int64), {}
    for name, launcher in launchers.items():
        assert set(launcher.split_of.values()) - {None} <= set(rectangles)
        made = run.gpu_plan(SimpleNamespace(handle=0), launchers, name, kept)
        words = table(made, "arguments", parts, sum(lengths))
        assert (words[:, first_words["what"]] == run.what[name]).all()
        assert made.struct.n_peers == (name != "begin" and "shared" in members)
        named[name] = {argument_at[at]: k for at, k in stores_of(made).tolist()}
    return launchers, named


@pytest.mark.parametrize("method", ["als", "gd"])
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_every_address_that_the_kernel_uses_is_given(parts, method, monkeypatch):
    monkeypatch.setattr(factorization_gpu, "in_zero_copy_memory", new_store)
    graph = ratings()
    plan = plan_of(graph, parts, method)
    matrix = RatingMatrix(graph, "weight", Sides(graph).of, plan.problem, 0.1, None)
    run = FactorRun(plan, matrix, LIMITS)
    launchers, named = every_plan(run, parts)
    assert {name: launchers[name].arrays[-2:] for name in ("run", "take", "end")} == {
        "run": ["begun", "after"],
        "take": ["first", "after"],
        "end": ["begun", "result"],
    }
    given_addresses = {*named["take"], *named["end"], *plan.scratch.at, "outcome", "records"}
    wanted = {n for n, kind in plan.shape.members.items() if kind.endswith("*")}
    assert wanted - given_addresses == (set() if parts > 1 else {"arrivals"})
    numbers = {n for n, kind in plan.shape.members.items() if "*" not in kind} - {"what", "slot", "state"}
    assert numbers == set(run.numbers(0))
    own = {"run": set(), "take": {"first"}, "end": {"result"}}  # all other addresses are the first launch's
    assert {name: {n for n, k in named[name].items() if k >= 0} for name in own} == own
    # Edges are counted from the graph's first one, whatever part of them a GPU sees.
    for side in (0, 1):
        back = run.moved_back(f"ratings_{side}")
        assert back.tolist() == ([4 * both[side].first_edge for both in plan.assignment.of] if parts > 1 else [0])


@pytest.mark.parametrize(
    "gpus, placement, peers, ranks, moved",
    [
        (2, "auto", True, 1, False),
        (2, "device", True, 1, True),
        (2, "auto", False, 1, True),
        (1, "device", True, 1, False),
        (2, "auto", True, 2, True),
        (1, "auto", True, 2, True),
    ],
)
def test_when_legion_moves_factors(pretend_gpus, gpus, placement, peers, ranks, moved):
    graph = ratings()
    sides = sides_in_places(graph, Sides(graph).of)
    pretend_gpus(gpus, peers=peers, ranks=ranks)
    with lux.using(placement=placement):
        plan = FactorPlan(graph, "weight", sides, problem(), "als", gpus)
    assert plan.moved == moved
    assert plan.shape.parts == (1 if moved else gpus)  # one text for any number of GPUs
    assert not plan.shape.placed  # users come first


@pytest.mark.parametrize("method", ["als", "gd"])
@pytest.mark.parametrize("parts", [2, 3])
@pytest.mark.parametrize("order", ["given", "degree"])
def test_every_address_where_legion_moves_factors(order, parts, method):
    graph = ratings(order)
    with lux.using(placement="device"):
        plan = plan_of(graph, parts, method)
    assert plan.moved
    assert plan.shape.placed == (order == "degree")
    matrix = RatingMatrix(graph, "weight", Sides(graph).of, plan.problem, 0.1, None)
    run = MovedFactors(plan, matrix, LIMITS)
    launchers, named = every_plan(run, parts)
    for name, launcher in launchers.items():
        own = {n for n in launcher.split_of if n in run.of_a_launch}
        assert own == {n for n, k in named[name].items() if k >= 0} & {*run.of_a_launch}
        assert (name == "begin") == (named[name]["offsets"] >= 0)
    given_in_all = {n for each in named.values() for n in each}
    addresses = {n for n, kind in plan.shape.members.items() if kind.endswith("*")}
    never = set() if plan.shape.placed else {"places"}
    if method == "gd":
        never |= {"before"}
    assert addresses - given_in_all - set(plan.scratch.at) == never
    n_left, row = int((plan.sides == 0).sum()), 20 * 4
    assert run.moved_back("old_1").tolist() == [n_left * row] * parts
    assert run.moved_back("new_0")[1] == len(plan.assignment.of[0][0].rows) * row
    assert run.moved_back("new_1")[1] == (n_left + len(plan.assignment.of[0][1].rows)) * row


def test_memory_that_factorizations_take():
    graph, n = ratings(), ratings().n_vertices
    for method, copies in (("als", 3), ("gd", 4)):
        needed = plan_of(graph, 1, method).memory_bytes()
        assert needed > copies * 80 * n + graph.n_edges * 9
        assert plan_of(graph, 1, method, dtype=np.float64).memory_bytes() > needed + copies * 80 * n
        assert plan_of(graph, 2, method).assignment.edges.sum() == graph.n_edges
    assert plan_of(graph, 1, k=512).memory_bytes() > 264 * 8 * 512 * 516  # matrices that shared memory has no room for


def test_how_many_gpus_a_factorization_takes(pretend_gpus, spread_from):
    graph = ratings()
    sides = sides_in_places(graph, Sides(graph).of)

    def parts(asked=None, k=20):
        found = planned(graph, "weight", sides, problem(k), "als", asked)
        return None if isinstance(found, str) else found.parts

    pretend_gpus(0)
    assert parts() is None
    pretend_gpus(4)
    assert [parts(), parts(3), parts(5)] == [1, 3, None]
    with lux.using(device="cpu"):
        assert parts() is None
    spread_from(20 * graph.n_edges)
    assert [parts(), parts(k=19), parts(2)] == [4, 1, 2]
    pretend_gpus(4, peers=False)  # Legion moves factors
    assert [parts(), parts(2), parts(1)] == [4, 2, 1]
    pretend_gpus(4, ranks=2)
    assert [parts(k=1), parts(3), parts(5)] == [4, 3, 5]
    pretend_gpus(4, fbmem=plan_of(graph, 4).memory_bytes())
    assert parts(k=19) == 4  # one has no room


def test_what_factorizations_refuse(pretend_gpus):
    graph = ratings()
    sides = sides_in_places(graph, Sides(graph).of)

    def refused(error, match, asked=None, **settings):
        with lux.using(device="gpu", **settings), pytest.raises(error, match=match):
            planned(graph, "weight", sides, problem(), "als", asked)

    pretend_gpus(0)
    refused(ConfigurationError, "given no GPU: start it with --gpus 1")
    pretend_gpus(2)
    refused(ConfigurationError, "parts=3 is more than its 2 GPUs", 3)
    refused(ConfigurationError, "placement='zero-copy' was, too", placement="zero-copy")
    pretend_gpus(2, peers=False)
    refused(ConfigurationError, "placement='peer' was, too, and these GPUs cannot", 2, placement="peer")
    pretend_gpus(2, ranks=2)
    refused(ConfigurationError, "placement='peer' was, too, and there are several processes", 2, placement="peer")
    pretend_gpus(2, fbmem=1 << 18)
    with lux.using(device="gpu"):
        for method in ("als", "gd"):
            with pytest.raises(MemoryNeededError, match=r"factorize by .* needs \d+ MiB on a GPU.*start with --fbmem"):
                lux.factorize(graph, k=20, method=method)
