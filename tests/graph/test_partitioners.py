# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Partitions of any vertices give the same answers, in the user's ids and in their order."""

import importlib.util
import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.errors import ConfigurationError, GraphError, ParameterError
from lux.graph.partitioners import PARTITIONERS
from lux_cases.builtin import verify
from lux_cases.examples import examples, some
from lux_cases.stores import to_array

METIS = pytest.mark.skipif(importlib.util.find_spec("pymetis") is None, reason="PyMetis is not installed")
EACH = [pytest.param(name, marks=METIS) if name == "metis" else name for name in PARTITIONERS]
CHOSEN = EACH[1:]

GRAPHS = {
    "kronecker": lambda: lux.generate("kronecker:9,8", seed=3, weights=(1, 255)),
    "directed": lambda: lux.generate("rmat:8,4", seed=3, weights=(1, 9)),
    "grid": lambda: lux.generate("grid:13x17", seed=3, weights=(1, 9)),
    "star": lambda: lux.toy.star(40),
    "loops, repeats and isolated vertices": lambda: lux.from_edges(
        [3, 3, 3, 9, 9, 1, 7], [3, 9, 9, 3, 1, 7, 7], n_vertices=12
    ),
    "no edges": lambda: lux.from_edges(np.empty(0, int), np.empty(0, int), n_vertices=9),
}


@pytest.fixture(scope="module", params=list(GRAPHS))
def graph(request) -> lux.Graph:
    return GRAPHS[request.param]()


@pytest.mark.parametrize("partitioner", EACH)
def test_answers_are_the_users(graph, partitioner, chance) -> None:
    source = int(graph.dense_in_degrees().argmax())
    ranks = lux.pagerank(graph, tol=0, max_iter=10).ranks.to_numpy()
    labels, distances = lux.components(graph).labels.to_numpy(), lux.bfs(graph, source).distances.to_numpy()
    for parts in some((1, 3, 6), f"{chance} {graph.n_edges} {partitioner}", 1):
        asked = graph.partitioned(partitioner, parts)
        assert asked.layout(parts).parts == parts
        for a, b in zip(graph.dense_edge_arrays(), asked.dense_edge_arrays(), strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(
            lux.pagerank(asked, tol=0, max_iter=10, parts=parts).ranks.to_numpy(), ranks, rtol=1e-11
        )
        for model in ("auto", "push"):
            found = lux.components(asked, parts=parts, model=model)
            np.testing.assert_array_equal(found.labels.to_numpy(), labels)
            search = lux.bfs(asked, source, parts=parts, model=model)
            verify(search)
            np.testing.assert_array_equal(search.distances.to_numpy(), distances)


@pytest.mark.check
def test_partitions_are_given_by_vertex() -> None:
    graph = lux.from_edges(["a", "b", "c", "d"], ["b", "c", "d", "a"])
    owners = {"d": 0, "b": 0, "a": 1, "c": 1}
    for asked in (owners, pd.Series(owners), [1, 0, 1, 0], np.array([1, 0, 1, 0])):
        found = graph.partitioned(asked, 2)
        assert found.ids.to_numpy()[to_array(found.order.vertices)].tolist() == ["b", "d", "a", "c"]
    with pytest.raises(ParameterError, match="partitioner: 1 of 4 vertices have no value, 'd' for one"):
        graph.partitioned({"a": 0, "b": 1, "c": 1}, 2)
    with pytest.raises(GraphError, match="vertex 'x' is not in the graph"):
        graph.partitioned(owners | {"x": 1}, 2)


@pytest.mark.slow
@pytest.mark.parametrize("partitioner", CHOSEN)
def test_all_algorithms(partitioner) -> None:
    for name in ("kronecker", "directed"):
        asked = GRAPHS[name]().partitioned(partitioner, 4, seed=2)
        verify(lux.components(asked, parts=4))
        verify(lux.pagerank(asked, parts=4))
        verify(lux.betweenness(asked, k=5, seed=1, parts=4))
        for model in ("auto", "pull", "push"):
            verify(lux.sssp(asked, 1, parts=4, model=model))
        verify(lux.bfs(asked.reverse(), 1, parts=4))


@pytest.mark.parametrize("partitioner", CHOSEN)
def test_layouts_have_the_split_points(partitioner) -> None:
    graph = GRAPHS["directed"]()
    asked = graph.partitioned(partitioner, 3)
    points = asked.order.points
    assert asked.order.name == partitioner
    assert asked.order.seconds > 0
    np.testing.assert_array_equal(asked.layout(3).points, points)
    np.testing.assert_array_equal(asked.reverse().layout(3).points, points)
    np.testing.assert_array_equal(asked.symmetrized().layout(3).points, points)
    assert len(asked.layout(4).points) == 5
    vertices = to_array(asked.order.vertices)
    for first, end in itertools.pairwise(points):
        assert (np.diff(vertices[first:end].astype(np.int64)) > 0).all()
    again = graph.partitioned(partitioner, 3)
    np.testing.assert_array_equal(to_array(again.order.vertices), vertices)
    if partitioner != "metis":
        other = graph.partitioned(partitioner, 3, seed=1)
        assert (to_array(other.order.vertices) != vertices).any()


def test_other_orders_and_back() -> None:
    graph = GRAPHS["kronecker"]()
    asked = graph.partitioned("random", 3)
    assert asked.partitioned("contiguous", 3).order is None
    assert asked.reordered("auto") is asked
    by_degree = asked.reordered("degree")
    expected = to_array(graph.reordered("degree").order.vertices)
    np.testing.assert_array_equal(to_array(by_degree.order.vertices), expected)
    assert by_degree.order.points is None
    again = by_degree.partitioned("random", 3)
    np.testing.assert_array_equal(to_array(again.sources), to_array(asked.sources))
    assert asked.reordered("given").order is None


def test_saved_with_the_graph(tmp_path) -> None:
    asked = GRAPHS["kronecker"]().partitioned("biased-random", 5)
    asked.save(tmp_path / "g.lux")
    loaded = lux.load_graph(tmp_path / "g.lux")
    assert loaded.order.name == "biased-random"
    np.testing.assert_array_equal(loaded.layout(5).points, asked.order.points)
    verify(lux.bfs(loaded, 1, parts=5))


@examples(15)
@given(
    n=st.integers(1, 12),
    pairs=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30),
    owners=st.lists(st.integers(0, 3), min_size=12, max_size=12),
    directed=st.booleans(),
)
def test_any_partitions(n, pairs, owners, directed) -> None:
    u, v = np.array([(a % n, b % n) for a, b in pairs], np.int64).reshape(-1, 2).T
    graph = lux.from_edges(u, v, n_vertices=n, directed=directed)
    parts = min(4, n)
    asked = graph.partitioned(np.array(owners[:n]) % parts, parts)
    np.testing.assert_array_equal(
        np.diff(asked.layout(parts).points), np.bincount(np.array(owners[:n]) % parts, minlength=parts)
    )
    found = lux.bfs(asked, 0, parts=parts)
    verify(found)
    np.testing.assert_array_equal(found.distances.to_numpy(), lux.bfs(graph, 0).distances.to_numpy())


