# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix factorization beside dense NumPy, a program, exact low-rank matrices, and real ratings."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.algorithms.factorization.factorization import prepare, verify
from lux.errors import ConfigurationError, ConvergenceError, GraphError, LuxError, ParameterError, WeightError
from lux_cases.examples import QUICK, examples
from lux_cases.machine import team_size

PARTS = (None, 1, 2, 3, 7)
METHODS = ("als", "gd")


def ratings(n_users=30, n_items=20, rank=2, density=0.6, seed=0, noise=0.1):
    """Users, items and ratings of a low-rank matrix."""
    rng = np.random.default_rng(seed)
    matrix = rng.uniform(0.5, 1.5, (n_users, rank)) @ rng.uniform(0.5, 1.5, (rank, n_items))
    matrix += noise * rng.normal(size=matrix.shape)
    users, items = np.nonzero(rng.random(matrix.shape) < density)
    return users, items, matrix[users, items]


def graph_of(users, items, values, **more):
    return lux.from_edges(users, items, weight=values, bipartite=True, **more)


@pytest.fixture(scope="module")
def small():
    return graph_of(*ratings())


@st.composite
def rating_lists(draw):
    n = draw(st.integers(1, 40))
    ends = st.lists(st.integers(0, 8), min_size=n, max_size=n)
    values = st.lists(st.integers(1, 5), min_size=n, max_size=n)
    kinds = [float] if QUICK else [np.int32, float]  # a kernel for each; test_types_of_ratings has the others
    return np.array(draw(ends)), np.array(draw(ends)), np.array(draw(values), draw(st.sampled_from(kinds)))


def dense(result):
    """Users, items and ratings as rows of the result's factors."""
    edges = result.graph.dense_edge_list()
    return edges.sources.astype(int), edges.destinations.astype(int), edges.properties["weight"]


def solved(factors, mine, others, values, weight, by_degree):
    """Least squares for every vertex in ``mine``, by NumPy."""
    out, k = np.zeros_like(factors), factors.shape[1]
    for v in np.unique(mine):
        rows, targets = factors[others[mine == v]], values[mine == v]
        scale = len(targets) if by_degree else 1
        out[v] = np.linalg.solve(rows.T @ rows + weight * scale * np.eye(k), rows.T @ targets)
    return out


def close(found, expected, rtol=1e-9):
    np.testing.assert_allclose(found, expected, rtol=0, atol=rtol * max(np.abs(expected).max(), 1e-3))


@examples(15)
@given(
    data=rating_lists(),
    k=st.sampled_from([1, 2, 3, 7, 8, 9]),
    weight=st.sampled_from([0.05, 1.0]),
    by_degree=st.booleans(),
    parts=st.sampled_from(PARTS),
)
def test_least_squares_beside_numpy(data, k, weight, by_degree, parts):
    graph = graph_of(*data)
    parts = None if parts is None else min(parts, graph.n_vertices)
    options = {"regularization": weight, "by_degree": by_degree, "test": 0, "tol": 0, "dtype": np.float64}
    before = lux.factorize(graph, k, max_iter=1, **options)
    found = lux.factorize(graph, k, max_iter=2, parts=parts, **options)
    users, items, values = dense(found)
    left = solved(before.factors.dense(), users, items, values, weight, by_degree)
    right = solved(left, items, users, values, weight, by_degree)
    close(found.factors.dense(), left + right)
    verify(found)


