# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The engines two-dimensional and hybrid on GPUs find what they find on CPU cores, and send as much."""

import networkx as nx
import numpy as np
import pytest

import lux
from lux.errors import ConfigurationError
from lux_cases.builtin import verify
from lux_cases.machine import gpus, on_cores
from lux_cases.searches import MADE, counts, made

pytestmark = [pytest.mark.gpu, pytest.mark.parametrize("strategy", ["two-dimensional", "hybrid"])]


def processors():
    """Numbers of processors that these GPUs can be."""
    return counts(1, 2, 3, 4, 6, 8)


def check(graph, source, strategy, parts, max_iter=None):
    with lux.using(device="cpu"):
        expected = lux.bfs(graph, source, strategy=strategy, parts=parts, max_iter=max_iter)
    with lux.using(device="gpu"):
        found = lux.bfs(graph, source, strategy=strategy, parts=parts, max_iter=max_iter)
    case = f"source={source}, parts={parts}, max_iter={max_iter}"
    assert (found.device, found.parts) == ("gpu", parts), case
    np.testing.assert_array_equal(found.distances.dense(), expected.distances.dense(), case)
    assert (found.iterations, found.converged) == (expected.iterations, expected.converged), case
    verify(found)
    for level, (did, would) in enumerate(zip(found.statistics, expected.statistics, strict=True)):
        assert (did.model, did.frontier, did.frontier_edges) == (would.model, would.frontier, would.frontier_edges), (
            case
        )
        assert did.why == would.why, case
        assert len(did.seconds) == parts, case
        # On GPUs owners read parents at the end, and on CPU cores they ask for them.
        last = level == len(expected.statistics) - 1
        assert did.exchanged <= would.exchanged if last else did.exchanged == would.exchanged, (case, level)
    return found


@pytest.mark.parametrize("name", [name for name in MADE if name != "path"])
def test_graphs(strategy, name):
    graph = made(name)
    hub = int(graph.dense_out_degrees().argmax())
    for parts in processors():
        for source in {hub, 0, graph.n_vertices - 1}:
            check(graph, source, strategy, parts)


def test_limits(strategy):
    for name in ("kronecker", "directed"):
        for max_iter in (0, 1, 2, 3):
            check(made(name), 3, strategy, max(processors()), max_iter)


def test_another_order(strategy):
    for name in ("kronecker", "directed"):
        for parts in processors():
            check(made(name, "degree"), 7, strategy, parts)


def test_networkx(strategy):
    rng = np.random.default_rng(5)
    for n in (1, 2, 63, 64, 65, 700):
        u, v = rng.integers(0, n, (2, 2 * n))
        reference = nx.MultiDiGraph()
        reference.add_nodes_from(range(n))
        reference.add_edges_from(zip(u.tolist(), v.tolist(), strict=True))
        far = nx.single_source_shortest_path_length(reference, n // 2)
        graph = lux.from_edges(u, v, n_vertices=n, directed=True)
        for parts in [p for p in processors() if p <= n]:
            with lux.using(device="gpu"):
                found = lux.bfs(graph, n // 2, strategy=strategy, parts=parts)
            assert found.distances.dense().tolist() == [far.get(x, -1) for x in range(n)]
            verify(found)


def test_many_searches_and_levels(strategy):
    """Stores that searches work in are used again, and results are not."""
    parts = max(processors())
    first = check(made("kronecker"), 7, strategy, parts)
    before = first.distances.dense().tolist(), first.parents.dense().tolist()
    for source in (8, 0, 511):
        check(made("kronecker"), source, strategy, parts)
    assert (first.distances.dense().tolist(), first.parents.dense().tolist()) == before
    found = check(made("path"), 0, strategy, parts)
    assert len(found.statistics) == found.iterations


def test_more_processors_than_gpus(strategy):
    with lux.using(device="gpu"), pytest.raises(ConfigurationError, match="each processor is a GPU"):
        lux.bfs(made("kronecker"), 0, strategy=strategy, parts=gpus() + 1)
    with on_cores("each processor is a GPU"):
        assert lux.bfs(made("kronecker"), 0, strategy=strategy, parts=gpus() + 1).device == "cpu"
