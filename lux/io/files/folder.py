# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic output folders: filled under another name, then exchanged with the folder of the final name.

If the file system cannot exchange two folders, the old one is renamed away first. A process killed between the two
renames leaves the old folder whole, and the next write to the target restores its name.
"""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

from lux.errors import FileError
from lux.io.files.atomic import Pathname, followed, part_path, sync
from lux.io.files.room import cannot_write, check_room
from lux.io.files.temporary import claim, release, remove

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def old_path(path: Pathname) -> Path:
    """Return the name of the folder that is being replaced, for file systems without an exchange."""
    target = followed(path)
    return target.with_name(f".{target.name}.old")


def begin_folder(path: Pathname) -> Path:
    """Create the temporary folder, empty; FileError if that fails or another process is filling it."""
    target, part, old = followed(path), part_path(path), old_path(path)
    refuse_left(target)
    check_room(target)
    claim(part, target, part.mkdir)
    try:
        if old.is_dir() and not os.path.lexists(target):
            old.rename(target)
        remove(old)
    except OSError as error:
        discard_folder(path)
        raise cannot_write(target, error) from error
    return part


def discard_folder(path: Pathname) -> None:
    """Remove the temporary folder, if there is one."""
    part = part_path(path)
    remove(part)
    release(part)


def commit_folder(path: Pathname) -> None:
    """Make the temporary folder durable, give it its name and remove the folder that had it."""
    target, part, old = followed(path), part_path(path), old_path(path)
    try:
        for file in sorted(part.iterdir()):
            sync(file)
        sync(part)
        if not os.path.lexists(target):
            part.rename(target)
        elif not exchange(part, target):
            _rename_both(part, target, old)
        sync(target.parent)
    except OSError as error:
        raise cannot_write(target, error) from error
    finally:
        remove(part)
        release(part)
    remove(old)


def exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two folders in one step; False if the system cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if not rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE):
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
        return False
    raise OSError(number, os.strerror(number))


def _rename_both(part: Path, target: Path, old: Path) -> None:
    target.rename(old)
    try:
        part.rename(target)
    except OSError:
        old.rename(target)
        raise


def refuse_left(path: Pathname) -> None:
    """Raise FileError for a name that only an interrupted write leaves: a temporary or a replaced folder."""
    place = Path(path).absolute()
    if not (place.name.startswith(".") and place.stem[1:] and place.suffix in (".part", ".old")):
        return
    target = place.with_name(place.stem[1:])
    raise FileError(f"{path} is no graph to use: an interrupted save of {target} left it; {_remedy(target)}")


def refuse_missing(path: Pathname) -> None:
    """Raise FileError with a remedy if a missing folder has leftovers of an interrupted write."""
    target = followed(path)
    if not os.path.lexists(target) and (old_path(target).is_dir() or part_path(target).is_dir()):
        raise FileError(f"there is no folder {path}: a save of it was interrupted; {_remedy(target)}")


def _remedy(target: Path) -> str:
    if os.path.lexists(target):
        return f"load {target}"
    if old_path(target).is_dir():
        return f"the graph that was there is whole in {old_path(target)}: rename that to {target.name}"
    return "save the graph again"
