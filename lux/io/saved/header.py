# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Header and table of sections of a .lux file, version 2; all numbers are little endian.

| offset | bytes   | content                                                         |
|--------|---------|-----------------------------------------------------------------|
| 0      | 8       | 89 4c 55 58 0d 0a 1a 0a, which no file of the 2017 system has   |
| 8      | 4       | uint32 version, 2                                               |
| 12     | 4       | uint32 0x01020304, which shows the order of bytes               |
| 16     | 8       | uint64 number of vertices                                       |
| 24     | 8       | uint64 number of stored edges                                   |
| 32     | 4       | uint32 flags: 1 for a directed graph                            |
| 36     | 4       | uint32 number of sections                                       |
| 40     | 8       | uint64 bytes of the file                                        |
| 48     | 8       | uint64 random number of this save                               |
| 56     | 4       | uint32 CRC-32 of the table                                      |
| 60     | 4       | uint32 CRC-32 of bytes 0 to 59                                  |
| 64     | 64 each | table: the name of each section (32 bytes), NumPy's name of its |
|        |         | type (8), and uint64 position, length, CRC-32 of its checksums  |

Sections follow the table in its order, each from the next multiple of 4,096 bytes on. The first one, ``checksums``, has
the CRC-32 of each piece of 2^18 bytes of all other sections, so that every process checks what it reads, and no more.
`lux.io.saved.document` says what the other sections are.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.io.files.content import FileContent

MAGIC, VERSION, BYTE_ORDER = b"\x89LUX\r\n\x1a\n", 2, 0x01020304
HEADER, ENTRY = struct.Struct("<8sIIQQIIQQII"), struct.Struct("<32s8sQQQ")
ALIGNMENT = 4096
PIECE = 1 << 18
"""Bytes of a section that have one checksum; they stay in a core's cache."""
CHECKSUMS = "checksums"
DIRECTED = 1
MOST = 2**62
"""Maximum number of vertices or edges, whose offsets are int64."""
TYPES = {np.dtype(kind).str: np.dtype(kind) for kind in "?bBhHiIlLefd"}
"""Types of values, by the name in the table."""

Columns = Mapping[str, tuple[np.dtype[Any], int]]
"""Type and length of each section."""


