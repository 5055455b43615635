# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lines of text as typed columns."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux.checks import is_integer, shown
from lux.errors import ParseError
from lux.io.formats.columns import Share
from lux.io.formats.text_file import NEWLINE, TextFile


@dataclass(frozen=True)
class Dialect:
    """Dialect of a text file: separators, comments and quotes.

    Attributes
    ----------
    separator : str
        The one character between fields; empty: runs of blanks and tabs.
    comments : bytes
        Bytes that start a comment line.
    quotes : bool
        Fields may stand in double quotes.
    """

    separator: str = ""
    comments: bytes = b"#%"
    quotes: bool = False

    def split(self, line: str) -> list[str]:
        """Split one line into its fields."""
        fields = list(self._quoted(line)) if self.quotes and '"' in line else line.split(self.separator or None)
        return [field.strip() for field in fields]

    def _quoted(self, line: str) -> Iterator[str]:
        """Split a line with quotes; unmatched quotes are taken as letters."""
        line = line.strip(" \r\n" if self.separator else None)
        separator, others = (re.escape(self.separator), self.separator) if self.separator else (r"[ \t]+", " \t")
        blanks = " \r" if self.separator == "\t" else " \t\r"
        field = re.compile(rf'[{blanks}]*(?:"([^"]*(?:""[^"]*)*)"[ \r]*|([^{re.escape(others)}]*))({separator}|$)')
        place, end = 0, separator
        while end and (found := field.match(line, place)):
            quoted, plain, end = found.groups()
            yield plain if quoted is None else quoted.replace('""', '"')
            place = found.end()


class _Part(NamedTuple):
    """Part of a text as columns; ``position`` is the start of the line that stopped the kernel."""

    status: int
    position: int
    column: int
    integers: NDArray[np.int64]
    strings: list[Any]


