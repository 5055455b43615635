# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Numba kernels for `lux.io.formats.whole_numbers`."""

import numpy as np

from lux.io.formats.parse_kernels import BLANK, NEWLINE, RETURN, TAB, ZERO
from lux.kernels import njit

LARGEST = np.uint64(2**32 - 1)
MOST_DIGITS = 10
NINE = np.uint64(9)


@njit(nogil=True, cache=True)
def count_newlines(buffer):
    """Count the newlines."""
    found = 0
    for byte in buffer:
        found += byte == NEWLINE
    return found


@njit(nogil=True, cache=True, inline="always")
def _beyond_blanks(buffer, p):
    while buffer[p] == BLANK or buffer[p] == TAB or buffer[p] == RETURN:
        p += np.uint64(1)
    return p


@njit(nogil=True, cache=True)
def parse(buffer, before, stop, at_end, comments, out, first, limit):
    """Parse the lines that begin between the bytes ``before`` and ``stop - 1`` of a block.

    Parameters
    ----------
    buffer : shape (bytes + 1,), uint8
        The last byte is a newline that is not in the file.
    before : int
        1: the first byte is the last one of the block before; 0: a line begins with the first byte.
    at_end : bool
        The file ends with the block.
    comments : shape (marks,), uint8
    out : shape (columns, rows), uint32
    first, limit : int
        Lines of the file before the block's first byte; and row from which on nothing may be written.

    Returns
    -------
    first, last : int
        Rows that were written: ``first`` to ``last - 1``. Both are -1 if the general parser is needed.
    """
    one, p, stop = np.uint64(1), np.uint64(len(buffer) - 1), np.uint64(stop)
    while not at_end and buffer[p - one] != NEWLINE:  # the last line must end in the buffer
        p -= one
        if p < stop:
            return -1, -1
    p = np.uint64(0)
    if before:
        first += buffer[0] != NEWLINE
        while buffer[p] != NEWLINE:
            p += one
        p += one
    row = first
    while p < stop:
        p = _beyond_blanks(buffer, p)
        byte = buffer[p]
        if byte == NEWLINE:
            p += one
            continue
        skipped = False
        for mark in comments:
            skipped |= byte == mark
        if skipped:
            while buffer[p] != NEWLINE:
                p += one
            p += one
            continue
        if row >= limit:
            return -1, -1
        for column in range(len(out)):
            start = p
            value = np.uint64(0)
            digit = np.uint64(buffer[p]) - np.uint64(ZERO)
            while digit <= NINE:
                value = value * np.uint64(10) + digit
                p += one
                digit = np.uint64(buffer[p]) - np.uint64(ZERO)
            if p == start or p - start > np.uint64(MOST_DIGITS) or value > LARGEST:
                return -1, -1
            if buffer[p] > BLANK:
                return -1, -1
            out[column, row] = value
            p = _beyond_blanks(buffer, p)
        if buffer[p] != NEWLINE:
            return -1, -1
        p += one
        row += 1
    return first, row
