# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness centrality beside NetworkX and closed forms."""

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.algorithms.betweenness import multi_source_kernels, multi_source_levels, source_parallel, threads
from lux.algorithms.betweenness.betweenness import prepare, verify
from lux.algorithms.betweenness.brandes import BrandesQuery, PathsOverflowError, dependencies
from lux.algorithms.betweenness.strategies import STRATEGIES
from lux.algorithms.strategy import Memory, find
from lux.errors import GraphError, LuxError, ParameterError, WeightError
from lux_cases.examples import one_order, some
from lux_cases.stores import with_columns

MODELS = ("auto", "pull", "push")
ORDERS = ("given", "degree")
PLAIN = ("threads", "tasks", "partitions", "threads-apart", "threads-together", "program")
WEIGHTED = ("threads", "tasks", "threads-apart")
"""Strategies of all graphs with lengths; the program takes those without parallel edges."""


@pytest.fixture(scope="module")
def orders(chance):
    return one_order(chance)


def runs(n):
    return [(parts, model) for parts in (None, 1, 2, 3, 7) if parts is None or parts <= n for model in MODELS]


def reference(n, u, v, w, directed):
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(zip(u.tolist(), v.tolist(), w.tolist(), strict=True))
    return graph


def dense(scores):
    return np.array([scores[v] for v in sorted(scores)])


def assert_close(found, expected, message=""):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13, err_msg=message)


@settings(max_examples=25)
@given(
    n=st.integers(1, 15),
    edges=st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14), st.integers(1, 3)), max_size=45),
    directed=st.booleans(),
    normalized=st.booleans(),
    endpoints=st.booleans(),
    weight=st.sampled_from([None, "weight"]),
    share=st.sampled_from([None, 0.1, 0.5, 1.0]),
    seed=st.integers(0, 100),
    order=st.integers(0, 1),
    chance=st.integers(0, 1 << 32),
)
def test_networkx(orders, n, edges, directed, normalized, endpoints, weight, share, seed, order, chance):
    u, v, w = np.array(edges, np.int64).reshape(-1, 3).T
    u, v = u % n, v % n
    k = None if share is None else max(1, round(share * n))
    options = {"k": k, "normalized": normalized, "weight": weight, "endpoints": endpoints, "seed": seed}
    expected = dense(nx.betweenness_centrality(reference(n, u, v, w, directed), **options))
    graph = lux.from_edges(u, v, weight=w, n_vertices=n, directed=directed).reordered(orders[order % len(orders)])
    for parts, model in some(runs(n), chance):
        result = lux.betweenness(graph, **options, parts=parts, model=model)
        assert_close(result.scores.to_numpy(), expected, f"parts={parts}, model={model}")
        verify(result)
    assert result.iterations == len(result.sources) == sum(s.frontier for s in result.statistics)


@settings(max_examples=12)
@given(
    n=st.integers(1, 15),
    edges=st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14), st.integers(1, 3)), max_size=45),
    directed=st.booleans(),
    normalized=st.booleans(),
    endpoints=st.booleans(),
    weight=st.sampled_from([None, "weight"]),
    share=st.sampled_from([None, 0.4]),
    order=st.integers(0, 1),
)
def test_strategies_beside_networkx(orders, n, edges, directed, normalized, endpoints, weight, share, order):
    u, v, w = np.array(edges, np.int64).reshape(-1, 3).T
    u, v = u % n, v % n
    k = None if share is None else max(1, round(share * n))
    options = {"k": k, "normalized": normalized, "weight": weight, "endpoints": endpoints, "seed": 4}
    expected = dense(nx.betweenness_centrality(reference(n, u, v, w, directed), **options))
    graph = lux.from_edges(u, v, weight=w, n_vertices=n, directed=directed).reordered(orders[order % len(orders)])
    pairs = {(a, b) if directed else (min(a, b), max(a, b)) for a, b in zip(u.tolist(), v.tolist(), strict=True)}
    by_length = (*WEIGHTED, *["program"] * (len(pairs) == len(u)))
    for strategy in PLAIN if weight is None else by_length:
        done = []
        result = lux.betweenness(graph, **options, strategy=strategy, progress=done.append)
        assert_close(result.scores.to_numpy(), expected, strategy)
        assert (result.strategy, result.refusals) == (strategy, {})
        assert done[-1] == result.iterations == len(result.sources) == sum(s.frontier for s in result.statistics)
        verify(result)


