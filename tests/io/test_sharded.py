# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges of which every process has its own share make the graph that one process makes of all of them."""

import sys

import numpy as np
import pytest

import lux
from lux.errors import GraphError, ParameterError
from lux_cases.processes import SMALL_TWO, start_ranks

PROGRAM = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux.errors import LuxError
from lux_cases import machine
from lux_cases.edges import keep

rank, ranks, folder = machine.rank(), machine.ranks(), Path(sys.argv[1])
rng = np.random.default_rng(1)
u, v, w = rng.integers(0, 90, (3, 500))
kinds = {
    "from 0": lambda ids: ids,
    "gaps": lambda ids: 3 * ids - 7,
    "32 bits": lambda ids: (2 * ids).astype(np.int32),
    "wide": lambda ids: ids * 10_000_000_019 - 5,
    "64 bits": lambda ids: ids.astype(np.uint64) + np.uint64(2**63 - 40),
    "strings": lambda ids: np.array([f"é{number}" for number in ids.tolist()], object),
}
answers = {}


def own(values, first):
    'The slice of this process: those of the first end at ``first``.'
    if ranks == 1:
        return values
    return values[:first] if rank == 0 else values[first:]


for kind, ids in kinds.items():
    for first in (0, 200, 500):
        for options in ({}, {"bipartite": True}, {"directed": False, "drop_repeats": True}, {"drop_loops": True}):
            columns = [own(ids(u), first), own(ids(v), first)]
            given = {"weight": own(w, first), "half": own(w, first) / 2}
            keep(answers, f"{kind} {first} {options}", lux.from_edges(*columns, **given, **options, sharded=True))
keep(answers, "counted", lux.from_edges(own(u, 300), own(v, 300), n_vertices=100, sharded=True))
keep(answers, "no edges", lux.from_edges([], [], n_vertices=3, sharded=True))
keep(answers, "one vertex", lux.from_edges(own(u, 300) * 0, own(v, 300) * 0, weight=own(w, 300), sharded=True))
keep(answers, "one vertex here", lux.from_edges(own(u, 0) * 0, own(v, 0) * 0, weight=own(w, 0), sharded=True))
types = np.int32 if rank == 0 and ranks > 1 else np.int64
keep(answers, "types", lux.from_edges(own(u, 300), own(v, 300), weight=own(w, 300).astype(types), sharded=True))
np.savez(folder / f"{rank}-of-{ranks}.npz", **answers)
if ranks == 1:
    sys.exit()
ends = [[1], [2]] if rank == 0 else [["a"], ["b"]]
tries = {
    "kinds": lambda: lux.from_edges(*ends, sharded=True),
    "signs": lambda: lux.from_edges([-1] if rank else [2**63], [1], sharded=True),
    "names": lambda: lux.from_edges([1], [2], sharded=True, **{f"p{rank}": [1]}),
    "lengths": lambda: lux.from_edges([1, 2], [2, 3][rank:], sharded=True),
    "counts": lambda: lux.from_edges([1], [2], n_vertices=5 + rank, sharded=True),
    "ways": lambda: lux.from_edges([1], [2], directed=rank == 0, sharded=True),
    "numbers": lambda: lux.from_edges([1], [2], np.array([1], [np.int64, np.uint64][rank]), sharded=True),
    "none": lambda: lux.from_edges([], [], sharded=True),
}
for name, action in tries.items():
    try:
        action()
    except LuxError as error:
        (folder / f"{name}-{rank}.txt").write_text(f"{type(error).__name__}: {error}")
"""


@pytest.mark.multirank
def test_two_processes_make_the_graph_of_one(tmp_path):
    for command in ((sys.executable,), SMALL_TWO):
        done = start_ranks(tmp_path, PROGRAM, command, tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[-3000:]
    one = dict(np.load(tmp_path / "0-of-1.npz"))
    for rank in (0, 1):
        two = dict(np.load(tmp_path / f"{rank}-of-2.npz"))
        assert two.keys() == one.keys()
        for name, values in one.items():
            assert two[name].dtype == values.dtype, name
            np.testing.assert_array_equal(two[name], values, err_msg=name)
        for name, message in {
            "kinds": "ParameterError: vertex ids are integers in some processes and strings in others",
            "signs": "ParameterError: some ids are negative and some above 2^63 - 1",
            "names": "ParameterError: the edges of process 0 have the properties ['p0'], and those of process 1 ['p1']",
            "lengths": "ParameterError: sources have shape (2,), destinations (1,)",
            "counts": "ParameterError: n_vertices is 5 and 6 in the processes",
            "ways": "ParameterError: directed is True and False in the processes",
            "numbers": "ParameterError: weight is int64 and uint64 in other processes",
            "none": "GraphError: there are no edges",
        }.items():
            assert (tmp_path / f"{name}-{rank}.txt").read_text().startswith(message), name


def test_one_process_has_all_edges():
    graph = lux.from_edges([1, 2], [2, 3], weight=[4, 5], sharded=True)
    assert graph.ids.to_numpy().tolist() == [1, 2, 3]
    with pytest.raises(GraphError, match="there are no edges"):
        lux.from_edges([], [], sharded=True)
    with pytest.raises(ParameterError, match="sharded=1 was passed; allowed are True and False"):
        lux.from_edges([1], [2], sharded=1)
    with pytest.raises(ParameterError, match="was given an edge property 'sharde': pass sharded="):
        lux.from_edges([1], [2], sharde=[1])
