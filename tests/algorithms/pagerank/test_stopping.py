# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""How far ranks are from the exact ones: what `lux.pagerank` promises, beside linear systems and SciPy."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import lux
from lux.algorithms.pagerank.pagerank import verify
from lux.algorithms.pagerank.stopping import rounding
from lux.errors import ConvergenceError, LuxError, LuxWarning
from lux_cases.examples import examples

WEIGHTS = st.one_of(
    st.integers(0, 3).map(float),
    st.sampled_from([5e-324, 1e-310, 1e-200, 1e-30, 1e30, 1e200, 1e300, 1.7e308]),
)


def exact(n, edges, alpha, teleport=None, dangling=None):
    """Ranks as the solution of a linear system; shares of weights are those of exact fractions."""
    teleport = np.full(n, 1 / n) if teleport is None else teleport
    steps = np.zeros((n, n))
    for source in range(n):
        row = [(v, Fraction(float(w))) for u, v, w in edges if u == source]
        total = sum((w for _, w in row), Fraction(0))
        for v, w in row:
            steps[v, source] += float(w / total) if total else 0.0
        if not total:
            steps[:, source] = teleport if dangling is None else dangling
    return np.linalg.solve(np.eye(n) - alpha * steps, (1 - alpha) * teleport)


def by_scipy(graph, alpha=0.85):
    """Ranks by power iteration until nothing changes."""
    edges, n = graph.dense_edge_list(), graph.n_vertices
    u, v = edges.sources.astype(np.int64), edges.destinations.astype(np.int64)
    if not edges.directed:
        u, v = np.append(u, v), np.append(v, u)
    degree = np.bincount(u, minlength=n)
    matrix = csr_array((1 / degree[u], (v, u)), shape=(n, n))
    ranks, change = np.full(n, 1 / n), 1.0
    while change > 1e-14:
        before = ranks
        ranks = alpha * (matrix @ ranks + ranks[degree == 0].sum() / n) + (1 - alpha) / n
        change = np.abs(ranks - before).sum()
    return ranks


def distance(found, expected):
    return float(np.abs(found.ranks.dense().astype(np.float64) - expected).sum())


def same_first(found, expected, k=100):
    """Whether the ``k`` vertices of the highest ranks are the same, ties at the last of them aside."""
    first, last = np.argsort(-found, kind="stable")[:k], np.sort(expected)[-k]
    near = 1e-9 * last
    return (expected[first] >= last - near).all() and np.isin(np.flatnonzero(expected > last + near), first).all()


@examples(24)
@given(data=st.data(), n=st.integers(1, 8), alpha=st.sampled_from([0, 0.1, 0.5, 0.85, 0.99]))
def test_the_error_is_at_most_what_is_promised(data, n, alpha):
    vertex = st.integers(0, n - 1)
    edges = data.draw(st.lists(st.tuples(vertex, vertex, WEIGHTS), max_size=20))
    weighted, directed = data.draw(st.booleans()), data.draw(st.booleans())
    u, v, w = np.array(edges).reshape(-1, 3).T
    graph = lux.from_edges(u.astype(int), v.astype(int), weight=w, n_vertices=n, directed=directed)
    edges = edges if directed else edges + [(b, a, c) for a, b, c in edges if a != b]
    edges = edges if weighted else [(a, b, 1) for a, b, _ in edges]
    options, walks = {}, {}
    for name, what in (("personalization", "teleport"), ("dangling", "dangling"), ("nstart", None)):
        numbers = data.draw(st.dictionaries(vertex, st.sampled_from([5e-324, 1.0, 3.0, 1e308]), max_size=n))
        if numbers and data.draw(st.booleans()):
            options[name] = numbers
            shares = np.array(
                [float(Fraction(numbers.get(x, 0)) / sum(map(Fraction, numbers.values()))) for x in range(n)]
            )
            walks |= {what: shares} if what else {}
    dtype = data.draw(st.sampled_from([np.float64, np.float32]))
    tol = data.draw(st.sampled_from([None, 1e-2, 1e-4] + ([1e-9] if dtype == np.float64 else [])))
    if dtype == np.float32 and alpha == 0.99:
        tol = data.draw(st.sampled_from([None, 1e-2]))
    model, parts = data.draw(st.sampled_from(["auto", "pull", "push"])), data.draw(st.sampled_from([None, 1, 2]))
    options |= {"model": model, "parts": parts if (parts or 1) <= n else None}
    found = lux.pagerank(graph, alpha, tol=tol, dtype=dtype, weight="weight" if weighted else None, **options)
    assert found.converged
    assert found.error <= found.tol * (1 + 1e-9)
    assert found.tol == tol if tol is not None else found.tol >= 1e-6
    assert distance(found, exact(n, edges, alpha, **walks)) <= found.error
    verify(found)


@pytest.mark.parametrize("spec", ["kronecker:12", "rmat:11,8", "grid:60x60"])
def test_large_graphs_beside_scipy(spec):
    graph = lux.generate(spec)
    expected = by_scipy(graph)
    for dtype in (np.float64, np.float32):
        found = lux.pagerank(graph, dtype=dtype)
        assert distance(found, expected) <= found.error
        verify(found)
    assert same_first(lux.pagerank(graph).ranks.dense(), expected)
    loose = lux.pagerank(graph, stop="networkx")
    assert 1e-4 < distance(loose, expected) <= loose.error


