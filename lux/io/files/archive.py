# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy archives, .npz: arrays, or a `FormatError` for any invalid bytes."""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FileError, FormatError
from lux.io.files.atomic import Pathname


def read_arrays(path: Pathname, *names: str) -> dict[str, NDArray[Any]]:
    """Read an archive's arrays by name: all, or the ones of ``names`` that it has.

    Raises
    ------
    FileError
        The file is missing or unreadable, or its arrays are larger than this machine's memory.
    FormatError
        The file is no archive, or damaged, truncated, encrypted, or has arrays of Python objects.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_room(path, sum(member.file_size for member in archive.infolist()))
        with np.load(path, allow_pickle=False) as arrays:
            return {name: _checked(name, arrays[name]) for name in arrays.files if not names or name in names}
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    except Exception as error:  # zipfile, zlib and NumPy raise a dozen kinds of errors for damaged bytes
        raise FormatError(
            f"{path} is no archive of NumPy arrays, or is damaged: {str(error)[:200] or type(error).__name__}"
        ) from error


def archive_of(arrays: Mapping[str, NDArray[Any]]) -> memoryview:
    """Return the bytes of an archive of arrays, so that its size is known before it is written.

    >>> bytes(archive_of({"x": np.arange(3)})[:2])
    b'PK'
    """
    buffer = BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]  # the stubs lack keyword arrays
    return buffer.getbuffer()


def _check_room(path: Pathname, length: int) -> None:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if length > memory:
        raise FileError(f"{path} says that its arrays have {length} bytes, and this machine has {memory} of memory")


def _checked(name: str, found: Any) -> NDArray[Any]:
    if not isinstance(found, np.ndarray):
        raise FormatError(f"{name!r} is not an array")
    if found.dtype.kind == "U" and found.nbytes:  # NumPy takes any 32 bits for a character, and Python fails later
        codes = np.ascontiguousarray(found).reshape(-1).view(np.dtype("u4").newbyteorder(found.dtype.byteorder))
        if int(codes.max()) > sys.maxunicode:
            raise FormatError(f"{name!r} has characters that are none of Unicode")
    return found
