# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Launches of compiled bodies on CPU cores, and the words in which kernels say what state a run is in."""

from contextlib import contextmanager

from lux.kernels import frontier
from lux.runtime import (
    WARM_UP,
    Launcher,
    NativeLauncher,
    new_scalar,
    ranges,
    read_scalar,
    records,
    rectangles,
    register,
    register_body,
    unregister,
    unregister_body,
)

__all__ = [
    "WARM_UP",
    "Launcher",
    "NativeLauncher",
    "body",
    "frontier",
    "new_scalar",
    "ranges",
    "read_scalar",
    "records",
    "rectangles",
]


@contextmanager
def body(address, tables, points):
    """Register a compiled body with its tables; yields the key for launches of so many points."""
    key = register(tables)
    register_body(key, address, tables, points)
    try:
        yield key
    finally:
        unregister_body(key)
        unregister(key)
