# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of kernels: scratch memory, which is one store cut into arrays, and whole stores on every GPU."""

from __future__ import annotations

import functools

from lux import runtime
from lux.runtime import GpuLauncher, Store

ALIGNMENT = 256
FILLED = 0.95
"""Fraction of a GPU's memory that is filled at most, where there is a choice: allocations leave gaps. Where partitions
move, new stores are allocated while kernels use memory that Legion believes idle: it must have no reason to reuse that
memory.
"""


class Scratch:
    """Offsets of the arrays of some scratch memory; arrays that must be zero before a run come first.

    >>> scratch = Scratch({"control": 100}, {"queue": 1000})
    >>> scratch.at, scratch.zeroed, scratch.nbytes
    ({'control': 0, 'queue': 256}, 256, 1280)
    """

    def __init__(self, zeroed: dict[str, int], others: dict[str, int]) -> None:
        self.sizes = {name: _rounded(nbytes) for name, nbytes in (zeroed | others).items()}
        self.at: dict[str, int] = {}
        end = 0
        for name, nbytes in zeroed.items():
            self.at[name], end = end, end + _rounded(nbytes)
        self.zeroed = end
        for name, nbytes in others.items():
            self.at[name], end = end, end + _rounded(nbytes)
        self.nbytes = end


def _rounded(nbytes: int) -> int:
    return -(-int(nbytes) // ALIGNMENT) * ALIGNMENT


def bitmap_bytes(n: int) -> int:
    """Return the bytes of a bit set over n vertices, in words of 32 bits."""
    return 4 * (-(-n // 32))


def allocated(store: Store, parts: int, *, zero_copy: bool) -> Store:
    """Have Legion allocate a whole store on every GPU, or once in the zero-copy memory of each process; returns it."""
    writer, reader = _touchers(zero_copy)
    writer(1, x=store, key=0, number=0)
    if not zero_copy or runtime.ranks() > 1:
        reader(parts, x=store, key=0, number=0)
    return store


@functools.cache
def _touchers(zero_copy: bool) -> tuple[GpuLauncher, GpuLauncher]:
    names = ("x",) if zero_copy else ()
    return GpuLauncher("touch", outputs={"x": None}, zero_copy=names), GpuLauncher(
        "touch", inputs={"x": None}, zero_copy=names
    )