@pytest.mark.parametrize("strategy, parts", [("partitions", 3), ("program", 3), ("tasks", 2), ("tasks", 3)])
@pytest.mark.parametrize("model", MODELS)
def test_strategies_on_partitions_in_each_model(strategy, parts, model):
    graph = lux.generate("uniform:6,3", seed=5, weights=(1, 4))
    options = {"weight": "weight" if (strategy, parts) == ("tasks", 2) else None, "sources": [0, 7, 60]}
    prepare(graph, **options, strategy=strategy, parts=parts, model=model)
    found = lux.betweenness(graph, **options, strategy=strategy, parts=parts, model=model)
    assert (found.strategy, found.parts) == (strategy, parts)
    assert_close(found.scores.to_numpy(), lux.betweenness(graph, **options).scores.to_numpy())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("parts", [None, 3])
@pytest.mark.parametrize(
    "kind, name",
    [(np.float64, "weight"), *(pytest.param(k, "length", marks=pytest.mark.slow) for k in (np.int64, np.float32))],
)
def test_the_program_along_lengths(model, parts, kind, name, orders):
    rng = np.random.default_rng(4)
    u, v = np.unique(rng.integers(0, 40, (2, 160)), axis=1)
    graph = lux.from_edges(u, v, **{name: rng.integers(1, 4, len(u)).astype(kind)}).reordered(orders[-1])
    options = {"weight": name, "sources": [*range(7)]}
    prepare(graph, **options, strategy="program", parts=parts, model=model)
    found = lux.betweenness(graph, **options, strategy="program", parts=parts, model=model)
    assert found.strategy == "program"
    assert_close(found.scores.to_numpy(), lux.betweenness(graph, **options).scores.to_numpy())


@pytest.mark.parametrize(
    "asked, strategy, refusals",
    [
        ({}, "threads", ["gpus", "gpus-weighted"]),
        ({"parts": 2}, "partitions", ["gpus", "gpus-weighted", "threads", "tasks"]),
        ({"parts": 2, "weight": "weight"}, "tasks", ["gpus", "gpus-weighted", "threads"]),
    ],
)
def test_the_result_says_why_a_strategy_ran(asked, strategy, refusals):
    with lux.using(device="cpu"):
        graph = lux.generate("uniform:6,3", seed=5, weights=(1, 4))
        prepare(graph, **asked)
        found = lux.betweenness(graph, **asked)
    assert found.strategy == strategy
    assert list(found.refusals) == refusals
    assert all(found.refusals.values())


@pytest.mark.parametrize(
    "asked, message",
    [
        ({"strategy": "thread"}, r"did you mean threads\? Allowed are auto, gpus, gpus-weighted, threads"),
        ({"strategy": "threads", "parts": 2}, "cannot run here: it is one task, and parts=2 is asked for"),
        ({"strategy": "program", "weight": "weight"}, "and the programs count a path along each of parallel edges"),
        ({"strategy": "partitions", "weight": "weight"}, "levels are of edges of length 1"),
        ({"strategy": "threads-together", "weight": "weight"}, "Dijkstra's algorithm has no levels"),
        ({"strategy": "gpus-weighted"}, "no weight= is asked for"),
        ({"strategy": "gpus", "weight": "weight"}, "levels are of edges of length 1"),
    ],
)
def test_strategies_that_there_are_not_or_that_cannot(asked, message):
    graph = lux.from_edges([0, 1, 1], [1, 2, 2], weight=[1, 2, 2])
    with pytest.raises(ParameterError, match=message):
        lux.betweenness(graph, **asked)


