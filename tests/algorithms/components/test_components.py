# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Components beside NetworkX and SciPy, by all strategies."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components

import lux
from lux.algorithms.components import label_check, multi_gpu
from lux.algorithms.components.components import prepare, verify
from lux.algorithms.components.multi_gpu import AfforestGpus
from lux.algorithms.components.strategies import STRATEGIES
from lux.algorithms.strategy import Query
from lux.errors import LuxError, ParameterError
from lux_cases.examples import some
from lux_cases.machine import gpus
from lux_cases.stores import with_columns

MODELS = ("auto", "pull", "push")
ON_CPU = ("threads", "partitions", "program")


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
    asked = [{"strategy": name} for name in ("auto", *ON_CPU)] + [{"model": model} for model in ("pull", "push")]
    ways = [way | {"parts": p} for p in parts if (p or 1) <= n for way in asked]
    ways = [way for way in ways if way.get("strategy") != "threads" or way["parts"] in (None, 1)]
    for way in ways if chance is None else some(ways, chance):
        result = lux.components(graph, **way)
        assert result.labels.dense().tolist() == expected, str(way)
        assert result.strategy == way.get("strategy", "program") or way["strategy"] == "auto"
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


@pytest.mark.check
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
    assert result.strategy == "program"


@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("strategy", ON_CPU)
def test_strategies_by_name(strategy, order):
    graph = lux.generate("uniform:8,2", seed=4).reordered(order)
    prepare(graph, strategy=strategy)
    result = lux.components(graph, strategy=strategy)
    verify(result)
    assert (result.strategy, result.refusals) == (strategy, {})
    assert result.labels.dense().tolist() == lux.components(graph).labels.dense().tolist()


@pytest.mark.parametrize(
    "asked, strategy, refusals",
    [
        ({}, "threads", {"gpus": "no GPU", "gpu": "no GPU"}),
        (
            {"parts": 2},
            "partitions",
            {"gpus": "GPU", "gpu": "GPU", "threads": "it is one task, and parts=2 is asked for"},
        ),
        (
            {"model": "pull"},
            "program",
            dict.fromkeys(("gpus", "gpu", *ON_CPU[:2]), "model='pull' is asked for, which only the program has"),
        ),
        (
            {"max_iter": 9},
            "program",
            dict.fromkeys(("gpus", "gpu", *ON_CPU[:2]), "max_iter=9 is asked for, and Afforest has no iterations"),
        ),
    ],
)
def test_the_result_says_why_a_strategy_ran(asked, strategy, refusals):
    with lux.using(device="auto"):
        result = lux.components(lux.toy.two_triangles(), **asked)
    if gpus() and strategy != "program":
        pytest.skip("strategies of CPU cores are chosen where there is no GPU")
    assert result.strategy == strategy
    assert result.refusals.keys() == refusals.keys()
    for name, why in refusals.items():
        assert why in result.refusals[name]


def test_few_edges_are_linked_too():
    n = 1 << 19
    found = lux.components(lux.from_edges([0, 5], [1, 6], n_vertices=n, directed=False), parts=3)
    assert (found.strategy, found.n_components) == ("partitions", n - 2)


@pytest.mark.parametrize(
    "asked, message",
    [
        ({"strategy": "thread"}, r"did you mean threads\? Allowed are auto, gpus, gpu, threads, partitions, program"),
        ({"strategy": 3}, "strategy=3 was passed; allowed are auto"),
        ({"strategy": "threads", "parts": 2}, "cannot run here: it is one task, and parts=2 is asked for"),
        ({"strategy": "partitions", "model": "push"}, "model='push' is asked for, which only the program has"),
        ({"strategy": "threads", "max_iter": 1}, "Afforest has no iterations: only the program counts them"),
        ({"strategy": "gpu", "parts": 2}, "cannot run here: .*(no GPU|parts=2)"),
    ],
)
def test_strategies_that_there_are_not_or_that_cannot(asked, message):
    with pytest.raises(ParameterError, match=message):
        lux.components(lux.toy.kite(), **asked)


def test_every_strategy_says_its_memory():
    graph = lux.generate("uniform:6")
    needed = [strategy.memory(Query(graph=graph, parts=2)) for strategy in STRATEGIES[1:]]  # the first takes GPUs
    assert [strategy.name for strategy in STRATEGIES] == ["gpus", "gpu", *ON_CPU]
    assert needed[0].gpu > 4 * graph.n_edges
    assert multi_gpu.memory_bytes(graph, 2) > 2 * graph.n_edges
    assert all(memory.host >= graph.id_dtype.itemsize * graph.n_vertices for memory in needed[1:])


def test_when_several_gpus_link(pretend_gpus, spread_from, monkeypatch):
    graph = lux.generate("kronecker:9", seed=3)

    def refusal(parts, **more):
        return AfforestGpus().refusal(Query(graph=graph, parts=parts, **more))

    assert "no GPU" in refusal(2)
    pretend_gpus(4)
    assert refusal(2) == refusal(None, strategy="gpus") == ""
    assert "one GPU holds the graph" in refusal(None)
    assert "Afforest has no iterations" in refusal(2, max_iter=3)
    spread_from(1)
    monkeypatch.setattr(multi_gpu, "WORTH_SEVERAL", 1)
    assert refusal(None) == ""
    pretend_gpus(4, ranks=2)
    assert refusal(4) == ""
    assert "it takes all 4 GPUs of 2 processes" in refusal(2)


def test_wrong_arguments():
    with pytest.raises(ParameterError, match="model='link' was passed"):
        lux.components(lux.toy.kite(), model="link")
    with pytest.raises(ParameterError, match="parts=11 was passed; allowed are 1 to 10"):
        lux.components(lux.toy.kite(), parts=11)


@pytest.mark.check
@pytest.mark.parametrize(
    "labels,message",
    [
        ([0, 0, 0, 3, 3, 3, 0], "SciPy finds 3|1 vertices have no path"),
        ([0, 0, 1, 3, 3, 3, 6], "joins vertices with different labels"),
        ([2, 2, 2, 3, 3, 3, 6], "not the smallest vertex"),
    ],
)
@pytest.mark.parametrize("most", [label_check.MOST_FOR_SCIPY, 0])
def test_verifier(monkeypatch, labels, message, most):
    monkeypatch.setattr(label_check, "MOST_FOR_SCIPY", most)
    graph = lux.toy.two_triangles()
    result = lux.components(graph)
    verify(result)
    wrong = with_columns(result, label=np.array(labels, np.uint32))
    with pytest.raises(LuxError, match=message):
        verify(wrong)
