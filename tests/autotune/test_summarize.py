# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Summaries: counted sizes, estimates beyond them, and their files."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lux
from lux.autotune.summarize import exact_sizes, measured, summarize, summarize_for
from perfmodel import GraphSummary, ModelError
from perfmodel.ins_curve import InsCurve, degree_bins, occupied


def sets_by_hand(graph, parts):
    """|INS| and |UDS| from Python sets."""
    points = graph.layout(parts).points
    u, v = graph.dense_edge_arrays()
    ins, uds = [], []
    for lo, hi in itertools.pairwise(points):
        read = set(u[(v >= lo) & (v < hi)].tolist())
        ins.append(len(read))
        uds.append(len([x for x in read if not lo <= x < hi]))
    return ins, uds


@pytest.mark.check
@pytest.mark.parametrize("parts", [1, 2, 3, 5])
def test_counted_sizes_are_those_of_sets(parts):
    graph = lux.generate("kronecker:8")
    ins, uds = sets_by_hand(graph, parts)
    found = summarize(graph, [parts]).of(parts)
    assert (found.ins_total, found.ins_most, found.uds_total, found.uds_most) == (
        sum(ins),
        max(ins),
        sum(uds),
        max(uds),
    )


def test_a_nodes_update_set_is_that_of_one_of_as_many_partitions():
    graph = lux.generate("rmat:9")
    for nodes, per_node in ((2, 3), (4, 4), (3, 5)):
        sets = graph.layout(nodes * per_node).vertex_sets(nodes)
        assert sets.uds.tolist() == graph.layout(nodes).vertex_sets(nodes).uds.tolist()


@pytest.mark.parametrize("spec", ["kronecker:14", "uniform:13", "grid:256x256", "rmat:13,8"])
@pytest.mark.parametrize("parts", [128, 256])
def test_estimates_are_near_exact_sizes(spec, parts):
    graph = lux.generate(spec)
    exact, estimate = exact_sizes(graph, parts), summarize(graph).of(parts)
    assert estimate.ins_total == pytest.approx(exact.ins_total, rel=0.05)
    assert estimate.uds_total == pytest.approx(exact.uds_total, rel=0.05)
    assert estimate.ins_most == pytest.approx(exact.ins_most, rel=0.5)  # the largest partition moves about


def test_an_estimate_knows_its_error():
    assert summarize(lux.generate("uniform:12")).estimate_error() < 0.02
    assert summarize(lux.generate("uniform:12"), [1]).estimate_error() == 1


@given(st.lists(st.integers(0, 200), min_size=1, max_size=50).filter(any), st.integers(1, 200))
def test_occupied_sets_grow_with_their_number_up_to_the_edges(degrees, parts):
    bins = degree_bins(degrees)
    assert sum(n for n, _ in bins) == np.count_nonzero(degrees)
    assert sum(n * d for n, d in bins) == pytest.approx(sum(degrees))
    assert occupied(bins, parts) <= occupied(bins, parts + 1) * (1 + 1e-9)
    assert occupied(bins, parts) <= min(sum(degrees), parts * len(degrees)) * (1 + 1e-9)


def test_a_curve_without_points_is_that_of_random_edges():
    bins = [(100, 3.0)]
    assert InsCurve(bins, {}, owned=True).at(4) == pytest.approx(occupied(bins, 4))


def test_sizes_that_were_not_counted(summary):
    with pytest.raises(ModelError, match=r"no sizes of 3 partitions \(it has those of: 1, 2, 4.*--nodes X --gpus Y"):
        summary.of(3)
    with pytest.raises(ModelError, match="no sizes of partitions"):
        replace(summary, sizes={}).of(100)


def test_scaling_keeps_proportions(summary):
    larger = summary.scaled(32_000)
    assert (larger.n_vertices, larger.n_edges, larger.scale) == (2000, 32_000, 2.0)
    assert larger.of(4).ins_total == 2 * summary.of(4).ins_total
    assert summary.counted(4)
    assert not larger.counted(4)
    with pytest.raises(ModelError, match="pass a number from 1"):
        summary.scaled(0)


def test_files(summary, tmp_path):
    file = tmp_path / "s.json"
    summary.write(file)
    assert GraphSummary.read(file) == summary
    found = json.loads(file.read_text())
    for change, message in (
        ({"version": 99}, "of version 99, and this Lux reads version 2"),
        ({"kind": "x"}, "is no Lux graph summary"),
        ({"sizes": 3}, "something missing or wrong"),
    ):
        file.write_text(json.dumps(found | change))
        with pytest.raises(ModelError, match=message):
            GraphSummary.read(file)
    file.write_text("{")
    with pytest.raises(ModelError, match="is no JSON file"):
        GraphSummary.read(file)
    with pytest.raises(ModelError, match="cannot be read"):
        GraphSummary.read(tmp_path / "none")
    with pytest.raises(ModelError, match=r"cannot write .*s\.json: there is no folder .*none; create it first"):
        summary.write(tmp_path / "none" / "s.json")


def test_rows_of_least_squares_are_counted_where_a_program_factorizes(tmp_path):
    rated = lux.from_edges([0, 0, 1, 2, 3, 3], [0, 1, 1, 2, 0, 2], weight=[3.0] * 6, bipartite=True)
    used, plain = summarize_for("components", rated, [1, 2])
    assert used.n_edges == 12
    assert plain.swept == {}
    _, found = summarize_for("factorize", rated, [1, 2])
    assert {*found.swept} == {1, 2}
    assert found.read_rows(1, "als") == 0 < found.read_rows(2, "als") == found.swept[2]
    assert found.read_rows(2, "gd") == found.of(2).uds_most
    found.write(tmp_path / "s.json")
    assert GraphSummary.read(tmp_path / "s.json") == found
    with pytest.raises(lux.errors.GraphError, match="nothing says which vertices are users"):
        summarize_for("factorize", lux.generate("kronecker:4"), [1])


def test_a_saved_graph_keeps_its_summary(tmp_path):
    graph = lux.generate("uniform:8")
    found = summarize(graph, [1, 2])
    graph.save(tmp_path / "g.lux")
    assert lux.load_graph(tmp_path / "g.lux").summary == found


def test_a_measured_frontier():
    graph = lux.toy.path(6)
    frontier = measured(graph.symmetrized(), "bfs").frontiers["bfs"]
    assert len(frontier.vertices) == len(frontier.edges) > 1
    assert frontier.strategy_seconds > 0
    assert not measured(graph, "pagerank").frontiers
