# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Borders between partitions, against NetworkX."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from benchmarks.primitive_costs import borders
from lux.errors import ParameterError
from lux_cases.stores import to_array


def by_networkx(graph: lux.Graph, owners: np.ndarray, parts: int) -> np.ndarray:
    """Entry (i, j): vertices of i with a successor of j."""
    found = np.zeros((parts, parts), np.int64)
    network = graph.to_networkx().to_directed()
    for vertex in network:
        for other in {owners[successor] for successor in network.successors(vertex)} - {owners[vertex]}:
            found[owners[vertex], other] += 1
    return found


def check(graph: lux.Graph, parts: int) -> None:
    layout, found = graph.layout(parts), borders(graph, parts)
    owners = np.searchsorted(layout.points, np.arange(graph.n_vertices), side="right") - 1
    if graph.order is not None:
        owners = owners[to_array(graph.order.places)]
    expected = by_networkx(graph, owners, parts)
    np.testing.assert_array_equal(found.sizes, expected)
    np.testing.assert_array_equal(found.own, np.bincount(owners, minlength=parts))
    np.testing.assert_array_equal(found.border, expected.sum(axis=1))
    np.testing.assert_array_equal(found.present, found.own + expected.sum(axis=0))
    np.testing.assert_array_equal(found.edges, np.bincount(owners, graph.dense_in_degrees(), parts))
    assert found.parts == parts
    assert found.border.sum() == layout.vertex_sets(parts).uds.sum()


@pytest.mark.parametrize("partitioner", ["contiguous", "random", "biased-random"])
@pytest.mark.parametrize("spec", ["kronecker:8,8", "rmat:8,4", "grid:11x13", "uniform:8,4"])
def test_generated_graphs(spec, partitioner) -> None:
    graph = lux.generate(spec, seed=5)
    for parts in (1, 2, 3, 6):
        check(graph.partitioned(partitioner, parts, seed=1), parts)
    check(graph.reordered("degree"), 4)


@settings(max_examples=20)
@given(
    n=st.integers(1, 10),
    pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25),
    owners=st.lists(st.integers(0, 2), min_size=10, max_size=10),
    directed=st.booleans(),
)
def test_any_graph(n, pairs, owners, directed) -> None:
    u, v = np.array([(a % n, b % n) for a, b in pairs], np.int64).reshape(-1, 2).T
    graph = lux.from_edges(u, v, n_vertices=n, directed=directed, drop_repeats=True)
    parts = min(3, n)
    check(graph.partitioned(np.array(owners[:n]) % parts, parts), parts)


@pytest.mark.check
def test_too_many_partitions_are_refused() -> None:
    with pytest.raises(ParameterError, match="allowed are 1 to 5"):
        borders(lux.toy.path(5), 6)
