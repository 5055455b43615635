# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Task context: the Python objects that point tasks find in their process besides stores."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from lux.runtime.start import finish

shared: dict[int, Any] = {}
_next_key = 0


def register(value: Any) -> int:
    """Register a Python object for the point tasks of this process; every rank registers its own, alike."""
    global _next_key
    _next_key += 1
    shared[_next_key] = value
    return _next_key


def context(key: int) -> Any:
    """Return the object of `register`."""
    return shared[key]


def unregister(key: int) -> None:
    """Drop the object of `register`."""
    del shared[key]


@contextlib.contextmanager
def registered(value: Any) -> Iterator[int]:
    """Register an object for a ``with`` block, and drop it once no launch is under way, also if interrupted."""
    key = register(value)
    try:
        yield key
    finally:
        finish()
        unregister(key)
