# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic output files, which appear whole or not at all: written under another name, then renamed.

`lux.io.files.temporary` tells a killed process's leftovers from files that another process is writing.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FileError
from lux.io.files.room import cannot_write, check_room, reserve
from lux.io.files.temporary import claim, release, remove

Pathname = str | os.PathLike[str]


def part_path(path: Pathname) -> Path:
    """Return the temporary name of an output file, equal in every process."""
    target = followed(path)
    return target.with_name(f".{target.name}.part")


def followed(path: Pathname) -> Path:
    """Return the file that a name stands for: a symbolic link is kept, and its target is written."""
    return Path(os.path.realpath(path))


def check_writable(path: Pathname, length: int = 0) -> Path:
    """Return the target as a path; FileError unless its folder is writable and has ``length`` bytes free."""
    target = Path(path)
    if target.is_dir():
        raise FileError(f"cannot write {target}: it is a folder; pass the name of a file")
    if target.exists() and not target.is_file():
        raise FileError(f"cannot write {target}: it is a device or a pipe; pass the name of a file")
    check_room(target, length)
    return target


def begin(path: Pathname, rescue: Callable[[], object] | None = None) -> Path:
    """Create the temporary file, empty; FileError if that fails or another process is writing it.

    ``rescue`` is passed to `lux.io.files.temporary.claim`.
    """
    part = part_path(path)
    claim(part, Path(path), lambda: part.touch(exist_ok=False), rescue)
    return part


def sync(place: Path) -> None:
    """Wait until a file's content, or the names in a folder, are on the disk."""
    handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot sync folders
            raise
    finally:
        os.close(handle)


def commit(path: Pathname) -> None:
    """Make the temporary file durable and give it its name."""
    target, part = followed(path), part_path(path)
    try:
        sync(part)
        part.replace(target)
        sync(target.parent)
    except OSError as error:
        remove(part)
        raise cannot_write(target, error) from error
    finally:
        release(part)


def discard(path: Pathname) -> None:
    """Remove the temporary file, if there is one."""
    part = part_path(path)
    remove(part)
    release(part)


@contextmanager
def atomic_output(path: Pathname, commit: Callable[[Pathname], None] = commit) -> Iterator[Path]:
    """Yield the temporary file to write; it is renamed (``commit``) if the block ends well, else removed."""
    target = check_writable(path)
    part = begin(target)
    try:
        yield part
        commit(target)
    except OSError as error:
        failed = cannot_write(target, error)
        discard(target)
        raise failed from error
    except BaseException:
        discard(target)
        raise


def write_text(path: Pathname, text: str) -> None:
    """Write a small file as a whole; FileError on failure."""
    with atomic_output(path) as part:
        part.write_text(text, encoding="utf-8")


def write_pieces(place: Path, *pieces: tuple[int, NDArray[Any]]) -> None:
    """Write arrays at byte positions of a file."""
    handle = os.open(place, os.O_WRONLY | os.O_CLOEXEC)
    try:
        for position, values in pieces:
            content = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
            done = 0
            while done < len(content):
                done += os.pwrite(handle, content[done:], position + done)
    finally:
        os.close(handle)


class SliceWriter:
    """Slice writer: a file of known length whose slices are written by several processes, in any order.

    One process calls `create`, then any process `write_at`, then one `commit` (or `discard`).
    """

    def __init__(self, path: Pathname, length: int) -> None:
        self.path, self.length = Path(path), length

    def create(self) -> None:
        """Create the temporary file in its full length, zeros but for the header.

        Raises
        ------
        FileError
            The file cannot be created, or there is too little room.
        """
        check_writable(self.path)
        part = begin(self.path)
        try:
            check_writable(self.path, self.length)  # after removing an earlier process's leftovers
            with part.open("wb") as file:
                reserve(file.fileno(), self.length)
                for position, content in self.header():
                    os.pwrite(file.fileno(), content, position)
        except OSError as error:
            discard(self.path)
            raise cannot_write(self.path, error, self.length) from error
        except BaseException:
            discard(self.path)
            raise

    def header(self) -> list[tuple[int, bytes]]:
        """Return the header that `create` writes, as (position, bytes)."""
        raise NotImplementedError

    def write_at(self, *pieces: tuple[int, NDArray[Any]]) -> None:
        """Write arrays at byte positions of the temporary file."""
        try:
            write_pieces(part_path(self.path), *pieces)
        except OSError as error:
            raise cannot_write(self.path, error, self.length) from error

    def commit(self) -> None:
        """Make the file durable and give it its name; FileError on failure."""
        commit(self.path)

    def discard(self) -> None:
        """Remove the temporary file."""
        discard(self.path)
