# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux's own library in Legate, with its C++ mapper and tasks, built on first use."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import legate_config
from lux.errors import ConfigurationError
from lux.runtime.start import driver

if TYPE_CHECKING:
    from legate.core import Library

__all__ = ["built", "functions", "library"]

_integer, _address = ctypes.c_int64, ctypes.c_void_p
_EXCHANGE_FUNCTIONS: dict[str, list[Any]] = {
    "lux_fields_exchange": [*[_integer] * 5, *[_address] * 3, _integer, *[_address] * 4, _integer, _integer],
    "lux_exchange_field": [_integer, _integer, _address, _address],
    "lux_exchange_peer": [*[_integer] * 4, _address, _integer, _address, _integer, _address, _integer],
    "lux_board_exchange": [*[_integer] * 7, *[_address] * 3, _integer, _integer],
    "lux_board_peer": [*[_integer] * 3, _address],
    "lux_message_exchange": [*[_integer] * 4, _address, _address],
    "lux_message_peer": [_integer] * 5,
    "lux_rows_exchange": [*[_integer] * 6, *[_address] * 3, *[_integer] * 3],
    "lux_rows_peer": [*[_integer] * 3],
    "lux_rows_list": [_integer, _integer, _address, _integer, _integer, _address, _integer],
    "lux_level_exchange": [*[_integer] * 7, *[_address] * 6],
    "lux_level_peer": [*[_integer] * 3],
    "lux_level_borders": [_integer, _integer, _address, _integer, _address, _integer, _address],
    "lux_exchange_body": [_integer, _address, _address, _address, _address, _integer],
    "lux_exchange_counts": [_integer, _address],
    "lux_forget_exchange": [_integer],
    "lux_open_streams": [_address, _integer],
    "lux_open_puts": [_address, _integer],
    "lux_receive_puts": [_integer, _address, _address],
    "lux_words": [_integer, *[_address] * 6, _integer, _address],
    "lux_forget_words": [_integer],
    "lux_gpu_messages": [_integer, _integer, _integer, _address, _integer, _integer, _integer],
    "lux_forget_gpu_messages": [_integer],
}
"""Arguments of functions without a result, by name (``mapper/*_exchange.cc``, ``mapper/streams.cc``)."""

_MEMORY_FUNCTIONS: dict[str, list[Any]] = {
    "lux_take_memory": [_address, _integer, _address, _address],
    "lux_free_memory": [_address, ctypes.c_uint64],
    "lux_open_memory": [_address, _address, _address],
    "lux_close_memory": [_address, ctypes.c_uint64],
    "lux_see_context": [_address, _address],
    "lux_read_memory": [_address, ctypes.c_uint64, _address, _integer],
}
"""Arguments of functions that return an error, or null, by name (``mapper/peer_memory.cc``)."""


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


def share_events() -> None:
    """Have Realm's processors share its first events, or each makes 65,536 (``mapper/events.h``).

    Legate must not have been started; its libraries are loaded here. If they lie elsewhere than expected, nothing is
    shared, and processes are as large as Realm makes them.
    """
    path = built()
    with suppress(OSError):
        legate_config.preload_legate()
        ctypes.CDLL(str(path)).lux_share_events()


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
    path = built()
    driver()  # the library's undefined symbols are in liblegate.so, which this loads
    native = ctypes.CDLL(str(path))
    native.lux_register_library.argtypes = ()
    native.lux_register_library.restype = ctypes.c_int
    native.lux_keep_context.argtypes, native.lux_keep_context.restype = (), ctypes.c_int
    native.lux_bind_context.argtypes, native.lux_bind_context.restype = (), None
    native.lux_hand_over.argtypes, native.lux_hand_over.restype = (_integer, _integer), None
    integer, address = _integer, _address
    native.lux_share.argtypes, native.lux_share.restype = (integer, address, address, address, integer), None
    native.lux_unshare.argtypes, native.lux_unshare.restype = (integer,), None
    native.lux_launch_whole.argtypes = (integer, address, integer, integer, address, integer)
    native.lux_launch_parts.argtypes = (integer, address, integer, address, integer)
    native.lux_launch_whole.restype = native.lux_launch_parts.restype = ctypes.c_char_p
    native.lux_forget_records.argtypes, native.lux_forget_records.restype = (integer,), None
    native.lux_records.argtypes = (integer, integer, ctypes.POINTER(integer))
    native.lux_records.restype = ctypes.POINTER(ctypes.c_double)
    native.lux_kernel.argtypes = (ctypes.c_char_p, integer, ctypes.c_char_p, integer, integer)
    native.lux_kernel.restype = address
    native.lux_limit_blocks.argtypes, native.lux_limit_blocks.restype = (integer,), None
    native.lux_plan.argtypes, native.lux_plan.restype = (integer, address, integer), None
    native.lux_report.argtypes = (integer, integer, ctypes.POINTER(ctypes.c_char_p))
    native.lux_report.restype = address
    native.lux_ended.argtypes, native.lux_ended.restype = (integer, integer), integer
    native.lux_contexts.argtypes, native.lux_contexts.restype = (integer,), integer
    native.lux_point_context.argtypes, native.lux_point_context.restype = (integer, integer), address
    for name, arguments in _MEMORY_FUNCTIONS.items():
        function = getattr(native, name)
        function.argtypes, function.restype = arguments, ctypes.c_char_p
    native.lux_upload.argtypes, native.lux_upload.restype = (integer,) * 6, ctypes.c_char_p
    native.lux_download.argtypes, native.lux_download.restype = (integer,) * 6, ctypes.c_char_p
    native.lux_forget_plan.argtypes, native.lux_forget_plan.restype = (integer,), None
    for name, arguments in _EXCHANGE_FUNCTIONS.items():
        function = getattr(native, name)
        function.argtypes, function.restype = arguments, None
    native.lux_exchange_launched.argtypes, native.lux_exchange_launched.restype = (integer,), integer
    native.lux_exchange_records.argtypes = (integer, integer, ctypes.POINTER(integer))
    native.lux_exchange_records.restype = ctypes.POINTER(ctypes.c_double)
    native.lux_exchange_times.argtypes = (integer, ctypes.POINTER(integer))
    native.lux_exchange_times.restype = ctypes.POINTER(ctypes.c_double)
    native.lux_exchange_address.argtypes, native.lux_exchange_address.restype = (integer,), integer
    native.lux_gpu_received.argtypes, native.lux_gpu_received.restype = (integer,), integer
    return native
