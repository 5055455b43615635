# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Text whose lines are whole numbers from 0 to 2^32 - 1 between blanks: all threads read and parse it.

Lines are counted before they are parsed, so that each number is written once, to its place. The first use of memory for
copies would cost more time than reading the file twice.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.io.files.content import FileContent
from lux.io.formats import text_file
from lux.io.formats.text_file import NEWLINE, TextFile
from lux.partition import split_points

BLOCK = 1 << 20
"""Bytes that a thread reads at a time, which fit a core's cache."""
TAIL = 1 << 12
"""Bytes that a line may reach beyond its block."""


def read(
    text: TextFile, start: int, n_columns: int, comments: bytes, *, end: int | None = None, aligned: bool = True
) -> list[NDArray[Any]] | None:
    """Read columns, uint32, of the lines that start in a range of bytes; empty lines and comments are passed over.

    ``start``, ``end`` and ``aligned`` are the arguments of `lux.io.formats.text_file.TextFile.blocks`.

    Returns None if any line is something else than ``n_columns`` such numbers, or very long.
    """
    from lux.io.formats import whole_number_kernels as kernels

    if text.compressed:
        return None
    content, size = FileContent(text.path), min(BLOCK, text_file.CHUNK)
    stop = len(content) if end is None else end
    if start >= stop:
        return [np.empty(0, np.uint32) for _ in range(n_columns)]
    cuts = np.append(np.arange(start, stop, size), stop)
    blocks, own = len(cuts) - 1, threading.local()
    lines, rows = np.zeros(blocks, np.int64), np.zeros((blocks, 2), np.int64)

    def block(lo: int, hi: int) -> NDArray[np.uint8]:
        """Return bytes of the file in memory of this thread, and a newline after them."""
        if not hasattr(own, "memory"):
            own.memory = np.empty(size + TAIL + 2, np.uint8)
        content.read_into(own.memory[: hi - lo], lo)
        own.memory[hi - lo] = NEWLINE
        found: NDArray[np.uint8] = own.memory[: hi - lo + 1]
        return found

    def count(k: int) -> None:
        lines[k] = kernels.count_newlines(block(cuts[k], cuts[k + 1])[:-1])

    runtime.run_pool(blocks, count)
    firsts = split_points.starts(lines)
    out = np.empty((n_columns, int(firsts[-1]) + 1), np.uint32)
    marks = np.frombuffer(comments, np.uint8)

    def parse(k: int) -> None:
        before = int(k > 0 or not aligned)  # the byte that tells whether a line begins with the block
        lo, hi = int(cuts[k]), int(cuts[k + 1])
        last = min(hi + TAIL, len(content))
        given = block(lo - before, last)
        limit = min(firsts[k + 1] + 1, out.shape[1])
        rows[k] = kernels.parse(given, before, hi - lo + before, last == len(content), marks, out, firsts[k], limit)

    runtime.run_pool(blocks, parse)
    if (rows < 0).any():
        return None
    found = 0
    for first, last in rows.tolist():  # lines without numbers left gaps
        if first > found:
            out[:, found : found + last - first] = out[:, first:last]
        found += last - first
    return [column[:found] for column in out]
