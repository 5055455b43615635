# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Where files do not fit, the old ones stay, nothing is left, and the error says what is needed and what is free."""

import errno
import os
import resource
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import lux
from lux.errors import FileError
from lux_cases import processes
from lux_cases.stores import write_result

NAMES = ("g.lux", "g.sg", "g.mtx", "g.parquet", "x.npy", "x.tsv", "x.parquet")


def written(graph, result, target):
    """Write a graph, or a result of one, as a name says."""
    if target.name.startswith("g."):
        graph.write(target)
    else:
        write_result(result, target)


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def graphs():
    rng = np.random.default_rng(1)
    ends = rng.integers(5000, 20_000, 40_000), rng.integers(0, 20_000, 40_000)  # not all ids are there
    return lux.toy.path(3), lux.from_edges(*ends, drop_repeats=True)


@pytest.mark.parametrize("beforehand", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_files_larger_than_allowed(graphs, tmp_path, monkeypatch, name, beforehand):
    if not beforehand:  # a file system that cannot take the room before it is written

        def unable(*_):
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")

        monkeypatch.setattr(os, "posix_fallocate", unable)
    small, large = graphs
    search = lux.bfs(large, int(large.ids.labels(0, 1)[0]))
    written(small, lux.bfs(small, 0), tmp_path / name)
    before = content(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(FileError, match=rf"cannot write .*/{name}: .* has \d+ bytes free: make room") as raised:
            written(large, search, tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert ("it takes " in str(raised.value)) == (not name.endswith((".mtx", ".parquet")))  # whose length is not known
    assert content(tmp_path) == before


FULL = """
import os, subprocess, sys
from pathlib import Path

folder = Path(sys.argv[1])
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True).returncode:
    sys.exit(77)
os.environ["LEGATE_CONFIG"] = "--cpus 2 --sysmem 500"
import lux
from lux import cli
from lux.io.files import room
from test_full_disk import NAMES, content, written

small, large = lux.toy.path(3), lux.generate("kronecker:12")
for name in NAMES:
    written(small, lux.bfs(small, 0), folder / name)
(folder / "filler").write_bytes(bytes(room.free_bytes(folder) - 12_000))
before = content(folder)
search = lux.bfs(large, 1)
for name in NAMES:
    try:
        written(large, search, folder / name)
    except lux.LuxError as error:
        assert " free: make room" in str(error), error
    else:
        raise AssertionError(name)
    assert content(folder) == before, name
assert cli.main(["generate", "kronecker:12", str(folder / "other.lux")]) == 2
assert content(folder) == before
"""


@pytest.mark.skipif(not shutil.which("unshare"), reason="there is no unshare")
def test_a_full_disk(tmp_path):
    (tmp_path / "disk").mkdir()
    here = str(Path(__file__).parent)
    command = ("unshare", "--mount", "--map-root-user", sys.executable)
    done = processes.start(tmp_path, f"import sys; sys.path.append({here!r})\n{FULL}", command, tmp_path / "disk")
    if done.returncode in (1, 77) and "Traceback" not in done.stderr:
        pytest.skip("nothing can be mounted here")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("lux generate: ")
    assert "it takes" in done.stderr
