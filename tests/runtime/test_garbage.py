# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Ends of processes, and objects that are called old."""

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


OLD = """
import gc
from lux.runtime import garbage

made = [[] for _ in range(500)]
garbage.call_old()
old = {id(found) for found in gc.get_objects(generation=2)}
assert all(id(found) in old for found in made)
assert gc.get_freeze_count() == 0
gc.freeze()
frozen = gc.get_freeze_count()
garbage.call_old()
assert gc.get_freeze_count() >= frozen > 0
cycle = []
cycle.append(cycle)
gc.unfreeze()
garbage.call_old()
del cycle
assert gc.collect() >= 1  # an old object that is garbage is found as ever
"""


def test_objects_that_are_called_old_are_so_and_frozen_ones_stay():
    done = subprocess.run([sys.executable, "-c", OLD], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
