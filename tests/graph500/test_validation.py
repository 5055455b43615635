# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Right trees are accepted, and each kind of wrong one is refused by its rule."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lux.errors import ValidationError
from lux.graph500.benchmark import Plan, construct
from lux.graph500.edge_list import WeightedKronecker, stored
from lux.graph500.searches import SEARCHES, Tree
from lux.graph500.validation import validate
from lux_cases.edges import EdgeList
from lux_cases.stores import from_array, to_array

#     1.0     1.0     1.0          5 -- 6 is another component, 7 has a self-loop only
#  0 ---- 1 ---- 2 ---- 3 ---- 4
#   \_____2.5____/      \_1.0_/     two edges join 3 and 4, with weights 1.0 and 0.5
EDGES = [
    (0, 1, 1.0),
    (2, 1, 1.0),
    (0, 2, 2.5),
    (2, 3, 1.0),
    (3, 4, 1.0),
    (4, 3, 0.5),
    (6, 5, 0.5),
    (7, 7, 0.5),
    (1, 1, 0),
]
LEVELS = [0, 1, 1, 2, 3, -1, -1, -1]
BFS_PARENTS = [0, 0, 0, 2, 3, -1, -1, -1]
DISTANCES = [0, 1, 2, 3, 3.5, np.inf, np.inf, np.inf]
SSSP_PARENTS = [0, 0, 1, 2, 3, -1, -1, -1]


@pytest.fixture(scope="module")
def tuples():
    u, v, w = zip(*EDGES, strict=True)
    ends = [np.array(column, np.uint32) for column in (u, v)]
    return stored(EdgeList(*ends, 8, directed=False, properties={"weight": np.array(w, np.float32)}))


def check(tuples, kernel, root, parent, distance, points=None):
    kind = np.int32 if kernel == "bfs" else np.float32
    tree = Tree(root, from_array(np.array(parent, np.int32)), from_array(np.array(distance, kind)))
    validate(tuples, tree, weighted=kernel == "sssp", points=points)


@pytest.mark.check
@pytest.mark.parametrize("points", [1, 2, 3, 20])
def test_right_trees(tuples, points):
    check(tuples, "bfs", 0, BFS_PARENTS, LEVELS, points)
    check(tuples, "sssp", 0, SSSP_PARENTS, DISTANCES, points)
    check(tuples, "bfs", 5, [-1, -1, -1, -1, -1, 5, 5, -1], [-1, -1, -1, -1, -1, 0, 1, -1], points)


def changed(values, **at):
    return [at.get(f"at_{place}", value) for place, value in enumerate(values)]


