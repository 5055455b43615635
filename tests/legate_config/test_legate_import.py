# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from pathlib import Path

import pytest

from legate_config.legate_import import TABLES, without_tables


def python(program):
    """The output of a program that runs in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.check
def test_a_start_imports_no_tables_and_legate_prints_them_all_the_same():
    printed = python(
        "import sys, lux; lux.toy.kite(); print('rich' in sys.modules)\n"
        "from legate.util.fs import get_legate_paths; print(type(get_legate_paths().ui).__module__)"
    )
    assert printed.split() == ["False", "rich.table"]


def test_the_module_is_there_once_legate_is_imported():
    assert python(f"import lux; lux.toy.kite(); import {TABLES} as ui; print(ui.__file__)").endswith("ui.py\n")


def test_a_module_that_is_there_stays(monkeypatch):
    there = object()
    monkeypatch.setitem(sys.modules, TABLES, there)
    with without_tables():
        assert sys.modules[TABLES] is there
    assert sys.modules[TABLES] is there
