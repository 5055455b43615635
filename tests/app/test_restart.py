# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``lux restart`` runs a command again after faults, and not after mistakes."""

import subprocess
import sys

import pytest

from lux_cases.processes import environment

COUNTS = """
import os, signal, sys
from pathlib import Path

count = Path(sys.argv[1])
done = int(count.read_text()) if count.exists() else 0
count.write_text(str(done + 1))
end = sys.argv[2:][done]
if end == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
sys.exit(int(end))
"""


def restarted(folder, n, *ends):
    (folder / "counts.py").write_text(COUNTS)
    command = [sys.executable, "-m", "lux", "restart", str(n), sys.executable, "counts.py", "count", *ends]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    count = folder / "count"
    return done.returncode, int(count.read_text()) if count.exists() else 0, done.stderr


@pytest.mark.check
@pytest.mark.parametrize(
    "n, ends, code, starts",
    [(3, ["killed", "1", "0"], 0, 3), (1, ["killed", "killed", "0"], 1, 2), (3, ["2"], 2, 1), (3, ["143"], 143, 1)],
)
def test_restarts(tmp_path, n, ends, code, starts):
    found = restarted(tmp_path, n, *ends)
    assert found[:2] == (code, starts)
    assert found[2].count(": restart ") == starts - 1
    assert ("code 137, and no restart is left" in found[2]) == (ends[-1] == "0" and code == 1)


def test_mistakes(tmp_path):
    for words, message in ((["1"], "there is no command"), (["1", "nosuchprogram"], "cannot start nosuchprogram")):
        command = [sys.executable, "-m", "lux", "restart", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert message in done.stderr
