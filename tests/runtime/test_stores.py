# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from pathlib import Path

MANY = """
import time

import numpy as np

import lux
from lux import runtime

launcher = runtime.Launcher(lambda point, x: time.sleep(0.05), outputs={"x": "rows"})
kept = runtime.new_store(np.int32, 10)
for _ in range(2):
    many = [runtime.new_store(np.int32, 10, fill=1, touched=False) for _ in range(1500)]
    launcher(2, x=kept, rows=runtime.even_ranges(10, 2))
    del many
    runtime.new_store(np.int32, 10)
runtime.finish()
"""

ENDS = """
import atexit, os, sys
import lux
from lux.runtime.stores import Store

def late():
    try:
        lux.components(graph)
    except lux.LuxError as error:
        print(error, flush=True)

atexit.register(late)
graph = lux.toy.kite()
if not os.fork():
    atexit.unregister(late)
    atexit.register(late)
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
Store.__del__ = len  # whatever fails while Python takes itself apart, no store is given back after Legate
"""


def run(program, folder):
    path = folder / "program.py"
    path.write_text(program)
    environment = os.environ | {
        "LEGATE_CONFIG": "--cpus 2 --sysmem 200",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    command = [sys.executable, path]
    return subprocess.run(command, env=environment, timeout=100, capture_output=True, text=True, check=False)


def test_after_the_end_and_in_forked_processes(tmp_path):
    done = run(ENDS, tmp_path)
    assert (done.returncode, done.stdout.count("\n")) == (0, 2)
    forked, ended = done.stdout.splitlines()
    assert "in a process that was forked" in forked
    assert "after Legate has ended" in ended


def test_many_stores_are_dropped_while_a_task_waits_for_the_interpreter(tmp_path):
    """Legion takes so many operations at a time, and to drop a store is one: in its own process, as it could hang."""
    assert run(MANY, tmp_path).returncode == 0
