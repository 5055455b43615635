# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Processes end with the launcher that started them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from legate_config.launched import line_to_launcher, nearest_launchers
from lux_cases.processes import TWO, environment

WAITS = """
import os, sys, time
import legate_config
legate_config.prepare()
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()}\\n")
time.sleep(100)
"""


def _process(root, number, parent, name, *words):
    folder = root / f"proc/{number}"
    folder.mkdir(parents=True)
    (folder / "stat").write_text(f"{number} ({name}) S {parent} 1 1")
    (folder / "comm").write_text(f"{name}\n")
    (folder / "cmdline").write_text("\0".join(words or [name]))


def test_ancestors_up_to_the_outermost_launcher(tmp_path):
    _process(tmp_path, 20, 1, "sh")
    _process(tmp_path, 21, 20, "python3", "python3", "/usr/bin/legate", "x.py")
    _process(tmp_path, 22, 21, "prterun")
    _process(tmp_path, 23, 22, "a) b (c")
    _process(tmp_path, 24, 23, "python3")
    _process(tmp_path, 30, 20, "python3", "python3", "x.py")
    assert line_to_launcher(24, tmp_path) == [23, 22, 21]
    assert line_to_launcher(30, tmp_path) == []


def test_the_nearest_launchers(tmp_path):
    _process(tmp_path, 21, 1, "python3", "python3", "/usr/bin/legate", "x.py")
    _process(tmp_path, 22, 21, "prterun")
    _process(tmp_path, 23, 22, "ssh")
    _process(tmp_path, 24, 23, "prted")
    _process(tmp_path, 25, 24, "prted")
    _process(tmp_path, 26, 25, "bash")
    _process(tmp_path, 27, 26, "python3")
    _process(tmp_path, 30, 1, "python3", "python3", "x.py")
    assert nearest_launchers(27, tmp_path) == {25: "prted", 24: "prted"}
    assert nearest_launchers(23, tmp_path) == {22: "prterun", 21: "legate"}
    assert nearest_launchers(30, tmp_path) == {}


def _running(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


@pytest.mark.parametrize(
    "command, killed",
    [
        (("legate", "--cpus", "1"), "legate"),
        pytest.param(TWO, "legate", marks=pytest.mark.multirank),
        pytest.param(TWO, "prterun", marks=pytest.mark.multirank),
    ],
)
def test_nothing_runs_on_without_its_launcher(tmp_path, command, killed):
    program, numbers = tmp_path / "program.py", tmp_path / "numbers"
    program.write_text(WAITS)
    numbers.touch()
    count = 2 if command == TWO else 1
    with subprocess.Popen(
        [*command, program, numbers],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as legate:
        _until(lambda: len(numbers.read_text().splitlines()) == count, 60)
        ranks = [int(line) for line in numbers.read_text().splitlines()]
        others = {number for rank in ranks for number in line_to_launcher(rank)}
        assert legate.pid in others
        target = legate.pid if killed == "legate" else line_to_launcher(ranks[0])[0]
        os.kill(target, signal.SIGKILL)
        _until(lambda: not any(map(_running, [*ranks, *others])), 10)


def test_without_a_launcher_a_process_goes_on(tmp_path):
    program, numbers = tmp_path / "program.py", tmp_path / "numbers"
    program.write_text(WAITS.replace("100", "1.5") + "sys.stdout.write('done')\n")
    shell = ["sh", "-c", '"$0" "$@" & sleep 0.1', sys.executable, program, numbers]
    assert subprocess.run(shell, env=environment(), timeout=60, capture_output=True, check=True).stdout == b"done"