class Table:
    """Table of a text file's data lines from a byte position on, each with ``n_columns`` fields.

    Parameters
    ----------
    wanted : sequence of "integer", "id", "string", "number", "real", "skip" or one character
        Type of each column. "id" stands for integers or strings, by the first data line; "number" becomes
        int64 or float64, "real" float64; a single character must stand in every line.
    share : Share
        Share of the lines to read, by their bytes.
    """

    def __init__(
        self,
        text: TextFile,
        start: int,
        dialect: Dialect,
        wanted: list[str],
        share: Share = Share(),  # noqa: B008
    ) -> None:
        self.text, self.start, self.dialect, self.wanted = text, start, dialect, wanted
        low, high = share.within(max(text.length - start, 0)) if share != Share() else (0, 0)
        self.first, self.aligned = start + low, low == 0
        self.end = None if share.low < share.high == share.of else start + high

    @cached_property
    def columns(self) -> list[Any]:
        """Return NumPy arrays (numbers) and PyArrow arrays (strings) of all columns but skipped ones and keys."""
        from lux.io.formats import parse_kernels

        kinds = self._first_kinds()
        while True:
            parts = self._parts(kinds)
            failed = parts[-1] if parts and parts[-1].status != parse_kernels.DONE else None
            if failed is None:
                return [
                    self._join(column, kinds, parts)
                    for column in range(len(kinds))
                    if kinds[column] < parse_kernels.SKIP
                ]
            a_number = failed.column < len(kinds) and self.wanted[failed.column] == "number"
            if not (a_number and failed.status in (parse_kernels.NOT_INTEGER, parse_kernels.TOO_LARGE)):
                raise self._error(failed.status, failed.position, failed.column)
            kinds[failed.column] = parse_kernels.TEXT

    @property
    def columns_or_whole_numbers(self) -> list[Any]:
        """Return ``columns``, where ids are uint32 if all of the text's numbers are."""
        from lux.io.formats import whole_numbers

        plain = not self.dialect.separator and not self.dialect.quotes
        if plain and set(self.wanted) <= {"id", "integer", "number"}:
            found = whole_numbers.read(
                self.text, self.first, len(self.wanted), self.dialect.comments, end=self.end, aligned=self.aligned
            )
            if found is not None:
                kinds = zip(found, self.wanted, strict=True)
                return [smallest(column) if kind == "number" else column for column, kind in kinds]
        return self.columns

    def _parts(self, kinds: NDArray[np.int64]) -> list[_Part]:
        """Yield blocks of the text as columns, in order, to the end or to the first mistake."""
        from lux.io.formats import parse_kernels

        parts: list[_Part] = []
        threads = len(os.sched_getaffinity(0))
        running: deque[Future[_Part]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            for position, block in self.text.blocks(self.first, end=self.end, aligned=self.aligned):
                if not self.aligned:
                    self.first, self.aligned = position, True
                running.append(pool.submit(self._parse, kinds, position, block))
                if len(running) > threads:
                    parts.append(running.popleft().result())
                    if parts[-1].status != parse_kernels.DONE:
                        return parts
            while running and (not parts or parts[-1].status == parse_kernels.DONE):
                parts.append(running.popleft().result())
        return parts

    def _first_kinds(self) -> NDArray[np.int64]:
        from lux.io.formats import parse_kernels

        fixed = {
            "integer": parse_kernels.INTEGER,
            "string": parse_kernels.TEXT,
            "skip": parse_kernels.SKIP,
            "number": parse_kernels.INTEGER,
        }
        fixed["real"] = parse_kernels.TEXT
        position, _, first = next(self.text.lines(self.start, self.dialect.comments), (0, 0, ""))
        fields = self.dialect.split(first)
        endpoints = [i for i, kind in enumerate(self.wanted) if kind == "id"]
        for i in endpoints:
            if i < len(fields) and is_real(fields[i]):
                raise self.text.error(position, f"field {i + 1} is a real number where an id is needed{self._ends}")
        numeric = not first or all(i < len(fields) and is_integer(fields[i]) for i in endpoints)
        fixed["id"] = parse_kernels.INTEGER if numeric else parse_kernels.TEXT
        return np.array([fixed.get(kind, parse_kernels.KEY) for kind in self.wanted], np.int64)

    def _parse(self, kinds: NDArray[np.int64], position: int, block: NDArray[np.uint8]) -> _Part:
        from lux.io.formats import parse_kernels

        size = len(block)
        rows = int(np.count_nonzero(block == NEWLINE)) + 1
        n_text = int(np.count_nonzero(kinds == parse_kernels.TEXT))
        integers = np.empty((int(np.count_nonzero(kinds == parse_kernels.INTEGER)), rows), np.int64)
        letters = np.empty((n_text, size if n_text else 0), np.uint8)
        offsets = np.zeros((n_text, rows + 1 if n_text else 0), np.int64)
        key = next((ord(kind) for kind in self.wanted if len(kind) == 1), 0)
        separator = ord(self.dialect.separator) if self.dialect.separator else 0
        comments = np.frombuffer(self.dialect.comments, np.uint8)
        found, status, stopped, column = parse_kernels.columns(
            block, 0, size, separator, comments, self.dialect.quotes, key, kinds, integers, letters, offsets
        )
        if found < rows // 2:  # nearly all lines are empty or comments: free their room
            integers = integers[:, :found].copy()
        strings = [_strings(letters[i], offsets[i, : found + 1]) for i in range(n_text)]
        return _Part(status, position + stopped, column, integers[:, :found], strings)

    def _join(self, column: int, kinds: NDArray[np.int64], parts: list[_Part]) -> Any:
        from lux.io.formats import parse_kernels

        place = int(np.count_nonzero(kinds[:column] == kinds[column]))
        if kinds[column] == parse_kernels.INTEGER:
            values = np.concatenate([part.integers[place] for part in parts]) if parts else np.empty(0, np.int64)
            return smallest(values) if self.wanted[column] == "number" else values
        import pyarrow as pa

        joined = pa.concat_arrays([part.strings[place] for part in parts] or [pa.array([], pa.large_string())])
        if self.wanted[column] in ("number", "real"):
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
        """Suggest a remedy for text in a column that the caller can leave out."""
        return (
            ""
            if self.text.name in ("DIMACS .gr", "Matrix Market")
            else ": pass properties=[...], with the columns to read"
        )

    @property
    def _ends(self) -> str:
        """Suggest a remedy for anything but ids in a column of ids."""
        named = ", or name the columns 'source' and 'target'" if self.text.name == "csv" else ""
        return f" (edges are two ids and then their weights{named}; pass ids='strings' where ids are names)"

    def _each(self, values: Any, convert: Any, why: str) -> list[Any]:
        """Convert one by one; the first failure is a ParseError."""
        converted = []
        for row, value in enumerate(values):
            try:
                converted.append(convert(value.as_py()))
            except ValueError:
                field = shown(value.as_py().decode("utf-8", "replace"))
                raise self.error_in_row(row, f"{field} is {why}") from None
        return converted

    def error_in_row(self, row: int, why: str) -> ParseError:
        """Return the ParseError of data line ``row``."""
        return self.text.error_in_row(self.first, self.dialect.comments, row, why)

    def _error(self, status: int, position: int, column: int) -> ParseError:
        from lux.io.formats import parse_kernels

        n = len(self.wanted)
        why = {
            parse_kernels.TOO_FEW: f"{n} fields are needed and field {column + 1} is missing or empty",
            parse_kernels.TOO_MANY: f"more than {n} fields",
            parse_kernels.NOT_INTEGER: f"field {column + 1} is not an integer",
            parse_kernels.TOO_LARGE: f"field {column + 1} is an integer above 2^63 - 1",
            parse_kernels.BAD_QUOTE: f"field {column + 1} has unmatched quotes",
            parse_kernels.BAD_KEY: f"the line does not start with {self.wanted[0]!r}",
        }[status]
        if status == parse_kernels.NOT_INTEGER and self.wanted[column] == "id":
            why += " as on the first line" + self._ends
        if status == parse_kernels.TOO_LARGE and self.wanted[column] == "id":
            why += " (pass ids='strings' to take ids as names)"
        return self.text.error(position, why)


def smallest(values: NDArray[Any]) -> NDArray[Any]:
    """Convert integers to int32 if all fit, else to int64."""
    fit = not len(values) or (values.min() >= -(2**31) and values.max() < 2**31)
    return values.astype(np.int32 if fit else np.int64, copy=False)


def is_real(field: str) -> bool:
    """Return True if a field is a number with a decimal point."""
    return re.fullmatch(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", field) is not None


def _number(field: bytes) -> float:
    if b"_" in field:
        raise ValueError
    return float(field)


def _strings(letters: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    text, cuts = letters[: offsets[-1]].tobytes(), np.ascontiguousarray(offsets)
    return pa.LargeStringArray.from_buffers(len(cuts) - 1, pa.py_buffer(cuts), pa.py_buffer(text))
