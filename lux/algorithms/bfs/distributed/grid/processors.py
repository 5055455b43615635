# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Common parts of searches by a grid of processors: stores, the owners' update, and the search from level to level."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.grid import parent_exchange
from lux.algorithms.bfs.distributed.grid import two_dimensional_kernels as kernels
from lux.algorithms.bfs.distributed.grid.private_arrays import PrivateLayout, Views
from lux.algorithms.bfs.distributed.message_buffers import BroadcastBuffers, PairBuffers
from lux.algorithms.bfs.distributed.message_kernels import slot_words
from lux.algorithms.bfs.distributed.processor_grid import Grid
from lux.codegen.compile import compile_like
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.graph.core.partitions import cut, rectangles
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph

NO_NAMES = np.empty(0, np.uint32)
ANSWER_BYTES = 12
"""Bytes of a vertex's fields, and of a parent on its way."""


class Processors:
    """The processors of a grid: stores that searches use one after the other, and each processor's part of them.

    Parameters
    ----------
    graph : Graph
    grid : Grid
    names : Store of shape (parts * stride,), uint32, or None
        The place of every local id of each block; None where local ids follow the places.

    Attributes
    ----------
    words : int
        Words of a slot for messages.
    fold_messages : PairBuffers
        Between processors of a grid row: vertices that have been reached, named to their owners.
    frontier_messages : BroadcastBuffers
        Between processors of a grid column: frontiers.
    private_layout : PrivateLayout
    private_arrays : Store, uint64
        Each processor's private data.
    state : Store, int64
        Rows of `lux.algorithms.bfs.distributed.grid.two_dimensional_kernels`, for the driver.
    splits : dict of str to Store
        Rectangles for each processor: ``blocks`` (vertices), ``names``, ``private_arrays``, ``states``.
    """

    def __init__(self, graph: Graph, grid: Grid, names: Store | None) -> None:
        self.grid, self.names, self.words = grid, names, int(slot_words(grid.stride))
        rows = np.arange(grid.parts) % grid.rows
        self.fold_messages = PairBuffers(np.where(rows[:, None] == rows, self.words, 0))
        self.frontier_messages = BroadcastBuffers(grid.parts, grid.rows, self.words)
        self.private_layout = PrivateLayout.of(grid, graph.degree_dtype)
        self.private_arrays = runtime.new_store(np.uint64, grid.parts * self.private_layout.words)
        self.state = runtime.new_store(np.int64, grid.parts * kernels.STATE_COLUMNS)
        each = np.arange(grid.parts + 1, dtype=np.int64)
        self.splits = rectangles(
            {
                "blocks": cut(grid.points),
                "names": cut(each * grid.stride),
                "private_arrays": cut(each * self.private_layout.words),
                "states": cut(each * kernels.STATE_COLUMNS),
            }
        )
        with runtime.registered(self) as key:
            given = {"degrees": graph.out_degree_store, "blocks": self.splits["blocks"]} | self.named
            _degree_copier(names is not None)(grid.parts, **given, **self.private, key=key)

    @staticmethod
    def bytes_needed(grid: Grid) -> int:
        """Estimate the bytes of the stores, and of a search's fields."""
        slots = 4 * int(slot_words(grid.stride)) * (grid.columns + 1)
        private = 8 * PrivateLayout.of(grid, np.dtype(np.int64)).words
        return grid.parts * (slots + private + 4 * grid.stride) + 12 * grid.n_vertices

    def found_at(self, point: int) -> NDArray[np.int64]:
        """Find the first element of each message from its grid row in a processor's part, by column."""
        return np.ascontiguousarray(self.fold_messages.found_at[self.grid.in_row(self.grid.row(point)), point])

    @property
    def private(self) -> dict[str, Store]:
        """Return ``private_arrays`` for a launch."""
        return {"private_arrays": self.private_arrays, "private_rows": self.splits["private_arrays"]}

    @property
    def named(self) -> dict[str, Store]:
        """Return ``names`` for a launch, where there are any."""
        return {} if self.names is None else {"names": self.names, "name_rows": self.splits["names"]}

    def open(self, point: int, private: NDArray[np.uint64]) -> tuple[int, int, Views]:
        """Return the row and column of a processor, and its private data."""
        return self.grid.row(point), self.grid.column(point), self.private_layout.open(private)

    def states(self) -> NDArray[np.int64]:
        """Return the state rows; waits for launches under way."""
        return runtime.to_array(self.state).reshape(-1, kernels.STATE_COLUMNS)


Explore = Callable[[int, int, int, int], tuple[str, str]]
"""``explore(level, frontier, edges, longest)`` launches visits along the frontier's edges; returns model and reason.

``longest`` is the number of words of the frontier's longest message."""


