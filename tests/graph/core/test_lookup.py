# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Values and facts that are read where stores lie."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.graph.core.degree_facts import degree_facts
from lux.graph.core.partitions import SampledWork


@given(pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_facts_are_those_of_all_degrees(pairs):
    u, v = np.array(pairs, np.int64).reshape(-1, 2).T
    graph = lux.from_edges(u, v, n_vertices=10)
    degrees = graph.dense_in_degrees()
    with_edges = np.flatnonzero(degrees)
    end = int(with_edges[-1]) + 1 if len(with_edges) else 0
    assert degree_facts(graph) == (degrees.max(), np.count_nonzero(np.diff(degrees)), end)


@pytest.mark.check
def test_sampled_work_is_exact_on_small_graphs_and_near_on_others(monkeypatch):
    graph = lux.generate("uniform:10", seed=2)
    exact = graph.layout(3).work
    places = np.array([0, 3, 500, -1])
    np.testing.assert_array_equal(SampledWork(graph)[places], exact[places])
    monkeypatch.setattr("lux.graph.core.partitions.SAMPLES", 64)
    sampled = SampledWork(graph)
    assert len(sampled) == len(exact)
    assert np.abs(sampled[np.arange(1025)] - exact).max() < 0.02 * exact[-1]
