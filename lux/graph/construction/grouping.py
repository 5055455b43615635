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

    The input comes in slices, one after the other; slices may be filled in at the same time.

    Parameters
    ----------
    lo, hi : int
        The destinations are from lo to hi - 1.
    n_vertices : int
    shift : int
        Granules have ``2 ** shift`` destinations, the first of them ``lo``.
    counts : np.ndarray of shape (slices, granules), int64
        Edges of each slice in each granule, as `count_granules` counts them.
    lengths : np.ndarray of shape (slices,), int64
        Edges of each slice as it is given, by which edges are numbered.
    mirror : bool
        An edge stands for both directions. Those of self-loops are the same.
    drop_loops, drop_repeats : bool
    numbered : bool
        `place_values` is to be called.
    threads : int

    Attributes
    ----------
    n_edges : int
        Edges that are left, once `sort` was called.
    first_edges : np.ndarray of shape (slices + 1,), int64
        Number of the first edge of each slice, and of all.
    next_edges : np.ndarray of shape (slices,), int64
        Number of the edge of each slice that is filled in next.
    """

    def __init__(
        self,
        lo: int,
        hi: int,
        n_vertices: int,
        shift: int,
        counts: NDArray[np.int64],
        lengths: NDArray[np.int64],
        *,
        mirror: bool = False,
        drop_loops: bool = False,
        drop_repeats: bool = False,
        numbered: bool = False,
        threads: int = 1,
    ) -> None:
        self._threads, self._drop_repeats, self._kinds = threads, drop_repeats, (mirror, drop_loops)
        self._bits, self._shape = (n_vertices - 1).bit_length(), (lo, shift)
        starts = np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts, axis=1)], axis=1)
        granules = _narrow(_cut(starts.sum(axis=0), threads), shift, 32 - self._bits)
        self._firsts = np.minimum(lo + (granules << shift), hi)
        buckets = len(granules) - 1
        per_slice = np.diff(starts[:, granules], axis=1)
        self._starts = split_points.starts(per_slice.sum(axis=0))
        self._at = self._starts[:-1] + np.cumsum(per_slice, axis=0) - per_slice
        self._bucket_of = np.repeat(np.arange(buckets, dtype=np.uint16), np.diff(granules))
        self.first_edges = split_points.starts(lengths)
        self.next_edges = self.first_edges[:-1].copy()
        total, self._type = int(self._starts[-1]), id_dtype(n_vertices)
        wide = self._bits + (int(np.diff(self._firsts).max(initial=1)) - 1).bit_length() > 32
        self._keys = np.empty(total, np.uint64 if wide else np.uint32)
        self._edges = np.empty(total if numbered else 0, np.uint32 if self.first_edges[-1] < 2**32 else np.int64)
        self._kept = np.diff(self._starts)

    def fill(self, k: int, sources: NDArray[Any], destinations: NDArray[Any]) -> None:
        """Add the next edges of slice k."""
        from lux.graph.construction import radix_kernels as kernels

        where = *self._shape, self._bucket_of, self._firsts, self._bits, *self._kinds, self._at[k]
        kernels.fill_keys(sources, destinations, *where, self._keys, self._edges, self.next_edges[k])
        self.next_edges[k] += len(sources)

    def sort(self, offsets: NDArray[np.int64]) -> None:
        """Drop repeats, if asked for, when all edges are filled in; ``offsets`` is kept for `place` as it is then.

        Parameters
        ----------
        offsets : np.ndarray of shape (hi - lo + 1,), int64
        """
        if self._drop_repeats:
            self._sources = self._keys.view(self._type)
            self._spread = len(self._sources) // max(len(self._keys), 1)
            self._sort(self._sources, self._spread, offsets)
        self.n_edges = int(self._kept.sum())

    def place(self, sources: NDArray[Any], offsets: NDArray[np.int64]) -> None:
        """Write the sources, and make the offsets, which `sort` was given, count from the first edge."""
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


def group(
    slices: Sequence[Slice],
    lo: int,
    hi: int,
    n_vertices: int,
    offsets: NDArray[np.int64],
    *,
    mirror: bool = False,
    drop_loops: bool = False,
    threads: int = 1,
    **more: bool,
) -> Grouped:
    """Count, group and sort edges, which are read twice.

    Parameters
    ----------
    slices : sequence of Slice
        Together they are the input.
    lo, hi, n_vertices, mirror, drop_loops, threads, **more
        Arguments of `Grouped`.
    offsets : np.ndarray of shape (hi - lo + 1,), int64
        Offsets for `Grouped.sort` and `Grouped.place`.
    """
    from lux.graph.construction import radix_kernels as kernels

    shift = granule_shift(hi - lo, GRANULES)
    counts = np.zeros((len(slices), ((hi - lo - 1) >> shift) + 1), np.int64)
    lengths = np.zeros(len(slices), np.int64)

    def count(k: int) -> None:
        for ends in slices[k]():
            kernels.count_granules(*ends, lo, shift, mirror, drop_loops, counts[k])
            lengths[k] += len(ends[0])

    runtime.run_team(shares(len(slices), threads, count))
    kinds = {"mirror": mirror, "drop_loops": drop_loops, **more}
    grouped = Grouped(lo, hi, n_vertices, shift, counts, lengths, threads=threads, **kinds)

    def fill(k: int) -> None:
        for ends in slices[k]():
            grouped.fill(k, *ends)

    runtime.run_team(shares(len(slices), threads, fill))
    grouped.sort(offsets)
    return grouped


def granule_shift(n: int, granules: int) -> int:
    """Return log2 of the length of granules of which ``n`` destinations have at most so many, a power of two.

    >>> granule_shift(1000, 1 << 14), granule_shift(1000, 256)
    (0, 2)
    """
    return max(0, (n - 1).bit_length() - (granules.bit_length() - 1))


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
    return _distinct(cuts)


def _narrow(granules: NDArray[np.int64], shift: int, bits: int) -> NDArray[np.int64]:
    """Cut buckets further, of ``2 ** shift`` destinations a granule, so that they have at most ``2 ** bits`` each.

    Their keys then have half as many bytes. Where that would make too many buckets they stay as they are.

    >>> _narrow(np.array([0, 3, 9]), 0, 2), _narrow(np.array([0, 3, 9]), 2, 1)
    (array([0, 3, 4, 8, 9]), array([0, 3, 9]))
    """
    end = int(granules[-1])
    if bits < shift or end << shift >> bits > BUCKETS:
        return granules
    return _distinct(np.concatenate([granules, np.arange(0, end, 1 << (bits - shift))]))


def _distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Sort values and drop repetitions, as `np.unique` does, which imports `np.ma` for that: 20 ms.

    >>> _distinct(np.array([3, 0, 3, 1]))
    array([0, 1, 3])
    """
    ordered = np.sort(values)
    found: NDArray[Any] = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    return found


def key_bytes(span: int, n_vertices: int) -> int:
    """Return the bytes of an edge's key among ``span`` destinations: 8, or 4 where they surely suffice.

    >>> key_bytes(1 << 20, 1 << 22), key_bytes(1 << 22, 1 << 22)
    (4, 8)
    """
    bits = 32 - (n_vertices - 1).bit_length()
    return 4 if bits >= granule_shift(span, GRANULES) and span >> bits <= BUCKETS else 8
