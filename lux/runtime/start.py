# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Starting Legate on first use, and what is known of it then."""

from __future__ import annotations

import atexit
import functools
from typing import Any

import legate_config
from lux.errors import ConfigurationError


@functools.cache
def start() -> Any:
    """Start Legate once and return its runtime."""
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
    start().issue_execution_fence(block=True)
