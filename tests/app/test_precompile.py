# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import importlib.util
import inspect
import sys
import tomllib
from pathlib import Path

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


def test_a_failed_build_leaves_what_was_there(tmp_path):
    folder = tmp_path / "compiled"
    folder.mkdir()
    (folder / "old").write_text("old")

    def fail():
        with precompile.replaced(folder):
            assert not folder.exists()
            folder.mkdir()
            raise ConfigurationError("no compiler")

    with pytest.raises(ConfigurationError):
        fail()
    assert [f.name for f in tmp_path.rglob("*")] == ["compiled", "old"]
    with precompile.replaced(folder):
        folder.mkdir()
        (folder / "new").write_text("new")
    assert [f.name for f in tmp_path.rglob("*")] == ["compiled", "new"]


def test_wheels_have_the_library_for_every_release_of_legate_that_is_admitted():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    admitted, *_ = (r for r in map(Requirement, project["dependencies"]) if r.name == "legate")
    of_nodes, *_ = (r for r in map(Requirement, project["optional-dependencies"]["nodes"]) if r.name == "legate")
    assert all(version in admitted.specifier for version in precompile.LEGATES)
    assert any(version in of_nodes.specifier for version in precompile.LEGATES)
    releases = [".".join(version.split(".")[:2]) for version in precompile.LEGATES]
    assert f">={min(releases)}" in str(admitted.specifier)
    assert len({*releases}) == len(releases)


@pytest.mark.parametrize("kernel, kinds", precompile.KERNELS)
def test_kernels_of_several_processes_have_a_kind_for_each_argument(kernel, kinds):
    assert len(inspect.signature(kernel.py_func).parameters) == len(kinds)
