# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Factorizations on GPUs are those of CPU cores: factors, errors, and which iteration was the best."""

from functools import cache

import numpy as np
import pytest

import lux
from lux.errors import ConfigurationError, ConvergenceError
from lux_cases.builtin import verify
from lux_cases.machine import gpus, peer_access

pytestmark = pytest.mark.gpu

GRAPHS = ("uniform", "hubs", "few", "one user", "one rating", "directed")
METHODS = ("als", "gd")
DTYPES = (np.float32, np.float64)


@cache
def graph(name, order="given"):
    rng = np.random.default_rng(5)
    if name == "directed":  # one id space; vertices of both sides lie among each other, and some have no rating
        u, v = 2 * rng.integers(0, 200, 3000), 2 * rng.integers(0, 90, 3000) + 1
        return lux.from_edges(u, v, weight=rng.integers(1, 6, 3000), directed=True, n_vertices=450).reordered(order)
    n = {"uniform": 3000, "hubs": 60000, "few": 500, "one user": 2500, "one rating": 1}[name]
    users, items = {"hubs": (9000, 60), "few": (700, 300), "one user": (1, 4000)}.get(name, (120, 70))
    u, v = rng.integers(0, users, n), (items * rng.random(n) ** (4 if name == "hubs" else 1)).astype(int)
    pairs = np.unique(u * items + v)
    values = np.clip(np.round(3 + rng.normal(size=len(pairs))), 1, 5)
    return lux.from_edges(pairs // items, pairs % items, weight=values, bipartite=True).reordered(order)


def all_parts():
    """Numbers of GPUs to try."""
    most = gpus() if peer_access() else 1
    return [p for p in (1, 2, 3, 4) if p <= most]


def errors(result):
    return np.array([(s.train_rmse, s.test_rmse, s.objective) for s in result.sweeps])


def agree(g, k, parts, amplified=1, **options):
    """Steps of gradient descent at the edge of what is stable make differences ``amplified``."""
    with lux.using(device="cpu"):
        cpu = lux.factorize(g, k, **options)
    with lux.using(device="gpu"):
        gpu = lux.factorize(g, k, parts=parts, **options)
    assert (gpu.device, gpu.parts) == ("gpu", parts)
    assert (gpu.iterations, gpu.best, gpu.converged) == (cpu.iterations, cpu.best, cpu.converged)
    assert (gpu.n_train, gpu.n_test, gpu.mean) == (cpu.n_train, cpu.n_test, cpu.mean)
    assert all(len(s.seconds) == parts and (s.seconds > 0).all() for s in gpu.statistics)
    single = cpu.factors.dense().dtype == np.float32
    slack = (1e-5 if single else 1e-12) * (1 + cpu.iterations) * amplified
    expected = cpu.factors.dense()
    np.testing.assert_allclose(gpu.factors.dense(), expected, rtol=0, atol=slack * max(np.abs(expected).max(), 1e-3))
    np.testing.assert_allclose(errors(gpu), errors(cpu), rtol=10 * slack, atol=slack)
    verify(gpu)
    return gpu


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GRAPHS)
def test_graphs(name, method, dtype):
    for order in ("given", "degree"):
        for parts in all_parts():
            if parts <= graph(name).n_vertices:
                test = 0 if name == "one rating" else 0.1
                agree(graph(name, order), 6, parts, method=method, dtype=dtype, max_iter=5, tol=0, test=test)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 3, 16, 20, 27, 28, 64, 130, 165])
