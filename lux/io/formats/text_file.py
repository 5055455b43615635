# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Text files, plain or compressed, as blocks of whole lines: memory holds a few blocks and never the whole text."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from lux.checks import integer
from lux.errors import FileError, FormatError, ParseError
from lux.io.files.atomic import Pathname
from lux.io.files.content import FileContent
from lux.io.formats.binary import another_format, look_like
from lux.io.formats.formats import COMPRESSED

CHUNK = 1 << 24  # bytes of a block, which one thread parses
FIRST_LINES = 1 << 16  # bytes of a block if only some lines are read
SAMPLE = 1 << 22  # bytes of compressed text by which the length of all of it is estimated
LONGEST_LINE = 1 << 28  # bytes of a line of compressed text: a small file may expand to lines of any length
MOST = 1 << 62  # vertices, edges, and other counts of a header
NEWLINE = 10
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class TextFile:
    """Text file, decompressed if its name ends in ``.gz`` or ``.zst``.

    Attributes
    ----------
    start : int
        The byte position of the first line; positions are those of the decompressed text.

    Raises
    ------
    FileError
        The file is missing or unreadable.
    FormatError
        The file is binary, damaged, or compressed in contradiction to its name.
    """

    def __init__(self, path: Pathname, name: str, allowed: str | None = None) -> None:
        self.path, self.name = Path(path), name
        suffix = self.path.suffix.lower()
        self.compressed = COMPRESSED.get(suffix)
        head = FileContent(path)[:4096]
        if self.compressed:
            if head and look_like(head) != f"{self.compressed}-compressed":
                raise FormatError(
                    f"{path} is named {suffix} but is not {self.compressed}-compressed: rename or compress it"
                )
            with self._opened(0) as read:
                head = read(4096)
        seen = look_like(head)
        binary = b"\0" in head
        if binary or seen not in (None, "text", allowed):
            raise another_format(path, "binary" if binary and seen in (None, allowed) else seen, name)
        self.start = len(BYTE_ORDER_MARK) if head.startswith(BYTE_ORDER_MARK) else 0

    @contextmanager
    def _opened(self, position: int) -> Iterator[Callable[[int], bytes]]:
        """Open the text for reading from a byte position on; a call returns as many bytes as asked for."""
        if not self.compressed:
            yield _reader(FileContent(self.path), position)
            return
        try:
            with self.path.open("rb") as raw, _decompressed(raw, self.compressed) as file:
                while position and (passed := len(file.read(min(position, CHUNK)))):
                    position -= passed
                yield file.read
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise FormatError(f"{self.path} is damaged or truncated: {error}") from error
        except OSError as error:
            if error.errno is None:  # PyArrow's, for what is no frame of Zstandard
                raise FormatError(f"{self.path} is damaged or truncated: {error}") from error
            raise FileError(f"cannot read {self.path}: {error.strerror or error}") from error

    @cached_property
    def length(self) -> int:
        """The bytes of the text; estimated by its beginning if it is compressed and longer than that."""
        if not self.compressed:
            return len(FileContent(self.path))
        with self._opened(0) as read:
            found = len(read(SAMPLE))
        if found < SAMPLE:
            return found
        with self.path.open("rb") as raw, _decompressed(raw, self.compressed) as file:
            file.read(SAMPLE)
            return SAMPLE * len(FileContent(self.path)) // max(raw.tell(), 1)

    def blocks(
        self, position: int, size: int = 0, *, end: int | None = None, aligned: bool = True
    ) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield (byte position, bytes) of blocks of whole lines, about ``size`` bytes, to the end of the file.

        Parameters
        ----------
        position : int
            Where a line starts; if not ``aligned`` any place, and the line that starts there or next is the first.
        end : int, optional
            Lines that start there or later are left out.

        Raises
        ------
        FileError
            The file cannot be read.
        FormatError
            The file was truncated meanwhile, or compressed text is damaged or has a line of more than `LONGEST_LINE`
            bytes.
        """
        size = size or CHUNK
        rest = bytearray()
        with self._opened(position if aligned else position - 1) as read:
            position -= not aligned
            while not aligned and (piece := read(size)):
                cut = piece.find(b"\n") + 1
                position, aligned = position + (cut or len(piece)), cut > 0
                rest = bytearray(piece[cut:]) if aligned else rest
            while (end is None or position < end) and (piece := read(size)):
                cut = piece.rfind(b"\n") + 1
                if not cut:
                    rest += piece
                    self._check_line(position, len(rest))
                    continue
                rest += memoryview(piece)[:cut]
                yield position, np.frombuffer(rest, np.uint8)[: _cut_at(rest, position, end)]
                position, rest = position + len(rest), bytearray(piece[cut:])
            if rest and (end is None or position < end):
                yield position, np.frombuffer(rest, np.uint8)[: _cut_at(rest, position, end)]

    def _check_line(self, position: int, length: int) -> None:
        if self.compressed and length > LONGEST_LINE:
            raise FormatError(
                f"{self.path}: the line at byte {position} of the decompressed text has more than {LONGEST_LINE} "
                "bytes, the most in compressed files: decompress it first if that is right"
            )

    def lines(self, position: int, comments: bytes = b"") -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, text) of each line that is neither empty nor a comment, from a byte position on."""
        some = b"(?:[%b][^\\n]*+\\n)++" % re.escape(comments) if comments else b"(?!)"
        passed_over = re.compile(b"(?:\\s*+" + some + b")*+\\s*+")  # many empty lines and comments at once
        end = position
        for _, block in self.blocks(position, min(FIRST_LINES, CHUNK)):
            content, at = block.tobytes(), 0
            lines = io.BytesIO(content)
            while True:
                found = passed_over.match(content, at)
                after = content.rfind(b"\n", at, found.end() if found else at) + 1 or at
                lines.seek(after)
                if not (line := lines.readline()):
                    end += after - at
                    break
                start = end + after - at
                end, at = start + len(line), after + len(line)
                bare = line.strip()
                if bare and bare[0] not in comments:
                    yield start, end, line.decode("utf-8", "replace")

    def counts(self, position: int, fields: Sequence[str], why: str) -> list[int]:
        """Parse the whole numbers from 0 to `MOST` of the line at a byte position; else raise its ParseError."""
        numbers = [number for field in fields if (number := integer(field, 0, MOST)) is not None]
        if len(numbers) < len(fields):
            raise self.error(position, why)
        return numbers

    def error(self, position: int, why: str) -> ParseError:
        """Return the ParseError of the line that starts at a byte position."""
        number = 1
        for start, block in self.blocks(0):
            if position < start + len(block):
                number += int(np.count_nonzero(block[: position - start] == NEWLINE))
                line = io.BytesIO(block[position - start :].tobytes()).readline()
                return ParseError(self.path, number, line.decode("utf-8", "replace"), why)
            number += int(np.count_nonzero(block == NEWLINE))
        return ParseError(self.path, number, "", why)

    def error_in_row(self, start: int, comments: bytes, row: int, why: str) -> ParseError:
        """Return the ParseError of data line ``row``, counted from the byte position ``start``."""
        for i, (position, _, _) in enumerate(self.lines(start, comments)):
            if i == row:
                return self.error(position, why)
        raise FileError(f"{self.path} changed while it was read")


def _cut_at(lines: bytearray, position: int, end: int | None) -> int:
    """Return the bytes of those of some whole lines that start before ``end``."""
    if end is None or position + len(lines) <= end:
        return len(lines)
    return (lines.find(b"\n", end - 1 - position) + 1) or len(lines)


def _decompressed(raw: BinaryIO, how: str) -> Any:
    """Open a compressed file as a stream of its content."""
    if how == "gzip":
        return gzip.GzipFile(fileobj=raw)
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd")


def _reader(content: FileContent, position: int) -> Callable[[int], bytes]:
    """Read a file that is not compressed, from a byte position on."""
    place = position

    def read(size: int) -> bytes:
        nonlocal place
        piece = content[place : place + size]
        place += len(piece)
        return piece

    return read
