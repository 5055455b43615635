# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Components beside NetworkX and SciPy: linking (auto) and label propagation (pull, push)."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components

import lux
from lux.algorithms.components.components import verify
from lux.errors import LuxError, ParameterError
from lux.results.result import Values
from lux.runtime import from_array
from lux_cases.examples import some

MODELS = ("auto", "pull", "push")


def smallest_members(n, u, v):
    """The label of every vertex, by SciPy."""
    matrix = sparse.coo_array((np.ones(len(u)), (u, v)), shape=(n, n))
    _, member = connected_components(matrix, directed=False)
    first = np.full(n, n)
    np.minimum.at(first, member, np.arange(n))
    return first[member].tolist()


def check(u, v, n, directed, parts=(None, 1, 2, 3, 7), chance=None):
    graph = lux.from_edges(np.asarray(u, np.int64), np.asarray(v, np.int64), n_vertices=n, directed=directed)
    expected = smallest_members(n, u, v)
    ways = [(p, model) for p in parts if (p or 1) <= n for model in MODELS]
    for p, model in ways if chance is None else some(ways, chance):
        result = lux.components(graph, parts=p, model=model)
        assert result.labels.dense().tolist() == expected, f"parts={p}, model={model}"
        assert result.n_components == len(set(expected))
    for p in (None, 2 if n > 1 else 1):
        result = lux.components(graph.reordered("degree"), parts=p)
        assert result.labels.dense().tolist() == expected, f"by degree, parts={p}"
    return graph


@settings(max_examples=30)
@given(
    n=st.integers(1, 20),
    pairs=st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=25),
    directed=st.booleans(),
    chance=st.integers(0, 1 << 32),
)
def test_random_graphs(n, pairs, directed, chance):
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T % n
    graph = check(u, v, n, directed, chance=chance)
    reference = nx.MultiDiGraph()
    reference.add_nodes_from(range(n))
    reference.add_edges_from(zip(u.tolist(), v.tolist(), strict=True))
    result = lux.components(graph)
    sizes = sorted((len(c) for c in nx.weakly_connected_components(reference)), reverse=True)
    assert list(result.sizes().values()) == sizes


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("directed", [True, False])
def test_permuted_paths(seed, directed):
    """Three paths whose vertices lie anywhere: the deepest forests that linking can make."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(600)
    u, v = order[:-1], order[1:]
    keep = np.ones(599, bool)
    keep[[199, 399]] = False
    u, v = u[keep], v[keep]
    flip = rng.random(len(u)) < 0.5
    check(np.where(flip, v, u), np.where(flip, u, v), 600, directed, parts=(None, 1, 3))


@pytest.mark.parametrize("directed", [True, False])
def test_many_components_of_all_shapes(directed):
    rng = np.random.default_rng(5)
    n = 4000
    pieces = np.sort(rng.integers(0, 900, n))
    u = np.arange(1, n)
    v = np.array([rng.integers(np.searchsorted(pieces, pieces[x]), x) if pieces[x] == pieces[x - 1] else x for x in u])
    names = rng.permutation(n)
    check(names[u], names[v], n, directed, parts=(None, 2, 9))


def test_dense_graph_with_one_giant_component():
    """After two edges of each vertex nearly all are in one component, which the second pass skips."""
    rng = np.random.default_rng(3)
    check(rng.integers(0, 900, 9000), rng.integers(0, 900, 9000), 1000, directed=False)


@pytest.mark.parametrize("spec", ["kronecker:14", "uniform:13", "grid:90x130", "rmat:13,4"])
def test_large_enough_for_threads_to_meet(spec):
    graph = lux.generate(spec)
    _, member = connected_components(graph.to_scipy(weight=None), directed=False)
    first = np.full(graph.n_vertices, graph.n_vertices)
    np.minimum.at(first, member, np.arange(graph.n_vertices))
    for asked in (graph, graph.reordered("degree")):
        for _ in range(3):
            assert (lux.components(asked).labels.dense() == first[member]).all()


def test_more_partitions_than_processors():
    for directed in (True, False):
        u = np.arange(40)
        check(u, (u + 1) % 40, 40, directed, parts=(16, 40))


@pytest.mark.parametrize(
    "graph,labels",
    [
        (lux.toy.path(5), [0] * 5),
        (lux.toy.star(6), [0] * 6),
        (lux.toy.two_triangles(), [0, 0, 0, 3, 3, 3, 6]),
        (lux.toy.grid(4, 5), [0] * 20),
        (lux.toy.complete(7), [0] * 7),
    ],
    ids=["path", "star", "triangles", "grid", "complete"],
)
@pytest.mark.parametrize("model", MODELS)
def test_named_graphs(graph, labels, model):
    assert lux.components(graph, model=model).labels.dense().tolist() == labels


def test_isolated_vertices():
    result = lux.components(lux.from_edges([3], [3], n_vertices=9))
    assert result.n_components == 9
    assert result.sizes() == dict.fromkeys(range(9), 1)


def test_labels_are_the_users_ids():
    result = lux.components(lux.from_edges(["d", "b", "x"], ["c", "c", "y"]))
    assert result.labels.to_dict() == {"b": "b", "c": "b", "d": "b", "x": "x", "y": "x"}
    assert result.top() == [("b", 3), ("x", 2)]
    assert result.top(1) == [("b", 3)]
    assert result.labels["d"] == "b"


def test_of_equal_sizes_the_smallest_label_comes_first():
    assert lux.components(lux.toy.two_triangles()).top(2) == [(0, 3), (3, 3)]


@pytest.mark.parametrize("parts", [None, 1, 3])
def test_progress(parts):
    seen = []
    result = lux.components(lux.toy.grid(9, 9), parts=parts, progress=seen.append)
    assert seen[-1] == result.iterations


def test_limit_of_label_propagation():
    result = lux.components(lux.toy.path(8), max_iter=2)
    assert (result.iterations, result.converged) == (2, False)
    assert result.labels.dense().tolist() == [0, 0, 0, 1, 2, 3, 4, 5]


def test_wrong_arguments():
    with pytest.raises(ParameterError, match="model='link' was passed"):
        lux.components(lux.toy.kite(), model="link")
    with pytest.raises(ParameterError, match="parts=11 was passed; allowed are 1 to 10"):
        lux.components(lux.toy.kite(), parts=11)


@pytest.mark.parametrize(
    "labels,message",
    [
        ([0, 0, 0, 3, 3, 3, 0], "7 .*|SciPy finds 3"),
        ([0, 0, 1, 3, 3, 3, 6], "joins vertices with different labels"),
        ([2, 2, 2, 3, 3, 3, 6], "not the smallest vertex"),
    ],
)
def test_verifier(labels, message):
    graph = lux.toy.two_triangles()
    result = lux.components(graph)
    verify(result)
    wrong = replace(result, columns={"label": Values(graph, from_array(np.array(labels, np.uint32)))})
    with pytest.raises(LuxError, match=message):
        verify(wrong)
