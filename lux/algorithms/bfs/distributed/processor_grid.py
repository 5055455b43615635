# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Processors in a grid of R rows and C columns, and the vertices and edges of each.

Vertices are cut into R * C blocks of the same size, and processor P_ij, which has number jR + i, owns block jR + i. It
has the edges from the blocks of its grid column, jR to jR + R - 1, to those of its grid row, i, R + i, 2R + i and so
on: of the adjacency matrix the blocks (mR + i, j). So the edges of a vertex lie in the column of its owner, and end in
the row of the other end's owner. Frontiers need not be transposed between the two, as the K computer's search does
not either (section 4.4 of Ueno et al., "Efficient breadth-first search on massively parallel and distributed-memory
machines", 2017, after Yoo et al.).

Within a processor vertices have 32-bit local ids. Every block has ``stride`` of them, a multiple of 64, so that bitmaps
of blocks are whole words: a local column is one of the R * stride vertices that edges start from, and a local row one
of the C * stride they lead to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lux.errors import ParameterError

LIMIT = 2**32
"""Vertices from which on there are more than 32-bit ids."""


@dataclass(frozen=True)
class Grid:
    """A grid of processors over the vertices of a graph.

    Attributes
    ----------
    n_vertices : int
    rows, columns : int
        R and C.
    block : int
        Vertices of each block but the last ones, which may have fewer.
    stride : int
        Local ids of a block.

    Examples
    --------
    >>> grid = Grid.over(100, 4)
    >>> grid.rows, grid.columns, grid.block, grid.stride, grid.points.tolist()
    (2, 2, 25, 64, [0, 25, 50, 75, 100])
    >>> grid.in_row(1).tolist()
    [1, 3]
    """

    n_vertices: int
    rows: int
    columns: int
    block: int
    stride: int

    @classmethod
    def over(cls, n_vertices: int, parts: int) -> Grid:
        """Make the most square grid of ``parts`` processors, with no more rows than columns."""
        rows = next(r for r in range(math.isqrt(parts), 0, -1) if parts % r == 0)
        block = -(-n_vertices // parts)
        return cls(n_vertices, rows, parts // rows, block, whole_words(block))

    def with_stride(self, vertices: int) -> Grid:
        """Return this grid with local ids for so many vertices of a block."""
        return replace(self, stride=whole_words(vertices))

    @property
    def parts(self) -> int:
        """Number of processors."""
        return self.rows * self.columns

    @property
    def points(self) -> NDArray[np.int64]:
        """Split points of the blocks, of shape (parts + 1,)."""
        return np.minimum(np.arange(self.parts + 1, dtype=np.int64) * self.block, self.n_vertices)

    def row(self, point: int) -> int:
        """Return the row i of processor ``point``."""
        return point % self.rows

    def column(self, point: int) -> int:
        """Return the column j of processor ``point``."""
        return point // self.rows

    def in_row(self, i: int) -> NDArray[np.int64]:
        """List the processors of grid row ``i``, by column."""
        return np.arange(self.columns, dtype=np.int64) * self.rows + i

    @property
    def local_columns(self) -> int:
        """Vertices that a processor's edges start from, with unused ids."""
        return self.rows * self.stride

    @property
    def local_rows(self) -> int:
        """Vertices that a processor's edges lead to, with unused ids."""
        return self.columns * self.stride


def whole_words(vertices: int) -> int:
    """Count the local ids for so many vertices: whole words of a bitmap, and one at least.

    >>> whole_words(0), whole_words(64), whole_words(65)
    (64, 64, 128)
    """
    return max(-(-vertices // 64), 1) * 64


def why_not_numbered(n_vertices: int) -> str:
    """Say why 32-bit ids cannot number a graph's vertices; empty if they can."""
    if n_vertices < LIMIT:
        return ""
    return f"it numbers vertices in 32 bits, and this graph has {n_vertices}, 2^32 or more: leave strategy out"


def check_size(n_vertices: int, strategy: str) -> None:
    """Refuse graphs that 32-bit ids cannot number."""
    if why := why_not_numbered(n_vertices):
        raise ParameterError(f"strategy={strategy!r} was asked for, but {why}")
