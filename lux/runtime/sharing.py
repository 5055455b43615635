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


@contextlib.contextmanager
def shared_for_now(value: Any) -> Iterator[int]:
    """`share` an object for a ``with`` block. It is forgotten once no launch is under way, also after an interrupt."""
    key = share(value)
    try:
        yield key
    finally:
        finish()
        unshare(key)
