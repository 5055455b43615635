# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Decorators of functions that kernels call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from lux.kernels.deferred import Function, njit


class _Inner(Function):
    """A compiled function that Python cannot call."""

    def __call__(self, *_args: object, **_more: object) -> NoReturn:
        name = self.py_func.__name__
        raise TypeError(f"{name} is compiled for other compiled functions, and cannot be called from Python")


def inner(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function that kernels call.

    Entry points for Python and C take a sixth of compiling. Only functions that are kernels, too, have them: those with
    ``cache=True``.
    """
    called = bool(options.get("cache"))
    settings: Any = {"nogil": True} | options
    if not called:
        settings |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    decorate = njit(kind=Function if called else _Inner, **settings)
    return decorate if function is None else decorate(function)


def inlined(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a small function that allocates nothing, to be inlined where it is called for every vertex or edge.

    Numba counts references to every array that a function is given, in atomic operations that it often cannot remove: a
    search whose gather was such a function took 3.5 times as long. Without Numba's runtime nothing is counted.
    """
    settings: Any = {"error_model": "numpy", "forceinline": True, "_nrt": False} | options
    return inner(function, **settings)
