# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the engines, on a small graph."""

import json

import numpy as np
import pytest

import lux
from benchmarks import engines
from benchmarks.agreement import DisagreementError
from benchmarks.engines import AUTO, BY_NAME
from benchmarks.looked_at import edges_looked_at
from benchmarks.primitive_costs import measure


@pytest.mark.slow
def test_table_and_json(tmp_path, monkeypatch, capsys):
    path = tmp_path / "found.json"
    arguments = ["--scale", "8", "--parts", "1", "2", "--roots", "2", "--trials", "1", "--output", str(path)]
    monkeypatch.setattr("sys.argv", ["engines.py", *arguments])
    engines.main()
    rows = json.loads(path.read_text())["rows"]
    assert [(row["engine"], row["parts"]) for row in rows] == [(e, p) for p in (1, 2) for e in (AUTO, *BY_NAME)]
    for row in rows:
        assert row["traversed"] == rows[0]["traversed"]
        assert row["harmonic_mean_TEPS"] > 0
        assert row["csr_bytes"] > 0
        assert (row["exchanged"] is None) == (row["engine"] == AUTO)
        if row["engine"] != AUTO:
            assert row["kept_bytes"] > 0
        if row["engine"] != AUTO and row["parts"] == 2:
            assert row["mean_exchanged"] > 0
            assert row["modelled"] > 0
    said = capsys.readouterr().out
    for word in (*BY_NAME, "MTEPS", "of CSR", "by the model"):
        assert word in said


def test_rules_of_directions():
    graph = lux.generate("kronecker:10", seed=1)
    auto, edges, estimates = engines.compare(graph, 10, 2, ["auto", "edges", "estimates"], 4, 1)
    assert auto.looked_at == edges.looked_at
    assert 0 < edges.looked_at < 0.3 * graph.n_edges
    assert 0 < estimates.looked_at < graph.n_edges
    assert estimates.levels == edges.levels


def test_looked_at_is_what_partitions_see():
    graph = lux.generate("kronecker:10", seed=1)
    for direction in ("edges", "estimates"):
        result = lux.bfs(graph, 5, parts=2, direction=direction)
        costs = measure("DOBFS", graph, 5, 2, direction=direction)
        pushes = np.array([step.model == "push" for step in result.statistics])
        # Of a backward level W has all vertices besides, of a forward one the frontier's members of INS.
        vertices = [graph.n_vertices if not push else None for push in pushes]
        backward = sum(int(w.sum()) - n for w, n in zip(costs.computed, vertices, strict=True) if n is not None)
        forward = int(costs.edges[pushes].sum())
        assert edges_looked_at(result) == forward + backward
    by_degree = graph.reordered("degree")
    assert 0 < edges_looked_at(lux.bfs(by_degree, 5, direction="edges")) < graph.n_edges


def test_other_answers_end_it(monkeypatch):
    graph, search = lux.generate("kronecker:6", seed=1), lux.bfs

    def wrong(graph, root, *, strategy, parts):
        return search(graph, root, parts=parts, max_iter=None if strategy == AUTO else 1)

    monkeypatch.setattr(engines.lux, "bfs", wrong)
    with pytest.raises(DisagreementError, match="hybrid"):
        engines.compare(graph, 6, 2, [AUTO, "hybrid"], 1, 1)


def test_counted_bytes_are_near_the_model():
    graph = lux.generate("kronecker:12", seed=1)
    rows = engines.compare(graph, 12, 4, ["two-dimensional"], 4, 1)
    assert np.mean(rows[0].exchanged) == pytest.approx(rows[0].modelled, rel=0.25)
