# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of searches and components: `bfs.cu`, `bfs_multi_gpu.cu`, `components.cu`, `grid.cu`, `separated.cu`."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csgraph

import lux
from lux.algorithms.bfs import gpu, multi_gpu_memory
from lux.algorithms.bfs.distributed.degree_separated import gpu as separated_gpu
from lux.algorithms.multi_gpu import id_order, id_order_gpu
from lux.errors import LuxError
from lux_cases import searches
from lux_cases.examples import covering
from lux_cases.stores import to_array
from perfmodel import direction


def hubs():
    """Two long rows, of vertices that are far from each other, and a path."""
    u = np.concatenate([np.zeros(5200, int), np.ones(9300, int), np.arange(2, 90)])
    v = np.concatenate([np.arange(2, 5202), np.arange(700, 10000), np.arange(3, 91)])
    return lux.from_edges(u, v, n_vertices=10100, directed=False)


GRAPHS = {
    "kronecker": lambda: lux.generate("kronecker:9,8", seed=2),
    "directed": lambda: lux.generate("rmat:9,4", seed=3),
    "grid": lambda: lux.toy.grid(5, 7),
    "hubs": hubs,
    "loops and isolated": searches.MADE["loops and isolated"],
    "two vertices": lambda: lux.toy.path(2, directed=False),
}
UNDIRECTED = [name for name in GRAPHS if name != "directed"]
INFINITE = (np.inf,) * 4
DIRECTIONS = {
    "chosen": (separated_gpu.TO_BACKWARD, separated_gpu.TO_FORWARD),
    "forward": (INFINITE, INFINITE),
    "backward": ((np.inf, -1.0, -1.0, -1.0), (0.0, -1.0, -1.0, -1.0)),
}


@pytest.fixture(scope="module")
def graphs():
    return {name: make() for name, make in GRAPHS.items()}


def check(graph, source, limit=None, **more):
    """A search on GPUs: distances are SciPy's, parents are joined by edges, and so many levels are noted."""
    with lux.using(device="gpu"):
        found = lux.bfs(graph, source, max_iter=limit, **more)
    levels = csgraph.shortest_path(graph.to_scipy(), unweighted=True, indices=source)
    levels[levels > (np.inf if limit is None else limit)] = np.inf
    reached = np.isfinite(levels)
    distance, parent = found.distances.dense(), found.parents.dense()
    np.testing.assert_array_equal(distance, np.where(reached, levels, -1))
    np.testing.assert_array_equal(parent >= 0, reached)
    assert parent[source] == source
    child = np.flatnonzero(reached & (np.arange(graph.n_vertices) != source))
    np.testing.assert_array_equal(distance[parent[child]], distance[child] - 1)
    assert graph.has_dense_edges(parent[child].astype(np.int64), child).all()
    degrees = graph.dense_out_degrees()
    for level, did in enumerate(found.statistics):
        assert (did.frontier, did.frontier_edges) == ((distance == level).sum(), degrees[distance == level].sum())
    return found


def roots(graph):
    return {int(graph.dense_out_degrees().argmax()), 0, graph.n_vertices - 1}


@pytest.mark.parametrize("name, order", covering([*GRAPHS], ["given", "degree"]))
def test_search_on_one_gpu(machine, graphs, name, order):
    graph = graphs[name].reordered(order)
    for blocks in (1, 3):
        with machine(blocks=blocks, seed=blocks) as m:
            for source in roots(graph):
                check(graph, source)
            check(graph, 0, limit=1)
            assert set(m.launched) <= {"lux_first_neighbours", "lux_bfs"}


