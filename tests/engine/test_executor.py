# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs in both models and over any partitions, beside an interpreter of what a program means."""

from collections import defaultdict
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import lux
from lux.errors import GraphError, ParameterError
from lux_cases.examples import one_order, some
from lux_cases.programs import Peel

MODELS = ("auto", "pull", "push")
PARTS = (None, 1, 2, 3, 7)
"""None: one task with a thread for each core."""
NO_VERTEX = 2**32 - 1


class Nearest(lux.Program):
    dist = lux.field(np.float32, reduce=lux.MIN)

    def start(v, params):
        if v.id == params.source:
            v.dist = 0
        return v.id == params.source

    def compute(v, u, edge, params):
        return u.dist + edge.weight

    def update(v, old, params):
        return v.dist < old.dist


class Widest(lux.Program):
    """A property of another name than weight, MAX with an argument, and a copy that only update writes."""

    width = lux.field(np.int32, reduce=lux.MAX)
    via = lux.field(lux.VERTEX, arg_of="width")
    changes = lux.field(np.int8)

    def start(v, params):
        if v.id == params.source:
            v.width = 1000
            v.via = v.id
        return v.id == params.source

    def compute(v, u, edge, params):
        return min(u.width, edge.capacity), u.id

    def update(v, old, params):
        v.changes = old.changes + 1
        return v.width > old.width


class Largest(lux.Program):
    """Over edges in both directions."""

    edges = lux.BOTH
    top = lux.field(np.int64, reduce=lux.MAX)

    def start(v, params):
        v.top = (v.id * 7) % params.n_vertices
        return True

    def compute(v, u, edge, params):
        return u.top

    def update(v, old, params):
        return v.top > old.top


class Marked(lux.Program):
    """A frontier, and a total that makes every iteration look at every vertex."""

    mark = lux.field(bool, reduce=lux.OR)

    def start(v, params):
        v.mark = v.id % params.step == 0
        return v.mark

    def compute(v, u, edge, params):
        return u.mark and edge.weight > params.above

    def update(v, old, params):
        return v.mark != old.mark

    @lux.aggregate
    def marked(v, old, params):
        return 1.0 if v.mark else 0.0

    def converged(params):
        return params.marked >= params.enough


class Many(lux.Program):
    """No frontier; five reductions at once, from both ends' old values."""

    total = lux.field(np.int64, reduce=lux.ADD)
    low = lux.field(np.float64, reduce=lux.MIN)
    high = lux.field(np.int16, reduce=lux.MAX)
    some = lux.field(np.uint8, reduce=lux.OR)
    every = lux.field(np.int32, reduce=lux.AND)
    state_of = lux.field(np.int64)
    bias = lux.field(np.int64, constant=True)

    def start(v, params):
        v.state_of = v.id + v.bias
        v.some = 1

    def init(v, old, params):
        v.total = v.bias
        v.low = 0.5 * v.out_degree

    def compute(v, u, edge, params):
        return (
            u.state_of * edge.weight + u.bias - v.state_of,
            u.state_of + 0.25,
            u.out_degree - v.in_degree,
            1 << (u.id % 8),
            u.state_of | 4,
        )

    def update(v, old, params):
        v.state_of = (old.state_of + v.total) % params.modulus

    @lux.aggregate
    def moved(v, old, params):
        return abs(v.state_of - old.state_of)

    def converged(params):
        return params.moved < 1


class EvenNext(lux.Program):
    """Over out-edges."""

    edges = lux.OUT
    count = lux.field(np.uint32, reduce=lux.ADD)

    def start(v, params):
        v.count = 1

    def compute(v, u, edge, params):
        return edge.weight if u.id % 2 == 0 else 0

    def update(v, old, params):
        pass


class EvenAround(EvenNext):
    """Over edges in both directions, of which repeated ones count."""

    edges = lux.BOTH


