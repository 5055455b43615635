# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import ctypes
import os

import pytest

from legate_config import ahead, legate_library, native, shipped

PART = 'extern "C" int part() { return PART; }\n'
WHOLE = '#include <legate.h>\nextern "C" int part();\nextern "C" int whole() { return part() + 1; }\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The C++ files of a library, of which one includes Legate's headers."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(shipped, "folder", tmp_path / "shipped")
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "part.h").write_text("#define PART 41\n")
    (folder / "part.cc").write_text(f'#include "part.h"\n{PART}')
    (folder / "whole.cc").write_text(WHOLE)
    return folder


def test_a_library_has_the_objects_that_were_compiled_before_legate_was_there(folder, monkeypatch):
    made = ahead.compile_ahead(folder)
    assert [path.name.partition("-")[0] for path in made] == ["part"]
    assert ahead.compile_ahead(folder) == made
    compiled = []
    run = native.run_compiler
    monkeypatch.setattr(native, "run_compiler", lambda command, name: compiled.append(command) or run(command, name))
    library = legate_library(folder)
    assert ["-c" in command for command in compiled] == [True, False]
    assert ctypes.CDLL(str(library)).whole() == 42
    assert not made[0].exists()


def test_objects_are_those_of_the_sources_headers_and_compiler(folder, monkeypatch):
    [made] = ahead.compile_ahead(folder)
    (folder / "part.h").write_text("#define PART 1\n")
    [other] = ahead.compile_ahead(folder)
    monkeypatch.setenv("CXX", "g++ -O1")
    assert len({made, other, *ahead.compile_ahead(folder)}) == 3


def test_without_a_compiler_nothing_is_made_and_nothing_fails(folder, monkeypatch, capsys):
    monkeypatch.setattr(ahead, "legate_is_installed", lambda: False)
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert ahead.main([os.fspath(folder)]) == 0
    assert capsys.readouterr() == ("", "")


def test_nothing_is_made_where_the_library_may_be_there(folder, monkeypatch):
    compiled = []
    monkeypatch.setattr(ahead, "compile_ahead", compiled.append)
    assert ahead.main([os.fspath(folder)]) == 0
    assert compiled == []
    monkeypatch.setattr(ahead, "legate_is_installed", lambda: False)
    assert ahead.main([os.fspath(folder)]) == 0
    assert compiled == [folder]
