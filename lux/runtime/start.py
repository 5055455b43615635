# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Starting Legate on first use, and what is known of it then."""

from __future__ import annotations

import atexit
import functools
import os
import threading
from typing import Any

import legate_config
from lux.errors import ConfigurationError, LuxError

_driver: int | None = None
"""The thread that started Legate."""
_gone = ""
"""Why Legate is no longer there."""


def driver() -> Any:
    """Legate's runtime, for the thread that started it; any other call would end the process, or wait for ever."""
    runtime = start()
    if _gone:
        raise LuxError(f"Lux was called {_gone}")
    if threading.get_ident() != _driver:
        raise LuxError(
            "Lux was called by another thread than the one that started it, which alone may make graphs and run "
            "programs: call it there, or use processes instead of threads"
        )
    return runtime


@functools.cache
def start() -> Any:
    """Start Legate once and return its runtime."""
    global _driver
    _driver = threading.get_ident()
    try:
        legate_config.prepare()
        import legate.core
    except legate_config.ConfigError as error:
        raise ConfigurationError(str(error)) from None
    runtime = legate.core.get_legate_runtime()
    atexit.register(_end)  # runs before Legate's, which its import has registered
    os.register_at_fork(after_in_child=_leave)
    return runtime


def _end() -> None:
    """Before Legate shuts down."""
    global _gone
    from lux.runtime.stores import close

    if not _gone:
        close()
        _gone = "after Legate has ended with the program: call it earlier"


def _leave() -> None:
    """In a process that was forked from this one: Legate's threads are not in it."""
    global _gone
    _gone = (
        "in a process that was forked from one in which Lux runs, and which cannot use it: start processes otherwise "
        "(multiprocessing.set_start_method('spawn')), or before the first graph"
    )


def processors() -> int:
    """Number of CPU cores that Legate was given, over all ranks."""
    return _count("CPU")


def gpus() -> int:
    """Number of GPUs that Legate was given, over all ranks."""
    return _count("GPU")


@functools.cache
def _count(target: str) -> int:
    runtime = start()
    from legate.core import TaskTarget

    return int(runtime.get_machine().count(getattr(TaskTarget, target)))


def ranks() -> int:
    """Number of processes, which Legion calls nodes."""
    return int(start().node_count)


def rank() -> int:
    """This process's number among `ranks`."""
    return int(start().node_id)


def finish() -> None:
    """Wait until everything launched so far has run."""
    driver().issue_execution_fence(block=True)