class Balance(lux.Program):
    """A frontier with sums that go on from the old ones and may cancel."""

    x = lux.field(np.int64, reduce=lux.ADD)

    def start(v, params):
        v.x = 1 if v.id % 2 == 0 else -1
        return v.id % params.step != 1

    def compute(v, u, edge, params):
        return u.x

    def update(v, old, params):
        return v.x != old.x


class Shares(lux.Program):
    """Float sums, for which only the order may differ."""

    x = lux.field(np.float64, reduce=lux.ADD)

    def start(v, params):
        v.x = 1.0 / (1 + v.id)

    def compute(v, u, edge, params):
        return u.x / u.out_degree

    def update(v, old, params):
        v.x = 0.1 + 0.9 * v.x


@dataclass
class Edges:
    """A random graph, as lists."""

    n: int
    pairs: list[tuple[int, int]]
    weights: list[int]
    directed: bool

    def graph(self):
        u, v = np.array(self.pairs, np.int64).reshape(-1, 2).T
        capacity = np.array(self.weights, np.int16) * 10
        weight = np.array(self.weights, np.int32)
        return lux.from_edges(u, v, weight, n_vertices=self.n, directed=self.directed, capacity=capacity)

    def stored(self, which):
        """Edges (u, v, properties) that bring contributions to v."""
        each = [
            (u, v, SimpleNamespace(weight=w, capacity=10 * w))
            for (u, v), w in zip(self.pairs, self.weights, strict=True)
        ]
        if not self.directed or which is lux.BOTH:
            each += [(v, u, e) for u, v, e in each if u != v]
        elif which is lux.OUT:
            each = [(v, u, e) for u, v, e in each]
        return each


@st.composite
def random_edges(draw):
    n = draw(st.integers(1, 12))
    vertex = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(vertex, vertex), max_size=30))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(pairs), max_size=len(pairs)))
    return Edges(n, pairs, weights, draw(st.booleans()))


IDENTITY = {
    lux.ADD: lambda t: 0,
    lux.OR: lambda t: 0,
    lux.MIN: lambda t: np.inf if t.kind == "f" else np.iinfo(t).max,
    lux.MAX: lambda t: -np.inf if t.kind == "f" else np.iinfo(t).min,
    lux.AND: lambda t: -1 if t.kind == "i" else np.iinfo(t).max,
}
COMBINE = {
    lux.ADD: lambda a, b: a + b,
    lux.OR: lambda a, b: a | b,
    lux.AND: lambda a, b: a & b,
    lux.MIN: min,
    lux.MAX: max,
}


