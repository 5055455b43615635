# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The shuffle by which several processes make a graph: every edge goes to the process of its destination.

Every process makes its share of the edges twice, a piece at a time: it counts them, from which follow blocks of
destinations with about equally many edges, and then sends them piece by piece to the processes of their blocks, which
sort them. So besides the graph and a piece a process holds only its edges' keys (`lux.graph.construction.grouping`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import LuxError
from lux.graph.construction.edge_stores import SortedEdges
from lux.graph.construction.grouping import GRANULES, Grouped, granule_shift
from lux.graph.construction.own_edges import AnyEdges, OwnEdges, Piece, own_edges
from lux.graph.core.stored_graph import id_dtype
from lux.partition import split_points
from lux.partition.split_points import MAX_PARTITIONS
from lux.runtime import Launcher
from lux.runtime.exchange import exchange_words, summed

PIECE = 1 << 19
"""Edges that a thread makes at a time: their copies in messages take some MB."""
MOST_GRANULES = 1 << 20
"""Granules of all destinations, at most: runs of vertices of equal length, by which edges are counted and cut."""


def shuffled(
    source: AnyEdges, types: Mapping[str, np.dtype[Any]], *, drop_loops: bool, drop_repeats: bool
) -> SortedEdges:
    """Make a graph's edges by all processes; see `lux.graph.construction.one_process.in_one_process`."""
    shuffle = _Shuffle(source, types, drop_loops=drop_loops, drop_repeats=drop_repeats)
    shuffle.count()
    shuffle.send()
    return shuffle.stored()


