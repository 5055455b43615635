# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Two processes with one or two GPUs each (the same ones, where there are no others) answer as one process does."""

import sys

import numpy as np
import pytest

from legate_config import Machine
from lux_cases.processes import RANDOM_MOVES, TWO, start

pytestmark = [pytest.mark.gpu, pytest.mark.multirank]

FACTORS = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux_cases.builtin import verify
from lux_cases.machine import gpus, rank, ranks

rng = np.random.default_rng(5)
pairs = np.unique(rng.integers(0, 900, 9000) * 60 + (60 * rng.random(9000) ** 4).astype(int))
values = np.clip(np.round(3 + rng.normal(size=len(pairs))), 1, 5)
given = lux.from_edges(pairs // 60, pairs % 60, weight=values, bipartite=True)
u, v = 2 * rng.integers(0, 200, 3000), 2 * rng.integers(0, 90, 3000) + 1
mixed = lux.from_edges(u, v, weight=rng.integers(1, 6, 3000), directed=True, n_vertices=450)
answers = {}
with lux.using(device="gpu"):
    for name, graph in (("given", given), ("mixed", mixed)):
        for method in ("als", "gd"):
            for dtype in (np.float32, np.float64):
                found = lux.factorize(graph, 6, method=method, dtype=dtype, max_iter=5, tol=0)
                assert found.device == "gpu" and found.parts == gpus(), (found.device, found.parts)
                case = f"{name} {method} {np.dtype(dtype).name}"
                answers[case] = found.factors.dense()
                answers[f"{case} errors"] = np.array([s.objective for s in found.sweeps])
                if ranks() == 1:
                    verify(found)
np.savez(Path(sys.argv[1]) / f"{rank()}-of-{ranks()}.npz", **answers)
"""

MOVES = """
from lux.engine.gpu import messages
from lux.engine.repartition import repartition_loop as loop
from lux_cases.builtin import PageRank, SmallestLabel
from lux_cases.machine import rank, ranks

assert ranks() == 2
loop.Repartitioner, loop.LEAST_GAIN, loop.LOOKS = RandomMoves, -1.0, 2
messages.LOOKED_FROM, messages.LEAST = 0, 1
u = np.concatenate([np.arange(199), np.random.default_rng(1).integers(0, 199, 400)])
graph = lux.from_edges(u, u + 1, n_vertices=200)
answers = {}
for case in ("off", "forced"):
    for placement in ("device", "zero-copy"):
        for parts in (2, 4):
            with lux.using(device="gpu", placement=placement, repartition="off" if case == "off" else "global"):
                scores = lux.run(PageRank, graph, parts=parts, max_iter=30, alpha=0.85, stop=0.0)
                runs = {m: lux.run(SmallestLabel, graph, parts=parts, max_iter=30, model=m) for m in ("pull", "push")}
            columns = {f"labels {model}": run["label"].dense() for model, run in runs.items()}
            columns["ranks"] = scores["rank"].dense()
            for run in (scores, *runs.values()):
                assert (run.device, run.parts, len(run.statistics)) == ("gpu", parts, run.iterations)
                moves = sum(d.phase != "none" for d in run.repartitions)
                assert moves >= 3 if case == "forced" else moves == 0, moves
            answers |= {f"{case} {placement} {parts} {name}": values for name, values in columns.items()}
answers["seen"] = np.concatenate(seen)
np.savez(folder / f"{rank()}.npz", **answers)
"""

PROGRAMS = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux.engine import executor
from lux.engine.gpu import messages
from lux_cases import machine
from lux_cases.builtin import PageRank32, SmallestLabel
from lux_cases.programs import Remainders


graph = lux.generate("kronecker:11", weights=(1, 9)).reordered("degree")
root = int(graph.dense_out_degrees().argmax())
ranks, parts = machine.ranks(), machine.gpus()
answers, moved = {}, {}
looked_from, messages.LEAST = messages.LOOKED_FROM, 1
for case in ("device", "device, looking", "zero-copy"):
    placement, _, looks = case.partition(", ")
    messages.LOOKED_FROM = 0 if looks else looked_from
    with lux.using(device="gpu", placement=placement, repartition="off"):
        found = {
            "pagerank pull": lux.pagerank(graph, tol=0, max_iter=9, model="pull").ranks,
            "pagerank push": lux.pagerank(graph, tol=0, max_iter=9, model="push").ranks,
            "components": lux.components(graph).labels,
            "bfs": lux.bfs(graph, root).distances,
            "sssp": lux.sssp(graph, root).distances,
            "vectors": lux.run(Remainders, graph, max_iter=7)["y"],
        }
        run = lux.pagerank(graph, tol=0, max_iter=2)
        assert run.device == "gpu" and run.parts == parts, (run.device, run.parts)
        runs = {
            "ranks": executor.execute(PageRank32, graph, {"alpha": 0.85, "stop": 0.0}, parts=parts, max_iterations=5),
            "labels": executor.execute(SmallestLabel, graph, {}, parts=parts),
        }
    answers |= {f"{name} {case}": values.dense() for name, values in found.items()}
    if ranks > 1 and placement == "device":
        mine = machine.nodes_of(parts, ranks) == machine.rank()
        uds = int(graph.layout(parts).vertex_sets(parts).uds[mine].sum())
        loads = runs["ranks"].loads
        assert (loads.vertices, loads.nbytes) == (5 * uds, 5 * 4 * uds), (loads, uds)
        launches, slots = 6, mine.sum() * (parts - 1)
        assert 0 <= loads.moved - launches * 4 * uds <= launches * 4 * slots, (loads, uds)
        moved[looks] = runs["labels"].loads
if moved:
    assert moved[""].vertices == moved["looking"].vertices and moved[""].moved > moved["looking"].moved, moved
np.savez(Path(sys.argv[1]) / f"{machine.rank()}-of-{machine.ranks()}.npz", **answers)
"""


MEMORY = ("--sysmem", "1000", "--fbmem", "1000", "--zcmem", "64")


def answers(folder, program, bind, gpus):
    """What one process with a GPU says, and each of two processes with so many: name, values and values."""
    one = {"LEGATE_CONFIG": " ".join([*MEMORY, "--cpus", "1", "--gpus", "1"])}
    two = (*TWO, "--gpu-bind", bind, "--gpus", str(gpus), *MEMORY)
    for command, config in (((sys.executable,), one), (two, {})):
        done = start(folder, program, command, folder, timeout=150, **config)
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    expected = dict(np.load(folder / "0-of-1.npz"))
    for rank in (0, 1):
        found = dict(np.load(folder / f"{rank}-of-2.npz"))
        assert found.keys() == expected.keys()
        for name, values in expected.items():
            yield name, values, found[name]


def test_factorizations(tmp_path):
    """Factors are the same bit for bit, errors but for the order of sums."""
    bind = "0/1" if len(Machine.detect().gpus) > 1 else "0/0"
    for name, values, found in answers(tmp_path, FACTORS, bind, 1):
        if name.endswith("errors"):
            np.testing.assert_allclose(found, values, rtol=1e-5, err_msg=name)
        else:
            np.testing.assert_array_equal(found, values, err_msg=name)


@pytest.mark.parametrize("each", [1, 2])
def test_programs(tmp_path, each):
    gpus = len(Machine.detect().gpus)
    if gpus < each:
        pytest.skip("needs two GPUs")
    first, second = (",".join(str(k % gpus) for k in range(rank * each, rank * each + each)) for rank in (0, 1))
    for name, values, found in answers(tmp_path, PROGRAMS, f"{first}/{second}", each):
        if name.startswith("pagerank"):
            np.testing.assert_allclose(found, values, rtol=1e-12, err_msg=name)
        else:
            np.testing.assert_array_equal(found, values, err_msg=name)


def test_partitions_move_between_processes(tmp_path):
    """All ranks see the same seconds, so all move alike, and no move changes an answer."""
    bind = "0/1" if len(Machine.detect().gpus) > 1 else "0/0"
    two = (*TWO, "--gpu-bind", bind, "--gpus", "1", *MEMORY)
    done = start(tmp_path, RANDOM_MOVES + MOVES, two, tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    ranks = [dict(np.load(tmp_path / f"{rank}.npz")) for rank in (0, 1)]
    for name, values in ranks[0].items():
        np.testing.assert_array_equal(ranks[1][name], values, err_msg=name)
        if name.startswith("off"):
            moved = ranks[0][name.replace("off", "forced")]
            np.testing.assert_allclose(moved, values, rtol=1e-11 if values.dtype.kind == "f" else 0, err_msg=name)
