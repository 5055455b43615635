# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Moves of partitions on CPU cores: their cost, and the launch that does them (steps 3 and 5 of the Lux paper).

Vertex fields are whole stores that partitions see through rectangles, so new rectangles move them. Private data of
partitions is translated (state, frontier) or made anew (INS and local ids, edges by source or in tiles).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.cpu.repartition_kernels import keep_state, move_frontier, out_edges
from lux.graph.layout import PartitionedGraph
from lux.kernels import frontier as fr
from lux.runtime import Launcher, Store

SETUP_SECONDS = 3e-3
"""Seconds of new rectangles, tables and bodies, and of the pause in the launches."""
LAUNCHES = 12
"""Launches of a move between nodes, with waits for all processes that take as long: a guess, which moves correct."""
BYTES_PER_SECOND = 4e9
"""Bandwidth within a node, from one process to another."""
SECONDS_PER_EDGE = {"rows": 0.0, "blocks": 5e-9, "by source": 15e-9}
"""Core seconds for making a partition's copy of an edge anew; rows are the graph's own."""
GPU_SETUP_SECONDS = 4e-3
"""Seconds of set-up on GPUs, which wait meanwhile: on two H200s moves took 3.0 to 4.9 ms, of 2^20 and of 2^22 vertices.
"""
GPU_BYTES_PER_SECOND = 100e9
"""Bandwidth at which Legion brings a GPU the values of its new partition: a third of NVLink's between two H200s, as it
waits for the slowest of many copies. Stores that a run only reads are prepared while iterations go on.
"""
GPU_FORMS = ("GPU", "GPU local", "GPU by source")
STOPPED = {"GPU, stopped": 1e-9, "GPU local, stopped": 8e-9, "GPU by source, stopped": 25e-9}
"""Core seconds for each of a partition's edges if nothing runs during a move on GPUs: for making members of INS and
local ids, or edges by source, and bringing them to a GPU. Guesses, which moves correct (`MoveCost.learn`).
"""
STOPPED_SETUP_SECONDS = 20e-3
"""Seconds of set-up of such a move: launches are set up, and their kernels' work is cut."""

MOST_SLOWER = 4.0
"""Most by which measured moves may be slower or faster than these rates: one disturbed move must not end all moves."""


@dataclass
class MoveCost:
    """Delta_cost of the paper: predicted seconds of a move, corrected by measured ones.

    Attributes
    ----------
    work : np.ndarray of shape (n_vertices + 1,), int64
        Running work, as in `WeightCurve`.
    nodes : np.ndarray of shape (parts,)
        Node of each partition.
    processors : int
        Processors of each node; GPUs if they make the copy.
    form : {"rows", "blocks", "by source", "GPU", "GPU local", "GPU by source"}
        The partitions' copy of the edges, followed by ``", stopped"`` if GPUs wait for the whole move.
    vertex_bytes, edge_bytes : int
        Bytes that move with a vertex and an edge.
    network : float
        Seconds of a byte from one node to another.
    keeping : int
        Number of first partitions for which no copy is made if they all stay; 0 for none.
    launch : float
        Seconds of a launch on several nodes; 0 in a single process.

    Examples
    --------
    A vertex with 9 edges goes from the first node to the second, and 30 edges are grouped by source there:

    >>> cost = MoveCost(np.arange(9) * 10, np.array([0, 1]), 1, "by source", 16, 4, network=1e-9)
    >>> predicted = cost.predict(np.array([0, 4, 8]), np.array([0, 3, 8]), np.array([0, 1]))
    >>> predicted == SETUP_SECONDS + (16 + 9 * 4) * 1e-9 + 45 * 15e-9
    True
    """

    work: NDArray[np.int64]
    nodes: NDArray[np.int64]
    processors: int
    form: str
    vertex_bytes: int
    edge_bytes: int
    network: float = 0.0
    keeping: int = 0
    launch: float = 0.0

    slower: ClassVar[dict[str, float]] = {}
    """Measured seconds of moves of each form in this process, divided by predicted ones: a geometric mean in which the
    last counts half.
    """
    beside: ClassVar[dict[str, float]] = {}
    """Measured seconds that moves of each form between nodes take however little moves; the last counts half."""

    def __call__(self, before: NDArray[np.int64], after: NDArray[np.int64], nodes: NDArray[np.int64]) -> float:
        """Predict seconds of a move at the rates that were measured last; see `lux.partition.repartitioner.Cost`."""
        return self.predict(before, after, nodes) * self.slower.get(self.form, 1.0) + self.beside.get(self.form, 0.0)

    def learn(self, predicted: float, took: float) -> None:
        """Correct the rates by a move that took ``took`` seconds on the slowest rank; between nodes, the set-up."""
        if self.nodes[0] != self.nodes[-1]:
            before = self.beside.get(self.form)
            predicted -= before or 0.0
            if predicted <= 0:  # the set-up that another move taught since then is more than all that was predicted
                return
            more = min(max(took - predicted, 0.0), MOST_SLOWER * predicted)
            self.beside[self.form] = more if before is None else (before + more) / 2
            if more > 0:
                return
        rate = self.slower.get(self.form, 1.0)
        self.slower[self.form] = min(max(rate * math.sqrt(took / predicted), 1 / MOST_SLOWER), MOST_SLOWER)

    def predict(self, before: NDArray[np.int64], after: NDArray[np.int64], nodes: NDArray[np.int64]) -> float:
        """Predict seconds of a move at the rates above."""
        if self.form in GPU_FORMS:
            return GPU_SETUP_SECONDS + int(np.diff(after).max()) * self.vertex_bytes / GPU_BYTES_PER_SECOND
        edges = self.work[after] - after
        made, stay = 0.0, self.keeping and np.array_equal(before[: self.keeping + 1], after[: self.keeping + 1])
        for node in () if stay else nodes:
            mine = np.flatnonzero(self.nodes == node)
            each = np.diff(edges[mine[0] : mine[-1] + 2])
            made = max(made, float(each.max()), float(each.sum()) / self.processors)
        low, high = np.minimum(before, after)[1:-1], np.maximum(before, after)[1:-1]
        vertices = high - low
        moved = vertices * self.vertex_bytes + (np.diff(self.work[[low, high]], axis=0)[0] - vertices) * self.edge_bytes
        between = self.nodes[1:] != self.nodes[:-1]
        # A single process has one instance of every store, which all its partitions see.
        within = float(moved[~between].sum()) if between.any() else 0.0
        return (
            (STOPPED_SETUP_SECONDS if self.form in STOPPED else SETUP_SECONDS)
            + LAUNCHES * self.launch
            + float(moved[between].sum()) * self.network
            + within / BYTES_PER_SECOND
            + made * (SECONDS_PER_EDGE | STOPPED)[self.form]
        )