class _Shuffle:
    """A shuffle under way.

    Attributes
    ----------
    points : np.ndarray of shape (blocks + 1,), int64
        Blocks of destinations.
    owners : np.ndarray of shape (blocks,), int64
        The process of each block.
    grouped : dict of int to Grouped
        The edges of each of this process's blocks.
    values : dict of int to dict of str to np.ndarray
        Their properties, by the numbers of the edges that `Grouped` has.
    offsets : dict of int to np.ndarray
        Offsets of each block, once its edges are sorted.
    """

    def __init__(
        self, source: AnyEdges, types: Mapping[str, np.dtype[Any]], *, drop_loops: bool, drop_repeats: bool
    ) -> None:
        self.n, self.types, self.ids = source.n_vertices, dict(types), id_dtype(source.n_vertices)
        self.drop_loops, self.drop_repeats = drop_loops, drop_repeats
        self.ranks, self.rank = runtime.ranks(), runtime.rank()
        self.own: OwnEdges = own_edges(source, PIECE)
        self.shift = granule_shift(self.n, min(GRANULES * self.ranks, MOST_GRANULES))
        self.grouped: dict[int, Grouped] = {}
        self.values: dict[int, dict[str, NDArray[Any]]] = {}
        self.offsets: dict[int, NDArray[np.int64]] = {}
        self.error: LuxError | None = None

    def count(self) -> None:
        """Count the edges of all processes by granule, cut blocks, and make room for the edges of this process's."""
        from lux.graph.construction import radix_kernels as kernels

        granules = ((self.n - 1) >> self.shift) + 1
        threads = runtime.team_size()
        counts = np.zeros((threads, granules), np.int64)
        kinds = self.own.mirror, self.drop_loops

        def count(thread: int) -> None:
            for k in range(thread, len(self.own.pieces), threads):
                sources, destinations, _ = self._piece(k, ())
                kernels.count_granules(sources, destinations, 0, self.shift, *kinds, counts[thread])

        runtime.run_team([functools.partial(count, thread) for thread in range(threads)])
        runtime.raise_on_all_ranks(self.error)
        own = counts.sum(axis=0)
        self.points = self._cut(summed(own))
        blocks = len(self.points) - 1
        self.owners = split_points.nodes_of(blocks, self.ranks)
        self.first_blocks = np.searchsorted(self.owners, np.arange(self.ranks + 1))
        at = -(-self.points // (1 << self.shift))
        arrived = self._by_process(own, at[self.first_blocks])
        self.block_of = np.repeat(np.arange(blocks), np.diff(at))
        first = at[self.first_blocks[self.rank]]
        for block in self._own_blocks():
            here = arrived[:, at[block] - first : at[block + 1] - first]
            self.grouped[block] = Grouped(
                int(self.points[block]),
                int(self.points[block + 1]),
                self.n,
                self.shift,
                here,
                here.sum(axis=1),
                drop_repeats=self.drop_repeats,
                numbered=bool(self.types),
            )
            total = int(here.sum())
            self.values[block] = {name: np.empty(total, kind) for name, kind in self.types.items()}

    def _own_blocks(self) -> range:
        return range(*self.first_blocks[self.rank : self.rank + 2].tolist())

    def _by_process(self, counts: NDArray[np.int64], at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Send each process its part of the counts, from ``at`` on; return what arrived, a row for each process."""
        parts = [counts[at[rank] : at[rank + 1]].view(np.uint64) for rank in range(self.ranks)]
        size = len(parts[self.rank])
        return np.concatenate(exchange_words(parts, [size] * self.ranks)).view(np.int64).reshape(self.ranks, size)

    def _cut(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Cut vertices between granules into blocks of about equally many edges and vertices."""
        begins = np.append(np.arange(0, self.n, 1 << self.shift), self.n)
        work, blocks = begins + split_points.starts(counts), min(runtime.processors(), self.n, MAX_PARTITIONS)
        cuts = split_points.nearest(work.__getitem__, len(work), np.linspace(0.0, float(work[-1]), blocks + 1))
        cuts[0], cuts[-1] = 0, len(counts)
        return np.asarray(begins[np.maximum.accumulate(cuts)])

    def _piece(self, k: int, names: tuple[str, ...]) -> Piece:
        """Return a piece of this process's edges; none, and the error kept, if it cannot be made."""
        try:
            return self.own.piece(k, names)
        except Exception as raised:  # noqa: BLE001  # other processes wait; all raise it
            self.error = self.error or (raised if isinstance(raised, LuxError) else LuxError(str(raised)))
            return (
                np.empty(0, self.ids),
                np.empty(0, self.ids),
                {name: np.empty(0, t) for name, t in self.types.items()},
            )

    def send(self) -> None:
        """Send all edges to the processes of their blocks, in as many rounds as the process with most pieces has."""
        threads = runtime.team_size()
        rounds = -(-len(self.own.pieces) // threads)
        rounds = int(runtime.allreduce_max(np.array([rounds], np.float64))[0])
        for k in range(rounds):
            self._round(range(k * threads, min((k + 1) * threads, len(self.own.pieces))))
        runtime.raise_on_all_ranks(self.error)

    def _round(self, pieces: range) -> None:
        """Make some pieces, a thread each, and send them."""
        from lux.graph.construction import sort_kernels as kernels

        blocks, names = len(self.owners), tuple(self.types)
        made: list[Any] = [None] * len(pieces)
        counts = np.zeros((max(len(pieces), 1), blocks), np.int64)
        kinds = self.block_of, self.shift, self.own.mirror, self.drop_loops

        def make(thread: int) -> None:
            made[thread] = sources, destinations, _ = self._piece(pieces[thread], names)
            kernels.count_buckets(sources, destinations, *kinds, counts[thread])

        self._each(len(pieces), make)
        per_block = counts.sum(axis=0)
        starts = split_points.starts(per_block)
        at = starts[:-1] + np.cumsum(counts, axis=0) - counts
        total = int(starts[-1])
        ends = np.empty(total, self.ids), np.empty(total, self.ids)
        values = {name: np.empty(total, kind) for name, kind in self.types.items()}

        def fill(thread: int) -> None:
            sources, destinations, properties = made[thread]
            numbers = np.empty(total if names else 0, np.int64)
            first = at[thread].copy()
            kernels.fill_buckets(sources, destinations, *kinds, at[thread], *ends, numbers)
            for block in range(blocks) if names else ():
                mine = slice(first[block], at[thread, block])
                for name in names:
                    np.take(properties[name], numbers[mine], out=values[name][mine])

        self._each(len(pieces), fill)
        bounds = [slice(*starts[self.first_blocks[rank : rank + 2]].tolist()) for rank in range(self.ranks)]
        columns = (*ends, *values.values())
        parts = [_words([column[piece] for column in columns]) for piece in bounds]
        made.clear()
        self._receive(parts, per_block)

    def _receive(self, parts: list[NDArray[np.uint64]], per_block: NDArray[np.int64]) -> None:
        """Send words to all processes, and add the edges that arrive to those of this process's blocks."""
        own, kinds = self._own_blocks(), [self.ids, self.ids, *self.types.values()]
        counts = self._by_process(per_block, self.first_blocks)
        sizes = [sum(-(-n * kind.itemsize // 8) for kind in kinds) for n in counts.sum(axis=1).tolist()]
        arrived = exchange_words(parts, sizes)
        parts.clear()
        columns = [_columns(words, int(n), kinds) for words, n in zip(arrived, counts.sum(axis=1), strict=True)]

        def add(sender: int) -> None:
            starts = split_points.starts(counts[sender])
            sources, destinations, *values = columns[sender]
            for k, block in enumerate(own):
                piece, grouped = slice(starts[k], starts[k + 1]), self.grouped[block]
                at = grouped.next_edges[sender]
                for name, column in zip(self.types, values, strict=True):
                    self.values[block][name][at : at + len(column[piece])] = column[piece]
                grouped.fill(sender, sources[piece], destinations[piece])

        threads = runtime.team_size()
        for first in range(0, self.ranks, threads):
            self._each(min(threads, self.ranks - first), lambda thread, first=first: add(first + thread))

    @staticmethod
    def _each(count: int, work: Any) -> None:
        if count:
            runtime.run_team([functools.partial(work, thread) for thread in range(count)])

    def stored(self) -> SortedEdges:
        """Sort the edges of all blocks into stores."""
        blocks, names = len(self.points) - 1, tuple(self.types)
        kept_store = runtime.new_store(np.int64, blocks)
        one = runtime.ranges(np.arange(blocks + 1, dtype=np.int64))
        with runtime.registered(self) as key:
            _sort_launcher()(blocks, kept=kept_store, one=one, key=key)
            starts = split_points.starts(runtime.to_array(kept_store)[:blocks])
            self.starts = starts.tolist()
            offsets = runtime.new_store(np.int64, self.n + 1, of_graph=True)
            sources = runtime.new_store(self.ids, self.starts[-1], of_graph=True)
            properties = {n: runtime.new_store(t, self.starts[-1], of_graph=True) for n, t in self.types.items()}
            ends = self.points.copy()
            ends[-1] += 1  # the last block also writes where all edges end
            _place_launcher(names)(
                blocks,
                offsets=offsets,
                out_sources=sources,
                **{f"out_edge_{n}": p for n, p in properties.items()},
                vertices=runtime.ranges(ends),
                edges=runtime.ranges(starts),
                key=key,
            )
        return SortedEdges(self.starts[-1], offsets, sources, properties, self.points)

    def sort(self, block: int) -> int:
        """Drop repeats of a block's edges, and return the number of those left."""
        grouped = self.grouped[block]
        self.offsets[block] = np.empty(self.points[block + 1] - self.points[block] + 1, np.int64)
        grouped.sort(self.offsets[block])
        return grouped.n_edges

    def place(self, block: int, offsets: NDArray[np.int64], sources: NDArray[Any], values: list[NDArray[Any]]) -> None:
        """Write a block's edges into its parts of the stores, and forget it."""
        grouped, own = self.grouped.pop(block), self.offsets.pop(block)
        grouped.place(sources[: grouped.n_edges], own)
        np.add(own[: len(offsets)], self.starts[block], out=offsets)
        arrived = self.values.pop(block)
        for name, out in zip(self.types, values, strict=True):
            grouped.place_values(arrived.pop(name), out)


def _words(columns: list[NDArray[Any]]) -> NDArray[np.uint64]:
    """Pack columns, one after the other, each into whole words."""
    sizes = [-(-column.nbytes // 8) for column in columns]
    words, at = np.empty(sum(sizes), np.uint64), 0
    for column, size in zip(columns, sizes, strict=True):
        if size:
            words[at + size - 1] = 0
            words[at : at + size].view(np.uint8)[: column.nbytes] = column.view(np.uint8)
        at += size
    return words


def _columns(words: NDArray[np.uint64], length: int, kinds: list[np.dtype[Any]]) -> list[NDArray[Any]]:
    """Unpack columns of a length that `_words` packed."""
    found, at = [], 0
    for kind in kinds:
        size = -(-length * kind.itemsize // 8)
        found.append(words[at : at + size].view(np.uint8)[: length * kind.itemsize].view(kind))
        at += size
    return found


@functools.cache
def _sort_launcher() -> Launcher:
    def sort(block: int, kept: NDArray[np.int64], key: int) -> None:
        kept[0] = runtime.context(key).sort(block)

    return Launcher(sort, outputs={"kept": "one"}, scalars={"key": int})


@functools.cache
def _place_launcher(names: tuple[str, ...]) -> Launcher:
    def place(block: int, offsets: NDArray[np.int64], sources: NDArray[Any], *rest: Any) -> None:
        runtime.context(rest[-1]).place(block, offsets, sources, list(rest[:-1]))

    return Launcher(
        place,
        outputs={"offsets": "vertices", "out_sources": "edges"} | {f"out_edge_{n}": "edges" for n in names},
        scalars={"key": int},
    )
