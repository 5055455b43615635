# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Output files appear whole or not at all: written beside the target under another name, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FileError

Pathname = str | os.PathLike[str]


def part_path(path: Pathname) -> Path:
    """The temporary name of an output file: the same in every process."""
    target = followed(path)
    return target.with_name(f".{target.name}.part")


def followed(path: Pathname) -> Path:
    """The file that a name stands for: a symbolic link stays, and what it leads to is written."""
    return Path(os.path.realpath(path))


def check_writable(path: Pathname, length: int = 0) -> Path:
    """The target as a path, or FileError: no file, no such folder, no permission, or under ``length`` bytes free."""
    target = Path(path)
    folder = followed(target).parent if target.is_symlink() else target.parent
    if target.is_dir():
        raise FileError(f"cannot write {target}: it is a folder; pass the name of a file")
    if target.exists() and not target.is_file():
        raise FileError(f"cannot write {target}: it is a device or a pipe; pass the name of a file")
    if not folder.is_dir():
        raise FileError(f"cannot write {target}: there is no folder {folder}; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"cannot write {target}: no permission to create files in {folder}")
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    if length > free:
        raise FileError(f"cannot write {target}: it takes {length} bytes and {folder} has {free} free")
    return target


def commit(path: Pathname) -> None:
    """Make the temporary file durable and give it its name."""
    target, part = followed(path), part_path(path)
    try:
        for place in (part, target.parent):
            if place == target.parent:
                part.replace(target)
            handle = os.open(place, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror}") from error


def discard(path: Pathname) -> None:
    """Remove the temporary file, if there is one."""
    with suppress(OSError):
        part_path(path).unlink()


@contextmanager
def atomic_output(path: Pathname) -> Iterator[Path]:
    """The temporary file to write; it takes its name when the block ends well and is removed otherwise."""
    target = check_writable(path)
    try:
        yield part_path(target)
        commit(target)
    except OSError as error:
        discard(target)
        raise FileError(f"cannot write {target}: {error.strerror or error}") from error
    except BaseException:
        discard(target)
        raise


class SliceWriter:
    """A file of known length whose slices are written by several processes, in any order.

    One process calls `create`, then any process `write_at`, then one `commit` (or `discard`).
    """

    def __init__(self, path: Pathname, length: int) -> None:
        self.path = check_writable(path, length)
        self.length = length

    def create(self) -> None:
        """Make the temporary file in its full length, zeros but for the header."""
        try:
            with part_path(self.path).open("wb") as file:
                file.truncate(self.length)
                for position, content in self.header():
                    os.pwrite(file.fileno(), content, position)
        except OSError as error:
            discard(self.path)
            raise FileError(f"cannot write {self.path}: {error.strerror}") from error

    def header(self) -> list[tuple[int, bytes]]:
        """(position, bytes) that `create` writes."""
        raise NotImplementedError

    def write_at(self, *pieces: tuple[int, NDArray[Any]]) -> None:
        """Write arrays at byte positions of the temporary file."""
        try:
            handle = os.open(part_path(self.path), os.O_WRONLY)
            try:
                for position, values in pieces:
                    content = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
                    done = 0
                    while done < len(content):
                        done += os.pwrite(handle, content[done:], position + done)
            finally:
                os.close(handle)
        except OSError as error:
            raise FileError(f"cannot write {self.path}: {error.strerror}") from error

    def commit(self) -> None:
        """Make the file durable and give it its name; FileError where that fails."""
        commit(self.path)

    def discard(self) -> None:
        """Remove what was written."""
        discard(self.path)
