# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Bottom-up levels on a grid of processors: vertices look for a parent in the frontier, wherever their edges lie.

The edges of a grid row's vertices lie with its C processors, so a level has C substeps. In each a processor looks for
parents of one block of its row, beginning with its own, then hands the bitmap of the vertices that have one to its
right, and gets the next block's from its left (figure 6 of the paper). No processor looks at a vertex that another has
completed. The owners receive the vertices that were found once, after the last substep (section 4.3.1).

Overlap (section 4.3.2): where there are several processes and blocks are large, every block is handled in two halves,
each with stores of its own. While processors work on the second halves of their blocks, the bitmaps of the first halves
travel: a half depends on the left neighbour's bitmap of two launches before. Where there is one process nothing
travels, and a second launch for each substep would only cost time, as it does for short bitmaps.

Source: Ueno et al., "Efficient breadth-first search on massively parallel and distributed-memory machines", 2017.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.grid import bitmap_row_kernels as naming
from lux.algorithms.bfs.distributed.grid import hybrid_kernels as kernels
from lux.algorithms.bfs.distributed.grid.bitmap_rows import INPUTS, BitmapRows, open_index
from lux.algorithms.bfs.distributed.grid.processors import Processors
from lux.algorithms.bfs.distributed.grid.two_dimensional_kernels import WORDS
from lux.algorithms.bfs.distributed.processor_grid import Grid
from lux.codegen.compile import compile_like
from lux.runtime import Store

HALVES = 2
"""Pieces of a block that rotate one after the other."""

WORTH_HALVING = 1 << 15
"""Words (of eight bytes) of a block's bitmap from which on it rotates in pieces, where there are several processes: at
1 GB/s it travels for as long as the additional launch takes."""


def halves_of(words: int) -> int:
    """Count the pieces in which bitmaps of so many words rotate."""
    return HALVES if runtime.ranks() > 1 and words >= WORTH_HALVING else 1


class Parents:
    """Each processor's edges by destination, and the bitmaps that rotate.

    Parameters
    ----------
    edges : BitmapRows
        By local row.
    grid : Grid
    column_names : dict of str to Store
        The places of each processor's local columns: ``names``, and its split ``name_rows``.

    Attributes
    ----------
    names : Store of shape (n_edges,), uint32
        The place of every edge's source: the paper's DST(Orig).
    """

    def __init__(self, edges: BitmapRows, grid: Grid, column_names: dict[str, Store]) -> None:
        self.edges, self.grid = edges, grid
        self.names = runtime.new_store(np.uint32, int(edges.cuts["columns"][-1, 1]))
        given = {"columns": edges.columns, "column_rows": edges.splits["columns"]}
        _name_columns(grid.parts, **column_names, **given, out=self.names)
        words = grid.stride // 64
        halves = halves_of(words)
        self.ends = [half * words // halves for half in range(halves + 1)]
        self.halves = [_Rotating(grid, b - a) for a, b in zip(self.ends, self.ends[1:], strict=False)]

    def explore(self, given: dict[str, Any], key: int) -> None:
        """Launch the substeps of a level.

        Parameters
        ----------
        given : dict of str to Store
            Inputs of top-down levels, besides edges.
        key : int
            The key under which the processors and this are registered.
        """
        same = given | self.edges.arguments | {"names": self.names}
        later = {name: value for name, value in same.items() if name not in ("frontier_messages", "inbox", "inbox_of")}
        for step in range(self.grid.columns):
            for half, rotating in enumerate(self.halves):
                out = {"out": rotating.stores[step % 2], "own_rows": rotating.own}
                more: dict[str, Any] = {"step": step, "half": half, "key": key}
                if step == 0 and half == 0:
                    _begin_bottom_up(self.grid.parts, **same, **out, **more)
                    continue
                # In the first substep a processor has its own block, and reads no part of its neighbour's.
                come = self.halves[0] if step == 0 else rotating
                left = {
                    "left": come.stores[(step - 1) % 2 if step else 0],
                    "left_rows": come.left if step else come.own,
                }
                _bottom_up(self.grid.parts, **later, **left, **out, **more)


class _Rotating:
    """Bitmaps of some words of blocks; processors read their left neighbour's and write their own."""

    def __init__(self, grid: Grid, words: int) -> None:
        self.stores = [runtime.new_store(np.uint64, grid.parts * words) for _ in range(2)]
        points = np.arange(grid.parts, dtype=np.int64)
        neighbours = (points - grid.rows) % grid.parts
        self.own, self.left = (runtime.rectangles(p * words, (p + 1) * words - 1) for p in (points, neighbours))


def compile_kernels() -> None:
    """Compile the kernels, or load them."""
    at, bits, ids = np.empty(0, np.int64), np.empty(0, np.uint64), np.empty(0, np.uint32)
    compile_like(kernels.begin_bottom_up, (ids, 0, 0, 0, bits, ids, at))
    compile_like(kernels.bottom_up, (bits, 0, bits, at, at, ids, ids, bits, bits, bits, ids, 0, 0, ids, at))


def _search_parents(
    point: int, step: int, half: int, key: int, edges: Any, left: Any, out: Any, slots: Any, private: Any
) -> None:
    """Look for parents of a half of the block that a processor has in a substep."""
    on, parents = runtime.context(key)
    _, column, views = on.open(point, private)
    index, columns, names = edges
    block = (column - step) % on.grid.columns
    low, high = parents.ends[half : half + 2]
    first = block * (on.grid.stride // 64)
    if step == 0:
        left = views.visited[first + low : first + high].copy()
    else:
        views.state[WORDS] += 2 * len(left)
    rows = open_index(index, on.grid.local_rows // 64)[:3]
    given = (views.front, first + low, *rows, columns, names, left, out, views.visited, views.preds)
    kernels.bottom_up(*given, block * on.words, on.words, slots, views.state)


@runtime.task(
    inputs={"frontier_messages": "inbox", **INPUTS, "names": "column_rows"},
    outputs={"fold_messages": "outbox", "out": "own_rows"},
    updates={"private_arrays": "private_rows"},
    scalars={"step": int, "half": int, "key": int},
    grouped={"inbox": "inbox_of"},
)
def _begin_bottom_up(point: int, frontier_messages: Any, *rest: Any) -> None:
    edges, (slots, out, private, step, half, key) = rest[:3], rest[3:]
    on: Processors = runtime.context(key)[0]
    row, _, views = on.open(point, private)
    kernels.begin_bottom_up(frontier_messages, on.words, row, on.grid.stride, views.front, slots, views.state)
    _search_parents(point, step, half, key, edges, None, out, slots, private)


@runtime.task(
    inputs={**INPUTS, "names": "column_rows", "left": "left_rows"},
    outputs={"out": "own_rows"},
    updates={"private_arrays": "private_rows", "fold_messages": "outbox"},
    scalars={"step": int, "half": int, "key": int},
)
def _bottom_up(point: int, *values: Any) -> None:
    edges, (left, out, private, slots, step, half, key) = values[:3], values[3:]
    _search_parents(point, step, half, key, edges, left, out, slots, private)


@runtime.task(inputs={"names": "name_rows", "columns": "column_rows"}, outputs={"out": "column_rows"})
def _name_columns(_point: int, names: NDArray[np.uint32], columns: NDArray[np.uint32], out: Any) -> None:
    naming.name_columns(columns, names, out)
