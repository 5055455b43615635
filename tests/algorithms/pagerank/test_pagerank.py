# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""PageRank beside NetworkX and closed forms."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.algorithms.pagerank.pagerank import verify
from lux.errors import ConvergenceError, GraphError, LuxError, ParameterError, WeightError
from lux_cases.examples import some
from lux_cases.stores import with_columns

MODELS = ("auto", "pull", "push")
CHANCE = st.integers(0, 1 << 32)


def runs(graph):
    return [(p, m) for p in (None, 1, 2, 3, 7) if (p or 1) <= graph.n_vertices for m in MODELS]


def close(found, expected, iterations, dtype=np.float64):
    rtol = 1e-12 * (1 + iterations) if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=0)


@st.composite
def random_graphs(draw, weights=None):
    n = draw(st.integers(1, 12))
    vertex = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(vertex, vertex), max_size=30))
    kind = draw(st.sampled_from([nx.MultiDiGraph, nx.MultiGraph]))
    graph = kind()
    graph.add_nodes_from(range(n))
    if weights is None:
        graph.add_edges_from(pairs)
    else:
        each = draw(st.lists(weights, min_size=len(pairs), max_size=len(pairs)))
        graph.add_weighted_edges_from((u, v, w) for (u, v), w in zip(pairs, each, strict=True))
    return graph


def lux_graph(graph):
    u, v = np.array(list(graph.edges()), np.int64).reshape(-1, 2).T
    weights = [w for _, _, w in graph.edges(data="weight") if w is not None] or None
    return lux.from_edges(u, v, weights, n_vertices=len(graph), directed=graph.is_directed())


def distribution(draw, n):
    """A mapping of some vertices to numbers that are not all zero, or None."""
    given_to = draw(st.dictionaries(st.integers(0, n - 1), st.integers(0, 4), max_size=n))
    return given_to if sum(given_to.values()) else None


def compare(reference, graph, chance, **options):
    expected = nx.pagerank(reference, max_iter=200, **options)
    for parts, model in some(runs(graph), chance):
        found = lux.pagerank(graph, max_iter=200, stop="networkx", parts=parts, model=model, **options)
        assert found.converged
        close(found.ranks.dense(), [expected[v] for v in range(len(reference))], found.iterations)


@settings(max_examples=12)
@given(reference=random_graphs(), alpha=st.sampled_from([0.5, 0.85]), tol=st.sampled_from([1e-4, 1e-6]), chance=CHANCE)
def test_networkx(reference, alpha, tol, chance):
    compare(reference, lux_graph(reference), chance, alpha=alpha, tol=tol)


@settings(max_examples=12)
@given(reference=random_graphs(weights=st.integers(0, 5)), data=st.data(), chance=CHANCE)
def test_networkx_with_weights_and_distributions(reference, data, chance):
    names = ("personalization", "nstart", "dangling")
    options = {name: distribution(data.draw, len(reference)) for name in names}
    options["weight"] = data.draw(st.sampled_from(["weight", None]))
    compare(reference, lux_graph(reference), chance, **options)


@settings(max_examples=6)
@given(reference=random_graphs(), weighted=st.booleans(), chance=CHANCE)
def test_float32(reference, weighted, chance):
    graph = lux_graph(reference)
    options = {"nstart": {0: 1.0}} if weighted else {}
    expected = lux.pagerank(graph, tol=0, max_iter=20, **options).ranks.dense()
    for parts, model in some(runs(graph), chance):
        found = lux.pagerank(
            graph, tol=0, max_iter=20, dtype=np.float32, parts=parts, model=model, **options
        ).ranks.dense()
        assert found.dtype == np.float32
        close(found, expected, 20, np.float32)


@pytest.mark.check
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_closed_forms(dtype):
    n, a = 11, 0.85
    for graph in (lux.toy.cycle(n), lux.toy.cycle(n, directed=False), lux.toy.complete(n)):
        close(lux.pagerank(graph, dtype=dtype).ranks.dense(), np.full(n, 1 / n), 1, dtype)
    # An undirected star: r0 = (1 - a) / n + a * (n - 1) * r1 and r1 = (1 - a) / n + a * r0 / (n - 1).
    r0 = (1 - a) / n * (1 + a * (n - 1)) / (1 - a * a)
    star = lux.pagerank(lux.toy.star(n, directed=False), tol=0, max_iter=400)
    close(star.ranks.dense(), [r0, *[(1 - r0) / (n - 1)] * (n - 1)], star.iterations)
    # A directed path: each vertex has x = c times what a vertex of an endless path so far has; they sum to 1.
    x = np.cumsum(a ** np.arange(n))
    path = lux.pagerank(lux.toy.path(n), tol=0, max_iter=400)
    close(path.ranks.dense(), x / x.sum(), path.iterations)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("parts", [1, 3])
