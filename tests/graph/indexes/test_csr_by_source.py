# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges by source of each partition: those of undirected graphs are found among the edges by destination."""

import numpy as np
import pytest

import lux
from lux_cases.stores import to_array


@pytest.mark.check
@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("spec", ["kronecker:7", "uniform:7,3"])
def test_partitions_of_undirected_graphs(spec, order):
    graph = lux.generate(spec, weights=(1, 9)).reordered(order)
    assert not graph.directed
    to = np.repeat(np.arange(graph.n_vertices), np.diff(to_array(graph.offsets)[: graph.n_vertices + 1]))
    of, weights = (to_array(s) for s in (graph.sources, graph.properties["weight"]))
    for parts in (1, 3):
        layout = graph.layout(parts)
        found = layout.by_source(("weight",), listed=True)
        offsets, ends, values = map(to_array, (found.offsets, found.destinations, found.properties["weight"]))
        for part, (lo, hi) in enumerate(zip(layout.points[:-1], layout.points[1:], strict=True)):
            mine = np.flatnonzero((to >= lo) & (to < hi))
            mine = mine[np.lexsort((weights[mine], to[mine], of[mine]))]
            (a, b), (first, end) = layout.cuts["edges"][part], found.cuts["by_offsets"][part]
            np.testing.assert_array_equal(ends[a:b], to[mine])
            np.testing.assert_array_equal(
                offsets[first:end], np.concatenate([[0], np.cumsum(np.unique(of[mine], return_counts=True)[1])])
            )
            rows = np.repeat(np.arange(end - first - 1), np.diff(offsets[first:end]))
            got = np.lexsort((values[a:b], ends[a:b], rows))  # several edges may have the same ends
            np.testing.assert_array_equal(values[a:b][got], weights[mine])
