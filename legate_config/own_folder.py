# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Folders for compiled code that nobody else can write to: what lies there is executed."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def own_cache_folder(name: str) -> tuple[Path, str]:
    """Folder ``lux/NAME`` under ``$XDG_CACHE_HOME`` or ``~/.cache``, created if need be.

    Where neither can be used it is ``lux-UID/NAME`` in the folder for temporary files, and where another user has made
    that, a folder that is removed when this process ends.

    Returns
    -------
    (pathlib.Path, str)
        The folder, and why it is not one that was tried before it and that others can write to; empty where none was.
    """
    why = ""
    for base, folders in _candidates(name):
        folder = base.joinpath(*folders)
        refused = why_not(base, folders)
        why = why or refused
        if not refused and _made(base, folders) and os.access(folder, os.W_OK | os.X_OK):
            refused = why_not(base, folders)  # somebody may have been faster
            if not refused:
                return folder, why
            why = why or refused
    folder = _private(os.getpid()) / name
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder, why or "no folder for caches can be written"


def why_not(base: Path, folders: tuple[str, ...] = ()) -> str:
    """Why compiled code must not be kept in ``folders`` under ``base``; empty where it may be, or they are not there.

    Each of ``folders`` belongs to this user, who alone may write there, and is no symbolic link. What is above may be
    written by others only where they cannot replace what is not theirs.
    """
    me = os.geteuid()
    with suppress(FileNotFoundError, NotADirectoryError):
        found = base.stat()
        if found.st_uid not in (me, 0):
            return f"{base} belongs to another user"
        if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
            return f"everybody can replace what is in {base} (chmod o-w or +t)"
    folder = base
    for name in folders:
        folder /= name
        try:
            found = folder.lstat()
        except OSError:
            return ""
        if stat.S_ISLNK(found.st_mode):
            return f"{folder} is a symbolic link"
        if found.st_uid != me:
            return f"{folder} belongs to another user"
        if found.st_mode & WRITABLE_BY_OTHERS:
            return f"others can write to {folder} (chmod go-w)"
    return ""


def _candidates(name: str) -> list[tuple[Path, tuple[str, ...]]]:
    home = os.path.expanduser("~/.cache")  # noqa: PTH111  # pathlib's fails where there is no home
    bases = [os.environ.get("XDG_CACHE_HOME", ""), home]
    found = [(Path(base), ("lux", name)) for base in dict.fromkeys(bases) if base and Path(base).is_absolute()]
    return [*found, (Path(tempfile.gettempdir()), (f"lux-{os.geteuid()}", name))]


def _made(base: Path, folders: tuple[str, ...]) -> bool:
    """Create what is missing; whether all is there."""
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (base.joinpath(*folders[: k + 1]) for k in range(len(folders))):
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return False
    return True


@functools.cache
def _private(process: int) -> Path:
    """A new folder that is removed when the process ends; one for each process."""
    folder = Path(tempfile.mkdtemp(prefix="lux-"))

    def remove() -> None:
        if os.getpid() == process:  # not in one forked from it
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
