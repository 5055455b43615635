# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Partitions of a graph: split points, and rectangles for launches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.core.degree_facts import degree_facts
from lux.graph.core.stored_graph import StoredGraph
from lux.partition import split_points
from lux.runtime import Store

SAMPLES = 1 << 16
"""Vertices at which the work before them is known where a process does not hold all offsets: of small graphs, all."""


def cut(points: NDArray[np.int64], extra: int = 0) -> NDArray[np.int64]:
    """Return points ``[p_0, ..., p_P]`` as first elements and ends: rows ``p_i, p_(i+1) + extra``.

    >>> cut(np.array([0, 2, 5])).tolist()
    [[0, 2], [2, 5]]
    """
    return np.column_stack([points[:-1], np.asarray(points[1:]) + extra])


def rectangles(cuts: dict[str, NDArray[np.int64]]) -> dict[str, Store]:
    """Make stores of rectangles from cuts."""
    return {name: runtime.rectangles(rows[:, 0], rows[:, 1] - 1) for name, rows in cuts.items()}


def rectangles_of(cuts: dict[str, NDArray[np.int64]], parts: slice) -> dict[str, Store]:
    """Make stores of rectangles from the cuts of some partitions, for launches over them alone.

    Legate does not split a launch of one point, so with one partition a second point gets nothing (`points_for`).
    """
    some = {name: rows[parts] for name, rows in cuts.items()}
    return rectangles({n: rows if len(rows) > 1 else np.vstack([rows, [[0, 0]]]) for n, rows in some.items()})


def points_for(parts: int) -> int:
    """Return the points of a launch over ``parts`` partitions out of more."""
    return max(parts, 2)


class SampledWork:
    """Work before each vertex of a graph that is spread over processes or GPUs, in memory that does not grow with it.

    It is known at `SAMPLES` vertices, and between them interpolated.
    """

    def __init__(self, graph: StoredGraph) -> None:
        samples = min(graph.n_vertices, SAMPLES)
        self._length = graph.n_vertices + 1
        self._at = np.arange(samples + 1, dtype=np.int64) * graph.n_vertices // samples
        self._work = graph.offsets_at(self._at) + self._at

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, vertices: Any) -> NDArray[np.int64]:
        """Return the work before some vertices; -1 is the last."""
        found = np.where(np.asarray(vertices) < 0, np.asarray(vertices) + self._length, vertices)
        return np.asarray(np.rint(np.interp(found, self._at, self._work)), np.int64)


@dataclass
class Partitions:
    """A graph's partitions: ``points`` are the P + 1 split points."""

    graph: StoredGraph
    points: NDArray[np.int64]

    @property
    def parts(self) -> int:
        """Number of partitions."""
        return len(self.points) - 1

    @cached_property
    def edge_points(self) -> NDArray[np.int64]:
        """Number of the first in-edge of each partition, and of all."""
        if self.parts == 1:  # known without reading the offsets, which may lie on a GPU
            return np.array([0, self.graph.n_edges], np.int64)
        return self.graph.offsets_at(self.points)

    @cached_property
    def work(self) -> Any:
        """In-edges before each vertex, where a vertex counts as one edge besides.

        An array of shape (n_vertices + 1,), int64; on several processes, and of a graph on GPUs, `SampledWork`, which
        is indexed as an array is.
        """
        if runtime.ranks() == 1 and not self.graph.offsets.lies_on_gpus:
            return split_points.running_work(runtime.to_array(self.graph.offsets))
        return SampledWork(self.graph)

    @cached_property
    def word_at(self) -> NDArray[np.int64]:
        """Begin of each partition's words of a frontier."""
        from lux.kernels import frontier

        return split_points.starts(np.array([frontier.words_for(int(n)) for n in np.diff(self.points)], np.int64))

    @cached_property
    def queue_at(self) -> NDArray[np.int64]:
        """Begin of each partition's words of a frontier, counted in ids."""
        return self.word_at * (8 // self.graph.id_dtype.itemsize)

    @cached_property
    def cuts(self) -> dict[str, NDArray[np.int64]]:
        """The part of the graph's and the run's stores that each partition sees: first element, and end."""
        from lux.kernels import frontier

        return {
            "vertices": cut(self.points),
            "offsets": cut(self.points, extra=1),
            "edges": cut(self.edge_points),
            "words": cut(self.word_at),
            "rows": cut(np.arange(self.parts + 1, dtype=np.int64) * frontier.STATE_COLUMNS),
        }

    @cached_property
    def splits(self) -> dict[str, Store]:
        """``cuts`` as stores of rectangles."""
        return rectangles(self.cuts)

    def rows(self, width: int) -> Store:
        """Return rectangles of ``width`` elements a partition."""
        return runtime.ranges(np.arange(self.parts + 1, dtype=np.int64) * width)

    @cached_property
    def irregular(self) -> float:
        """Share of the vertices that have another number of in-edges than the vertex before."""
        n = self.graph.n_vertices
        return degree_facts(self.graph).changes / (n - 1) if n > 1 else 0.0
