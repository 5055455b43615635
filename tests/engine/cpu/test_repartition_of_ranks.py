# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Split points that move between two processes."""

import numpy as np
import pytest

from lux_cases.processes import RANDOM_MOVES, SMALL_TWO, start_ranks

pytestmark = pytest.mark.multirank

MOVES = """
from lux.engine.cpu import partitioned_run
from lux_cases.sizes import always_by_blocks

partitioned_run.FIRST_ITERATIONS = 1
always_by_blocks()
balancer = partitioned_run.Repartitioner
u = np.concatenate([np.arange(199), np.random.default_rng(1).integers(0, 199, 400)])
graph = lux.from_edges(u, u + 1, np.arange(599, dtype=np.int32) % 7 + 1, n_vertices=200)
answers = {}
for case in ("off", "forced"):
    partitioned_run.Repartitioner = RandomMoves
    with lux.using(repartition="off" if case == "off" else "global"):
        for parts in (2, 5):
            runs = {model: lux.bfs(graph, 0, parts=parts, model=model, max_iter=30) for model in ("pull", "push")}
            columns = {f"bfs {model}": run.distances.dense() for model, run in runs.items()}
            runs["rows"] = lux.pagerank(graph, tol=0, max_iter=12, parts=parts)
            runs["blocks"] = lux.pagerank(graph, tol=0, max_iter=25, parts=parts, weight=None)
            columns |= {name: runs[name].ranks.dense() for name in ("rows", "blocks")}
            runs["labels"] = lux.run(SmallestLabel, graph, parts=parts, max_iter=30)
            columns["labels"] = runs["labels"]["label"].dense()
            moves = [sum(d.phase != "none" for d in run.repartitions) for run in runs.values()]
            assert min(moves) >= 3 if case == "forced" else max(moves) == 0, moves
            answers |= {f"{case} {parts} {name}": values for name, values in columns.items()}
answers["seen"] = np.concatenate(seen)
np.savez(folder / f"{rank()}.npz", **answers)

# With the real decisions, on partitions of which one has nearly all the work.
partitioned_run.Repartitioner = balancer
uneven = lux.generate("uniform:14,16", seed=1)
uneven.layout(4).points = np.array([0, 13000, 15000, 16000, uneven.n_vertices])
decisions = lux.pagerank(uneven, tol=0, max_iter=2000, parts=4).repartitions  # enough to pay for a move
assert decisions[0].phase == "global", decisions[0]
assert abs(decisions[0].after[2] - 8192) < 3000, decisions[0]
"""


def test_partitions_move_between_processes(tmp_path):
    """All ranks see the same seconds, so all move alike."""
    done = start_ranks(tmp_path, RANDOM_MOVES + MOVES, SMALL_TWO, tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]
    ranks = [dict(np.load(tmp_path / f"{rank}.npz")) for rank in (0, 1)]
    for name, values in ranks[0].items():
        np.testing.assert_array_equal(ranks[1][name], values, err_msg=name)
        if name.startswith("off"):
            moved = ranks[0][name.replace("off", "forced")]
            np.testing.assert_allclose(moved, values, rtol=2e-11 if values.dtype.kind == "f" else 0, atol=0)
