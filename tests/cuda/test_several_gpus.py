# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`send_edges.cu`: several GPUs make the same graphs as cores, bit for bit, also in pieces."""

import numpy as np
import pytest

import lux
from lux.graph import build
from lux.graph.construction.generators import RMAT, Kronecker, Uniform
from lux.graph.construction.gpu import choice, degrees, generated, order
from lux.graph.construction.gpu import edges as gpu_edges
from lux_cases.examples import covering
from lux_cases.stores import to_array

RNG = np.random.default_rng(11)


@pytest.fixture(autouse=True)
def any_size(made_on_gpus_from, monkeypatch):
    """Several GPUs make also small graphs."""
    made_on_gpus_from(1)
    monkeypatch.setattr(choice, "WORTH_SEVERAL", 1)


def edges(n, m, low=0, kind=np.int64):
    """Edges with loops and repeats, and with hubs."""
    ends = (n * RNG.random((2, m)) ** 3).astype(kind) + kind(low)
    ends[:, :: max(m // 7, 1)] = ends[0, :: max(m // 7, 1)]
    return ends[0], ends[1]


def in_pieces(monkeypatch, gpus, pieces):
    monkeypatch.setattr(choice, "way", lambda *_, **__: choice.Way(gpus, pieces))


def assert_same(graph, expected):
    assert (graph.n_vertices, graph.n_edges, graph.directed) == (
        expected.n_vertices,
        expected.n_edges,
        expected.directed,
    )
    assert graph.ids == expected.ids
    sizes = {"offsets": graph.n_vertices + 1, "sources": graph.n_edges}
    for name, size in sizes.items():
        found, wanted = (to_array(getattr(made, name))[:size] for made in (graph, expected))
        np.testing.assert_array_equal(found, wanted, err_msg=name)
    for name, values in expected.properties.items():
        found = to_array(graph.properties[name])[: graph.n_edges]
        assert found.dtype == np.dtype(values.dtype)
        np.testing.assert_array_equal(found, to_array(values)[: graph.n_edges], err_msg=name)


BOTH = {"drop_loops": True, "drop_repeats": True}
WAYS = [(1, 3), (2, 1), (3, 1), (4, 2)]


@pytest.mark.parametrize(
    "size, directed, drop", covering([(1, 1), (300, 40), (700, 9000)], [True, False], [{}, BOTH], times=2)
)
def test_edges_are_sorted(machine, monkeypatch, size, directed, drop):
    n, m = size
    u, v = edges(n, m)
    expected = lux.from_edges(u, v, directed=directed, n_vertices=n, **drop)
    for gpus, pieces in WAYS:
        with machine(gpus, blocks=2) as on, monkeypatch.context() as patch:
            in_pieces(patch, gpus, pieces)
            made = lux.from_edges(u, v, directed=directed, n_vertices=n, **drop)
            assert on.launched.count("lux_sort_edges") == pieces
            assert_same(made, expected)
            assert len(made.points) == gpus + 1
            np.testing.assert_array_equal(made.edge_points, to_array(made.offsets)[made.points])
            assert not (made.points[made.points < n] % 32).any()


@pytest.mark.parametrize("way, directed", covering(WAYS, [True, False]))
def test_values_follow_their_edges(machine, monkeypatch, way, directed):
    gpus, pieces = way
    u, v = edges(300, 4000)
    given = {"weight": RNG.random(4000), "number": np.arange(4000, dtype=np.int32), "kind": (u % 7).astype(np.int8)}
    expected = lux.from_edges(u, v, directed=directed, **BOTH, **given)
    with machine(gpus, blocks=2):
        in_pieces(monkeypatch, gpus, pieces)
        assert_same(lux.from_edges(u, v, directed=directed, **BOTH, **given), expected)


@pytest.mark.check
@pytest.mark.parametrize("kind, low", [(np.int32, 0), (np.int64, 5), (np.uint32, 2**31 - 900)])
def test_ids_are_numbered(machine, kind, low):
    u, v = edges(800, 3000, low, kind)
    expected = lux.from_edges(u, v)
    with machine(3) as on:
        made = lux.from_edges(u, v)
        assert {"lux_mark_ids", "lux_number_marked", "lux_send_edges"} <= set(on.launched)
        assert_same(made, expected)


@pytest.mark.parametrize(
    "way, directed, weighted", covering([(1, 2), (2, 1), (3, 2)], [True, False], [True, False], times=2)
)
def test_orders(machine, monkeypatch, way, directed, weighted):
    gpus, pieces = way
    u, v = edges(500, 6000)
    given = {"weight": np.arange(6000.0)} if weighted else {}
    expected = lux.from_edges(u, v, directed=directed, n_vertices=520, **given)
    degrees = expected.dense_in_degrees() + (expected.dense_out_degrees() if directed else 0)
    ordered = np.argsort(-degrees, kind="stable")
    with machine(gpus, blocks=2) as on:
        in_pieces(monkeypatch, gpus, pieces)
        moved = lux.from_edges(u, v, directed=directed, n_vertices=520, **given).reordered("degree")
        assert on.launched.count("lux_list_rows") == 1
        dealt = np.concatenate([ordered[k::gpus] for k in range(gpus)])
        np.testing.assert_array_equal(to_array(moved.order.vertices), dealt)
        assert_same(moved.reordered("given"), expected)
        offsets, sources = to_array(moved.offsets)[:521], to_array(moved.sources)
    wanted_offsets, wanted = to_array(expected.offsets), to_array(expected.sources)
    places = np.argsort(dealt)
    for place, v in enumerate(dealt.tolist()):
        row = np.sort(places[wanted[wanted_offsets[v] : wanted_offsets[v + 1]]])
        np.testing.assert_array_equal(sources[offsets[place] : offsets[place + 1]], row)


def test_cores_order_graphs_whose_keys_are_too_long(machine, monkeypatch):
    u, v = edges(500, 6000)
    found = []
    for bits in (order.KEY_BITS, 20):  # a vertex takes 9, and a degree of 12,000 at most 14
        monkeypatch.setattr(order, "KEY_BITS", bits)
        with machine(1) as on:
            moved = lux.from_edges(u, v, directed=False, n_vertices=500).reordered("degree")
            assert ("lux_deal_vertices" in on.launched) == (bits > 20)
            found.append(to_array(moved.order.vertices)[:500])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_each_gpu_looks_at_its_rows(machine, directed, kind):
    u, v = edges(700, 9000)
    expected = lux.from_edges(u, v, directed=directed, n_vertices=720)
    with machine(3, blocks=2) as on:
        made = lux.from_edges(u, v, directed=directed, n_vertices=720)
        found = degrees.out_degrees(made, np.dtype(kind))
        np.testing.assert_array_equal(to_array(found)[:720], expected.dense_out_degrees())
        longest, filled = degrees.row_facts(made)
        lengths = expected.dense_in_degrees()
        assert (longest, filled) == (lengths.max(), np.flatnonzero(lengths)[-1] + 1)
        assert {"lux_look_at_rows", "lux_count_sources" if directed else "lux_row_lengths"} <= set(on.launched)


@pytest.mark.parametrize("gpus", [2, 3])
def test_derived_graphs(machine, gpus):
    u, v = edges(400, 5000)
    weight = np.arange(5000.0)
    expected = lux.from_edges(u, v, weight, n_vertices=410)
    wanted = expected.layout(1).by_source(("weight",))
    with machine(gpus, blocks=2):
        made = lux.from_edges(u, v, weight, n_vertices=410)
        assert_same(made.reverse(), expected.reverse())
        assert_same(made.symmetrized(), expected.symmetrized())
        found = made.layout(1).by_source(("weight",))
        for one, other, size in (
            (found.offsets, wanted.offsets, 411),
            (found.destinations, wanted.destinations, 5000),
            (found.properties["weight"], wanted.properties["weight"], 5000),
        ):
            np.testing.assert_array_equal(to_array(one)[:size], to_array(other)[:size])


def test_a_search_takes_the_parts_as_they_are(machine):
    u, v = edges(3000, 30000)
    expected = lux.from_edges(u, v, directed=False, **BOTH)
    wanted = lux.bfs(expected, 1).distances.to_numpy()
    with machine(2, blocks=2), lux.using(device="gpu"):
        made = lux.from_edges(u, v, directed=False, **BOTH).reordered("degree")
        found = lux.bfs(made, 1, parts=2, strategy="gpus")
        np.testing.assert_array_equal(found.distances.to_numpy(), wanted)
        assert made.layout(2).points.tolist() == made.points.tolist()


GENERATORS = [Kronecker(7), RMAT(6, 9, seed=2**63 - 1, shuffled=False), RMAT(1), RMAT(9, a=0.3)]
GENERATORS += [Uniform(300, 4000), Uniform(1, 5), Uniform(1000, 900, seed=2**63 - 1, directed=True)]


@pytest.mark.parametrize("source", GENERATORS)
@pytest.mark.parametrize("gpus", [1, 3])
def test_generated_edges(machine, source, gpus):
    n = source.n_edges
    expected = {end: np.empty(n, np.uint32) for end in ("sources", "destinations")}
    source.fill(0, n, *expected.values(), {})
    graph = build.build(source, drop_loops=True)
    with machine(gpus, blocks=2) as on:
        for end, store in generated.generated(source, gpus).items():
            np.testing.assert_array_equal(to_array(store), expected[end])
        assert_same(build.build(source, drop_loops=True), graph)
        assert sum(name.startswith("lux_generate") for name in on.launched) == 2


def test_ways(machine, monkeypatch):
    """One GPU if it is as fast and has room, all if they are faster, and as few pieces as memory allows."""
    monkeypatch.undo()
    n, m = 1 << 20, 1 << 24
    whole = gpu_edges.bytes_needed(n, m, 2 * m, {}, 2, 1)

    def chosen(listed, room):
        with monkeypatch.context() as patch:
            patch.setattr(gpu_edges, "has_room", lambda nbytes: nbytes <= room)
            return choice.way(n, listed, 2 * listed, {})

    with machine(2):
        assert chosen(m, 1 << 40) == (1, 1)
        assert chosen(choice.WORTH_SEVERAL // 2, 1 << 40) == (2, 1)
        assert chosen(m, whole) == (2, 1)
        gpus, pieces = chosen(m, whole * 3 // 4)
        assert gpus == 2
        assert pieces > 1
        assert chosen(m, whole // 100) is None
    with machine(1):
        gpus, pieces = chosen(m, whole * 3 // 2)
        assert gpus == 1
        assert pieces > 1
