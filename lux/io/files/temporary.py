# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Temporary files, locked by the process that writes them.

Temporary names are equal in every process: the next write to the same target removes a killed process's leftovers. The
lock tells leftovers from files that another process is writing (except on file systems without locks).
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lux.errors import FileError
from lux.io.files.room import cannot_write

_locks: dict[Path, int] = {}
"""Descriptors with this process's locks, by temporary name."""


def claim(part: Path, target: Path, make: Callable[[], object], rescue: Callable[[], object] | None = None) -> None:
    """Lock a temporary file made by ``make``, after removing leftovers of its name.

    ``rescue`` may rename leftovers before; no other process touches them then.
    """
    release(part)
    try:
        for _ in range(10):  # another process may come between two of these steps
            _remove_left(part, target, rescue)
            try:
                make()
            except FileExistsError:
                continue
            with suppress(FileNotFoundError):
                handle = _opened(part)
                if _locked(handle) and _is_at(part, handle):
                    _locks[part] = handle
                    return
                os.close(handle)
    except OSError as error:
        raise cannot_write(target, error) from error
    raise _in_use(part, target)


def _remove_left(part: Path, target: Path, rescue: Callable[[], object] | None) -> None:
    """Remove an earlier process's leftovers, unless that process is still writing."""
    try:
        handle = _opened(part)
    except FileNotFoundError:
        return
    except OSError:  # a link, or another user's file: not written by Lux
        remove(part)
        return
    try:
        if not _locked(handle):
            raise _in_use(part, target)
        if rescue is not None and _is_at(part, handle):
            rescue()
        if _is_at(part, handle):
            remove(part)
    finally:
        os.close(handle)


def _opened(part: Path) -> int:
    return os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _locked(handle: int) -> bool:
    """Lock an open file; False if another process has the lock."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return True


def _is_at(part: Path, handle: int) -> bool:
    """Return True if a name still belongs to an open file."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.lstat(part), os.fstat(handle))
    return False


def _in_use(part: Path, target: Path) -> FileError:
    return FileError(
        f"cannot write {target}: another process is writing it: wait for it, or choose another name (if there is none, "
        f"{part} cannot be removed)"
    )


def release(part: Path) -> None:
    """Release this process's lock of a temporary file."""
    handle = _locks.pop(part, None)
    if handle is not None:
        os.close(handle)


def remove(place: Path) -> None:
    """Remove a file, if that is possible."""
    with suppress(OSError):
        place.unlink(missing_ok=True)
