# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of searches whose messages travel while processors work, in one process."""

import re

import pytest

import lux
from benchmarks import overlap_nodes
from benchmarks.agreement import DisagreementError
from benchmarks.tables import engines


def test_all_ways_search_from_all_roots():
    graph, roots, trials = lux.generate("kronecker:8,8", seed=1), [3, 5], 2
    rows = overlap_nodes.compare(graph, 4, roots, trials)
    ways = [(strategy, way) for strategy, each in overlap_nodes.WAYS.items() for way in each]
    assert [(row["strategy"], row["way"]) for row in rows] == ways
    for row in rows:
        assert len(row["seconds"]) == trials * len(roots)
        assert row["exchanged"] > 0
        assert (row["levels_ms"] > 0) == (row["strategy"] == "hybrid")
    table = engines.overlap("degree-separated", {"clusters": [{"nodes": 2, "mbit": 50, "rows": rows}]})
    first, second = (line.split(" | ") for line in table.splitlines()[2:])
    assert (first[:2], first[3]) == (["| 2, 50", "blocking"], "1")
    assert second[:2] == ["|", "non-blocking"]
    assert re.fullmatch(r"[\d.]+ \([\d.]+ to [\d.]+\)", second[3])


def test_other_distances_are_noticed(monkeypatch):
    graph = lux.generate("kronecker:8,8", seed=1)
    ways = overlap_nodes.WAYS["hybrid"]
    elsewhere = int(graph.dense_out_degrees().argmax())
    wrong = ways | {"4 pieces": lambda graph, _, parts: ways["1 piece"](graph, elsewhere, parts)}
    monkeypatch.setitem(overlap_nodes.WAYS, "hybrid", wrong)
    with pytest.raises(DisagreementError, match="hybrid, 4 pieces: other distances from 3"):
        overlap_nodes.compare(graph, 2, [3], 1)
