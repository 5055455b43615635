# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Vector fields, and a program's own way of combining contributions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.errors import ParameterError, ProgramError
from lux_cases.examples import one_order, some

RUNS = [(parts, model) for parts in (None, 1, 3) for model in ("pull", "push")]


def ways(chance, number):
    """Orders, partitions and models of runs; by ``make test`` of one order, as programs are compiled for each."""
    return [(order, *run) for order in one_order(chance) for run in some(RUNS, chance, number)]


class Mixed(lux.Program):
    """Vectors of two lengths, constant ones, elements, inner products, beside a scalar."""

    p = lux.field(np.float32, shape=5, reduce=lux.ADD)
    q = lux.field(np.float64, shape=3)
    n = lux.field(np.float64, reduce=lux.ADD)
    c = lux.field(np.float64, constant=True, shape=5)

    def start(v, params):
        v.p = v.c
        v.q[1] = 2.0
        for k in range(3):
            v.q[k] += k

    def compute(v, u, edge, params):
        return 0.5 * u.p + u.c, lux.dot(u.p, v.p)

    def update(v, old, params):
        v.p = v.p * 0.01 + old.p
        v.q *= params.factor
        v.q[0] = lux.dot(v.p, old.c)

    @lux.aggregate
    def mass(v, old, params):
        return lux.dot(v.p, v.p)

    def converged(params):
        return params.mass < 0


def expected(matrix, c, iterations):
    """What `Mixed` means, by NumPy."""
    p, q, n = c.copy(), np.zeros((len(c), 3)), np.zeros(len(c))
    q[:, 1] = 2
    q += np.arange(3)
    for _ in range(iterations):
        n = (matrix.T @ p * p).sum(axis=1)
        p = 0.01 * (matrix.T @ (0.5 * p + c)) + p
        q *= 0.5
        q[:, 0] = (p * c).sum(axis=1)
    return {"p": p, "q": q, "n": n}


@settings(max_examples=15)
@given(n=st.integers(3, 12), pairs=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40))
def test_vectors(chance, n, pairs):
    u, v = np.array([(a % n, b % n) for a, b in pairs], np.int64).reshape(-1, 2).T
    graph, c = lux.from_edges(u, v, n_vertices=n), np.random.default_rng(n).random((n, 5))
    matrix = np.zeros((n, n))
    np.add.at(matrix, (u, v), 1)
    wanted = expected(matrix, c, 3)
    for order, parts, model in ways(chance, len(RUNS)):
        moved = graph.reordered(order)
        found = lux.run(Mixed, moved, constants={"c": c}, factor=0.5, parts=parts, model=model, max_iter=3)
        for name, values in wanted.items():
            np.testing.assert_allclose(found[name].to_numpy(), values, rtol=1e-5, atol=1e-6)


@pytest.mark.check
def test_vectors_of_results():
    found = lux.run(Mixed, lux.toy.kite(), constants={"c": np.ones((10, 5))}, factor=1.0, max_iter=1)
    assert found["p"].to_numpy().shape == (10, 5)
    assert found["q"].length == 3
    assert found["q"][4] == found["q"].to_numpy()[4].tolist()
    assert list(found.to_pandas().columns) == [*(f"p_{k}" for k in range(5)), "q_0", "q_1", "q_2", "n"]
    with pytest.raises(ParameterError, match="vectors have no order"):
        found.top(3)
    with pytest.raises(ParameterError, match=r"c has shape \(10,\); allowed is \(10, 5\)"):
        lux.run(Mixed, lux.toy.kite(), constants={"c": np.ones(10)}, factor=1.0, max_iter=1)


class Reach(lux.Program):
    """Which of 100 vertices reach each vertex, with a frontier."""

    seen = lux.field(np.uint64, shape=2, reduce=lux.OR)

    def start(v, params):
        if v.id < 64:
            v.seen[0] = 1 << v.id
        elif v.id < 100:
            v.seen[1] = 1 << (v.id - 64)
        return v.id < 100

    def compute(v, u, edge, params):
        return u.seen

    def update(v, old, params):
        return v.seen[0] != old.seen[0] or v.seen[1] != old.seen[1]


