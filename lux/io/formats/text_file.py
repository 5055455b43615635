# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Text files, plain or compressed, as blocks of whole lines: memory holds a few blocks and never the whole text."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lux.checks import integer
from lux.errors import FileError, FormatError, ParseError
from lux.io.files.atomic import Pathname
from lux.io.files.content import FileContent
from lux.io.formats.binary import another_format, look_like

CHUNK = 1 << 24  # bytes of a block, which one thread parses
FIRST_LINES = 1 << 16  # bytes of a block if only some lines are read
LONGEST_LINE = 1 << 28  # bytes of a line of compressed text: a small file may expand to lines of any length
MOST = 1 << 62  # vertices, edges, and other counts of a header
NEWLINE = 10
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class TextFile:
    """Text file, decompressed if its name ends in ``.gz``.

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
        self.compressed = self.path.suffix.lower() == ".gz"
        head = FileContent(path)[:4096]
        if self.compressed:
            if head and look_like(head) != "gzip-compressed":
                raise FormatError(f"{path} is named .gz but is not gzip-compressed: rename or compress it")
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
            with gzip.open(self.path) as file:
                file.seek(position)
                yield file.read
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise FormatError(f"{self.path} is damaged or truncated: {error}") from error
        except OSError as error:
            raise FileError(f"cannot read {self.path}: {error.strerror or error}") from error

    def blocks(self, position: int, size: int = 0) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield (byte position, bytes) of blocks of whole lines from a line's start to the end, about ``size`` bytes.

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
        with self._opened(position) as read:
            while piece := read(size):
                cut = piece.rfind(b"\n") + 1
                if not cut:
                    rest += piece
                    self._check_line(position, len(rest))
                    continue
                rest += memoryview(piece)[:cut]
                yield position, np.frombuffer(rest, np.uint8)
                position, rest = position + len(rest), bytearray(piece[cut:])
            if rest:
                yield position, np.frombuffer(rest, np.uint8)

    def _check_line(self, position: int, length: int) -> None:
        if self.compressed and length > LONGEST_LINE:
            raise FormatError(
                f"{self.path}: the line at byte {position} of the decompressed text has more than {LONGEST_LINE} "
                "bytes, the most in compressed files: decompress it first if that is right"
            )

    def lines(self, position: int, comments: bytes = b"") -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, text) of each line that is neither empty nor a comment, from a byte position on."""
        end = position
        for _, block in self.blocks(position, min(FIRST_LINES, CHUNK)):
            for line in io.BytesIO(block.tobytes()):
                start, end = end, end + len(line)
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


def _reader(content: FileContent, position: int) -> Callable[[int], bytes]:
    """Read a file that is not compressed, from a byte position on."""
    place = position

    def read(size: int) -> bytes:
        nonlocal place
        piece = content[place : place + size]
        place += len(piece)
        return piece

    return read
