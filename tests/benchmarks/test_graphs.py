# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The graph that all get."""

import numpy as np
import pytest

from benchmarks.graphs import WEIGHTS, counts_fit, shared_graph
from benchmarks.peers import NAMES, missing


@pytest.fixture(scope="module", params=["kronecker:6", "uniform:6", "grid:5x7"])
def shared(request, tmp_path_factory):
    return shared_graph(request.param, 4, tmp_path_factory.mktemp("graph"))


def test_both_directions_of_an_edge_weigh_the_same(shared):
    offsets, neighbours = shared.csr
    owners = np.repeat(np.arange(shared.n), np.diff(offsets))
    weights = dict(zip(zip(owners.tolist(), neighbours.tolist(), strict=True), shared.weights.tolist(), strict=True))
    assert len(weights) == len(neighbours)
    assert all(weights[v, u] == weight for (u, v), weight in weights.items())
    assert WEIGHTS[0] <= min(weights.values()) < max(weights.values()) <= WEIGHTS[1]


def test_every_edge_once(shared):
    low, high, weights = shared.once()
    assert (low < high).all()
    assert 2 * len(low) == shared.graph.n_edges
    assert 2 * weights.sum() == shared.weights.sum()


def test_roots_have_neighbours(shared):
    assert len(set(shared.roots.tolist())) == 4
    assert (shared.degrees()[shared.roots] > 0).all()


def test_paths_that_float64_can_count():
    assert counts_fit("kronecker:30")
    assert counts_fit("grid:512x512")
    assert not counts_fit("grid:513x512")


def test_why_a_peer_is_missing(monkeypatch):
    monkeypatch.delenv("GAPBS_DIR", raising=False)
    monkeypatch.setattr("benchmarks.peers.find_spec", lambda _: None)
    assert [bool(missing(peer)) for peer in NAMES] == [True] * len(NAMES)
