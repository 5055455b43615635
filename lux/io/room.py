# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Room on the disk for a file or folder to be written, and errors that say how much there is."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from lux.errors import FileError


def check_room(target: Path, length: int = 0) -> None:
    """FileError unless things can be made where the target is, and ``length`` bytes are free there."""
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
    """Room that is left on the disk of a folder."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def cannot_write(target: Path, error: OSError, length: int | None = None) -> FileError:
    """The error to raise for one of the system; where the disk is full it says what was needed and what is free."""
    why = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        folder = _folder(target)
        takes = "" if length is None else f"it takes {length} bytes and "
        why += f": {takes}{folder} has {free_bytes(folder)} bytes free: make room, or write to another disk"
    return FileError(f"cannot write {target}: {why}")


def _folder(target: Path) -> Path:
    return Path(os.path.realpath(target)).parent if target.is_symlink() else target.parent


def reserve(handle: int, length: int) -> None:
    """Give an open, empty file its length, and take the room for it where the file system can.

    Otherwise a disk that is full shows when the file is written, which is an error then too.
    """
    try:
        os.posix_fallocate(handle, 0, length)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENODEV, errno.ENOSYS, errno.EOPNOTSUPP):
            raise
        os.ftruncate(handle, length)