class Interpreter:
    """Algorithms 1 and 2 of the paper on dicts: what a program means, one vertex and one edge at a time."""

    def __init__(self, program, edges, params, constants) -> None:
        self.program, self.n, self.constants = program, edges.n, constants
        self.fields = program.spec.fields
        self.params = SimpleNamespace(n_vertices=edges.n, **params)
        self.into, self.out_degree = defaultdict(list), [0] * edges.n
        for u, v, e in edges.stored(program.edges):
            self.into[v].append((u, e))
            self.out_degree[u] += 1
        self.reduced = [f for f in self.fields.values() if f.reduce or f.arg_of]
        self.frontier = program.spec.frontier

    def type_of(self, f) -> np.dtype:
        return np.dtype(np.uint32 if isinstance(f.dtype, str) else f.dtype)

    def identity(self, f) -> Any:
        if f.arg_of:
            return NO_VERTEX
        return IDENTITY[f.reduce](self.type_of(f)) if f.reduce else 0

    def seen(self, v, values) -> SimpleNamespace:
        constants = {name: array[v] for name, array in self.constants.items()}
        degrees = {"in_degree": len(self.into[v]), "out_degree": self.out_degree[v]}
        return SimpleNamespace(id=v, **degrees, **constants, **values)

    def stored(self, v) -> dict[str, Any]:
        names = [name for name, f in self.fields.items() if not f.constant]
        return {name: self.type_of(self.fields[name]).type(getattr(v, name)).item() for name in names}

    def count(self, now, old) -> None:
        for name, function in vars(self.program).items():
            if isinstance(function, type(Marked.__dict__["marked"])):
                sums = [
                    function.function(self.seen(v, now[v]), self.seen(v, old[v]), self.params) for v in range(self.n)
                ]
                setattr(self.params, name, float(sum(sums)))

    def combine(self, v, values) -> None:
        if any(f.arg_of for f in self.reduced):
            (key, x), (arg, y) = sorted(
                zip(self.reduced, values, strict=True), key=lambda pair: pair[0].arg_of is not None
            )
            better = x < getattr(v, key.name) if key.reduce is lux.MIN else x > getattr(v, key.name)
            if better or (x == getattr(v, key.name) and y < getattr(v, arg.name)):
                setattr(v, key.name, x)
                setattr(v, arg.name, y)
            return
        for f, x in zip(self.reduced, values, strict=True):
            setattr(v, f.name, COMBINE[f.reduce](getattr(v, f.name), x))

    def run(self, max_iter) -> tuple[list[dict[str, Any]], int, bool]:
        program, n = self.program, self.n
        old, active = [], set()
        for v in range(n):
            seen = self.seen(v, {name: self.identity(f) for name, f in self.fields.items() if not f.constant})
            if program.start(seen, self.params) or not self.frontier:
                active.add(v)
            old.append(self.stored(seen))
        self.count(old, old)
        iterations = 0
        while True:
            if self.frontier and not active:
                return old, iterations, True
            if iterations and hasattr(program, "converged") and program.converged(self.params):
                return old, iterations, True
            if iterations == max_iter:
                return old, iterations, False
            old, active = self.iterate(old, active)
            iterations += 1

    def iterate(self, old, active) -> tuple[list[dict[str, Any]], set[int]]:
        program, new, changed = self.program, [], set()
        for v in range(self.n):
            before = self.seen(v, old[v])
            now = self.seen(v, old[v])
            if not self.frontier:
                for f in self.reduced:
                    setattr(now, f.name, self.identity(f))
            if hasattr(program, "init"):
                program.init(now, before, self.params)
            for u, edge in self.into[v]:
                if u in active:
                    value = program.compute(before, self.seen(u, old[u]), edge, self.params)
                    self.combine(now, value if isinstance(value, tuple) else (value,))
            if program.update(now, before, self.params) or not self.frontier:
                changed.add(v)
                new.append(self.stored(now))
            else:
                new.append(old[v])
        self.count(new, old)
        return new, changed


def ways(edges):
    """All partitions and models that a graph has."""
    return [(parts, model) for parts in PARTS if parts is None or parts <= edges.n for model in MODELS]


def compare(chance, program, edges, *, max_iter=40, constants=None, **params):
    constants = constants or {}
    names = [f.name for f in program.spec.state]
    expected, iterations, converged = Interpreter(program, edges, params, constants).run(max_iter)
    graph = edges.graph()
    for parts, model in some(ways(edges), chance):
        given = {name: np.array(values) for name, values in constants.items()}
        result = lux.run(program, graph, constants=given, parts=parts, model=model, max_iter=max_iter, **params)
        where = f"{program.__name__}, parts={parts}, model={model}"
        assert (result.iterations, result.converged) == (iterations, converged), where
        for name in names:
            wanted = [values[name] for values in expected]
            if program.spec.fields[name].dtype == lux.VERTEX:
                wanted = [-1 if x == NO_VERTEX else x for x in wanted]
            assert result[name].dense().tolist() == wanted, f"{where}, {name}"


RANDOM = settings(max_examples=20)
CHANCE = st.integers(0, 1 << 32)


@RANDOM
@given(edges=random_edges(), source=st.integers(0, 11), chance=CHANCE)
def test_min_with_weights(edges, source, chance):
    compare(chance, Nearest, edges, source=source % edges.n)


