# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The form of the hybrid strategy's edges, its vertex ids, and its levels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.algorithms.bfs.distributed.grid import bitmap_row_kernels as kernels
from lux.algorithms.bfs.distributed.grid import by_degree, hybrid
from lux.algorithms.bfs.distributed.grid.bitmap_rows import dcsr, open_index
from lux.algorithms.bfs.distributed.grid.hybrid import Options
from lux.algorithms.bfs.distributed.grid.hybrid_kernels import LONG
from lux.algorithms.bfs.distributed.processor_grid import Grid
from lux.errors import ParameterError
from lux_cases.builtin import verify
from lux_cases.searches import check_search
from lux_cases.stores import recorded, to_array
from perfmodel import direction


def bitmap_form(offsets):
    words = -(-(len(offsets) - 1) // 64)
    bits, before = np.zeros(words, np.uint64), np.zeros(words + 1, np.int64)
    starts = np.zeros(kernels.occupied(offsets) + 1, np.int64)
    kernels.compress(offsets, bits, before, starts)
    return bits, before, starts


@pytest.mark.check
def test_the_papers_example():
    """Table 2: 8 vertices, and edges from 0, 0, 6 and 7. The paper's words have 4 bits, and ours 64."""
    offsets = np.array([0, 2, 2, 2, 2, 2, 2, 3, 4])
    bits, before, starts = bitmap_form(offsets)
    bitmap = [int(bits[0]) >> v & 1 for v in range(8)]
    assert bitmap == [1, 0, 0, 0, 0, 0, 1, 1]
    assert [0, sum(bitmap[:4]), sum(bitmap)] == [0, 1, 3]  # the paper's offsets
    assert before.tolist() == [0, 3]
    assert starts.tolist() == [0, 2, 3, 4]
    assert [kernels.find(bits, before, starts, v) for v in (0, 6, 7)] == [(0, 2), (2, 3), (3, 4)]
    assert [kernels.find(bits, before, starts, v) for v in range(1, 6)] == [(0, 0)] * 5


@given(degrees=st.lists(st.sampled_from([0, 0, 0, 1, 5]), min_size=1, max_size=300))
def test_rows_are_found(degrees):
    offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    form = bitmap_form(offsets)
    for v, degree in enumerate(degrees):
        assert kernels.find(*form, v) == ((offsets[v], offsets[v + 1]) if degree else (0, 0))
    aux, jc, starts = dcsr(offsets)
    assert jc.tolist() == np.flatnonzero(degrees).tolist()
    assert starts.tolist() == form[2].tolist()
    assert (aux[0], aux[-1]) == (0, len(jc))


@pytest.mark.parametrize("parts", [1, 4, 6])
def test_memory_is_that_of_the_arrays(parts):
    graph = lux.generate("rmat:10,2", seed=1)
    sizes = hybrid.memory(graph, parts)
    kept = graph.layout(parts).cached(hybrid.NAME, None).by_source
    index = to_array(kept.index)
    for p in range(parts):
        bits, before, starts, names = open_index(index[slice(*kept.cuts["index"][p])], kept.words)
        assert sizes.bitmap[p] == sum(a.nbytes for a in (bits, before, starts)) + 4 * starts[-1]
        assert len(names) == kept.occupied[p] == before[-1]
        ends = [kernels.find(bits, before, starts, v) for v in range(64 * len(bits))]
        offsets = np.concatenate([[0], np.cumsum([end - first for first, end in ends])])
        edges = 4 * offsets[-1]
        assert sizes.csr[p] == offsets.nbytes + edges
        assert sizes.dcsr[p] == sum(a.nbytes for a in dcsr(offsets)) + edges


@pytest.mark.parametrize("directed", [False, True])
def test_ids_ascend_as_degrees_fall(directed):
    graph = lux.generate("rmat:8,2" if directed else "kronecker:8,2", seed=5)
    grid, local, names = by_degree.order(graph, Grid.over(graph.n_vertices, 4))
    names = to_array(names).reshape(4, grid.stride)
    degrees = graph.dense_in_degrees() + (graph.dense_out_degrees() if directed else 0)
    for p in range(4):
        block = np.arange(*grid.points[p : p + 2])
        linked = names[p][names[p] != by_degree.NONE]
        assert sorted(linked) == block[degrees[block] > 0].tolist()
        assert (np.diff(degrees[linked]) <= 0).all()
        assert local[linked].tolist() == list(range(len(linked)))
        assert (local[np.setdiff1d(block, linked)] == by_degree.NONE).all()


@pytest.mark.parametrize("parts", [1, 2, 3, 4, 6])
def test_both_directions(parts):
    """A level of each kind, with vertices of long lists, in launches that do not grow with the levels."""
    graph = lux.generate("kronecker:12,16", seed=1)
    assert graph.dense_out_degrees().max() > 2 * LONG
    source = int(np.argsort(graph.dense_out_degrees())[graph.n_vertices // 2])
    found = lux.bfs(graph, source, strategy="hybrid", parts=parts)
    assert {i.model for i in found.statistics} == {"push", "pull"}
    assert found.distances.dense().tolist() == lux.bfs(graph, source).distances.dense().tolist()
    verify(found)
    counts = []
    for limit in (1, None):
        with recorded() as launches:
            lux.bfs(graph, source, strategy="hybrid", parts=parts, max_iter=limit)
        counts.append(len(launches))
    assert counts[0] == counts[1]


def test_bytes_are_those_of_the_messages():
    """Two processors with 50 vertices each, in one grid row."""
    found = lux.bfs(lux.toy.complete(100), 0, strategy="hybrid", parts=2)
    assert [(i.model, i.frontier) for i in found.statistics] == [("push", 1), ("pull", 99)]
    # The source's processor names 50 vertices in a bitmap, the other none.
    assert found.statistics[0].exchanged == 4 * (3 + 1)
    # Both read a bitmap of 64 bits that has come round, and an empty message. Then one asks for 50 parents.
    assert found.statistics[1].exchanged == 4 * (2 * 2 + 2 + (3 + 1) + 50)


WAYS = [Options(pieces, both_ways) for pieces, both_ways in ((1, False), (2, False), (4, False), (2, True), (4, True))]


@pytest.mark.parametrize("parts", [1, 2, 3, 5, 6, 12])
def test_bitmaps_go_round_in_pieces(parts):
    """One way, parents and bytes are those of whole blocks, also where pieces have no words."""
    for graph in (lux.generate("kronecker:10,16", seed=1), lux.toy.complete(100), lux.toy.complete(12)):
        found = []
        for options in WAYS:
            run = hybrid.search(graph, 3, 10**6, parts, None, options=options)
            check_search(run, graph, 3)
            assert "pull" in {level.model for level in run.statistics}
            if not options.both_ways:
                found.append(([level.exchanged for level in run.statistics], to_array(run.fields["parent"]).tolist()))
        assert found == found[:1] * 3


@pytest.mark.parametrize("limit", [0, 1, 2, 50])
def test_pieces_of_limited_searches_and_of_directed_graphs(limit):
    for graph in (lux.generate("kronecker:9,8", seed=1), lux.generate("rmat:9,8", seed=3), lux.toy.path(40)):
        for options in (Options(4), Options(4, both_ways=True)):
            check_search(hybrid.search(graph, 3, limit, 3, None, options=options), graph, 3, limit)


@pytest.mark.parametrize("pieces", [0, 3, 8, True, 2.5, "4"])
def test_other_pieces_are_refused(pieces):
    with pytest.raises(ParameterError, match=r"Options\(pieces=.* allowed are 1 .* 2 and 4"):
        hybrid.search(lux.toy.kite(), 0, 9, 2, None, options=Options(pieces))
    with pytest.raises(ParameterError, match=r"both_ways=True.* pass pieces=2 or 4"):
        hybrid.search(lux.toy.kite(), 0, 9, 2, None, options=Options(1, both_ways=True))


def test_directed_graphs_are_searched_top_down():
    graph = lux.generate("rmat:9,8", seed=3)
    found = lux.bfs(graph, int(graph.dense_out_degrees().argmax()), strategy="hybrid", parts=4)
    assert {i.model for i in found.statistics} == {"push"}
    assert graph.layout(4).cached(hybrid.NAME, None).by_destination is None
    assert found.statistics[0].why == "the graph is directed: all levels are top-down"


def test_hubs_are_pushed_in_pieces(monkeypatch):
    """Long lists of edges also where no level is large enough for bottom-up."""
    monkeypatch.setattr(direction, "BEAMER", direction.Thresholds(0, 24))
    graph = lux.generate("kronecker:10,16", seed=1)
    found = lux.bfs(graph, int(graph.dense_out_degrees().argmax()), strategy="hybrid", parts=6)
    assert {i.model for i in found.statistics} == {"push"}
    verify(found)
