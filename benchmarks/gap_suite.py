# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs of the GAP Benchmark Suite's programs (Beamer, Asanovic and Patterson, 2015), given a built copy.

They are C++ programs with OpenMP that read a graph, run trials and print the seconds of each. A call here starts one
program for some trials: the first ones fetch memory and threads and wake the cores, the last counts. So the programs
take turns with the other contenders.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from benchmarks.agreement import DisagreementError

VARIABLE = "GAPBS_DIR"
"""Environment variable with the folder in which ``make`` has built the suite."""
PROGRAMS = ("pr", "pr_spmv", "bfs", "cc", "sssp", "bc")
TRIALS = {"bfs": 6, "cc": 6}
"""Trials of one call; the last one counts. Programs with short trials get as long to wake the cores as libraries do
(`benchmarks.race.AWAKE`)."""
_TRIAL = re.compile(r"^Trial Time:\s+([0-9.]+)\s*$", re.MULTILINE)
_VERIFIED = re.compile(r"^Verification:\s+(\w+)\s*$", re.MULTILINE)


def folder() -> Path | None:
    """Return the suite's folder, if the environment names it."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def trials_of(program: str) -> str:
    """Return the trials of a call of a program: two, if it is not named in `TRIALS`."""
    return str(TRIALS.get(program, 2))


def missing() -> str:
    """Explain why the suite cannot run; empty if it can."""
    place = folder()
    if place is None:
        return f"{VARIABLE} does not name the folder of a built copy"
    absent = [name for name in PROGRAMS if not os.access(place / name, os.X_OK)]
    return f"{VARIABLE}={place} has no program {absent[0]}: run make there" if absent else ""


def built() -> dict[str, str]:
    """Return the suite's commit, its compile command, and the compiler's version."""
    place = str(folder())
    command = _said("make", "-C", place, "--no-print-directory", "-Bn", "bfs").splitlines()[-1:]
    compiler = command[0].split()[0] if command else "c++"
    found = {"commit": _said("git", "-C", place, "describe", "--always", "--dirty", "--abbrev=12", "--match=")}
    found |= {"command": "".join(command), "compiler": "".join(_said(compiler, "--version").splitlines()[:1])}
    return found


def _said(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""


def run(program: str, graph: Path, threads: int, *options: str) -> str:
    """Run a program on a graph; returns its output.

    Raises
    ------
    DisagreementError
        The program ends with an error, or without a trial.
    """
    place = folder()
    assert place is not None
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    command = [str(place / program), "-f", str(graph), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode or not trials(done.stdout):
        said = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise DisagreementError(f"{' '.join(command)} ended with {done.returncode}: {''.join(said)}")
    return done.stdout


def trials(output: str) -> list[float]:
    r"""Return the seconds of each trial.

    >>> trials("Read Time:           0.01\nTrial Time:          0.25\nTrial Time:          0.125\n")
    [0.25, 0.125]
    """
    return [float(seconds) for seconds in _TRIAL.findall(output)]


def verified(output: str) -> bool:
    r"""Return True if the program's verifier ran and every check passed.

    >>> verified("Verification:           PASS\n"), verified("Verification:           FAIL\n"), verified("")
    (True, False, False)
    """
    verdicts = _VERIFIED.findall(output)
    return bool(verdicts) and set(verdicts) == {"PASS"}