def test_vectors_with_a_frontier(chance):
    graph = lux.generate("kronecker:8")
    reference = graph.to_scipy(weight=None).toarray() > 0
    reaches = np.eye(graph.n_vertices, dtype=bool)[:, :100]
    for _ in range(20):
        reaches |= reference.T @ reaches
    for order, parts, model in [*ways(chance, 3), (one_order(chance)[0], 2, "auto")]:
        seen = lux.run(Reach, graph.reordered(order), parts=parts, model=model)["seen"].to_numpy()
        bits = (seen[:, :, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        np.testing.assert_array_equal(bits.reshape(len(seen), 128)[:, :100] != 0, reaches)


class Moments(lux.Program):
    """Count, mean and sum of squared differences of the in-neighbours' values (Chan, Golub and LeVeque 1979)."""

    x = lux.field(np.float64)
    count = lux.field(np.float64, reduce=lux.CUSTOM)
    mean = lux.field(np.float64, reduce=lux.CUSTOM)
    squares = lux.field(np.float64, reduce=lux.CUSTOM)

    def start(v, params):
        v.x = np.sin(v.id)

    def compute(v, u, edge, params):
        return 1.0, u.x, 0.0

    def combine(a, b):
        total = a.count + b.count
        if total > 0:
            away = b.mean - a.mean
            a.mean = a.mean + away * b.count / total
            a.squares = a.squares + b.squares + away * away * a.count * b.count / total
            a.count = total

    def update(v, old, params):
        v.x = old.x


class Overwritten(lux.Program):
    """Vectors that are made of their own inner product and elements, and of other elements by computed indices."""

    p = lux.field(np.float64, shape=4, reduce=lux.ADD)
    q = lux.field(np.float64, shape=4)
    r = lux.field(np.float64, shape=4)

    def start(v, params):
        for k in range(4):
            v.p[k] = v.id + k + 1
        v.p = v.p / math.sqrt(lux.dot(v.p, v.p))

    def compute(v, u, edge, params):
        return u.p - u.p[0] * v.p

    def update(v, old, params):
        v.q = v.p
        v.p -= v.p[0]
        v.r[0] = 1.0
        for k in range(1, 4):
            for i in range(k):
                v.r[k] += v.q[i] + i
        v.q = v.q[3] if v.q[3] > 0 else -v.q


def test_what_a_vector_is_made_of_may_be_itself(chance):
    graph = lux.generate("kronecker:6")
    matrix = graph.to_scipy(weight=None).toarray() > 0
    p = np.arange(graph.n_vertices)[:, None] + np.arange(1.0, 5)
    p /= np.linalg.norm(p, axis=1)[:, None]
    gathered = np.stack([(p[m] - p[m][:, :1] * p[v]).sum(axis=0) for v, m in enumerate(matrix.T)])
    wanted = {"p": gathered - gathered[:, :1], "q": np.where(gathered[:, 3:] > 0, gathered[:, 3:], -gathered)}
    r = np.zeros_like(p)
    r[:, 0] = 1
    for k in range(1, 4):
        r[:, k] = gathered[:, :k].sum(axis=1) + k * (k - 1) / 2
    wanted["r"] = r
    for order, parts, model in ways(chance, 3):
        found = lux.run(Overwritten, graph.reordered(order), parts=parts, model=model, max_iter=1)
        for name, values in wanted.items():
            np.testing.assert_allclose(found[name].to_numpy(), values, atol=1e-12)


def test_own_combine(chance):
    graph = lux.generate("kronecker:8")
    matrix = graph.to_scipy(weight=None).toarray() > 0
    x = np.sin(np.arange(graph.n_vertices))
    for order, parts, model in ways(chance, 3):
        found = lux.run(Moments, graph.reordered(order), parts=parts, model=model, max_iter=1)
        for v in range(graph.n_vertices):
            near = x[matrix[:, v]]
            assert found["count"].to_numpy()[v] == len(near)
        np.testing.assert_allclose(
            found["squares"].to_numpy(),
            [((x[m] - x[m].mean()) ** 2).sum() if m.any() else 0 for m in matrix.T],
            atol=1e-9,
        )


BASE = """
import numpy as np
import lux

K = 4

class Mine(lux.Program):
    p = lux.field(np.float64, shape=K, reduce=lux.ADD)
    r = lux.field(np.float64, shape=2)
    s = lux.field(np.float64)
    def start(v, params):
        {start}
    def compute(v, u, edge, params):
        return {compute}
    def update(v, old, params):
        {update}
"""


@pytest.mark.parametrize(
    "part,message",
    [
        ({"update": "v.s = v.p"}, "a vector can only be assigned to a vector field"),
        ({"update": "v.p = v.r"}, "a vector of length 2 cannot be assigned to one of length 4"),
        ({"update": "v.p = v.p + v.r"}, "combines vectors of lengths 2, 4"),
        ({"update": "v.p[4] = 1"}, r"v.p\[4\] is out of range: the vector has 4 elements"),
        ({"update": "v.p[int(v.s)] = 1"}, "an index is a constant, or the variable of an enclosing"),
        ({"update": "for k in range(5):\n            v.p[k] = 1"}, r"v.p\[k\] runs from 0 to 4, which is out of range"),
        ({"update": "for k in range(1, K):\n            v.p[k - 2] = 1"}, r"v.p\[k - 2\] runs from -1 to 1"),
        ({"update": "v.p[-1] = 1"}, r"v.p\[-1\] is out of range: the vector has 4 elements"),
        ({"update": "v.s = np.sum(v.p)"}, "to make a number of it use lux.dot, or a loop over its elements"),
        ({"update": "v.s = lux.dot(v.p, v.r)"}, "lux.dot takes two vector fields of equal length"),
        ({"update": "old.p = v.p"}, "cannot be assigned here"),
        ({"update": "if v.p > 0:\n            v.s = 1"}, "v.p is a vector: use it in"),
        ({"compute": "u.r"}, "p has length 4, and its contribution 2"),
        ({"compute": "u.p, 1.0"}, "compute must return one value; it returns 2"),
    ],
)
def test_mistakes(tmp_path, part, message):
    text = BASE.format(**({"start": "v.p = 1.0", "compute": "u.p", "update": "v.p = v.p"} | part))
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(ProgramError, match=message):
        exec(compile(text, path, "exec"), {"__name__": "mine"})


def test_mistakes_of_fields():
    with pytest.raises(ProgramError, match="shape=0 was passed"):
        lux.field(np.float32, shape=0)
    with pytest.raises(ProgramError, match="a vector field holds numbers"):
        lux.field(lux.VERTEX, shape=2)
    with pytest.raises(ProgramError, match=r"reduce='add' was passed; allowed are lux.ADD, lux.MIN"):
        lux.field(np.float32, reduce="add")
    with pytest.raises(ProgramError, match="identity='a' was passed; allowed are numbers"):
        lux.field(np.float32, reduce=lux.CUSTOM, identity="a")
    with pytest.raises(ProgramError, match=r"identity=1 was passed; only a field with reduce=lux\.CUSTOM"):
        lux.field(np.float32, reduce=lux.ADD, identity=1)
    with pytest.raises(ProgramError, match="combined by a function combine"):

        class Lacking(lux.Program):
            x = lux.field(np.float64, reduce=lux.CUSTOM)

            def start(v, params):
                v.x = 0

            def compute(v, u, edge, params):
                return u.x

            def update(v, old, params):
                v.x = old.x


class Ones(lux.Program):
    """Contributions that read nothing."""

    count = lux.field(np.int64, shape=2, reduce=lux.ADD)

    def start(v, params):
        v.count = 0

    def compute(v, u, edge, params):
        return 1

    def update(v, old, params):
        v.count[1] = 7


def test_contributions_that_read_nothing():
    graph = lux.toy.kite()
    for parts, model in [(None, "pull"), (2, "push")]:
        found = lux.run(Ones, graph, parts=parts, model=model, max_iter=1)["count"].to_numpy()
        assert found[:, 0].tolist() == graph.dense_in_degrees().tolist()
        assert (found[:, 1] == 7).all()


class Allocating(lux.Program):
    x = lux.field(np.float64, reduce=lux.ADD)

    def start(v, params):
        v.x = 0.0

    def compute(v, u, edge, params):
        return np.zeros(3)[0] + u.x

    def update(v, old, params):
        v.x = v.x + 1.0


def test_functions_that_allocate_are_refused_by_name():
    with pytest.raises(ProgramError, match=r"Allocating.compute, .*test_vectors.py, line \d+: Numba cannot compile it"):
        lux.run(Allocating, lux.toy.kite(), max_iter=1)
