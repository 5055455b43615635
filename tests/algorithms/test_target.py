# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches for a target beside NetworkX, and beside whole searches, of which they are the nearer part."""

import json
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.algorithms.bfs import bfs
from lux.algorithms.sssp import sssp
from lux.errors import GraphError, ParameterError
from lux_cases.examples import some

SEARCHES = ("threads-top-down", "threads-direction-optimizing", "program", "two-dimensional")
PATHS = {"threads": {}, "partitions": {"parts": 2}, "program": {"parts": 2}}


def check(whole, found, target):
    """Compare a search with a whole one; parents are the same, too."""
    far = whole.distances.dense()
    unreached = -1 if isinstance(whole, bfs.BFSResult) else whole.unreached
    place = whole.graph.ids.dense(target)
    kept = far != unreached
    if kept[place]:
        kept &= far <= far[place]
    np.testing.assert_array_equal(found.distances.dense(), np.where(kept, far, unreached))
    np.testing.assert_array_equal(found.parents.dense(), np.where(kept, whole.parents.dense(), -1))
    assert found.target == target
    assert found.converged
    (bfs if isinstance(found, bfs.BFSResult) else sssp).verify(found)


@settings(max_examples=20)
@given(
    n=st.integers(2, 12),
    edges=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.integers(0, 9)), max_size=40),
    directed=st.booleans(),
    floats=st.booleans(),
    target=st.integers(0, 11),
    chance=st.integers(0, 1 << 32),
)
def test_beside_networkx(n, edges, directed, floats, target, chance):
    reference = nx.MultiDiGraph() if directed else nx.MultiGraph()
    reference.add_nodes_from(range(n))
    reference.add_weighted_edges_from((u % n, v % n, w) for u, v, w in edges)
    u, v, w = np.array([(u % n, v % n, w) for u, v, w in edges], np.int64).reshape(-1, 3).T
    graph = lux.from_edges(u, v, weight=w.astype(float) if floats else w, n_vertices=n, directed=directed)
    hops, lengths, target = lux.bfs(graph, 0), lux.sssp(graph, 0), target % n
    there = nx.has_path(reference, 0, target)
    for way in some(SEARCHES, chance, 2):
        found = lux.bfs(graph, 0, target=target, strategy=way)
        if way != "two-dimensional":  # its parents are others
            check(hops, found, target)
        if there:
            path = found.path_to()
            assert len(path) == nx.shortest_path_length(reference, 0, target) + 1
            assert nx.is_path(reference, path)
        else:
            with pytest.raises(GraphError):
                found.path_to()
    for way in some(list(PATHS), chance, 2):
        found = lux.sssp(graph, 0, target=target, strategy=way, **PATHS[way])
        check(lengths, found, target)
        if there:
            steps = pairwise(found.path_to())
            length = sum(min(edge["weight"] for edge in reference[a][b].values()) for a, b in steps)
            assert length == nx.dijkstra_path_length(reference, 0, target)


@pytest.mark.check
@pytest.mark.parametrize("spec", ["kronecker:12", "uniform:12", "grid:90x80"])
@pytest.mark.parametrize("order", [None, "degree"])
def test_levels_of_all_kinds(spec, order):
    """Frontiers that are pushed and pulled, by all threads and by one, in the order of the ids and in another."""
    graph = lux.generate(spec, weights=(1, 255))
    graph = graph if order is None else graph.reordered(order)
    source = graph.out_degrees().top(1)[0][0]
    hops, lengths = lux.bfs(graph, source), lux.sssp(graph, source)
    for target in np.random.default_rng(2).integers(0, graph.n_vertices, 4).tolist():
        for way in ("threads-top-down", "threads-direction-optimizing"):
            found = lux.bfs(graph, source, target=target, strategy=way)
            check(hops, found, target)
            if hops.distances[target] >= 0:
                assert found.iterations == hops.distances[target]
        check(lengths, lux.sssp(graph, source, target=target), target)


def test_sparse_graphs_with_levels_for_all_threads():
    n = 40_000
    graph = lux.from_edges(*np.random.default_rng(8).integers(0, n, (2, 3 * n)), n_vertices=n, directed=False)
    whole = lux.bfs(graph, 5)
    assert whole.strategy == "threads-top-down"
    for target in range(10, 30):
        check(whole, lux.bfs(graph, 5, target=target), target)


def test_several_sources_users_ids_and_limits():
    graph = lux.from_edges(["a", "b", "c", "x"], ["b", "c", "d", "d"])
    found = lux.bfs(graph, ["a", "x"], target="d")
    assert found.path_to() == ["x", "d"]
    assert found.distances.to_dict() == {"a": 0, "b": 1, "c": -1, "d": 1, "x": 0}
    assert lux.bfs(graph, "a", target="a").path_to() == ["a"]
    for way in SEARCHES:
        short = lux.bfs(lux.toy.path(9), 0, target=5, max_iter=3, strategy=way)
        assert short.distances.to_numpy().tolist() == [0, 1, 2, 3, -1, -1, -1, -1, -1]
        assert not short.converged
        enough = lux.bfs(lux.toy.path(9), 0, target=2, max_iter=3, strategy=way)
        assert enough.distances.to_numpy().tolist() == [0, 1, 2, -1, -1, -1, -1, -1, -1]
        assert enough.converged


def test_mistakes():
    graph = lux.from_edges([0, 1], [1, 2], weight=[1, -1])
    with pytest.raises(GraphError, match="vertex 9"):
        lux.bfs(graph, 0, target=9)
    with pytest.raises(ParameterError, match="target=2 was passed and some weights are negative"):
        lux.sssp(graph, 0, target=2)
    with pytest.raises(ParameterError, match="had no target: pass a vertex"):
        lux.bfs(graph, 0).path_to()


@pytest.mark.parametrize("command, length", [("bfs", 7), ("sssp", None)])
def test_commands(call, command, length):
    words = (command, "--generate", "grid:4x5", "--source", "0", "--target", "19", "--verify")
    code, out, err = call(*words, "--top", "3", "--json")
    found = json.loads(out)
    assert (code, err, found["target"]) == (0, "", 19)
    path = found["path"]
    assert path[0] == 0
    assert path[-1] == 19
    assert [row["vertex"] for row in found["top"]] == path[:3]
    assert all(abs(a - b) in (1, 5) for a, b in pairwise(path))
    assert length is None or found["distance"] == length == len(path) - 1
    code, out, err = call(*words)
    assert (code, err) == (0, "")
    assert "target" in out
    assert "path" in out


def test_command_where_no_path_leads(call, tmp_path):
    (tmp_path / "g.el").write_text("0 1\n2 3\n")
    code, out, _ = call("bfs", tmp_path / "g.el", "--source", "0", "--target", "3")
    assert code == 0
    assert "no path leads there" in out
    code, _, err = call("bfs", tmp_path / "g.el", "--source", "0", "--target", "7")
    assert code == 2
    assert "7" in err
