# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Which placement `auto` takes on several GPUs, and what it is taken by: rates of the exchange, measured and kept."""

import dataclasses
import json

import numpy as np
import pytest

import lux
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.engine.gpu.placement import allocation_ledger, bandwidth_probe, bandwidths, device_selection, remote_reads
from lux.engine.gpu.placement.remote_reads import read_of_others
from lux_cases.builtin import PageRank32
from lux_on_cores.machine import NVLINK

SLOW_PEERS = dataclasses.replace(NVLINK, peer=1e-4, device=1e-4)
COPIES = dataclasses.replace(NVLINK, peer=1e-4, zero_copy=1e-4)


@pytest.fixture(scope="module")
def directed():
    return lux.generate("rmat:9,4", seed=3)


@pytest.mark.parametrize("given, expected", [(NVLINK, "peer"), (SLOW_PEERS, "zero-copy"), (COPIES, "device")])
def test_the_fastest_exchange_is_taken(machine, directed, given, expected):
    with machine(2, rates=given) as m:
        with lux.using(device="gpu"):
            found = lux.pagerank(directed, parts=2, tol=0, max_iter=5, weight=None, dtype=np.float32)
        with lux.using(device="gpu", placement=expected):
            asked = lux.pagerank(directed, parts=2, tol=0, max_iter=5, weight=None, dtype=np.float32)
    assert "lux_step" in m.launched
    np.testing.assert_array_equal(found.ranks.dense(), asked.ranks.dense())
    assert f"; {expected} placement: exchange " in found.statistics[0].why
    assert "placement" not in asked.statistics[0].why


@pytest.mark.parametrize("gpus, parts, placement", [(1, 2, "auto"), (2, 1, "auto"), (2, 2, "device")])
def test_nothing_is_measured_where_there_is_nothing_to_choose(machine, directed, gpus, parts, placement):
    with machine(gpus) as m, lux.using(device="gpu", placement=placement):
        del m.rates  # to ask for them is an error
        assert lux.components(directed, parts=parts, strategy="program").device == "gpu"


@pytest.mark.check
def test_no_room_to_measure_in(machine, directed):
    with machine(2, rates=None), lux.using(device="gpu"):
        found = lux.components(directed, parts=2, strategy="program")
        assert "placement" not in found.statistics[0].why


@pytest.mark.parametrize("gpus", [2, 3])
def test_measuring(machine, gpus, monkeypatch):
    """Each GPU gathers half of what the others have, and half of what all share."""
    monkeypatch.setattr(bandwidth_probe, "VALUES", 1 << 12)
    monkeypatch.setattr(bandwidth_probe, "SHARED_VALUES", 6 << 9)
    monkeypatch.setattr(bandwidth_probe, "LAUNCHES", 2)
    sums, reports = [], bandwidth_probe.reports

    def kept(plan, key):
        found = reports(plan, key)
        sums.append([int(control["sum"]) for control in found])
        return found

    monkeypatch.setattr(bandwidth_probe, "reports", kept)
    with machine(gpus, seed=4) as m:
        found = bandwidths.measured()
    assert m.launched == ["lux_gather"] * (1 + 2 * bandwidth_probe.TRIALS)
    assert min(found.peer, found.zero_copy, found.launch, found.device_launch) > 0
    assert (found.device >= 0, found.between) == (True, 0)
    half = np.arange(1 << 11)
    places = 2 * half + (half * 2654435769 % 2**32 >> 31)
    assert 0.4 < (places & 1).mean() < 0.6
    each = [int((places + (q << 12)).sum()) for q in range(gpus)]
    assert sums[1] == [sum(each) - own for own in each]
    assert sums[-1] == [int(places[: 6 << 8].sum())] * gpus


@pytest.mark.check
def test_rates_are_kept(tmp_path):
    path, of = tmp_path / "rates.json", {"names": ["one", "two"]}
    for kept in (NVLINK, dataclasses.replace(NVLINK, peer=None)):
        bandwidths.keep(path, of, kept)
        assert bandwidths.load(path, of) == kept
        assert bandwidths.load(path, of | {"names": ["one"]}) is None
    assert [p.name for p in tmp_path.iterdir()] == ["rates.json"]
    bandwidths.keep(tmp_path / "nowhere" / "rates.json", of, NVLINK)  # goes on without


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"of": {}}', '{"of": {}, "rates": {"peer": 1}}', '{"of": {}, "rates": [1]}']
)
def test_broken_files(tmp_path, text):
    path = tmp_path / "rates.json"
    assert bandwidths.load(path, {}) is None
    path.write_text(text)
    assert bandwidths.load(path, {}) is None
    bandwidths.keep(path, {}, NVLINK)
    whole = path.read_text()
    for number in ('"2e-11"', "null", "-1.0", "NaN", "Infinity", "[]"):
        path.write_text(whole.replace("2e-11", number))
        assert bandwidths.load(path, {}) is None
    path.write_bytes(b"\xff\xfe")
    assert bandwidths.load(path, {}) is None


