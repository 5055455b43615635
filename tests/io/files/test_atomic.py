# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Files are the old ones or the new ones, wherever a process is killed or a disk is full."""

import contextlib
import errno
import os
import signal

import numpy as np
import pytest

from lux.errors import FileError
from lux.io.files import atomic, room
from lux.io.files.atomic import SliceWriter, atomic_output, part_path, write_text
from lux.io.files.sidecar import Sidecar, abandon, commit_with, read_sidecar
from lux_cases.edges import ids_of

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # of os.fork

STEPS = ("open", "mkdir", "fsync", "rename", "replace", "unlink", "rmdir")
"""Calls of ``os`` at which a process is killed."""


@pytest.fixture
def quick(monkeypatch):
    """Nothing waits for the disk: what a killed process has written the next one sees in any case."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def killed(action, step):
    """Run ``action`` in a process of its own, killed before its ``step``-th call; whether it was."""
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            calls = iter(range(step))
            for name in STEPS:
                setattr(os, name, _counted(getattr(os, name), calls))
            action()
            os._exit(0)
        os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code != 0


def _counted(call, calls):
    def counted(*given, **more):
        if next(calls, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **more)

    return counted


class Slices(SliceWriter):
    def header(self):
        return [(0, b"new")]


def write_file(target):
    write_text(target, "new")


def write_slices(target):
    writer = Slices(target, 6)
    writer.create()
    writer.write_at((3, np.frombuffer(b"new", np.uint8)))
    writer.commit()


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("write", [write_file, write_slices])
@pytest.mark.parametrize("before", ["old", None])
def test_a_killed_write_leaves_the_old_file_or_the_new(tmp_path, write, before):
    target, seen, step = tmp_path / "x", [], 0
    while True:
        if before:
            target.write_text(before)
        else:
            target.unlink(missing_ok=True)
        ended = not killed(lambda: write(target), step)
        seen.append(target.read_text() if target.exists() else None)
        write(target)  # goes on where a killed one has left things
        assert target.read_text().startswith("new")
        assert [path.name for path in tmp_path.iterdir()] == ["x"]
        step += 1
        if ended:
            break
    new = seen[-1]
    assert new.replace("new", "") == ""
    assert seen == [before] * seen.count(before) + [new] * seen.count(new)
    assert seen.count(before) > 2 < seen.count(new)


def test_two_processes_do_not_write_one_target(tmp_path):
    target = tmp_path / "x"
    read, write = os.pipe()
    ended, end = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException), atomic_output(target) as part:
            part.write_text("first")
            os.write(write, b"x")
            os.close(end)
            os.read(ended, 1)
            os._exit(0)
        os._exit(1)
    os.read(read, 1)
    with pytest.raises(FileError, match=r"cannot write .*/x: another process is writing it: wait for it, or choose"):
        write_text(target, "second")
    assert part_path(target).read_text() == "first"
    for handle in (end, read, write, ended):
        os.close(handle)
    os.waitpid(child, 0)
    assert part_path(target).exists()  # the process has ended without a word
    write_text(target, "second")
    assert target.read_text() == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_one_process_begins_again(tmp_path):
    for _ in range(2):
        part = atomic.begin(tmp_path / "x")
    atomic.discard(tmp_path / "x")
    assert not part.exists()
    assert not list(tmp_path.iterdir())
    part.symlink_to(tmp_path / "other")  # a link is no file of Lux's own, and is not followed
    write_text(tmp_path / "x", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.check
def test_no_room(tmp_path, monkeypatch):
    target = tmp_path / "x"
    target.write_text("old")
    free = room.free_bytes(tmp_path)
    with pytest.raises(FileError, match=r"cannot write .*/x: it takes \d{15,} bytes and .* has \d+ free: make room"):
        Slices(target, 2 * free + 10**15).create()
    for name, call in (
        ("posix_fallocate", lambda: Slices(target, 6).create()),
        ("fsync", lambda: write_text(target, "")),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, full)
            with pytest.raises(FileError, match=r"x: No space left on device: .*has \d+ bytes free: make room"):
                call()
    writer = Slices(target, 6)
    with monkeypatch.context() as patch:  # a file system that cannot take room beforehand
        patch.setattr(os, "posix_fallocate", lambda *_: (_ for _ in ()).throw(OSError(errno.EOPNOTSUPP, "no")))
        writer.create()
        assert part_path(target).stat().st_size == 6
        patch.setattr(os, "pwrite", full)
        with pytest.raises(FileError, match=r"x: No space left on device: it takes 6 bytes and .* has \d+ bytes free"):
            writer.write_at((3, np.zeros(3, np.uint8)))
        writer.discard()
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


NAMES = {"strings": Sidecar(ids_of(["a"], ["b"]), undirected=True), "offset": Sidecar(ids_of([7], [8])), "none": None}


def write_pair(target, content, kept):
    with atomic_output(target, lambda path: commit_with(path, kept)) as part:
        part.write_text(content)


def is_whole(target, content, kept):
    """Whether a file has this content, and these are the names that are read with it."""
    found = read_sidecar(target)
    same = found is kept or (found and kept and (found.ids, found.undirected) == (kept.ids, kept.undirected))
    return bool(same and target.read_text() == content)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("old, new", [("strings", "offset"), ("strings", "none"), ("none", "strings")])
def test_a_killed_write_leaves_a_file_with_its_own_names(tmp_path, old, new):
    target = tmp_path / "x"
    first, second, third = ("old", NAMES[old]), ("new", NAMES[new]), ("third", NAMES["offset"])
    steps, seen = 0, []
    write_pair(target, *first)
    while killed(lambda: write_pair(target, *second), steps):
        seen.append("old" if is_whole(target, *first) else "new" if is_whole(target, *second) else "mixed")
        if seen.count("new") == 1:  # and what is beside it still pending: a second write, which is killed too
            for step in range(0, 60, 2):
                if not killed(lambda: write_pair(target, *third), step):
                    break
                assert is_whole(target, *second) or is_whole(target, *third)
                write_pair(target, *first)
                killed(lambda: write_pair(target, *second), steps)
        write_pair(target, *first)
        assert {path.name for path in tmp_path.iterdir()} <= {"x", "x.ids.npz"}
        assert is_whole(target, *first)
        steps += 1
    assert "mixed" not in seen
    assert seen == sorted(seen, reverse=True)
    assert {*seen} == {"old", "new"}
    assert is_whole(target, *second)
    assert (tmp_path / "x.ids.npz").exists() == (new != "none")


@pytest.mark.parametrize("name", ["fsync", "posix_fallocate"])
def test_names_that_do_not_fit_leave_the_old_file(tmp_path, monkeypatch, name):
    target, kept = tmp_path / "x", NAMES["strings"]
    write_pair(target, "old", kept)
    with monkeypatch.context() as patch:
        patch.setattr(os, name, full)
        with pytest.raises(FileError, match="No space left on device"):
            write_pair(target, "new", NAMES["offset"])
    assert is_whole(target, "old", kept)
    assert {path.name for path in tmp_path.iterdir()} == {"x", "x.ids.npz"}


@pytest.mark.usefixtures("quick")
def test_what_is_temporary_goes_with_an_interrupt(tmp_path):
    target, seen = tmp_path / "x", []
    write_pair(target, "old", NAMES["strings"])
    for step in range(100):
        if not killed(lambda: write_pair(target, "new", NAMES["offset"]), step):
            break
        abandon(target)
        seen.append(is_whole(target, "old", NAMES["strings"]))
        assert seen[-1] or is_whole(target, "new", NAMES["offset"])
        write_pair(target, "old", NAMES["strings"])
    assert {*seen} == {True, False}