def search(graph: Graph, on: Processors, source: int, limit: int, progress: Progress | None, explore: Explore) -> Run:
    """Search from the place ``source``; see `lux.algorithms.bfs.published.SearchModule`.

    Messages in ``on.fold_messages`` name to owners the vertices that ``explore`` reached; owners give them their level.
    Parents stay with the processors that found them until the search is over
    (`lux.algorithms.bfs.distributed.grid.parent_exchange`): the bytes of that exchange are the last iteration's.
    """
    points, named = on.grid.parts, on.names is not None
    statistics: list[Iteration] = []
    runtime.check_points(points)
    _compile(graph.degree_dtype)
    fields = parent_exchange.fields(graph.n_vertices)
    runtime.finish()
    with runtime.registered(on) as key:
        began = time.perf_counter()
        common: dict[str, Any] = on.private | {"state": on.state, "states": on.splits["states"]}
        common |= {
            "frontier_messages": on.frontier_messages.store,
            "frontier_message_rows": on.frontier_messages.outbox,
            "key": key,
        }
        fold = {"fold_messages": on.fold_messages.store}
        _starter(named)(points, **common, **fold, **on.named, outbox=on.fold_messages.outbox, source=source)
        states = on.states()
        while (frontier := int(states[:, kernels.ACTIVE].sum())) and len(statistics) < limit:
            edges, level = int(states[:, kernels.EDGES].sum()), len(statistics) + 1
            model, why = explore(level, frontier, edges, int(states[:, kernels.LONGEST].max()))
            # No processor names more vertices than the frontier has edges.
            inbox, inbox_of = on.fold_messages.inbox(1 + edges)
            _update_owners(points, **common, **fold, inbox=inbox, inbox_of=inbox_of, level=level)
            states = on.states()
            seconds = np.asarray(states[:, kernels.NANOSECONDS] * 1e-9)
            sent = 4 * int(states[:, kernels.WORDS].sum())
            statistics.append(Iteration(model, frontier, edges, seconds, why=why, exchanged=sent))
            if progress is not None:
                progress(level)
        sent = parent_exchange.collect(on, fields, source, key)
        runtime.finish()
        seconds_taken = time.perf_counter() - began
    if statistics:
        statistics[-1] = replace(statistics[-1], exchanged=(statistics[-1].exchanged or 0) + sent)
    return Run(fields, len(statistics), frontier == 0, seconds_taken, points, statistics)


@functools.cache
def _compile(degrees: np.dtype[Any]) -> None:
    """Compile the kernels (or load them), so that their time is not a search's."""
    at, bits, ids, levels = (np.empty(0, t) for t in (np.int64, np.uint64, np.uint32, np.int32))
    compile_like(kernels.update, (ids, at, 0, 0, 0, 0, np.empty(0, degrees), bits, levels, ids, ids, at))
    parent_exchange.compile_kernels()


@functools.cache
def _degree_copier(named: bool) -> Launcher:
    def copy_degrees(point: int, degrees: NDArray[Any], *rest: Any) -> None:
        names, (private, key) = split_names(named, rest)
        on: Processors = runtime.context(key)
        private[:] = 0
        out = on.private_layout.open(private).degrees
        if named:
            used = names != kernels.NONE
            out[used] = degrees[names[used] - on.grid.points[point]]
        else:
            out[: len(degrees)] = degrees

    return Launcher(
        copy_degrees,
        inputs={"degrees": "blocks"} | name_input(named),
        outputs={"private_arrays": "private_rows"},
        scalars={"key": int},
    )


@functools.cache
def _starter(named: bool) -> Launcher:
    def start(point: int, *rest: Any) -> None:
        names, (frontier_message, slots, row, private, source, key) = split_names(named, rest)
        on: Processors = runtime.context(key)
        _, own, views = on.open(point, private)
        views.visited[:], views.state[:], views.finders[:] = 0, 0, kernels.NONE
        frontier_message[0], slots[:: on.words], row[:] = 0, 0, 0
        if not on.grid.points[point] <= source < on.grid.points[point + 1]:
            return
        found = np.flatnonzero(names == source) if named else source - on.grid.points[point : point + 1]
        row[kernels.ACTIVE] = 1
        if not len(found):  # the source has no edges, and no local id
            return
        r = int(found[0])
        row[kernels.EDGES], row[kernels.LONGEST] = views.degrees[r], 2
        v = own * on.grid.stride + r
        views.visited[v // 64] = np.uint64(1 << (v % 64))
        views.levels[r], views.finders[r], views.preds[v] = 0, own, source
        frontier_message[:2] = 1, r

    return Launcher(
        start,
        inputs=name_input(named),
        outputs={"frontier_messages": "frontier_message_rows", "fold_messages": "outbox", "state": "states"},
        updates={"private_arrays": "private_rows"},
        scalars={"source": int, "key": int},
    )


@runtime.task(
    inputs={"fold_messages": "inbox"},
    outputs={"frontier_messages": "frontier_message_rows", "state": "states"},
    updates={"private_arrays": "private_rows"},
    scalars={"level": int, "key": int},
    grouped={"inbox": "inbox_of"},
)
def _update_owners(point: int, inbox: Any, frontier_message: Any, row: Any, private: Any, level: int, key: int) -> None:
    on: Processors = runtime.context(key)
    _, own, views = on.open(point, private)
    given = (inbox, on.found_at(point), on.words, own, on.grid.stride, level, views.degrees, views.visited)
    kernels.update(*given, views.levels, views.finders, frontier_message, views.state)
    row[:] = views.state


def name_input(named: bool) -> dict[str, str | None]:
    """Return the input ``names`` of a launch."""
    return {"names": "name_rows"} if named else {}


def split_names(named: bool, values: tuple[Any, ...]) -> tuple[NDArray[np.uint32], tuple[Any, ...]]:
    """Separate the names, where a body is given any, from the other values."""
    return (values[0], values[1:]) if named else (NO_NAMES, values)