def test_lengths(k, method, dtype):
    agree(graph("uniform"), k, all_parts()[-1], method=method, dtype=dtype, max_iter=2, tol=0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("by_degree", [True, False])
def test_runs_that_stop_by_themselves(method, by_degree):
    options = {"regularization": 0.5, "by_degree": by_degree, "method": method, "dtype": np.float64}
    options |= {"amplified": 1e5} if method == "gd" else {}
    for parts in all_parts():
        agree(graph("uniform"), 4, parts, **options)
        agree(graph("uniform"), 4, parts, test=0, max_iter=60, **options)


def test_a_given_rate():
    for parts in all_parts():
        agree(graph("uniform"), 5, parts, method="gd", learning_rate=1e-3, max_iter=400, tol=0, dtype=np.float64)
        with lux.using(device="gpu"), pytest.raises(ConvergenceError, match="diverged in iteration"):
            lux.factorize(graph("uniform"), 5, method="gd", learning_rate=10.0, parts=parts)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_every_time_on_any_number_of_gpus(method):
    with lux.using(device="gpu"):
        options = {"method": method, "max_iter": 6, "tol": 0, "test": 0.1}
        first = lux.factorize(graph("hubs"), 8, parts=1, **options)
        for parts in [1, *all_parts()]:
            again = lux.factorize(graph("hubs"), 8, parts=parts, **options)
            np.testing.assert_array_equal(again.factors.dense(), first.factors.dense())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["uniform", "hubs", "one user", "directed"])
def test_legion_moves_factors(name, method, dtype):
    """Whatever GPU has a partition: factors are those of one GPU, bit for bit."""
    given, options = graph(name, "degree"), {"method": method, "dtype": dtype, "max_iter": 5, "tol": 0}
    with lux.using(device="gpu"):
        alone = lux.factorize(given, 6, parts=1, **options)
    for parts in (2, 3):
        with lux.using(device="gpu", placement="device"):
            moved = lux.factorize(given, 6, parts=parts, **options)
        assert (moved.device, moved.parts, moved.iterations, moved.best) == ("gpu", parts, 5, alone.best)
        np.testing.assert_array_equal(moved.factors.dense(), alone.factors.dense())
        np.testing.assert_allclose(errors(moved), errors(alone), rtol=1e-6 if dtype == np.float32 else 1e-12)
        verify(moved)


@pytest.mark.parametrize("method", METHODS)
def test_runs_between_which_legion_moves_factors_stop_and_end(method):
    options = {"method": method, "regularization": 0.5, "dtype": np.float64}
    with lux.using(device="cpu"):
        cpu = lux.factorize(graph("uniform"), 4, **options)
    with lux.using(device="gpu", placement="device"):
        moved = lux.factorize(graph("uniform"), 4, parts=2, **options)
        assert (moved.iterations, moved.best, moved.converged) == (cpu.iterations, cpu.best, cpu.converged)

        def stop(done):
            if done == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            lux.factorize(graph("uniform"), 4, parts=2, progress=stop, **options)
        again = lux.factorize(graph("uniform"), 4, parts=2, **options)
    np.testing.assert_array_equal(again.factors.dense(), moved.factors.dense())
    with lux.using(device="gpu", placement="device"), pytest.raises(ConvergenceError, match="diverged in iteration"):
        lux.factorize(graph("uniform"), 5, method="gd", learning_rate=10.0, parts=2)


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.float64])
def test_types_of_ratings(kind):
    edges = graph("uniform").dense_edge_list()
    n = int(edges.sources.max()) + 1
    g = lux.from_edges(
        edges.sources, edges.destinations - n, weight=edges.properties["weight"].astype(kind), bipartite=True
    )
    for method in METHODS:
        agree(g, 5, 1, method=method, max_iter=3)


def test_progress_and_interruption():
    seen = []
    with lux.using(device="gpu"):
        found = lux.factorize(graph("uniform"), 3, method="gd", max_iter=700, tol=0, progress=seen.append)
        assert seen == list(range(1, 701))
        assert len(found.statistics) == 700

        def stop(done):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            lux.factorize(graph("uniform"), 3, method="gd", max_iter=100000, tol=0, progress=stop)
        again = lux.factorize(graph("uniform"), 3, method="gd", max_iter=700, tol=0)
    np.testing.assert_array_equal(again.factors.dense(), found.factors.dense())


def test_what_is_refused():
    with lux.using(device="gpu"), pytest.raises(ConfigurationError, match="is more than its"):
        lux.factorize(graph("uniform"), 3, parts=gpus() + 1)
    with (
        lux.using(device="gpu", placement="zero-copy"),
        pytest.raises(ConfigurationError, match="leave placement= out"),
    ):
        lux.factorize(graph("uniform"), 3)