def test_every_strategy_says_its_memory():
    graph = lux.generate("uniform:6,3", seed=5, weights=(1, 4))
    for strategy in STRATEGIES:
        weight = None if strategy.name in ("gpus", *PLAIN) else "weight"
        needed = strategy.memory(BrandesQuery(graph=graph, chosen=np.arange(5), weight=weight))
        assert max(needed.host, needed.gpu) >= 8 * graph.n_vertices, strategy.name
    assert {s.name for s in STRATEGIES} == {"gpus", "gpus-weighted", *PLAIN, *WEIGHTED}


def test_threads_take_over_where_gpus_cannot_count_the_paths(monkeypatch):
    """A strategy that only fails stands for the GPU."""

    def overflow(query, progress):
        raise PathsOverflowError("too many paths")

    gpus = find(STRATEGIES, "gpus")
    monkeypatch.setattr(gpus, "refusal", lambda query: "cpu" if query.device == "cpu" else "")
    monkeypatch.setattr(gpus, "run", overflow)
    monkeypatch.setattr(gpus, "memory", lambda query: Memory())
    graph = lux.toy.kite()
    for strategy in ("auto", "gpus"):
        run = dependencies(BrandesQuery(graph=graph, chosen=np.arange(10), strategy=strategy), None)
        assert (run.strategy, run.device, run.refusals["gpus"]) == ("threads", "cpu", "too many paths")


def test_the_program_says_that_paths_are_too_many():
    """Twice as many paths to each pair of vertices as to the one before."""
    pairs = np.arange(1, 2 * 1100 + 1).reshape(-1, 2)
    u = np.concatenate([[0, 0], np.repeat(pairs[:-1], 2)])
    v = np.concatenate([pairs[0], np.tile(pairs[1:], 2).ravel()])
    graph = lux.from_edges(u, v)
    with pytest.raises(ParameterError, match=r"paths from vertex 0 .* too many for float64: leave strategy= out"):
        lux.betweenness(graph, sources=[0], strategy="program")


