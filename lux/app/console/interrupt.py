# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and SIGTERM: they end a program at once, and leave no temporary file behind.

Python runs its own signal handlers in the main thread between two byte codes, and that thread may wait inside Legate
for minutes. So the signals are blocked in every thread, and one thread waits for them.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_files: set[Path] = set()
_hooks: list[Callable[[], None]] = []
_watched = threading.Event()


def watch() -> None:
    """Start watching; call it before any other thread starts (so before ``import numpy``).

    Exit codes are the shell's: 130 after SIGINT, 143 after SIGTERM.
    """
    if _watched.is_set():
        return
    _watched.set()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    threading.Thread(target=_wait, name="lux-signals", daemon=True).start()


def _wait() -> None:
    number = signal.sigwait(SIGNALS)
    for hook in _hooks:
        with suppress(Exception):
            hook()
    for path in list(_files):
        with suppress(OSError):
            path.unlink()
    os._exit(128 + number)


def on_signal(hook: Callable[[], None]) -> None:
    """Call ``hook`` before the process ends by a signal."""
    _hooks.append(hook)


@contextmanager
def temporary(*paths: Path) -> Iterator[None]:
    """Register temporary files that a signal removes while the block runs."""
    _files.update(paths)
    try:
        yield
    finally:
        _files.difference_update(paths)
