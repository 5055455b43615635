# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.algorithms.bfs.distributed import message_kernels
from lux.algorithms.bfs.distributed.degree_separated import degree_separated
from lux.algorithms.bfs.distributed.degree_separated import state_kernels as state
from lux.algorithms.bfs.distributed.degree_separated.build_kernels import owner
from lux.algorithms.bfs.distributed.degree_separated.degree_separated import Options, separation, suggest_threshold
from lux.algorithms.bfs.distributed.degree_separated.local_all_to_all import pairs_of
from lux.algorithms.bfs.distributed.packed_arrays import Sections
from lux.errors import MemoryNeededError, ParameterError
from lux_cases.builtin import verify
from lux_cases.examples import examples
from lux_cases.searches import check_search
from lux_cases.stores import to_array

ENGINE = "degree-separated"
PARTS = [1, 2, 3, 6]
NO_DELEGATES = 10**6
WAYS = [
    Options(),
    Options(uniquify=False),
    Options(local_all_to_all=True),
    Options(local_all_to_all=True, group=2),
    Options(uniquify=False, local_all_to_all=True, group=4),
    Options(blocking_reduction=True),
    Options(blocking_reduction=True, local_all_to_all=True),
]


def kronecker():
    return lux.generate("kronecker:9,8", seed=1)


def with_loops():
    ends = np.random.default_rng(2).integers(0, 60, (2, 150))
    return lux.from_edges(*ends, n_vertices=70, directed=False)


GRAPHS = {
    "kite": lux.toy.kite,
    "kronecker": kronecker,
    "uniform": lambda: lux.generate("uniform:8,4", seed=3).symmetrized(),
    "grid": lambda: lux.toy.grid(7, 9),
    "star": lambda: lux.toy.star(40, directed=False),
    "complete": lambda: lux.toy.complete(9),
    "two triangles": lux.toy.two_triangles,
    "loops and lone vertices": with_loops,
}


def check(graph, source, parts, threshold=None, options=degree_separated.DEFAULTS, limit=10**6):
    """Distances are the default strategy's, and parents are of the level before."""
    run = degree_separated.search(
        graph, graph.place_of(source), limit, parts, None, threshold=threshold, options=options
    )
    check_search(run, graph, source, limit)
    return run


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("name", GRAPHS)
def test_distances_and_parents(name, parts):
    graph = GRAPHS[name]()
    for source in (0, graph.n_vertices - 2):
        verify(lux.bfs(graph, source, strategy=ENGINE, parts=parts))
        for threshold in (0, 3, NO_DELEGATES):
            check(graph, source, parts, threshold)


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_ways_of_sending(options):
    graph = kronecker()
    for parts in (2, 5):
        for threshold in (8, NO_DELEGATES):
            check(graph, 3, parts, threshold, options)


def test_reordered_graphs():
    graph = kronecker().reordered("degree")
    for parts in (1, 4):
        check(graph, 17, parts, 8)
        verify(lux.bfs(graph, 17, strategy=ENGINE, parts=parts))


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 50])
def test_limits(parts, limit):
    for graph, threshold in ((lux.toy.kite(), 4), (lux.toy.grid(5, 5), NO_DELEGATES), (kronecker(), 8)):
        check(graph, 3, parts, threshold, limit=limit)
    verify(lux.bfs(lux.toy.grid(5, 5), 3, strategy=ENGINE, parts=parts, max_iter=limit))


@examples(25)
@given(
    edges=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30),
    source=st.integers(0, 11),
    threshold=st.integers(0, 4),
    parts=st.integers(1, 5),
    options=st.sampled_from(WAYS),
)
def test_any_graph(edges, source, threshold, parts, options):
    ends = np.array(edges, np.uint32).reshape(-1, 2)
    graph = lux.from_edges(ends[:, 0], ends[:, 1], n_vertices=12, directed=False)
    check(graph, source, parts, threshold, options)


def edges_of(separated):
    """The edges of all processors by kind, as places."""
    points, places = separated.points, separated.places.astype(np.int64)
    given = to_array(separated.store)
    far_places = to_array(separated.far_places.store)
    found = {kind: [] for kind in ("nn", "nd", "dn", "dd")}
    far_at = 0
    for part in range(separated.parts):
        low, high = points[part : part + 2]
        graph = separated.subgraphs(part, given[separated.sections.at[part] : separated.sections.at[part + 1]])
        n_far = separated.far[part].sum()
        own = np.concatenate([np.arange(low, high), far_places[far_at : far_at + n_far].astype(np.int64)])
        far_at += n_far
        for kind, of_rows, of_columns in (
            ("nn", own, own), ("nd", own, places), ("dn", places, own), ("dd", places, places),
        ):  # fmt: skip
            offsets, columns = getattr(graph, f"{kind}_offsets"), getattr(graph, kind)
            rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets.astype(np.int64)))
            found[kind] += [(part, u, v) for u, v in zip(of_rows[rows].tolist(), of_columns[columns].tolist())]  # noqa: B905
    return found


