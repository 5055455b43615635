# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The text of a factorization's kernels (`factors.cu`, `factors_moved.cu`), and their arguments: words of 8 bytes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lux.algorithms.factorization.steps import STATE
from lux.codegen import cuda_build
from lux.codegen.cuda_functions import C_TYPES
from lux.codegen.cuda_struct import struct_text

THREADS = 256
MOST_BLOCKS = 4096
"""Blocks of a launch, at most."""
MOST_WORKING = 264
"""Blocks that have a matrix in the GPU's memory, where it does not fit shared memory."""
ALL_WORK = 1 << 30
HEADER = 4096
"""Bytes before a GPU's slots; `factors.cuh` has the same."""
SEGMENT = {"als": 2048, "gd": 1024}
"""Ratings of a segment of a hub's row. Sums of up to 1,024 numbers are in the factors' type."""
SLOTS = {"als": 3, "gd": 4}
"""Copies of all factors: the best, those of the last step, and one or two for the next."""
_SIDES = {
    "rows": "const u32*", "hub_of": "const u32*", "first_segment": "const u32*", "neighbours": "const u32*",
    "ratings": "const RATING*", "held_out": "const unsigned char*", "n_segments": "long long", "n_hubs": "long long",
    "n_large": "long long", "n_rows": "long long",
}  # fmt: skip
_MEMBERS = {
    "part": "long long", "n_vertices": "long long", "by_degree": "long long", "scaled": "long long",
    "workers": "long long", "result_begin": "long long", "result_end": "long long", "regularization": "double",
    "mean": "double", "rate": "double", "offsets": "const long long*", "counts": "const COUNT*", "first": "const REAL*",
    "result": "REAL*", "control": "Control*", "block_sums": "double*", "partial": "double*", "workspace": "double*",
}  # fmt: skip
_MEETING = {
    "what": "long long", "slot": "long long", "n_test": "long long", "max_iterations": "long long",
    "noted": "long long", "patience": "long long", "watched": "long long", "slot_bytes": "long long",
    "longest": "long long", "kept": "double", "state": f"double[{STATE}]", "own": "char*", "run": "struct Run*",
    "arrivals": "u64*", "outcome": "long long*", "records": "double*",
}  # fmt: skip
_MOVED = {
    "what": "long long", "n_left": "long long", "old_0": "const REAL*", "old_1": "const REAL*", "new_0": "REAL*",
    "new_1": "REAL*", "places": "const u32*", "before": "const double*", "sums": "double*",
}  # fmt: skip
_TYPES = """using u32 = unsigned int;
using u64 = unsigned long long;
struct Control { u32 arrived, pad; long long finished; };
struct Run;
"""


