# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The generated kernels of vertex programs: `single_gpu.cuh`, and on several GPUs `partition.cuh` and `resume.cuh`."""

import numpy as np
import pytest
from scipy.sparse import csgraph

import lux
from lux_cases.examples import covering

GRAPHS = {
    "kronecker": lambda: lux.generate("kronecker:9,8", seed=2),
    "directed": lambda: lux.generate("rmat:9,4", seed=3),
    "hubs": lambda: lux.from_edges(
        np.concatenate([np.zeros(5200, int), np.ones(4300, int), np.arange(2, 90)]),
        np.concatenate([np.arange(2, 5202), np.arange(900, 5200), np.arange(3, 91)]),
        n_vertices=5300,
        directed=False,
    ),
}


@pytest.fixture(scope="module")
def made():
    graphs = {name: make() for name, make in GRAPHS.items()}
    return graphs | {"by degree": graphs["directed"].reordered("degree")}


def ranks(graph, iterations, alpha=0.85):
    """PageRank by NumPy, in float64."""
    edges, n, degrees = graph.to_scipy().astype(float).T, graph.n_vertices, graph.dense_out_degrees()
    found = np.full(n, 1 / n)
    for _ in range(iterations):
        share = found / np.maximum(degrees, 1)
        found = (1 - alpha + alpha * found[degrees == 0].sum()) / n + alpha * (edges @ share)
    return found


def components_of(graph):
    _, labels = csgraph.connected_components(graph.to_scipy(), directed=False)
    smallest = np.full(labels.max() + 1, graph.n_vertices)
    np.minimum.at(smallest, labels, np.arange(graph.n_vertices))
    return smallest[labels]


def check_ranks(graph, iterations=7, **more):
    with lux.using(device="gpu"):
        found = lux.pagerank(graph, tol=0, max_iter=iterations, weight=None, dtype=np.float32, **more)
    assert (found.device, found.iterations, found.converged) == ("gpu", iterations, False)
    assert len(found.statistics) == iterations
    np.testing.assert_allclose(found.ranks.dense(), ranks(graph, iterations), rtol=2e-5)
    return found


def check_components(graph, **more):
    with lux.using(device="gpu"):
        found = lux.components(graph, **more)
    assert (found.device, found.converged) == ("gpu", True)
    np.testing.assert_array_equal(found.labels.dense(), components_of(graph))
    return found


@pytest.mark.parametrize("name", ["kronecker", "directed", "hubs", "by degree"])
def test_ranks_on_one_gpu(machine, made, name):
    with machine() as m:
        check_ranks(made[name])
        assert "lux_run" in m.launched  # after kernels that prepare the graph


@pytest.mark.parametrize(
    "name, model", covering(["kronecker", "directed", "hubs", "by degree"], ["push", "pull", "auto"])
)
def test_frontiers_on_one_gpu(machine, made, name, model):
    graph = made[name]
    with machine():
        if model != "auto":  # else another kernel has them
            check_components(graph, model=model)
        check_search(graph, model=model)
        if model == "push":
            check_ranks(graph, model=model)


@pytest.mark.parametrize(
    "name, placement", covering(["directed", "hubs", "by degree"], ["device", "zero-copy", "peer"])
)
def test_partitions(machine, made, name, placement):
    graph, blocks = made[name], 1 + (name == "directed")
    with machine(2, blocks=blocks) as m, lux.using(placement=placement):
        check_ranks(graph, 5, parts=2)
        for model in ("auto", "pull", "push"):
            check_components(graph, parts=2, model=model)
        for model in ("pull", "push"):
            check_search(graph, parts=2, model=model)
        check_ranks(graph, 5, parts=2, model="push")
    assert set(m.launched) >= {"lux_step"}


@pytest.mark.parametrize("placement", ["peer", "device", "zero-copy"])
def test_weights_on_partitions(machine, placement):
    """An edge property, on three partitions of a graph that is stored as given."""
    u, v = lux.generate("rmat:8,4", seed=3).edge_arrays()
    graph = lux.from_edges(u, v, (1 + u * v % 255).astype(np.float32))
    source = graph.out_degrees().top(1)[0][0]
    expected = csgraph.dijkstra(graph.to_scipy(), indices=graph.ids.dense(source))
    for model in ("pull", "push"):
        with machine(3), lux.using(device="gpu", placement=placement):
            found = lux.sssp(graph, source, strategy="program", parts=3, model=model)
        assert (found.device, found.parts) == ("gpu", 3)
        np.testing.assert_array_equal(found.distances.dense(), expected)


@pytest.mark.check
@pytest.mark.parametrize("blocks", [1, 2])
def test_short_and_long_launches(machine, made, blocks):
    """Launches of 2 and 2, and then of 32 iterations; a run may end in any of them."""
    for iterations in (1, 2, 3, 4, 5, 35, 36, 50):
        with machine(2, blocks=blocks) as m, lux.using(placement="peer"):
            check_ranks(made["directed"], iterations, parts=2)
    assert m.launched.count("lux_step") >= 5  # the first, two short ones, and two long ones


def check_search(graph, **more):
    source = int(graph.dense_out_degrees().argmax())
    with lux.using(device="gpu"):
        found = lux.bfs(graph, source, deterministic=True, **more)
    assert found.device == "gpu"
    check_tree(graph, found)
    return found


def check_tree(graph, found):
    """Distances against SciPy's, parents by the edges."""
    expected = csgraph.shortest_path(graph.to_scipy(), unweighted=True, indices=found.source)
    distance, parent = found.distances.dense(), found.parents.dense()
    reached = np.isfinite(expected)
    np.testing.assert_array_equal(distance, np.where(reached, expected, -1))
    np.testing.assert_array_equal(parent >= 0, reached)
    assert parent[found.source] == found.source
    others = np.flatnonzero(reached & (np.arange(graph.n_vertices) != found.source))
    np.testing.assert_array_equal(distance[parent[others]], distance[others] - 1)
    assert graph.has_dense_edges(parent[others].astype(np.int64), others).all()


@pytest.mark.slow
@pytest.mark.parametrize("placement, seed", [("peer", 1), ("peer", 2), ("device", 2), ("zero-copy", 1)])
def test_split_points_that_move(machine, placement, seed, force_moves, at_once):
    path = np.arange(69)
    near = np.random.default_rng(seed).integers(0, 70, 100)
    graph = lux.from_edges(np.concatenate([path, near]), np.concatenate([path + 1, np.minimum(near + 2, 69)]))
    parts = 1 + seed
    with machine(parts, blocks=1) as m, lux.using(placement=placement):
        force_moves(seed)
        found = [check_ranks(graph, 30, parts=parts)]
        for model in ("pull", "push"):
            force_moves(seed)
            found.append(check_components(graph, parts=parts, model=model))
    assert m.launched.count("lux_resume") >= 8
    assert all(sum(d.phase != "none" for d in run.repartitions) >= 2 for run in found)
