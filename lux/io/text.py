# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Text files as bytes, and their lines as typed columns."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FileError, FormatError, ParseError
from lux.io.atomic import Pathname
from lux.io.binary import another_format, look_like
from lux.io.content import FileContent

CHUNK = 1 << 24  # bytes that one thread parses at a time
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Dialect:
    """How fields stand in a line.

    Attributes
    ----------
    separator : str
        The one character between fields; empty: runs of blanks and tabs.
    comments : bytes
        A line that starts with one of these is passed over.
    quotes : bool
        Fields may stand in double quotes.
    """

    separator: str = ""
    comments: bytes = b"#%"
    quotes: bool = False

    def split(self, line: str) -> list[str]:
        """The fields of one line."""
        if self.quotes and '"' in line:
            import csv

            fields = next(csv.reader([line.strip()], delimiter=self.separator or " ", skipinitialspace=True))
        else:
            fields = line.split(self.separator or None)
        return [field.strip() for field in fields]


class TextFile:
    """The content of a text file, decompressed where its name ends in ``.gz``.

    Raises
    ------
    FileError
        The file is missing or unreadable.
    FormatError
        It is binary, or compressed and not named so, or the reverse, or damaged.
    """

    def __init__(self, path: Pathname, name: str, allowed: str | None = None) -> None:
        self.path, self.name = Path(path), name
        content = FileContent(path)
        raw = content.values(np.uint8, len(content), 0).data
        seen = look_like(raw)
        if self.path.suffix.lower() == ".gz":
            if raw and seen != "gzip-compressed":
                raise FormatError(f"{path} is named .gz but is not gzip-compressed: rename or compress it")
            raw, seen = memoryview(self._decompressed()), None
            seen = look_like(raw)
        if seen not in (None, "text", allowed) or b"\0" in bytes(raw[:4096]):
            raise another_format(path, seen or "binary", name)
        self.content: NDArray[np.uint8] = np.frombuffer(raw, np.uint8) if raw else np.empty(0, np.uint8)
        self.start = len(BYTE_ORDER_MARK) if bytes(raw[:3]) == BYTE_ORDER_MARK else 0

    def _decompressed(self) -> bytes:
        try:
            return gzip.decompress(self.path.read_bytes())
        except OSError as error:
            if isinstance(error, gzip.BadGzipFile):
                raise FormatError(f"{self.path} is damaged: {error}") from error
            raise FileError(f"cannot read {self.path}: {error.strerror or error}") from error
        except (EOFError, zlib.error) as error:
            raise FormatError(f"{self.path} is damaged or truncated: {error}") from error

    def lines(self, position: int, comments: bytes = b"") -> Iterator[tuple[int, int, str]]:
        """(start, end, text) of each line that is neither empty nor a comment, from a byte position on."""
        content = self.content.data
        while position < len(content):
            end = self._line_end(position)
            line = bytes(content[position:end])
            bare = line.strip()
            if bare and bare[0] not in comments:
                yield position, end, line.decode("utf-8", "replace")
            position = end

    def _line_end(self, position: int) -> int:
        """The byte after the newline that ends the line at ``position``."""
        step = 256
        while position < len(self.content):
            found = np.flatnonzero(self.content[position : position + step] == 10)
            if len(found):
                return position + int(found[0]) + 1
            position, step = position + step, 2 * step
        return len(self.content)

    def error(self, position: int, why: str) -> ParseError:
        """The ParseError of the line that starts at a byte position."""
        number = int(np.count_nonzero(self.content[:position] == 10)) + 1
        line = self.content[position : self._line_end(position)].tobytes().decode("utf-8", "replace")
        return ParseError(self.path, number, line, why)

    def error_in_row(self, start: int, comments: bytes, row: int, why: str) -> ParseError:
        """The ParseError of data line ``row``, counted from the byte position ``start``."""
        for i, (position, _, _) in enumerate(self.lines(start, comments)):
            if i == row:
                return self.error(position, why)
        raise IndexError(row)

    def chunks(self, start: int) -> list[tuple[int, int]]:
        """Byte ranges of whole lines from ``start`` to the end."""
        cuts = [start]
        while cuts[-1] < len(self.content):
            cuts.append(self._line_end(min(cuts[-1] + CHUNK, len(self.content)) - 1))
        return list(pairwise(cuts))


