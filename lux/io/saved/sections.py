# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sections of a .lux file, written and read by point tasks: each its own values, with their checksums.

Bytes are read into a graph's stores, not mapped: a mapped file that is truncated meanwhile ends the process, and each
byte is looked at once in any case, for its checksum.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import FormatError
from lux.io.files.atomic import Pathname, SliceWriter, part_path
from lux.io.files.content import FileContent
from lux.io.files.sidecar import commit_with
from lux.io.saved.document import ORDER
from lux.io.saved.header import CHECKSUMS, Header, Section, damaged, length_of
from lux.partition.split_points import MAX_PARTITIONS
from lux.runtime import Store, Task

Check = Callable[[NDArray[Any]], bool]
"""Tells whether values of a section are possible."""


class SavedFile:
    """File of a saved graph that is being read; it stays the same save, whatever happens to its name.

    Parameters
    ----------
    content : FileContent

    Raises
    ------
    FormatError
        The file is of another version, truncated or damaged.
    """

    def __init__(self, content: FileContent) -> None:
        self.content, self.path = content, content.path
        self.header, self._checksums = Header.read(content)

    def read(self, section: Section, first: int, values: NDArray[Any], check: Check | None = None) -> None:
        """Fill an array with values of a section, from ``first`` on, and check them piece by piece.

        Raises
        ------
        FormatError
            The bytes of a piece contradict its checksum, or ``check`` refuses them.
        """
        step, last = section.values_of_piece, first + len(values)
        for piece in range(first // step, -(-last // step) if len(values) else 0):
            lo, hi = piece * step, min((piece + 1) * step, section.length)
            inside = values[max(lo - first, 0) : hi - first]
            whole = inside if len(inside) == hi - lo else np.empty(hi - lo, section.dtype)
            self.content.read_into(whole, section.position + lo * section.dtype.itemsize)
            if zlib.crc32(whole.data) != self._checksums[section.first + piece]:
                raise damaged(self.path, section.name)
            if whole is not inside:
                inside[:] = whole[max(first - lo, 0) : last - lo]
            if check is not None and not check(inside):
                raise FormatError(
                    f"{self.path}: section {section.name!r} names edges or vertices that are not there: save the graph "
                    "again"
                )

    def values(self, name: str) -> NDArray[Any]:
        """Read and check a whole section."""
        section = self.header.sections[name]
        values = np.empty(section.length, section.dtype)
        self.read(section, 0, values)
        return values


class SavedWriter(SliceWriter):
    """Writer of a saved graph: one process creates and finishes the file, all write sections."""

    def __init__(self, path: Any, header: Header, length: int) -> None:
        super().__init__(path, length)
        self.head = header

    def header(self) -> list[tuple[int, bytes]]:
        """Return nothing: the header comes last, so that a file that is not whole is no graph."""
        return []

    def write(self, section: Section, first: int, values: NDArray[Any]) -> None:
        """Write values of a section from ``first`` on, which begin a piece, and their checksums."""
        step = section.values_of_piece
        sums = [zlib.crc32(values[at : at + step].data) for at in range(0, len(values), step)]
        checks = self.head.sections[CHECKSUMS].position + 4 * (section.first + first // step)
        at = section.position + first * section.dtype.itemsize
        self.write_at((at, values), (checks, np.array(sums, "<u4")))


def write_file(path: Pathname, header: Header, stores: Mapping[str, Store], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file as a whole, replacing one of that name; all processes write it together.

    Parameters
    ----------
    path : str or path
    header : Header
    stores : mapping of str to Store
        Sections that all processes write.
    arrays : mapping of str to np.ndarray
        Sections that every process has, and the first one writes.

    Raises
    ------
    FileError
        The file cannot be written, or there is too little room.
    """
    writer = SavedWriter(path, header, length_of(header.sections))
    runtime.on_first_rank(writer.create)
    try:
        for name, store in stores.items():
            write_section(writer, name, store)
        runtime.on_first_rank(functools.partial(_finish, writer, arrays))
    except BaseException:  # an interrupt too
        if runtime.rank() == 0:
            writer.discard()
        raise


def _finish(writer: SavedWriter, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the sections that every process has, then the header, and give the file its name."""
    for name, values in arrays.items():
        writer.write(writer.head.sections[name], 0, values)
    sums = writer.head.sections[CHECKSUMS]
    written = FileContent(part_path(writer.path)).values(sums.dtype, sums.length, sums.position)
    writer.write_at((0, np.frombuffer(writer.head.pack(written), np.uint8)))
    commit_with(writer.path, None)


def write_section(writer: SavedWriter, name: str, store: Store) -> None:
    """Write a store into a file, each point its slice; FileError on failure."""
    section = writer.head.sections[name]
    points = min(runtime.processors(), section.pieces, MAX_PARTITIONS)
    pieces = np.linspace(0, section.pieces, points + 1).astype(np.int64)
    _move(_write, np.minimum(pieces * section.values_of_piece, section.length), (writer, section), column=store)


def read_section(
    file: SavedFile, name: str, store: Store, cuts: NDArray[np.int64] | None = None, check: Check | None = None
) -> None:
    """Read a section into a store, each point its slice; ``cuts`` are the first values of slices, by default even.

    Raises
    ------
    FormatError
        The section is damaged, or ``check`` refuses some of its values.
    """
    length = file.header.sections[name].length
    even = np.linspace(0, length, min(runtime.processors(), length, MAX_PARTITIONS) + 1).astype(np.int64)
    _move(_read, even if cuts is None else cuts, (file, file.header.sections[name], check), column=store)


def check_inverse(vertices: Store, places: Store, length: int, path: object) -> None:
    """Raise FormatError unless two columns of internal ids are each other's inverse."""
    cuts = np.linspace(0, length, min(runtime.processors(), length, MAX_PARTITIONS) + 1).astype(np.int64)
    _move(_compare, cuts, (path,), places=places, vertices=vertices)


def _move(launcher: Task, cuts: NDArray[np.int64], what: tuple[Any, ...], **stores: Store) -> None:
    """Have every point task process its slice of a column."""
    if not cuts[-1]:
        return
    with runtime.registered((cuts.tolist(), *what)) as key:
        launcher(len(cuts) - 1, **stores, slices=runtime.ranges(cuts), key=key)


@runtime.task(runtime.CheckedLauncher, inputs={"column": "slices"}, scalars={"key": int})
def _write(point: int, column: NDArray[Any], key: int) -> None:
    cuts, writer, section = runtime.context(key)
    if cuts[point] < cuts[point + 1]:
        writer.write(section, cuts[point], column[: cuts[point + 1] - cuts[point]])


@runtime.task(runtime.CheckedLauncher, outputs={"column": "slices"}, scalars={"key": int})
def _read(point: int, column: NDArray[Any], key: int) -> None:
    cuts, file, section, check = runtime.context(key)
    file.read(section, cuts[point], column[: cuts[point + 1] - cuts[point]], check)


@runtime.task(runtime.CheckedLauncher, inputs={"places": "slices", "vertices": None}, scalars={"key": int})
def _compare(point: int, places: NDArray[Any], vertices: NDArray[Any], key: int) -> None:
    cuts, path = runtime.context(key)
    lo, step = cuts[point], 1 << 17
    own = places[: cuts[point + 1] - lo]
    for first in range(0, len(own), step):
        values = own[first : first + step]
        if not np.array_equal(vertices[values], np.arange(lo + first, lo + first + len(values))):
            raise FormatError(f"{path}: sections {' and '.join(map(repr, ORDER))} contradict each other: save it again")
