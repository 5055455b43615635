# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""This process's partitions in a run on CPU cores: arrays of vertices, arguments of kernels, and the exchange.

A process keeps the fields of all vertices in its own memory, of which it writes its own, and has of others what it
reads. Each of its partitions has a row of the state, and each other process, a node, has one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.cpu.exchange_body import set_body
from lux.engine.run.program_launches import PartitionKernels, vectors
from lux.engine.run.run import Progress
from lux.graph.layout import PartitionedGraph
from lux.kernels import frontier as fr
from lux.kernels.threads import BARRIER_WORDS
from lux.partition import split_points
from lux.partition.node_traffic import NodeTraffic
from lux.program.spec import Spec
from lux.runtime import Store
from lux.runtime.exchange import FieldsExchange, check_size, gathered

MOST_ROWS = 1 << 20
"""Most rows of statistics of a launch, over all partitions."""
MOST_FOR_ONE_READ = 8
"""Vertices of another process for each that is read here, at most, if the first values of all are set here."""
START_COPIES = {"new": "a", "other": "b"}
"""The copies of fields that kernels call so before the first launch."""


class _StoreArgument(NamedTuple):
    """A kernel's argument that is a store: the store's name is a prefix and a field, and it may be split and viewed."""

    name: str
    store: str
    prefix: str
    field: str
    view: str | None
    split: str | None


def _store_arguments(launches: PartitionKernels, *, start: bool) -> list[_StoreArgument]:
    plan, stores = (launches.start, launches.start_stores) if start else (launches.run, launches.run_stores)
    found = []
    for place, store, view, split in plan.from_stores:
        prefix, _, field = stores[store].partition("_")
        found.append(_StoreArgument(plan.names[place], stores[store], prefix, field, view, split))
    return found


