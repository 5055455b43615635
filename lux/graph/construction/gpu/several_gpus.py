# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edges sorted on several GPUs, and in pieces: the same stores as one GPU makes, each GPU's part in its own memory.

Every GPU has some of the edges. It counts them by ranges of destinations, of which each GPU is then given some, and
sends each edge to the GPU of its destination (``send_edges.cu``), which sorts what it was sent. Where there is no room
for the keys of all edges, a GPU makes its part in pieces, one range of destinations after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.edge_stores import SortedEdges
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu.columns import Columns
from lux.graph.construction.gpu.spread import MOST_RANGES, cut_ranges, even_points, range_shift
from lux.launch.call import NULL, kernel
from lux.launch.peer_call import Argument, Parts, PeerCall, Placed, Table, place, spread_table
from lux.partition.split_points import starts
from lux.runtime import Store

MOST_PIECES = 64
"""Pieces, at most: the edges are read for each."""


def sorted_in_pieces(
    columns: Columns, n: int, gpus: int, pieces: int, *, drop_loops: bool, drop_repeats: bool
) -> SortedEdges | None:
    """Sort edges on so many GPUs, each of which makes its part in pieces; see `lux.graph.build.build`.

    There are more than ``pieces`` where the largest would have no room, as a range of destinations is not cut; None: it
    has no room by itself.
    """
    made = _Sort(columns, n, gpus, drop_loops=drop_loops, drop_repeats=drop_repeats)
    while not made.cut(pieces):
        pieces *= 2
        if pieces > MOST_PIECES:
            return None
    made.make_room()
    parts = [made.piece(k) for k in range(pieces)]
    return made.joined(parts)


@dataclass(frozen=True)
class _Piece:
    """A range of each GPU's destinations: their sources and, of edges with properties, the numbers of the edges.

    Attributes
    ----------
    at : np.ndarray of shape (gpus + 1,), int64
        Split points of the edges.
    placed : Placed
        ``sources`` and, of edges with properties, ``kept``.
    """

    at: NDArray[np.int64]
    placed: Placed

    def store(self, name: str) -> Store | None:
        """Return a store by its name."""
        return self.placed.parts[name].store if name in self.placed.parts else None


