# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's files of one array, .npy, written by slices."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np


def npy_header(dtype: np.dtype[Any], length: int) -> bytes:
    """Return the header before ``length`` values.

    >>> len(npy_header(np.dtype(np.int64), 3))
    128
    """
    buffer = BytesIO()
    kind = dtype.descr if dtype.names else dtype.base.str
    description = {"descr": kind, "fortran_order": False, "shape": (length, *dtype.shape)}
    np.lib.format.write_array_header_1_0(buffer, description)  # type: ignore[no-untyped-call]
    return buffer.getvalue()
