# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What runs inside a task, on CPU cores and GPUs: it knows arrays, not Legate."""

from lux.kernels import numba_settings

numba_settings.apply()
