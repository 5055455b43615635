# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Several processes factorize as one does, and send one another the factors that their ratings need, and no more."""

import sys

import numpy as np
import pytest

from lux_cases.processes import SMALL_TWO, start, start_ranks

pytestmark = pytest.mark.multirank
THREE = tuple("3" if word == "2" else word for word in SMALL_TWO)

FACTORS = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux_cases.stores import LEFT, RIGHT
from lux.algorithms.factorization.query import FactorizationQuery
from lux.algorithms.factorization.rating_matrix import Problem
from lux_cases.stores import Sides
from lux.errors import ConvergenceError
from lux_cases import machine
from lux_cases.stores import node_points

K, SWEEPS = 3, 4
random = np.random.default_rng(3)
users, items = random.integers(0, 90, 700), random.integers(0, 25, 700) ** 2 // 25
stars = random.integers(1, 6, 700).astype(float)
graph = lux.from_edges(users, items, weight=stars, bipartite=True)
tiny = lux.from_edges([0, 1, 2], [0, 0, 1], weight=[3.0, 4.0, 5.0], bipartite=True)
answers = {}
for method in ("als", "gd"):
    for name, rated in (("graph", graph), ("order", graph.reordered("degree")), ("tiny", tiny)):
        for parts in (1, 2, 3, 5) if rated is tiny else (1, 2, 3, 7):
            told = []
            found = lux.factorize(
                rated, K, method=method, max_iter=SWEEPS if parts == 3 else 12, parts=parts, dtype=np.float64,
                progress=told.append,
            )
            errors = [[step.train_rmse, step.objective] for step in found.statistics]
            answers[f"{method} {name} {parts}"] = found.factors.dense()
            answers[f"{method} {name} {parts} errors"] = np.array(errors)
            answers[f"{method} {name} {parts} best"] = np.array([found.best, found.iterations, found.converged])
            assert told == list(range(1, found.iterations + 1)), told
            assert {len(step.seconds) for step in found.statistics} == {found.parts * found.threads}
try:
    lux.factorize(graph, K, method="gd", learning_rate=1e9, max_iter=50, parts=3)
except ConvergenceError as error:
    answers["diverged"] = np.array([int(str(error).split("iteration ")[1].split(":")[0])])

me, nodes, parts = machine.rank(), machine.ranks(), 7
for method in ("als", "gd") if nodes > 1 else ():
    found = lux.factorize(graph, K, method=method, max_iter=SWEEPS, tol=0, parts=parts, dtype=np.float64)
    problem = Problem(K, 0.1, by_degree=True, dtype=np.dtype(float), seed=1)
    both = graph.symmetrized()
    asked = {"name": "weight", "sides": Sides(graph), "problem": problem, "method": method}
    matrix = FactorizationQuery(graph=both, parts=parts, **asked).matrix(parts)
    side = matrix.shared.sides
    owner = np.zeros(len(side), int)
    for number, layout in zip((LEFT, RIGHT) if method == "als" else (LEFT,), matrix.layouts(method)):
        points, _ = node_points(layout.points, nodes)
        of = np.searchsorted(points, np.arange(len(side)), "right") - 1
        owner = np.where((side == number) | (method == "gd"), of, owner)
    edges = graph.dense_edge_list()
    ends = edges.sources.astype(int), edges.destinations.astype(int)
    u, v = np.concatenate(ends), np.concatenate(ends[::-1])
    rows = sum(len(np.unique(u[(owner[u] == me) & (owner[v] == node)])) for node in range(nodes) if node != me)
    sweeps = SWEEPS + (method == "gd")
    assert found.sent.value_bytes == sweeps * rows * K * 8, (found.sent, rows)
    assert found.sent.exchanges == sweeps * (2 if method == "als" else 1)
    assert rows > 0
np.savez(Path(sys.argv[1]) / f"{me}-of-{nodes}.npz", **answers)
"""


@pytest.mark.parametrize("command", [SMALL_TWO, pytest.param(THREE, marks=pytest.mark.slow)], ids=["two", "three"])
def test_processes_factorize_as_one(tmp_path, command):
    waiting = {"OMPI_MCA_mpi_yield_when_idle": "1"}  # there may be more processes than cores
    alone = start_ranks(tmp_path, FACTORS, (sys.executable,), tmp_path)
    for done in (alone, start(tmp_path, FACTORS, command, tmp_path, **waiting)):
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]
    one = dict(np.load(tmp_path / "0-of-1.npz"))
    assert "diverged" in one
    found = sorted(tmp_path.glob("*-of-[23].npz"))
    assert len(found) == (2 if command is SMALL_TWO else 3)
    for path in found:
        several = dict(np.load(path))
        assert several.keys() == one.keys()
        for name, values in one.items():
            np.testing.assert_allclose(several[name], values, rtol=1e-8, atol=1e-10, err_msg=name)
