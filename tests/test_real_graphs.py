# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs as people share them, and answers that others have published."""

import gzip
from collections import defaultdict

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

import lux
from lux_cases.builtin import verify

UNREACHED = 9223372036854775807


@pytest.fixture(scope="module")
def peers(shared_data):
    return lux.read_graph(shared_data / "p2p-31.wel.gz")


def published(folder, name, kind):
    with gzip.open(folder / f"expected-p2p-31-{name}.txt.gz", "rt") as file:
        return {int(vertex): kind(value) for vertex, value in map(str.split, file)}


@pytest.mark.parametrize("parts", [1, 5])
def test_published_distances(shared_data, peers, parts):
    expected = published(shared_data, "BFS-directed", int)
    result = lux.bfs(peers, 6, parts=parts)
    assert result.distances.to_dict() == {v: -1 if d == UNREACHED else d for v, d in expected.items()}
    verify(result)


@pytest.mark.parametrize("parts,model", [(None, "auto"), (5, "auto"), (None, "push"), (3, "pull")])
def test_published_shortest_paths(shared_data, peers, parts, model):
    expected = published(shared_data, "SSSP-directed", float)
    for graph in (peers, peers.reordered("degree")):
        result = lux.sssp(graph, 6, parts=parts, model=model)
        assert result.distances.to_dict() == {v: -1 if d == np.inf else d for v, d in expected.items()}
        verify(result)


@pytest.mark.parametrize("model", ["auto", "pull", "push"])
def test_published_components(shared_data, peers, model):
    groups = defaultdict(set)
    for vertex, label in published(shared_data, "WCC", int).items():
        groups[label].add(vertex)
    result = lux.components(peers, model=model)
    found = defaultdict(set)
    for vertex, label in result.labels.to_dict().items():
        found[label].add(vertex)
    assert result.n_components == 12
    assert {frozenset(s) for s in found.values()} == {frozenset(s) for s in groups.values()}
    assert all(label == min(members) for label, members in found.items())


@pytest.mark.parametrize("parts", [1, 5])
def test_published_ranks(shared_data, parts):
    """The file as an undirected graph, ten iterations; no edge of it is there in both directions."""
    expected = published(shared_data, "PR", float)
    graph = lux.read_graph(shared_data / "p2p-31.wel.gz", directed=False)
    result = lux.pagerank(graph, weight=None, alpha=0.85, tol=0, max_iter=10, parts=parts)
    assert result.ranks.to_dict() == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    "name,options,size",
    [
        ("facebook_combined.txt", {"directed": False}, (4039, 2 * 88234)),
        ("wiki-Vote.txt", {}, (7115, 103689)),
        ("PGPgiantcompo.graph", {}, (10680, 2 * 24316)),
        ("dolphins.csv", {}, (62, 2 * 159)),
        ("p2p-31.wel.gz", {}, (62586, 147892)),
        ("movielens-1m-part.csv.gz", {"bipartite": True}, (5977 + 3497, 2 * 359761)),
    ],
)
def test_all_algorithms_pass_their_verifiers(shared_data, name, options, size):
    graph = lux.read_graph(shared_data / name, **options)
    assert (graph.n_vertices, graph.n_edges) == size
    hub = graph.out_degrees().top(1)[0][0]
    for parts in (1, 3):
        verify(lux.bfs(graph, hub, parts=parts))
        verify(lux.components(graph, parts=parts))
        verify(lux.pagerank(graph, weight=None, tol=1e-9, max_iter=300, parts=parts))


def test_roads_have_many_levels(shared_data):
    graph = lux.read_graph(shared_data / "USA-road-d.NY.gr.gz")
    assert (graph.n_vertices, graph.n_edges) == (264_346, 730_100)
    one = lux.bfs(graph, 1)
    verify(one)
    assert one.iterations > 600
    assert lux.components(graph).n_components == 1
    two = lux.bfs(graph, 1, parts=2, model="push")
    assert (two.parents.dense() == one.parents.dense()).all()
    assert two.iterations == one.iterations
    weighted = lux.sssp(graph, 1)
    assert (weighted.distances.dense() == dijkstra(graph.to_scipy(), indices=0)).all()
    verify(lux.sssp(graph.reordered("degree"), 1, parts=2, cutoff=500_000))


def test_votes_beside_networkx(shared_data):
    reference = nx.read_edgelist(shared_data / "wiki-Vote.txt", create_using=nx.DiGraph, nodetype=int)
    graph = lux.read_graph(shared_data / "wiki-Vote.txt")
    result = lux.pagerank(graph, personalization={3: 1, 30: 2}, tol=1e-9, stop="networkx")
    expected = nx.pagerank(reference, personalization={3: 1, 30: 2}, tol=1e-9)
    found = result.ranks.to_dict()
    np.testing.assert_allclose(
        [found[v] for v in sorted(reference)],
        [expected[v] for v in sorted(reference)],
        rtol=1e-12 * (1 + result.iterations),
        atol=0,
    )
    far = nx.single_source_shortest_path_length(reference, 30)
    assert {v: d for v, d in lux.bfs(graph, 30).distances.to_dict().items() if d >= 0} == far