def test_biased_and_metis_cut_less_and_balance() -> None:
    graph = lux.generate("grid:60x60")
    read = {}
    for partitioner in PARTITIONERS[1 : 4 if importlib.util.find_spec("pymetis") else 3]:
        layout = graph.partitioned(partitioner, 4).layout(4)
        read[partitioner] = int(layout.vertex_sets(4).uds.sum())
        assert np.diff(layout.edge_points).max() < 1.1 * graph.n_edges / 4
    assert read["biased-random"] < 0.9 * read["random"]
    assert read.get("metis", 0) < 0.1 * read["random"]


def test_mistakes_are_refused(monkeypatch) -> None:
    graph = lux.toy.kite()
    for arguments, message in (
        (
            ("hash", 2),
            "partitioner='hash' was passed; allowed are contiguous, random, biased-random, metis, or the part",
        ),
        (("random", 11), "allowed are 1 to 10"),
        (("random", None), "parts must be a whole number"),
        (([0, 1], 2), r"shape \(2,\) and type int64 was passed .*allowed are whole numbers of shape \(10,\)"),
        (([0.5] * 10, 2), "type float64 was passed"),
        (([0] * 9 + [2], 2), "partitions 0 to 2 were passed with parts=2; allowed are 0 to 1"),
        (([-1] * 10, 2), "partitions -1 to -1 were passed"),
    ):
        with pytest.raises(ParameterError, match=message):
            graph.partitioned(*arguments)
    with pytest.raises(ParameterError, match="seed=-1 was passed; allowed are whole numbers from 0"):
        graph.partitioned("random", 2, seed=-1)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"pip install 'lux-graph\[metis\]', or pass biased-random"):
        graph.partitioned("metis", 2)
