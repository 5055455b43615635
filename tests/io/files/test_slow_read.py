# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import time

import pytest

import lux
from lux.io.files import slow_read


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "graph.el"
    path.write_text("1 2\n2 3\n" * 100)
    return path


def test_a_line_where_reading_takes_long(file, monkeypatch, capsys):
    monkeypatch.setattr(slow_read, "PATIENCE_S", 0.0)
    lux.read_graph(file)
    assert capsys.readouterr().err == ""  # small files are never waited for
    monkeypatch.setattr(slow_read, "LARGE_BYTES", 100)
    lux.read_graph(file)
    said = capsys.readouterr().err
    assert said.startswith(f"lux: reading {file} (0 MB) takes more than 0 s; 'lux convert {file} GRAPH.lux'")
    assert said.count("\n") == 1


def test_no_line_once_it_is_read(file, monkeypatch, capsys):
    monkeypatch.setattr(slow_read, "PATIENCE_S", 0.05)
    monkeypatch.setattr(slow_read, "LARGE_BYTES", 100)
    with slow_read.told_if_slow(file):
        pass
    time.sleep(0.1)
    assert capsys.readouterr().err == ""
