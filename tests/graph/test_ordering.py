# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A graph stored in another order gives the same answers, in the user's ids and in their order."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.errors import ParameterError
from lux.graph.core.stored_graph import DEALT
from lux.graph.ordering import gather_misses
from lux_cases.builtin import verify
from lux_cases.examples import some
from lux_cases.stores import to_array

KRONECKER = "kronecker:9"


def weighted(directed: bool, seed: int = 1) -> lux.Graph:
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, 60, (2, 400)) ** 2 // 60
    return lux.from_edges(10 * u + 7, 10 * v + 7, weight=rng.random(400), directed=directed)


@pytest.mark.parametrize("directed", [True, False])
def test_edges_degrees_and_weights_are_the_users(directed: bool) -> None:
    graph = weighted(directed)
    moved = graph.reordered("degree")
    assert moved.order is not None
    assert moved.ids == graph.ids
    degrees = graph.dense_in_degrees() + (graph.dense_out_degrees() if directed else 0)
    stored = degrees[to_array(moved.order.vertices)]
    sizes = [len(range(k, graph.n_vertices, DEALT)) for k in range(DEALT)]
    for dealt in np.split(stored, np.cumsum(sizes)[:-1]):
        assert (np.diff(dealt) <= 0).all()
    assert np.ptp([dealt.sum() for dealt in np.split(stored, np.cumsum(sizes)[:-1])]) <= stored.max()
    for a, b in zip(graph.dense_edge_arrays(), moved.dense_edge_arrays(), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(graph.dense_out_degrees(), moved.dense_out_degrees())
    np.testing.assert_array_equal(graph.dense_in_degrees(), moved.dense_in_degrees())
    np.testing.assert_allclose(graph.dense_out_weights(), moved.dense_out_weights())
    assert sorted(graph.to_networkx().edges(data="weight")) == sorted(moved.to_networkx().edges(data="weight"))
    assert sorted(graph.reverse().to_networkx().edges) == sorted(moved.reverse().to_networkx().edges)
    back = moved.reordered("given")
    assert back.order is None
    np.testing.assert_array_equal(to_array(back.sources), to_array(graph.sources))


@settings(max_examples=20)
@given(
    n=st.integers(1, 12),
    pairs=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40),
    directed=st.booleans(),
    chance=st.integers(0, 1 << 32),
)
def test_all_algorithms_agree(n: int, pairs: list[tuple[int, int]], directed: bool, chance: int) -> None:
    u, v = np.array([(a % n, b % n) for a, b in pairs], np.int64).reshape(-1, 2).T
    graph = lux.from_edges(u, v, n_vertices=n, directed=directed)
    moved = graph.reordered("degree")
    distances = lux.bfs(graph, 0).distances.to_numpy().tolist()
    labels_of = lux.components(graph).labels.to_numpy().tolist()
    ranks_of = lux.pagerank(graph, tol=0, max_iter=10).ranks.to_numpy()
    ways = [(parts, model) for parts in (None, 1, min(3, n)) for model in ("auto", "pull", "push")]
    for parts, model in some(ways, chance, 4):
        options = {"parts": parts, "model": model}
        found = lux.bfs(moved, 0, **options)
        verify(found)
        assert found.distances.to_numpy().tolist() == distances
        labels = lux.components(moved, **options)
        verify(labels)
        assert labels.labels.to_numpy().tolist() == labels_of
        ranks = lux.pagerank(moved, tol=0, max_iter=10, **options).ranks.to_numpy()
        np.testing.assert_allclose(ranks, ranks_of, rtol=1e-11)


def test_parents_are_the_same_whatever_the_partitions_and_models() -> None:
    moved = lux.generate(KRONECKER).reordered("degree")
    first = lux.bfs(moved, 5, parts=1, model="pull").parents.to_numpy()
    for parts in (None, 2, 7):
        for model in ("auto", "pull", "push"):
            np.testing.assert_array_equal(lux.bfs(moved, 5, parts=parts, model=model).parents.to_numpy(), first)


@pytest.mark.slow
def test_weights_and_given_values_are_in_the_order_of_the_ids() -> None:
    graph = weighted(directed=True)
    moved = graph.reordered("degree")
    options = {"personalization": {7: 1.0, 17: 3.0}, "weight": "weight"}
    a, b = lux.pagerank(graph, **options), lux.pagerank(moved, **options)
    verify(b)
    np.testing.assert_allclose(a.ranks.to_numpy(), b.ranks.to_numpy(), rtol=1e-10)
    assert [v for v, _ in a.top(5)] == [v for v, _ in b.top(5)]


class Ids(lux.Program):
    """The ids that programs see: of the vertex, and of its in-neighbours."""

    own = lux.field(np.int64)
    largest = lux.field(lux.VERTEX, reduce=lux.MAX)
    home = lux.field(lux.PLACE)

    def start(v, params):
        v.own = v.id
        v.largest = v.id
        v.home = v.place

    def compute(v, u, edge, params):
        return u.id

    def update(v, old, params):
        v.own = old.id
        v.home = old.place


@pytest.mark.slow
def test_programs_see_ids() -> None:
    graph = lux.generate(KRONECKER)
    moved = graph.reordered("degree")
    for parts in (None, 2):
        found = lux.run(Ids, moved, max_iter=1, parts=parts)
        expected = lux.run(Ids, graph, max_iter=1, parts=parts)
        assert found["own"].to_numpy().tolist() == list(range(graph.n_vertices))
        assert found["home"].to_numpy().tolist() == list(range(graph.n_vertices))
        np.testing.assert_array_equal(found["largest"].to_numpy(), expected["largest"].to_numpy())


def test_saved_with_the_graph(tmp_path) -> None:
    moved = weighted(directed=True).reordered("degree")
    moved.save(tmp_path / "g.lux")
    again = lux.load_graph(tmp_path / "g.lux")
    assert again.order is not None
    assert again.order.name == "degree"
    np.testing.assert_array_equal(again.dense_edge_arrays()[0], moved.dense_edge_arrays()[0])


@pytest.mark.check
def test_files_are_in_the_order_of_the_ids(tmp_path) -> None:
    moved = lux.generate(KRONECKER).reordered("degree")
    for name in ("g.sg", "g.mtx"):
        moved.write(tmp_path / name)
        read = lux.read_graph(tmp_path / name)
        assert read.order is None
        np.testing.assert_array_equal(read.dense_edge_arrays()[0], moved.dense_edge_arrays()[0])


def test_chosen_where_gathers_miss_less() -> None:
    grid = lux.generate("grid:200x200")
    assert grid.reordered("auto").order is None
    power_law = lux.generate("kronecker:19")
    given, by_degree = gather_misses(power_law, power_law.reordered("degree").order.places)
    assert by_degree < 0.75 * given
    assert power_law.reordered("auto").order.name == "degree"


@pytest.mark.check
def test_unknown_orders_are_refused() -> None:
    with pytest.raises(ParameterError, match="order='random' was passed; allowed are given, degree, auto"):
        lux.toy.path(3).reordered("random")


def test_subgraphs_and_conversions() -> None:
    graph = lux.toy.kite()
    moved = graph.reordered("degree")
    assert nx.utils.graphs_equal(graph.subgraph([0, 1, 2]).to_networkx(), moved.subgraph([0, 1, 2]).to_networkx())
    assert (graph.to_scipy() != moved.to_scipy()).nnz == 0
