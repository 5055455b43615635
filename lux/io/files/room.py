# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Free room on the disk for a file to be written, and errors that report it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from lux.errors import FileError


def check_room(target: Path, length: int = 0) -> None:
    """Raise FileError unless the target's folder is writable and has ``length`` bytes free."""
    folder = _folder(target)
    if not folder.is_dir():
        raise FileError(f"cannot write {target}: there is no folder {folder}; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"cannot write {target}: no permission to create files in {folder}")
    free = free_bytes(folder)
    if length > free:
        raise FileError(
            f"cannot write {target}: it takes {length} bytes and {folder} has {free} free: make room, or write to "
            "another disk"
        )


def free_bytes(folder: Path) -> int:
    """Return the free bytes on the disk of a folder."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def cannot_write(target: Path, error: OSError, length: int | None = None) -> FileError:
    """Return the error to raise for one of the system; on a full disk it reports needed and free bytes."""
    why = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        folder = _folder(target)
        takes = "" if length is None else f"it takes {length} bytes and "
        why += f": {takes}{folder} has {free_bytes(folder)} bytes free: make room, or write to another disk"
    return FileError(f"cannot write {target}: {why}")


def _folder(target: Path) -> Path:
    return Path(os.path.realpath(target)).parent if target.is_symlink() else target.parent


def reserve(handle: int, length: int) -> None:
    """Give an open, empty file its length, and reserve the room for it if the file system can.

    Otherwise a full disk is noticed, as an error, when the file is written.
    """
    try:
        os.posix_fallocate(handle, 0, length)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENODEV, errno.ENOSYS, errno.EOPNOTSUPP):
            raise
        os.ftruncate(handle, length)
