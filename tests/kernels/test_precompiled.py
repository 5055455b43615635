# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that were compiled before: a process of its own counts what it compiles, with empty caches of the user."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from legate_config import shipped
from lux.kernels import precompiled

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


@pytest.fixture
def folder(tmp_path):
    """A folder that was filled with one kernel, whose module imports a constant."""
    (tmp_path / "lux_case.py").write_text(KERNELS)
    (tmp_path / "lux_offset.py").write_text("OFFSET = 100\n")
    assert run(tmp_path, "fill") == "106 total"
    assert not list(tmp_path.rglob("*.nbi"))
    return tmp_path


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


def compiled_kernels(folder):
    """The kernel for Numba, and the shared library."""
    return sorted((folder / "shipped" / "kernels").iterdir(), key=lambda path: path.suffix)


@pytest.mark.check
@pytest.mark.parametrize("kept", [0, 1], ids=["for Numba", "library"])
def test_a_shipped_kernel_is_not_compiled(folder, kept):
    """Nor does a process write to the package's folder, which may be read-only."""
    paths = compiled_kernels(folder)
    paths.pop(1 - kept).unlink()
    [path] = paths
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
    assert len(compiled_kernels(folder)) == 2
    (folder / "lux_offset.py").write_text("OFFSET = 3000\n")
    assert run(folder) == "3006 total"


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-100], lambda data: data[:99] + b"?" + data[100:], lambda _: b""]
)
def test_a_damaged_file_is_not_loaded(folder, damage):
    for path in compiled_kernels(folder):
        path.write_bytes(damage(path.read_bytes()))
    assert run(folder) == "106 total"


@pytest.mark.parametrize("variable", ["NUMBA_BOUNDSCHECK", "NUMBA_DEBUGINFO", "NUMBA_CPU_NAME"])
def test_settings_of_numba_apply(folder, variable):
    """A user who has Numba compile otherwise gets no shipped kernels."""
    assert run(folder, **{variable: "generic" if variable == "NUMBA_CPU_NAME" else "1"}) == "106 total"


@pytest.mark.skipif(not precompiled.portable(), reason="this processor is older")
def test_portable_kernels_run_here(folder):
    for path in compiled_kernels(folder):
        path.unlink()
    assert run(folder, "fill", **precompiled.portable_settings()) == "106 total"
    assert run(folder) == "106"
    compiled_kernels(folder)[0].unlink()
    assert run(folder) == "106"


def test_portable_kernels_are_for_processors_that_have_all_they_need(monkeypatch):
    needed = dict.fromkeys(precompiled.NEEDED, True)
    for has, want in ((needed, True), (needed | {"avx2": False}, False)):
        monkeypatch.setattr(precompiled.binding, "get_host_cpu_features", lambda has=has: has)
        precompiled.portable.cache_clear()
        assert precompiled.portable() == want
    monkeypatch.undo()
    precompiled.portable.cache_clear()


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
    kernels = shipped.folder / "kernels"
    if not kernels.exists() or kernels.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        pytest.skip("the sources have changed since kernels were compiled: make native compiles them again")
    (tmp_path / "shipped").symlink_to(shipped.folder)
    assert run(tmp_path, program=ALGORITHMS, LEGATE_CONFIG="--cpus 2 --gpus 0 --sysmem 500") == ""
