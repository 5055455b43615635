# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Values of some vertices are read without those of all others, where there are many."""

import numpy as np

import lux
from lux.graph import values
from lux_cases.stores import values_of

GRAPH = lux.from_edges(["ada", "bob", "cyd"], ["bob", "cyd", "dan"])


def test_a_few_of_many_are_read_alone(monkeypatch):
    parents, vectors = lux.bfs(GRAPH, "ada").parents, values_of(lux.toy.path(3), np.arange(6.0), length=2)
    monkeypatch.setattr(values, "ALL", 0.1)
    monkeypatch.setattr(type(parents), "dense", None)
    assert parents[["cyd", "ada"]].tolist() == ["bob", "ada"]
    assert vectors[np.array([2])].tolist() == [[4, 5]]
