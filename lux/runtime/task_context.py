# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What point tasks find in their process besides stores."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from lux.runtime.start import finish

_shared: dict[int, Any] = {}
_next_key = 0


def register(value: Any) -> int:
    """Keep a Python object where point tasks of this process find it; every rank shares its own, alike."""
    global _next_key
    _next_key += 1
    _shared[_next_key] = value
    return _next_key


def context(key: int) -> Any:
    """The object of `register`."""
    return _shared[key]


def unregister(key: int) -> None:
    """Forget the object of `register`."""
    del _shared[key]


@contextlib.contextmanager
def registered(value: Any) -> Iterator[int]:
    """`register` an object for a ``with`` block, and forget it once no launch is under way, also if interrupted."""
    key = register(value)
    try:
        yield key
    finally:
        finish()
        unregister(key)