def test_rates_are_measured_once(machine, tmp_path, monkeypatch):
    ask, measured = bandwidths.rates, iter([NVLINK, SLOW_PEERS])
    monkeypatch.setattr(bandwidths, "known", {})
    monkeypatch.setattr(bandwidths, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(bandwidths, "measured", lambda: next(measured))
    with machine(2):
        assert allocation_ledger.room_for(*bandwidth_probe.room())
        assert not allocation_ledger.room_for(2**30, 0)
        assert not allocation_ledger.room_for(0, 2**28 + 1)
        assert ask(lambda: False) is None
        for _ in range(2):
            assert ask(lambda: True) == ask(lambda: False) == NVLINK
            bandwidths.known.clear()
        (file,) = tmp_path.iterdir()
        file.write_text("broken")
        assert ask(lambda: True) == bandwidths.load(file, bandwidths.of()) == SLOW_PEERS


def test_what_is_read_of_others_is_bounded(directed):
    hubs = lux.generate("kronecker:9,8", seed=2)
    for graph in (directed, hubs, lux.generate("grid:20x20"), lux.toy.path(5)):
        for parts in (2, 3):
            layout = graph.layout(parts)
            outside = [
                len({u for u in sources if not lo <= u < hi})
                for sources, lo, hi in zip(sources_of(graph, layout), layout.points, layout.points[1:], strict=False)
            ]
            assert max(outside) <= read_of_others(layout) < graph.n_vertices


@pytest.mark.parametrize("some", [1 << 16, 7])
def test_a_sample_is_taken_where_edges_lie(machine, made_on_gpus_from, monkeypatch, some):
    monkeypatch.setattr(remote_reads, "SAMPLES", some)
    made_on_gpus_from(1)
    for spec in ("kronecker:7,4", "grid:9x11"):
        on_cores = [read_of_others(lux.generate(spec).layout(parts)) for parts in (2, 3)]
        for gpus, expected in zip((2, 3), on_cores, strict=True):
            with machine(gpus) as on:
                graph = lux.generate(spec)
                assert graph.sources.lies_on_gpus
                assert read_of_others(graph.layout(gpus)) == expected
                assert on.launched[-1] == "lux_sample_remote_reads"


def sources_of(graph, layout):
    sources = np.asarray(graph.sources.legate.get_physical_store())
    return [sources[a:b].tolist() for a, b in zip(layout.edge_points, layout.edge_points[1:], strict=False)]


def test_several_partitions_on_a_gpu(machine, directed):
    """They launch every iteration."""
    from lux.engine.gpu.placement.placement_selection import exchange_of

    with machine(2), lux.using(device="gpu"):
        run = PartitionedGpuRun.placed(
            PageRank32, directed, {}, {"alpha": 0.85, "stop": 0.0}, "auto", 5, parts=6, asked=True
        )
        exchange = exchange_of(run)
    assert (run.placement, run.iterations_per_launch) == ("peer", 1)
    assert (exchange.gpus, exchange.value_bytes) == (2, 4)
    assert exchange.own == 3 * int(np.diff(run.layout.points).max())


def test_what_lux_info_says(machine, directed, call, tmp_path):
    directed.write(tmp_path / "g.lux")

    def rows(gpus, given):
        with machine(gpus, rates=given):
            return json.loads(call("info", tmp_path / "g.lux", "--gpus", "--parts", 2, "--json")[1])["gpu_exchange"]

    for given, first in ((NVLINK, "peer"), (COPIES, "device")):
        found = rows(2, given)
        assert (found[0]["placement"], [row["auto"] for row in found]) == (first, [True, False, False])
        assert [row["ms"] for row in found] == sorted(row["ms"] for row in found)
    assert {row["placement"]: row["GB/s"] for row in found}["device"] == pytest.approx(400)
    assert rows(1, NVLINK) == rows(2, None) == []


@pytest.mark.parametrize("gpus, parts", [(1, None), (1, 1), (2, 2), (2, 3)])
def test_ids_of_32_bits(machine, directed, gpus, parts, monkeypatch):
    """Graphs of more vertices than 31 bits number run as programs on partitions, also on one GPU."""
    monkeypatch.setattr(device_selection, "MOST_SIGNED", directed.n_vertices)
    with lux.using(device="cpu"):
        distances, labels = lux.bfs(directed, 0), lux.components(directed)
    with machine(gpus) as m, lux.using(device="gpu"):
        found = lux.bfs(directed, 0, parts=parts)
        linked = lux.components(directed, parts=parts)
    assert set(m.launched) & {"lux_step", "lux_run"} == {"lux_step"}
    assert (found.strategy, linked.strategy) == ("program", "program")
    assert "fewer than 512 vertices, and this graph has 512" in found.refusals["gpu"]
    assert found.distances.dense().tolist() == distances.distances.dense().tolist()
    assert linked.labels.dense().tolist() == labels.labels.dense().tolist()
