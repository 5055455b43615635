# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Counts of runs, against what the runs' answers say must have happened."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import lux
from benchmarks.primitive_costs import PRIMITIVES, borders, fit, measure, observe, schemes, table_one
from benchmarks.primitive_costs.memory import GROWTH, grown
from benchmarks.primitive_costs.split import kernel_seconds
from lux.errors import GraphError, ParameterError
from lux_cases.stores import to_array

SPECS = ("kronecker:9,8", "grid:8x7")


@pytest.fixture(scope="module", params=SPECS)
def graph(request) -> lux.Graph:
    return lux.generate(request.param, seed=2, weights=(1, 64))


def parts_of(graph: lux.Graph, parts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Owners of the places, and sources and destinations of all edges as places."""
    points = graph.layout(parts).points
    owners = np.searchsorted(points, np.arange(graph.n_vertices), side="right") - 1
    sources, destinations = graph.dense_edge_arrays()
    if graph.order is not None:
        places = to_array(graph.order.places).astype(np.int64)
        sources, destinations = places[sources], places[destinations]
    return owners, sources, destinations


def expected_of_levels(graph: lux.Graph, frontiers: list[np.ndarray], parts: int) -> tuple[list[int], list[np.ndarray]]:
    """Of frontiers (places): vertices that are sent to other partitions, and edges into each partition."""
    owners, sources, destinations = parts_of(graph, parts)
    sent, pushed = [], []
    for frontier in frontiers:
        taken = np.isin(sources, frontier)
        pairs = np.unique(np.column_stack([sources[taken], owners[destinations[taken]]]), axis=0)
        sent.append(int((owners[pairs[:, 0]] != pairs[:, 1]).sum()))
        pushed.append(np.bincount(owners[destinations[taken]], minlength=parts))
    return sent, pushed


def levels_of(graph: lux.Graph, source: int) -> list[np.ndarray]:
    distances = lux.bfs(graph, source).distances.dense()
    places = np.arange(graph.n_vertices) if graph.order is None else to_array(graph.order.places)
    return [places[distances == level] for level in range(distances.max() + 1)]


@pytest.mark.parametrize("partitioner", ["contiguous", "random"])
@pytest.mark.parametrize("parts", [2, 5])
def test_search(graph, partitioner, parts) -> None:
    asked, source = graph.partitioned(partitioner, parts), int(graph.dense_in_degrees().argmax())
    levels = levels_of(asked, source)
    sent, pushed = expected_of_levels(asked, levels, parts)
    seen = observe(lambda: PRIMITIVES["BFS"](asked, source, parts))
    assert seen.sent.tolist() == sent
    np.testing.assert_array_equal(seen.pushed, pushed)
    costs = measure("BFS", asked, source, parts)
    sizes = [len(level) for level in levels]
    reached = sum(sizes)
    assert (costs.supersteps, costs.sent, costs.broadcast) == (len(levels), sum(sent), (parts - 1) * reached)
    assert (costs.sent_bytes, costs.broadcast_bytes) == (4 * costs.sent, 4 * costs.broadcast)
    assert costs.handled == (parts + 1) * reached
    assert costs.edges.sum() == graph.dense_in_degrees()[lux.bfs(graph, source).distances.dense() >= 0].sum()
    np.testing.assert_array_equal(costs.inputs.sum(axis=1), sizes)
    np.testing.assert_array_equal(costs.outputs.sum(axis=1), [*sizes[1:], 0])
    if reached == graph.n_vertices:  # every vertex is sent over its border once
        assert costs.sent == borders(asked, parts).border.sum()
    back = measure("BC", asked, source, parts)
    assert back.supersteps == 2 * len(levels) - 1
    assert back.sent == sum(sent) + sum(sent[2:])
    assert back.edges.sum() == costs.edges.sum() + graph.dense_in_degrees()[_inner(graph, source)].sum()


def _inner(graph: lux.Graph, source: int) -> np.ndarray:
    """Vertices of all levels but the first and the last."""
    distances = lux.bfs(graph, source).distances.dense()
    return (distances > 0) & (distances < distances.max())


def test_pulls_look_until_the_first_parent() -> None:
    graph = lux.generate("kronecker:9,16", seed=1)
    costs = measure("DOBFS", graph, 3, 2)
    distances = lux.bfs(graph, 3).distances.dense()
    offsets, sources = to_array(graph.offsets), to_array(graph.sources)
    models = [step.model for step in costs.result.statistics]
    assert {"pull", "push"} == set(models)
    for level, model in enumerate(models):
        if model == "push":
            continue
        scanned = 0
        for vertex in np.flatnonzero((distances > level) | (distances < 0)):
            hits = np.flatnonzero(distances[sources[offsets[vertex] : offsets[vertex + 1]]] == level)
            scanned += hits[0] + 1 if len(hits) else offsets[vertex + 1] - offsets[vertex]
        assert costs.computed[level].sum() == scanned + graph.n_vertices
        assert costs.edges[level].sum() == 0
    assert costs.computed.sum() < measure("BFS", graph, 3, 2).computed.sum()


def test_shortest_paths_push_from_changed_vertices(graph) -> None:
    """Frontiers found by ending the same run after each iteration."""
    source, parts = int(graph.dense_in_degrees().argmax()), 3
    costs = measure("SSSP", graph, source, parts)
    before, frontiers = np.full(graph.n_vertices, np.nan), []
    for limit in range(costs.supersteps):
        after = lux.sssp(graph, source, model="push", parts=parts, max_iter=limit).distances.dense()
        frontiers.append(np.flatnonzero(after != before) if limit else np.array([source]))
        before = after
    sent, pushed = expected_of_levels(graph, frontiers, parts)
    assert costs.sent == sum(sent)
    np.testing.assert_array_equal(costs.edges, pushed)
    assert costs.sent_bytes == costs.sent * (4 + 8)  # an id and a distance


def test_programs_without_a_frontier(graph) -> None:
    for parts in (2, 5):
        asked = graph.partitioned("random", parts)
        border = borders(asked, parts)
        costs = measure("PageRank", asked, None, parts)
        steps = costs.result.iterations
        assert (costs.supersteps, costs.sent, costs.sent_bytes) == (
            steps,
            steps * border.border.sum(),
            8 * steps * border.border.sum(),
        )
        assert costs.computed.sum() == steps * (graph.n_vertices + graph.n_edges)
        assert (costs.handled, costs.broadcast) == (0, steps * (parts - 1) * graph.n_vertices)
        expected = table_one(costs, border, 10)
        assert expected.sent == costs.sent
        linked = measure("CC", asked, None, parts)
        assert (linked.supersteps, linked.sent, linked.whole_bytes) == (1, border.border.sum(), 0)
        assert linked.edges.sum() == linked.result.statistics[0].frontier_edges


@pytest.mark.slow
def test_table_one() -> None:
    graph = lux.toy.grid(4, 4)
    border = borders(graph, 2)
    edges, present, b = border.edges.sum(), border.present.sum(), border.border.sum()
    found = {name: table_one(measure(name, _weighted(graph), 0, 2), border, 6) for name in PRIMITIVES}
    assert found["BFS"] == type(found["BFS"])(edges, present, b, 3)
    assert (found["DOBFS"].handled, found["DOBFS"].sent) == (2 * 16, 16)
    assert found["SSSP"].sent == pytest.approx(2 * b * found["SSSP"].computed / edges)
    assert (found["BC"].computed, found["BC"].sent) == (2 * edges, 5 * b + 2 * 16)
    assert found["CC"].computed == pytest.approx(math.log2(3) * edges)


def _weighted(graph: lux.Graph) -> lux.Graph:
    edges = graph.dense_edge_list()
    return lux.from_edges(edges.sources, edges.destinations, np.ones(len(edges.sources)), directed=False)


def test_fit_finds_the_terms() -> None:
    rng = np.random.default_rng(1)
    runs = []
    for _ in range(12):
        computed = rng.integers(10**4, 10**6, (int(rng.integers(3, 60)), 2))
        sent_bytes = int(rng.integers(10**4, 10**7))
        seconds = 2e-9 * computed.max(axis=1).sum() + 1e-10 * sent_bytes + 3e-4 * len(computed)
        run = SimpleNamespace(
            work=lambda _, c=computed: int(c.max(axis=1).sum()),
            sent_bytes=sent_bytes,
            supersteps=len(computed),
            result=SimpleNamespace(seconds=seconds, statistics=[SimpleNamespace(seconds=2e-9 * c) for c in computed]),
        )
        runs.append(run)
    terms = fit(runs, 2)
    assert (terms.work, terms.gap, terms.latency) == pytest.approx((2e-9, 1e-10, 3e-4))
    assert terms.error == pytest.approx(0, abs=1e-9)
    assert sum(terms.split(runs[0], 2)) == pytest.approx(runs[0].result.seconds)
    with pytest.raises(ParameterError, match="2 runs were passed; allowed are 3 or more"):
        fit(runs[:2], 2)


def test_work_of_the_slowest_processor(graph) -> None:
    costs = measure("BFS", graph, 1, 4)
    assert costs.work(4) == costs.computed.max(axis=1).sum()
    assert costs.work(1) == costs.computed.sum()
    assert costs.work(4) <= costs.work(2) <= costs.work(1)
    assert 0 < kernel_seconds(costs, 2) < costs.result.seconds


def test_buffers_grow() -> None:
    assert grown(0, np.array([0, 0]), 9) == (0, 0, 0)
    assert grown(10, np.array([11, 12, 30]), 99) == (30, 15, 2)
    assert grown(10, np.array([11]), 99)[0] == math.ceil(GROWTH * 10)
    assert grown(10, np.array([11]), 12) == (12, 10, 1)


@pytest.mark.parametrize("primitive", list(PRIMITIVES))
def test_schemes_of_allocation(graph, primitive) -> None:
    costs, before, border = measure(primitive, graph, 1, 3), measure(primitive, graph, 2, 3), borders(graph, 3)
    found = schemes(costs, border, 4, before)
    assert found["maximum"].nbytes == 4 * (2 * graph.n_vertices + graph.n_edges)
    assert found["fused"].nbytes <= found["fixed"].nbytes <= found["maximum"].nbytes
    assert found["just enough"].nbytes <= found["maximum"].nbytes
    most = {name: getattr(costs, name).max(axis=0) for name in ("inputs", "edges", "outputs")}
    assert found["just enough"].nbytes >= 4 * sum(int(size.sum()) for size in most.values())
    assert found["fused"].nbytes >= 4 * int(most["inputs"].sum() + most["outputs"].sum())
    for scheme in found.values():
        assert scheme.peak >= scheme.nbytes
    assert (found["Lux"].nbytes == 0) == (primitive in ("CC", "PageRank"))


def test_directions_by_estimates() -> None:
    graph = lux.generate("kronecker:9,16", seed=1)
    by_edges, estimated = (measure("DOBFS", graph, 3, 2, direction=rule) for rule in ("edges", "estimates"))
    assert estimated.result.statistics[1].why.startswith("estimates: ")
    assert estimated.sent == by_edges.sent  # every vertex is once in the frontier
    assert (estimated.inputs != by_edges.inputs).any()


def test_mistakes_are_refused() -> None:
    graph = lux.toy.kite()
    for arguments, kind, message in (
        (("DFS", graph, 0, 2), ParameterError, "allowed are BFS, DOBFS, SSSP, BC, CC, PageRank"),
        (("BFS", lux.toy.path(5), 0, 2), GraphError, r"directed: pass graph.symmetrized\(\)"),
        (("BFS", graph, 0, 1), ParameterError, "parts=1 was passed; allowed are numbers from 2"),
        (("BFS", graph, 0, 11), ParameterError, "allowed are 1 to 10"),
        (("SSSP", graph, 0, 2), GraphError, "weight"),
        (("BFS", graph, 99, 2), GraphError, "vertex 99"),
    ):
        with pytest.raises(kind, match=message):
            measure(*arguments)
    with pytest.raises(ParameterError, match="direction='edges' was passed for BFS; only DOBFS"):
        measure("BFS", graph, 0, 2, direction="edges")
    with pytest.raises(ParameterError, match="direction='up' was passed; allowed"):
        measure("DOBFS", graph, 0, 2, direction="up")