WRONG = {
    "a cycle": ("bfs", changed(BFS_PARENTS, at_3=4), LEVELS, "rule 1"),
    "a cycle away from the root": ("sssp", changed(SSSP_PARENTS, at_3=4), DISTANCES, "rule 1"),
    "its own parent": ("bfs", changed(BFS_PARENTS, at_4=4), LEVELS, "rule 1"),
    "a parent outside the tree": ("bfs", changed(BFS_PARENTS, at_4=6), LEVELS, "rule 1"),
    "a level too deep": ("bfs", BFS_PARENTS, changed(LEVELS, at_4=4), "rule 2"),
    "all levels equal": ("bfs", BFS_PARENTS, [0, 0, 0, 0, 0, -1, -1, -1], "rule 2"),
    "a way round": ("bfs", changed(BFS_PARENTS, at_2=1), changed(LEVELS, at_2=2, at_3=3, at_4=4), "rule 3"),
    "a missing vertex": ("bfs", changed(BFS_PARENTS, at_4=-1), changed(LEVELS, at_4=-1), "rule 4"),
    "a vertex of another component": (
        "bfs",
        changed(BFS_PARENTS, at_5=0, at_6=5),
        changed(LEVELS, at_5=1, at_6=2),
        "rule 5",
    ),
    "a parent without an edge": ("bfs", changed(BFS_PARENTS, at_3=1), LEVELS, "rule 5"),
    "a distance too long": ("sssp", SSSP_PARENTS, changed(DISTANCES, at_4=3.75), "rule 2"),
    "a distance too short": ("sssp", SSSP_PARENTS, changed(DISTANCES, at_4=3.25), "rule 2"),
    "the heavier of two edges": ("sssp", SSSP_PARENTS, changed(DISTANCES, at_4=4), "rule 3"),
    "all distances zero": ("sssp", SSSP_PARENTS, [0, 0, 0, 0, 0, *[np.inf] * 3], "rule 2"),
    "a longer path": ("sssp", changed(SSSP_PARENTS, at_2=0), [0, 1, 2.5, 3.5, 4, *[np.inf] * 3], "rule 3"),
    "a missing vertex on a shortest path": (
        "sssp",
        changed(SSSP_PARENTS, at_4=-1),
        changed(DISTANCES, at_4=np.inf),
        "rule 4",
    ),
    "no edge to the parent": ("sssp", changed(SSSP_PARENTS, at_4=1), DISTANCES, "rule 5"),
    "a parent out of range": ("bfs", changed(BFS_PARENTS, at_3=8), LEVELS, "in range"),
    "a parent below -1": ("bfs", changed(BFS_PARENTS, at_3=-2), LEVELS, "in range"),
    "a parent and no level": ("bfs", BFS_PARENTS, changed(LEVELS, at_3=-1), "in range"),
    "a level and no parent": ("bfs", changed(BFS_PARENTS, at_3=-1), LEVELS, "in range"),
    "a NaN": ("sssp", SSSP_PARENTS, changed(DISTANCES, at_3=np.nan), "in range"),
    "another root": ("bfs", changed(BFS_PARENTS, at_0=1, at_1=1), LEVELS, "in range"),
    "a root that is far": ("sssp", SSSP_PARENTS, [d + 1 for d in DISTANCES], "in range"),
    "nothing": ("bfs", [-1] * 8, [-1] * 8, "in range"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("points", [1, 3])
def test_wrong_trees(tuples, case, points):
    kernel, parent, distance, rule = WRONG[case]
    with pytest.raises(ValidationError, match=f"root 0 is wrong.*{rule}"):
        check(tuples, kernel, 0, parent, distance, points)


@pytest.fixture(scope="module")
def kronecker():
    """A graph with repeats and loops, a root, its right trees, and the shortest distances by NetworkX."""
    plan = Plan(6, 4)
    tuples = stored(plan.edges(6))
    graph, root = construct(tuples, plan), 0
    root = int(np.argmax(graph.dense_in_degrees()))
    trees = {}
    for kernel, search in SEARCHES["auto"].by_kernel.items():
        tree = search(graph, root)
        trees[kernel] = [to_array(store)[:64] for store in (tree.parent, tree.distance)]
    u, v, w = (to_array(x) for x in (tuples.sources, tuples.destinations, tuples.properties["weight"]))
    known = nx.MultiGraph()
    known.add_nodes_from(range(64))
    known.add_weighted_edges_from(zip(u.tolist(), v.tolist(), w.tolist(), strict=True))
    right = {
        "bfs": nx.single_source_shortest_path_length(known, root),
        "sssp": nx.single_source_dijkstra_path_length(known, root),
    }
    return tuples, known, root, trees, right


@pytest.mark.parametrize("kernel", ["bfs", "sssp"])
def test_searches_are_right(kronecker, kernel):
    tuples, known, root, trees, right = kronecker
    parent, distance = trees[kernel]
    check(tuples, kernel, root, parent, distance)
    assert {v: distance[v] for v in np.flatnonzero(parent >= 0)} == pytest.approx(right[kernel], rel=1e-6)
    assert len(right[kernel]) == len(nx.node_connected_component(known, root)) < 64


@settings(max_examples=60)
@given(data=st.data(), kernel=st.sampled_from(["bfs", "sssp"]))
def test_any_other_parent_or_distance(kronecker, data, kernel):
    """A changed parent passes only where it is as good: joined by an edge that explains the distance."""
    tuples, known, root, trees, _ = kronecker
    parent, distance = (values.copy() for values in trees[kernel])
    v = data.draw(st.integers(0, 63), "vertex")
    if data.draw(st.booleans(), "change the parent"):
        parent[v] = data.draw(st.integers(-1, 63).filter(lambda u: u != trees[kernel][0][v]), "parent")
        p = int(parent[v])
        joined = known.get_edge_data(p, v, default={}) if p >= 0 else {}
        steps = [1 if kernel == "bfs" else np.float32(edge["weight"]) for edge in joined.values()]
        fine = v not in (root, p) and parent[p] >= 0 and any(distance[p] + step == distance[v] for step in steps)
    else:
        values = st.integers(-1, 9) if kernel == "bfs" else st.floats(0, 4, width=32) | st.just(np.inf)
        distance[v] = data.draw(values.filter(lambda d: d != trees[kernel][1][v]), "distance")
        fine = False
    if fine:
        check(tuples, kernel, root, parent, distance)
    else:
        with pytest.raises(ValidationError):
            check(tuples, kernel, root, parent, distance)


def test_weights():
    graph = WeightedKronecker(10)
    u, v = np.empty((2, graph.n_edges), np.uint32)
    w = np.empty(graph.n_edges, np.float32)
    graph.fill(0, graph.n_edges, u, v, {"weight": w})
    assert 0 <= w.min() < 0.001
    assert 0.999 < w.max() < 1
    counts = np.histogram(w, 64, (0, 1))[0]
    assert ((counts - 256) ** 2 / 256).sum() < 125  # chi-square of 63 degrees of freedom
    half = np.empty(100, np.float32)
    graph.fill(50, 150, u[:100], v[:100], {"weight": half})
    assert half.tolist() == w[50:150].tolist()
