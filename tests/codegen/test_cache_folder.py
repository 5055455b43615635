# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The folder of compiled kernels, where another user could have prepared it."""

import os
import subprocess
import sys
from pathlib import Path

PREPARED = """
import sys, tempfile, warnings
tempfile.tempdir = sys.argv[1]
from lux.codegen.compile import cache_folder
with warnings.catch_warnings(record=True) as shown:
    warnings.simplefilter("always")
    print(cache_folder(), cache_folder() == cache_folder())
print(len(shown), shown[0].category.__name__, shown[0].message)
(cache_folder() / "file").touch()
"""


def test_a_folder_that_another_user_prepared_is_not_used(tmp_path, monkeypatch):
    """Whoever makes it first could have code run; a new one is used and removed, and a warning says why."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / "file").touch()
    for variable in ("XDG_CACHE_HOME", "HOME"):  # nothing can be written there
        monkeypatch.setenv(variable, str(tmp_path / "file"))
    prepared = tmp_path / f"tmp/lux-{os.geteuid()}"
    prepared.mkdir()
    prepared.chmod(0o777)
    command = [sys.executable, "-c", PREPARED, tmp_path / "tmp"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    used, warned = done.stdout.splitlines()
    assert Path(used.split()[0]).parent.parent == tmp_path / "tmp"
    assert used.endswith("/kernels True")
    assert Path(used.split()[0]).parent != prepared
    assert warned.startswith(f"1 LuxWarning others can write to {prepared}")
    assert list((tmp_path / "tmp").iterdir()) == [prepared]
    assert list(prepared.iterdir()) == []