@RANDOM
@given(edges=random_edges(), source=st.integers(0, 11), max_iter=st.sampled_from([0, 1, 2, 40]), chance=CHANCE)
def test_max_with_an_argument(edges, source, max_iter, chance):
    compare(chance, Widest, edges, source=source % edges.n, max_iter=max_iter)


@RANDOM
@given(edges=random_edges(), max_iter=st.sampled_from([1, 40]), chance=CHANCE)
def test_both_directions(edges, max_iter, chance):
    compare(chance, Largest, edges, max_iter=max_iter)


@RANDOM
@given(edges=random_edges(), step=st.integers(1, 5), above=st.integers(0, 9), enough=st.integers(1, 13), chance=CHANCE)
def test_frontier_with_a_total(edges, step, above, enough, chance):
    compare(chance, Marked, edges, step=step, above=above, enough=enough)


@RANDOM
@given(edges=random_edges(), k=st.integers(0, 5), chance=CHANCE)
@example(edges=Edges(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)], [1] * 5, directed=False), k=2, chance=0)
def test_frontier_with_init(edges, k, chance):
    compare(chance, Peel, edges, k=k)


@RANDOM
@given(edges=random_edges(), bias=st.integers(-3, 3), modulus=st.sampled_from([1, 2, 97]), chance=CHANCE)
def test_five_reductions(edges, bias, modulus, chance):
    compare(
        chance, Many, edges, constants={"bias": [bias + v % 3 for v in range(edges.n)]}, modulus=modulus, max_iter=6
    )


@RANDOM
@given(edges=random_edges(), max_iter=st.integers(0, 2), program=st.sampled_from([EvenNext, EvenAround]), chance=CHANCE)
def test_sums_over_out_edges_and_over_both(edges, max_iter, program, chance):
    compare(chance, program, edges, max_iter=max_iter)


@RANDOM
@given(edges=random_edges(), step=st.integers(1, 4), chance=CHANCE)
def test_frontier_with_sums_that_may_cancel(edges, step, chance):
    compare(chance, Balance, edges, step=step, max_iter=6)


@RANDOM
@given(edges=random_edges(), chance=CHANCE)
def test_float_sums(edges, chance):
    iterations = 5
    expected, _, _ = Interpreter(Shares, edges, {}, {}).run(iterations)
    wanted = np.array([values["x"] for values in expected])
    graph = edges.graph()
    for parts, model in some(ways(edges), chance):
        found = lux.run(Shares, graph, parts=parts, model=model, max_iter=iterations)["x"].dense()
        np.testing.assert_allclose(found, wanted, rtol=1e-12 * (1 + iterations), atol=0)


@pytest.mark.parametrize("parts", [None, 1, 2, 5])
@pytest.mark.parametrize("model", MODELS)
def test_a_path_longer_than_a_task_runs(parts, model):
    """One task of one partition runs at most 4,095 iterations, so this crosses from task to task."""
    n = 4500 if parts in (None, 1) else 100
    graph = lux.toy.path(n)
    result = lux.run(Largest, graph, parts=parts, model=model)
    assert set(result["top"].dense().tolist()) == {n - 1}
    limited = lux.bfs(graph, 0, parts=parts, model=model, max_iter=n - 3)
    assert (limited.iterations, limited.converged) == (n - 3, False)
    assert limited.distances.dense().tolist() == [*range(n - 2), -1, -1]
    whole = lux.bfs(graph, 0, parts=parts, model=model)
    assert (whole.iterations, whole.converged) == (n, True)
    assert whole.distances.dense().tolist() == list(range(n))


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
@pytest.mark.parametrize("parts", [None, 1, 3])
def test_any_limit_of_iterations(limit, parts):
    """The driver launches ahead; values and counts must not show it."""
    graph = lux.toy.path(9)
    result = lux.bfs(graph, 0, parts=parts, max_iter=limit)
    assert result.iterations == limit == len(result.statistics)
    assert not result.converged or limit == 9
    assert result.distances.dense().tolist() == [d if d <= limit else -1 for d in range(9)]


