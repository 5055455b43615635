# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels compiled when Lux was installed: a process of its own counts what it compiles, with empty user caches."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from legate_config import shipped
from lux.kernels import shipped_kernels

REPOSITORY = Path(__file__).parents[2]
KERNELS = """
from lux.kernels import njit
from lux_offset import OFFSET

@njit(cache=True)
def total(values):
    sum = OFFSET
    for value in values:
        sum += value
    return sum
"""
COUNT = """
import sys
from pathlib import Path
from legate_config import shipped
from numba.core import event

compiled = []

class Listener(event.Listener):
    def on_start(self, started):
        compiled.append(started.data["dispatcher"].py_func.__name__)

    def on_end(self, ended):
        pass

event.register("numba:compile", Listener())
if sys.argv[2:] == ["fill"]:
    shipped.fill(Path(sys.argv[1]))
else:
    shipped.folder = Path(sys.argv[1])
"""
RUN = (
    COUNT
    + """
import numpy as np
import lux_case
print(lux_case.total(np.arange(4)), *compiled)
"""
)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A folder that was filled with one kernel, whose module imports a constant."""
    made = tmp_path_factory.mktemp("filled")
    (made / "lux_case.py").write_text(KERNELS)
    (made / "lux_offset.py").write_text("OFFSET = 100\n")
    assert run(made, "fill") == "106 total"
    assert not list(made.rglob("*.nbi"))
    return made


@pytest.fixture
def folder(filled, tmp_path):
    """A copy of the filled folder."""
    return shutil.copytree(filled, tmp_path, dirs_exist_ok=True)


def run(folder, *words, program=RUN, **environment):
    """What the program prints in a new process: the kernel's answer, and the names of the functions it compiled."""
    (folder / "numba").mkdir(mode=0o700, exist_ok=True)
    paths = os.pathsep.join([str(folder), str(REPOSITORY)])
    own = {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "numba"), "XDG_CACHE_HOME": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", program, folder / "shipped", *words],
        env=os.environ | own | environment, capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    return done.stdout.strip()


def library(folder):
    """The kernel's shared library."""
    [path] = (folder / "shipped" / "kernels").iterdir()
    return path


@pytest.mark.check
def test_a_shipped_kernel_is_not_compiled(folder):
    """Nor does a process write to the package's folder, which may be read-only."""
    path = library(folder)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    before = path.stat()
    assert run(folder) == "106"
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert not list(folder.rglob("*.nbi"))
    path.parent.chmod(0o755)


def test_a_kernel_is_compiled_where_an_imported_source_has_changed(folder):
    (folder / "lux_offset.py").write_text("OFFSET = 2000\n")
    assert run(folder) == "2006 total"
    assert list((folder / "numba").rglob("*.nbi"))
    assert run(folder) == "2006"  # from the user's cache
    library(folder)  # is the only one
    (folder / "lux_offset.py").write_text("OFFSET = 3000\n")
    assert run(folder) == "3006 total"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:99] + b"?" + data[100:],
        *(pytest.param(cut, marks=pytest.mark.slow) for cut in (lambda data: data[:-100], lambda _: b"")),
    ],
)
def test_a_damaged_file_is_not_loaded(folder, damage):
    path = library(folder)
    path.write_bytes(damage(path.read_bytes()))
    assert run(folder) == "106 total"


def test_a_second_filling_compiles_what_is_damaged_or_missing(folder):
    path = library(folder)
    assert run(folder, "fill") == "106"
    path.write_bytes(path.read_bytes()[:-100])
    assert run(folder, "fill") == "106 total"
    assert run(folder) == "106"
    path.unlink()
    assert run(folder, "fill") == "106 total"


@pytest.mark.parametrize(
    "variable",
    [
        "NUMBA_CPU_NAME",
        *(pytest.param(f"NUMBA_{name}", marks=pytest.mark.slow) for name in ("BOUNDSCHECK", "DEBUGINFO")),
    ],
)
def test_settings_of_numba_apply(folder, variable):
    """A user who has Numba compile otherwise gets no shipped kernels."""
    assert run(folder, **{variable: "generic" if variable == "NUMBA_CPU_NAME" else "1"}) == "106 total"


@pytest.mark.skipif(not shipped_kernels.is_portable(), reason="this processor is older")
def test_portable_kernels_run_here(folder):
    library(folder).unlink()
    assert run(folder, "fill", **shipped_kernels.portable_settings()) == "106 total"
    assert run(folder) == "106"


def test_a_kernel_that_is_there_is_not_made_again(folder):
    assert run(folder, "fill") == "106"


BODY = """
from lux.kernels.native_body import NativeBody
from lux_offset import OFFSET

@NativeBody
def body(tables, point, stores, n_stores, record):
    record[0] = tables[point] + OFFSET
    return point + n_stores
"""
CALL_BODY = """
import ctypes, sys
import numpy as np
import lux_body_case

table, record = np.arange(4), np.zeros(1)
body = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p, ctypes.c_int64] * 2, ctypes.c_void_p)(
    lux_body_case.body.address
)
print(body(table.ctypes.data, 3, 0, 4, record.ctypes.data), record[0], "numba" in sys.modules)
"""
FILL = """
import sys
from pathlib import Path
from legate_config import shipped
shipped.folder, shipped.filling = Path(sys.argv[1]), sys.argv[2:] == ["fill"]
"""


def test_a_body_is_shipped(tmp_path):
    (tmp_path / "lux_offset.py").write_text("OFFSET = 100\n")
    (tmp_path / "lux_body_case.py").write_text(BODY)
    assert run(tmp_path, program=FILL + CALL_BODY) == "7 103.0 True"  # Numba's
    assert run(tmp_path, "fill", program=FILL + CALL_BODY) == "7 103.0 True"
    assert library(tmp_path).name.startswith("lux_body_case.body-")
    assert run(tmp_path, program=FILL + CALL_BODY) == "7 103.0 False"


ALGORITHMS = (
    COUNT
    + """
import lux
with lux.using(device="cpu"):
    lux.pagerank(lux.toy.kite())
    graph = lux.generate("kronecker:10", weights=(1, 255))
    for parts in (None, 2):
        for function in (lux.pagerank, lux.components):
            function(graph, parts=parts)
        for function in (lux.bfs, lux.sssp):
            function(graph, 5, parts=parts)
        lux.betweenness(graph, k=2, parts=parts)
print(*compiled)
"""
)


def test_built_in_algorithms_compile_nothing_after_an_installation(tmp_path):
    sources = (path for part in ("lux", "perfmodel", "legate_config") for path in (REPOSITORY / part).rglob("*.py"))
    made_of = shipped.folder / "made_of"
    if not made_of.exists() or made_of.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        pytest.skip("the sources have changed since kernels were compiled: make native compiles them again")
    (tmp_path / "shipped").symlink_to(shipped.folder)
    assert run(tmp_path, program=ALGORITHMS, LEGATE_CONFIG="--cpus 2 --gpus 0 --sysmem 500") == ""
