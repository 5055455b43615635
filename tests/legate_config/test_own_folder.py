# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled code is kept only where no other user can put any."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from legate_config.native import cache_folder
from legate_config.own_folder import own_cache_folder, why_not

OTHER = 65534


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Folders of caches, of the home and of temporary files, all this test's."""
    for variable, name in (("XDG_CACHE_HOME", "cache"), ("HOME", "home")):
        monkeypatch.setenv(variable, str(tmp_path / name))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path


@pytest.fixture
def give(monkeypatch):
    """Give a folder to another user; where only the superuser may do that, have it look so."""
    given = {}
    real = {name: getattr(Path, name) for name in ("stat", "lstat")}

    def looked_at(name):
        def look(path, **more):
            found = real[name](path, **more)
            owner = given.get(str(path), found.st_uid)
            return os.stat_result([*found[:4], owner, *found[5:10]])

        return look

    def give(folder):
        if os.geteuid() == 0:
            os.chown(folder, OTHER, OTHER)
            return
        given[str(folder)] = OTHER
        for name in real:
            monkeypatch.setattr(Path, name, looked_at(name))

    return give


def test_new_folders_are_closed(home):
    before = os.umask(0)
    try:
        folder, why = own_cache_folder("kernels")
    finally:
        os.umask(before)
    assert (folder, why) == (home / "cache/lux/kernels", "")
    for made in (folder, folder.parent):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_folders_that_others_can_read_are_used(home):
    (home / "cache").mkdir(mode=0o755)
    (home / "cache/lux/native").mkdir(parents=True)
    for folder in ("cache", "cache/lux", "cache/lux/native"):
        (home / folder).chmod(0o755)
    assert own_cache_folder("native") == (home / "cache/lux/native", "")


@pytest.mark.parametrize("folder", ["cache/lux", "cache/lux/kernels"])
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
def test_folders_that_others_can_write_to_are_not_used(home, folder, mode):
    own_cache_folder("kernels")
    (home / folder).chmod(mode)
    found, why = own_cache_folder("kernels")
    assert found == home / "home/.cache/lux/kernels"
    assert why == f"others can write to {home / folder} (chmod go-w)"


@pytest.mark.parametrize("folder", ["cache", "cache/lux", "cache/lux/kernels"])
def test_folders_of_other_users_are_not_used(home, folder, give):
    own_cache_folder("kernels")
    give(home / folder)
    found, why = own_cache_folder("kernels")
    assert found == home / "home/.cache/lux/kernels"
    assert why == f"{home / folder} belongs to another user"


def test_links_are_not_followed(home):
    elsewhere = own_cache_folder("native")[0].rename(home / "elsewhere")
    (home / "cache/lux/kernels").symlink_to(elsewhere)
    found, why = own_cache_folder("kernels")
    assert found == home / "home/.cache/lux/kernels"
    assert why.endswith("is a symbolic link")


def test_folders_above_must_keep_what_is_in_them(home):
    (home / "cache").mkdir()
    (home / "cache").chmod(0o777)
    assert own_cache_folder("kernels")[0] == home / "home/.cache/lux/kernels"
    (home / "cache").chmod(0o1777)
    assert own_cache_folder("kernels") == (home / "cache/lux/kernels", "")


def _unwritable_home(home, monkeypatch):
    (home / "file").touch()
    for variable in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(variable, str(home / "file"))


def test_temporary_files_where_the_home_cannot_be_written(home, monkeypatch):
    _unwritable_home(home, monkeypatch)
    assert own_cache_folder("kernels") == (home / f"tmp/lux-{os.geteuid()}/kernels", "")
    assert cache_folder() == home / f"tmp/lux-{os.geteuid()}/native"


def test_folders_that_are_not_there_yet(tmp_path):
    assert why_not(tmp_path / "a", ("b", "c")) == ""
