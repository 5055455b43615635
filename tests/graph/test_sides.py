# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What crosses between the partitions of the two sweeps, beside Python sets."""

import numpy as np
import pytest

import lux
from lux.graph.sides import LEFT, RIGHT, Sides, most_received, side_layout, sides_in_places
from lux_cases.stores import to_array


@pytest.mark.parametrize("parts", [1, 2, 5])
@pytest.mark.parametrize("order", ["given", "degree"])
@pytest.mark.parametrize("bipartite", [True, False])
def test_rows_received_are_those_of_sets(bipartite, order, parts):
    random = np.random.default_rng(parts)
    users, items = random.integers(0, 200, 900), random.integers(0, 40, 900) ** 2 // 40
    rated = lux.from_edges(users, items if bipartite else items + 200, bipartite=bipartite)
    graph, side = rated.symmetrized().reordered(order), Sides(rated).of
    stored, placed = graph.layout(parts).graph, sides_in_places(graph, side)
    owner = np.zeros(graph.n_vertices, int)
    for of in (LEFT, RIGHT):
        points = side_layout(stored, placed, of, 8, parts).points
        owner[placed == of] = np.searchsorted(points, np.flatnonzero(placed == of), "right") - 1
    sources = to_array(stored.sources).astype(int)
    destinations = np.repeat(np.arange(graph.n_vertices), np.diff(to_array(stored.offsets).astype(int)))
    received = [
        {u for u, v in zip(sources, destinations, strict=True) if owner[v] == p and owner[u] != p} for p in range(parts)
    ]
    assert most_received(graph, side, parts, k=8) == max(map(len, received))
