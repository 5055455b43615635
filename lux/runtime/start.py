# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Starting Legate on first use, and what is known of it then."""

from __future__ import annotations

import atexit
import functools
import threading
from typing import Any

import legate_config
from lux.errors import ConfigurationError, LuxError

_driver: int | None = None
"""The thread that started Legate."""


def driver() -> Any:
    """Legate's runtime, for the thread that started it; a call of another thread would end the process."""
    runtime = start()
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
    from lux.runtime.stores import close

    atexit.register(close)  # runs before Legate's, which its import has registered
    return runtime


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
