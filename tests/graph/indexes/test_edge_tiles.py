# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Gathers over blocks of edges give what gathers over rows give."""

import numpy as np
import pytest

import lux
from lux.graph.indexes import edge_tiles
from lux_cases.builtin import PageRank
from lux_cases.examples import covering, one_order

PARTS = (None, 1, 2, 3, 7)
BITS = (4, 17, 28)
"""log2 of a block's destinations: many ranges of destinations, one block, and many ranges of sources."""


class Several(lux.Program):
    """Five reductions at once, from both ends' old values, constants, identifiers and a weight."""

    total = lux.field(np.int64, reduce=lux.ADD)
    low = lux.field(np.float32, reduce=lux.MIN)
    high = lux.field(np.int16, reduce=lux.MAX)
    some = lux.field(np.uint8, reduce=lux.OR)
    every = lux.field(np.int32, reduce=lux.AND)
    level = lux.field(np.int64)
    bias = lux.field(np.int64, constant=True)

    def start(v, params):
        v.level = v.id + v.bias

    def init(v, old, params):
        v.total = v.bias
        v.low = 0.5 * v.out_degree

    def compute(v, u, edge, params):
        return (
            u.level * edge.weight + u.bias - v.level,
            u.level + 0.25,
            u.out_degree - v.in_degree,
            1 << (u.id % 8),
            (u.level + v.id) | 4,
        )

    def update(v, old, params):
        v.level = (old.level + v.total) % params.modulus


class Nearest(lux.Program):
    """A frontier, so that edges stay in rows."""

    far = lux.field(np.int32, reduce=lux.MIN)

    def start(v, params):
        v.far = 0 if v.id == 0 else 1000
        return v.id == 0

    def compute(v, u, edge, params):
        return u.far + 1

    def update(v, old, params):
        return v.far < old.far


@pytest.fixture(params=BITS)
def small(request, monkeypatch):
    """Blocks of any graph."""
    for name, value in {"EDGES": 0, "EDGES_OF_A_BLOCK": 0, "IRREGULAR": 0, "PLACE_BITS": request.param}.items():
        monkeypatch.setattr(edge_tiles, name, value)


def chose_blocks(result):
    whys = {step.why for step in result.statistics}
    assert len(whys) == 1
    return whys.pop().endswith("by blocks of edges")


@pytest.fixture(scope="module")
def edges():
    return lux.generate("rmat:8,6", seed=4, weights=(1, 9)).dense_edge_list()


def graph_of(edges, order):
    """Afresh, as a graph keeps its blocks."""
    graph = lux.from_edges(edges.sources, edges.destinations, edges.properties["weight"], n_vertices=256)
    return graph.reordered(order)


@pytest.mark.parametrize(
    "dtype, weight, order", covering([np.float64, np.float32], ["weight", None], ["given", "degree"], times=2)
)
@pytest.mark.usefixtures("small")
def test_pagerank(edges, order, dtype, weight, monkeypatch):
    graph, iterations = graph_of(edges, order), edge_tiles.ITERATIONS

    def run(parts):
        return lux.pagerank(graph, max_iter=iterations, tol=0, dtype=dtype, weight=weight, parts=parts)

    found = [run(parts) for parts in PARTS]
    monkeypatch.setattr(edge_tiles, "EDGES", 2**62)
    expected = run(1)
    assert not chose_blocks(expected)
    rtol = 1e-12 * (1 + iterations) if dtype == np.float64 else 1e-5
    for result in found:
        assert chose_blocks(result)
        np.testing.assert_allclose(result.ranks.dense(), expected.ranks.dense(), rtol=rtol, atol=0)


@pytest.mark.usefixtures("small")
def test_any_program(edges, chance, monkeypatch):
    for order in one_order(chance):
        with monkeypatch.context() as patch:
            check_any_program(graph_of(edges, order), patch)


def check_any_program(graph, monkeypatch):
    given = {"bias": np.arange(256) % 5}
    iterations = edge_tiles.ITERATIONS

    def run(parts):
        return lux.run(Several, graph, constants=given, modulus=1009, max_iter=iterations, parts=parts)

    found = [run(parts) for parts in PARTS]
    monkeypatch.setattr(edge_tiles, "EDGES", 2**62)
    expected = run(1)
    assert not chose_blocks(expected)
    for result in found:
        assert chose_blocks(result)
        for name, values in expected.columns.items():
            np.testing.assert_array_equal(result[name].to_numpy(), values.to_numpy(), err_msg=name)


def test_made_once_and_shown(monkeypatch):
    for name, value in {"EDGES": 0, "EDGES_OF_A_BLOCK": 0}.items():
        monkeypatch.setattr(edge_tiles, name, value)
    graph = lux.generate("kronecker:8", seed=1)
    tasks = []
    for _ in range(2):
        said = lux.explain(lux.pagerank, graph, max_iter=20, tol=0)
        tasks.append([launch.task for launch in said.launches])
        assert "by blocks of edges" in str(said)
    assert tasks[0].count("into_blocks") == 1
    assert "into_blocks" not in tasks[1]


@pytest.mark.check
def test_rule(monkeypatch):
    graph = lux.generate("kronecker:8", seed=1)
    layout, spec = graph.layout(2), PageRank.spec

    def why(spec=spec, layout=layout, expected=20, needed=0):
        return edge_tiles.why_not(spec, layout, expected, needed, made=layout.has_blocks(tuple(spec.edge_properties)))

    assert why() == "there are under 1,048,576 edges"
    monkeypatch.setattr(edge_tiles, "EDGES", 0)
    assert why() == "blocks would have under 8,192 edges"
    monkeypatch.setattr(edge_tiles, "EDGES_OF_A_BLOCK", 0)
    assert why() == ""
    assert why(spec=Nearest.spec) == "the program is not all sums, minima and the like of scalars"
    assert why(expected=19) == "19 iterations are expected, under 20"
    assert why(needed=2**50) == "memory for a second copy of the edges is short"
    cycle = lux.toy.cycle(64).layout(2)
    assert why(layout=cycle) == "only 0% of the vertices have more or fewer edges than the one before"


def test_a_loose_tolerance_expects_few_iterations(monkeypatch):
    for name, value in {"EDGES": 0, "EDGES_OF_A_BLOCK": 0}.items():
        monkeypatch.setattr(edge_tiles, name, value)
    graph = lux.generate("kronecker:8", seed=1)
    assert not chose_blocks(lux.pagerank(graph, tol=0.2))
    tight = lux.pagerank(graph, tol=1e-9)
    assert chose_blocks(tight)
    assert tight.iterations > 1


def test_hubs_keep_their_sums_exact(monkeypatch):
    """A row of many edges in float32."""
    for name, value in {"EDGES": 0, "EDGES_OF_A_BLOCK": 0, "IRREGULAR": 0}.items():
        monkeypatch.setattr(edge_tiles, name, value)
    n = 200_000
    graph = lux.from_edges(np.arange(1, n), np.zeros(n - 1, np.int64), n_vertices=n, directed=False)
    single = lux.pagerank(graph, tol=0, max_iter=20, dtype=np.float32)
    assert chose_blocks(single)
    monkeypatch.setattr(edge_tiles, "EDGES", 2**62)
    double = lux.pagerank(graph, tol=0, max_iter=20, dtype=np.float64)
    assert not chose_blocks(double)
    np.testing.assert_allclose(single.ranks.dense(), double.ranks.dense(), rtol=1e-5, atol=0)
