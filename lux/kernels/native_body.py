# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Functions with which C++ code runs a launch (`lux.codegen.native_entry`): shipped, or compiled by Numba."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from legate_config import shipped
from lux.kernels import shipped_kernels
from lux.kernels.deferred import prepare_numba


class NativeBody:
    """A function that takes addresses, and has one itself.

    Parameters
    ----------
    function : callable
        ``function(tables, point, stores, n_stores, record)`` returns the count of numbers that it has recorded.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function

    @functools.cached_property
    def address(self) -> int:
        """Address of the compiled function."""
        found = shipped_kernels.find_body(self.py_func)
        if found is None:
            prepare_numba()
            if shipped.filling:
                importlib.import_module("lux.kernels.shared_library").make_body(self.py_func)
                found = shipped_kernels.find_body(self.py_func)
        return found or self._by_numba.address

    @functools.cached_property
    def _by_numba(self) -> Any:
        from numba import cfunc

        return cfunc(signature(), cache=not shipped.filling)(self.py_func)


def signature() -> Any:
    """Return Numba's signature of a body."""
    from numba import types

    integers, numbers = types.CPointer(types.int64), types.CPointer(types.float64)
    return types.int64(integers, types.int64, integers, types.int64, numbers)
