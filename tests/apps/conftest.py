# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Applications started as users start them."""

import subprocess
import sys

import pytest

from lux_cases.processes import REPOSITORY, TWO, environment

STARTERS = {
    "python": [sys.executable, "-W", "error"],
    "lux": [sys.executable, "-W", "error", "-m", "lux"],  # what the installed program does
    "legate": ["legate", "--cpus", "2"],
    "two": TWO,
}


@pytest.fixture
def start(tmp_path):
    """Start an application in a folder of its own; the process is killed when the test ends."""
    started = []

    def begin(app, *arguments, starter="python"):
        program = [app] if starter == "lux" else [str(REPOSITORY / "apps" / f"{app}.py")]
        command = [*STARTERS[starter], *program, *map(str, arguments)]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, env=environment(), cwd=tmp_path, text=True, **pipes)
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def run(start):
    """Run an application to its end: its exit code, standard output and standard error."""

    def finish(app, *arguments, starter="python"):
        process = start(app, *arguments, starter=starter)
        out, err = process.communicate(timeout=180)
        return process.returncode, out, err

    return finish


@pytest.fixture
def edges(tmp_path):
    """A small directed graph with gaps in its ids."""
    path = tmp_path / "small.el"
    path.write_text("10 20\n20 30\n30 10\n30 40\n50 60\n60 50\n")
    return path
