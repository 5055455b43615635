# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Directions of searches by edges and by estimates: answers, decisions by hand, and what is refused."""

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

import lux
from lux.errors import ConfigurationError, ParameterError
from lux_cases.builtin import verify

RULES = {
    "edges": {"direction": "edges"},
    "estimates": {"direction": "estimates"},
    "backward at once": {"direction": "estimates", "do_a": 0, "do_b": 0},
    "backward for a level": {"direction": "estimates", "do_a": 0, "do_b": 1e300},
    "forward": {"direction": "estimates", "do_a": 1e300},
}
GRAPHS = {
    "kronecker": lambda: lux.generate("kronecker:10", seed=2),
    "by degree": lambda: lux.generate("kronecker:9", seed=2).reordered("degree"),
    "uniform": lambda: lux.generate("uniform:10,2", seed=3),
    "directed": lambda: lux.from_edges(*np.random.default_rng(1).integers(0, 300, (2, 3000)), n_vertices=320),
    "grid": lambda: lux.toy.grid(17, 23),
    "star": lambda: lux.toy.star(200, directed=False),
    "path": lambda: lux.toy.path(150, directed=False),
    "single": lambda: lux.from_edges([0], [0]),
}


def small():
    """20 vertices, 40 edges, and levels of 1, 1, 8, 4, 1 and 4 vertices from 0 on; vertex 19 is not reached."""
    tree = [(0, 1), *((1, v) for v in range(2, 10)), *((2, v) for v in range(10, 14)), (10, 14)]
    tree += [(14, v) for v in range(15, 19)]
    rest = [(19, v) for v in range(19)] + [(18, v) for v in range(3)]
    return lux.from_edges(*np.array(tree + rest).T, n_vertices=20)


def simulated(frontiers, n, m, do_a=0.01, do_b=0.1):
    """The paper's rule, from the sizes of the levels."""
    models, visited = [], 0
    for active in frontiers:
        visited += active
        forward, backward = active * m / n, (n - visited) * n / visited
        if not models:
            models.append("push")
        elif models[-1] == "push" and "pull" not in models and forward > backward * do_a:
            models.append("pull")
        elif models[-1] == "pull" and forward < backward * do_b:
            models.append("push")
        else:
            models.append(models[-1])
    return models


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", GRAPHS)
def test_answers(name, rule):
    graph, asked = GRAPHS[name](), RULES[rule]
    source = int(graph.dense_out_degrees().argmax())
    expected = dijkstra(graph.to_scipy(weight=None), unweighted=True, indices=source)
    first, models = lux.bfs(graph, source), set()
    for parts in (None, 1, 2, 5):
        if (parts or 1) > graph.n_vertices:
            continue
        found = lux.bfs(graph, source, parts=parts, **asked)
        verify(found)
        np.testing.assert_array_equal(found.distances.dense(), np.where(np.isinf(expected), -1, expected))
        np.testing.assert_array_equal(found.parents.dense(), first.parents.dense())
        assert found.iterations == first.iterations == len(found.statistics)
        models.add(tuple(step.model for step in found.statistics))
    assert len(models) == 1  # all partitions decide alike, however many there are
    if rule != "edges":
        factors = {key: value for key, value in asked.items() if key != "direction"}
        levels = [step.frontier for step in found.statistics]
        assert list(*models) == simulated(levels, graph.n_vertices, graph.n_edges, **factors)


@pytest.mark.check
def test_decisions_by_hand():
    found = lux.bfs(small(), 0, direction="estimates", do_a=0.05, do_b=0.5)
    assert [(step.model, step.frontier) for step in found.statistics] == [
        ("push", 1),
        ("push", 1),
        ("pull", 8),
        ("pull", 4),
        ("push", 1),
        ("push", 4),
    ]
    # FV = 2 Q, as there are two edges a vertex; BV = 20 U / P.
    assert [step.why for step in found.statistics] == [
        "the first level goes forward",
        "estimates: 2.0 edges forward < do_a x 180.0 backward = 9.0",  # P = 2, U = 18
        "estimates: 16.0 edges forward > do_a x 20.0 backward = 1.0",  # P = 10, U = 10
        "estimates: 8.0 edges forward > do_b x 8.6 backward = 4.3",  # P = 14, U = 6
        "estimates: 2.0 edges forward < do_b x 6.7 backward = 3.3",  # P = 15, U = 5
        "forward again since iteration 5",  # although 8 > 0.05 x 20 / 19
    ]
    by_default = [step.model for step in lux.bfs(small(), 0, direction="estimates").statistics]
    assert by_default == ["push", *5 * ["pull"]]  # 2 > 0.01 x 180, and never below 0.1 BV


def test_by_edges_sparse_graphs_have_directions_too():
    assert {step.model for step in lux.bfs(small(), 0).statistics} == {"push"}
    found = lux.bfs(small(), 0, direction="edges")
    assert [step.model for step in found.statistics] == ["push", *5 * ["pull"]]  # 1/20 of the edges are 2
    assert found.statistics[1].why == "frontier and its edges, 9, exceed 1/20 of all edges"


@pytest.mark.check
def test_explained():
    said = str(lux.explain(lux.bfs, small(), 0, parts=3, direction="estimates"))
    assert "1 push: 1 active, 1 edges" in said
    assert "; estimates: 2.0 edges forward > do_a x 180.0 backward = 1.8" in said


def test_limit():
    for limit in range(5):
        found = lux.bfs(small(), 0, direction="estimates", max_iter=limit)
        assert (found.iterations, found.converged, found.distances.dense().max()) == (limit, False, limit)


@pytest.mark.parametrize(
    "given,message",
    [
        ({"direction": "up"}, "direction='up' was passed; allowed are auto, edges, estimates"),
        ({"direction": None}, "direction=None was passed"),
        ({"do_a": 0.1}, "do_a=0.1 was passed with direction='auto'"),
        ({"direction": "edges", "do_b": 0.1}, "do_b=0.1 was passed with direction='edges'"),
        ({"direction": "estimates", "do_a": -1}, "do_a=-1 was passed; allowed are finite numbers from 0"),
        ({"direction": "estimates", "do_b": float("nan")}, "do_b=nan was passed"),
        ({"direction": "estimates", "do_b": float("inf")}, "do_b=inf was passed"),
        ({"direction": "estimates", "do_a": "1"}, "do_a='1' was passed"),
        ({"direction": "estimates", "do_a": True}, "do_a=True was passed"),
        (
            {"direction": "edges", "strategy": "hybrid"},
            "cannot run here: direction='edges' is asked for",
        ),
        ({"direction": "estimates", "model": "push"}, "direction='estimates' was passed with model='push'"),
    ],
)
def test_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        lux.bfs(lux.toy.kite(), 0, **given)


@pytest.mark.parametrize("device", ["gpu", "gpu+cpu"])
@pytest.mark.parametrize("direction", ["edges", "estimates"])
def test_refused_on_gpus(device, direction):
    with (
        lux.using(device=device),
        pytest.raises(ConfigurationError, match=f"{direction}.*was passed with device=.*use device='cpu'"),
    ):
        lux.bfs(lux.toy.kite(), 0, direction=direction)
