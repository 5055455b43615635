# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The processors of a grid, and searches by them, each in one launch.

Its kernels are in `lux.algorithms.bfs.distributed.grid.search_kernels`.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.grid import search_kernels as kernels
from lux.algorithms.bfs.distributed.grid.two_dimensional_kernels import (
    ACTIVE,
    EXPAND_EXCHANGE,
    EXPANSION,
    FOLD_EXCHANGE,
    NONE,
    ROTATION,
    STATE_COLUMNS,
    UPDATE,
    WORDS,
)
from lux.algorithms.bfs.distributed.message_kernels import slot_words
from lux.algorithms.bfs.distributed.processor_grid import Grid
from lux.algorithms.bfs.distributed.slot_exchange import (
    Kind,
    SlotExchange,
    own_processors,
    pairs,
    process_of,
    puts_reach_all,
    recorded_words,
)
from lux.engine.cpu.exchange_body import kinds_of, set_body
from lux.engine.run.run import Run
from lux.engine.run.statistics import Iteration
from lux.graph.core.partitions import cut, rectangles
from lux.runtime import Store
from perfmodel import direction as rules

if TYPE_CHECKING:
    from lux.engine.run.run import Progress
    from lux.graph.graph import Graph

Edges = dict[str, NDArray[Any]]
"""The arguments of `search_kernels.run` that are a processor's edges."""

ANSWER_BYTES = 16
"""Bytes of a vertex's fields, and of the same in the memory of a search."""
PHASES = {
    "expand exchange": EXPAND_EXCHANGE,
    "frontier expansion": EXPANSION,
    "rotation": ROTATION,
    "fold exchange": FOLD_EXCHANGE,
    "frontier update": UPDATE,
}
"""Phases of a level in the order in which they begin, and the column of the state that has their time."""
NO_EDGES: Edges = {
    "bits": np.empty(0, np.uint64),
    "before": np.empty(0, np.int64),
    "begins": np.empty(0, np.int64),
    "edge_names": np.empty(0, np.uint32),
    "ends": np.empty(0, np.uint32),
    "parent_bits": np.empty(0, np.uint64),
    "parent_before": np.empty(0, np.int64),
    "parent_begins": np.empty(0, np.int64),
    "parent_columns": np.empty(0, np.uint32),
    "parent_names": np.empty(0, np.uint32),
}


