# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The algorithms that the benchmarks add to GraphBLAS, beside NetworkX."""

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("graphblas")

from benchmarks import lagraph


def random_graph(seed):
    graph = nx.gnm_random_graph(60, 90, seed=seed)
    weights = np.random.default_rng(seed).integers(1, 256, 90).tolist()
    nx.set_edge_attributes(graph, dict(zip(graph.edges, weights, strict=True)), "weight")
    return graph


def matrix(graph):
    from graphblas import Matrix

    u, v, w = np.array([(a, b, data["weight"]) for a, b, data in graph.edges(data=True)]).T
    rows, columns = np.concatenate([u, v]), np.concatenate([v, u])
    return Matrix.from_coo(rows, columns, np.concatenate([w, w]).astype(np.int32), nrows=60, ncols=60)


@pytest.mark.parametrize("delta", [1, 16, 300, 100_000])
def test_shortest_paths(delta):
    graph = random_graph(delta)
    lengths = nx.single_source_dijkstra_path_length(graph, 3)
    found = lagraph.sssp(*lagraph.split(matrix(graph), delta), delta, 3).to_dense()
    assert found.tolist() == [lengths.get(v, lagraph.UNREACHED) for v in range(60)]


@pytest.mark.parametrize("seed", range(5))
def test_betweenness_of_one_source(seed):
    graph = random_graph(seed)
    expected = nx.betweenness_centrality_subset(graph, [3], list(graph), normalized=False)
    found = lagraph.betweenness(matrix(graph), 3).to_dense()
    np.testing.assert_allclose(found, [2 * expected[v] for v in range(60)], rtol=1e-12, atol=1e-12)
