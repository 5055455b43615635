# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What point tasks find in their process besides stores, and answers that every rank agrees on."""

from __future__ import annotations

import functools
from typing import Any

import legate_config
from lux.errors import LuxError, MemoryNeededError
from lux.runtime.launcher import CheckedLauncher
from lux.runtime.start import processors, ranks

_shared: dict[int, Any] = {}
_next_key = 0


def share(value: Any) -> int:
    """Keep a Python object where point tasks of this process find it; every rank shares its own, alike."""
    global _next_key
    _next_key += 1
    _shared[_next_key] = value
    return _next_key


def shared(key: int) -> Any:
    """The object of `share`."""
    return _shared[key]


def unshare(key: int) -> None:
    """Forget the object of `share`."""
    del _shared[key]


def agree(error: LuxError | None) -> None:
    """Raise an error that any rank passes, on every rank. All ranks must call it at the same place."""
    if ranks() == 1:
        if error is not None:
            raise error
        return
    key = share(error)
    _agreement()(processors(), key=key)
    unshare(key)


@functools.cache
def _agreement() -> CheckedLauncher:
    def agree_on(point: int, key: int) -> None:
        error = shared(key)
        if error is not None:
            raise error

    return CheckedLauncher(agree_on, scalars={"key": int})


def check_memory(needed: int, what: str) -> None:
    """Refuse to load what does not fit the memory Legate was given (per process, in bytes)."""
    given = legate_config.settings().sysmem_bytes
    error = None
    if needed / ranks() > given:
        mib = -(-int(needed / ranks()) // 2**20)
        error = MemoryNeededError(
            f"{what} needs {mib} MiB of Legate's memory in each process, and it was given {given // 2**20} MiB: "
            f"start with --sysmem {mib + mib // 8} (MiB), or with more processes"
        )
    agree(error)