@dataclass
class Arrays:
    """The memory of a processor, by local ids.

    Attributes
    ----------
    visited : np.ndarray of shape (local_rows / 64,), uint64
        Bits of the local rows that the processor has visited.
    front : np.ndarray of shape (local_columns / 64,), uint64
        Bits of the frontier's local columns, in bottom-up levels.
    preds : np.ndarray of shape (local_rows,), uint32
        The place of the first vertex on this processor from which each local row was found.
    levels : np.ndarray of shape (stride,), int32
        Levels of own vertices.
    finders : np.ndarray of shape (stride,), uint32
        The grid column of the processor that keeps each own vertex' parent; `NONE` where the vertex is unreached.
    degrees : np.ndarray of shape (stride,), int32 or int64
        Out-edges of own vertices in the whole graph, alike in all searches.
    names : np.ndarray of shape (stride,), uint32
        The place of each own local id; empty where local ids follow the places.
    distance, parent : np.ndarray of shape (own places,), int32 and uint32
        The answers.
    """

    visited: NDArray[np.uint64]
    front: NDArray[np.uint64]
    preds: NDArray[np.uint32]
    levels: NDArray[np.int32]
    finders: NDArray[np.uint32]
    degrees: NDArray[Any]
    names: NDArray[np.uint32]
    distance: NDArray[np.int32]
    parent: NDArray[np.uint32]

    @classmethod
    def new(cls, grid: Grid, own: int, degrees: np.dtype[Any], names: int) -> Arrays:
        """Make the memory of a processor with so many own places, and names."""
        sizes = {
            "visited": (grid.local_rows // 64, np.uint64),
            "front": (grid.local_columns // 64, np.uint64),
            "preds": (grid.local_rows, np.uint32),
            "levels": (grid.stride, np.int32),
            "finders": (grid.stride, np.uint32),
            "degrees": (grid.stride, degrees),
            "names": (names, np.uint32),
            "distance": (own, np.int32),
            "parent": (own, np.uint32),
        }
        return cls(**{name: np.zeros(size, kind) for name, (size, kind) in sizes.items()})


class Processors:
    """The processors of a grid: memory of those of this process, which searches use one after the other.

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
    slots : np.ndarray, uint32
        Messages that name a frontier, one for each processor; messages to the processors of the grid row, for each
        processor and column; bitmaps that rotate, one for each processor in each substep but the last, two at least.
    own : dict of int to Arrays
        By the number of the processor.
    """

    def __init__(self, graph: Graph, grid: Grid, names: Store | None) -> None:
        self.graph, self.grid, self.words = graph, grid, int(slot_words(grid.stride))
        sizes = np.diff(grid.points).tolist()
        named = 0 if names is None else grid.stride
        self.own = {
            point: Arrays.new(grid, sizes[point], graph.degree_dtype, named) for point in own_processors(grid.parts)
        }
        self._bitmaps_at = -(-grid.parts * (1 + grid.columns) * self.words // 2) * 2
        self.slots = np.zeros(self._bitmaps_at + _rotations(grid) * grid.parts * (grid.stride // 32), np.uint32)
        self.blocks = runtime.ranges(grid.points)
        given = {"degrees": graph.out_degree_store, "blocks": self.blocks}
        with runtime.registered(self) as key:
            if names is not None:
                name_rows = rectangles({"names": cut(np.arange(grid.parts + 1, dtype=np.int64) * grid.stride)})["names"]
                _copy_named(grid.parts, **given, names=names, name_rows=name_rows, key=key)
            else:
                _copy_degrees(grid.parts, **given, key=key)
            runtime.finish()

    @staticmethod
    def bytes_needed(grid: Grid) -> int:
        """Estimate the bytes of all processors' memory."""
        slots = 4 * int(slot_words(grid.stride)) * (grid.columns + 1) * 4  # written, read, and twice on their way
        own = grid.local_rows // 8 + grid.local_columns // 8 + 4 * grid.local_rows + 28 * grid.stride
        return grid.parts * (slots + own + _rotations(grid) * grid.stride // 8)

    def kinds(self) -> list[Kind]:
        """Return the kinds of slots, in the order of `search_kernels`."""
        grid, words, parts = self.grid, self.words, self.grid.parts
        points = np.arange(parts)
        senders, receivers = pairs([points[points // grid.rows == j] for j in range(grid.columns)])
        frontier = Kind(senders, receivers, senders * words, np.full(len(senders), words), shares=True)
        senders, receivers = pairs([grid.in_row(i) for i in range(grid.rows)])
        at = (parts + senders * grid.columns + receivers // grid.rows) * words
        fold = Kind(senders, receivers, at, np.full(len(senders), words))
        each = grid.stride // 32
        rotating = [
            Kind(points, (points + grid.rows) % parts, at + points * each, np.full(parts, each), whole=True)
            for at in (self._bitmaps_at, self._bitmaps_at + parts * each)  # in one piece two substeps take turns
        ]
        return [frontier, fold, fold._replace(shares=True), *rotating]


def _rotations(grid: Grid) -> int:
    """Count the bitmaps that a processor hands on in a level, each in a slot of its own."""
    return max(2, grid.columns - 1)


@dataclass(frozen=True)
class Search:
    """A search: the source's place, the most levels, and the rule for bottom-up levels.

    Attributes
    ----------
    describe : callable
        Called with each level's frontier and edges, in order; returns its model, and why.
    pieces : int
        Pieces of a block's bitmap that rotate by themselves; 1 where an exchange of all moves whole blocks.
    both_ways : bool
        Odd pieces go to the left.
    """

    source: int
    limit: int
    rule: int
    describe: Callable[[int, int], tuple[str, str]]
    pieces: int = 1
    both_ways: bool = False


def search(on: Processors, edges: dict[int, Edges], wanted: Search, progress: Progress | None) -> Run:
    """Search in one launch; see `lux.algorithms.bfs.published.SearchModule`.

    ``edges`` are those of this process's processors. The bytes of the exchange of parents are the last iteration's.
    """
    graph, parts = on.graph, on.grid.parts
    runtime.check_points(parts)
    exchange = SlotExchange(parts, on.slots, on.kinds(), STATE_COLUMNS)
    done = np.zeros(1, np.int64)
    if wanted.pieces > 1 and not puts_reach_all():
        wanted = replace(wanted, pieces=1)
    flags = np.zeros(parts * wanted.pieces, np.int64)
    exchange.exchange.receive_puts(on.slots.view(np.uint64), flags)
    try:
        threads = [
            _arguments(on, exchange, thread, edges, wanted, flags, done) for thread in range(max(len(on.own), 1))
        ]
        kept = set_body(exchange.exchange, kernels.__name__, kinds_of(threads[0]), [threads])
        runtime.finish()
        began = time.perf_counter()
        told = None if progress is None else lambda: progress(int(done[0]))
        exchange.exchange.launch(told)
        fields = {
            "distance": runtime.new_store(np.int32, graph.n_vertices),
            "parent": runtime.new_store(np.uint32, graph.n_vertices),
        }
        with runtime.registered(on) as key:
            _finish(parts, **fields, blocks=on.blocks, key=key)
            runtime.finish()
        seconds = time.perf_counter() - began
        if told is not None and done[0]:
            told()
        recorded, sent = exchange.exchange.records(0), exchange.exchange.sent()
        del kept
    finally:
        exchange.exchange.close()
    left = int(exchange.states[:, ACTIVE].sum())
    statistics = _statistics(recorded, int(done[0]), parts, wanted)
    return Run(fields, len(statistics), left == 0, seconds, parts, statistics, sent=sent)


def _arguments(
    on: Processors,
    exchange: SlotExchange,
    thread: int,
    edges: dict[int, Edges],
    wanted: Search,
    flags: NDArray[np.int64],
    done: NDArray[np.int64],
) -> dict[str, Any]:
    """Return the arguments of `search_kernels.run` for a thread, in order."""
    grid, graph = on.grid, on.graph
    point = list(on.own)[thread] if on.own else -1
    process = process_of(grid.parts)
    left, right = (process[(point + way * grid.rows) % grid.parts] for way in (-1, 1))
    arrays = on.own.get(point) or Arrays.new(grid, 0, graph.degree_dtype, 0)
    given = {
        "point": point,
        "rows": grid.rows,
        "columns": grid.columns,
        "stride": grid.stride,
        "words": on.words,
        "first": int(grid.points[max(point, 0)]),
        "block": grid.block,
        "bitmaps": on.slots.view(np.uint64),
        "pieces": wanted.pieces,
        "both_ways": int(wanted.both_ways),
        "flags": flags,
        "left_process": -1 if left == runtime.rank() else int(left),
        "right_process": -1 if right == runtime.rank() else int(right),
        "n_vertices": graph.n_vertices,
        "n_edges": graph.n_edges,
        "source": wanted.source,
        "limit": wanted.limit,
        "rule": wanted.rule,
        "pull_above": rules.BEAMER.pull_above,
        "push_below": rules.BEAMER.push_below,
        "done": done,
    }
    given |= exchange.arguments(thread, max(len(on.own), 1)) | vars(arrays) | NO_EDGES | edges.get(point, {})
    return {name: given[name] for name in inspect.signature(kernels.run.py_func).parameters if name != "between"}


def _statistics(recorded: NDArray[np.float64], levels: int, parts: int, wanted: Search) -> list[Iteration]:
    """Return the levels' statistics, from what the first thread recorded: of each level, and of the end."""
    each = 4 + recorded_words(parts, STATE_COLUMNS)
    end = int(recorded[levels * each + 3]) if len(recorded) > levels * each else 0
    found = []
    for level, row in enumerate(recorded[: levels * each].reshape(levels, each)):
        pulled, frontier, edges = row[:3].tolist()
        state = row[4 : 4 + parts * STATE_COLUMNS].reshape(parts, STATE_COLUMNS)
        model, why = wanted.describe(int(frontier), int(edges))
        if model != ("pull" if pulled else "push"):
            raise AssertionError(f"level {level} took another direction than {model}: {why}")
        sent = int(state[:, WORDS].sum()) + (end if level == levels - 1 else 0)
        phases = {name: 1e-9 * state[:, column] for name, column in PHASES.items()}
        seconds = phases["frontier expansion"] + phases["frontier update"]
        counts = int(frontier), int(edges)
        found.append(Iteration(model, *counts, seconds, why=why, exchanged=4 * sent, phases=phases))
    return found


@runtime.task(inputs={"degrees": "blocks"}, scalars={"key": int})
def _copy_degrees(point: int, degrees: NDArray[Any], key: int) -> None:
    runtime.context(key).own[point].degrees[: len(degrees)] = degrees


@runtime.task(inputs={"degrees": "blocks", "names": "name_rows"}, scalars={"key": int})
def _copy_named(point: int, degrees: NDArray[Any], names: NDArray[np.uint32], key: int) -> None:
    on: Processors = runtime.context(key)
    own, used = on.own[point], names != NONE
    own.names[:] = names
    own.degrees[used] = degrees[names[used] - on.grid.points[point]]


@runtime.task(outputs={"distance": "blocks", "parent": "blocks"}, scalars={"key": int})
def _finish(point: int, distance: NDArray[np.int32], parent: NDArray[np.uint32], key: int) -> None:
    own: Arrays = runtime.context(key).own[point]
    distance[:], parent[:] = own.distance, own.parent
