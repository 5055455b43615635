# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Every strategy beside the default search, NetworkX and closed forms."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.algorithms.bfs import bfs, published
from lux.errors import ConfigurationError, MemoryNeededError, ParameterError
from lux_cases.examples import examples
from lux_cases.stores import recorded

PARTS = (1, 2, 3, 4, 6)

pytestmark = pytest.mark.parametrize("strategy", sorted(published.BY_NAME))

MADE = {
    "kronecker": lambda: lux.generate("kronecker:9,8", seed=2),
    "directed": lambda: lux.generate("rmat:9,4", seed=3),
    "uniform": lambda: lux.generate("uniform:9,4", seed=4),
    "grid": lambda: lux.toy.grid(13, 17),
    "star": lambda: lux.toy.star(300, directed=False),
    "star away": lambda: lux.toy.star(300),
    "loops and isolated": lambda: lux.from_edges(
        [0, 0, 5, 70, 70, 199, 3], [0, 5, 70, 70, 199, 5, 3], n_vertices=260, directed=False
    ),
}


@pytest.fixture(scope="module")
def made():
    return {name: make() for name, make in MADE.items()}


def taken_by(strategy, graph):
    """The graph, without directions where the strategy takes no others."""
    return graph.symmetrized() if published.BY_NAME[strategy].undirected else graph


def check(graph, source, strategy, parts, max_iter=None):
    """A search is right, and like the default one in all but its parents."""
    graph = taken_by(strategy, graph)
    case = f"source={source}, parts={parts}, max_iter={max_iter}"
    found = lux.bfs(graph, source, strategy=strategy, parts=parts, max_iter=max_iter)
    expected = lux.bfs(graph, source, max_iter=max_iter)
    assert found.distances.dense().tolist() == expected.distances.dense().tolist(), case
    assert (found.iterations, found.converged) == (expected.iterations, expected.converged), case
    bfs.verify(found)
    degrees, levels = graph.dense_out_degrees(), expected.distances.dense()
    for level, did in enumerate(found.statistics):
        assert did.frontier == (levels == level).sum(), case
        assert did.frontier_edges == degrees[levels == level].sum(), case
        assert did.model in ("push", "pull"), case
        assert did.why, case
        assert len(did.seconds) == parts, case
        assert did.exchanged >= 0, case
        assert parts > 1 or did.exchanged == 0, case
    return found


@pytest.mark.parametrize("name", MADE)
def test_graphs(made, strategy, name):
    graph = made[name]
    hub = int(graph.dense_out_degrees().argmax())
    for parts in PARTS:
        check(graph, hub, strategy, parts)
    for source in (0, graph.n_vertices - 1):
        check(graph, source, strategy, 4)


def test_limits(made, strategy):
    for name in ("kronecker", "directed"):
        for max_iter in (0, 1, 2, 3):
            check(made[name], 3, strategy, 3, max_iter)


def test_another_order(made, strategy):
    for name in ("kronecker", "directed"):
        for parts in (1, 4):
            check(made[name].reordered("degree"), 7, strategy, parts)


@pytest.mark.check
def test_users_ids(strategy):
    graph = taken_by(strategy, lux.from_edges(["c", "a", "x"], ["a", "x", "b"]))
    found = lux.bfs(graph, "c", strategy=strategy, parts=3)
    assert [found.distances[v] for v in "caxb"] == [0, 1, 2, 3]
    assert [found.parents[v] for v in "caxb"] == ["c", "c", "a", "x"]


def test_searches_one_after_another(made, strategy):
    """Stores that searches work in are used again, and results are not."""
    graph = made["kronecker"]
    first = lux.bfs(graph, 7, strategy=strategy, parts=4)
    before = first.distances.dense().tolist(), first.parents.dense().tolist()
    for source in (8, 0, 511):
        check(graph, source, strategy, 4)
    assert (first.distances.dense().tolist(), first.parents.dense().tolist()) == before


@examples(15)
@given(
    n=st.integers(1, 150),
    pairs=st.lists(st.tuples(st.integers(0, 149), st.integers(0, 149)), max_size=150),
    source=st.integers(0, 149),
    directed=st.booleans(),
    parts=st.integers(1, 8),
    max_iter=st.sampled_from([None, None, 0, 1, 2]),
)
def test_networkx(strategy, n, pairs, source, directed, parts, max_iter):
    directed = directed and not published.BY_NAME[strategy].undirected
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T % n
    reference = nx.MultiDiGraph() if directed else nx.MultiGraph()
    reference.add_nodes_from(range(n))
    reference.add_edges_from(zip(u.tolist(), v.tolist(), strict=True))
    far = nx.single_source_shortest_path_length(reference, source % n, cutoff=max_iter)
    graph = lux.from_edges(u, v, n_vertices=n, directed=directed)
    found = lux.bfs(graph, source % n, strategy=strategy, parts=min(parts, n), max_iter=max_iter)
    assert found.distances.dense().tolist() == [far.get(x, -1) for x in range(n)]
    bfs.verify(found)


def test_preparing_is_done_once(made, strategy):
    graph = lux.generate("kronecker:8")
    bfs.prepare(graph, strategy=strategy, parts=4, model="auto")
    with recorded() as launches:
        lux.bfs(graph, 3, strategy=strategy, parts=4)
    assert not {launch.task for launch in launches} & {"count", "fill", "collect", "sort"}


def test_progress(made, strategy):
    seen = []
    found = lux.bfs(made["grid"], 0, strategy=strategy, parts=2, progress=seen.append)
    assert seen[-1] == found.iterations


def test_what_engines_refuse(strategy, monkeypatch):
    graph = lux.toy.path(5, directed=False)
    for arguments, message in (
        ({"deterministic": True}, "deterministic=True is asked for"),
        ({"model": "pull"}, "model='pull' is asked for, which only the program has"),
        ({"max_iter": -1}, "max_iter=-1 was passed"),
        ({"parts": 6}, "allowed are 1 to 5"),
    ):
        with pytest.raises(ParameterError, match=message):
            lux.bfs(graph, 0, strategy=strategy, **arguments)
    with lux.using(device="gpu"), pytest.raises(ConfigurationError, match="Legate was given no GPU"):
        lux.bfs(graph, 0, strategy=strategy)
    monkeypatch.setattr(graph, "n_vertices", 2**32)
    with pytest.raises(ParameterError, match=r"2\^32"):
        bfs.prepare(graph, strategy=strategy, parts=2, model="auto")


def test_what_does_not_fit(strategy, little_memory):
    graph = lux.generate("kronecker:8")
    graph.layout(2)
    little_memory(8 * graph.n_edges)
    with recorded() as launches, pytest.raises(MemoryNeededError, match=strategy):
        lux.bfs(graph, 0, strategy=strategy, parts=2)
    assert "count" not in {launch.task for launch in launches}