def resume(
    before: PartitionedGraph,
    after: PartitionedGraph,
    old: dict[str, Store],
    new: dict[str, Store],
    static: dict[str, Store],
) -> None:
    """Launch the transfer of a run's progress to other partitions; partitions with frontiers have ``words``.

    Parameters
    ----------
    before, after : PartitionedGraph
    old, new : dict of str to Store
        ``state``, and ``words`` if there is a frontier, as the last launch wrote them, and as the next reads them.
    static : dict of str to Store
        Stores that launches of the new partitions read. Edges are among this launch's inputs, so that Legion moves them
        now and not during the next iteration.
    """
    edges = tuple(name for name in static if name in ("sources", "packed") or name.startswith("in_edge_"))
    with runtime.registered((before, after)) as key:
        given = {
            name: static[name] for name in ("in_offsets", "offsets", "edges", "rows", "words", *edges) if name in static
        }
        words = {"old_words": old["words"], "new_words": new["words"]} if "words" in old else {}
        _resume("words" in old, edges)(
            after.parts, **given, old_state=old["state"], new_state=new["state"], **words, key=key
        )


@functools.cache
def _resume(frontier: bool, edges: tuple[str, ...]) -> Launcher:
    def resume(point: int, old_state: NDArray[np.int64], *values: Any) -> None:
        before, after = runtime.context(values[-1])
        old_words, new_words, new_state = values[0], values[-2], values[-3]
        if not frontier:
            old_words, new_words, new_state = None, None, values[-2]
        take_over(point, before, after, (old_state, old_words), (new_state, new_words))

    words: dict[str, str | None] = {"old_words": None} if frontier else {}
    return Launcher(
        resume,
        inputs={"old_state": None} | words | {"in_offsets": "offsets"} | dict.fromkeys(edges, "edges"),
        outputs={"new_state": "rows"} | ({"new_words": "words"} if frontier else {}),
        scalars={"key": int},
    )


Progress = tuple[NDArray[np.int64], NDArray[np.uint64] | None]
"""The state and, if there is a frontier, its words."""


def take_over(part: int, before: PartitionedGraph, after: PartitionedGraph, old: Progress, new: Progress) -> None:
    """Write a partition's part of the progress from the progress of all previous partitions."""
    (old_state, old_words), (new_state, new_words) = old, new
    lo, hi = after.points[part : part + 2]
    if old_words is None or new_words is None:
        keep_state(part, old_state, hi - lo, new_state)
    else:
        new_queue = new_words.view(before.graph.id_dtype)
        were = _frontier(before, old_state, old_words)
        move_frontier(part, *were, lo, hi, new_state, new_queue, new_words)


def count_anew(
    part: int, before: PartitionedGraph, after: PartitionedGraph, old: Progress, row: NDArray[np.int64], degrees: Any
) -> None:
    """Count the out-edges of a new partition's own part of the frontier, and reset its aggregates.

    Meant for CPU partitions beside GPUs, the first of which takes the aggregates of all, and each counts its own edges.
    ``degrees`` are all vertices' degrees, or None if there is no frontier.
    """
    row[fr.TOTALS :] = 0
    if degrees is not None and old[1] is not None:
        lo, hi = after.points[part : part + 2]
        row[fr.ACTIVE_EDGES] = out_edges(*_frontier(before, old[0], old[1]), lo, hi, degrees)


def _frontier(layout: PartitionedGraph, state: NDArray[np.int64], words: NDArray[np.uint64]) -> tuple[Any, ...]:
    queue = words.view(layout.graph.id_dtype)
    return layout.points, layout.queue_at, layout.word_at, state, queue, words


def compile_kernels(id_dtype: np.dtype[Any], degree_dtype: np.dtype[Any] | None = None) -> None:
    """Compile the kernels of moves, so that the first move takes no longer than others; `count_anew` with degrees."""
    at, state, words = np.zeros(2, np.int64), np.zeros(fr.STATE_COLUMNS, np.int64), np.zeros(1, np.uint64)
    zero = at[0]
    queue = words.view(id_dtype)
    keep_state(0, state, zero, state.copy())
    move_frontier(0, at, at, at, state, queue, words, zero, zero, state.copy(), queue, words)
    if degree_dtype is not None:
        out_edges(at, at, at, state, queue, words, zero, zero, np.zeros(1, degree_dtype))