class LocalPartitions:
    """Partitions of this process, between two moves.

    Parameters
    ----------
    layout : PartitionedGraph
    launches : PartitionKernels
    spec : Spec
    values : dict of str to object
        Arguments of the kernels that are not stores.
    limit : int
        Most iterations of a launch.

    Attributes
    ----------
    partitions : range
    row : int
        First row of this process's partitions in states.
    located : dict of int to dict of str to np.ndarray
        Each partition's part of the graph's stores.
    arrays : dict of str to np.ndarray
        Both copies of fields, states and frontiers, and owned fields: of all vertices.
    statistics : np.ndarray
        A row for each partition: statistics of the iterations of the last launch.
    seconds : np.ndarray of shape (parts,), float64
        Smoothed seconds of an iteration of every partition, alike in all processes.
    """

    def __init__(
        self, layout: PartitionedGraph, launches: PartitionKernels, spec: Spec, values: dict[str, Any], limit: int
    ) -> None:
        self.layout, self.launches, self.spec, self.values = layout, launches, spec, values
        self.borders = borders = layout.borders()
        self.partitions, self.row = borders.partitions, runtime.rank()
        own = layout.points[self.partitions.start : self.partitions.stop + 1]
        own = own if self.partitions else borders.points[self.row : self.row + 2]
        self.points = np.concatenate([borders.points[: self.row], own, borders.points[self.row + 2 :]]).astype(np.int64)
        words = [fr.words_for(int(n)) if n else 0 for n in np.diff(self.points)]
        self.word_at = split_points.starts(np.array(words, np.int64))
        self.threads = max(len(self.partitions), 1)
        self.located: dict[int, dict[str, NDArray[Any]]] = {}
        self.arrays = self._new_arrays()
        self.limits = np.zeros(1, np.int64)
        rows = min(limit, MOST_ROWS // layout.parts | 1)  # odd, as limits are, and alike in all processes
        self.statistics = np.empty((self.threads, rows * fr.STATISTICS_COLUMNS))
        self.blocks_at = self._own_blocks_at() if "blocks_at" in values else None
        self._nanoseconds = np.zeros(layout.parts, np.int64)
        self._tables: list[NDArray[Any]] = []
        self._launched = 0

    def _own_blocks_at(self) -> NDArray[np.int64]:
        """Return where the tiles of each row's partition begin, counted over all processes."""
        at, count = np.zeros(len(self.points), np.int64), len(self.partitions)
        if count:
            at[self.row : self.row + count + 1] = self.values["blocks_at"][self.partitions.start :][: count + 1]
        return at

    def _new_arrays(self) -> dict[str, NDArray[Any]]:
        graph, writer, arrays = self.layout.graph, self.launches.writer, dict[str, NDArray[Any]]()
        for field in self.spec.state:
            size = graph.n_vertices * writer.lengths.get(field.name, 1)
            for copy in ("own",) if field.name in writer.owned else ("a", "b"):
                arrays[f"{copy}_{field.name}"] = np.empty(size, field.numpy_dtype(graph.id_dtype))
        for copy in "ab":
            arrays[f"{copy}_state"] = np.zeros(len(self.points) * fr.STATE_COLUMNS, np.int64)  # and sums
            arrays[f"{copy}_words"] = np.zeros(int(self.word_at[-1]) if self.spec.frontier else 0, np.uint64)
        return arrays

    @property
    def newest(self) -> str:
        """Prefix of the copies that the next launch reads."""
        return "ab"[self._launched & 1]

    @property
    def state(self) -> NDArray[np.int64]:
        """First row of this process's partitions in the newest state."""
        return self.arrays[f"{self.newest}_state"][self.row * fr.STATE_COLUMNS :][: fr.STATE_COLUMNS]

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Return the smoothed seconds of an iteration of every partition."""
        state = self.arrays[f"{self.newest}_state"].reshape(-1, fr.STATE_COLUMNS)
        mine = slice(self.partitions.start, self.partitions.stop)
        self._nanoseconds[mine] = state[self.row : self.row + len(self.partitions), fr.NANOSECONDS]
        return self._nanoseconds.astype(np.float64) * 1e-9

    def _cut(self, split: str, row: int) -> slice:
        """Return the elements of an array that a row of the state owns."""
        lo, hi = int(self.points[row]), int(self.points[row + 1])
        if split == "words":
            return slice(int(self.word_at[row]), int(self.word_at[row + 1]))
        if split == "rows":
            return slice(row * fr.STATE_COLUMNS, (row + 1) * fr.STATE_COLUMNS)
        length = 1 if split == "vertices" else int(split.rpartition("_")[2])  # `vectors`
        return slice(lo * length, hi * length)

    def own_split(self, name: str) -> str:
        """Name the split of a field, the state or the frontier by which partitions own it."""
        if name in ("state", "words"):
            return "rows" if name == "state" else "words"
        length = self.spec.lengths.get(name)
        return "vertices" if length is None else vectors(length)

    # In tasks of single partitions

    def start(self, point: int, located: dict[str, NDArray[Any]]) -> None:
        """Take note of a partition's part of the graph's stores, and set its first values."""
        self.located[point] = located
        arguments = self._arguments(point - self.partitions.start, start=True)
        self.launches.start_kernel(*(arguments.get(name) for name in self.launches.start.names))

    def resume(self, point: int, located: dict[str, NDArray[Any]], values: dict[str, NDArray[Any]]) -> None:
        """Take note of a partition's part of the graph's stores, and take over its values and progress."""
        self.located[point] = located
        for name, value in values.items():
            own = name in self.launches.writer.owned
            copies = ("own",) if own else ("a",) if name in ("state", "words") else ("a", "b")
            for copy in copies:
                self._part_of(f"{copy}_{name}", point)[:] = value

    def save(self, point: int, values: dict[str, NDArray[Any]]) -> None:
        """Write a partition's newest values into its parts of stores."""
        for name, out in values.items():
            out[:] = self._part_of(f"{'own' if name in self.launches.writer.owned else self.newest}_{name}", point)

    def _part_of(self, array: str, point: int) -> NDArray[Any]:
        row = self.row + point - self.partitions.start
        return self.arrays[array][self._cut(self.own_split(array.partition("_")[2]), row)]

    # Launches of iterations

    def prepare(self, static: Mapping[str, Store], body: tuple[str, Callable[[str], Any]], *, started: bool) -> None:
        """Register the exchange, once all partitions are located.

        Parameters
        ----------
        static : mapping of str to Store
            The graph's stores.
        body : (str, callable)
            Module of the kernels, and the Numba type of each argument by name.
        started : bool
            True if all partitions have first values; else they have taken over others.
        """
        if not self.partitions:
            self.located[-1] = self._nothing(static)
            self.arrays["a_state"][self.row * fr.STATE_COLUMNS + fr.FORM] = fr.EVERY
        writer, arrays = self.launches.writer, self.arrays
        self.exchange = FieldsExchange(
            self.partitions,
            self._nanoseconds,
            self.points,
            self.word_at,
            (arrays["a_state"], arrays["b_state"]),
            (arrays["a_words"], arrays["b_words"]) if self.spec.frontier else None,
            self.layout.graph.id_dtype.itemsize,
            len(writer.totals),
        )
        bytes_of_vertex = 0
        for name in writer.shared_state:
            if self.spec.read_from_neighbours(name):
                copies = [arrays[f"{copy}_{name}"] for copy in "ab"]
                of_field = copies[0].itemsize * writer.lengths.get(name, 1)
                self.exchange.add_field(of_field, copies)
                bytes_of_vertex += of_field
        self._add_peers(bytes_of_vertex, started=started)
        self._fill_tables(*body)

    def _nothing(self, static: Mapping[str, Store]) -> dict[str, NDArray[Any]]:
        """Return the graph's stores for a process that has no partition."""
        n = self.layout.graph.n_vertices
        found: dict[str, NDArray[Any]] = {name: np.empty(0, store.dtype) for name, store in static.items()}
        found |= {"in_offsets": np.zeros(1, np.int64), "out_offsets": np.zeros(n + 1, np.int64)}
        return found | ({"ins": np.zeros(2 * ((n + 63) // 64), np.uint64)} if "ins" in static else {})

    def _add_peers(self, bytes_of_vertex: int, *, started: bool) -> None:
        """Add the other processes; first values of vertices that are mostly read here are set, and need not be sent."""
        borders, n = self.borders, np.diff(self.borders.points)
        known, self._first_known = started and self._starts_anywhere(), False
        for side in (borders.sent, borders.received):
            check_size(sum(len(each) for each in side) * (bytes_of_vertex + 8) // 8 + 1024 * runtime.ranks())
        for peer in range(runtime.ranks()):
            if peer != self.row:
                row = peer if peer < self.row else peer - 1 + self.threads
                sent, received, members = borders.sent[peer], borders.received[peer], borders.members[peer]
                if known and 0 < n[peer] <= MOST_FOR_ONE_READ * len(received):
                    self._start_elsewhere(row)
                knows = bool(known and 0 < n[self.row] <= MOST_FOR_ONE_READ * len(sent))
                self._first_known |= knows
                self.exchange.add_peer(row, borders.partitions_of[peer], sent, received, members, knows=knows)

    def _starts_anywhere(self) -> bool:
        """Tell whether first values follow from vertices alone, so that any process can set those of others."""
        known = {"id", *(field.name for field in self.spec.state)}  # degrees and constant fields are with their owners
        functions = self.spec.functions["start"], *self.spec.totals.values()
        return all(name in known for f in functions for role, name in f.arguments if role != "params")

    def _start_elsewhere(self, row: int) -> None:
        """Set the first values of another process's vertices that are read here, and nothing else."""
        own, n = next(iter(self.located.values())), int(self.points[row + 1] - self.points[row])
        given: dict[str, NDArray[Any]] = {}
        for _, store, prefix, field, _, split in self._start_arguments:
            if store in own:  # degrees of single vertices are added up for the state alone
                whole = self.launches.graph_stores[store] is None
                given[store] = own[store] if whole else np.zeros(n + 1, own[store].dtype)
            elif field in ("state", "words") or not self.spec.read_from_neighbours(field):
                array = self.arrays[f"{START_COPIES.get(prefix, prefix)}_{field}"]
                given[store] = np.empty_like(array if split is None else array[self._cut(split, row)])
        arguments = self._of_row(row, given, START_COPIES, self._start_arguments)
        self.launches.start_kernel(*(arguments.get(name) for name in self.launches.start.names))

    def _fill_tables(self, module: str, kind: Callable[[str], Any]) -> None:
        """Make the tables of kernels' arguments, for launches of even and of odd number, and set the body."""
        kinds = {name: kind(name) for name in self.launches.run.names}
        own = {"meeting": self.exchange.set_barrier(np.zeros(BARRIER_WORDS, np.int64)), "limit": self.limits}
        copies = [
            [
                self._arguments(thread, swapped=swapped) | own | {"statistics": self.statistics[thread]}
                for thread in range(self.threads)
            ]
            for swapped in (False, True)
        ]
        self._tables = set_body(self.exchange, module, kinds, copies)

    def _arguments(self, thread: int, *, swapped: bool = False, start: bool = False) -> dict[str, Any]:
        """Return the arguments of a kernel for one of this process's partitions, by name."""
        part = self.partitions[thread] if self.partitions else -1
        copies = {"a": "b", "b": "a"} if swapped else START_COPIES
        stores = self._start_arguments if start else self._run_arguments
        return self._of_row(self.row + thread, self.located[part], copies, stores)

    def _of_row(
        self,
        row: int,
        located: Mapping[str, NDArray[Any]],
        copies: Mapping[str, str],
        stores: Sequence[_StoreArgument],
    ) -> dict[str, Any]:
        """Return the arguments of a kernel for a row of the state; the process has arrays that are not ``located``."""
        found = self._shared_arguments | {
            "lo": int(self.points[row]),
            "hi": int(self.points[row + 1]),
            "part": row,
        }
        for name, store, prefix, field, view, split in stores:
            if store in located:
                value = located[store]
            else:
                value = self.arrays[f"{copies.get(prefix, prefix)}_{field}"]
                value = value if split is None else value[self._cut(split, row)]
            if view is not None:
                value = value.view(np.float64 if view == "totals" else self.values["queue_type"])
            found[name] = value
        return found

    @cached_property
    def _shared_arguments(self) -> dict[str, Any]:
        """Arguments that all partitions of this process have."""
        found: dict[str, Any] = self.values | {
            "points": self.points,
            "word_at": self.word_at,
            "queue_at": self.word_at * (8 // self.layout.graph.id_dtype.itemsize),
            "threads": self.threads,
        }
        if "blocks_at" in found:
            found["blocks_at"] = self.blocks_at
        return found

    @cached_property
    def _start_arguments(self) -> list[_StoreArgument]:
        """The arguments of the kernel that sets first values that are stores."""
        return _store_arguments(self.launches, start=True)

    @cached_property
    def _run_arguments(self) -> list[_StoreArgument]:
        """The arguments of the kernel that iterates that are stores."""
        return _store_arguments(self.launches, start=False)

    def launch(self, most: int, progress: Progress | None = None) -> int:
        """Run iterations until the run has finished, or so many are done; return how many were done.

        ``progress`` is told now and then of the iterations that all launches have done.
        """
        before = int(self.state[fr.ITERATIONS])
        self.limits[0] = min(most, len(self.statistics[0]) // fr.STATISTICS_COLUMNS) | 1  # odd: ends in the other copy
        states = [self.arrays[f"{copy}_state"][self.row * fr.STATE_COLUMNS :] for copy in "ab"]
        done = None if progress is None else lambda: progress(max(int(state[fr.ITERATIONS]) for state in states))
        self.exchange.launch(done)
        self._launched += 1
        return int(self.state[fr.ITERATIONS]) - before

    def traffic(self, seconds_of_byte: float) -> NodeTraffic:
        """Return what processes have exchanged so far. All processes must call this.

        The process that waits least for others has the seconds of an exchange after the longest computation.
        """
        sent = self.exchange.sent()
        each = max(sent.exchanges - self._first_known, 1)
        numbers = [sent.seconds / each, sent.bytes / each, *map(len, self.borders.sent)]
        told = np.stack(gathered(np.array(numbers, np.float64)))
        read = told[:, 2:]
        bytes_of_vertex = float(told[:, 1].sum() / max(read.sum(), 1.0))
        waits, slowest = told[:, 0], int(told[:, 0].argmin())
        of_vertex = seconds_of_byte * bytes_of_vertex
        return NodeTraffic(self.borders.points, read, float(waits[slowest]), of_vertex, slowest)