class _Sort:
    """The edges of a graph to be, and where they are to go.

    Attributes
    ----------
    cuts : np.ndarray of shape (gpus, pieces + 1), int64
        The first destination of each piece, and the end.
    points : np.ndarray of shape (gpus + 1,), int64
        Split points of the graph.
    """

    def __init__(self, columns: Columns, n: int, gpus: int, *, drop_loops: bool, drop_repeats: bool) -> None:
        self.gpus, self.n, self.drop_repeats = gpus, n, drop_repeats
        self.bits, self._columns, self._payload = max(1, (n - 1).bit_length()), columns, bool(columns.properties)
        self._at = even_points(columns.number, gpus)
        ends = {name: Parts(store, self._at) for name, store in columns.ends.items()}
        self._listed: Placed | None = place(gpus, ends, {})
        candidates = np.diff(self._at) << int(columns.mirror)
        flags = [np.uint32(columns.mirror), np.uint32(drop_loops)]
        self._given: list[Argument] = ["sources", "destinations", *flags]
        self._candidates = candidates
        self._shift = range_shift(n)
        self._found = self._count(self._shift)
        self._before = starts(self._found.sum(axis=0))  # edges before each range
        self._made = np.zeros(gpus, np.int64)  # edges of the pieces before, of each GPU
        self._whole: _Piece | None = None

    def cut(self, pieces: int) -> bool:
        """Cut the destinations into pieces; returns whether all that is to be made of them has room."""
        self.pieces, self._ranges = pieces, cut_ranges(np.diff(self._before), self.gpus, pieces)
        self.cuts = np.minimum(self._ranges << self._shift, self.n)
        self.points = np.append(self.cuts[:, 0], self.n)
        self._ends = self._before[np.append(self._ranges[:, 0], len(self._before) - 1)]  # split points of the edges
        self._most = np.diff(self._before[self._ranges], axis=1).max(axis=1)  # keys of a piece of each GPU
        types = {name: store.dtype for name, store in self._columns.properties.items()}
        keys, made = gpu_edges.bytes_of_edge(types, joined=pieces > 1 and self.drop_repeats)
        of_vertices = 8 * (np.diff(self.points) + 1)
        needed = 2 * gpu_edges.COUNTS["counts"] + of_vertices + np.diff(self._ends) * made + self._most * keys
        return gpu_edges.has_room(int(needed.max()))

    def make_room(self) -> None:
        """Make the stores that all pieces use: one memory for the keys of each, one after the other."""
        rows = np.append(self.points[:-1], self.n + 1)
        self.offsets = runtime.new_store(np.int64, self.n + 1, touched=False)
        self._offsets = place(self.gpus, {}, {"offsets": Parts(self.offsets, rows)})
        # Where no edge is dropped, pieces are written where they are to be; otherwise they are joined in the end.
        if self.pieces > 1 and not self.drop_repeats:
            self._whole = self._new_piece(self._ends)
        at, kinds = starts(self._most), dict.fromkeys(("keys", "other"), "uint64")
        if self._payload:
            kinds |= dict.fromkeys(("indices", "indices_other"), "uint32")
        stores = {name: store_of_edges(kind, int(at[-1])) for name, kind in kinds.items()}
        self._keys: Placed | None = place(self.gpus, {}, {name: Parts(store, at) for name, store in stores.items()})

    def _count(self, shift: int) -> NDArray[np.int64]:
        """Count the edges of each GPU by range of destinations, of shape (gpus, ranges)."""
        assert self._listed is not None
        function = kernel("send_edges.cu", "lux_count_destinations", gpu_edges.SORT_THREADS, PAYLOAD=int(self._payload))
        arguments = [*self._given, self._candidates, np.uint32(shift), "found"]
        zeroed = {"found": 8 * MOST_RANGES}
        found = PeerCall(function, self._listed, arguments, zeroed, reported="found").run("count_destinations")
        return found.view(np.int64)[:, : -(-self.n // (1 << shift))]

    def piece(self, k: int) -> _Piece:
        """Make a piece of each GPU's part."""
        assert self._keys is not None
        keys, m, odd = self._keys, *self._sorted_keys(self._keys, k)
        rows = np.diff(self.cuts[:, k : k + 2]).ravel()
        ends = rows - 1
        if k == self.pieces - 1:
            ends[-1] += 1  # also the end of all offsets
        number, distinct = m
        stored = distinct if self.drop_repeats else number
        made, before = self._whole, self._made.copy()
        if made is None:
            made = self._new_piece(starts(stored))
            base = made.at[:-1] if self.pieces == 1 else before
            to = {name: made.placed.addresses[name] for name in made.placed.parts}
        else:
            base = made.at[:-1] + before
            to = {name: made.placed.addresses[name] + 4 * before for name in made.placed.parts}
        self._made += stored
        names = ("other", "indices_other") if odd else ("keys", "indices")
        addresses = keys.addresses[names[0]], keys.addresses[names[1]] if self._payload else NULL
        offsets = self._offsets.addresses["offsets"] + 8 * (self.cuts[:, k] - self.points[:-1])
        arguments: list[Argument] = [
            *(*addresses, number, np.uint32(self.bits), np.uint32(self.drop_repeats), ends, base, offsets),
            *(to["sources"], to["kept"] if self._payload else NULL, "block_counts", "control"),
        ]
        function = kernel("sorted_edges.cu", "lux_write_edges", gpu_edges.THREADS)
        call_on_all(function, made.placed, arguments, "write_edges")
        if k == self.pieces - 1:
            self._keys = None
        return made

    def _new_piece(self, at: NDArray[np.int64]) -> _Piece:
        """Make stores of edges, of which each GPU has some."""
        names = ("sources", "kept") if self._payload else ("sources",)
        stores = {name: store_of_edges(np.uint32, int(at[-1])) for name in names}
        return _Piece(at, place(self.gpus, {}, {name: Parts(store, at) for name, store in stores.items()}))

    def _sorted_keys(self, keys: Placed, k: int) -> tuple[NDArray[np.int64], bool]:
        """Send a piece's keys to their GPUs, and sort them in the memory ``keys``.

        Returns
        -------
        numbers : np.ndarray of shape (2, gpus), int64
            Keys of each GPU, and keys without repeats.
        odd : bool
            True if the sorted keys are in ``other``.
        """
        assert self._listed is not None
        first, end = self._ranges[:, k], self._ranges[:, k + 1]
        before = np.concatenate([np.zeros((self.gpus, 1), np.int64), np.cumsum(self._found, axis=1)], axis=1)
        sent = before[:, end] - before[:, first]  # from each GPU (row), to each
        got = sent.sum(axis=0)
        self._send(keys, k, np.cumsum(sent, axis=0) - sent)
        if k == self.pieces - 1:
            self._listed = None
            self._columns.ends.clear()
        low = self.bits if self._columns.ordered else 0
        widest = int(np.diff(self.cuts[:, k : k + 2]).max())
        high = self.bits + max(1, max(widest - 1, 0).bit_length())
        names = [name if self._payload else NULL for name in ("indices", "indices_other", "indices")]
        arguments: list[Argument] = [
            *("keys", names[0], np.uint32(self.bits), got, np.uint32(low), np.uint32(high), "other", "keys"),
            *(*names[1:], "counts", "control"),
        ]
        function = kernel(
            "edge_sort.cu", "lux_sort_edges", gpu_edges.SORT_THREADS, PAYLOAD=int(self._payload), FROM_KEYS=1
        )
        call = PeerCall(function, keys, arguments, {"control": gpu_edges.REPORTED}, gpu_edges.COUNTS, "control")
        numbers = call.run("sort_edges").view(np.int64)[:, 1:].T.copy()
        return numbers, bool(-(-(high - low) // gpu_edges.DIGIT_BITS) & 1)

    def _send(self, keys: Placed, k: int, places: NDArray[np.int64]) -> None:
        """Send a piece's keys; ``places`` is where the keys from each GPU (row) begin at each."""
        assert self._listed is not None
        owners = np.zeros((self.gpus, self.gpus, 5), np.int64)
        owners[:, :, 0], owners[:, :, 1], owners[:, :, 2] = self.cuts[:, k], self.cuts[:, k + 1], places
        owners[:, :, 3] = keys.addresses["keys"]
        owners[:, :, 4] = keys.addresses["indices"] if self._payload else 0
        arguments = [
            *(*self._given, np.uint32(self.bits), self._candidates, self._at[:-1]),
            *(np.uint32(self.gpus), Table(owners), "counts", "control"),
        ]
        function = kernel("send_edges.cu", "lux_send_edges", gpu_edges.SORT_THREADS, PAYLOAD=int(self._payload))
        PeerCall(function, self._listed, arguments, {"control": 64}, gpu_edges.COUNTS).run("send_edges")

    def joined(self, parts: list[_Piece]) -> SortedEdges:
        """Join each GPU's pieces, and take the properties of its edges."""
        points = starts(self._made)
        if self.pieces == 1 or self._whole is not None:
            sources, kept = (parts[0].store(name) for name in ("sources", "kept"))
        else:
            base: list[Argument] = [self._offsets.addresses["offsets"], self._rows(), points[:-1], "control"]
            function = kernel("sorted_edges.cu", "lux_move_offsets", gpu_edges.THREADS)
            call_on_all(function, self._offsets, base, "move_offsets")
            sources = self._concatenated(parts, "sources")
            kept = self._concatenated(parts, "kept") if self._payload else None
        assert sources is not None
        columns = self._columns
        properties = {
            name: self._gathered(values, columns.property_points, kept, points)
            for name, values in columns.properties.items()
            if kept is not None
        }
        return SortedEdges(int(points[-1]), self.offsets, sources, properties, self.points, points)

    def _rows(self) -> NDArray[np.int64]:
        """Count the offsets of each GPU."""
        rows = np.diff(self.points)
        rows[-1] += 1
        return rows

    def _concatenated(self, parts: list[_Piece], name: str) -> Store:
        points = starts(self._made)
        whole = store_of_edges(np.uint32, int(points[-1]))
        to = place(self.gpus, {}, {"after": Parts(whole, points)}).addresses["after"]
        function = kernel("sorted_edges.cu", "lux_copy_words", gpu_edges.THREADS)
        for part in parts:
            sizes = np.diff(part.at)
            call_on_all(function, part.placed, [name, to, sizes, "control"], "copy_words")
            to = to + 4 * sizes
        return whole

    def _gathered(self, values: Store, given: NDArray[np.int64], kept: Store, points: NDArray[np.int64]) -> Store:
        """Take the values of the edges ``kept``, from whichever GPU has them."""
        kind = np.dtype(values.dtype)
        after = store_of_edges(kind, int(points[-1]))
        inputs = {"before": Parts(values, given), "at": Parts(kept, points)}
        placed = place(self.gpus, inputs, {"after": Parts(after, points)})
        function = kernel(
            "sorted_edges.cu", "lux_gather_values", gpu_edges.THREADS, VALUE=gpu_edges.WORDS[kind.itemsize]
        )
        arguments: list[Argument] = [
            NULL,
            spread_table(placed, "before"),
            np.uint32(self.gpus),
            "at",
            "after",
            np.diff(points),
            "control",
        ]
        call_on_all(function, placed, arguments, "gather_values")
        return after


def store_of_edges(kind: Any, number: int) -> Store:
    """Make a store that kernels will write; of no edges, it has an element that nobody writes."""
    return runtime.new_store(kind, number, None if number else 0, touched=False)


def call_on_all(function: runtime.Kernel, placed: Placed, arguments: list[Argument], name: str) -> None:
    """Run a kernel that may count in ``block_counts``, and meet at ``control``, on each GPU."""
    PeerCall(function, placed, arguments, {"control": 64}, {"block_counts": 8 * gpu_edges.MOST_BLOCKS}).run(name)
