# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Line on stderr for whoever waits for a large file to be read."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from legate_config import rank_info
from lux.errors import LuxError
from lux.io.files.atomic import Pathname
from lux.io.files.named_files import named_files

PATIENCE_S = 2.0
"""Seconds of reading before the line is written."""
LARGE_BYTES = 32 << 20
"""Size of files from which on reading, and not the start of Legate, takes that long."""


@contextmanager
def told_if_slow(path: Pathname) -> Iterator[None]:
    """Write a line on the first process's stderr if the block, which reads the file or files, takes `PATIENCE_S`."""
    timer = None
    with suppress(LuxError, OSError):  # the block raises what is wrong with the path
        nbytes = sum(file.stat().st_size for file in named_files(path))
        if nbytes >= LARGE_BYTES and rank_info().rank == 0 and sys.stderr is not None:
            timer = threading.Timer(PATIENCE_S, _write, [line(path, nbytes)])
            timer.daemon = True
            timer.start()
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()


def line(path: Pathname, nbytes: int) -> str:
    r"""Return the line; for other formats than Lux's own it says how later reads are faster.

    >>> line("web.lux", 250_000_000)
    'lux: reading web.lux (250 MB) takes more than 2 s\n'
    """
    faster = "" if Path(path).suffix == ".lux" else f"; 'lux convert {path} GRAPH.lux' makes a file that is read faster"
    return f"lux: reading {path} ({nbytes / 1e6:,.0f} MB) takes more than {PATIENCE_S:.0f} s{faster}\n"


def _write(text: str) -> None:
    with suppress(OSError, ValueError):  # a stream that has been closed
        sys.stderr.write(text)
        sys.stderr.flush()