@pytest.mark.parametrize("name, order", covering([*GRAPHS], ["given", "degree"]))
def test_first_neighbours_have_the_lowest_turns(machine, graphs, name, order):
    """Vertices were dealt out to ranges in turns; without an order there is one range."""
    graph = graphs[name].reordered(order)
    with machine(blocks=2), lux.using(device="gpu"):
        found = to_array(gpu.first_neighbours(graph))
    offsets, sources = to_array(graph.offsets), to_array(graph.sources)
    sizes = [len(range(k, graph.n_vertices, 16)) for k in range(16)] if order == "degree" else [graph.n_vertices]
    turn = np.concatenate([np.arange(size) for size in sizes])
    rows = [sources[a:b].tolist() for a, b in itertools.pairwise(offsets)]
    expected = [min(row, key=lambda u: (turn[u], u), default=2**32 - 1) for row in rows]
    np.testing.assert_array_equal(found, expected)


def test_levels_take_seconds_at_any_rate_of_clocks(machine, graphs):
    """The clocks of these multiprocessors are of another rate than any GPU's, and each look at the time takes 1 ns."""
    with machine(blocks=1) as m:
        found = check(graphs["grid"].reordered("degree"), 0)
        took = sum(float(did.seconds.max()) for did in found.statistics)
    assert m.launched == ["lux_first_neighbours", "lux_bfs"]
    assert found.iterations * 1e-9 <= took < 1e-6 * found.iterations


def test_a_level_has_the_seconds_of_the_step_out_of_it():
    """Steps began at clocks 10, 50 and 60, and the last was over at 100; 100 clocks are 50 ns."""
    control = np.array([3, 7, 100, 50], np.int64).view(np.uint8)
    noted = np.array([[0, 1, 2, 10], [1, 5, 9, 50], [0, 1, 3, 60], [0, 0, 0, 0]], np.int64)
    levels, rows = gpu.report_levels(control, noted.view(np.uint8).ravel())
    assert levels == 3
    np.testing.assert_allclose(rows().reshape(-1, 4)[:, 3], [25e-9, 5e-9, 20e-9])
    _, rows = gpu.report_levels(control, noted[:2].view(np.uint8).ravel())  # there was room for two levels only
    np.testing.assert_allclose(rows().reshape(-1, 4)[:, 3], [25e-9, 0])


@pytest.mark.parametrize("name, order", covering([*GRAPHS], ["degree", "given"]))
def test_search_on_several_gpus(machine, graphs, name, order):
    graph = graphs[name].reordered(order)
    for parts in [p for p in (2, 3) if p <= graph.n_vertices]:
        with machine(parts, blocks=1 + (parts == 2), seed=parts) as m:
            for source in roots(graph):
                found = check(graph, source, parts=parts)
                assert found.parts == parts
                assert found.iterations < 2 or sum(did.exchanged for did in found.statistics) > 0
            for limit in (0, 1):
                assert check(graph, 0, limit=limit, parts=parts).iterations == limit
            assert set(m.launched) == {"lux_bfs_parts"}


@pytest.mark.parametrize("alpha", [0, 1000000])
def test_several_gpus_in_one_direction(machine, graphs, monkeypatch, alpha):
    """Top-down only, in which GPUs name vertices to each other; and bottom-up from the first level on."""
    for name in ("kronecker", "directed", "hubs"):
        monkeypatch.setattr(direction, "GPU_BFS", direction.Thresholds(alpha, 0))
        with machine(3, blocks=1, seed=alpha) as m:
            graph = graphs[name].reordered("degree")
            for source in roots(graph):
                found = check(graph, source, parts=3)
                assert {did.model for did in found.statistics[:-1]} <= {"pull" if alpha else "push"}
            assert set(m.launched) == {"lux_bfs_parts"}


@pytest.mark.check
def test_several_gpus_some_without_vertices(machine):
    """Split points are in whole words, so that a GPU may have none."""
    graph = lux.toy.grid(3, 12)
    for order in ("given", "degree"):
        with machine(4, blocks=1) as m:
            assert check(graph.reordered(order), 35, parts=4).parts == 4
            assert set(m.launched) == {"lux_bfs_parts"}


