# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and SIGTERM, while the main thread waits in Legate."""

import signal
import subprocess
import sys
import time

import pytest

LONG = ["--generate", "kronecker:14", "--tol", "0", "--max-iter", "10000000"]


@pytest.mark.parametrize(
    "starter, number, parts",
    [
        ("python", signal.SIGTERM, 2),
        pytest.param("python", signal.SIGINT, 1, marks=pytest.mark.slow),
        pytest.param("lux", signal.SIGINT, 1, marks=pytest.mark.slow),
        ("legate", signal.SIGINT, 2),
    ],
)
def test_signal_ends_a_run(start, tmp_path, starter, number, parts):
    process = start("pagerank", *LONG, "--parts", parts, "--output", tmp_path / "ranks.tsv", starter=starter)
    time.sleep(5)
    assert process.poll() is None
    began = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - began < 2
    assert (process.returncode, out, err) == (128 + number, "", "")
    assert list(tmp_path.iterdir()) == []


def test_temporary_files_are_removed(tmp_path):
    program = (
        "import pathlib, sys, time; from lux.app.console import interrupt; interrupt.watch()\n"
        "file, other = (pathlib.Path(name) for name in sys.argv[1:])\n"
        "with interrupt.temporary(file, other):\n"
        "    file.touch(); other.touch(); print(flush=True); time.sleep(60)\n"
    )
    command = [sys.executable, "-c", program, tmp_path / "file", tmp_path / "other"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path.parents[0]) as process:
        process.stdout.readline()
        process.terminate()
        assert process.wait(10) == 143
    assert list(tmp_path.iterdir()) == []