def test_limit_is_reached_by_convergence_too():
    assert lux.bfs(lux.toy.path(4), 0, max_iter=4).converged


@pytest.mark.slow
def test_the_largest_number_of_partitions():
    n = 1030
    graph = lux.toy.cycle(n)
    result = lux.bfs(graph, 5, parts=n, max_iter=3, model="push")
    assert result.parts == n
    assert len(result.statistics[0].seconds) == n
    assert result.distances.to_dict() == {v: v - 5 if 5 <= v <= 8 else -1 for v in range(n)}
    with pytest.raises(ParameterError, match=r"parts=1031 was passed; allowed are 1 to 1030 \(one partition for each"):
        lux.bfs(graph, 5, parts=1031)


@pytest.mark.check
def test_statistics_of_a_search():
    """A star from a leaf: one vertex with one edge, the hub with all others, then the leaves."""
    graph = lux.toy.star(101, directed=False)
    for parts in (1, 4):
        result = lux.bfs(graph, 7, parts=parts)
        rows = [(s.frontier, s.frontier_edges) for s in result.statistics]
        assert rows == [(1, 1), (1, 100), (99, 99)]
        pulled = "push" if parts == 1 else "pull"  # threads that share a sparse graph only push
        assert [s.model for s in result.statistics] == ["push", pulled, pulled]
        assert all(s.seconds.shape == (parts,) and (s.seconds > 0).all() for s in result.statistics)
        assert result.seconds >= max(s.seconds.max() for s in result.statistics)


def test_pushing_without_a_frontier_runs_to_the_end():
    """Every iteration has all vertices; what else is in the state's memory must not end the run early."""
    graph = Edges(9, [(v, (v * 5 + 1) % 9) for v in range(9)], [1] * 9, directed=True).graph()
    for _ in range(30):
        for model in ("pull", "push"):
            result = lux.run(Shares, graph, parts=3, model=model, max_iter=9)
            assert [(s.model, s.frontier, s.frontier_edges) for s in result.statistics] == [(model, 9, 0)] * 9


@pytest.mark.parametrize("model", ["pull", "push"])
def test_the_model_asked_for_runs(model):
    result = lux.bfs(lux.toy.kite(), 0, model=model)
    assert {s.model for s in result.statistics} == {model}


@pytest.mark.check
@pytest.mark.parametrize("parts", [None, 1, 3])
def test_progress(parts):
    seen = []
    result = lux.bfs(lux.toy.path(30), 0, parts=parts, progress=seen.append)
    assert seen == sorted(seen)
    assert 1 <= seen[0] <= seen[-1] <= result.iterations


def test_graph_and_results_are_left_as_they_were():
    graph = lux.toy.kite()
    before = [a.tolist() for a in graph.dense_edge_arrays()]
    first = lux.bfs(graph, 0)
    kept = first.distances.to_numpy().tolist()
    for source in range(10):
        lux.bfs(graph, source, parts=2)
    assert first.distances.to_numpy().tolist() == kept
    assert [a.tolist() for a in graph.dense_edge_arrays()] == before


class Carry(lux.Program):
    """Where each vertex's token is after an iteration, and how many reached the goal."""

    token = lux.field(np.int64, constant=True)
    following = lux.field(lux.VERTEX, constant=True)
    seen = lux.field(np.int64, reduce=lux.ADD)
    goal = lux.field(lux.VERTEX)
    there = lux.field(bool)

    def start(v, params):
        v.goal = v.following
        v.there = params.goal == v.id

    def compute(v, u, edge, params):
        return u.token if params.goal != u.id else 0

    def update(v, old, params):
        pass


