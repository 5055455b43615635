# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Grouping of edges by destination in a process: its threads partition them into buckets, and sort the buckets."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.core.stored_graph import id_dtype
from lux.partition import split_points

GRANULES = 1 << 14
"""Runs of destinations of equal length, at most, of which buckets consist: their counters fit a core's cache."""
BUCKETS = 1 << 11
"""Buckets, at most: as many places are written to in turn."""
BUCKET_EDGES = 1 << 15
"""Edges of a bucket where there are no more buckets than `BUCKETS`: they fit a core's cache twice."""


Slice = Callable[[], Iterable[tuple[NDArray[Any], NDArray[Any]]]]
"""A part of some edges: yields (sources, destinations), arrays of unsigned integers, at each of two calls."""


class Grouped:
    """Edges grouped by destination, sources ascending: the first of equal ones is the first in the input.

    Parameters
    ----------
    slices : sequence of Slice
        Together they are the input.
    lo, hi : int
        The destinations are from lo to hi - 1.
    n_vertices : int
    offsets : np.ndarray of shape (hi - lo + 1,), int64
        Receives offsets of each destination's edges.
    mirror : bool
        An edge stands for both directions. Those of self-loops are the same.
    drop_loops, drop_repeats : bool
    numbered : bool
        `place_values` is to be called.
    threads : int

    Attributes
    ----------
    n_edges : int
        Edges that are left.
    """

    def __init__(
        self,
        slices: Sequence[Slice],
        lo: int,
        hi: int,
        n_vertices: int,
        offsets: NDArray[np.int64],
        *,
        mirror: bool = False,
        drop_loops: bool = False,
        drop_repeats: bool = False,
        numbered: bool = False,
        threads: int = 1,
    ) -> None:
        from lux.graph.construction import radix_kernels as kernels

        self._threads, self._drop_repeats = threads, drop_repeats
        shift = max(0, (hi - lo - 1).bit_length() - (GRANULES.bit_length() - 1))
        self._bits = (n_vertices - 1).bit_length()
        shape = lo, shift
        counts = np.zeros((len(slices), ((hi - lo - 1) >> shift) + 1), np.int64)
        lengths = np.zeros(len(slices), np.int64)
        kinds = mirror, drop_loops

        def count(k: int) -> None:
            for ends in slices[k]():
                kernels.count_granules(*ends, *shape, *kinds, counts[k])
                lengths[k] += len(ends[0])

        self._each(len(slices), count)
        starts = np.concatenate([np.zeros((len(slices), 1), np.int64), np.cumsum(counts, axis=1)], axis=1)
        granules = _cut(starts.sum(axis=0), threads)
        buckets = len(granules) - 1
        self._firsts = np.minimum(lo + (granules << shift), hi)
        per_slice = np.diff(starts[:, granules], axis=1)
        self._starts = split_points.starts(per_slice.sum(axis=0))
        at = self._starts[:-1] + np.cumsum(per_slice, axis=0) - per_slice
        bucket_of = np.repeat(np.arange(buckets, dtype=np.uint16), np.diff(granules))

        total, first_edges = int(self._starts[-1]), split_points.starts(lengths)
        wide = self._bits + (int(np.diff(self._firsts).max(initial=1)) - 1).bit_length() > 32
        self._keys = np.empty(total, np.uint64 if wide else np.uint32)
        self._edges = np.empty(total if numbered else 0, np.uint32 if first_edges[-1] < 2**32 else np.int64)
        where = bucket_of, self._firsts, self._bits

        def fill(k: int) -> None:
            first = first_edges[k]
            for ends in slices[k]():
                kernels.fill_keys(*ends, *shape, *where, *kinds, at[k], self._keys, self._edges, first)
                first += len(ends[0])

        self._each(len(slices), fill)
        self._kept = np.diff(self._starts)
        if drop_repeats:
            self._sources = self._keys.view(id_dtype(n_vertices))
            self._spread = len(self._sources) // max(len(self._keys), 1)
            self._sort(self._sources, self._spread, offsets)
        self.n_edges = int(self._kept.sum())

    def place(self, sources: NDArray[Any], offsets: NDArray[np.int64]) -> None:
        """Write the sources, and make the offsets count from the first edge; ``offsets`` are as they were given."""
        from lux.graph.construction import radix_kernels as kernels

        if not self._drop_repeats:
            self._sort(sources, 1, offsets)
        self._final_starts = split_points.starts(self._kept)
        sorted_ones, spread = (self._sources, self._spread) if self._drop_repeats else (sources, 1)
        out = sources if self._drop_repeats else sources[:0]
        given = self._final_starts, offsets, sorted_ones, spread, self._starts, out
        self._all(lambda turn: kernels.place_buckets(turn, self._firsts, *given))
        offsets[-1] = self.n_edges

    def place_values(self, values: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the values of the edges, of which ``values`` has one for each edge of the input."""
        from lux.graph.construction import radix_kernels as kernels

        given = self._starts, self._final_starts, self._edges, values, out
        self._all(lambda turn: kernels.place_values(turn, *given))

    def _sort(self, sources: NDArray[Any], spread: int, offsets: NDArray[np.int64]) -> None:
        from lux.graph.construction import radix_kernels as kernels

        given = self._starts, self._firsts, self._bits, self._drop_repeats, self._keys, self._edges
        out = sources, spread, offsets, self._kept
        self._all(lambda turn: kernels.sort_buckets(turn, *given, *out))

    def _all(self, kernel: Callable[[NDArray[np.int64]], None]) -> None:
        """Run a kernel on all threads, which take buckets in turn."""
        turn = np.zeros(1, np.int64)
        runtime.run_team([functools.partial(kernel, turn)] * self._threads)

    def _each(self, count: int, work: Callable[[int], None]) -> None:
        """Do some pieces of work, on all threads."""
        runtime.run_team(shares(count, self._threads, work))


def shares(count: int, threads: int, work: Callable[[int], None]) -> list[Callable[[], None]]:
    """Return a function for each of some threads; together they do ``count`` pieces of work."""

    def some(me: int) -> None:
        for k in range(count * me // threads, count * (me + 1) // threads):
            work(k)

    return [functools.partial(some, me) for me in range(threads)]


def _cut(starts: NDArray[np.int64], threads: int) -> NDArray[np.int64]:
    """Cut granules into buckets of about equal work.

    >>> _cut(np.array([0, 0, 9, 10]), 1)
    array([0, 3])
    """
    granules, edges = len(starts) - 1, int(starts[-1])
    wanted = min(max(edges // BUCKET_EDGES, 4 * threads if threads > 1 else 1), BUCKETS, granules)
    work = starts + np.arange(granules + 1)
    cuts = split_points.nearest(work.__getitem__, granules + 1, np.linspace(0.0, float(work[-1]), wanted + 1))
    cuts[0], cuts[-1] = 0, granules
    return np.unique(cuts)
