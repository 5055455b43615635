# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Small graphs: shortest paths along weights, components and core numbers are NetworkX's."""

import random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lux_cases.stores import recorded

KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
LENGTHS = st.one_of(st.integers(0, 5), st.floats(0, 4, allow_subnormal=False), st.just(2**40))


@st.composite
def graphs(draw, kinds=KINDS):
    nodes = st.integers(0, 11)
    graph = draw(st.sampled_from(kinds))()
    graph.add_nodes_from(range(draw(st.integers(2, 12))))
    for u, v, length in draw(st.lists(st.tuples(nodes, nodes, LENGTHS), max_size=40)):
        graph.add_edge(u, v, weight=length)
    return graph


@given(graphs(), st.sets(st.integers(0, 1), min_size=1))
def test_shortest_paths(graph, sources):
    with recorded() as launches:
        lengths, paths = nx.multi_source_dijkstra(graph, sources, backend="lux")
    assert not launches or len(sources) == 1  # where each edge has one length, edges are counted
    expected = nx.multi_source_dijkstra_path_length(graph, sources, backend="networkx")
    assert lengths == pytest.approx(expected, rel=1e-12)
    for end, path in paths.items():
        assert path[0] in sources
        assert path[-1] == end
        assert sum(_shortest(graph, *ends) for ends in nx.utils.pairwise(path)) == pytest.approx(
            lengths[end], rel=1e-12
        )


def _shortest(graph, u, v):
    if graph.is_multigraph():
        return min(edge["weight"] for edge in graph[u][v].values())
    return graph[u][v]["weight"]


def components(graph, backend):
    function = nx.weakly_connected_components if graph.is_directed() else nx.connected_components
    return list(function(graph, backend=backend))


@given(graphs())
def test_components(graph):
    with recorded() as launches:
        found = components(graph, "lux")
    assert not launches
    assert found == components(graph, "networkx")


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("edges", [2_000, 6_000, 40_000])
def test_components_of_larger_graphs(kind, edges):
    parts = [nx.gnm_random_graph(n, edges // k, seed=k, directed=kind is nx.DiGraph) for k, n in ((1, 5_000), (2, 900))]
    graph = nx.disjoint_union_all([*parts, nx.path_graph(300, kind)])
    order = list(graph)
    random.Random(1).shuffle(order)
    graph = nx.relabel_nodes(graph, dict(zip(graph, order, strict=True)))
    with recorded() as launches:
        found = components(graph, "lux")
    assert not launches
    assert found == components(graph, "networkx")


@given(graphs(kinds=(nx.Graph, nx.DiGraph)))
def test_core_numbers(graph):
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    with recorded() as launches:
        found = nx.core_number(graph, backend="lux")
    assert not launches
    assert found == nx.core_number(graph, backend="networkx")
