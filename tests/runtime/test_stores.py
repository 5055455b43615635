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


def test_many_stores_are_dropped_while_a_task_waits_for_the_interpreter(tmp_path):
    """Legion takes so many operations at a time, and to drop a store is one: in its own process, as it could hang."""
    path = tmp_path / "program.py"
    path.write_text(MANY)
    environment = os.environ | {
        "LEGATE_CONFIG": "--cpus 2 --sysmem 200",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    done = subprocess.run([sys.executable, path], env=environment, timeout=100, check=False)
    assert done.returncode == 0