@pytest.mark.parametrize("name", [lambda v: v, lambda v: f"v{v}"])
def test_constants_and_parameters_are_by_the_users_ids(name, chance):
    for order in one_order(chance):
        check_constants_and_parameters(name, order)


def check_constants_and_parameters(name, order):
    a, b, c = name(10), name(20), name(35)
    graph = lux.from_edges([a, b, c, a], [b, c, b, c]).reordered(order)
    token, after = {c: 300, a: 100, b: 200}, {a: b, b: c, c: a}
    other = lux.run(Carry, graph, constants={"token": token, "following": after}, goal=c, max_iter=1)
    ways = [
        {"token": [100, 200, 300], "following": [b, c, a]},
        {"token": pd.Series(token), "following": pd.Series(after)},
        {"token": np.array([100, 200, 300]), "following": other["goal"]},
    ]
    for found in (other, *(lux.run(Carry, graph, constants=way, goal=c, max_iter=1) for way in ways)):
        assert found["seen"].to_dict() == {a: 0, b: 100, c: 300}
        assert found["there"].to_dict() == {a: False, b: False, c: True}
        assert found["goal"].to_dict() == after
    levels = lux.run(Carry, graph, constants={"token": graph.in_degrees(), "following": after}, goal=a, max_iter=1)
    assert levels["seen"][c] == graph.in_degrees()[b]
    for wrong, message in (
        (
            {"token": {a: 1, b: 2}, "following": after},
            "token: 1 of 3 vertices have no value, ('v35'|35) for one: .*fromkeys",
        ),
        ({"token": token, "following": after | {name(1): a}}, "vertex .* is not in the graph"),
        (
            {"token": pd.Series([1, 2, 3, 4], [a, b, c, c]), "following": after},
            "1 of 3 vertices have two values or more",
        ),
        ({"token": token, "following": [a, b, name(1)]}, "vertex .* is not in the graph"),
    ):
        with pytest.raises(lux.LuxError, match=message):
            lux.run(Carry, graph, constants=wrong, goal=c, max_iter=1)
    with pytest.raises(GraphError, match=r"vertex .* is not in the graph"):
        lux.run(Carry, graph, constants={"token": token, "following": after}, goal=name(1), max_iter=1)


def test_vectors_are_given_by_vertex():
    class Pairs(lux.Program):
        pair = lux.field(np.float64, shape=2, constant=True)
        both = lux.field(np.float64, shape=2, reduce=lux.ADD)

        def start(v, params):
            pass

        def compute(v, u, edge, params):
            return u.pair

        def update(v, old, params):
            pass

    graph = lux.from_edges([10, 20], [20, 30])
    for pair in ({20: [3, 4], 10: [1, 2], 30: [5, 6]}, pd.DataFrame([[5, 6], [3, 4], [1, 2]], [30, 20, 10])):
        found = lux.run(Pairs, graph, constants={"pair": pair}, max_iter=1)
        assert found["both"].to_dict() == {10: [0, 0], 20: [1, 2], 30: [3, 4]}


