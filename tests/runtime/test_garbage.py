# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Ends of processes."""

import subprocess
import sys

import pytest

PROGRAM = """
import weakref, sys
from lux.runtime import garbage

class Gone:
    pass

held = Gone()
proxy = weakref.proxy(held)
del held
file = open(sys.argv[1], "w")
file.write("written")
file.itself = [file] if hasattr(file, "__dict__") else None
garbage.leave_to_the_system()
assert open(sys.argv[1]).read() == "written"
"""


@pytest.mark.check
def test_the_end_writes_open_files_and_bears_with_proxies_of_what_is_gone(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "file")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
