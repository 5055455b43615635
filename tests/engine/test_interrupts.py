# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs that are interrupted leave nothing behind that launches were given, and the next run is right."""

import numpy as np
import pytest

import lux
from lux.engine import executor
from lux.errors import ConvergenceError, LuxWarning
from lux_cases.stores import contexts, finish


def _graph(edges_per_vertex):
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 3000, (2, 3000 * edges_per_vertex))
    return lux.from_edges(
        *ends, weight=rng.integers(1, 9, ends.shape[1]).astype(np.int32), n_vertices=3000, directed=False
    )


def _factors(method):
    rng = np.random.default_rng(2)
    rated = lux.from_edges(*rng.integers(0, 60, (2, 900)), weight=rng.integers(1, 6, 900) / 1.0, bipartite=True)
    return lambda _, **asked: lux.factorize(rated, 4, method=method, max_iter=4, dtype=np.float64, **asked).factors


RUNS = {
    "bfs": lambda graph, **asked: lux.bfs(graph, 0, **asked).distances,
    "sssp": lambda graph, **asked: lux.sssp(graph, 0, **asked).distances,
    "components": lambda graph, **asked: lux.components(graph, **asked).labels,
    "pagerank": lambda graph, **asked: lux.pagerank(graph, **asked).ranks,
    "betweenness": lambda graph, **asked: lux.betweenness(graph, sources=[0, 1], **asked).scores,
    "betweenness by weight": lambda graph, **asked: (
        lux.betweenness(graph, sources=[0, 1], weight="weight", **asked).scores
    ),
    "two-dimensional": lambda graph, **asked: lux.bfs(graph, 0, strategy="two-dimensional", **asked).distances,
    "hybrid": lambda graph, **asked: lux.bfs(graph, 0, strategy="hybrid", **asked).distances,
    "degree-separated": lambda graph, **asked: lux.bfs(graph, 0, strategy="degree-separated", **asked).distances,
    "least squares": _factors("als"),
    "gradient descent": _factors("gd"),
}


def _left():
    finish()
    return contexts()


def _interrupt(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("parts", [None, 2])
@pytest.mark.parametrize("edges_per_vertex", [2, 16])
@pytest.mark.parametrize("run", RUNS)
def test_nothing_is_left(run, edges_per_vertex, parts):
    graph = _graph(edges_per_vertex)
    expected = RUNS[run](graph, parts=parts).to_numpy()
    before = _left()
    try:
        RUNS[run](graph, parts=parts, progress=_interrupt)
    except KeyboardInterrupt:
        pass
    else:  # a run of one launch may have nothing to tell
        assert run == "components"
    assert _left() == before
    np.testing.assert_allclose(RUNS[run](graph, parts=parts).to_numpy(), expected, rtol=1e-6)
    assert _left() == before


def test_a_run_without_end_is_an_error(monkeypatch):
    monkeypatch.setattr(executor, "LONG", executor.LONG // 10)

    class Swinging(lux.Program):
        x = lux.field(int, reduce=lux.MAX)

        def start(v, params):
            v.x = v.id
            return True

        def compute(v, u, edge, params):
            return u.x

        def update(v, old, params):
            v.x = 1 - old.x
            return True

    graph = lux.from_edges([0, 1], [1, 0])
    with (
        pytest.warns(LuxWarning, match="may never end"),
        pytest.raises(ConvergenceError, match="and has not ended: see"),
    ):
        lux.run(Swinging, graph)
    assert lux.run(Swinging, graph, max_iter=3)["x"].to_dict() == {0: 1, 1: 0}
