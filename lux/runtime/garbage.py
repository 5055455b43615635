# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Python's search for garbage, kept away from where there is little: at imports, while compiling, and at the end."""

from __future__ import annotations

import gc
import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def unsearched() -> Iterator[None]:
    """Have Python not search for garbage meanwhile.

    Modules make a hundred thousand objects, and none is garbage: the searches would take a tenth of a process's first
    call. Numba makes a million to compile a program, of which few are garbage before it ends.
    """
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()


def call_old() -> None:
    """Have Python take all objects for old ones, as modules' are, without the two searches after which it would.

    Does nothing where the program has frozen objects, which would be thawed.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


def leave_to_the_system() -> None:
    """Have Python end without searching and freeing what is in cycles, as the modules of Numba and Legate are.

    That would take 0.2 s. Objects outside of cycles are freed as ever. Open files are flushed here, as some may be in
    cycles. Call it when the program has ended.
    """
    for found in gc.get_objects():
        # Not isinstance, which asks the object that a proxy stands for and fails where it is gone.
        if issubclass(type(found), (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)):
            with suppress(Exception):  # closed, or the disk is full: Python would say so nowhere either
                found.flush()
    gc.disable()
    gc.freeze()
