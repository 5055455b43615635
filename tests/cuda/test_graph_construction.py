# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`edge_sort.cu` and its companions: GPUs make the same graphs as cores, bit for bit."""

import numpy as np
import pytest

import lux
from lux.graph import build
from lux.graph.construction.edge_stores import GraphEdges
from lux.graph.construction.generators import parse_spec
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu import weights
from lux.graph.parallel_edges import without_parallel_edges
from lux_cases.examples import covering
from lux_cases.stores import to_array

RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def any_size(made_on_gpus_from):
    """Also small graphs are made by GPUs."""
    made_on_gpus_from(1)


def edges(n, m, low=0, kind=np.int64):
    """Edges with loops and repeats, and with hubs."""
    ends = (n * RNG.random((2, m)) ** 3).astype(kind) + kind(low)
    ends[:, :: max(m // 7, 1)] = ends[0, :: max(m // 7, 1)]
    return ends[0], ends[1]


def stores(graph):
    """All that a graph holds."""
    found = {
        "offsets": to_array(graph.offsets)[: graph.n_vertices + 1],
        "sources": to_array(graph.sources)[: graph.n_edges],
    }
    found |= {name: to_array(values)[: graph.n_edges] for name, values in graph.properties.items()}
    if graph.order is not None:
        found |= {"vertices": to_array(graph.order.vertices), "places": to_array(graph.order.places)}
    return found


def assert_same(graph, expected):
    assert (graph.n_vertices, graph.n_edges, graph.directed) == (
        expected.n_vertices,
        expected.n_edges,
        expected.directed,
    )
    assert graph.ids == expected.ids
    found, wanted = stores(graph), stores(expected)
    assert found.keys() == wanted.keys()
    for name, values in wanted.items():
        assert found[name].dtype == values.dtype
        np.testing.assert_array_equal(found[name], values, err_msg=name)


NEITHER = {"drop_loops": True, "drop_repeats": True}
SIZES = [(1, 1), (2, 3), (5, 100), (300, 40), (700, 9000)]


@pytest.mark.parametrize(
    "size, directed, drop",
    covering(SIZES, [True, False], [{}, NEITHER, {"drop_loops": True}, {"drop_repeats": True}], times=2),
)
def test_edges_are_sorted(machine, size, directed, drop):
    n, m = size
    u, v = edges(n, m)
    expected = lux.from_edges(u, v, directed=directed, n_vertices=n, **drop)
    with machine(blocks=3) as on:
        made = lux.from_edges(u, v, directed=directed, n_vertices=n, **drop)
        assert on.launched == ["lux_id_range", "lux_narrow_ids", "lux_sort_edges", "lux_write_edges"]
        assert_same(made, expected)


@pytest.mark.parametrize(
    "kind, directed, drop", covering(["float32", "int8", "uint16", "float64"], [True, False], [{}, NEITHER])
)
def test_values_follow_their_edges(machine, kind, directed, drop):
    u, v = edges(300, 4000)
    given = {"weight": RNG.integers(0, 100, 4000).astype(kind), "number": np.arange(4000)}
    expected = lux.from_edges(u, v, directed=directed, **drop, **given)
    with machine(blocks=2):
        assert_same(lux.from_edges(u, v, directed=directed, **drop, **given), expected)


@pytest.mark.parametrize(
    "kind, low, dense",
    covering([np.int32, np.uint32, np.int64, np.uint64], [0, 5, 2**31 - 900], [True, False], times=2),
)
def test_ids_are_numbered(machine, kind, low, dense):
    u, v = edges(800, 3000, low, kind)
    if dense:
        u[:800] = np.arange(low, low + 800)
    expected = lux.from_edges(u, v)
    with machine(blocks=3) as on:
        made = lux.from_edges(u, v)
        assert "lux_number_vertices" in on.launched
        assert_same(made, expected)


def test_negative_and_far_ids(machine):
    far = np.array([2**63 + 5, 3, 2**64 - 1], np.uint64)
    low = np.array([-5, 3, -(2**40)])
    for u, v in ((far, far[::-1]), (low, low[::-1]), (np.array([-5, 3]), np.array([7, 7]))):
        expected = lux.from_edges(u, v)
        with machine():
            assert_same(lux.from_edges(u, v), expected)


def test_ids_out_of_range_are_refused_as_on_cores(machine):
    for u in ([0, 5], [-1, 2]):
        with machine(), pytest.raises(lux.LuxError, match="must be integers from 0 to n_vertices - 1 = 4"):
            lux.from_edges(u, [1, 2], n_vertices=5)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_orders(machine, directed, weighted):
    u, v = edges(500, 6000)
    given = {"weight": np.arange(6000.0)} if weighted else {}
    made = lux.from_edges(u, v, directed=directed, n_vertices=520, **given)
    with machine(blocks=2) as on:
        moved = made.reordered("degree")
        assert on.launched.count("lux_sort_edges") == 2
        ranges = moved.order.ranges
        found = stores(moved)
        back = stores(moved.reordered("given"))
    assert ranges == 1
    degrees = made.dense_in_degrees() + (made.dense_out_degrees() if directed else 0)
    np.testing.assert_array_equal(found["vertices"], np.argsort(-degrees, kind="stable"))
    np.testing.assert_array_equal(found["places"][found["vertices"]], np.arange(520))
    expected = stores(build.build(GraphEdges(made, places=moved.order.places)))
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
    for name, values in stores(made).items():
        np.testing.assert_array_equal(back[name], values, err_msg=name)


@pytest.mark.check
@pytest.mark.parametrize("ranges", [1, 2, 3, 7])
def test_vertices_are_dealt_out(machine, ranges, monkeypatch):
    graph = lux.from_edges(*edges(200, 900), n_vertices=205, directed=False)
    with machine(gpus=ranges):
        order = graph.reordered("degree").order
        found = to_array(order.vertices)
    ordered = np.argsort(-graph.dense_in_degrees(), kind="stable")
    np.testing.assert_array_equal(found, np.concatenate([ordered[k::ranges] for k in range(ranges)]))


@pytest.mark.parametrize("weighted", [True, False])
def test_derived_graphs(machine, weighted):
    u, v = edges(400, 5000)
    given = {"weight": np.arange(5000.0)} if weighted else {}
    expected = lux.from_edges(u, v, n_vertices=410, **given)
    with machine(blocks=2) as on:
        made = lux.from_edges(u, v, n_vertices=410, **given)
        reverse, both = made.reverse(), made.symmetrized()
        before = len(on.launched)
        by_source = made.layout(1).by_source(tuple(given))
        assert "lux_list_rows" in on.launched[before:]
        assert_same(reverse, expected.reverse())
        assert_same(both, expected.symmetrized())
        offsets, destinations = to_array(by_source.offsets), to_array(by_source.destinations)
        weights = [to_array(values) for values in by_source.properties.values()]
    wanted = expected.layout(1).by_source(tuple(given))
    np.testing.assert_array_equal(offsets[:411], to_array(wanted.offsets)[:411])
    np.testing.assert_array_equal(destinations[:5000], to_array(wanted.destinations)[:5000])
    for found, values in zip(weights, wanted.properties.values(), strict=True):
        np.testing.assert_array_equal(found[:5000], to_array(values)[:5000])


def test_generated_graphs(machine):
    expected = build.build(parse_spec("kronecker:9"))
    with machine() as on:
        assert_same(build.build(parse_spec("kronecker:9")), expected)
        assert on.launched[0] == "lux_generate_rmat"


@pytest.mark.parametrize("kind", ["float32", "int32", "uint32"])
def test_edges_by_weight(machine, kind):
    u, v = edges(300, 5000)
    weight = RNG.integers(0, 90, 5000).astype(kind)
    order = np.lexsort((u, weight, v))
    rows, firsts = np.unique(v[order], return_index=True)
    least = np.zeros(310, kind)
    least[rows] = weight[order][firsts]
    with machine(blocks=3):
        made = lux.from_edges(u, v, weight, n_vertices=310)
        found = weights.by_weight(made, weight.max())
        wanted = (u[order].astype(np.uint32), weight[order], least)
        for store, values in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(to_array(store)[: len(values)], values)
        assert weights.weight_range(made) == (0, 89, pytest.approx(weight.mean(dtype=np.float64)))


def test_weights_that_cores_look_at(machine):
    with machine():
        wide = lux.from_edges([0, 1], [1, 2], np.array([1.0, 2.0]))
        assert weights.weight_range(wide) is None
        assert weights.by_weight(wide, 2.0) is None
        assert weights.weight_range(lux.from_edges([0, 1], [1, 2], np.array([1, np.nan], np.float32))) is None


@pytest.mark.parametrize("drop", [True, False])
def test_repeats_are_counted(machine, drop):
    u, v = edges(60, 3000)
    pairs = np.unique(np.stack([u, v]), axis=1).shape[1]
    with machine(blocks=2) as on:
        made = lux.from_edges(u, v, drop_repeats=drop)
        assert gpu_edges.count_repeats(made) == (0 if drop else 3000 - pairs)
        assert without_parallel_edges(made).n_edges == pairs
        assert on.launched.count("lux_count_repeats") == 2
