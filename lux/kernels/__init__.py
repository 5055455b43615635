# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Primitives of the kernels that CPU cores and GPUs run: frontiers, atomic operations, barriers, scalars.

The primitives know arrays, not Legate. A module of kernels takes `njit` from here: Numba is imported when it has to
compile, and has Lux's settings then.
"""

from lux.kernels.deferred import njit

__all__ = ["njit"]
