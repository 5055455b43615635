# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import importlib.util
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

from lux.app import precompile
from lux.errors import ConfigurationError


def test_imported_modules_get_bytecode(tmp_path, monkeypatch):
    path = tmp_path / "imported.py"
    path.write_text("VALUE = 1\n")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_file_location("imported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert not (tmp_path / "__pycache__").exists()
    monkeypatch.setattr(sys, "modules", {"imported": module, "built in": sys})
    precompile.compile_modules()
    monkeypatch.undo()
    assert len(list(tmp_path.glob("__pycache__/imported.*.pyc"))) == 1


def fill(folder, made, name):
    """Fill a folder with a file, as an installation does."""
    with precompile.refilled(folder, made):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(name)


def names(folder):
    return sorted(path.name for path in folder.rglob("*"))


def test_a_failed_build_leaves_what_was_there(tmp_path):
    folder = tmp_path / "compiled"
    fill(folder, "made of 1", "old")

    def fail():
        with precompile.refilled(folder, "made of 2"):
            assert not folder.exists()
            folder.mkdir()
            raise ConfigurationError("no compiler")

    with pytest.raises(ConfigurationError):
        fail()
    assert names(tmp_path) == ["compiled", "made_of", "old"]


def test_code_stays_that_is_made_of_the_same(tmp_path):
    folder = tmp_path / "compiled"
    fill(folder, "made of 1", "old")
    fill(folder, "made of 1", "more")
    assert names(tmp_path) == ["compiled", "made_of", "more", "old"]
    fill(folder, "made of 2", "new")
    assert names(tmp_path) == ["compiled", "made_of", "new"]


def test_code_is_made_of_sources_and_numba_but_not_numpy(tmp_path, monkeypatch):
    before = precompile.made_of("x86-64-v3")
    monkeypatch.setattr(np, "__version__", "2.99")
    assert precompile.made_of("x86-64-v3") == before != precompile.made_of("another processor")
    monkeypatch.setattr(precompile.metadata, "version", lambda _: "0.99")
    assert precompile.made_of("x86-64-v3") != before
    monkeypatch.undo()
    monkeypatch.setattr(precompile, "__file__", str(tmp_path / "lux" / "app" / "precompile.py"))
    (tmp_path / "lux").mkdir()
    assert (without := precompile.made_of("x86-64-v3")) != before
    (tmp_path / "lux" / "kernels.py").write_text("VALUE = 1")
    assert precompile.made_of("x86-64-v3") != without


def test_wheels_have_the_library_for_every_release_of_legate_that_is_admitted():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    admitted, *_ = (r for r in map(Requirement, project["dependencies"]) if r.name == "legate")
    of_nodes, *_ = (r for r in map(Requirement, project["optional-dependencies"]["nodes"]) if r.name == "legate")
    assert all(version in admitted.specifier for version in precompile.LEGATES)
    assert any(version in of_nodes.specifier for version in precompile.LEGATES)
    releases = [".".join(version.split(".")[:2]) for version in precompile.LEGATES]
    assert f">={min(releases)}" in str(admitted.specifier)
    assert len({*releases}) == len(releases)