def test_long_rows_keep_the_promise_of_float32(model, parts):
    """A hub of 100,000 in-edges whose sources have shares of very different sizes."""
    n = 100_001
    rng = np.random.default_rng(8)
    start = np.concatenate([[1.0], rng.random(n - 1) ** 4 * 10.0 ** rng.integers(-3, 3, n - 1)])
    graph = lux.from_edges(np.arange(1, n), np.zeros(n - 1, np.int64), n_vertices=n)
    options = {"nstart": dict(enumerate(start.tolist())), "tol": 0, "max_iter": 1}
    found = lux.pagerank(graph, dtype=np.float32, model=model, parts=parts, **options).ranks.dense().astype(np.float64)
    first = start / start.sum()
    expected = 0.15 / n + 0.85 * (first[1:].sum() + first[0] / n)
    assert found[0] == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(found[1:], 0.15 / n + 0.85 * first[0] / n, rtol=1e-5)


@pytest.mark.parametrize("model", MODELS)
def test_totals_over_many_vertices_keep_the_promise(model):
    """Dangling ranks of 100,000 leaves are one total."""
    n = 100_001
    graph = lux.from_edges(np.zeros(n - 1, np.int64), np.arange(1, n), n_vertices=n)
    for dtype in (np.float64, np.float32):
        found = lux.pagerank(graph, tol=0, max_iter=1, dtype=dtype, model=model).ranks.dense()
        given_out = 0.15 / n + 0.85 * (n - 1) / n / n
        close(found[0], given_out, 1, dtype)
        close(found[1:], given_out + 0.85 / n / (n - 1), 1, dtype)


@pytest.mark.check
def test_fixed_number_of_iterations():
    graph = lux.toy.kite()
    for iterations in (0, 1, 2, 7):
        result = lux.pagerank(graph, tol=0, max_iter=iterations)
        assert (result.iterations, result.converged) == (iterations, False)
    reference = nx.krackhardt_kite_graph()
    ranks = np.full(10, 0.1)
    step = nx.to_numpy_array(reference)
    for _ in range(7):
        ranks = 0.015 + 0.85 * (step / step.sum(axis=0)) @ ranks
    close(lux.pagerank(graph, tol=0, max_iter=7).ranks.dense(), ranks, 7)


def test_iterations_are_those_of_networkx():
    graph, reference = lux.toy.kite(), nx.krackhardt_kite_graph()
    needed = lux.pagerank(graph, stop="networkx").iterations
    nx.pagerank(reference, max_iter=needed)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.pagerank(reference, max_iter=needed - 1)
    lux.pagerank(graph, max_iter=needed, stop="networkx")
    with pytest.raises(ConvergenceError, match=rf"tol=1e-06 within max_iter={needed - 1}: raise one of them, or"):
        lux.pagerank(graph, max_iter=needed - 1, stop="networkx")


def test_vertices_are_named_as_the_user_does():
    reference = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a"), ("a", "d")])
    options = {"personalization": {"b": 2, "d": 1}, "nstart": {"c": 3}, "dangling": {"a": 1}}
    result = lux.pagerank(lux.from_networkx(reference), stop="networkx", **options)
    expected = nx.pagerank(reference, **options)
    assert result.ranks.to_dict() == pytest.approx(expected, rel=1e-10)
    assert result.top(1)[0][0] == max(expected, key=expected.get)
    with pytest.raises(GraphError, match="vertex 'x' is not in the graph"):
        lux.pagerank(lux.from_networkx(reference), personalization={"x": 1})


@pytest.mark.parametrize("alpha", [0, 1])
def test_extreme_alpha(alpha):
    graph = lux.toy.cycle(4)
    close(lux.pagerank(graph, alpha=alpha, stop="networkx").ranks.dense(), [0.25] * 4, 1)


