# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`graph500.cu` says of right and of wrong trees what `lux.graph500.validation` says."""

import numpy as np
import pytest

import lux
from lux.errors import ValidationError
from lux.graph500 import benchmark, on_gpu
from lux.graph500.counting import distinct_edges, input_edges, neighbour_counts
from lux.graph500.edge_list import stored
from lux.graph500.searches import SEARCHES, Tree
from lux.graph500.validation import RULES, validate
from lux_cases.stores import from_array, to_array


@pytest.fixture(scope="module")
def made():
    """Edges, the counts of neighbours, and by kernel the root, parents and distances of a right tree."""
    plan = benchmark.Plan(7, 2)
    tuples = stored(plan.edges(7))
    graph = benchmark.construct(tuples, plan)
    root = int(np.argmax(graph.dense_in_degrees()))
    trees = {}
    for kernel in ("bfs", "sssp"):
        found = SEARCHES["auto"].by_kernel[kernel](graph, root)
        trees[kernel] = (root, to_array(found.parent), to_array(found.distance))
    return tuples, neighbour_counts(graph), trees


def said(check):
    try:
        return check()
    except ValidationError as error:
        return str(error)


def cycle(parent, distance, root, inside):
    a, b = inside[inside != root][:2]
    parent[a], parent[b] = b, a


def chain(parent, distance, root, inside):
    """All vertices in a row, whose ancestors are found in as many steps as there may be."""
    row = np.concatenate([[root], inside[inside != root]])
    parent[row[1:]] = row[:-1]


def too_near(parent, distance, root, inside):
    distance[inside[inside != root]] = distance[inside[inside != root]].max()


def forgotten(parent, distance, root, inside):
    v = inside[np.argmax(distance[inside])]
    parent[v], distance[v] = -1, np.inf if distance.dtype.kind == "f" else -1


def stranger(parent, distance, root, inside):
    """A parent that no edge leads from, at the right distance."""
    parent[inside[np.argmax(distance[inside])]] = inside[np.argsort(distance[inside])[len(inside) // 2]]


def beyond(parent, distance, root, inside):
    parent[inside[-1]] = len(parent)


def other_root(parent, distance, root, inside):
    parent[root] = inside[inside != root][0]


def minus_two(parent, distance, root, inside):
    parent[inside[-1]] = -2


def right(parent, distance, root, inside):
    pass


CHANGES = [right, cycle, chain, too_near, forgotten, stranger, beyond, other_root, minus_two]


@pytest.mark.parametrize("kernel, wide", [("bfs", False), ("bfs", True), ("sssp", False)])
@pytest.mark.parametrize("change", [*CHANGES, *range(4)])
def test_the_same_verdict(machine, made, kernel, change, wide):
    tuples, neighbours, trees = made
    root, parent, distance = (np.copy(x) for x in trees[kernel])
    root, n = int(root), len(parent)
    parent = parent.astype(np.int64 if wide else parent.dtype)
    inside = np.flatnonzero(parent >= 0)
    if callable(change):
        change(parent, distance, root, inside)
    else:
        random = np.random.default_rng(change)
        for values in (parent, distance):
            for v in random.choice(inside, 3, replace=False):
                values[v] = values[random.choice(inside)]
    tree = Tree(root, from_array(parent), from_array(distance))
    weighted = kernel == "sssp"

    def on_cores():
        validate(tuples, tree, weighted=weighted)
        return input_edges(tuples, tree.parent), distinct_edges(neighbours, tree.parent, n)

    expected = said(on_cores)
    assert isinstance(expected, tuple) == (change is right)
    with machine() as m, lux.using(device="gpu"):
        assert said(lambda: on_gpu.examine(tuples, neighbours, tree, weighted=weighted)) == expected
        if change in (right, cycle):
            counted = on_gpu.examine(tuples, neighbours, tree, weighted=weighted, validated=False)
            assert counted == (input_edges(tuples, tree.parent), distinct_edges(neighbours, tree.parent, n))
        assert set(m.launched) == {"lux_validate"}
    for gpus in (2, 3) if callable(change) or change < 2 else ():
        with machine(gpus) as m, lux.using(device="gpu"):
            several = {"weighted": weighted, "gpus": gpus}
            assert said(lambda several=several: on_gpu.examine(tuples, neighbours, tree, **several)) == expected
            if change is right:
                counted = on_gpu.examine(tuples, neighbours, tree, **several, validated=False)
                assert counted == expected
            assert set(m.launched) <= {"lux_validate", "lux_check_marks"}


def test_changes_break_all_rules(made):
    """So that the comparison above says something of each."""
    tuples, _, trees = made
    text = ""
    for change in CHANGES:
        root, parent, distance = (np.copy(x) for x in trees["bfs"])
        change(parent, distance, int(root), np.flatnonzero(parent >= 0))
        tree = Tree(int(root), from_array(parent), from_array(distance))
        text += str(said(lambda tree=tree: validate(tuples, tree, weighted=False)))
    assert all(rule in text for rule in RULES)
