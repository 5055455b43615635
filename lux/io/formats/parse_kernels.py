# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Numba kernels that turn the bytes of a text file into columns.

A status is `DONE`, or the mistake in the line at the returned position that stopped a kernel.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.kernels import njit

DONE, TOO_FEW, TOO_MANY, NOT_INTEGER, TOO_LARGE, BAD_QUOTE, BAD_KEY = range(7)
INTEGER, TEXT, SKIP, KEY = range(4)

BLANK, TAB, NEWLINE, RETURN, QUOTE, PERCENT, MINUS, ZERO = 32, 9, 10, 13, 34, 37, 45, 48
TENTH = np.uint64((2**63 - 1) // 10)


@njit(nogil=True, cache=True, inline="always")
def integer(buffer: Any, a: int, b: int) -> Any:
    """Parse the integer in bytes a to b - 1; also returns a status."""
    start = a
    if a < b and buffer[a] == MINUS:
        start += 1
    if start == b:
        return np.int64(0), NOT_INTEGER
    limit = np.uint64(2**63 - 1) + np.uint64(start - a)
    value = np.uint64(0)
    large = False
    for p in range(start, b):
        digit = np.int64(buffer[p]) - ZERO
        if digit < 0 or digit > 9:
            return np.int64(0), NOT_INTEGER
        if value > TENTH:
            large = True
        value = value * np.uint64(10) + np.uint64(digit)
        if value > limit:
            large = True
    if large:
        return np.int64(0), TOO_LARGE
    return (np.int64(value) if start == a else -np.int64(value)), DONE


@njit(nogil=True, cache=True)
def columns(
    buffer: NDArray[np.uint8],
    lo: int,
    hi: int,
    separator: int,
    comments: NDArray[np.uint8],
    quotes: bool,
    key: int,
    kinds: NDArray[np.int64],
    integers: NDArray[np.int64],
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """Parse the lines in bytes lo to hi - 1; empty lines and comments are passed over.

    Parameters
    ----------
    separator : int
        A byte that stands once between fields, or 0: runs of blanks and tabs.
    kinds : shape (n_columns,)
        `INTEGER` columns go to the rows of ``integers`` in order, `TEXT` columns to those of ``text`` and ``offsets``;
        `SKIP` columns go nowhere; a `KEY` column must be the byte ``key``.

    Returns
    -------
    rows, status, position, column : int
        ``position`` is the start of the line that stopped the kernel.
    """
    n_columns = len(kinds)
    filled = np.zeros(len(text), np.int64)
    row = 0
    p = lo
    while p < hi:
        line = p
        while p < hi and (buffer[p] == BLANK or buffer[p] == RETURN or (buffer[p] == TAB and separator != TAB)):
            p += 1
        if p == hi or buffer[p] == NEWLINE:
            p += 1
            continue
        skipped = False
        for mark in comments:
            skipped |= buffer[p] == mark
        if skipped:
            while p < hi and buffer[p] != NEWLINE:
                p += 1
            p += 1
            continue
        i_integer = 0
        i_text = 0
        for column in range(n_columns):
            while p < hi and (buffer[p] == BLANK or buffer[p] == RETURN or (buffer[p] == TAB and separator != TAB)):
                p += 1
            quoted = quotes and p < hi and buffer[p] == QUOTE
            if quoted:
                p += 1
                a = p
                while p < hi and buffer[p] != NEWLINE:
                    if buffer[p] == QUOTE:
                        if p + 1 < hi and buffer[p + 1] == QUOTE:
                            p += 1
                        else:
                            break
                    p += 1
                if p == hi or buffer[p] == NEWLINE:
                    return row, BAD_QUOTE, line, column
                b = p
                p += 1
                while p < hi and (buffer[p] == BLANK or buffer[p] == RETURN):
                    p += 1
                if separator != 0 and p < hi and buffer[p] != NEWLINE and buffer[p] != separator:
                    return row, BAD_QUOTE, line, column
            else:
                a = p
                if separator == 0:
                    while p < hi and buffer[p] > BLANK:
                        p += 1
                    b = p
                else:
                    while p < hi and buffer[p] != separator and buffer[p] != NEWLINE:
                        p += 1
                    b = p
                    while b > a and (buffer[b - 1] == BLANK or buffer[b - 1] == RETURN or buffer[b - 1] == TAB):
                        b -= 1
                if a == b:
                    return row, TOO_FEW, line, column
            kind = kinds[column]
            if kind == INTEGER:
                value, status = integer(buffer, a, b)
                if status != DONE:
                    return row, status, line, column
                integers[i_integer, row] = value
                i_integer += 1
            elif kind == TEXT:
                at = filled[i_text]
                q = a
                while q < b:
                    text[i_text, at] = buffer[q]
                    at += 1
                    q += 2 if quoted and buffer[q] == QUOTE else 1
                filled[i_text] = at
                offsets[i_text, row + 1] = at
                i_text += 1
            elif kind == KEY and (b != a + 1 or buffer[a] != key):
                return row, BAD_KEY, line, column
            if separator != 0 and column + 1 < n_columns:
                if p == hi or buffer[p] == NEWLINE:
                    return row, TOO_FEW, line, column + 1
                p += 1
        while p < hi and (buffer[p] == BLANK or buffer[p] == RETURN or (buffer[p] == TAB and separator != TAB)):
            p += 1
        if p < hi and buffer[p] != NEWLINE:
            return row, TOO_MANY, line, n_columns
        p += 1
        row += 1
    return row, DONE, hi, 0


@njit(nogil=True, cache=True)
def adjacency(
    buffer: NDArray[np.uint8],
    n_vertices: int,
    vertex: int,
    skipped: int,
    weighted: bool,
    entries: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """Parse METIS adjacency lines: ``skipped`` numbers, then 1-based neighbours, with weights where ``weighted``.

    Parameters
    ----------
    vertex : int
        Vertex of the first line.
    skipped : int
        From 0 on.
    entries : shape (3, room)
        Sources, destinations and weights; a neighbour takes two bytes at least, so ``len(buffer) // 2 + 1`` are room.

    Returns
    -------
    found, vertex, status, position : int
        Number of entries found, and the vertex of the line after the last one. `TOO_LARGE`: a neighbour out of
        range; `TOO_FEW`: a number is missing; `TOO_MANY`: more lines than vertices, or than the room.
    """
    hi = len(buffer)
    room = entries.shape[1]
    found = 0
    p = 0
    while p < hi:
        line = p
        if buffer[p] == PERCENT:
            while p < hi and buffer[p] != NEWLINE:
                p += 1
            p += 1
            continue
        place = 0
        while True:
            while p < hi and (buffer[p] == BLANK or buffer[p] == TAB or buffer[p] == RETURN):
                p += 1
            if p == hi or buffer[p] == NEWLINE:
                break
            a = p
            while p < hi and buffer[p] > BLANK:
                p += 1
            value, status = integer(buffer, a, p)
            if status != DONE:
                return found, vertex, status, line
            if vertex == n_vertices:
                return found, vertex, TOO_MANY, line
            if place >= skipped:
                if weighted and (place - skipped) & 1:
                    entries[2, found - 1] = value
                else:
                    if value < 1 or value > n_vertices:
                        return found, vertex, TOO_LARGE, line
                    if found == room:
                        return found, vertex, TOO_MANY, line
                    entries[0, found] = vertex
                    entries[1, found] = value - 1
                    found += 1
            place += 1
        if vertex < n_vertices:
            if place < skipped or (weighted and (place - skipped) & 1):
                return found, vertex, TOO_FEW, line
            vertex += 1
        p += 1
    return found, vertex, DONE, hi
