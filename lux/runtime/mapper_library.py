# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux's own library in Legate, with its C++ mapper and tasks, built on first use."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import legate_config
from lux.errors import ConfigurationError
from lux.runtime.start import driver

if TYPE_CHECKING:
    import ctypes

    from legate.core import Library

__all__ = ["built", "functions", "library"]


def built() -> Path:
    """Return the library's file, built if need be.

    Raises
    ------
    lux.errors.ConfigurationError
        It has to be built and cannot be.
    """
    try:
        return legate_config.legate_library(Path(__file__).parent / "mapper")
    except legate_config.ConfigError as error:
        raise ConfigurationError(str(error)) from None


@cache
def library() -> Library:
    """Return the library "lux" of the running Legate, which is started if need be.

    Every process of a job must call this at the same place in its order of operations.

    Raises
    ------
    lux.errors.ConfigurationError
        The mapper has to be built and cannot be.
    """
    made, runtime = functions(), driver()
    made.lux_register_library()
    found: Library = runtime.find_library("lux")
    return found


@cache
def functions() -> ctypes.CDLL:
    """Load the library's functions that are no tasks."""
    import ctypes

    path = built()
    driver()  # the library's undefined symbols are in liblegate.so, which this loads
    native = ctypes.CDLL(str(path))
    native.lux_register_library.argtypes = ()
    native.lux_register_library.restype = ctypes.c_int
    integer, address = ctypes.c_int64, ctypes.c_void_p
    native.lux_share.argtypes, native.lux_share.restype = (integer, address, address, address, integer), None
    native.lux_unshare.argtypes, native.lux_unshare.restype = (integer,), None
    native.lux_forget_records.argtypes, native.lux_forget_records.restype = (integer,), None
    native.lux_records.argtypes = (integer, integer, ctypes.POINTER(integer))
    native.lux_records.restype = ctypes.POINTER(ctypes.c_double)
    native.lux_kernel.argtypes = (ctypes.c_char_p, integer, ctypes.c_char_p, integer, integer)
    native.lux_kernel.restype = address
    native.lux_limit_blocks.argtypes, native.lux_limit_blocks.restype = (integer,), None
    native.lux_plan.argtypes, native.lux_plan.restype = (integer, address, integer), None
    native.lux_report.argtypes = (integer, integer, ctypes.POINTER(ctypes.c_char_p))
    native.lux_report.restype = address
    native.lux_contexts.argtypes, native.lux_contexts.restype = (integer,), integer
    native.lux_forget_plan.argtypes, native.lux_forget_plan.restype = (integer,), None
    return native
