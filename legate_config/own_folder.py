# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Folders for compiled code that no other user can write to, as their content is executed."""

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
    """Return the folder ``lux/NAME`` under ``$XDG_CACHE_HOME`` or ``~/.cache``, created if need be.

    If neither can be used it is ``lux-UID/NAME`` in the folder for temporary files; if another user owns that one, a
    folder that is removed when this process ends.

    Returns
    -------
    (pathlib.Path, str)
        The folder, and why preferred folders were refused (other users can write to them); empty if none was.
    """
    why = ""
    for base, folders in _candidates(name):
        folder = base.joinpath(*folders)
        refused = why_not(base, folders)
        why = why or refused
        if not refused and _made(base, folders) and os.access(folder, os.W_OK | os.X_OK):
            refused = why_not(base, folders)  # another process may have been faster
            if not refused:
                return folder, why
            why = why or refused
    folder = _private(os.getpid()) / name
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder, why or "no folder for caches can be written"


def why_not(base: Path, folders: tuple[str, ...] = ()) -> str:
    """Explain why compiled code must not be kept in ``folders`` under ``base``; empty if it may, or they do not exist.

    Each of ``folders`` must belong to this user, be writable by this user alone, and be no symbolic link. Parent
    folders may be writable by others only if these cannot replace files that are not theirs (sticky bit).
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
    """Create missing folders; returns True if all exist."""
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (base.joinpath(*folders[: k + 1]) for k in range(len(folders))):
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return False
    return True


@functools.cache
def _private(process: int) -> Path:
    """Return a new folder that is removed when the process ends; one for each process."""
    folder = Path(tempfile.mkdtemp(prefix="lux-"))

    def remove() -> None:
        if os.getpid() == process:  # not in a forked process
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