def _rounded(nbytes: int) -> int:
    return -(-nbytes // 16) * 16


@dataclass(frozen=True)
class Shape:
    """Constants that a kernel is compiled for.

    Attributes
    ----------
    k : int
    dtype : np.dtype
        Of the factors.
    method : {"als", "gd"}
    parts : int
        GPUs.
    rating, count : np.dtype
        Of the ratings, and of the numbers of them.
    block_memory : int
        Bytes of shared memory that a block may have.
    moved : bool
        Legion moves factors between GPUs (`factors_moved.cu`); else they write to each other's memory.
    placed : bool
        Then: left vertices do not all come before right ones, so a vertex's place among factors is looked up.
    """

    k: int
    dtype: np.dtype[Any]
    method: str
    parts: int
    rating: np.dtype[Any]
    count: np.dtype[Any]
    block_memory: int
    moved: bool = False
    placed: bool = False

    @property
    def padded(self) -> int:
        """Elements of a factor, with zeros."""
        return -(-self.k // 4) * 4

    @property
    def width(self) -> int:
        """Elements of a factor with a rating behind it, and zeros."""
        return self.k // 4 * 4 + 4

    @property
    def tiles(self) -> int:
        """Tiles of 4 x 4 in the upper triangle of the normal equations, with their right-hand side."""
        rows, columns = self.padded // 4, self.width // 4
        return rows * columns - rows * (rows - 1) // 2

    @property
    def group(self) -> int:
        """Threads that share a row in least squares: a warp where each has one tile at most, else a block."""
        return 32 if self.tiles <= 32 else THREADS

    @cached_property
    def memory(self) -> tuple[int, bool, int]:
        """Ratings that a group brings to shared memory at a time, whether its matrix is there, and bytes of a group."""
        if self.method == "gd":
            return 0, True, 0
        given = (self.block_memory - 4096) // (THREADS // self.group)
        for in_shared in (True, False):
            for panel in (32, 16, 8, 4):
                nbytes = self._group_bytes(panel, in_shared=in_shared)
                if nbytes <= given and (panel == 32 or not in_shared):
                    return panel, in_shared, nbytes
        return 4, False, self._group_bytes(4, in_shared=False)

    def _group_bytes(self, panel: int, *, in_shared: bool) -> int:
        k, size = self.k, self.dtype.itemsize
        matrix = 8 * k * self.width * in_shared
        vectors = 2 * _rounded(8 * k) + _rounded(8 * (k + 1)) + self.padded * size
        return matrix + vectors + panel * self.width * size + _rounded(panel * size) + _rounded(4 * panel)

    @property
    def shared_bytes(self) -> int:
        """Dynamic shared memory of a block."""
        return self.memory[2] * (THREADS // self.group)

    @property
    def matrix_bytes(self) -> int:
        """Bytes of a block's matrix in the GPU's memory."""
        return 0 if self.memory[1] else 8 * self.k * self.width

    @property
    def partial_bytes(self) -> int:
        """Bytes that a segment's sums take."""
        return 8 * (16 * self.tiles if self.method == "als" else self.padded + 1)

    @property
    def lanes(self) -> int:
        """Lanes that share a factor."""
        return min(1 << (self.padded // 4 - 1).bit_length(), 32)

    @property
    def workers(self) -> int:
        """Blocks that solve equations."""
        return MOST_WORKING if self.matrix_bytes else ALL_WORK

    def slot_bytes(self, n_vertices: int) -> int:
        """Count the bytes of a copy of all factors."""
        return -(-n_vertices * self.padded * self.dtype.itemsize // 256) * 256

    def memory_of_slots(self, n_vertices: int) -> int:
        """Count the bytes of the memory that other GPUs write to."""
        return HEADER + SLOTS[self.method] * self.slot_bytes(n_vertices)

    @cached_property
    def members(self) -> dict[str, str]:
        """The kernel's arguments in order, with their C++ types."""
        sides = {f"{name}_{side}": kind for side in (0, 1) for name, kind in _SIDES.items()}
        if self.moved:
            return _MEMBERS | _MOVED | sides
        return _MEMBERS | _MEETING | sides | {"shared": f"char*[{self.parts}]"}

    def text(self) -> str:
        """Return the kernel."""
        panel, in_shared, group_bytes = self.memory
        macros = {
            "LENGTH": self.k,
            "REAL": C_TYPES[self.dtype.name],
            "RATING": C_TYPES[self.rating.name],
            "COUNT": C_TYPES[self.count.name],
            "PARTS": self.parts,
            "MOVED": int(self.moved),
            "PLACED": int(self.placed),
            "THREADS": THREADS,
            "BLOCKS": self._blocks,
            "SEGMENT": SEGMENT[self.method],
            "STATE": STATE,
            "LEAST_SQUARES": int(self.method == "als"),
            "GROUP": self.group,
            "GROUP_BYTES": f"{group_bytes}u",
            "PANEL": panel,
            "MATRIX_IN_SHARED": int(in_shared),
        }
        defined = "".join(f"#define {name} {value}\n" for name, value in macros.items())
        return (
            defined
            + _TYPES
            + struct_text(self.members)
            + cuda_build.source("factors_moved.cu" if self.moved else "factors.cu")
        )

    @property
    def _blocks(self) -> int:
        """Blocks of a multiprocessor, at least."""
        long = self.k > 64 or self.dtype.itemsize == 8
        if self.method == "gd":
            return 2 if long else 3
        return max(1, min(2, self.block_memory // (self.shared_bytes + 2048)))