@pytest.mark.parametrize("parts", [1, 2, 5])
@pytest.mark.parametrize("threshold", [0, 6, NO_DELEGATES])
def test_the_edge_distributor(parts, threshold):
    graph = with_loops()
    separated = separation(graph, parts, threshold)
    degrees, points = graph.dense_in_degrees(), separated.points
    found = edges_of(separated)
    for kind, edges in found.items():
        for part, u, v in edges:
            assert kind == "nd"[int(degrees[u] > threshold)] + "nd"[int(degrees[v] > threshold)]
            at = {"nn": u, "nd": u, "dn": v, "dd": min((u, v), key=lambda w: (degrees[w], w))}[kind]
            assert part == owner.py_func(points, at)
            assert points[part] <= at < points[part + 1]
        if kind != "nn":  # both directions lie together
            opposite = found[kind[::-1]]
            assert sorted(edges) == sorted((part, v, u) for part, u, v in opposite)
    dealt = sorted((u, v) for edges in found.values() for _, u, v in edges)
    assert dealt == sorted(zip(*(ends.tolist() for ends in graph.dense_edge_arrays()), strict=True))
    assert separated.edges.sum(axis=0).tolist() == [len(edges) for edges in found.values()]


@pytest.mark.check
def test_bytes_are_the_papers():
    graph, parts = lux.generate("kronecker:12", seed=1), 3
    separated = separation(graph, parts, 64)
    n, m, d = graph.n_vertices, graph.n_edges, separated.n_delegates
    told, nn = separated.bytes, int(separated.edges[:, 0].sum())
    assert told.paper == 8 * n + 8 * d * parts + 4 * m + 4 * nn
    assert (told.csr, told.edge_list) == (8 * n + 8 * m, 16 * m)
    # Four offsets end a processor's rows; columns of nn have 32 bits.
    assert told.subgraphs == told.paper - 4 * nn + 16 * parts
    assert told.measured <= separated.sections.nbytes + told.far
    assert told.measured < 0.65 * told.csr


def test_sections_are_aligned():
    sections = Sections({"ids": (np.uint32, [3, 1]), "bits": (np.uint64, [1, 2]), "none": (np.int32, [0, 0])})
    words = np.arange(sections.at[-1], dtype=np.uint32)
    for point in (0, 1):
        ids, bits, none = sections.views(point, words[sections.at[point] : sections.at[point + 1]])
        assert (len(ids), len(bits), len(none)) == ((3, 1, 0), (1, 2, 0))[point]
        assert all(first % 2 == 0 for first in sections.first["bits"].tolist())
    assert sections.nbytes_of("ids", "bits") == 40


def test_edges_between_delegates_are_pulled():
    """Directions are chosen for each kind; the statistics say which."""
    graph = lux.generate("kronecker:12", seed=1)
    for parts in (1, 3):
        run = check(graph, int(np.argmax(graph.dense_in_degrees() == 3)), parts, 64)
        levels = run.statistics
        assert any("pulled" in s.why for s in levels)
        assert sum(s.frontier_edges for s in levels) <= graph.n_edges
        assert all(s.seconds.shape == (parts,) for s in levels)
        assert all(f"{kind} " in s.why for s in levels for kind in ("nn", "nd", "dn", "dd"))
        assert (sum(s.exchanged for s in levels) == 0) == (parts == 1)


def test_searches_without_backward_visits():
    """They look at more edges, but not at those to delegates once all are visited."""
    graph = lux.generate("kronecker:12", seed=1)
    for parts in (1, 3):
        looked = []
        for optimized in (True, False):
            levels = check(graph, 3, parts, 64, Options(direction_optimized=optimized)).statistics
            assert any("pulled" in s.why for s in levels) == optimized
            edges = [int(n.replace(",", "")) for s in levels for n in re.findall(r"\(([\d,]+) edge", s.why)]
            looked.append(sum(edges))
        assert 2 * looked[0] < looked[1] <= sum(s.frontier_edges for s in levels)


def test_frontiers_are_those_of_other_searches():
    graph = kronecker()
    expected = lux.bfs(graph, 3)
    for parts in (1, 4):
        found = lux.bfs(graph, 3, strategy=ENGINE, parts=parts)
        for a, b in zip(found.statistics, expected.statistics, strict=True):
            assert (a.frontier, a.frontier_edges) == (b.frontier, b.frontier_edges)


def test_bytes_that_are_exchanged():
    """A path over two processors: one message of one vertex, one empty one, and the parents of far vertices."""
    graph = lux.toy.path(4, directed=False)
    run = degree_separated.search(graph, 0, 99, 2, None, threshold=NO_DELEGATES)
    assert graph.layout(2).points.tolist() == [0, 2, 4]
    # Slots of one vertex are bitmaps of a word after the count, which is read always. Parents: one each way.
    assert [s.exchanged for s in run.statistics] == [8, 8, 12, 12 + 8]
    delegates = degree_separated.search(graph, 0, 99, 2, None, threshold=0)
    # Only masks, of a word for each processor; the parents of all that the other owns.
    assert [s.exchanged for s in delegates.statistics] == [16, 16, 16, 16 + 16]