class Table:
    """The data lines of a text file from a byte position on, each of ``n_columns`` fields.

    Parameters
    ----------
    wanted : sequence of "integer", "id", "string", "number", "skip" or one character
        What each column holds. "id" stands for integers or strings, as the first data line shows; "number" becomes
        int64 or float64; a single character must stand in every line.
    """

    def __init__(self, text: TextFile, start: int, dialect: Dialect, wanted: list[str]) -> None:
        self.text, self.start, self.dialect, self.wanted = text, start, dialect, wanted

    @cached_property
    def columns(self) -> list[Any]:
        """NumPy arrays (numbers) and PyArrow arrays (strings) of the columns that are neither skipped nor keys."""
        from lux.kernels import scan

        kinds = self._first_kinds()
        while True:
            with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
                parts = list(pool.map(lambda ends: self._parse(kinds, *ends), self.text.chunks(self.start)))
            failed = next((part for part in parts if part[1] != scan.DONE), None)
            if failed is None:
                return [self._join(column, kinds, parts) for column in range(len(kinds)) if kinds[column] < scan.SKIP]
            _, status, position, column, _, _ = failed
            a_number = column < len(kinds) and self.wanted[column] == "number"
            if not (a_number and status in (scan.NOT_INTEGER, scan.TOO_LARGE)):
                raise self._error(status, position, column)
            kinds[column] = scan.TEXT

    def _first_kinds(self) -> NDArray[np.int64]:
        from lux.kernels import scan

        fixed = {"integer": scan.INTEGER, "string": scan.TEXT, "skip": scan.SKIP, "number": scan.INTEGER}
        position, _, first = next(self.text.lines(self.start, self.dialect.comments), (0, 0, ""))
        fields = self.dialect.split(first)
        endpoints = [i for i, kind in enumerate(self.wanted) if kind == "id"]
        for i in endpoints:
            if i < len(fields) and is_real(fields[i]):
                raise self.text.error(position, f"field {i + 1} is a real number where an id is needed{self._ends}")
        numeric = not first or all(i < len(fields) and is_integer(fields[i]) for i in endpoints)
        fixed["id"] = scan.INTEGER if numeric else scan.TEXT
        return np.array([fixed.get(kind, scan.KEY) for kind in self.wanted], np.int64)

    def _parse(self, kinds: NDArray[np.int64], lo: int, hi: int) -> tuple[Any, ...]:
        from lux.kernels import scan

        rows = int(np.count_nonzero(self.text.content[lo:hi] == 10)) + 1
        n_text = int(np.count_nonzero(kinds == scan.TEXT))
        integers = np.empty((int(np.count_nonzero(kinds == scan.INTEGER)), rows), np.int64)
        letters = np.empty((n_text, hi - lo if n_text else 0), np.uint8)
        offsets = np.zeros((n_text, rows + 1 if n_text else 0), np.int64)
        key = next((ord(kind) for kind in self.wanted if len(kind) == 1), 0)
        separator = ord(self.dialect.separator) if self.dialect.separator else 0
        comments = np.frombuffer(self.dialect.comments, np.uint8)
        found, status, position, column = scan.columns(
            self.text.content, lo, hi, separator, comments, self.dialect.quotes, key, kinds, integers, letters, offsets
        )
        strings = [_strings(letters[i], offsets[i, : found + 1]) for i in range(n_text)]
        return found, status, position, column, integers[:, :found], strings

    def _join(self, column: int, kinds: NDArray[np.int64], parts: list[tuple[Any, ...]]) -> Any:
        from lux.kernels import scan

        place = int(np.count_nonzero(kinds[:column] == kinds[column]))
        if kinds[column] == scan.INTEGER:
            values = np.concatenate([part[4][place] for part in parts]) if parts else np.empty(0, np.int64)
            return smallest(values) if self.wanted[column] == "number" else values
        import pyarrow as pa

        joined = pa.concat_arrays([part[5][place] for part in parts] or [pa.array([], pa.large_string())])
        if self.wanted[column] == "number":
            return self._floats(joined)
        try:
            joined.validate(full=True)
        except pa.ArrowInvalid:
            self._each(joined.cast(pa.large_binary()), lambda name: name.decode(), "not UTF-8")
        return joined

    def _floats(self, strings: Any) -> NDArray[np.float64]:
        import pyarrow as pa

        try:
            values = strings.cast(pa.float64()).to_numpy()
        except pa.ArrowInvalid:
            values = np.array(self._each(strings.cast(pa.large_binary()), _number, "not a number" + self._hint))
        return np.asarray(values, np.float64)

    @property
    def _hint(self) -> str:
        """What to do with text where the columns to read can be chosen."""
        return "" if self.text.name in ("gr", "metis") else ": pass properties=[...], with the columns to read"

    @property
    def _ends(self) -> str:
        """What to do where a column of ids has something else."""
        named = ", or name the columns 'source' and 'target'" if self.text.name == "csv" else ""
        return f" (edges are two ids and then their weights{named}; pass ids='strings' where ids are names)"

    def _each(self, values: Any, convert: Any, why: str) -> list[Any]:
        """Convert one by one; the first that fails is a ParseError."""
        converted = []
        for row, value in enumerate(values):
            try:
                converted.append(convert(value.as_py()))
            except ValueError:
                shown = value.as_py().decode("utf-8", "replace")
                raise self.text.error_in_row(self.start, self.dialect.comments, row, f"{shown!r} is {why}") from None
        return converted

    def error_in_row(self, row: int, why: str) -> ParseError:
        """The ParseError of data line ``row``."""
        return self.text.error_in_row(self.start, self.dialect.comments, row, why)

    def _error(self, status: int, position: int, column: int) -> ParseError:
        from lux.kernels import scan

        n = len(self.wanted)
        why = {
            scan.TOO_FEW: f"{n} fields are needed and field {column + 1} is missing or empty",
            scan.TOO_MANY: f"more than {n} fields",
            scan.NOT_INTEGER: f"field {column + 1} is not an integer",
            scan.TOO_LARGE: f"field {column + 1} is an integer above 2^63 - 1",
            scan.BAD_QUOTE: f"field {column + 1} has unmatched quotes",
            scan.BAD_KEY: f"the line does not start with {self.wanted[0]!r}",
        }[status]
        if status == scan.NOT_INTEGER and self.wanted[column] == "id":
            why += " as on the first line" + self._ends
        if status == scan.TOO_LARGE and self.wanted[column] == "id":
            why += " (pass ids='strings' to take ids as names)"
        return self.text.error(position, why)


def smallest(values: NDArray[Any]) -> NDArray[Any]:
    """Integers as int32 where all fit, else int64."""
    fit = not len(values) or (values.min() >= -(2**31) and values.max() < 2**31)
    return values.astype(np.int32) if fit else values


def is_integer(field: str) -> bool:
    """Whether a field is a decimal integer."""
    digits = field.removeprefix("-")
    return digits.isascii() and digits.isdigit()


def is_real(field: str) -> bool:
    """Whether a field is a number with a decimal point."""
    return re.fullmatch(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", field) is not None


def _number(field: bytes) -> float:
    if b"_" in field:
        raise ValueError
    return float(field)


def _strings(letters: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    text, cuts = letters[: offsets[-1]].tobytes(), np.ascontiguousarray(offsets)
    return pa.LargeStringArray.from_buffers(len(cuts) - 1, pa.py_buffer(cuts), pa.py_buffer(text))
