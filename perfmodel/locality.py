# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Source locality of a graph's edges, and the cache misses that follow from it.

Locality has two curves. `SourceLocality.hottest` gives the share of reads that go to few vertices.
`SourceLocality.footprints` gives the number of cache lines (vertices stored together) that a window of consecutive
edges reads: few if hot or nearby sources follow each other. The slope of the footprint, at as many lines as a cache
holds, is the miss ratio of an LRU cache of that size (Xiang, Ding, Luo and Bao, "HOTL: a higher order theory of
locality", ASPLOS 2013). The footprint so distinguishes hubs, uniform graphs and grids, in the order in which vertices
are stored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.equations import near_share
from perfmodel.errors import ModelError

if TYPE_CHECKING:
    from perfmodel.programs import Program
    from perfmodel.summary import GraphSummary

GROUPS = (4, 8, 16)
"""Vertices of a line: values of 4 and 8 bytes in the 32 bytes that a GPU fetches, and in the 64 of a CPU core."""
LINE_BYTES = {"cpu": 64, "gpu": 32}
CROWD_BYTES = 128
"""Bytes of a line of a GPU's L2, on which atomics are serialised."""
TABLE_BYTES = 192 << 10
"""Shared memory of a GPU's multiprocessor for the hot vertices; `lux.codegen.cuda_arguments` has the same."""


@dataclass(frozen=True)
class SourceLocality:
    """Source locality of a graph's edges: two curves.

    Attributes
    ----------
    hottest : tuple of float
        Share of the edges whose source is among the 1, 2, 4, ... vertices with the most out-edges; the last is 1.
    footprints : mapping of int to tuple of (edges, lines)
        By vertices of a line: the mean number of lines that so many consecutive edges read; the last pair is of all
        edges.
    ranges : int
        Ranges of internal ids, each sorted by falling degree; 0 if vertices are in another order.
    """

    hottest: tuple[float, ...]
    footprints: Mapping[int, tuple[tuple[float, float], ...]]
    ranges: int = 0

    def hot(self, vertices: float) -> float:
        """Return the share of edges whose source is among so many vertices with the most out-edges.

        >>> reads = SourceLocality((0.5, 0.7, 0.9, 1.0), {})
        >>> reads.hot(1), reads.hot(3), reads.hot(100)
        (0.5, 0.8, 1.0)
        """
        counts = 2.0 ** np.arange(len(self.hottest))
        return float(np.interp(vertices, [0.0, *counts], [0.0, *self.hottest]))

    def touched(self, group: int, share: float = 1.0) -> float:
        """Return the number of lines that such a share of the edges reads.

        >>> SourceLocality((), {4: ((1, 1), (16, 4), (64, 8))}).touched(4, 0.25)
        4.0
        """
        edges, read = np.array(self.footprints[group], np.float64).T
        return _at(edges, read, share * edges[-1])

    def crowded(self, vertices: int) -> float:
        """Return the share of edges whose source lies in the most-referenced line (of so many vertices).

        For vertices stored by degree, the line holds the vertices with the most edges, dealt out to the ranges;
        in any other order one vertex has most of its line's edges.

        >>> shares = (0.1, 0.16, 0.24, 0.4, 1.0)
        >>> [SourceLocality(shares, {}, ranges).crowded(4) for ranges in (0, 1, 2)]
        [0.1, 0.24, 0.2]
        """
        if not self.hottest:
            return 0.0
        return self.hot(vertices * self.ranges) / self.ranges if self.ranges else self.hottest[0]

    def missed(self, group: int, lines: float, share: float = 1.0) -> float:
        """Return the share of reads that miss a cache of so many lines, over successive iterations.

        Parameters
        ----------
        group : int
            Vertices of a line.
        lines : float
        share : float
            Share of the edges that one worker has; a cache that holds all their sources has no misses.

        Examples
        --------
        100 lines are read in turns, each four times before the next one; the cache holds 50 of them, or all:

        >>> reads = SourceLocality((), {4: ((1, 1), (5, 2), (41, 11), (397, 100))})
        >>> reads.missed(4, 50), reads.missed(4, 100)
        (0.25, 0.0)
        """
        edges, read = np.array(self.footprints[group], np.float64).T
        if lines >= _at(edges, read, share * edges[-1]) * (1 - 1e-9):  # roundings
            return 0.0
        if lines <= read[0]:
            return 1.0
        # A footprint is concave but for noise: first reads of a line become ever rarer in a window.
        slopes = np.minimum.accumulate(np.clip(np.diff(read) / np.diff(edges), 0.0, 1.0))
        middles = np.sqrt(read[1:] * read[:-1])
        return float(np.interp(math.log(lines), np.log(middles), slopes))


def _at(edges: Any, read: Any, window: float) -> float:
    """Return the lines that a window of edges reads, interpolated between counted windows by a power law."""
    return float(np.exp(np.interp(math.log(max(window, 1.0)), np.log(edges), np.log(read))))


def locality_of_json(found: dict[str, Any]) -> SourceLocality:
    """Build `SourceLocality` from its JSON."""
    footprints = {int(g): tuple((float(e), float(n)) for e, n in points) for g, points in found["footprints"].items()}
    if not all(footprints.values()):
        raise ValueError("footprints have no points")
    return SourceLocality(tuple(map(float, found["hottest"])), footprints, found["ranges"])


def hottest(out_degrees: Sequence[int] | Any) -> tuple[float, ...]:
    """Return the share of edges whose source is among the 1, 2, 4, ... vertices with the most out-edges.

    >>> hottest([1, 5, 2, 0, 2])
    (0.5, 0.7, 1.0)
    """
    counts = np.bincount(np.asarray(out_degrees, np.int64))[:0:-1]
    degrees = np.arange(len(counts), 0, -1)
    edges = float((counts * degrees).sum())
    if not edges:
        return ()
    vertices = np.cumsum(counts)
    ks = 2.0 ** np.arange(math.ceil(math.log2(float(vertices[-1]))) + 1)
    shares = np.interp(ks, [0, *vertices], [0.0, *(np.cumsum(counts * degrees) / edges)])
    return tuple(float(s) for s in shares)


def line_vertices(device: str, value_bytes: int) -> int:
    """Return the vertices of a cache line: the nearest counted number.

    >>> line_vertices("gpu", 8), line_vertices("cpu", 4), line_vertices("gpu", 64)
    (4, 16, 4)
    """
    wanted = math.log(LINE_BYTES[device] / value_bytes)
    return min(GROUPS, key=lambda group: abs(math.log(group) - wanted))


def crowd(summary: GraphSummary, of: Program) -> float:
    """Return the number of edges into the most-referenced line of values."""
    return summary.crowd(CROWD_BYTES // of.value_bytes)


@dataclass(frozen=True)
class Caches:
    """Caches of a processor, in bytes.

    Attributes
    ----------
    device : {"cpu", "gpu"}
    cache_bytes : float
        Last-level cache: a GPU's L2, the last one of CPU cores.
    hot_bytes : float or None
        Cache before it: L1 of a GPU, a core's own. None in profiles of one cache, which ignore where vertices lie:
        reads hit with the share of the values that fit the cache.
    """

    device: str
    cache_bytes: float
    hot_bytes: float | None = None

    def missed(self, summary: GraphSummary, of: Program, model: str, workers: int) -> tuple[float, float]:
        """Return the shares of an edge's reads that miss the first cache, and that miss both.

        On GPUs with vertices stored by degree, pull of programs without a frontier finds the vertices with the most
        edges in a table in shared memory.

        Raises
        ------
        ModelError
            The summary does not say how edges read their sources.
        """
        if self.hot_bytes is None:
            return 1.0, 1 - near_share(of.value_bytes, summary.gathered(workers), self.cache_bytes)
        reads = summary.reads
        if reads is None:
            raise ModelError(
                "the graph's summary is of an older Lux and does not say how edges read their sources: count again "
                "with lux autotune GRAPH --save-summary FILE"
            )
        if not reads.footprints:
            return 0.0, 0.0
        group = line_vertices(self.device, of.value_bytes)
        # In a graph f times larger, f lines are as hot as one was.
        lines = 1 / (group * of.value_bytes * summary.scale)
        far = reads.missed(group, self.cache_bytes * lines, 1 / workers)
        first = reads.missed(group, self.hot_bytes * lines, 1 / workers)
        if self.device == "gpu" and reads.ranges and model == "pull" and not of.frontier:
            first = min(first, 1 - reads.hot(TABLE_BYTES / of.value_bytes / summary.scale))
        return first, min(far, first)
