# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""How edges read their sources: counts against Python sets, and misses against a cache that is simulated."""

import json
from collections import OrderedDict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lux
from lux.autotune import cache_line_kernels
from lux.autotune.source_locality import FIELDS, reads
from lux.autotune.summarize import summarize
from lux_cases.stores import to_array
from perfmodel import Configuration, GraphSummary, ModelError, Rate, predict
from perfmodel.locality import GROUPS, Caches, SourceLocality, hottest
from perfmodel.programs import program

PAGERANK = program("pagerank")


def least_recently_used(sources, group, lines):
    """Share of reads that miss such a cache in the second of two iterations."""
    held, missed = OrderedDict(), 0
    for number, source in enumerate([*sources, *sources]):
        line = source // group
        missed += number >= len(sources) and line not in held
        held.pop(line, None)
        held[line] = True
        if len(held) > lines:
            held.popitem(last=False)
    return missed / len(sources)


@pytest.mark.parametrize("spec", ["kronecker:13", "uniform:12", "rmat:12", "grid:96x96"])
@pytest.mark.parametrize("order", ["given", "degree"])
def test_misses_are_those_of_a_simulated_cache(spec, order):
    graph = lux.generate(spec).reordered(order)
    found, sources = reads(graph), to_array(graph.sources).tolist()
    for lines in (16, 64, 256, graph.n_vertices // 4 + 1):
        assert found.missed(4, lines) == pytest.approx(least_recently_used(sources, 4, lines), abs=0.1)


@pytest.mark.check
def test_footprints_are_those_of_sets():
    graph = lux.generate("kronecker:6")
    sources, found = to_array(graph.sources), reads(graph)
    out = np.zeros(FIELDS)
    cache_line_kernels.count_lines(sources[:9], 2, 16, out)
    whole = sources[:9].tolist()
    assert (out[: FIELDS // 2] / np.maximum(out[FIELDS // 2 :], 1))[:4].tolist() == [
        len({s // 4 for s in whole[: 2**k]}) for k in range(4)
    ]
    for group in GROUPS:
        assert found.footprints[group][-1] == (graph.n_edges, len(set((sources // group).tolist())))
        assert found.footprints[group][0] == (1.0, 1.0)
        assert all(b[1] >= a[1] for a, b in zip(found.footprints[group], found.footprints[group][1:], strict=False))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60).filter(any))
@settings(max_examples=50)
def test_the_hottest_vertices(degrees):
    shares, falling = hottest(degrees), sorted(degrees, reverse=True)
    sources = sum(d > 0 for d in degrees)
    assert len(shares) == (sources - 1).bit_length() + 1
    for k, share in enumerate(shares):
        assert share == pytest.approx(sum(falling[: 2**k]) / sum(degrees))
    assert SourceLocality(shares, {}).hot(2 * len(degrees)) == pytest.approx(1)


@pytest.mark.check
def test_a_graph_without_edges():
    graph = lux.from_edges([], [], n_vertices=3)
    assert reads(graph) == SourceLocality((), {}, 0)
    assert Caches("gpu", 4096, 1024).missed(summarize(graph, [1]), PAGERANK, "pull", 1) == (0, 0)


def test_hubs_and_neighbourhoods_are_near_and_uniform_graphs_are_not():
    caches = Caches("gpu", 64 << 10, 8 << 10)
    first = {}
    for spec in ("kronecker:14", "uniform:14", "grid:128x128"):
        first[spec], far = caches.missed(summarize(lux.generate(spec), [1]), PAGERANK, "pull", 1)
        assert far <= first[spec]
    assert first["grid:128x128"] < 0.1 < first["kronecker:14"] < 0.9 < first["uniform:14"]


def test_a_gpu_finds_hot_vertices_in_its_table():
    graph = lux.generate("kronecker:16").reordered("degree")
    summary = summarize(graph, [1, 2])
    caches = Caches("gpu", 32 << 20, 16 << 10)
    assert summary.reads.ranges == graph.order.ranges
    # The table is for pull of programs without a frontier; 24,576 values of 8 bytes.
    table, _ = caches.missed(summary, PAGERANK, "pull", 1)
    assert table == pytest.approx(1 - summary.reads.hot(24_576))
    for of, model in ((PAGERANK, "push"), (program("components"), "pull")):
        assert caches.missed(summary, of, model, 1)[0] > table + 0.2


def test_workers_share_the_edges_and_larger_graphs_have_more_lines():
    summary = summarize(lux.generate("uniform:14,2"), [1, 2, 16])
    caches = Caches("cpu", 100 << 10, 4 << 10)  # of 128 KiB
    one, two = (caches.missed(summary, PAGERANK, "pull", n)[1] for n in (1, 64))
    assert (one > 0, two) == (True, 0)  # what a 64th of the edges read fits
    larger = caches.missed(summary.scaled(2 * summary.n_edges), PAGERANK, "pull", 1)[1]
    assert larger == pytest.approx(0.6, abs=0.05)
    assert larger > one


def test_a_prediction_by_hand(summary, gpu):
    """Of the reads, 0.4 miss the first cache and 0.1 both: slopes of the curve, in the middles of its pieces."""
    curve = ((1.0, 1.0), (1001.0, 401.0), (11_001.0, 1401.0), (16_000.0, 1500.0))
    known = replace(summary, reads=SourceLocality((), {4: curve, 8: curve, 16: curve}))
    rate = Rate(edge_hot=1e-12, edge_near=5e-12, edge_far=25e-12, vertex_near=1e-11, vertex_far=1e-11)
    profile = replace(gpu, rates={"pagerank": {"pull": rate}}, hot_bytes=32 * 20.02498, cache_bytes=32 * 749.5398)
    one = predict(known, profile, Configuration("pagerank", "pull", "device"))
    assert one.compute == pytest.approx(16_000 * (1e-12 + 0.4 * 4e-12 + 0.1 * 20e-12), rel=1e-4)
    assert one.update == pytest.approx(1000 * 1e-11)
    with pytest.raises(ModelError, match="does not say how edges read their sources: count again with lux autotune"):
        predict(summary, profile, Configuration("pagerank", "pull", "device"))


def test_a_summary_of_the_version_before_is_read_and_counted_again(tmp_path):
    graph, file = lux.generate("uniform:8"), tmp_path / "s.json"
    found = summarize(graph, [1, 2])
    found.write(file)
    assert GraphSummary.read(file) == found
    before = json.loads(file.read_text()) | {"version": 1}
    del before["reads"]
    file.write_text(json.dumps(before))
    graph.summary = GraphSummary.read(file)
    assert graph.summary == replace(found, reads=None)
    assert summarize(graph, [1]) == found
