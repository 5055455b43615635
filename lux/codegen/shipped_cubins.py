# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Machine code for GPUs that is shipped with Lux (`legate_config.shipped`), found by a hash of its sources.

Files are named by what was compiled, not by what compiled it: a process that finds its kernels here needs no compiler
for GPUs, and none needs to be installed.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path

from legate_config import shipped

CAPABILITIES = {(8, 0): 163 << 10, (9, 0): 227 << 10, (10, 0): 227 << 10}
"""Compute capabilities that the installation compiles for (A100, H100 and H200, B200), and the bytes of shared memory
that a block may have there, which some kernels are written for."""


def compatible(capability: tuple[int, int]) -> list[tuple[int, int]]:
    """List the capabilities whose machine code a GPU runs: those of its own major number, up to its minor number.

    >>> compatible((9, 0)), compatible((10, 3)), compatible((7, 5))
    ([(9, 0)], [(10, 0)], [])
    """
    major, minor = capability
    return [built for built in sorted(CAPABILITIES, reverse=True) if built[0] == major and built[1] <= minor]


def find(key: str, capability: tuple[int, int]) -> bytes | None:
    """Return shipped machine code by the hash of its sources; None if it is not there, or damaged."""
    for built in compatible(capability):
        with suppress(OSError, zlib.error):
            return zlib.decompress(_path(key, built).read_bytes())
    return None


def keep(key: str, capability: tuple[int, int], code: bytes) -> None:
    """Add machine code to what is shipped."""
    path = _path(key, capability)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix="tmp", delete=False) as file:
        file.write(zlib.compress(code, 9))
    os.chmod(file.name, 0o644)  # noqa: PTH101  # readable by all who use the package
    Path(file.name).replace(path)


def _path(key: str, capability: tuple[int, int]) -> Path:
    return shipped.folder / "cubins" / f"{architecture(capability)}-{key}"


def architecture(capability: tuple[int, int]) -> str:
    """Return NVIDIA's name of a compute capability.

    >>> architecture((10, 0))
    'sm_100'
    """
    return f"sm_{capability[0]}{capability[1]}"
