# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's files of one array, .npy, written and read by slices."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.io.files.content import FileContent
from lux.io.files.room import reserve

LONGEST_HEADER = 1 << 14


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


def make_column(place: Path, dtype: np.dtype[Any], length: int) -> None:
    """Create a file with room for ``length`` values, which are 0."""
    head = npy_header(dtype, length)
    with place.open("wb") as file:
        reserve(file.fileno(), len(head) + length * dtype.itemsize)
        file.write(head)


class Column:
    """Column of a one-dimensional .npy file, read by slices.

    Parameters
    ----------
    content : FileContent
    dtype : np.dtype
    length : int

    Raises
    ------
    FormatError
        The file is damaged, or does not hold so many values of this type.
    """

    def __init__(self, content: FileContent, dtype: np.dtype[Any], length: int) -> None:
        self.content, self.dtype, self.length = content, dtype, length
        self._start, found, shape = _read_header(content)
        if found != dtype or shape != (length,):
            has = f"{found} and shape {shape}"
            raise FormatError(f"{content.path} has values of {has}: it should have {dtype} and shape {(length,)}")
        expected = self._start + length * dtype.itemsize
        if len(content) != expected:
            raise FormatError(f"{content.path} has {len(content)} bytes and its header takes {expected}")

    def read_into(self, values: NDArray[Any], first: int) -> None:
        """Fill an array with the values from ``first`` on."""
        self.content.read_into(values, self._start + first * self.dtype.itemsize)

    def values(self, first: int, last: int) -> NDArray[Any]:
        """Return the values ``first`` to ``last - 1``."""
        return self.content.values(self.dtype, last - first, self._start + first * self.dtype.itemsize)


def _read_header(content: FileContent) -> tuple[int, np.dtype[Any], tuple[int, ...]]:
    file = BytesIO(content[:LONGEST_HEADER])
    form: Any = np.lib.format
    try:
        read = {(1, 0): form.read_array_header_1_0, (2, 0): form.read_array_header_2_0}[form.read_magic(file)]
        shape, fortran_order, dtype = read(file)
    except Exception as error:  # noqa: BLE001  # NumPy parses the header as Python, with all of its errors
        raise FormatError(f"{content.path} is no .npy file, or is damaged: {error}") from None
    if fortran_order and len(shape) > 1:
        raise FormatError(f"{content.path} is in Fortran's order")
    return file.tell(), dtype, shape
