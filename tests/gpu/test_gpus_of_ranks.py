# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Two processes with one or two GPUs each answer as one process does."""

import sys

import numpy as np
import pytest

from legate_config import Machine
from lux_cases.processes import PROGRAM_ANSWERS, RANDOM_MOVES, TWO, assert_same_answers, start

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
from lux.engine.repartition import repartition_loop as loop
from lux_cases.builtin import PageRank, SmallestLabel
from lux_cases.machine import rank, ranks

assert ranks() == 2
loop.Repartitioner, loop.LEAST_GAIN, loop.LOOKS, loop.LEAST_EDGES = RandomMoves, -1.0, 2, 0
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
from lux_cases import machine
from lux_cases.builtin import PageRank32, SmallestLabel
from lux_cases.programs import Remainders


graphs = {
    "small": lux.generate("kronecker:11", weights=(1, 9)),
    "large": lux.generate("kronecker:17", weights=(1, 9)),  # messages need a second round
    "star": lux.from_edges([1, 2, 3], [0, 0, 0], weight=np.array([1, 2, 3])),
    "path": lux.generate("grid:16x1", weights=(1, 9)),
    "grid": lux.generate("grid:300x40", weights=(1, 9)),
}
ranks, parts = machine.ranks(), machine.gpus()
answers = {}
for case in ("small device", "small zero-copy", *(f"{name} device" for name in list(graphs)[1:])):
    name, placement = case.split()
    graph = graphs[name].reordered("degree")
    root = int(graph.dense_out_degrees().argmax())
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
        assert run.device == "gpu" and run.parts == min(parts, graph.n_vertices), (run.device, run.parts)
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
        exchanges, slots = 7, mine.sum() * (parts - 1)
        assert 0 <= loads.moved - exchanges * (4 * uds + 128 * slots) <= exchanges * 4 * slots, (loads, uds)
        if name == "large":
            assert runs["labels"].loads.moved < 0.8 * runs["labels"].iterations * 4 * uds, (runs["labels"].loads, uds)
np.savez(Path(sys.argv[1]) / f"{machine.rank()}-of-{machine.ranks()}.npz", **answers)
"""

SEARCHES = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux_cases import machine
from lux_cases.searches import made

named = [(name, "given") for name in ("kronecker", "directed", "grid", "star", "path", "loops and isolated")]
answers = {}
for name, order in (*named, ("kronecker", "degree"), ("directed", "degree")):
    graph = made(name, order)
    for strategy in ("gpus", "hybrid", "two-dimensional", "degree-separated"):
        if strategy == "degree-separated" and graph.directed:
            continue
        for source in (0, graph.n_vertices // 2, 0):
            with lux.using(device="gpu"):
                one = strategy == "gpus" and machine.gpus() == 1
                found = lux.bfs(graph, source, strategy="auto" if one else strategy)
            assert found.device == "gpu" and found.parts == machine.gpus(), (found.device, found.parts)
            case = f"{name} {order} {strategy} {source}"
            assert machine.ranks() == 1 or found.strategy == strategy, (case, found.strategy)
            answers[f"{case} distances"] = distances = found.distances.dense()
            answers[f"{case} levels"] = np.array([found.iterations, found.converged])
            parents, there = found.parents.dense(), distances > 0
            assert ((parents >= 0) == (distances >= 0)).all(), case
            assert (distances[parents[there]] == distances[there] - 1).all(), case
            assert graph.has_edges(parents[there], np.flatnonzero(there)).all(), case
np.savez(Path(sys.argv[1]) / f"{machine.rank()}-of-{machine.ranks()}.npz", **answers)
"""

PATHS = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux_cases import machine
from lux_cases.builtin import verify
from lux_cases.searches import weighted

answers = {}
for name in ("kronecker", "directed", "grid", "star", "path", "loops and isolated"):
    for order in ("given", "degree"):
        for kind in (np.float32, np.int32):
            graph = weighted(name, order, kind)
            for source in (0, graph.n_vertices // 2, 0):
                for cutoff in (None, 40):
                    with lux.using(device="gpu"):
                        found = lux.sssp(graph, source, cutoff=cutoff)
                    one = machine.gpus() == 1
                    assert (found.strategy, found.parts) == ("gpu" if one else "gpus", machine.gpus()), found.strategy
                    verify(found)
                    case = f"{name} {order} {np.dtype(kind).name} {source} {cutoff}"
                    answers[f"{case} paths"] = found.distances.dense()
        with lux.using(device="gpu"):
            found = lux.components(graph)
        assert (found.strategy, found.parts) == ("gpu" if one else "gpus", machine.gpus()), found.strategy
        verify(found)
        answers[f"{name} {order} components"] = found.labels.dense()
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
    if len(Machine.detect().gpus) < 2 * each:
        pytest.skip(f"needs {2 * each} GPUs: NCCL takes each once")
    first, second = (",".join(str(k) for k in range(rank * each, rank * each + each)) for rank in (0, 1))
    for name, values, found in answers(tmp_path, PROGRAMS, f"{first}/{second}", each):
        if name.startswith("pagerank"):
            np.testing.assert_allclose(found, values, rtol=1e-12, err_msg=name)
        else:
            np.testing.assert_array_equal(found, values, err_msg=name)


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("program", [SEARCHES, PATHS], ids=["searches", "paths and components"])
def test_searches(tmp_path, program, each):
    """Kernels read and write the memory of GPUs of other processes: the answers are those of one GPU."""
    if len(Machine.detect().gpus) < 2 * each:
        pytest.skip(f"needs {2 * each} GPUs: processes do not share one")
    first, second = (",".join(str(k) for k in range(rank * each, rank * each + each)) for rank in (0, 1))
    for name, values, found in answers(tmp_path, program, f"{first}/{second}", each):
        np.testing.assert_array_equal(found, values, err_msg=name)


def test_answers_of_programs(tmp_path):
    """Programs of all kinds, with two and with more partitions on each GPU, have the answers of one process."""
    if len(Machine.detect().gpus) < 2:
        pytest.skip("needs two GPUs: NCCL takes each once")
    one = {"LEGATE_CONFIG": " ".join([*MEMORY, "--cpus", "1", "--gpus", "1"])}
    two, settings = (*TWO, "--gpu-bind", "0/1", "--gpus", "1", *MEMORY), ("device=gpu", "placement=device")
    for command, config, given in (((sys.executable,), one, ("one", "1")), (two, {}, ("parts", "2 5"))):
        done = start(tmp_path, PROGRAM_ANSWERS, command, tmp_path, *given, *settings, timeout=150, **config)
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert_same_answers(tmp_path)


def test_partitions_move_between_processes(tmp_path):
    """All ranks see the same seconds, so all move alike, and no move changes an answer."""
    if len(Machine.detect().gpus) < 2:
        pytest.skip("needs two GPUs: NCCL takes each once")
    two = (*TWO, "--gpu-bind", "0/1", "--gpus", "1", *MEMORY)
    done = start(tmp_path, RANDOM_MOVES + MOVES, two, tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    ranks = [dict(np.load(tmp_path / f"{rank}.npz")) for rank in (0, 1)]
    for name, values in ranks[0].items():
        np.testing.assert_array_equal(ranks[1][name], values, err_msg=name)
        if name.startswith("off"):
            moved = ranks[0][name.replace("off", "forced")]
            np.testing.assert_allclose(moved, values, rtol=1e-11 if values.dtype.kind == "f" else 0, err_msg=name)
