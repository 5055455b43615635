# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The end of a search: levels are written from processors' private data, and parents sent by the processors with them.

Parents stay until then with the processors that found them. Every owner knows the grid column of the processor that
found its vertex, and asks it for the parent. So one id is sent for each vertex that another processor than its owner
found, and a bit or an id to ask for it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.grid import two_dimensional_kernels as kernels
from lux.codegen.compile import compile_like
from lux.partition.split_points import starts
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.algorithms.bfs.distributed.grid.processors import Processors


def fields(n_vertices: int) -> dict[str, Store]:
    """Make the stores of a run's fields."""
    return {"distance": runtime.new_store(np.int32, n_vertices), "parent": runtime.new_store(np.uint32, n_vertices)}


def collect(on: Processors, out: dict[str, Store], source: int, key: int) -> int:
    """Write the fields ``out`` of a search from ``source``; returns the bytes that processors sent one another.

    ``key`` is the key of ``on``.
    """
    grid, points = on.grid, on.grid.parts
    counts_store = runtime.new_store(np.int64, points * grid.columns)
    named = on.names is not None
    own: dict[str, Any] = {"parent": out["parent"], "blocks": on.splits["blocks"], "key": key} | on.named
    fold = {"fold_messages": on.fold_messages.store, "outbox": on.fold_messages.outbox}
    count_rows = runtime.ranges(np.arange(points + 1, dtype=np.int64) * grid.columns)
    counted = {"counts": counts_store, "count_rows": count_rows, "distance": out["distance"]}
    _level_writer(named)(points, **own, **on.private, **fold, **counted, source=source)
    if grid.columns == 1:
        return 0
    counts = runtime.to_array(counts_store).reshape(points, grid.columns)
    if not counts.any():
        return 0
    replies = _Replies(on, counts)
    store = runtime.new_store(np.uint32, int(counts.sum()))
    inbox, inbox_of = on.fold_messages.inbox(1 + int(counts.max()))
    _answer_with_parents(
        points,
        fold_messages=on.fold_messages.store,
        inbox=inbox,
        inbox_of=inbox_of,
        **on.private,
        replies=store,
        reply_rows=runtime.ranges(replies.at),
        key=key,
    )
    found_at = runtime.register(replies.found_at)
    pieces = {"pieces": replies.pieces, "pieces_of": count_rows}
    _taker(named)(points, **own, **fold, replies=store, **pieces, found_at=found_at)
    runtime.finish()
    runtime.unregister(found_at)
    asked = np.where(counts > 0, np.minimum(1 + counts, on.words), 1).sum() - points
    return 4 * int(asked + counts.sum())


class _Replies:
    """The layout of replies: by processor that answers, then processor that asks.

    ``counts[p, m]`` is how many parents processor p asks for in grid column m; no processor asks itself. ``pieces`` are
    the rectangles that each asker reads, by column, and ``found_at`` the first element of each in the asker's part.
    """

    def __init__(self, on: Processors, counts: NDArray[np.int64]) -> None:
        grid = on.grid
        self.at = starts(np.array([self._asked(grid, counts, q).sum() for q in range(grid.parts)], np.int64))
        first = np.empty_like(counts)
        for q in range(grid.parts):
            askers = grid.in_row(grid.row(q))
            first[askers, grid.column(q)] = self.at[q] + starts(self._asked(grid, counts, q))[:-1]
        self.pieces = runtime.rectangles(first.ravel(), (first + counts - 1).ravel())
        begins = np.where(counts > 0, first, np.iinfo(np.int64).max).min(axis=1, keepdims=True)
        self.found_at = np.where(counts > 0, first - begins, 0)

    @staticmethod
    def _asked(grid: Any, counts: NDArray[np.int64], q: int) -> NDArray[np.int64]:
        """Count the parents that each processor of its grid row asks of processor ``q``."""
        return np.asarray(counts[grid.in_row(grid.row(q)), grid.column(q)])


def compile_kernels() -> None:
    """Compile the kernels, or load them."""
    ids, at = np.empty(0, np.uint32), np.empty(0, np.int64)
    levels = np.empty(0, np.int32)
    compile_like(kernels.write_levels, (0, 0, 0, 0, ids, ids, levels, ids, ids, at, levels, ids))
    compile_like(kernels.answer_with_parents, (ids, at, 0, 0, 0, ids, ids))
    compile_like(kernels.take_parents, (ids, 0, 0, 0, 0, ids, ids, at, ids))


@functools.cache
def _level_writer(named: bool) -> Launcher:
    from lux.algorithms.bfs.distributed.grid.processors import name_input, split_names

    def write_levels(point: int, private: NDArray[np.uint64], *rest: Any) -> None:
        names, (slots, counts, distance, parent, source, key) = split_names(named, rest)
        on: Processors = runtime.context(key)
        _, column, views = on.open(point, private)
        first = int(on.grid.points[point])
        given = (on.words, column, on.grid.stride, first, names, views.preds, views.levels, views.finders)
        kernels.write_levels(*given, slots, counts, distance, parent)
        if first <= source < first + len(parent):  # the source may have no edges, and no local id
            distance[source - first], parent[source - first] = 0, source

    inputs: dict[str, str | None] = {"private_arrays": "private_rows"}
    return Launcher(
        write_levels,
        inputs=inputs | name_input(named),
        outputs={"fold_messages": "outbox", "counts": "count_rows", "distance": "blocks", "parent": "blocks"},
        scalars={"source": int, "key": int},
    )


@runtime.task(
    inputs={"fold_messages": "inbox", "private_arrays": "private_rows"},
    outputs={"replies": "reply_rows"},
    scalars={"key": int},
    grouped={"inbox": "inbox_of"},
)
def _answer_with_parents(point: int, inbox: Any, private: Any, replies: Any, key: int) -> None:
    on: Processors = runtime.context(key)
    _, column, views = on.open(point, private)
    kernels.answer_with_parents(inbox, on.found_at(point), on.words, column, on.grid.stride, views.preds, replies)


@functools.cache
def _taker(named: bool) -> Launcher:
    from lux.algorithms.bfs.distributed.grid.processors import name_input, split_names

    def take_parents(point: int, slots: NDArray[np.uint32], replies: NDArray[np.uint32], *rest: Any) -> None:
        names, (parent, key, found_at) = split_names(named, rest)
        on: Processors = runtime.context(key)
        at, grid, first = runtime.context(found_at)[point], on.grid, int(on.grid.points[point])
        kernels.take_parents(slots, on.words, grid.column(point), grid.stride, first, names, replies, at, parent)

    inputs: dict[str, str | None] = {"fold_messages": "outbox", "replies": "pieces"}
    return Launcher(
        take_parents,
        inputs=inputs | name_input(named),
        updates={"parent": "blocks"},
        scalars={"key": int, "found_at": int},
        grouped={"pieces": "pieces_of"},
    )