def test_all_gpus_where_it_is_worth_it(machine, spread_from, monkeypatch):
    graph = lux.generate("kronecker:7,4", seed=5)
    with machine(2, blocks=1) as m:
        check(graph, 0)
        assert m.launched == ["lux_first_neighbours", "lux_bfs"]
        monkeypatch.setattr(multi_gpu_memory, "WORTH_SEVERAL", 1)
        spread_from(1)
        assert check(graph, 0).parts == 2
        assert m.launched[2:] == ["lux_bfs_parts"] * 2
        with lux.using(device="gpu"):
            assert lux.bfs(graph, 0, deterministic=True).device == "gpu"
        assert "lux_bfs_parts" not in m.launched[4:]


def test_one_of_several_gpus_is_lost(machine):
    graph = lux.generate("kronecker:7,4", seed=5)
    with machine(2, blocks=1) as m, lux.using(device="gpu"):
        m.lost = {1}
        with pytest.raises(LuxError, match="waited in vain"):
            lux.bfs(graph, 0, parts=2)
        m.lost = ()
        assert lux.bfs(graph, 0, parts=2).converged


@pytest.mark.parametrize("name, order", covering([*GRAPHS], ["given", "degree"]))
def test_components_on_one_gpu(machine, graphs, name, order):
    graph = graphs[name].reordered(order)
    _, labels = csgraph.connected_components(graph.to_scipy(), directed=False)
    smallest = np.full(labels.max() + 1, graph.n_vertices)
    np.minimum.at(smallest, labels, np.arange(graph.n_vertices))
    with machine() as m, lux.using(device="gpu"):
        np.testing.assert_array_equal(lux.components(graph).labels.dense(), smallest[labels])
    assert m.launched[0] == "lux_components"


@pytest.mark.parametrize(
    "name, strategy, parts",
    covering([name for name in GRAPHS if name != "two vertices"], ["two-dimensional", "hybrid"], [3, 1, 2]),
)
def test_grids_of_gpus(machine, graphs, name, strategy, parts):
    graph = graphs[name]
    with machine(parts, blocks=1 + (parts == 1)) as m:
        for source in list(roots(graph))[: 1 + (parts == 1)]:
            assert check(graph, source, strategy=strategy, parts=parts).parts == parts
        check(graph, 0, limit=1, strategy=strategy, parts=parts)
        assert "lux_grid" in m.launched


@pytest.mark.parametrize(
    "case, parts",
    covering(
        [
            *((name, "chosen") for name in UNDIRECTED),
            *((name, d) for name in ("kronecker", "hubs") for d in DIRECTIONS if d != "chosen"),
        ],
        [1, 2],
    ),
    ids=str,
)
def test_separated_by_degree(machine, graphs, case, parts, monkeypatch):
    name, directions = case
    for constant, factors in zip(("TO_BACKWARD", "TO_FORWARD"), DIRECTIONS[directions], strict=True):
        monkeypatch.setattr(separated_gpu, constant, factors)
    graph = graphs[name]
    with machine(parts) as m:
        for source in list(roots(graph))[: 3 - parts]:
            assert check(graph, source, strategy="degree-separated", parts=parts).parts == parts
        assert "lux_separated" in m.launched


@pytest.mark.parametrize("name, parts", covering(["kronecker", "directed", "loops and isolated"], [2, 3]))
def test_gpus_make_the_lists_of_their_exchange(machine, graphs, made_on_gpus_from, name, parts):
    made_on_gpus_from(1)
    graph = graphs[name]
    with machine(parts) as on, lux.using(device="gpu"):
        ordered = graph.reordered("degree")
        points = multi_gpu_memory.points_of(ordered, parts)
        sends, slots, counts = id_order_gpu.lists(ordered, points)
        found = to_array(sends), to_array(slots)
        assert {"lux_count_senders", "lux_list_sends"} <= set(on.launched)
        by_source = ordered.layout(1).by_source(()).offsets
        offsets = [to_array(x) for x in (ordered.offsets, by_source)]
        expected = id_order.sending(to_array(ordered.order.places), *offsets, points)
        np.testing.assert_array_equal(counts, expected.counts)
        np.testing.assert_array_equal(found[0], to_array(expected.sends))
        np.testing.assert_array_equal(found[1], to_array(expected.slots))
        check(ordered, 1, parts=parts, strategy="gpus")