@settings(max_examples=10)
@given(
    n=st.integers(3, 40),
    seed=st.integers(0, 1000),
    directed=st.booleans(),
    normalized=st.booleans(),
    weight=st.sampled_from([None, "weight"]),
)
def test_given_sources(n, seed, directed, normalized, weight):
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, (2, 2 * n))
    w = rng.integers(1, 5, 2 * n)
    graph = lux.from_edges(u, v, weight=w, n_vertices=n, directed=directed)
    sources = rng.choice(n, n // 2, replace=False).tolist()
    expected = nx.betweenness_centrality_subset(
        reference(n, u, v, w, directed), sources, range(n), normalized=normalized, weight=weight
    )
    for parts in (None, 2, 3):
        result = lux.betweenness(graph, normalized=normalized, weight=weight, sources=sources, parts=parts)
        assert_close(result.scores.to_numpy(), dense(expected))
        verify(result)


@pytest.mark.check
@pytest.mark.parametrize("parts, model", [(None, "auto"), (1, "pull"), (4, "auto"), (4, "push")])
def test_closed_forms(parts, model):
    def scores(graph, **options):
        return lux.betweenness(graph, normalized=False, parts=parts, model=model, **options).scores.to_numpy()

    n = 12
    inside = np.arange(n) * (n - 1 - np.arange(n))
    assert_close(scores(lux.toy.path(n)), inside)
    assert_close(scores(lux.toy.path(n, directed=False)), inside)
    assert_close(scores(lux.toy.path(n), endpoints=True), inside + n - 1)
    assert_close(scores(lux.toy.cycle(n)), np.full(n, (n - 1) * (n - 2) / 2))
    assert_close(scores(lux.toy.cycle(n, directed=False)), np.full(n, (n - 2) ** 2 / 8))
    assert_close(scores(lux.toy.complete(n)), np.zeros(n))
    assert_close(scores(lux.toy.star(n)), np.zeros(n))
    assert_close(scores(lux.toy.star(n, directed=False)), [(n - 1) * (n - 2) / 2] + [0] * (n - 1))
    assert_close(scores(lux.toy.two_triangles()), np.zeros(7))
    assert_close(scores(lux.toy.grid(4, 5)), dense(nx.betweenness_centrality(nx.grid_2d_graph(4, 5), normalized=False)))
    assert_close(scores(lux.from_edges([], [], n_vertices=5)), np.zeros(5))


@pytest.mark.parametrize("directed", [False, True])
def test_a_larger_graph_in_all_ways(directed):
    """Levels large enough for all threads, and sweeps that change the direction."""
    rng = np.random.default_rng(8)
    n = 3000
    u, v = (rng.random((2, 50_000)) ** 2 * n).astype(np.int64)
    graph = lux.from_edges(u, v, n_vertices=n, directed=directed)
    sources = [5, 70, 2900]
    first = lux.betweenness(graph, sources=sources)
    verify(first)
    assert first.threads > 1
    for moved in (graph, graph.reordered("degree")):
        for parts, model in runs(n):
            found = lux.betweenness(moved, sources=sources, parts=parts, model=model).scores.to_numpy()
            assert_close(found, first.scores.to_numpy(), f"parts={parts}, model={model}")
    alone = sum(lux.betweenness(graph, sources=[s]).scores.to_numpy() for s in sources)
    assert_close(alone, first.scores.to_numpy())
    for parts in (None, 3):  # bit for bit: sums do not depend on timing
        asked = {"sources": sources[:1], "parts": parts}
        again = lux.betweenness(graph, **asked).scores.to_numpy()
        for _ in range(3):
            assert (again == lux.betweenness(graph, **asked).scores.to_numpy()).all()


def test_batches_are_even_and_leave_nothing_to_the_next(monkeypatch):
    graph = lux.generate("uniform:7,3", seed=2)
    sources = [*range(0, 105, 5)]
    expected = lux.betweenness(graph, sources=sources).scores.to_numpy()
    for most, sizes in ((4, [4, 4, 4, 4, 4, 1]), (5, [5, 5, 5, 5, 1]), (8, [7, 7, 7]), (16, [11, 10]), (32, [21])):
        monkeypatch.setattr(multi_source_levels, "MOST_SOURCES", most)
        found = lux.betweenness(graph, sources=sources, parts=3)
        assert [step.frontier for step in found.statistics] == sizes
        assert_close(found.scores.to_numpy(), expected)
    monkeypatch.setattr(multi_source_levels, "BATCH_BYTES", 1)
    assert len(lux.betweenness(graph, sources=sources[:2], parts=3).statistics) == 2


@pytest.mark.check
def test_constants_of_the_exchange_of_levels():
    """The exchange's C++ has numbers of the kernels."""
    text = (Path(lux.__file__).parent / "runtime/mapper/level_exchange.cc").read_text()
    declared = dict(re.findall(r"\b([A-Z_]+) = (\d+)", text))
    names = ("START", "COUNT", "ENTRIES", "OUT_EDGES", "WIDE", "LEVEL_COLUMNS")
    assert all(int(declared[name]) == getattr(multi_source_kernels, name) for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "weight"])
def test_more_paths_than_float64_holds(weight):
    """Two branches from vertex 0 to the last: pairs of vertices, each joined to both of the next, and a path."""
    levels = 1300
    pairs = np.arange(1, 2 * levels + 1).reshape(levels, 2)
    path = np.arange(2 * levels + 1, 3 * levels + 1)
    end = 3 * levels + 1
    u = [np.zeros(2), np.repeat(pairs[:-1], 2), pairs[-1], [0], path]
    v = [pairs[0], np.tile(pairs[1:], 2), [end, end], path[:1], np.append(path[1:], end)]
    u, v = (np.concatenate([np.asarray(part).ravel() for part in x]).astype(np.int64) for x in (u, v))
    graph = lux.from_edges(u, v, n_vertices=end + 1, weight=np.full(len(u), 3))
    deeper = np.arange(levels)[::-1]
    expected = np.concatenate([[0], np.repeat(deeper + 0.5, 2), deeper, [0]])
    for parts in (None, 2):
        for model in MODELS if parts is None else ("auto", "pull"):
            result = lux.betweenness(graph, normalized=False, weight=weight, sources=[0], parts=parts, model=model)
            assert_close(result.scores.to_numpy(), expected, f"parts={parts}, model={model}")
    if weight is None:
        verify(result)
    both = lux.betweenness(graph, normalized=False, weight=weight, sources=[0, end]).scores.to_numpy()
    assert_close(both, expected)  # what one source leaves behind does not disturb the next


