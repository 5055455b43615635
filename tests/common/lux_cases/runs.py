# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs with their arguments, and how far answers may be apart."""

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np

from lux_cases import programs
from lux_cases.builtin import (
    BreadthFirstSearch,
    PageRank,
    PageRank32,
    PageRankDeltas,
    ShortestPathsFloat32,
    SmallestLabel,
)


class Case(NamedTuple):
    """A program, what `lux.run` is given for it, and how far float64 may be off, relative and for each iteration."""

    program: Any
    arguments: dict[str, Any]
    double: float = 1e-12

    @property
    def values(self):
        """The arguments that are the program's parameters."""
        return {name: value for name, value in self.arguments.items() if name != "max_iter"}


RANKS = {"max_iter": 7, "alpha": 0.85, "stop": 0.0}
DENSE = {
    "ranks": Case(PageRank, RANKS),
    "ranks in float32": Case(PageRank32, RANKS),
    "combination": Case(programs.Own, {"max_iter": 3, "step": 0.25}),
    "vectors": Case(programs.Vectors, {"max_iter": 3}, 1e-10),
}
EXACT = {
    "labels": Case(SmallestLabel, {}),
    "search": Case(BreadthFirstSearch, {"source": 1}),
    "paths": Case(ShortestPathsFloat32, {"source": 1, "cutoff": np.inf}),
    "pairs": Case(programs.Wide, {"source": 1}),
    "word": Case(programs.Narrow, {"source": 1}),
    "early": Case(programs.Reached, {"source": 1}),
}
"""Their frontiers do not depend on the order of sums."""
SUMS = {
    "deltas": Case(PageRankDeltas, RANKS | {"stop": 1e-6}, 1e-9),
    "sums": Case(programs.Spreading, {"max_iter": 5}),
}
"""With frontiers that do."""
RUNS = DENSE | EXACT | SUMS


def decisions(result):
    """The model and the frontier of each iteration."""
    return [(i.model, i.frontier, i.frontier_edges) for i in result.statistics]


def agree(cpu, gpu, single=1e-5, double=1e-12):
    """Two results of `lux.run` are equal: floats relative, within ``single`` or ``double`` for each iteration."""
    assert gpu.iterations == cpu.iterations
    assert gpu.converged == cpu.converged
    for name in cpu.columns:
        a, b = cpu[name].dense(), gpu[name].dense()
        if a.dtype.kind == "f":
            slack = (double if a.dtype == np.float64 else single) * (1 + cpu.iterations)
            np.testing.assert_allclose(b, a, rtol=slack, atol=slack * 1e-3)
        else:
            np.testing.assert_array_equal(b, a)


def with_little_memory(device):
    """PageRank in a process of its own, whose GPU is given less than half of what the edges take.

    Returns the device and the reason of the first iteration, and whether ranks are those of CPU cores.
    """
    code = f"""
import lux
g = lux.generate("kronecker:20", seed=1)
with lux.using(device="{device}"):
    found = lux.pagerank(g, tol=0, max_iter=10, dtype="float32")
print(found.device, found.statistics[0].why)
with lux.using(device="cpu"):
    expected = lux.pagerank(g, tol=0, max_iter=10, dtype="float32")
print(abs(found.ranks.to_numpy() / expected.ranks.to_numpy() - 1).max() < 1e-5)
"""
    environment = os.environ | {"LEGATE_CONFIG": "--gpus 1 --cpus 2 --fbmem 100 --zcmem 256 --sysmem 4000"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    where, close = run.stdout.strip().splitlines()
    return *where.split(" ", 1), close == "True"
