# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Files that are truncated, or changed, while they are read."""

import os

import numpy as np
import pytest

import lux
from lux import io
from lux.errors import FileError, FormatError
from lux.io.files.content import FileContent
from lux.io.formats import read_slices
from lux_cases.old_lux import write_old


@pytest.mark.check
def test_a_file_truncated_while_it_is_read(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(bytes(range(100)) * 1000)
    content = FileContent(path)
    os.truncate(path, 50_000)
    assert content[49_999:50_000] == b"\x63"
    with pytest.raises(FormatError, match=r"x ends at byte 50000 and had 100000 bytes when it was opened: .*truncated"):
        content.values(np.uint8, 100_000, 0)


@pytest.mark.parametrize("name", ["g.lux", "g.sg"])
def test_a_graph_truncated_while_it_is_read(tmp_path, name):
    graph = lux.generate("grid:50x50")
    graph.write(tmp_path / name) if name == "g.sg" else write_old(graph, tmp_path / name)
    size = (tmp_path / name).stat().st_size
    opened = io.open_graph_file(tmp_path / name)
    os.truncate(tmp_path / name, size // 2)
    with pytest.raises(FormatError, match=rf"{name} ends at byte \d+ and had {size} bytes when"):
        read_slices.load_slices(opened, opened.ids, None)


def test_a_graph_changed_while_it_is_read(tmp_path, monkeypatch):
    write_old(lux.toy.path(4), tmp_path / "g.lux")
    opened = io.open_graph_file(tmp_path / "g.lux")
    seen = opened.offsets
    monkeypatch.setattr(opened, "offsets", lambda lo, hi: seen(lo, hi) if hi > lo else np.array([6 * (lo > 0)]))
    with pytest.raises(FormatError, match=r"changed while it was read: read it again"):
        read_slices.load_slices(opened, opened.ids, None)


@pytest.mark.check
def test_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="pipe: it is a device or a pipe; pass the name of a file"):
        lux.read_graph(tmp_path / "pipe", "el")  # and does not wait for a writer
    with pytest.raises(FileError, match="it is a folder"):
        FileContent(tmp_path)
    with pytest.raises(FileError, match="missing: No such file"):
        FileContent(tmp_path / "missing")