@pytest.mark.parametrize("name", ["wiki-Vote.txt", "USA-road-d.NY.gr.gz"])
def test_the_first_hundred_of_real_graphs(shared_data, name):
    """Without weights; ranks of roads are nearly equal, and 0.002 % lie between the hundredth and the next."""
    graph = lux.read_graph(shared_data / name, weighted=False)
    expected = by_scipy(graph)
    found = lux.pagerank(graph)
    assert distance(found, expected) <= found.error == pytest.approx(1e-6)
    assert same_first(found.ranks.dense(), expected)


@pytest.mark.parametrize("model", ["pull", "push"])
def test_what_float32_can_hold(model):
    """Sums of 50,000 equal addends are rounded to the same side; and what is asked is not more than rounding allows."""
    n = 50_000
    star = lux.from_edges(np.arange(1, n), np.zeros(n - 1, np.int64), n_vertices=n, directed=False)
    hub = 0.15 / n * (1 + 0.85 * (n - 1)) / (1 - 0.85**2)
    expected = np.append(hub, np.full(n - 1, (1 - hub) / (n - 1)))
    added = rounding(0.85, np.dtype(np.float32), longest=n, deltas=model == "push")
    for tol in (None, 1.01 * added):
        found = lux.pagerank(star, dtype=np.float32, model=model, tol=tol)
        assert found.tol == pytest.approx(1e-6 + added if tol is None else tol)
        assert distance(found, expected) <= added
    for dtype in (np.float32, np.float64):
        fixed = lux.pagerank(star, dtype=dtype, model=model, tol=0, max_iter=250)
        assert distance(fixed, expected) <= rounding(0.85, np.dtype(dtype), longest=n, deltas=model == "push")
        assert distance(fixed, expected) <= fixed.error


@pytest.mark.parametrize("dtype, tol", [(np.float32, 1e-6), (np.float64, 1e-14)])
@pytest.mark.parametrize("model", ["pull", "push"])
def test_what_rounding_may_forbid_is_warned_of(dtype, tol, model):
    graph = lux.generate("kronecker:8")
    exact = lux.pagerank(graph, tol=0, max_iter=300).ranks.to_numpy()
    with pytest.warns(LuxWarning, match=rf"tol={tol:g} was passed, and with alpha=0.85 rounding in {np.dtype(dtype)}"):
        found = lux.pagerank(graph, tol=tol, dtype=dtype, model=model)
    assert found.converged
    assert found.error > tol
    assert np.abs(found.ranks.to_numpy() - exact).sum() <= found.error


def test_defaults_end_where_changes_tell_least():
    """Ranks of a star swing between the hub and the leaves, so that changes stay large to the end."""
    star = lux.toy.star(40, directed=False)
    found = lux.pagerank(star)
    assert (found.iterations, found.converged) == (90, True)
    assert lux.pagerank(star, 0.99).converged
    assert repr(found).splitlines()[0].endswith("90 iterations, error at most 8.89e-07>")
    with pytest.raises(ConvergenceError, match=r"within max_iter=89: .* leave max_iter out \(90 iterations suffice\)"):
        lux.pagerank(star, max_iter=89)
    assert lux.pagerank(star, max_iter=1000).iterations == 90
    assert lux.pagerank(star, tol=0).iterations == 100
    assert lux.pagerank(lux.toy.cycle(5), alpha=1, tol=0).error == 2


@pytest.mark.check
def test_a_broken_promise_is_seen():
    found = lux.pagerank(lux.toy.kite(), tol=1e-3)
    verify(found)
    with pytest.raises(LuxError, match="said to be wrong by 1e-09 at most"):
        verify(replace(found, error=1e-9))


def test_a_sum_over_two_threads_may_be_infinite():
    """Each of them adds up edges to a destination of its own."""
    graph = lux.from_edges([0, 0], [1, 2], weight=[1.7e308, 1.7e308])
    assert graph.dense_out_weights().tolist() == [np.inf, 0, 0]
    assert distance(lux.pagerank(graph), exact(3, [(0, 1, 1), (0, 2, 1)], 0.85)) <= 1e-6


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "weights",
    [
        [1.7e308, 1.7e308, 1e-320, 5e-324],
        [1e-310, 2e-310, 1e300, 1.0],
        pytest.param(np.array([2**64 - 1, 2**64 - 1, 1, 2], np.uint64), marks=pytest.mark.slow),
        pytest.param(np.array([3e38, 1e38, 1e-45, 1.0], np.float32), marks=pytest.mark.slow),
    ],
)
def test_weights_whose_sums_a_float_cannot_hold(weights, dtype):
    u, v = [0, 0, 1, 2], [1, 2, 2, 0]
    for directed in (True, False):
        edges = list(zip(u, v, weights, strict=True))
        edges += [] if directed else zip(v, u, weights, strict=True)
        expected = exact(3, edges, 0.85)
        graph = lux.from_edges(u, v, weight=weights, directed=directed)
        for parts, model in ((None, "push"), (2, "auto")):
            found = lux.pagerank(graph, dtype=dtype, parts=parts, model=model)
            assert distance(found, expected) <= found.error
            verify(found)
        assert graph.directed == directed
