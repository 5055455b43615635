# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Published searches of two processes find what those of one process find."""

import sys

import numpy as np
import pytest

from lux_cases.processes import SMALL_TWO, start_ranks

pytestmark = pytest.mark.multirank

PUBLISHED = """
import lux
from lux.algorithms.bfs import published
from lux.algorithms.bfs.bfs import verify
from lux_cases.stores import recorded

cases = {
    "kronecker": (lux.generate("kronecker:12,8", seed=2), (1, 2, 4)),
    "by degree": (lux.generate("rmat:9,4", seed=3).reordered("degree"), (3,)),
    "directed": (lux.generate("rmat:9,4", seed=3), (6,)),
    "grid": (lux.toy.grid(4, 20), (2,)),
}
for name, (graph, parts_of) in cases.items():
    source = int(graph.dense_out_degrees().argmax())
    given = graph
    for strategy in published.BY_NAME:
        graph = given.symmetrized() if published.BY_NAME[strategy].undirected else given
        expected = lux.bfs(graph, source)
        for parts in parts_of:
            found = lux.bfs(graph, source, strategy=strategy, parts=parts)
            case = name, strategy, parts
            assert (found.distances.dense() == expected.distances.dense()).all(), case
            assert found.iterations == expected.iterations, case
            assert (sum(i.exchanged for i in found.statistics) > 0) == (parts > 1), case
            verify(found)
path = lux.toy.path(40).symmetrized()
for strategy in published.BY_NAME:
    lux.bfs(path, 0, strategy=strategy, parts=2)
    with recorded() as launches:
        found = lux.bfs(path, 0, strategy=strategy, parts=2)
    assert len(launches) < found.iterations == 40, (strategy, [launch.task for launch in launches])
"""


def test_engines_of_breadth_first_search(tmp_path):
    done = start_ranks(tmp_path, PUBLISHED, SMALL_TWO)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]


PIECES = """
import lux
from lux.algorithms.bfs.distributed.grid import hybrid
from lux.algorithms.bfs.distributed.grid.hybrid import Options
from lux_cases.searches import check_search

graph = lux.generate("kronecker:12,8", seed=2)
for parts in (1, 2, 3, 6, 12):
    exchanged = set()
    for pieces, both_ways in ((1, False), (2, False), (4, False), (4, True)):
        run = hybrid.search(graph, 3, 99, parts, None, options=Options(pieces, both_ways))
        check_search(run, graph, 3)
        if not both_ways:
            exchanged.add(tuple(level.exchanged for level in run.statistics))
    assert len(exchanged) == 1, (parts, exchanged)
"""


def test_bitmaps_go_round_in_pieces(tmp_path):
    done = start_ranks(tmp_path, PIECES, SMALL_TWO)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]


SEPARATED = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux.algorithms.bfs import bfs
from lux.algorithms.bfs.distributed.degree_separated import degree_separated
from lux.algorithms.bfs.distributed.degree_separated.degree_separated import Options
from lux_cases.launches import Launcher
from lux_cases.machine import rank, ranks
from lux_cases.stores import from_array, new_store, to_array


def fold(point, _numbers, mask):
    mask[point::3] |= np.uint64(1) << np.uint64(point)


mask = new_store(np.uint64, 100, fill=0)
Launcher(fold, inputs={"numbers": None}, reductions={"OR": {"mask": None}})(
    4, numbers=from_array(np.zeros(1)), mask=mask
)
answers = {"mask": to_array(mask)}
graph = lux.generate("kronecker:9,8", seed=1)
ways = [Options(), Options(uniquify=False), Options(local_all_to_all=True), Options(blocking_reduction=True)]
for name, asked in {"given": graph, "degree": graph.reordered("degree")}.items():
    for parts in (1, 4):
        found = lux.bfs(asked, 3, strategy="degree-separated", parts=parts)
        bfs.verify(found)
        answers[f"{name} {parts} distances"] = found.distances.dense()
        for threshold in (8, 10**6):
            for options in ways if parts > 1 else ways[:1]:
                run = degree_separated.search(
                    asked, asked.place_of(3), 99, parts, None, threshold=threshold, options=options
                )
                case = f"{name} {parts} {threshold} {options}"
                for field in ("distance", "parent"):
                    answers[f"{case} {field}"] = to_array(run.fields[field])
                    assert len(run.statistics) == run.iterations
                if not options.local_all_to_all:  # its groups are processes
                    answers[f"{case} exchanged"] = np.array([s.exchanged for s in run.statistics])
limited = lux.bfs(graph, 3, strategy="degree-separated", parts=4, max_iter=2)
bfs.verify(limited)
answers["limited"] = limited.distances.dense()
np.savez(Path(sys.argv[1]) / f"{rank()}-of-{ranks()}.npz", **answers)
"""


@pytest.mark.slow
def test_delegates_masks_and_messages_cross_processes(tmp_path):
    for command in ((sys.executable,), SMALL_TWO):
        done = start_ranks(tmp_path, SEPARATED, command, tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]
    one = dict(np.load(tmp_path / "0-of-1.npz"))
    expected = np.zeros(100, np.uint64)
    for point in range(4):
        expected[point::3] |= np.uint64(1) << np.uint64(point)
    assert (one["mask"] == expected).all()
    for rank in (0, 1):
        two = dict(np.load(tmp_path / f"{rank}-of-2.npz"))
        assert two.keys() == one.keys()
        for name, values in one.items():
            if "local_all_to_all=True" not in name or not name.endswith("parent"):
                np.testing.assert_array_equal(two[name], values, err_msg=name)
