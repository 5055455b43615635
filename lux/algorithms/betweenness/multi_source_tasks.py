# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Bodies of the point tasks of `lux.algorithms.betweenness.multi_source_levels`, each for its partition."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.betweenness import multi_source_kernels
from lux.algorithms.betweenness.brandes_state_kernels import AUTO, PULL, PUSH

if TYPE_CHECKING:
    from lux.algorithms.betweenness.brandes import BrandesQuery

BATCH_BYTES, MOST_SOURCES = 1 << 28, 16
"""A batch has as many sources as need these bytes over all processes, at least one; more than so many gain little."""
ENTRY_BYTES = 40
"""Bytes of a vertex and a source: its number of paths, both copies with exponents, its place in a level."""


@dataclass
class Part:
    """State that one partition keeps to itself.

    Level k is ``order[starts[k] : starts[k + 1]]``; ``wide`` says which levels have exponents.
    """

    lo: int
    paths: NDArray[np.float64]
    order: NDArray[np.int64]
    scores: NDArray[np.float64]
    starts: list[int] = field(default_factory=list)
    wide: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def batch_size(asked: BrandesQuery) -> int:
    """Sources of a batch."""
    fit = BATCH_BYTES // (ENTRY_BYTES * asked.graph.n_vertices)
    return max(1, min(fit, MOST_SOURCES, len(asked.chosen)))


class Batches:
    """State that the point tasks of a run find in their process."""

    def __init__(self, asked: BrandesQuery, points: NDArray[np.int64], model: int) -> None:
        self.asked, self.points, self.model = asked, points, model
        self.size = batch_size(asked)
        self.n_edges = asked.graph.n_edges
        room = self.size if model == PUSH else self.size / 32
        self.queue_at = np.concatenate([[0], np.cumsum(64 + np.diff(self.points) * room)]).astype(np.int64)
        self.width = multi_source_kernels.REACHED + self.size
        self.batch: NDArray[np.int64] = asked.chosen[:0]
        self.ends: list[tuple[int, float]] = []  # what a path's ends add to its source
        self.parts: dict[int, Part] = {}

    def part(self, point: int) -> Part:
        """Return the state of partition ``point``, made when it is first asked for."""
        if point not in self.parts:
            lo, hi = self.points[point : point + 2].tolist()
            entries = (hi - lo) * self.size
            self.parts[point] = Part(lo, np.empty(entries), np.empty(entries, np.int64), np.zeros(hi - lo))
        return self.parts[point]

    def start(self, point: int, out_offsets: NDArray[np.int64], *copies: NDArray[Any]) -> None:
        """Level 0, the sources of the batch. ``copies`` are the even and odd values, exponents, queues and states."""
        began = time.perf_counter()
        for array in copies:
            array[:] = 0
        even, even_exponents, queue, state = copies[::2]
        part = self.part(point)
        part.paths[:] = 0.0
        inside = (self.batch >= part.lo) & (self.batch < self.points[point + 1])
        own = (self.batch[inside] - part.lo) * self.size + np.flatnonzero(inside)
        part.order[: len(own)], even[own] = own, 1.0
        part.starts, part.wide = [0, len(own)], []
        multi_source_kernels.finish_level(
            self.size, part.lo, part.order, 0, len(own), out_offsets, part.paths, even, even_exponents, queue, state
        )
        part.seconds.append(time.perf_counter() - began)

    def find(self, point: int, given: dict[str, Any]) -> int:
        """Find the next level; return its entries in this partition."""
        began = time.perf_counter()
        part, rows = self.part(point), given["a_state"].reshape(-1, self.width)
        level, start = len(part.starts) - 1, part.starts[-1]
        before, out_edges, wide, _ = rows[:, : multi_source_kernels.REACHED].sum(axis=0).tolist()
        part.wide.append(wide > 0)
        written = given["b_values"], given["b_exponents"]
        if level >= 2:
            multi_source_kernels.clear_values(part.order, part.starts[level - 2], part.starts[level - 1], written[0])
        own = part.paths, *written, part.order, start
        read = given["a_values"], given["a_exponents"]
        end = start
        if before and self._pulls(rows, out_edges):
            end = multi_source_kernels.pull(self.size, wide > 0, given["in_offsets"], given["sources"], *read, *own)
        elif before:
            queues = given["a_queue"], self.queue_at, given["a_state"], self.width
            edges = given["ins"], given["row_offsets"], given["destinations"]
            end = multi_source_kernels.push(self.size, wide > 0, part.lo, *queues, *edges, *read, *own)
        part.starts.append(end)
        state = given["b_state"]
        state[:] = rows[point]
        state[multi_source_kernels.LEVELS] = level if before else rows[point, multi_source_kernels.LEVELS]
        multi_source_kernels.finish_level(
            self.size,
            part.lo,
            part.order,
            start,
            end,
            given["out_offsets"],
            part.paths,
            *written,
            given["b_queue"],
            state,
        )
        part.seconds[-1] += time.perf_counter() - began
        return end - start

    def _pulls(self, rows: NDArray[np.int64], out_edges: int) -> bool:
        """Choose pull or push: a pull reads each edge once for all sources; a push needs the level in the queues."""
        if self.model != AUTO:
            return self.model == PULL
        return out_edges > self.n_edges or bool((rows[:, multi_source_kernels.ENTRIES] > np.diff(self.queue_at)).any())

    def accumulate(self, point: int, *given: Any) -> None:
        """Add up the dependencies of a level's vertices."""
        began = time.perf_counter()
        offsets, destinations, a, a_exponents, own_exponents, b, level, last = given
        part = self.part(point)
        if level + 2 <= last:
            multi_source_kernels.clear_values(part.order, part.starts[level + 2], part.starts[level + 3], b)
        multi_source_kernels.accumulate(
            self.size, level < last and part.wide[level + 1], level == last, part.order, part.starts[level],
            part.starts[level + 1], offsets, destinations, a, a_exponents, part.paths, b, own_exponents,
            self.asked.one, part.scores,
        )  # fmt: skip
        part.seconds[-1] += time.perf_counter() - began

    def give(self, point: int, scores: NDArray[np.float64], seconds: NDArray[np.float64]) -> None:
        """Write the partition's scores, and its time for each batch."""
        part = self.part(point)
        scores[:] = part.scores
        for place, value in self.ends:
            if part.lo <= place < self.points[point + 1]:
                scores[place - part.lo] += value
        seconds[:] = part.seconds
