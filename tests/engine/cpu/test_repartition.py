# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Repartitioning on CPU cores: the cost of a move, and answers that moves do not change."""

import itertools
import random
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.engine.cpu import partitioned_run
from lux.engine.cpu.repartition import SETUP_SECONDS, MoveCost
from lux.errors import MemoryNeededError, ParameterError
from lux_cases.builtin import BreadthFirstSearch, PageRank, PageRank32, PageRankDeltas, SmallestLabel
from lux_cases.examples import covering, examples
from lux_cases.moves import RepartitionDecision, WeightCurve
from lux_cases.programs import Peel, Remainders


@pytest.fixture
def unlearned(monkeypatch):
    """No move has corrected the cost of moves."""
    monkeypatch.setattr(MoveCost, "slower", {})
    monkeypatch.setattr(MoveCost, "beside", {})


def move_cost(nodes, network):
    work = WeightCurve.by_edges(np.arange(101) * 4).work
    return MoveCost(work, np.array(nodes), 2, "blocks", vertex_bytes=10, edge_bytes=4, network=network)


@pytest.mark.usefixtures("unlearned")
def test_cost_of_a_move() -> None:
    cost = move_cost([0, 0, 1, 1], 2e-9)
    before, after = np.array([0, 25, 50, 75, 100]), np.array([0, 25, 40, 75, 100])
    bytes_between = 10 * 10 + 30 * 4
    made = 105  # the third partition's edges
    expected = SETUP_SECONDS + 2e-9 * bytes_between + made * 5e-9
    assert cost.predict(before, after, np.array([0, 1])) == pytest.approx(expected)


@pytest.mark.usefixtures("unlearned")
def test_moves_within_a_node_correct_rates() -> None:
    cost, given = move_cost([0, 0, 0, 0], 0.0), (np.array([0, 25, 50, 75, 100]), np.array([0, 25, 40, 75, 100]))
    predicted = cost(*given, np.array([0]))
    cost.learn(predicted, 4 * predicted)
    assert cost(*given, np.array([0])) == pytest.approx(2 * predicted)
    cost.learn(predicted, 400 * predicted)
    assert cost(*given, np.array([0])) == pytest.approx(4 * predicted)


@pytest.mark.usefixtures("unlearned")
def test_moves_between_nodes_correct_the_set_up_of_large_and_small_ones() -> None:
    cost, before = move_cost([0, 0, 1, 1], 1e-3), np.array([0, 25, 50, 75, 100])
    large, small = (
        lambda point=point: cost(before, np.array([0, 25, point, 75, 100]), np.array([0, 1])) for point in (30, 45)
    )
    first, second = large(), small()
    cost.learn(first, first + 0.5)
    assert (large(), small()) == pytest.approx((first + 0.5, second + 0.5))
    cost.learn(small(), second + 0.1)
    assert (large(), small()) == pytest.approx((first + 0.3, second + 0.3))
    cost.learn(large(), first / 4)
    assert large() == pytest.approx(first / 2 + 0.15)
    cost.learn(small(), 1e6)  # a disturbed one
    assert small() < 10 * second


@pytest.mark.usefixtures("unlearned")
def test_a_set_up_learned_since_a_prediction() -> None:
    """It may be more than all that was predicted; such a move teaches nothing."""
    cost = move_cost([0, 0, 1, 1], 2e-9)
    before, after = np.array([0, 25, 50, 75, 100]), np.array([0, 25, 40, 75, 100])
    predicted = cost(before, after, np.array([0, 1]))
    cost.learn(predicted, 100.0)
    learned = dict(cost.beside), dict(cost.slower)
    assert cost.beside["blocks"] > predicted
    cost.learn(predicted, 1.0)
    assert (cost.beside, cost.slower) == learned


class RandomMoves:
    """Moves to random points, after random iterations."""

    def __init__(self, seed, often=0.7):
        self.random, self.often = random.Random(seed), often

    def __call__(self, *_arguments, **_named):
        return self

    def decide(self, points, seconds, *, iteration, remaining):
        n, after = int(points[-1]), points
        phase = "global" if self.random.random() < self.often else "none"
        if phase == "global":
            after = np.array([0, *sorted(self.random.randint(0, n) for _ in points[2:]), n])
        return RepartitionDecision(iteration, seconds, phase, 1.0, 1.0, remaining, points, after, 0.0)


@pytest.fixture
def forced(monkeypatch):
    """``forced(seed)``: what runs from now on moves at random."""
    monkeypatch.setattr(partitioned_run, "FIRST_ITERATIONS", 1)
    monkeypatch.setattr(MoveCost, "slower", {})
    monkeypatch.setattr(MoveCost, "beside", {})
    return lambda seed, often=0.7: monkeypatch.setattr(partitioned_run, "Repartitioner", RandomMoves(seed, often))


def moves(result):
    return sum(decision.phase != "none" for decision in result.repartitions)


class Shortest(lux.Program):
    """A frontier with weights: pushes touch few vertices, and a copy of a field that only update writes."""

    far = lux.field(np.int64, reduce=lux.MIN)

    def start(v, params):
        if v.id == 0:
            v.far = 0
        return v.id == 0

    def compute(v, u, edge, params):
        return u.far + edge.weight

    def update(v, old, params):
        return v.far < old.far


CASES = {
    "ranks": (PageRank, {"alpha": 0.85, "stop": 1e-6}),
    "single": (PageRank32, {"alpha": 0.85, "stop": 0.0}),
    "deltas": (PageRankDeltas, {"alpha": 0.85, "stop": 1e-6}),
    "search": (BreadthFirstSearch, {"source": 0}),
    "labels": (SmallestLabel, {}),
    "peel": (Peel, {"k": 2}),
    "shortest": (Shortest, {}),
}


