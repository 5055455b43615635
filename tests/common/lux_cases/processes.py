# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs started in processes of their own, as users start them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).parents[3]
TWO = ("legate", "--launcher", "mpirun", "--ranks-per-node", "2", "--cpus", "1")
SMALL_TWO = (*TWO, "--sysmem", "500")
RANDOM_MOVES = """
import random
import sys
from pathlib import Path

import numpy as np

import lux
from lux_cases.builtin import SmallestLabel
from lux_cases.machine import rank
from lux_cases.moves import RepartitionDecision


class RandomMoves:
    def __init__(self, *_arguments, **_named):
        self.random = random.Random(1)

    def decide(self, points, seconds, *, iteration, remaining, pieces=None):
        seen.append(seconds)
        n, phase = int(points[-1]), self.random.choice(["global", "global", "none"])
        inner = sorted(self.random.randint(0, n) for _ in points[2:])
        after = points if phase == "none" else np.array([0, *inner, n])
        return RepartitionDecision(iteration, seconds, phase, 1.0, 1.0, remaining, points, after, 0.0)


seen = []
folder = Path(sys.argv[1])
"""
"""The beginning of a program that moves partitions by chance, alike on all ranks, and is given a folder."""


def environment():
    """This process's variables without what says how Legate is started, and with this checkout in front."""
    kept = {name: value for name, value in os.environ.items() if name not in {"LEGATE_CONFIG", "UCX_LOG_LEVEL"}}
    here = (str(REPOSITORY), str(REPOSITORY / "tests/common"))
    packages = os.pathsep.join(filter(None, [*here, os.environ.get("PYTHONPATH")]))
    kept |= {"PATH": f"{Path(sys.prefix, 'bin')}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": packages}
    # Where processes share cores, those that wait for the network had better not look for it all the time.
    kept |= {"REALM_DEFAULT_ARGS": "-ucx:prog_boff_max 65536"}
    kept |= {"PRTE_MCA_rmaps_default_mapping_policy": ":OVERSUBSCRIBE"}  # two processes also on one core
    if os.geteuid() == 0:
        kept |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return kept


def start(folder, program, command, *arguments, timeout=300, **variables):
    """Write a program into a folder and run it there to its end."""
    path = folder / "program.py"
    path.write_text(program)
    return subprocess.run(
        [*command, str(path), *map(str, arguments)],
        env=environment() | variables,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def start_ranks(folder, program, command, *arguments):
    """Run a program to its end in two processes (`SMALL_TWO`), or in one that is given two cores."""
    alone = {} if command[0] == "legate" else {"LEGATE_CONFIG": "--cpus 2 --sysmem 500"}
    return start(folder, program, command, *arguments, **alone)


PROGRAM_ANSWERS = """
import sys
from pathlib import Path

import numpy as np

import lux
from lux_cases import programs
from lux_cases.builtin import BreadthFirstSearch, PageRankDeltas, SmallestLabel
from lux_cases.machine import rank

KEY, PARTS = sys.argv[2], [int(n) for n in sys.argv[3].split()]
SETTINGS = {"order": "given"} | dict(pair.split("=") for pair in sys.argv[4:])
weights = (1, 200)
# Weights of one type, int32 as of generated graphs: programs are compiled once.
few, many = np.arange(1, 5, dtype=np.int32), np.arange(1, 301, dtype=np.int32)
graphs = {
    # Some iterations fit the first round of messages, some need the second, as a list or as a bitmap.
    "grid": lux.generate("grid:20x50", seed=1, weights=weights),
    "skewed": lux.generate("kronecker:9", seed=2, weights=weights),
    # All edges within a half, or between the halves.
    "apart": lux.from_edges([0, 1, 3, 4], [1, 0, 4, 3], few, n_vertices=6),
    "across": lux.from_edges(np.arange(300), np.arange(300)[::-1] + 300, many, directed=False),
    "short": lux.from_edges([0, 1], [1, 0], few[:2], n_vertices=7),
}
height = np.linspace(0, 1, 4096, dtype=np.float32)
cases = {
    programs.Own: {"step": 0.5}, programs.Small: {"constants": {"height": height}}, programs.Vectors: {},
    programs.Remainders: {}, programs.Wide: {"source": 3}, programs.Spreading: {}, programs.Peel: {"k": 3},
    SmallestLabel: {}, PageRankDeltas: {"alpha": 0.85, "stop": 1e-6},
}
answers = {}
order = SETTINGS.pop("order")
for name, graph in graphs.items():
    graph = graph.reordered(order)
    for program, given in cases.items():
        n = graph.n_vertices
        given = dict(given)
        if "source" in given:
            given["source"] = min(given["source"], n - 1)
        if "constants" in given:
            given["constants"] = {"height": height[:n]}
        for parts in (p for p in PARTS if p <= n):
            for model in ("pull", "push") if program.spec.frontier else ("pull",):
                with lux.using(**SETTINGS):
                    run = lux.run(program, graph, parts=parts, model=model, max_iter=60, **given)
                key = f"{name} {program.__name__} {parts if KEY == 'parts' else ''} {model}"
                columns = {c: run[c].dense() for c in run.columns}
                columns["iterations"] = np.array([run.iterations, run.converged])
                columns["frontier"] = np.array([(s.frontier, s.frontier_edges) for s in run.statistics])
                answers |= {f"{key} {column}": values for column, values in columns.items()}
np.savez(Path(sys.argv[1]) / f"{KEY}{rank()}.npz", **answers)
"""
"""Answers of programs on partitions, with settings or another order: ``FOLDER KEY PARTS NAME=VALUE ...``."""


def assert_same_answers(folder, least=200):
    """Compare the answers that two processes wrote (``parts``), more than ``least``, with those of one (``one``)."""
    found = [dict(np.load(folder / f"parts{rank}.npz")) for rank in (0, 1)]
    expected = dict(np.load(folder / "one0.npz"))
    assert len(found[0]) > least
    for name, values in found[0].items():
        np.testing.assert_array_equal(found[1][name], values, err_msg=name)
        graph, program, _, model, column = name.split()
        wanted = expected[f"{graph} {program}  {model} {column}"]
        tolerance = 0 if values.dtype.kind != "f" else 2e-5 if values.dtype == np.float32 else 1e-10
        np.testing.assert_allclose(values, wanted, rtol=tolerance, atol=1e-3 * tolerance, err_msg=name)
