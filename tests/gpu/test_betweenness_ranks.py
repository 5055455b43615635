# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness on the GPUs of two processes is that of one process on CPU cores, also between calls on one GPU."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lux
from legate_config import Machine
from lux_cases import processes

pytestmark = [pytest.mark.gpu, pytest.mark.multirank]

TWO = (
    *("legate", "--launcher", "mpirun", "--ranks-per-node", "2", "--gpus", "1", "--gpu-bind", "0/1", "--cpus", "2"),
    *("--sysmem", "1000", "--fbmem", "2000", "--zcmem", "128"),
)
ASKED = """
import sys

import numpy as np

import lux
from lux.algorithms.betweenness import gpu
from lux.errors import WeightError
from lux_cases.machine import rank

gpu.MAX_STATISTICS_ROWS = 3  # several launches
answers = {}
for order in ("given", "degree"):
    graph = lux.generate("rmat:9,12", seed=3, weights=(1, 9)).reordered(order)
    for weight in (None, "weight"):
        for parts in (None, 1, 2):
            with lux.using(device="gpu"):
                found = lux.betweenness(graph, k=9, seed=4, weight=weight, endpoints=True, parts=parts)
            assert (found.device, found.parts) == ("gpu", parts or 2), (found.device, found.parts)
            assert all(step.seconds[0] > 0 for step in found.statistics)
            answers[f"{order} {weight} {parts}"] = found.scores.dense()
            with lux.using(device="gpu"):
                ranks = lux.pagerank(graph, parts=parts, tol=0, max_iter=5).ranks
            answers[f"ranks {order} {weight} {parts}"] = ranks.dense()
lost = lux.from_edges([0, 1, 2], [1, 2, 3], weight=[1e20, 1.0, 1.0])
try:
    lux.betweenness(lost, weight="weight")
except WeightError as error:
    answers["lost"] = np.array([len(str(error))])
np.savez(f"{sys.argv[1]}/{rank()}.npz", **answers)
"""


def test_two_processes(tmp_path):
    if len(Machine.detect().gpus) < 2:
        pytest.skip("each process takes a GPU of its own")
    script = tmp_path / "asked.py"
    script.write_text(ASKED)
    command = [shutil.which(TWO[0]) or str(Path(sys.prefix, "bin", TWO[0])), *TWO[1:], str(script), str(tmp_path)]
    done = subprocess.run(command, env=processes.environment(), capture_output=True, text=True, timeout=80, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    for rank in (0, 1):
        two = dict(np.load(tmp_path / f"{rank}.npz"))
        assert "lost" in two
        for order in ("given", "degree"):
            graph = lux.generate("rmat:9,12", seed=3, weights=(1, 9)).reordered(order)
            for weight in (None, "weight"):
                with lux.using(device="cpu"):
                    expected = lux.betweenness(graph, k=9, seed=4, weight=weight, endpoints=True).scores.dense()
                    ranks = lux.pagerank(graph, tol=0, max_iter=5).ranks.dense()
                for parts in (None, 1, 2):
                    found = two[f"{order} {weight} {parts}"]
                    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)
                    np.testing.assert_allclose(two[f"ranks {order} {weight} {parts}"], ranks, rtol=1e-9)
