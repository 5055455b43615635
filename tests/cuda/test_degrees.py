# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`degree_bins.cu`, `degrees.cu` and `look_up.cu`: GPUs find the same about the rows of a graph as cores."""

import numpy as np
import pytest

import lux
from lux.graph.construction.gpu import degrees
from lux.graph.core.lookup import values_at
from lux.graph.indexes import degree_bins_gpu, warp_work, warp_work_gpu
from lux.graph.indexes.degree_bins import DegreeBins
from lux_cases.stores import to_array

RNG = np.random.default_rng(11)


@pytest.fixture(autouse=True)
def any_size(made_on_gpus_from):
    """Also small graphs are looked at by GPUs."""
    made_on_gpus_from(1)


def graph_of(lengths):
    """A graph with rows of these lengths."""
    n = len(lengths)
    destinations = np.repeat(np.arange(n), lengths)
    return lux.from_edges(RNG.integers(0, n, len(destinations)), destinations, n_vertices=n)


def offsets_of(graph):
    return to_array(graph.offsets)[: graph.n_vertices + 1]


LENGTHS = {
    "one row": [3],
    "no edges but one": [0, 0, 1, 0],
    "hubs": [5000, 1, 9000, 4096, 4097, 0, 70],
    "every class, in no order": RNG.permutation(np.concatenate([RNG.integers(0, 140, 3000), [6000, 4500]])),
    "long rows": RNG.integers(600, 4000, 200),
    "stored by class": np.sort(RNG.integers(0, 90, 2500))[::-1],
}


@pytest.mark.check
@pytest.mark.parametrize("name", LENGTHS)
def test_rows_are_binned_as_on_cores(machine, name):
    graph = graph_of(LENGTHS[name])
    wanted = DegreeBins(offsets_of(graph))
    with machine(blocks=3) as on:
        found = degree_bins_gpu.rows_of(graph)
        assert set(on.launched) == {"lux_bin_rows"}
        order = None if found.rows is None else to_array(found.rows)
        items = to_array(found.items)[: 2 * found.n_items].reshape(-1, 2)
    assert (order is None) == (wanted.order is None)
    if order is not None:
        np.testing.assert_array_equal(order, wanted.order)
    expected, segments = wanted.items()
    np.testing.assert_array_equal(items, expected)
    assert found.n_segments == segments


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("wide", [True, False])
def test_out_degrees(machine, directed, wide):
    u, v = RNG.integers(0, 300, (2, 5000))
    kind = np.dtype(np.int64 if wide else np.int32)
    with machine(blocks=2):
        graph = lux.from_edges(u, v, directed=directed, n_vertices=310)
        found = to_array(degrees.out_degrees(graph, kind))
    wanted = np.bincount(u, minlength=310)
    if not directed:
        wanted = wanted + np.bincount(v[u != v], minlength=310)
    assert found.dtype == kind
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("lengths", [[3], [0, 4, 0, 7, 0, 0], [0] * 3000 + [1] + [0] * 2000, range(1, 90)])
def test_facts_about_rows(machine, lengths):
    graph = graph_of(lengths)
    with machine(blocks=2):
        longest, filled = degrees.row_facts(graph)
        assert (graph.most_in_edges, graph.first_place_without_in_edges) == (longest, filled)
    assert longest == max(lengths)
    assert filled == np.flatnonzero(lengths)[-1] + 1


def test_few_edges_are_looked_at_by_cores(machine, made_on_gpus_from):
    made_on_gpus_from(100)
    graph = graph_of([3, 0, 5])
    with machine() as on:
        assert degrees.row_facts(graph) is None
        assert (graph.most_in_edges, graph.first_place_without_in_edges) == (5, 3)
        assert not on.launched


@pytest.mark.check
@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("name", LENGTHS)
def test_work_of_partitions_is_that_of_cores(machine, name, parts):
    graph = graph_of(LENGTHS[name])
    parts = min(parts, graph.n_vertices)
    wanted = warp_work.on_cores(graph.layout(parts))
    with machine(2, blocks=3) as on:
        found = warp_work_gpu.on_gpus(graph.layout(parts))
        assert set(on.launched) == {"lux_bin_partition"}
        words = to_array(found.store)
    assert (found.n_items, found.n_segments, {*found.at}) == (wanted.n_items, wanted.n_segments, {*wanted.at})
    expected = to_array(wanted.store)
    for part, (first, items) in enumerate(zip(found.starts[:-1], found.n_items, strict=True)):
        same = slice(first, first + found.at["items"][part] // 4 + 2 * items)
        rows = graph.layout(parts).points[part : part + 2]
        gap = first + found.at["items"][part] // 4 - 1 if (rows[1] - rows[0]) % 2 else -1
        keep = np.arange(len(words))[same] != gap  # a word between rows and items, which begin at even ones
        np.testing.assert_array_equal(words[same][keep], expected[same][keep])


@pytest.mark.parametrize("gpus", [1, 2])
def test_few_values_are_looked_up_where_they_lie(machine, gpus):
    u, v = RNG.integers(0, 300, (2, 5000))
    with machine(gpus, blocks=2) as on:
        graph = lux.from_edges(u, v, n_vertices=310)
        assert graph.offsets.lies_on_gpus
        expected = offsets_of(graph)
        places = np.array([[310, 0], [155, 154], [309, 156]])
        found = values_at(graph.offsets, 311, places)
        assert on.launched[-1] == "lux_look_up"
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, expected[places])
