# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Paths that searches found, and what they reached."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.errors import GraphError

EDGES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(1, 9)), min_size=1, max_size=40)


@settings(max_examples=25)
@given(EDGES, st.booleans())
def test_paths_are_shortest(rows, directed):
    graph = lux.from_edges(*np.array(rows).T, directed=directed, drop_repeats=True)
    same = graph.to_networkx()
    source = rows[0][0]
    for search, weight in ((lux.bfs(graph, source), None), (lux.sssp(graph, source), "weight")):
        lengths = nx.single_source_dijkstra_path_length(same, source, weight=weight or (lambda *_: 1))
        for vertex in graph:
            assert search.reached[vertex] == (vertex in lengths)
            if vertex not in lengths:
                with pytest.raises(GraphError, match="was not reached"):
                    search.path_to(vertex)
                continue
            path = search.path_to(vertex)
            assert (path[0], path[-1]) == (source, vertex)
            length = nx.path_weight(same, path, weight) if weight else len(path) - 1
            assert length == lengths[vertex]


@pytest.mark.check
def test_paths_between_names():
    graph = lux.from_edges(["a", "b", "d"], ["b", "c", "a"])
    search = lux.bfs(graph, "a")
    assert search.path_to("c") == ["a", "b", "c"]
    assert search.path_to("a") == ["a"]
    assert search.reached.to_dict() == {"a": True, "b": True, "c": True, "d": False}
    with pytest.raises(GraphError, match="vertex 'd' was not reached from 'a'"):
        search.path_to("d")
