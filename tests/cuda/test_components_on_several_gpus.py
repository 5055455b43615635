# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`components_multi_gpu.cu`: components on several GPUs are SciPy's, with the smallest id of each as its label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph

import lux
from lux.algorithms.components import multi_gpu
from lux.errors import LuxError
from lux_cases import searches
from lux_cases.examples import covering, examples
from lux_on_cores.machine import Machine


def pairs(n=700):
    """Many components, the two ends of each with different GPUs."""
    return lux.from_edges(np.arange(n), n + np.arange(n)[::-1], n_vertices=2 * n + 5, directed=False)


def rows():
    """A long row and a huge one, outside the largest component, which a path is."""
    u = np.concatenate([np.zeros(2000, int), np.full(66000, 68100), np.arange(68200, 150000)])
    v = np.concatenate([np.arange(1, 2001), np.arange(2001, 68001), np.arange(68201, 150001)])
    return lux.from_edges(u, v, n_vertices=150010, directed=False)


def paths():
    """Paths that go to and fro between all GPUs."""
    order = np.random.default_rng(4).permutation(900)
    kept = np.arange(899) % 300 != 299
    return lux.from_edges(order[:-1][kept], order[1:][kept], n_vertices=910, directed=False)


GRAPHS = {
    "kronecker": lambda: lux.generate("kronecker:9,8", seed=2),
    "directed": lambda: lux.generate("rmat:9,2", seed=3),
    "grid": lambda: lux.toy.grid(5, 7),
    "loops and isolated": searches.MADE["loops and isolated"],
    "pairs": pairs,
    "paths": paths,
}


@pytest.fixture(scope="module")
def graphs():
    return {name: make() for name, make in GRAPHS.items()}


def expected(graph):
    _, labels = csgraph.connected_components(graph.to_scipy(), directed=False)
    smallest = np.full(labels.max() + 1, graph.n_vertices)
    np.minimum.at(smallest, labels, np.arange(graph.n_vertices))
    return smallest[labels]


def check(graph, parts, **more):
    with lux.using(device="gpu"):
        found = lux.components(graph, parts=parts, **more)
    assert (found.strategy, found.device, found.parts) == ("gpus", "gpu", parts)
    np.testing.assert_array_equal(found.labels.dense(), expected(graph))
    return found


@pytest.mark.parametrize("name, order", covering([*GRAPHS], ["given", "degree"]))
def test_components(machine, graphs, name, order):
    graph = graphs[name].reordered(order)
    for parts in (2, 3, 4):
        with machine(parts, blocks=1 + (parts == 2), seed=parts) as m:
            for _ in range(2):
                found = check(graph, parts)
                assert len(found.statistics[0].seconds) == parts
            assert set(m.launched) == {"lux_components_parts"}


@pytest.mark.parametrize("order", ["given", "degree"])
def test_long_rows(machine, order):
    graph = rows().reordered(order)
    with machine(2, blocks=1):
        check(graph, 2)


def test_one_of_several_gpus_is_lost(machine, graphs):
    with machine(2, blocks=1) as m, lux.using(device="gpu"):
        m.lost = {1}
        with pytest.raises(LuxError, match="waited in vain"):
            lux.components(graphs["grid"], parts=2)
        m.lost = ()
        check(graphs["grid"], 2)


@pytest.mark.check
def test_all_gpus_where_it_is_worth_it(machine, graphs, spread_from, monkeypatch):
    graph = graphs["kronecker"]
    with machine(2, blocks=1), lux.using(device="gpu"):
        assert lux.components(graph).strategy == "gpu"
        monkeypatch.setattr(multi_gpu, "WORTH_SEVERAL", 1)
        spread_from(1)
        found = lux.components(graph)
        assert (found.strategy, found.parts) == ("gpus", 2)


@examples(20)
@given(data=st.data())
def test_random_graphs(data):
    n, m = data.draw(st.integers(2, 80), "vertices"), data.draw(st.integers(0, 120), "edges")
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1), "seed"))
    u, v = (n * rng.random((2, m)) ** data.draw(st.integers(1, 2), "skew")).astype(int)
    directed, order = data.draw(st.booleans(), "directed"), data.draw(st.sampled_from(["given", "degree"]))
    graph = lux.from_edges(u, v, n_vertices=n, directed=directed).reordered(order)
    parts = data.draw(st.integers(2, min(n, 4)), "parts")
    with Machine(parts, blocks=data.draw(st.integers(1, 2)), seed=data.draw(st.integers(1, 99))).running():
        check(graph, parts)