@examples(15)
@given(data=rating_lists(), k=st.sampled_from([1, 3, 8, 9]), by_degree=st.booleans(), parts=st.sampled_from(PARTS))
def test_gradient_descent_beside_numpy(data, k, by_degree, parts):
    """Equations 3 to 5 of the paper."""
    graph = graph_of(*data)
    parts = None if parts is None else min(parts, graph.n_vertices)
    rate, weight = 1e-4, 0.1
    options = {"learning_rate": rate, "regularization": weight, "by_degree": by_degree, "test": 0, "tol": 0}
    options |= {"method": "gd", "dtype": np.float64}
    before = lux.factorize(graph, k, max_iter=1, **options)
    found = lux.factorize(graph, k, max_iter=2, parts=parts, **options)
    users, items, values = dense(found)
    p = before.factors.dense()
    errors = values - (p[users] * p[items]).sum(axis=1)
    counts = np.bincount(np.concatenate([users, items]), minlength=len(p))[:, None]
    step = -weight * p * (counts if by_degree else 1)
    np.add.at(step, users, errors[:, None] * p[items])
    np.add.at(step, items, errors[:, None] * p[users])
    assert (before.best, found.best) == (1, 2)
    close(found.factors.dense(), p + rate * step)
    verify(found)


@pytest.mark.parametrize("order", ["given", pytest.param("degree", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "asked",
    [
        {"dtype": np.float64},
        pytest.param({"dtype": np.float32}, marks=pytest.mark.slow),
        {"dtype": np.float64, "learning_rate": 1e-3, "by_degree": False, "test": 0},
        {"dtype": np.float64, "parts": 3, "test": 0.5},
    ],
    ids=["float64", "float32", "rate", "partitions"],
)
def test_the_program_takes_the_steps_of_the_sweeps(small, order, asked):
    graph, options = small.reordered(order), {"method": "gd", "max_iter": 12} | asked
    expected = lux.factorize(graph, 5, **options, strategy="partitions")
    done = []
    prepare(graph, 5, method="gd", strategy="program", parts=asked.get("parts"))
    found = lux.factorize(graph, 5, **options, strategy="program", progress=done.append)
    verify(found)
    close(found.factors.dense(), expected.factors.dense(), 1e-11 if asked["dtype"] == np.float64 else 1e-5)
    assert (found.strategy, expected.strategy) == ("program", "partitions")
    assert (found.parts, found.best) == (expected.parts, expected.best)
    assert done == list(range(1, 13))
    for mine, others in zip(found.sweeps, expected.sweeps, strict=True):
        assert mine.objective == pytest.approx(others.objective, rel=1e-5)
        assert mine.test_rmse == pytest.approx(others.test_rmse, rel=1e-5, nan_ok=True)


def test_the_program_stops_and_diverges_as_the_sweeps_do(small):
    options = {"method": "gd", "dtype": np.float64, "regularization": 0.05}
    sweeps, program = (lux.factorize(small, 3, **options, strategy=name) for name in ("partitions", "program"))
    assert (program.iterations, program.best) == (sweeps.iterations, sweeps.best)
    assert program.converged
    with pytest.raises(ConvergenceError, match=r"learning_rate=100\.0 diverged"):
        lux.factorize(small, 3, **options, learning_rate=100.0, strategy="program")


@pytest.mark.parametrize("method", METHODS)
def test_the_result_says_why_a_strategy_ran(small, method):
    with lux.using(device="cpu"):
        prepare(small, 3, method=method, parts=2)
        found = lux.factorize(small, 3, method=method, max_iter=1, parts=2)
    assert (found.strategy, found.refusals) == ("partitions", {"gpus": "device='cpu' is asked for"})


@pytest.mark.parametrize(
    "asked, message",
    [
        ({"strategy": "program"}, "method='als' is asked for, and the program is gradient descent"),
        ({"strategy": "partition"}, r"did you mean partitions\? Allowed are auto, gpus, partitions, program"),
        ({"strategy": None}, "strategy=None was passed; allowed are auto"),
    ],
)
def test_strategies_that_there_are_not_or_that_cannot(small, asked, message):
    with pytest.raises(ParameterError, match=message):
        lux.factorize(small, 3, **asked)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_partitions_gives_the_same(small, method, dtype):
    results = [lux.factorize(small, 6, method=method, max_iter=12, dtype=dtype, parts=parts) for parts in PARTS]
    results.append(lux.factorize(small.reordered("degree"), 6, method=method, max_iter=12, dtype=dtype))
    results.append(lux.factorize(small.reordered("degree"), 6, method=method, max_iter=12, dtype=dtype, parts=3))
    for found in results:
        verify(found)
        assert found.factors.dense().dtype == dtype
        close(found.factors.dense(), results[0].factors.dense(), 1e-12 * 13 if dtype == np.float64 else 1e-5 * 13)
        assert found.test_rmse == pytest.approx(results[0].test_rmse, rel=1e-5)
        assert found.best == results[0].best
    assert [r.parts for r in results] == [1, 1, 2, 3, 7, 1, 3]
    assert {r.threads for r in results[:1]} == {team_size()}


@pytest.mark.parametrize("method", METHODS)
def test_a_low_rank_matrix_is_recovered(method):
    users, items, values = ratings(40, 30, rank=2, density=0.7, noise=0)
    graph = graph_of(users, items, values)
    limit = 300 if method == "als" else 2000
    exact = {"regularization": 1e-10, "tol": 0, "dtype": np.float64, "test": 0.1, "max_iter": limit}
    found = lux.factorize(graph, 2, method=method, **exact)
    assert found.train_rmse < 1e-3
    assert found.test_rmse < 1e-2
    np.testing.assert_allclose(found.predict(users, items), values, atol=0.05)


def test_rows_longer_than_a_block_of_sums():
    """A user of 3,000 items, in float32, beside NumPy in float64."""
    rng = np.random.default_rng(4)
    n, k = 3000, 5
    users = np.concatenate([np.zeros(n, int), rng.integers(1, 40, 6 * n)])
    items = np.concatenate([np.arange(n), rng.integers(0, n, 6 * n)])
    values = rng.uniform(1, 5, 7 * n)
    options = {"test": 0, "tol": 0, "regularization": 0.1}
    for method in METHODS:
        found = lux.factorize(graph_of(users, items, values), k, method=method, max_iter=3, **options)
        verify(found)
        exact = lux.factorize(graph_of(users, items, values), k, method=method, max_iter=3, dtype=float, **options)
        close(found.factors.dense(), exact.factors.dense(), 1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_the_test_part_depends_on_ends_and_seed_alone(small, method):
    one = lux.factorize(small, 3, method=method, max_iter=2, test=0.3)
    again = lux.factorize(small, 7, method="als", max_iter=1, test=0.3, parts=5)
    other = lux.factorize(small, 3, method=method, max_iter=2, test=0.3, seed=2)
    assert (one.trained.dense() == again.trained.dense()).all()
    assert (one.trained.dense() != other.trained.dense()).any()
    n = one.n_train + one.n_test
    assert n == small.n_edges // 2 or n == small.n_edges
    assert abs(one.n_test - 0.3 * n) < 4 * math.sqrt(0.21 * n)
    assert one.trained.dense().sum() == 2 * one.n_train
    for found in (one, again, other):
        verify(found)


def test_repeated_ratings_are_in_one_part():
    users, items, values = ratings()
    twice = graph_of(np.tile(users, 2), np.tile(items, 2), np.tile(values, 2))
    found = lux.factorize(twice, 2, max_iter=2, test=0.5)
    assert (found.trained.dense() % 2 == 0).all()
    verify(found)


@pytest.mark.parametrize("method", METHODS)
def test_early_stop_keeps_the_best(method):
    graph = graph_of(*ratings(60, 40, rank=3, density=0.3, noise=0.5))
    options = {"method": method, "regularization": 0.05, "test": 0.3}
    found = lux.factorize(graph, 8, **options)
    assert found.converged
    errors = [step.test_rmse for step in found.sweeps]
    assert found.test_rmse == min(errors) == errors[found.best - 1]
    assert found.best <= found.iterations < {"als": 50, "gd": 500}[method]
    all_of_them = lux.factorize(graph, 8, tol=0, max_iter=found.iterations + 5, **options)
    assert (all_of_them.iterations, all_of_them.converged) == (found.iterations + 5, False)
    verify(all_of_them)
    without = lux.factorize(graph, 8, method=method, regularization=0.1, test=0, max_iter=2000)
    assert without.converged
    assert math.isnan(without.test_rmse)
    assert without.n_test == 0
    objectives = [step.objective for step in without.sweeps]
    assert (np.diff(objectives) <= 1e-6 * objectives[0]).all()
    verify(without)


def test_both_methods_find_the_same_minimum(small):
    options = {"test": 0, "tol": 1e-9, "dtype": np.float64, "max_iter": 5000}
    als, gd = (lux.factorize(small, 2, method=method, **options) for method in METHODS)
    assert gd.objective == pytest.approx(als.objective, rel=1e-4)


def test_predictions(small):
    found = lux.factorize(small, 4, max_iter=5)
    p, q = found.user_factors, found.item_factors
    assert (p.shape, q.shape) == ((30, 4), (20, 4))
    assert found.factors.to_numpy().shape == (50, 4)
    for name in (3, "3", "left:3", np.int64(3)):
        assert found.predict(name, "right:5") == pytest.approx(p[3] @ q[5], rel=1e-6)
    assert isinstance(found.predict(3, 5), float)
    table = found.predict(np.arange(30)[:, None], np.arange(20)[None, :])
    np.testing.assert_allclose(table, p @ q.T, rtol=1e-5)
    np.testing.assert_allclose(found.predict(["left:1", "left:2"], 7), table[[1, 2], 7])
    for user, message in ((99, "left:99"), ([1, 99], "left:99"), ("left:99", "left:99"), ("x", "left:x")):
        with pytest.raises(GraphError, match=message):
            found.predict(user, 0)
    with pytest.raises(ParameterError, match="'right:3' is a right vertex, and a left one is wanted here"):
        found.predict("right:3", 0)
    with pytest.raises(ParameterError, match="'left:3' is a left vertex"):
        found.predict(3, "left:3")


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("parts", [None, 3])
def test_recommendations(small, order, parts):
    found = lux.factorize(small.reordered(order), 4, max_iter=5, parts=parts)
    users, items, _ = ratings()
    scores = found.user_factors[7].astype(float) @ found.item_factors.T.astype(float)
    new = np.setdiff1d(np.arange(20), items[users == 7])
    expected = [f"right:{i}" for i in sorted(new, key=lambda i: -scores[i])]
    for name in (7, "left:7"):
        assert [item for item, _ in found.recommend(name, 100)] == expected
    assert found.rated_by(7) == found.rated_by("left:7") == [f"right:{i}" for i in np.unique(items[users == 7])]
    rated = {*zip(*(ends.tolist() for ends in found.ratings()[:2]), strict=True)}
    assert rated == {(f"left:{u}", f"right:{i}") for u, i in zip(users.tolist(), items.tolist(), strict=True)}
    assert found.recommend(7, 2) == found.recommend(7)[:2]
    assert found.recommend(7, 0) == []
    every = found.recommend(7, 100, rated=True)
    assert len(every) == 20
    assert [score for _, score in every] == sorted((score for _, score in every), reverse=True)
    with pytest.raises(ParameterError, match="allowed are numbers from 0"):
        found.recommend(7, -1)
    with pytest.raises(GraphError, match="left:77"):
        found.recommend(77)


@pytest.mark.check
def test_a_directed_graph_has_sides():
    users, items, values = ratings()
    reference = lux.factorize(graph_of(users, items, values), 3, max_iter=3, test=0)
    plain = lux.from_edges(users, items + 30, weight=values, n_vertices=52)
    found = lux.factorize(plain, 3, max_iter=3, test=0)
    close(found.factors.dense()[:50], reference.factors.dense(), 1e-5)
    assert not found.factors.dense()[50:].any()
    assert found.predict(3, 35) == pytest.approx(reference.predict(3, 5), rel=1e-5)
    assert found.recommend(7)[0][0] == int(reference.recommend(7)[0][0].removeprefix("right:")) + 30
    assert found.recommend(51, 3) == [(30, found.mean), (31, found.mean), (32, found.mean)]
    with pytest.raises(ParameterError, match="35 is a right vertex"):
        found.recommend(35)
    verify(found)
    named = lux.from_edges([f"u{u}" for u in users], [f"i{i}" for i in items], weight=values)
    verify(lux.factorize(named, 3, max_iter=3))


def test_without_training_ratings_the_mean_is_predicted():
    graph = graph_of([0, 0, 1, 1, 2, 3], [0, 1, 0, 1, 1, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 2.0])
    for seed in range(1, 6):
        found = lux.factorize(graph, 2, max_iter=2, test=0.5, seed=seed)
        cold = np.flatnonzero(found.trained.dense()[:4] == 0)
        for user in cold:
            assert found.predict(int(user), 0) == pytest.approx(found.mean)
        verify(found)


@pytest.mark.parametrize(
    "kind",
    [np.int64, np.float64, *(pytest.param(kind, marks=pytest.mark.slow) for kind in (np.int32, np.float32, np.uint8))],
)
def test_types_of_ratings(kind):
    users, items, values = ratings()
    whole = np.round(2 * values).astype(kind)
    found = lux.factorize(graph_of(users, items, whole), 3, max_iter=3, test=0)
    expected = lux.factorize(graph_of(users, items, whole.astype(np.float64)), 3, max_iter=3, test=0)
    close(found.factors.dense(), expected.factors.dense(), 1e-5)


def test_the_only_edge_property_holds_the_ratings():
    users, items, values = ratings()
    graph = lux.from_edges(users, items, bipartite=True, stars=values)
    expected = lux.factorize(graph_of(users, items, values), 2, max_iter=2)
    for weight in (None, "stars"):
        found = lux.factorize(graph, 2, max_iter=2, weight=weight)
        assert found.weight == "stars"
        close(found.factors.dense(), expected.factors.dense(), 1e-6)
        verify(found)


@pytest.mark.parametrize("method", METHODS)
def test_ratings_of_any_size(method):
    users, items, values = ratings()

    def found(scale):
        graph = graph_of(users, items, scale * values)
        return lux.factorize(graph, 3, method=method, regularization=0.1 * abs(scale), dtype=np.float64)

    expected = found(1.0)
    for scale, rtol in ((1e-3, 1e-6), (1e4, 1e-6), (-1.0, 0.05)):
        result = found(scale)
        assert result.test_rmse == pytest.approx(abs(scale) * expected.test_rmse, rel=rtol)
        verify(result)


@pytest.mark.parametrize(
    "options,message",
    [
        ({"k": 0}, "k=0 was passed; allowed are whole numbers from 1 to 512"),
        ({"k": 513}, "k=513 was passed"),
        ({"k": 2.5}, "k=2.5 was passed"),
        ({"k": True}, "k=True was passed"),
        ({"method": "sgd"}, "method='sgd' was passed; allowed are als, gd"),
        ({"regularization": -1}, "regularization=-1 was passed; allowed are finite numbers from 0"),
        ({"regularization": math.nan}, "regularization=nan was passed"),
        ({"learning_rate": 0.1}, "learning_rate is for method='gd'"),
        ({"method": "gd", "learning_rate": 0}, "learning_rate=0 was passed; allowed are positive numbers, or None"),
        ({"max_iter": 0}, "max_iter=0 was passed; allowed are whole numbers from 1"),
        ({"tol": -1}, "tol=-1 was passed"),
        ({"test": 1}, "test=1 was passed; allowed are fractions from 0 to below 1"),
        ({"test": -0.1}, "test=-0.1 was passed"),
        ({"seed": -1}, "seed=-1 was passed"),
        ({"dtype": np.int32}, "dtype=int32 was passed; allowed are float32 and float64"),
        ({"parts": 0}, "parts=0 was passed"),
    ],
)
def test_wrong_arguments(small, options, message):
    with pytest.raises(ParameterError, match=message):
        lux.factorize(small, **options)


def test_wrong_graphs():
    users, items, values = ratings()
    with pytest.raises(GraphError, match="has no edge property 'weight'; its edge properties are: none"):
        lux.factorize(lux.from_edges(users, items, bipartite=True))
    with pytest.raises(GraphError, match="has no edge property 'stars'"):
        lux.factorize(graph_of(users, items, values), weight="stars")
    with pytest.raises(GraphError, match=r"not bipartite: vertex 0 \(20 in all\) has both in- and out-edges"):
        lux.factorize(lux.from_edges(users, items, weight=values))
    with pytest.raises(GraphError, match="undirected and has one id space"):
        lux.factorize(lux.toy.two_triangles())
    wrong = lux.from_edges([0, 1], [1, 2], weight=[1.0, 2.0])
    wrong.ids = lux.from_edges([0, 1], [0, 0], bipartite=True).ids  # as with ids from another graph's file
    with pytest.raises(GraphError, match="an edge joins two vertices of the same side"):
        lux.factorize(wrong)
    for bad in (math.nan, math.inf):
        with pytest.raises(WeightError, match="1 ratings are NaN or infinite"):
            lux.factorize(graph_of([0, 0], [0, 1], [1.0, bad]))
    with pytest.raises(ParameterError, match=r"test=0.999999 leaves none of 1 ratings to train with"):
        lux.factorize(graph_of([0], [0], [1.0]), test=0.999999)


@pytest.mark.check
def test_divergence_is_an_error(small):
    with pytest.raises(ConvergenceError, match=r"learning_rate=5 diverged in iteration \d+: pass a smaller one"):
        lux.factorize(small, method="gd", learning_rate=5)
    huge = graph_of([0, 0, 1], [0, 1, 1], [1e38, 1e38, 1e38])
    for method in METHODS:
        with pytest.raises(ConvergenceError, match="beyond float32: pass dtype=float64"):
            lux.factorize(huge, 2, method=method, test=0)
        lux.factorize(huge, 2, method=method, test=0, dtype=np.float64)


def test_progress(small):
    seen = []
    lux.factorize(small, 2, max_iter=3, tol=0, progress=seen.append)
    assert seen == [1, 2, 3]


@pytest.mark.check
@pytest.mark.parametrize(
    "change,message",
    [
        ({"regularization": 0.2}, "objective is"),
        ({"seed": 5}, "held out by the seed|training ratings|train_rmse"),
    ],
)
def test_verifier(small, change, message):
    result = lux.factorize(small, 3)
    verify(result)
    for name, value in change.items():
        object.__setattr__(result, name, value)
    with pytest.raises(LuxError, match=message):
        verify(result)
    result = lux.factorize(small, 3)
    object.__setattr__(result, "kept", result.sweeps[0])
    with pytest.raises(LuxError, match="train_rmse is"):
        verify(result)


def test_verifier_looks_at_normal_equations(small):
    one, two = (lux.factorize(small, 3, method=method, max_iter=4) for method in METHODS)
    verify(two)
    object.__setattr__(two, "method", "als")
    with pytest.raises(LuxError, match="do not solve their normal equations"):
        verify(two)
    verify(one)


def test_real_ratings(shared_data):
    graph = lux.read_graph(shared_data / "movielens-1m-part.csv.gz", bipartite=True)
    als, gd = (lux.factorize(graph, method=method) for method in METHODS)
    for found in (als, gd):
        verify(found)
        assert found.converged
    assert als.test_rmse < 0.913  # the best of stochastic gradient descent with this regularization is about 0.914
    assert gd.test_rmse < 1.02 * als.test_rmse
    parts = lux.factorize(graph, parts=5)
    close(parts.factors.dense(), als.factors.dense(), 1e-4)


def test_gpus_that_are_not_there():
    graph = lux.from_edges([7, 8], [1, 2], weight=[2.0, 4.0], bipartite=True)
    with lux.using(device="gpu"), pytest.raises(ConfigurationError, match="given no GPU"):
        lux.factorize(graph)
