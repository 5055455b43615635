# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The Graph500's validation on a GPU says what that on CPU cores says."""

import numpy as np
import pytest

import lux
from lux.errors import ValidationError
from lux.graph500 import benchmark, on_gpu
from lux.graph500.counting import distinct_edges, input_edges, neighbour_counts
from lux.graph500.edge_list import stored
from lux.graph500.searches import SEARCHES, Tree
from lux.graph500.validation import validate
from lux_cases.stores import from_array, to_array

pytestmark = pytest.mark.gpu
SCALE = 8


@pytest.fixture(scope="module")
def made():
    plan = benchmark.Plan(SCALE, 2)
    tuples = stored(plan.edges(SCALE))
    with lux.using(device="cpu"):
        graph = benchmark.construct(tuples, plan)
        return tuples, graph, neighbour_counts(graph)


def said(check):
    try:
        return check()
    except ValidationError as error:
        return str(error)


@pytest.mark.parametrize("kernel", ["bfs", "sssp"])
@pytest.mark.parametrize("seed", range(12))
def test_the_same_verdict(made, kernel, seed):
    """Of a right tree, and of trees of which some parents or distances are changed."""
    tuples, graph, neighbours = made
    random = np.random.default_rng(seed)
    root = int(np.argmax(graph.dense_in_degrees()))
    with lux.using(device="cpu"):
        found = SEARCHES["auto"].by_kernel[kernel](graph, root)
    parent, distance = to_array(found.parent).copy(), to_array(found.distance).copy()
    inside = np.flatnonzero(parent >= 0)
    for values in (parent, distance):
        for v in random.choice(inside, seed % 4, replace=False):
            values[v] = values[random.choice(inside)] if seed < 10 else random.integers(-2, 600)
    tree = Tree(root, from_array(parent), from_array(distance))
    weighted = kernel == "sssp"

    def on_cores():
        validate(tuples, tree, weighted=weighted)
        return input_edges(tuples, tree.parent), distinct_edges(neighbours, tree.parent, graph.n_vertices)

    expected = said(on_cores)
    assert said(lambda: on_gpu.examine(tuples, neighbours, tree, weighted=weighted)) == expected
    assert seed % 4 or isinstance(expected, tuple)  # a right tree
    assert on_gpu.examine(tuples, neighbours, tree, weighted=weighted, validated=False)[0] == input_edges(
        tuples, tree.parent
    )


@pytest.mark.parametrize("order", ["given", "degree"])
def test_the_whole_benchmark(order):
    with lux.using(device="cpu"):
        expected = benchmark.run(benchmark.Plan(9, roots=4, order=order))
    with lux.using(device="gpu"):
        outcome = benchmark.run(benchmark.Plan(9, roots=4, order=order))
    for kernel, runs in outcome.runs.items():
        assert runs.edges == expected.runs[kernel].edges
        assert runs.distinct == expected.runs[kernel].distinct
        assert min(runs.validation) > 0
