# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Files of every format with random mistakes in them: each is a graph or an error of Lux, and never the process's end.

They are read in a process of its own, so that a signal is seen, and the file that caused it. ``make fuzz`` reads more.
"""

import subprocess
import sys
from pathlib import Path

import pytest


def run(count, seed):
    script = Path(__file__).with_name("fuzz.py")
    command = [sys.executable, str(script), str(count), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stdout[-3000:]} {done.stderr[-3000:]}"


def test_mutated_files():
    run(30, 1)


@pytest.mark.slow
def test_small_files_take_bounded_memory_and_time():
    script = Path(__file__).with_name("bombs.py")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stdout[-3000:]} {done.stderr[-3000:]}"


def test_a_few_small_files_that_expand():
    names = ("fields.txt", "lines.csv.zst", "digits.csv", "shape.npz", "profile.nested.json", "claims.mtx")
    script = Path(__file__).with_name("bombs.py")
    done = subprocess.run([sys.executable, str(script), *names], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stdout[-3000:]} {done.stderr[-3000:]}"
    assert len(done.stdout.splitlines()) == len(names)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 4))
def test_many_mutated_files(seed):
    run(1000, seed)
