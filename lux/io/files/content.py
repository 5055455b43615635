# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""File content, read by copy instead of mapping.

If a mapped file is truncated meanwhile, touching a missing page ends the process (SIGBUS). A read is short instead,
which is an ordinary error.
"""

from __future__ import annotations

import os
import stat
import weakref
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from lux.errors import FileError, FormatError
from lux.io.files.atomic import Pathname


class FileContent:
    """File content of an open file; any thread may read any part.

    Parameters
    ----------
    path : str or path

    Raises
    ------
    FileError
        The file is missing, unreadable, or no regular file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "x")
    >>> _ = path.write_bytes(b"abcdefgh")
    >>> content = FileContent(path)
    >>> len(content), content[:3], content.values("<u2", 2, 4).tobytes()
    (8, b'abc', b'efgh')
    """

    def __init__(self, path: Pathname) -> None:
        self.path = path
        try:
            # Without O_NONBLOCK, opening a pipe without a writer would block.
            self._handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            weakref.finalize(self, os.close, self._handle)
            found = os.fstat(self._handle)
        except OSError as error:
            raise FileError(f"cannot read {self.path}: {error.strerror or error}") from error
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder" if stat.S_ISDIR(found.st_mode) else "a device or a pipe"
            raise FileError(f"cannot read {self.path}: it is {kind}; pass the name of a file")
        self._length = found.st_size

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, part: slice) -> bytes:
        first, last, _ = part.indices(self._length)
        return self.values("u1", last - first, first).tobytes()

    def values(self, dtype: Any, count: int, position: int) -> NDArray[Any]:
        """Return ``count`` values from a byte position on, as an array of their own."""
        values = np.empty(max(count, 0), dtype)
        self.read_into(values, position)
        return values

    def read_into(self, values: NDArray[Any], position: int) -> None:
        """Fill a contiguous array with the bytes from a position on.

        Raises
        ------
        FileError
            The bytes cannot be read.
        FormatError
            The file ends early: it was truncated since it was opened.
        """
        left = values.reshape(-1).view(np.uint8).data
        try:
            while left:
                done = os.preadv(self._handle, [left], position)
                if not done:
                    self._refuse_short(position)
                left, position = left[done:], position + done
        except OSError as error:
            raise FileError(f"cannot read {self.path}: {error.strerror or error}") from error

    def _refuse_short(self, position: int) -> NoReturn:
        raise FormatError(
            f"{self.path} ends at byte {position} and had {self._length} bytes when it was opened: it was truncated "
            "while it was read; write it again"
        )
