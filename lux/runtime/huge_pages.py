# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Huge pages for Legate's host memory: reads all over a graph spend much of their time on translating addresses else.

Linux gives them where a process asks (``/sys/kernel/mm/transparent_hugepage/enabled`` is ``madvise``, as on Debian and
Ubuntu), and Legate does not. NumPy asks for its own arrays.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

MADV_HUGEPAGE = 14
MAPS = Path("/proc/self/maps")


def ask_for_huge_pages(nbytes: int) -> int:
    """Ask for huge pages in this process's anonymous memory of at least so many bytes in one piece.

    Parameters
    ----------
    nbytes : int
        Legate's host memory (``--sysmem``), which it takes in one piece before it is used.

    Returns
    -------
    int
        Bytes for which the system took the advice; it is no error that it does not.
    """
    try:
        lines = MAPS.read_text().splitlines()
    except OSError:
        return 0
    madvise = ctypes.CDLL(None, use_errno=True).madvise
    taken, page = 0, os.sysconf("SC_PAGE_SIZE")
    for begin, end in pieces(lines, max(nbytes, page)):
        if madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), MADV_HUGEPAGE) == 0:
            taken += end - begin
    return taken


def pieces(maps: Iterable[str], nbytes: int) -> list[tuple[int, int]]:
    """Where writable, private memory that is no file's begins and ends, of at least so many bytes in one piece.

    >>> pieces(["10000000-10400000 rw-p 00000000 00:00 0", "20000000-20001000 rw-p 00000000 00:00 0"], 2**20)
    [(268435456, 272629760)]
    """
    found = []
    for line in maps:
        span, rights, _, _, _, *name = line.split()
        begin, end = (int(x, 16) for x in span.split("-"))
        if rights == "rw-p" and not name and end - begin >= nbytes:
            found.append((begin, end))
    return found
