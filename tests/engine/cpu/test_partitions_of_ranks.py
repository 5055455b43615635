# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs on the partitions of several processes: what they exchange, and the answers of one process."""

import numpy as np
import pytest

import lux
from lux_cases.processes import SMALL_TWO, start_ranks
from lux_cases.programs import Small

ANSWERS = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux_cases import programs
from lux_cases.builtin import BreadthFirstSearch, PageRankDeltas, SmallestLabel
from lux_cases.machine import rank

KEY, PARTS = sys.argv[2], [int(n) for n in sys.argv[3].split()]
weights = (1, 200)
graphs = {
    # Some iterations fit the first round of messages, some need the second, as a list or as a bitmap.
    "grid": lux.generate("grid:20x50", seed=1, weights=weights),
    "skewed": lux.generate("kronecker:9", seed=2, weights=weights),
    # All edges within a half, or between the halves.
    "apart": lux.from_edges([0, 1, 3, 4], [1, 0, 4, 3], [1, 2, 3, 4], n_vertices=6),
    "across": lux.from_edges(np.arange(300), np.arange(300)[::-1] + 300, np.arange(300) + 1, directed=False),
    "short": lux.from_edges([0, 1], [1, 0], [1, 2], n_vertices=7),
}
height = np.linspace(0, 1, 4096, dtype=np.float32)
cases = {
    programs.Own: {"step": 0.5}, programs.Small: {"constants": {"height": height}}, programs.Vectors: {},
    programs.Remainders: {}, programs.Wide: {"source": 3}, programs.Spreading: {}, programs.Peel: {"k": 3},
    SmallestLabel: {}, PageRankDeltas: {"alpha": 0.85, "stop": 1e-6},
}
answers = {}
for name, graph in graphs.items():
    for program, given in cases.items():
        n = graph.n_vertices
        given = dict(given)
        if "source" in given:
            given["source"] = min(given["source"], n - 1)
        if "constants" in given:
            given["constants"] = {"height": height[:n]}
        for parts in (p for p in PARTS if p <= n):
            for model in ("pull", "push") if program.spec.frontier else ("pull",):
                run = lux.run(program, graph, parts=parts, model=model, max_iter=60, **given)
                key = f"{name} {program.__name__} {parts if KEY == 'parts' else ''} {model}"
                columns = {c: run[c].dense() for c in run.columns}
                columns["iterations"] = np.array([run.iterations, run.converged])
                columns["frontier"] = np.array([(s.frontier, s.frontier_edges) for s in run.statistics])
                answers |= {f"{key} {column}": values for column, values in columns.items()}
np.savez(Path(sys.argv[1]) / f"{KEY}{rank()}.npz", **answers)
"""


@pytest.mark.multirank
def test_answers_are_those_of_one_process(tmp_path):
    alone = start_ranks(tmp_path, ANSWERS, ("python",), tmp_path, "one", "1")
    assert (alone.returncode, alone.stderr) == (0, ""), alone.stderr[-3000:]
    expected = dict(np.load(tmp_path / "one0.npz"))
    both = start_ranks(tmp_path, ANSWERS, SMALL_TWO, tmp_path, "parts", "2 5")
    assert (both.returncode, both.stderr) == (0, ""), both.stderr[-3000:]
    found = [dict(np.load(tmp_path / f"parts{rank}.npz")) for rank in (0, 1)]
    assert len(found[0]) > 200
    for name, values in found[0].items():
        np.testing.assert_array_equal(found[1][name], values, err_msg=name)
        graph, program, _, model, column = name.split()
        wanted = expected[f"{graph} {program}  {model} {column}"]
        tolerance = 0 if values.dtype.kind != "f" else 2e-5 if values.dtype == np.float32 else 1e-10
        np.testing.assert_allclose(values, wanted, rtol=tolerance, atol=1e-3 * tolerance, err_msg=name)


def test_values_of_the_user_stay_when_their_array_changes():
    """Constants are taken when a run begins, also by partitions."""
    given = np.linspace(0, 1, 64, dtype=np.float32)
    graph = lux.generate("uniform:6,4", seed=1)
    expected = lux.run(Small, graph, constants={"height": given}, parts=1, max_iter=9)
    found = lux.run(Small, graph, constants={"height": given}, parts=3, max_iter=9)
    given[:] = -1
    np.testing.assert_array_equal(found["seen"].dense(), expected["seen"].dense())
