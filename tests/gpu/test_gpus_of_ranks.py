# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Two processes with one or two GPUs each (the same ones, where there are no others) answer as one process does."""

import sys

import numpy as np
import pytest

from legate_config import Machine
from lux_cases.processes import TWO, start

pytestmark = [pytest.mark.gpu, pytest.mark.multirank]

FACTORS = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux import runtime
from lux.algorithms.factorization import verify

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
                assert found.device == "gpu" and found.parts == runtime.gpus(), (found.device, found.parts)
                case = f"{name} {method} {np.dtype(dtype).name}"
                answers[case] = found.factors.dense()
                answers[f"{case} errors"] = np.array([s.objective for s in found.sweeps])
                if runtime.ranks() == 1:
                    verify(found)
np.savez(Path(sys.argv[1]) / f"{runtime.rank()}-of-{runtime.ranks()}.npz", **answers)
"""

PROGRAMS = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux import runtime

graph = lux.generate("kronecker:11", weights=(1, 9)).reordered("degree")
root = int(graph.out_degrees().argmax())
answers = {}
for placement in ("device", "zero-copy"):
    with lux.using(device="gpu", placement=placement):
        found = {
            "pagerank pull": lux.pagerank(graph, tol=0, max_iter=9, model="pull").ranks,
            "pagerank push": lux.pagerank(graph, tol=0, max_iter=9, model="push").ranks,
            "components": lux.components(graph).labels,
            "bfs": lux.bfs(graph, root).distances,
            "sssp": lux.sssp(graph, root).distances,
        }
        run = lux.pagerank(graph, tol=0, max_iter=2)
        assert run.device == "gpu" and run.parts == runtime.gpus(), (run.device, run.parts)
    answers |= {f"{name} {placement}": values.dense() for name, values in found.items()}
np.savez(Path(sys.argv[1]) / f"{runtime.rank()}-of-{runtime.ranks()}.npz", **answers)
"""


def answers(folder, program, bind, gpus):
    """What one process with a GPU says, and each of two processes with so many: name, values and values."""
    memory = ["--sysmem", "1000", "--fbmem", "1000", "--zcmem", "64"]
    one = {"LEGATE_CONFIG": " ".join([*memory, "--cpus", "1", "--gpus", "1"])}
    two = (*TWO, "--gpu-bind", bind, "--gpus", str(gpus), *memory)
    for command, config in (((sys.executable,), one), (two, {})):
        done = start(folder, program, command, folder, timeout=80, **config)
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
