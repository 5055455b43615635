# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Partitions that send each other what the other reads (`messages.cuh`), as those of several processes do."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import lux
from lux.engine import executor
from lux.engine.gpu.part_launches import OUTCOME
from lux.engine.gpu.part_memory import PartMemory
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.engine.repartition import repartition_loop
from lux_cases.builtin import BreadthFirstSearch, PageRank32, PageRankDeltas, ShortestPathsFloat32, SmallestLabel
from lux_cases.examples import covering
from lux_cases.launches import frontier
from lux_cases.programs import Remainders
from lux_cases.stores import to_array

PATH = Path(__file__).with_name("test_repartition.py")
spec = importlib.util.spec_from_file_location("cuda_test_repartition", PATH)
moves = importlib.util.module_from_spec(spec)
spec.loader.exec_module(moves)


@pytest.fixture(autouse=True)
def packed(monkeypatch):
    monkeypatch.setattr(PartMemory, "packed", property(lambda run: run.placement == "device" and run.parts > 1))


@pytest.fixture(scope="module")
def directed():
    return lux.generate("rmat:9,4", seed=3)


def run(program, graph, parts, limit=50, **values):
    with lux.using(device="gpu", placement="device"):
        return executor.execute(program, graph, values, parts=parts, max_iterations=limit)


def values(found, name):
    return to_array(found.fields[name])


@pytest.mark.parametrize("parts", [2, 3])
def test_all_that_is_read_elsewhere_is_sent(machine, directed, parts):
    """PageRank: |UDS| values in each iteration, and no byte more but for heads and whole words of slots."""
    parameters = {"alpha": 0.85, "stop": 0.0}
    with lux.using(device="cpu"):
        expected = executor.execute(PageRank32, directed, parameters, parts=1, max_iterations=5)
    with machine(parts, blocks=2):
        found = run(PageRank32, directed, parts, 5, **parameters)
    np.testing.assert_allclose(values(found, "rank"), values(expected, "rank"), rtol=2e-5)
    uds = int(directed.layout(parts).vertex_sets(parts).uds.sum())
    assert found.loads.vertices == 5 * uds
    assert found.loads.nbytes == 5 * 4 * uds
    exchanges, heads = 7, 128 * parts * (parts - 1)  # the last launch finds that five iterations are done
    assert 0 <= found.loads.moved - exchanges * (4 * uds + heads) <= exchanges * 4 * parts * (parts - 1)
    given = PartitionedGpuRun(PageRank32, directed, {}, parameters, "auto", 5, parts, placement="device")
    stores = sum(given.slots.box_bytes) + given.exports.counts.sum(axis=1).max() * 4
    assert given.messages_bytes >= stores


@pytest.mark.parametrize("parts, model", [(2, "pull"), (3, "push"), (3, "auto")])
@pytest.mark.parametrize("eager", [4096, 20])
def test_what_changed_is_sent(machine, directed, parts, model, eager):
    with lux.using(device="cpu"):
        expected = lux.run(SmallestLabel, directed, model=model, parts=1)
    with machine(parts, blocks=1, eager=eager), lux.using(device="gpu", placement="device"):
        found = lux.run(SmallestLabel, directed, model=model, parts=parts)
    np.testing.assert_array_equal(found["label"].dense(), expected["label"].dense())
    decided = [[(i.model, i.frontier, i.frontier_edges) for i in r.statistics] for r in (found, expected)]
    assert decided[0] == decided[1]


@pytest.mark.parametrize("parts, eager", [(2, 20), (3, 20), (3, 4096)])
def test_bytes_of_what_changed(machine, parts, eager):
    graph = lux.generate("grid:30x20")
    u, v = graph.to_scipy().nonzero()
    points, labels, changed, sent = graph.layout(parts).points, np.arange(600), np.ones(600, bool), 0
    part = np.searchsorted(points, np.arange(600), "right") - 1
    read = np.unique(np.stack([u, part[v]])[:, part[u] != part[v]], axis=1)[0]  # a vertex for each that reads it
    while changed.any():
        sent += int(changed[read].sum())
        before = labels.copy()
        np.minimum.at(labels, v, before[u])
        changed = labels < before
    with machine(parts, blocks=1, eager=eager):
        found = run(SmallestLabel, graph, parts)
    assert not values(found, "label").any()
    assert found.loads.vertices == sent
    whole = 8 * int(graph.layout(parts).cached("slots [4] True", None).words.sum()) * (found.iterations + 1)
    assert found.loads.moved < 0.8 * whole if eager == 20 else found.loads.moved >= whole


@pytest.mark.parametrize("run, parts", [("labels", 3), pytest.param("vectors", 2, marks=pytest.mark.slow)])
def test_partitions_that_move(machine, run, parts, monkeypatch, random_moves, at_once):
    monkeypatch.setattr(repartition_loop, "LEAST_EDGES", 0)
    with machine(parts, blocks=1, threads=64, eager=20) as m:
        more = moves.SHORTER.get(run, {})
        moves.on_gpus.check_moves(moves.graph(), run, "device", parts, random_moves(parts), monkeypatch, **more)
    assert m.launched.count("lux_resume") >= 3


@pytest.mark.parametrize("program, eager", covering(["vectors", "search", "paths", "deltas"], [4096, 20]))
def test_answers_of_programs(machine, program, eager):
    graph = moves.graph()
    source = int(graph.dense_out_degrees().argmax())
    made, given, limit, names, tolerance = {
        "vectors": (Remainders, {}, 6, ["y"], 0),
        "search": (BreadthFirstSearch, {"source": source}, 50, ["distance", "parent"], 0),
        "paths": (ShortestPathsFloat32, {"source": source, "cutoff": np.inf}, 50, ["distance"], 0),
        "deltas": (PageRankDeltas, {"alpha": 0.85, "stop": 1e-6}, 20, ["rank"], 1e-10),
    }[program]
    with lux.using(device="cpu"):
        expected = executor.execute(made, graph, given, parts=1, max_iterations=limit)
    with machine(3, blocks=1, eager=eager):
        found = run(made, graph, 3, limit, **given)
    assert found.iterations == expected.iterations
    for name in names:
        np.testing.assert_allclose(values(found, name), values(expected, name), rtol=tolerance)


def test_constants_of_the_exchange():
    source = (Path(lux.__file__).parent / "runtime/mapper/gpu_exchange.cc").read_text()
    found = {name: int(value) for name, value in re.findall(r"\b([A-Z_]+)\s*= (\d+)", source)}
    assert (found["STATE_COLUMNS"], found["SENT_WORDS"]) == (frontier.STATE_COLUMNS, frontier.SENT_WORDS)
    at = {name: place // 8 for name, (_, place, *_) in OUTCOME.fields.items()}
    assert (found["FINISHED"], found["FOUND_BY"]) == (at["finished"], at["found_by"])
