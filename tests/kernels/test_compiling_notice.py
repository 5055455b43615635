# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from legate_config import shipped
from lux.kernels import compiling_notice


def compiling(notice, module, seconds):
    """Have the listener believe that a function of a module is being compiled, and another one for it."""
    event = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))})
    notice.on_start(event)
    notice.on_start(event)
    notice.on_end(event)
    time.sleep(seconds)
    notice.on_end(event)


@pytest.mark.check
def test_a_line_once_a_program_has_been_compiled_for_some_time(monkeypatch, capsys):
    monkeypatch.setattr(compiling_notice, "PATIENCE_S", 0.2)
    notice, program = compiling_notice.Notice(), "lux_Reached_0123456789abcdef0123"
    compiling(notice, program, 0.01)
    assert capsys.readouterr().err == ""
    compiling(notice, program, 0.5)
    told = capsys.readouterr().err
    assert told.startswith("lux: compiling program Reached for this graph's types")
    assert told.count("\n") == 1
    compiling(notice, program, 0.3)
    compiling(notice, "somebody.elses", 0.3)
    assert capsys.readouterr().err == ""


def test_the_line_says_why_lux_compiles_its_own_kernels(monkeypatch, tmp_path):
    monkeypatch.setattr(shipped, "folder", tmp_path)
    assert "python -m lux.app.precompile" in compiling_notice.line("lux.graph.construction.sort_kernels")
    (tmp_path / "kernels").mkdir()
    assert "these types and this processor" in compiling_notice.line("lux.graph.construction.sort_kernels")


COMPILE = """
from lux.kernels import compiling_notice, njit
compiling_notice.PATIENCE_S = 0.0

def kernel(x):
    return x + 1

kernel.__module__ = "lux.kernels.case"
njit(kernel)(2)
"""


@pytest.mark.parametrize("terminal", [True, False])
def test_the_line_is_for_people(terminal):
    ours, theirs = os.openpty() if terminal else os.pipe()
    subprocess.run([sys.executable, "-c", COMPILE], stderr=theirs, check=True, timeout=60)
    os.close(theirs)
    try:
        told = os.read(ours, 10_000)
    except OSError:  # a terminal's end
        told = b""
    os.close(ours)
    assert told.startswith(b"lux: compiling kernels") == terminal
    assert bool(told) == terminal