def long_graph(seed):
    """Two hundred vertices in a row, with weights and more edges to near ones: a search needs twenty iterations."""
    rng = np.random.default_rng(seed)
    u = np.concatenate([np.arange(199), rng.integers(0, 200, 600)])
    v = np.concatenate([np.arange(1, 200), np.clip(u[199:] + rng.integers(-10, 11, 600), 0, 199)])
    return lux.from_edges(u, v, rng.integers(1, 9, 799), n_vertices=200)


def same(found, expected):
    assert (found.iterations, found.converged) == (expected.iterations, expected.converged)
    for name, column in expected.columns.items():
        values, wanted = found[name].dense(), column.dense()
        if wanted.dtype.kind != "f":
            np.testing.assert_array_equal(values, wanted, err_msg=name)
        else:
            relative = 1e-12 * (1 + expected.iterations) if wanted.dtype == np.float64 else 1e-5
            np.testing.assert_allclose(values, wanted, rtol=relative, atol=0, err_msg=name)


@pytest.mark.parametrize("name, model", covering([*CASES], ["auto", "pull", "push"]))
def test_moves_change_no_answer(name, model, forced) -> None:
    program, params = CASES[name]
    graph = lux.from_edges(np.arange(59), np.arange(1, 60), directed=False) if name == "peel" else long_graph(1)
    limit = None if program.spec.frontier else 30
    expected = lux.run(program, graph, model=model, parts=1, max_iter=limit, **params)
    for seed, parts in enumerate((2, 3, 5)):
        forced(seed)
        found = lux.run(program, graph, model=model, parts=parts, max_iter=limit, **params)
        assert moves(found) >= 3
        same(found, expected)
        for first, second in itertools.pairwise(found.repartitions):
            assert second.before.tolist() == first.after.tolist()
        assert len(found.statistics) == found.iterations
        assert all(len(step.seconds) == parts for step in found.statistics)


@examples(15)
@given(seed=st.integers(0, 2**32), parts=st.integers(2, 7), name=st.sampled_from(sorted(CASES)))
def test_random_moves_of_random_graphs(seed, parts, name) -> None:
    program, params = CASES[name]
    graph = long_graph(seed)
    model = random.Random(seed).choice(["auto", "pull", "push"])
    expected = lux.run(program, graph, model=model, parts=1, max_iter=12, **params)
    often = (
        mock.patch.object(partitioned_run, "FIRST_ITERATIONS", 1),
        mock.patch.object(partitioned_run, "Repartitioner", RandomMoves(seed, often=0.9)),
        mock.patch.object(MoveCost, "slower", {}),
    )
    with often[0], often[1], often[2]:
        same(lux.run(program, graph, model=model, parts=parts, max_iter=12, **params), expected)


@pytest.mark.slow
def test_moves_of_vectors_of_blocks_and_of_a_reordered_graph(forced, edge_blocks) -> None:
    graph = long_graph(2)
    forced(3)
    vectors = lux.run(Remainders, graph, parts=4, max_iter=15)
    assert moves(vectors) >= 3
    same(vectors, lux.run(Remainders, graph, max_iter=15))
    by_degree = graph.reordered("degree")
    same(lux.run(BreadthFirstSearch, by_degree, parts=3, source=0), lux.run(BreadthFirstSearch, by_degree, source=0))
    edge_blocks()
    ranks = lux.pagerank(graph, tol=0, max_iter=20, parts=3)
    assert ranks.statistics[0].why.endswith("by blocks of edges")
    assert moves(ranks) >= 3
    np.testing.assert_allclose(ranks.ranks.dense(), lux.pagerank(graph, tol=0, max_iter=20).ranks.dense(), rtol=2e-11)


def test_moves_of_a_search_by_estimates(forced) -> None:
    """What was visited, and the direction, go along."""
    graph = long_graph(4)
    asked = {"direction": "estimates", "do_a": 0.1, "do_b": 0.2}
    forced(5, often=1.0)
    found, fixed = lux.bfs(graph, 0, parts=3, **asked), lux.bfs(graph, 0, **asked)
    assert moves(found) >= 3
    assert [(s.model, s.why) for s in found.statistics] == [(s.model, s.why) for s in fixed.statistics]
    assert [key for key, _ in itertools.groupby(s.model for s in found.statistics)] == ["push", "pull", "push"]
    np.testing.assert_array_equal(found.parents.dense(), fixed.parents.dense())


def test_settings(forced, monkeypatch) -> None:
    graph = long_graph(4)
    forced(5, often=1.0)
    with lux.using(repartition="off"):
        assert lux.bfs(graph, 0, parts=3).repartitions == []
    assert moves(lux.bfs(graph, 0, parts=3)) > 0
    assert not lux.bfs(graph, 0).repartitions  # one task holds all
    with pytest.raises(ParameterError, match="allowed are off, local, global"), lux.using(repartition="on"):
        pass


def test_no_move_without_memory(forced, monkeypatch) -> None:
    graph = long_graph(4)
    forced(5, often=1.0)

    def refuse(self):
        raise MemoryNeededError("nothing is left")

    monkeypatch.setattr(partitioned_run.PartitionedRun, "bytes_to_make", refuse)
    found = lux.bfs(graph, 0, parts=3, model="push")
    assert {decision.why for decision in found.repartitions} == {"memory for other partitions' edges is short"}
    assert moves(found) == 0


@pytest.mark.check
def test_explained(forced) -> None:
    forced(6, often=1.0)
    said = str(lux.explain(PageRank, long_graph(7), parts=2, max_iter=10, alpha=0.85, stop=0.0))
    assert "repartitioning" in said
    assert " -> " in said
