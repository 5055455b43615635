# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Primitives of the kernels that CPU cores and GPUs run: frontiers, atomic operations, barriers, scalars.

The primitives know arrays, not Legate. A module of kernels takes `njit` from here, so that Numba has Lux's settings
before it compiles.
"""

from numba import njit

from lux.kernels import numba_settings

__all__ = ["njit"]

numba_settings.apply()
