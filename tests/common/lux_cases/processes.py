# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs started in processes of their own, as users start them."""

import os
import subprocess
import sys
from pathlib import Path

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
    def __init__(self, *_arguments):
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