@pytest.mark.parametrize(
    "options,message",
    [
        ({"alpha": 1.1}, "alpha=1.1 was passed; allowed are numbers from 0 to 1"),
        ({"alpha": float("nan")}, "alpha=nan was passed"),
        ({"tol": -1}, "tol=-1 was passed; allowed are finite numbers from 0"),
        ({"tol": float("inf")}, "tol=inf was passed"),
        ({"stop": "never"}, "stop='never' was passed; allowed are error and networkx"),
        ({"alpha": 1}, "alpha=1 was passed, so near 1 that no number of iterations bounds the error"),
        ({"alpha": 1 - 1e-15}, "alpha=0.999999999999999 was passed, so near 1"),
        ({"dtype": np.int32}, "dtype=int32 was passed; allowed are float32 and float64"),
        ({"max_iter": -1}, "max_iter=-1 was passed"),
        ({"parts": 0}, "parts=0 was passed"),
        ({"personalization": {0: 0}}, "personalization: its values must be finite, not negative, and not all zero"),
        ({"nstart": {0: -1, 1: 2}}, "nstart: its values must be finite"),
        ({"dangling": {0: float("inf")}}, "dangling: its values must be finite"),
        ({"nstart": {0: "x"}}, "nstart: its values must be numbers, and that of 0 is 'x'"),
        ({"nstart": {1.5: 1}}, "a vertex id is an integer or a string, not float 1.5"),
        ({"nstart": {}}, "nstart: its values must be finite"),
        (
            {"nstart": {0: 10**400}},
            "nstart: its values must be finite, and one is an integer beyond 1.8e308",
        ),
    ],
)
def test_wrong_arguments(options, message):
    with pytest.raises(ParameterError, match=message):
        lux.pagerank(lux.toy.kite(), **options)


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_wrong_weights(bad):
    graph = lux.from_edges([0, 1], [1, 2], weight=[1.0, bad])
    with pytest.raises(WeightError, match="pass weight=None to ignore it"):
        lux.pagerank(graph)
    assert lux.pagerank(graph, weight=None).converged


@pytest.mark.slow
def test_another_property_as_weight(chance):
    reference = nx.DiGraph()
    reference.add_weighted_edges_from([(0, 1, 1.0), (0, 2, 3.0), (2, 0, 1.0)], weight="miles")
    nx.set_edge_attributes(reference, {(0, 1): 5.0, (0, 2): 2.0, (2, 0): 1.0}, "weight")
    lone = lux.from_edges([0, 0, 2], [1, 2, 0], miles=[1.0, 3.0, 1.0])
    both = lux.from_edges([0, 0, 2], [1, 2, 0], weight=[5.0, 2.0, 1.0], miles=[1.0, 3.0, 1.0])
    for graph in (lone, both):
        compare(reference, graph, chance, weight="miles")
        verify(lux.pagerank(graph, weight="miles"))
    compare(reference, both, chance)  # and "weight" is what it was
    compare(reference, both, chance, weight=None)


def test_a_lone_vertex():
    assert lux.pagerank(lux.from_edges([], [], n_vertices=1)).ranks.dense().tolist() == [pytest.approx(1)]


@pytest.mark.parametrize("directed, order", [(True, "degree"), (False, "given"), (False, "degree")])
def test_edges_are_verified_some_at_a_time(edges_at_once, directed, order):
    u, v, weights = np.random.default_rng(5).integers(0, 60, (3, 400))
    graph = lux.from_edges(u, v, weight=weights * 1e306, directed=directed).reordered(order)
    for weight in (None, "weight"):
        result = lux.pagerank(graph, weight=weight)
        wrong = result.ranks.dense() * np.where(np.arange(graph.n_vertices) % 2, 1.01, 0.99)
        for n in (7, 1 << 22):
            edges_at_once(n)
            verify(result)
            with pytest.raises(LuxError, match=r"further iterations|sum to"):
                verify(with_columns(result, rank=wrong))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_verifier(dtype):
    graph = lux.toy.star(50)
    result = lux.pagerank(graph, dtype=dtype)
    verify(result)
    wrong = lux.pagerank(graph, dtype=dtype, alpha=0.5)
    object.__setattr__(wrong, "alpha", 0.85)
    with pytest.raises(LuxError, match="further iterations move the ranks by"):
        verify(wrong)
