# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lux import runtime
from lux.runtime import allocations, stores

MANY = """
import time

import numpy as np

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


@pytest.fixture
def spare(monkeypatch):
    """Stores are kept for reuse as where there is one GPU."""
    if runtime.ranks() > 1:
        pytest.skip("stores are kept in one process only")
    runtime.give_spare_back()
    monkeypatch.setattr(stores, "gpus", lambda: 1)
    monkeypatch.setattr(allocations, "gpus", lambda: 1)
    monkeypatch.setattr(allocations, "noted", allocations.Noted())
    yield
    runtime.give_spare_back()


def untouched(length, dtype=np.int32):
    return runtime.new_store(dtype, length, touched=False)


def test_a_new_store_takes_the_place_of_a_dropped_one(spare):
    handle = untouched(100).handle
    assert untouched(100, np.int64).handle != handle
    assert untouched(101).handle != handle
    kept = [untouched(100), untouched(100)]
    assert [store.handle == handle for store in kept] == [True, False]
    assert stores.spare_bytes() == 800 + 404


def test_spare_stores_are_limited(spare, monkeypatch):
    monkeypatch.setattr(stores, "SPARE_STORES", 2)
    del [untouched(length) for length in (10, 20, 30)][:]
    assert stores.spare_bytes() == 4 * (20 + 30)
    monkeypatch.setattr(stores, "SPARE_BYTES", 4 * 45)
    del [untouched(15)][:]
    assert stores.spare_bytes() == 4 * (30 + 15)
    runtime.give_spare_back()
    assert stores.spare_bytes() == 0


def test_spare_stores_count_as_taken(spare):
    store = untouched(100)
    allocations.note(1, {"x": store}, {"x": None}, ())
    assert allocations.placed().tolist() == [[400], [0]]
    del store
    assert allocations.placed().tolist() == [[400], [0]]
    runtime.give_spare_back()
    assert allocations.placed().tolist() == [[0], [0]]


def test_stores_in_zero_copy_memory_are_not_kept(spare):
    store = untouched(100)
    allocations.note(1, {"x": store}, {"x": None}, ("x",))
    del store
    assert stores.spare_bytes() == 0
