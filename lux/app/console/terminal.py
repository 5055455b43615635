# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Standard streams: reopening closed ones, and detection of a terminal."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import legate_config


def reopen_closed() -> None:
    """Redirect closed standard streams to nowhere, before files take their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115  # the lowest free number is the stream's


def is_terminal(stream: TextIO) -> bool:
    """Return True if a stream ends at a terminal that this process alone writes to.

    ``mpirun`` gives its processes pseudo-terminals and passes their output on, to a file as well: with several
    processes, the parent's stream counts.
    """
    info = legate_config.rank_info()
    if info.rank or not stream.isatty():
        return False
    if info.ranks == 1:
        return True
    with suppress(OSError):
        return str(Path(f"/proc/{os.getppid()}/fd/{stream.fileno()}").readlink()).startswith(("/dev/pts/", "/dev/tty"))
    return False
