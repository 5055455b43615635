# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Memory that calls and dropped graphs leave behind; ``python -m benchmarks.soak`` measures thousands of calls."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPEATED = """
import numpy as np

import lux
from benchmarks.soak import allocated, resident

rng = np.random.default_rng(1)
graph = lux.generate("kronecker:8")
weighted = lux.from_edges(*graph.edge_arrays(), weight=np.ones(len(graph.edge_arrays()[0])))


def drop_another_graph():
    made = lux.from_edges(*rng.integers(0, 256, (2, 2000)), n_vertices=256)
    made.out_degrees()


calls = {
    "a dropped graph": drop_another_graph,
    "a dropped graph of another size": lambda: lux.generate("kronecker:12", seed=int(rng.integers(1 << 30))),
    "bfs on partitions": lambda: lux.bfs(graph, 1, parts=3),
    "pagerank of weights": lambda: lux.pagerank(weighted),
    "pagerank with a personalization": lambda: lux.pagerank(graph, personalization={1: 1.0}),
    "one value": lambda: found.distances[int(rng.integers(256))],
}
found = lux.bfs(graph, 1)
for name, call in calls.items():
    for _ in range(20):
        call()
    before = allocated(), resident()
    for _ in range(60):
        call()
    print(name, allocated() - before[0], resident() - before[1], sep=":")
"""


@pytest.mark.parametrize("cores", [2])
def test_calls_and_dropped_graphs_leave_nothing_behind(tmp_path, cores):
    """Of what Legate never gives back, 60 calls would leave 0.6 to 16 MiB."""
    path, root = tmp_path / "repeated.py", str(Path(__file__).parents[2])
    path.write_text(REPEATED)
    environment = os.environ | {"LEGATE_CONFIG": f"--cpus {cores} --sysmem 300", "PYTHONPATH": root}
    done = subprocess.run(
        [sys.executable, path], env=environment, timeout=200, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    left = {name: (float(mib), float(grown)) for name, mib, grown in (s.split(":") for s in done.stdout.splitlines())}
    assert len(left) == 6
    assert {name: mib for name, (mib, _) in left.items() if mib > 0.3} == {}
    assert {name: grown for name, (_, grown) in left.items() if grown > 2} == {}
