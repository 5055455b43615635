# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Every way to search in breadth gives the same distances, and results say which it was."""

import numpy as np
import pytest

import lux
from lux.algorithms.bfs import bfs
from lux.algorithms.bfs.strategies import STRATEGIES
from lux.errors import ParameterError

ON_CORES = [strategy.name for strategy in STRATEGIES if "gpu" not in strategy.name]


@pytest.mark.parametrize("name", ON_CORES)
@pytest.mark.parametrize("spec", ["kronecker:8", "uniform:8,2"])
def test_distances_are_equal(name, spec):
    graph = lux.generate(spec, seed=2)
    graph = graph.symmetrized() if name == "degree-separated" else graph
    expected, found = lux.bfs(graph, 5), lux.bfs(graph, 5, strategy=name)
    assert (found.strategy, found.refusals) == (name, {})
    np.testing.assert_array_equal(found.distances.dense(), expected.distances.dense())
    bfs.verify(found)


@pytest.mark.parametrize(
    "asked, name",
    [
        ({}, "threads-top-down"),
        ({"parts": 2}, "program"),
        ({"model": "push"}, "program"),
        ({"direction": "edges"}, "program"),
    ],
)
def test_the_way_that_is_taken_and_why(asked, name):
    found = lux.bfs(lux.toy.path(9), 0, **asked)
    assert found.strategy == name
    assert ("threads-top-down" in found.refusals) == (name == "program")
    said = str(lux.explain(lux.bfs, lux.toy.path(9), 0, **asked))
    assert f"strategy {name}\n  not gpus: " in said


def test_names_that_there_are_not():
    with pytest.raises(ParameterError, match=r"'programm' was passed: did you mean program\? Allowed are auto, "):
        lux.bfs(lux.toy.path(3), 0, strategy="programm")
    with pytest.raises(ParameterError, match="cannot run here: model='pull' is asked for, which only the program has"):
        lux.bfs(lux.toy.path(3), 0, strategy="threads-top-down", model="pull")