def test_all_threads_on_each_source_or_each_its_own(monkeypatch):
    graph = lux.generate("rmat:9,8", seed=2)
    own = lux.betweenness(graph)
    assert {s.why for s in own.statistics} == {"each thread on sources of its own"}
    monkeypatch.setattr(threads, "SCRATCH_SHARE", 0.0)
    done = []
    monkeypatch.setattr(threads, "WORK_PER_TASK", 100 * (graph.n_edges + graph.n_vertices))
    together = lux.betweenness(graph, progress=done.append)
    assert {s.why for s in together.statistics} == {"all threads on each source"}
    assert done == [100, 200, 300, 400, 500, 512]
    assert_close(together.scores.to_numpy(), own.scores.to_numpy())


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("place_bits", [3, 20])
def test_by_blocks(together, place_bits, monkeypatch, edge_blocks, edges_per_thread):
    graphs = [lux.generate("kronecker:8,6", seed=3), lux.generate("grid:12x9"), lux.toy.star(40).symmetrized()]
    sources = [[graph.n_vertices // 2, 0, 3] for graph in graphs]
    cases = [(graph, chosen, order) for graph, chosen in zip(graphs, sources, strict=True) for order in ORDERS]
    expected = [lux.betweenness(g, sources=s, endpoints=True).scores.to_numpy() for g, s, _ in cases]
    edge_blocks(place_bits, irregular=-1)
    monkeypatch.setattr(source_parallel, "SOURCES", 1)
    edges_per_thread(8)
    if together:
        monkeypatch.setattr(threads, "SCRATCH_SHARE", 0.0)
    for (graph, chosen, order), scores in zip(cases, expected, strict=True):
        found = lux.betweenness(graph.reordered(order), sources=chosen, endpoints=True)
        assert "by blocks" in found.statistics[0].why
        assert_close(found.scores.to_numpy(), scores)


def test_batches_report_progress():
    graph = lux.toy.cycle(40)
    for k, parts in ((40, 2), (20, 2), (1, 3)):
        done = []
        lux.betweenness(graph, k=k, parts=parts, progress=done.append)
        assert done == sorted(done)
        assert done[-1] == k


def test_weights_of_other_types():
    rng = np.random.default_rng(3)
    u, v = rng.integers(0, 30, (2, 90))
    w = rng.integers(1, 9, 90)
    expected = dense(nx.betweenness_centrality(reference(30, u, v, w, directed=True), weight="weight"))
    for dtype in (np.int32, np.float32, np.float64, np.uint8):
        graph = lux.from_edges(u, v, weight=w.astype(dtype), n_vertices=30)
        for parts in (None, 3):
            assert_close(lux.betweenness(graph, weight="weight", parts=parts).scores.to_numpy(), expected)
    named = lux.from_edges(u, v, length=w / 2, n_vertices=30)
    assert_close(lux.betweenness(named, weight="length").scores.to_numpy(), expected)


def test_samples():
    graph = lux.toy.kite()
    first = lux.betweenness(graph, k=4, seed=9)
    for parts in (None, 1, 3):
        again = lux.betweenness(graph, k=4, seed=np.int64(9), parts=parts)
        assert again.sources.tolist() == first.sources.tolist()
        assert_close(again.scores.to_numpy(), first.scores.to_numpy())
    assert len({tuple(lux.betweenness(graph, k=5).sources.tolist()) for _ in range(20)}) > 1
    assert_close(lux.betweenness(graph, k=10).scores.to_numpy(), lux.betweenness(graph).scores.to_numpy())
    one = lux.betweenness(graph, k=1, seed=2)
    assert np.flatnonzero(np.isnan(one.scores.to_numpy())).tolist() == one.sources.tolist()
    verify(one)


def test_users_ids():
    graph = lux.from_edges(["b", "c", "c"], ["c", "d", "a"])
    result = lux.betweenness(graph, normalized=False, sources=["b"])
    assert result.scores.to_dict() == {"a": 0.0, "b": 0.0, "c": 2.0, "d": 0.0}
    assert result.top(1) == [("c", 2.0)]
    assert (result.sources.tolist(), result.dense_sources.tolist()) == (["b"], [1])


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"k": 0}, ParameterError, "k=0 was passed; allowed are 1 to 10"),
        ({"k": 11}, ParameterError, "k=11 was passed; allowed are 1 to 10"),
        ({"k": 2.0}, ParameterError, "k=2.0"),
        ({"k": True}, ParameterError, "k=True"),
        ({"k": 2, "seed": 1.5}, ParameterError, "seed=1.5"),
        ({"k": 2, "sources": [1]}, ParameterError, "pass one of them"),
        ({"sources": [1, 2, 1]}, ParameterError, "each named once"),
        ({"sources": []}, ParameterError, "one or more"),
        ({"sources": "12"}, ParameterError, "allowed is a list"),
        ({"sources": 3}, ParameterError, "allowed is a list"),
        ({"sources": [99]}, GraphError, "vertex 99 is not in the graph"),
        ({"weight": "length"}, GraphError, "weight='length' was passed, and this graph's edge properties are: none"),
        ({"model": "pulling"}, ParameterError, "model='pulling'"),
        ({"parts": 11}, ParameterError, "parts=11"),
    ],
)
def test_mistakes(options, error, message):
    with pytest.raises(error, match=message):
        lux.betweenness(lux.toy.kite(), **options)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_lengths_that_are_not_positive(bad):
    graph = lux.from_edges([0, 1], [1, 2], weight=[1.0, bad])
    with pytest.raises(WeightError, match="'weight' is zero, negative, NaN or infinite on 1 stored edges"):
        lux.betweenness(graph, weight="weight")
    assert lux.betweenness(graph).scores.to_numpy().tolist() == [0.0, 0.5, 0.0]


