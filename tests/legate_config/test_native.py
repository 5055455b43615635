# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import ctypes
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import lux
from legate_config import ConfigError, doctor, legate_library, native, native_library, preload, shipped

MAPPER = Path(lux.__file__).parent / "runtime" / "mapper"

ANSWER = 'extern "C" int answer() { return 42; }\n'


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "answer.cc"
    path.write_text(ANSWER)
    return path


def test_builds_once_and_again_when_the_source_changes(source):
    first = native_library("answer", [source], with_legate=False)
    assert ctypes.CDLL(str(first)).answer() == 42
    written = first.stat().st_mtime_ns
    assert native_library("answer", [source], with_legate=False) == first
    assert first.stat().st_mtime_ns == written
    source.write_text(ANSWER.replace("42", "43"))
    second = native_library("answer", [source], with_legate=False)
    assert second != first
    assert ctypes.CDLL(str(second)).answer() == 43


def test_the_shipped_library_needs_no_compiler(source, tmp_path, monkeypatch):
    """Unless it was built for a newer C library than this machine's."""
    monkeypatch.setattr(shipped, "folder", tmp_path / "shipped")
    monkeypatch.setattr(shipped, "filling", True)
    made = native_library("answer", [source], with_legate=False)
    assert made.is_relative_to(tmp_path / "shipped")
    monkeypatch.setattr(shipped, "filling", False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert native_library("answer", [source], with_legate=False) == made
    assert ctypes.CDLL(str(made)).answer() == 42
    assert not (tmp_path / "cache").exists()
    built_for = made.parents[1]
    older = built_for.rename(built_for.with_name("glibc-2.9"))
    assert native_library("answer", [source], with_legate=False).parents[1] == older
    older.rename(older.with_name("glibc-99.1"))
    with pytest.raises(ConfigError, match=r"no C\+\+ compiler"):
        native_library("answer", [source], with_legate=False)


def test_the_library_of_the_installed_release_of_legate_is_taken(source, tmp_path, monkeypatch):
    """Of the same release in any version; of another release, the error names those that there are."""
    monkeypatch.setattr(shipped, "folder", tmp_path / "shipped")
    monkeypatch.setattr(shipped, "filling", True)
    made = native_library("answer", [source])
    release = ".".join(metadata.version("legate").split(".")[:2])
    assert made.parent.name.startswith(f"{release}-")
    monkeypatch.setattr(shipped, "filling", False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(native, "legate_version", lambda: f"{release}.77")
    assert native_library("answer", [source]) == made
    monkeypatch.setattr(native, "legate_version", lambda: "99.1.0")
    with pytest.raises(ConfigError, match=rf"pip install 'legate=={release}\.\*'"):
        native_library("answer", [source])


def test_the_version_of_legate_is_that_of_its_metadata(monkeypatch):
    assert native.legate_version() == metadata.version("legate")
    monkeypatch.setattr(native, "package_folder", lambda _: Path("/nonexistent/legate"))
    assert native.legate_version() == metadata.version("legate")


def test_missing_compiler_names_the_package(source, monkeypatch):
    monkeypatch.setenv("CXX", "/nonexistent")
    with pytest.raises(ConfigError, match=r"apt-get install g\+\+"):
        native_library("answer", [source], with_legate=False)


def test_failed_build_shows_what_the_compiler_said(source):
    source.write_text("int answer( { }\n")
    with pytest.raises(ConfigError, match=r"answer\.cc:1:\d+: error"):
        native_library("answer", [source], with_legate=False)


def test_processes_that_build_at_once(source):
    program = (
        "import sys; from pathlib import Path; from legate_config import native_library;"
        "print(native_library('answer', [Path(sys.argv[1])], with_legate=False))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(source)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    paths = {process.communicate(timeout=120)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(paths) == 1
    assert sorted(path.name for path in Path(paths.pop()).parent.iterdir()) == ["libanswer.so", "lock"]


COMPILER = """#!/bin/sh
[ "$1" = --version ] && exit
while [ "$1" != -o ]; do shift; done
touch "$2"
echo "$2" >> "$COMPILED"
"""


def test_the_stand_in_is_no_driver():
    before = preload.has_cuda_driver()
    lux.toy.path(2)  # Legate runs, with the stand-in where there is no driver
    stand_in = "libcuda_stub" in Path("/proc/self/maps").read_text()
    assert preload.has_cuda_driver() == before == (not stand_in)


def test_the_doctor_asks_for_no_compiler_where_libraries_are(tmp_path, monkeypatch):
    assert all(check.state != doctor.State.BROKEN for check in doctor.checks(MAPPER))  # and builds what is not there
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {check.subject: check for check in doctor.checks(MAPPER)}
    assert found["Lux's library"].state is doctor.State.WORKS
    assert (found["compiler"].state, found["compiler"].remedy) == (doctor.State.MISSING, "")


def test_the_doctor_builds_all_that_a_graph_needs(tmp_path, monkeypatch, capsys):
    """And whatever is compiled is said in a line."""
    compiler, compiled = tmp_path / "g++", tmp_path / "compiled"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COMPILED", str(compiled))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(shipped, "folder", tmp_path / "shipped")
    assert all(check.state != doctor.State.BROKEN for check in doctor.checks(MAPPER))
    first = compiled.read_text().splitlines()
    libraries = [path for path in first if path.endswith(".so")]
    told = capsys.readouterr().err.splitlines()
    assert len(told) == len(libraries) >= 1
    assert f"compiling liblux_mapper.so, once: it is kept in {tmp_path / 'cache/lux/native'}" in told[-1]
    legate_library(MAPPER)
    preload.gather_library()
    if not preload.has_cuda_driver():
        preload.cuda_stub()
    assert compiled.read_text().splitlines() == first
