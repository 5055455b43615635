# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Real files, with the counts that are published for them."""

import numpy as np
import pytest

from lux.io import open_graph_file


@pytest.mark.parametrize(
    "name,options,counts,first,last",
    [
        ("facebook_combined.txt", {"directed": False}, (4039, 88234), 0, 4038),
        ("wiki-Vote.txt", {}, (7115, 103689), 3, 8297),
        ("PGPgiantcompo.graph", {}, (10680, 24316), 1, 10680),
        ("dolphins.csv", {}, (62, 2 * 159), 0, 61),
        ("p2p-31.wel.gz", {}, (62586, 147892), 1, 62586),
        ("USA-road-d.NY.gr.gz", {}, (264346, 730100), 1, 264346),
        ("movielens-1m-part.csv.gz", {"bipartite": True}, (5977 + 3497, 359761), "left:1", "right:3952"),
    ],
)
def test_counts(shared_data, name, options, counts, first, last):
    edges = open_graph_file(shared_data / name, **options)
    assert (edges.n_vertices, edges.n_edges) == counts
    assert edges.ids.labels(0, 1)[0] == first
    assert edges.ids.labels(edges.n_vertices - 1, edges.n_vertices)[0] == last
    assert int(max(edges.sources.max(), edges.destinations.max())) < edges.n_vertices


def test_weights(shared_data):
    weights = open_graph_file(shared_data / "p2p-31.wel.gz").properties["weight"]
    assert (weights.dtype, weights.min(), weights.max()) == (np.int32, 1, 100)
    ratings = open_graph_file(shared_data / "movielens-1m-part.csv.gz", bipartite=True).properties["rating"]
    assert set(ratings.tolist()) == {1, 2, 3, 4, 5}