def test_lengths_whose_sums_a_float_cannot_hold():
    graph = lux.from_edges([0, 1], [1, 2], weight=[1.7e308, 1.7e308])
    with pytest.raises(WeightError, match="longer than the largest float64: divide it"):
        lux.betweenness(graph, weight="weight")


@pytest.mark.check
def test_lengths_that_vanish_in_a_sum(orders):
    graph = lux.from_edges([0, 1, 2], [1, 2, 1], weight=[1e20, 1.0, 1.0]).reordered(orders[-1])
    for asked in ({}, {"parts": 2}, {"strategy": "program"}):
        with pytest.raises(WeightError, match="so small beside others"):
            lux.betweenness(graph, weight="weight", **asked)
        assert lux.betweenness(graph, weight="weight", sources=[1], **asked).iterations == 1


@pytest.mark.check
@pytest.mark.parametrize(
    "change, message",
    [
        ({3: 0.5}, "path lengths say"),
        ({7: -0.1}, "negative"),
        ({7: np.nan}, "NaN where it is known"),
        ({5: 0.01, 7: -0.01}, "its paths say"),
    ],
)
def test_verifier(change, message):
    graph = lux.toy.kite()
    result = lux.betweenness(graph)
    scores = result.scores.to_numpy()
    for vertex, more in change.items():
        scores[vertex] = more if more < -0.05 else scores[vertex] + more
    wrong = with_columns(result, score=scores)
    with pytest.raises(LuxError, match=message):
        verify(wrong)