def test_constants_and_parameters_are_checked():
    graph = Edges(3, [(0, 1), (1, 2)], [1, 2], directed=True).graph()
    with pytest.raises(ParameterError, match=r"Nearest takes the parameters source; missing: source, unknown: begin"):
        lux.run(Nearest, graph, begin=1)
    with pytest.raises(ParameterError, match="parameter modulus of Many must be a number, and '3' was passed"):
        lux.run(Many, graph, modulus="3", constants={"bias": [1, 2, 3]})
    with pytest.raises(
        ParameterError, match=r"modulus of Many is 9223372036854775808; allowed are whole numbers of 64"
    ):
        lux.run(Many, graph, modulus=2**63, constants={"bias": [1, 2, 3]})
    with pytest.raises(ParameterError, match=r"Many needs values for its constant fields \['bias'\]; got \[\]"):
        lux.run(Many, graph, modulus=3)
    with pytest.raises(ParameterError, match=r"bias has shape \(2,\); allowed is \(3,\)"):
        lux.run(Many, graph, modulus=3, constants={"bias": [1, 2]})
    with pytest.raises(ParameterError, match=r"bias: the values are of a graph with other vertices \(its 10 ids run"):
        lux.run(Many, graph, modulus=3, constants={"bias": lux.bfs(lux.toy.kite(), 0).distances})
    with pytest.raises(ParameterError, match=r"bias has values that int64 cannot hold, 1\.5 for one"):
        lux.run(Many, graph, modulus=3, constants={"bias": [0, 1.5, 2]})
    for wrong in ({0: "a", 1: "b", 2: "c"}, {0: [1], 1: [2, 3], 2: 3}, ["a", "b", "c"], [1j, 2, 3], [[1], [2, 3]]):
        with pytest.raises(
            ParameterError, match=r"was passed; allowed are numbers of shape \(3,\): a dict or a pandas"
        ):
            lux.run(Many, graph, modulus=3, constants={"bias": wrong})
    with pytest.raises(
        ParameterError, match="constants maps constant fields' names to arrays, and the int 3 was passed"
    ):
        lux.run(Many, graph, modulus=3, constants=3)
    with pytest.raises(GraphError, match="Nearest reads the edge property 'weight'; this graph has none"):
        lux.run(Nearest, lux.toy.path(3), source=0)
    with pytest.raises(ParameterError, match="model='sideways' was passed; allowed are auto, pull, push"):
        lux.run(Nearest, graph, source=0, model="sideways")
    for limit in (-1, 1.5, True):
        with pytest.raises(ParameterError, match=f"max_iter={limit} was passed; allowed are whole numbers from 0"):
            lux.run(Nearest, graph, source=0, max_iter=limit)


@pytest.mark.slow
def test_limits_beyond_64_bits_are_none():
    for graph in (lux.toy.complete(20), lux.toy.path(20)):
        for asked in ({}, {"parts": 2}, {"strategy": "hybrid"}, {"direction": "estimates"}):
            unlimited, limited = (lux.bfs(graph, 0, max_iter=limit, **asked) for limit in (None, 10**30))
            assert (limited.iterations, limited.converged) == (unlimited.iterations, True)


@pytest.mark.parametrize("asked", [{"model": ["pull"]}, {"strategy": ["hybrid"]}, {"direction": ["edges"]}])
def test_names_that_are_no_strings_are_refused(asked):
    with pytest.raises(ParameterError, match=f"{next(iter(asked))}=.* was passed; allowed are auto"):
        lux.bfs(lux.toy.path(3), 0, **asked)


def test_numpy_numbers_are_parameters_too():
    graph = Edges(3, [(0, 1), (1, 2)], [1, 2], directed=True).graph()
    assert lux.run(Nearest, graph, source=np.int64(0))["dist"].dense().tolist() == [0, 1, 3]


def test_a_parameter_of_another_type_compiles_again():
    graph = Edges(2, [(0, 1)], [3], directed=True).graph()
    for above, expected in ((2, True), (2.5, True), (3, False), (3.5, False)):
        result = lux.run(Marked, graph, step=2, above=above, enough=9)
        assert result["mark"].dense().tolist() == [True, expected]


@pytest.mark.check
@pytest.mark.parametrize("parts", [None, 1, 5])
@pytest.mark.parametrize("model", MODELS)
def test_no_edges(parts, model):
    graph = Edges(5, [], [], directed=True).graph()
    assert graph.dense_out_degrees().tolist() == [0] * 5
    for _ in range(10):  # what is there depends on what was in that memory before
        result = lux.run(Widest, graph, source=3, parts=parts, model=model)
        assert result["via"].dense().tolist() == [-1, -1, -1, 3, -1]
        assert lux.bfs(graph, 3, parts=parts, model=model).distances.dense().tolist() == [-1, -1, -1, 0, -1]