def test_uniquified_messages_are_shorter():
    graph = lux.generate("uniform:12,2", seed=1).symmetrized()
    sent = {
        unique: sum(
            s.exchanged
            for s in degree_separated.search(
                graph, 0, 99, 2, None, threshold=NO_DELEGATES, options=Options(uniquify=unique)
            ).statistics
        )
        for unique in (True, False)
    }
    assert sent[True] < sent[False]


@given(n=st.integers(1, 200), data=st.data())
def test_messages_that_grow(n, data):
    ids = data.draw(st.lists(st.integers(0, n - 1), max_size=40))
    slot = np.full(message_kernels.slot_words(n), 12345, np.uint32)
    slot[0] = 0
    for k in ids:
        message_kernels.append_number(k, slot)
    out = np.zeros(max(n, len(ids)), np.uint32)
    assert set(out[: message_kernels.read(slot, 0, out)].tolist()) == set(ids)


def test_gatherers():
    assert pairs_of(0, 1, 1).tolist() == [[0, 0]]
    for parts, group in ((4, 2), (5, 2), (6, 4), (3, 8)):
        every = np.concatenate([pairs_of(point, parts, group) for point in range(parts)])
        assert sorted(map(tuple, every.tolist())) == [(p, r) for p in range(parts) for r in range(parts)]
        for point in range(parts):
            assert set(pairs_of(point, parts, group)[:, 0] // group) == {point // group}


def test_directions():
    row = np.zeros(state.STATE_COLUMNS, np.int64)
    factors = (0.0, 0.5, 0.5, 0.5), (0.0, 0.1, 0.1, 0.1)
    # 10 unvisited vertices look at (20 + 20) / 20 neighbours: 20 backward.
    assert state.choose(row, 2, factors, 10, 10, 20, 20) == state.FORWARD
    assert state.choose(row, 2, factors, 11, 10, 20, 20) == state.BACKWARD
    assert row[state.DIRECTION + 2] == state.BACKWARD
    assert state.choose(row, 2, factors, 2, 10, 20, 20) == state.BACKWARD
    assert state.choose(row, 2, factors, 1, 10, 20, 20) == state.FORWARD
    assert state.choose(row, 2, factors, 100, 10, 0, 20) == state.FORWARD  # nothing to visit


def test_suggested_thresholds():
    assert suggest_threshold(lux.toy.complete(9)) == 8
    assert suggest_threshold(lux.toy.cycle(9, directed=False)) == 2
    assert suggest_threshold(lux.from_edges([], [], n_vertices=3, directed=False)) == 1
    graph = lux.generate("kronecker:14", seed=1)
    threshold = suggest_threshold(graph)
    separated = separation(graph, 2)
    assert separated.threshold == threshold
    assert separated.edges[:, 0].sum() < 0.02 * graph.n_edges
    assert 0 < separated.n_delegates < graph.n_vertices / 2
    many = 100  # processors, on which delegates must be few
    assert (graph.dense_in_degrees() > suggest_threshold(graph, many)).sum() <= 4 * graph.n_vertices / many
    assert suggest_threshold(graph, many) > threshold


def test_a_separation_is_kept():
    graph = lux.toy.kite()
    assert separation(graph, 2, 4) is separation(graph, 2, 4)
    assert separation(graph, 2, 4) is not separation(graph, 2, 5)
    degree_separated.prepare(graph, 2)


def test_mistakes(monkeypatch):
    with pytest.raises(ParameterError, match=r"directed graph: .* graph\.symmetrized\(\)"):
        lux.bfs(lux.toy.path(4), 0, strategy=ENGINE)
    for threshold in (-1, 2.5, True, "64"):
        with pytest.raises(ParameterError, match=r"threshold=.* allowed are whole numbers from 0"):
            separation(lux.toy.kite(), 2, threshold)
    for group in (0, 1.5, True):
        with pytest.raises(ParameterError, match=r"Options\(group=.* allowed are whole numbers from 1"):
            degree_separated.search(lux.toy.kite(), 0, 9, 2, None, options=Options(local_all_to_all=True, group=group))
    with pytest.raises(ParameterError, match="parts=11"):
        lux.bfs(lux.toy.kite(), 0, strategy=ENGINE, parts=11)
    graph = lux.toy.kite()
    monkeypatch.setattr(graph, "n_vertices", 2**32)
    with pytest.raises(ParameterError, match=r"2\^32"):
        separation(graph)


def test_memory_is_checked_first(monkeypatch):
    graph = lux.toy.kite()
    monkeypatch.setattr(degree_separated, "bytes_to_distribute", lambda _layout: 2**50)
    with pytest.raises(MemoryNeededError, match="distributing edges to 2 processors for strategy='degree-separated'"):
        separation(graph, 2, 3)