@dataclass(frozen=True)
class Section:
    """Section of a file.

    Attributes
    ----------
    position : int
        Byte of its first value.
    first : int
        Number of its first checksum.
    """

    name: str
    dtype: np.dtype[Any]
    length: int
    position: int
    first: int

    @property
    def nbytes(self) -> int:
        """Number of bytes."""
        return self.length * self.dtype.itemsize

    @property
    def pieces(self) -> int:
        """Number of pieces with a checksum each."""
        return -(-self.nbytes // PIECE)

    @property
    def values_of_piece(self) -> int:
        """Number of values in a piece."""
        return PIECE // self.dtype.itemsize


def arrange(columns: Columns) -> dict[str, Section]:
    """Place sections in a file, ``checksums`` first.

    >>> sections = arrange({"offsets": (np.dtype(np.int64), 3), "sources": (np.dtype(np.uint32), 9)})
    >>> {name: (section.length, section.position) for name, section in sections.items()}
    {'checksums': (2, 4096), 'offsets': (3, 8192), 'sources': (9, 12288)}
    """
    pieces = sum(-(-length * dtype.itemsize // PIECE) for dtype, length in columns.values())
    found: dict[str, Section] = {}
    end, first = HEADER.size + ENTRY.size * (len(columns) + 1), 0
    for name, (dtype, length) in {CHECKSUMS: (np.dtype("<u4"), pieces), **columns}.items():
        found[name] = section = Section(name, dtype, length, -(-end // ALIGNMENT) * ALIGNMENT, first)
        end = section.position + section.nbytes
        first += 0 if name == CHECKSUMS else section.pieces
    return found


def length_of(sections: Mapping[str, Section]) -> int:
    """Return the bytes of a file with these sections."""
    last = list(sections.values())[-1]
    return last.position + last.nbytes


@dataclass(frozen=True)
class Header:
    """Header of a file, with its table.

    Attributes
    ----------
    number : int
        Random number, by which two saves differ.
    sections : dict of str to Section
    """

    n_vertices: int
    n_edges: int
    directed: bool
    number: int
    sections: dict[str, Section]

    def pack(self, checksums: NDArray[np.uint32]) -> bytes:
        """Return the bytes of the header and the table; ``checksums`` are those of all pieces."""
        table = b"".join(
            ENTRY.pack(name.encode(), section.dtype.str.encode(), section.position, section.length, sums)
            for (name, section), sums in zip(self.sections.items(), self._of_sections(checksums), strict=True)
        )
        counts = self.n_vertices, self.n_edges, DIRECTED * self.directed, len(self.sections), length_of(self.sections)
        head = HEADER.pack(MAGIC, VERSION, BYTE_ORDER, *counts, self.number, zlib.crc32(table), 0)[:-4]
        return head + struct.pack("<I", zlib.crc32(head)) + table

    def _of_sections(self, checksums: NDArray[np.uint32]) -> list[int]:
        """Return the CRC-32 of each section's checksums; 0 for the checksums themselves."""
        return [
            0 if name == CHECKSUMS else zlib.crc32(checksums[section.first : section.first + section.pieces].tobytes())
            for name, section in self.sections.items()
        ]

    @classmethod
    def read(cls, content: FileContent) -> tuple[Header, NDArray[np.uint32]]:
        """Read the header, and the checksums of all pieces.

        Raises
        ------
        FormatError
            The file is of another version, truncated or damaged; the message names the section.
        """
        path, head = content.path, content[: HEADER.size]
        if len(head) < HEADER.size:
            raise FormatError(f"{path} has {len(head)} bytes, and its header takes {HEADER.size}: it is truncated")
        _, version, order, n, m, flags, count, length, number, of_table, of_head = HEADER.unpack(head)
        if version != VERSION:
            raise FormatError(
                f"{path} is a .lux file of version {version}, and this Lux reads version {VERSION} and files of the "
                "2017 Lux system: update Lux, or write the file again"
            )
        if order != BYTE_ORDER or zlib.crc32(head[:-4]) != of_head:
            raise damaged(path, "header")
        if length != len(content):
            raise FormatError(
                f"{path} has {len(content)} bytes, and its header says {length}: it is truncated or has too much: "
                "copy or write it again"
            )
        end = HEADER.size + ENTRY.size * count
        table = content[HEADER.size : end] if end <= length else b""
        if not count or not 1 <= n <= MOST or m > MOST or zlib.crc32(table) != of_table:
            raise damaged(path, "table of sections")
        entries = [ENTRY.unpack_from(table, ENTRY.size * k) for k in range(count)]
        columns = {_text(path, entry[0]): (_type(path, entry[1]), entry[3]) for entry in entries}
        checksums = columns.pop(CHECKSUMS, None)
        sections = arrange(columns)
        asked = [(section.position, section.length) for section in sections.values()]
        if checksums is None or [(e[2], e[3]) for e in entries] != asked or length_of(sections) != length:
            raise damaged(path, "table of sections")
        sums = content.values("<u4", sections[CHECKSUMS].length, sections[CHECKSUMS].position)
        header = cls(n, m, bool(flags & DIRECTED), number, sections)
        for name, entry, found in zip(sections, entries, header._of_sections(sums), strict=True):
            if entry[4] != found:
                raise damaged(path, CHECKSUMS, f", which has those of section {name!r}")
        return header, sums


def damaged(path: object, section: str, more: str = "") -> FormatError:
    """Return the error for bytes that contradict their checksum."""
    return FormatError(
        f"{path} is damaged in section {section!r}{more}: its bytes are not those that were written; copy the file "
        "again, or save the graph again"
    )


def _text(path: object, field: bytes) -> str:
    try:
        return field.rstrip(b"\0").decode("ascii")
    except UnicodeDecodeError:
        raise damaged(path, "table of sections") from None


def _type(path: object, field: bytes) -> np.dtype[Any]:
    name = _text(path, field)
    if name not in TYPES:
        raise FormatError(f"{path} has values of type {name!r}, and those of a graph are one of {', '.join(TYPES)}")
    return TYPES[name]
