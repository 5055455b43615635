# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The decorator of small functions that kernels call for every vertex or edge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def inlined(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function that allocates nothing, to be inlined where it is called.

    Numba counts references to every array that a function is given, in atomic operations that it often cannot
    remove: a search whose gather was such a function took 3.5 times as long. Without its runtime nothing is counted.
    """
    settings: Any = {"nogil": True, "error_model": "numpy", "forceinline": True, "_nrt": False} | options
    jit = njit(**settings)
    return jit if function is None else jit(function)
