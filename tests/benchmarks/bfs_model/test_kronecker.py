# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kronecker graphs in closed form, beside graphs that were drawn."""

import numpy as np
import pytest

import lux
from benchmarks.bfs_model import kronecker

SCALE = 14


@pytest.fixture(scope="module")
def graph():
    return lux.generate(f"kronecker:{SCALE}", seed=1)


def test_classes_have_all_vertices_and_edge_ends():
    sizes, degrees = kronecker.class_sizes(30), kronecker.class_degrees(30, 16)
    assert sizes.sum() == 2**30
    assert sizes @ degrees == pytest.approx(32 * 2**30)
    assert kronecker.neighbour_classes(30).sum(axis=1) == pytest.approx(np.ones(31))


def test_edges_between_classes_are_symmetric():
    flow = (kronecker.class_sizes(9) * kronecker.class_degrees(9, 16))[:, None] * kronecker.neighbour_classes(9)
    assert flow == pytest.approx(flow.T)


def test_frontiers_and_contacts_agree():
    found = kronecker.search(20)
    assert found.frontier_edges == pytest.approx(found.fronts @ (found.sizes * found.degrees))
    assert found.frontiers.sum() <= found.connected


@pytest.mark.parametrize("threshold", [8, 16, 64])
def test_degrees_of_a_drawn_graph(graph, threshold):
    degrees, (u, v) = graph.dense_in_degrees(), graph.dense_edge_arrays()
    normal = degrees <= threshold
    assert kronecker.delegates(SCALE, 16, threshold) == pytest.approx(1 - normal.mean(), rel=0.05)
    # Repeated edges are dropped from the graph, most of them between delegates, so its share is larger.
    share = (normal[u] & normal[v]).mean()
    assert kronecker.normal_edges(SCALE, 16, threshold) == pytest.approx(share, rel=0.3)


def test_frontiers_of_a_drawn_graph(graph):
    degrees = graph.dense_in_degrees()
    root = int(np.flatnonzero((degrees > 20) & (degrees < 40))[0])
    frontiers = [level.frontier for level in lux.bfs(graph, root).statistics]
    expected = kronecker.search(SCALE, graph.n_edges / 2 / graph.n_vertices).frontiers
    largest = int(np.argmax(frontiers))
    assert largest == int(np.argmax(expected))
    assert frontiers[largest] == pytest.approx(expected[largest], rel=0.3)
    assert sum(frontiers) == pytest.approx(expected.sum(), rel=0.05)
