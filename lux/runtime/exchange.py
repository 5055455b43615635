# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Launches with one point in each process, which exchange values through Legate's communicator.

Their C++ part is ``mapper/iteration_exchange.cc``.

A program runs many iterations in one launch (`IterationExchange`): neither Legion nor Python does anything in between.
"""

from __future__ import annotations

import ctypes
import functools
import os
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux.errors import ConfigurationError
from lux.runtime import channel, heartbeat, mapper_library
from lux.runtime.start import driver, finish, launched, rank, ranks

_ITERATE, _WORDS = 2, 3  # numbers of the tasks in Lux's library
MOST_WORDS = 2**31 - 1
"""Largest number of words of 8 bytes that one process sends or receives at a time."""
SECONDS_PER_REPORT, LEAST_PAUSE = 0.2, 1e-4
"""Seconds between two reports of a launch, and at least between two looks whether it has ended."""
PAUSE_SHARE = 0.1
"""Seconds from a look to the next one, as a share of those since the launch."""
_next_key = 0


class Sent(NamedTuple):
    """Cost of the exchanges of one process.

    Attributes
    ----------
    exchanges : int
    bytes : int
        Bytes of all messages to other processes.
    value_bytes : int
        Bytes of values in them, and of lists or bitmaps that say whose they are.
    seconds : float
        Time in exchanges, waiting for other processes included.
    times : np.ndarray, float64
        Seconds of each of the first exchanges, 4,096 at most. The first is before the first iteration.
    """

    exchanges: int
    bytes: int
    value_bytes: int
    seconds: float
    times: NDArray[np.float64]

    @classmethod
    def joined(cls, found: Sequence[Sent]) -> Sent:
        """Return the cost of exchanges one after the other."""
        exchanges, sizes, value_sizes, seconds, times = zip(*found, strict=True)
        return cls(sum(exchanges), sum(sizes), sum(value_sizes), sum(seconds), np.concatenate(times))


def _new_key() -> int:
    global _next_key
    _next_key += 1
    return _next_key


def _launch(task: int, *numbers: int) -> None:
    """Launch a task with one point in each process."""
    from legate.core import types

    runtime = driver()
    launch = runtime.create_manual_task(mapper_library.library(), task, (ranks(),))
    for number in numbers:
        launch.add_scalar_arg(number, types.int64)
    if ranks() > 1:
        launch.add_cpu_communicator()
    launch.execute()
    launched()


def exchange_words(parts: Sequence[NDArray[np.uint64]], sizes: Sequence[int]) -> list[NDArray[np.uint64]]:
    """Send an array of words to every process, and return the arrays that they sent to this one.

    All processes must call this at the same place.

    Parameters
    ----------
    parts : sequence of np.ndarray, uint64
        One array for each process.
    sizes : sequence of int
        Length of the array that each process sends to this one.
    """
    return _exchange(parts, sizes, 1)[0]


def gathered(values: NDArray[Any]) -> list[NDArray[Any]]:
    """Return, on every process, the one-dimensional arrays that all processes pass, which have one type.

    All processes must call this at the same place.
    """
    if ranks() == 1:
        return [values]
    if channel.is_open():
        told = channel.gathered(values.tobytes() if values.nbytes * ranks() <= channel.MOST_BYTES else None)
        if None not in told:
            return [np.frombuffer(bytearray(each or b""), values.dtype) for each in told]
    own = np.zeros(-(-values.nbytes // 8), np.uint64)
    own.view(np.uint8)[: values.nbytes] = np.ascontiguousarray(values).view(np.uint8)
    lengths = [int(sent[0]) for sent in exchange_words([np.array([len(values)], np.uint64)] * ranks(), [1] * ranks())]
    words = np.array([-(-length * values.itemsize // 8) for length in lengths], np.int64)
    found = [np.empty(length, np.uint64) for length in words]
    step = MOST_WORDS // ranks()
    for first in range(0, int(words.max()), step):
        sizes = np.clip(words - first, 0, step).tolist()
        for whole, sent in zip(found, exchange_words([own[first : first + step]] * ranks(), sizes), strict=True):
            whole[first : first + len(sent)] = sent
    return [each.view(values.dtype)[:length] for each, length in zip(found, lengths, strict=True)]


def summed(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, on every process, the sums of the one-dimensional arrays that all processes pass, which are as long.

    All processes must call this at the same place. Each adds up a part, so it holds no more than two such arrays.
    """
    if ranks() == 1:
        return counts
    if channel.is_open() and counts.nbytes * ranks() <= channel.MOST_BYTES:
        total: NDArray[np.int64] = np.sum(gathered(counts), axis=0)
        return total
    at = np.arange(ranks() + 1, dtype=np.int64) * len(counts) // ranks()
    parts = [counts[at[k] : at[k + 1]].view(np.uint64) for k in range(ranks())]
    size = len(parts[rank()])
    arrived = np.concatenate(exchange_words(parts, [size] * ranks())).view(np.int64)
    return np.concatenate(gathered(arrived.reshape(ranks(), size).sum(axis=0)))


def seconds_of_exchange(words: int, times: int) -> float:
    """Measure an exchange in which each process sends each other process so many words, inside one launch.

    All processes must call this at the same place. The result is that of this process, over ``times`` exchanges.
    """
    check_size(words * ranks())
    part, others = np.zeros(words, np.uint64), np.arange(ranks()) != rank()
    return _exchange([part[: words * other] for other in others], (words * others).tolist(), times)[1]


def _exchange(
    parts: Sequence[NDArray[np.uint64]], sizes: Sequence[int], times: int
) -> tuple[list[NDArray[np.uint64]], float]:
    out, counts, places = _together(parts)
    arrived, in_counts, in_places = _together([np.empty(size, np.uint64) for size in sizes])
    key, native, seconds = _new_key(), mapper_library.functions(), np.zeros(1)
    given = (out, counts, places, arrived, in_counts, in_places)
    native.lux_words(key, *(array.ctypes.data for array in given), times, seconds.ctypes.data)
    _launch(_WORDS, key)
    finish()
    native.lux_forget_words(key)
    return np.split(arrived, in_places[1:]), float(seconds[0])


def _together(parts: Sequence[NDArray[np.uint64]]) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int32]]:
    """Return arrays one after the other, their lengths, and where each begins."""
    lengths = np.array([len(part) for part in parts], np.int64)
    begins = np.cumsum(lengths) - lengths
    return np.concatenate([np.empty(0, np.uint64), *parts]), lengths.astype(np.int32), begins.astype(np.int32)


class IterationExchange:
    """An exchange between the processes of a run, and the launches whose kernels call it; see its subclasses."""

    def __init__(self) -> None:
        self._native, self._key, self._launches = mapper_library.functions(), _new_key(), 0
        self._kept: list[Any] = []

    @property
    def call(self) -> tuple[int, int]:
        """Address of the function that kernels call (`lux.kernels.threads.exchange`), and the exchange's number."""
        function = ctypes.cast(self._native.lux_exchange_iteration, ctypes.c_void_p).value or 0
        return function, int(self._native.lux_exchange_address(self._key))

    def set_barrier(self, meeting: NDArray[np.int64]) -> NDArray[np.int64]:
        """Have `lux.kernels.threads.barrier` on an array wait for all threads of this process; returns the array."""
        from lux.kernels.threads import MEET

        function = ctypes.cast(self._native.lux_exchange_meet, ctypes.c_void_p).value or 0
        meeting[MEET : MEET + 2] = function, int(self._native.lux_exchange_address(self._key))
        return meeting

    @property
    def record_function(self) -> int:
        """Address of the function by which kernels record an iteration (`lux.kernels.threads.record`)."""
        return ctypes.cast(self._native.lux_exchange_record, ctypes.c_void_p).value or 0

    @property
    def offer_function(self) -> int:
        """Address of the function by which kernels offer values early (`lux.kernels.threads.offer`), or 0."""
        return 0

    @property
    def put_functions(self) -> tuple[int, int]:
        """Addresses of the functions by which kernels put words and wait for flags (`lux.kernels.threads.put`)."""
        functions = self._native.lux_exchange_put, self._native.lux_exchange_wait
        put, wait = (ctypes.cast(function, ctypes.c_void_p).value or 0 for function in functions)
        return put, wait

    def set_body(self, body: int, even: NDArray[np.int64], odd: NDArray[np.int64]) -> None:
        """Set the compiled body that each thread calls, and its tables in launches of even and of odd number."""
        cores = np.array(sorted(legate_config.rank_cores()), np.int64)
        self._kept += [even, odd]
        self._native.lux_exchange_body(
            self._key, body, even.ctypes.data, odd.ctypes.data, cores.ctypes.data, len(cores)
        )

    def launch(self, report: Callable[[], None] | None = None) -> None:
        """Run the body on all threads of all processes, and wait for it; ``report`` is called now and then."""
        _launch(_ITERATE, self._key, self._launches)
        self._launches += 1
        reported = began = time.monotonic()
        try:
            while report is not None and self._native.lux_exchange_launched(self._key) < self._launches:
                time.sleep(min(max(LEAST_PAUSE, PAUSE_SHARE * (time.monotonic() - began)), SECONDS_PER_REPORT / 10))
                if time.monotonic() - reported > SECONDS_PER_REPORT:
                    report()
                    reported = time.monotonic()
        finally:  # an interrupted launch still uses what its caller is about to close
            finish()

    def records(self, thread: int) -> NDArray[np.float64]:
        """Copy what a thread of this process has recorded, four numbers for each iteration."""
        count = ctypes.c_int64()
        found = self._native.lux_exchange_records(self._key, thread, ctypes.byref(count))
        return np.ctypeslib.as_array(found, (count.value,)).copy() if count.value else np.empty(0)

    def sent(self) -> Sent:
        """Count what this process has sent."""
        counts, kept = np.zeros(4, np.int64), ctypes.c_int64()
        self._native.lux_exchange_counts(self._key, counts.ctypes.data)
        found = self._native.lux_exchange_times(self._key, ctypes.byref(kept))
        times = np.ctypeslib.as_array(found, (kept.value,)).copy() if kept.value else np.empty(0)
        return Sent(int(counts[0]), int(counts[1]), int(counts[2]), 1e-9 * int(counts[3]), times)

    def close(self) -> None:
        """Forget the exchange, of which no launch is under way."""
        self._native.lux_forget_exchange(self._key)
        self._kept.clear()


class FieldsExchange(IterationExchange):
    """Exchange of a program's fields, totals and frontier.

    Parameters
    ----------
    partitions : range
        This process's partitions.
    nanoseconds : np.ndarray of shape (parts,), int64
        For those of an iteration of every partition; the exchange writes others'.
    points, word_at : np.ndarray, int64
        Split points, and begins of frontiers, of the rows of the state: other processes before this one, its own
        partitions, other processes after it.
    state, words : pair of np.ndarray
        Both copies, of ``state`` with a row more, which receives the sums of all others; of ``words`` none where
        programs have no frontier.
    id_bytes, n_totals : int
        Bytes of an id in a frontier's queue, and the program's totals.
    """

    def __init__(
        self,
        partitions: range,
        nanoseconds: NDArray[np.int64],
        points: NDArray[np.int64],
        word_at: NDArray[np.int64],
        state: Sequence[NDArray[np.int64]],
        words: Sequence[NDArray[np.uint64]] | None,
        id_bytes: int,
        n_totals: int,
    ) -> None:
        super().__init__()
        self._streamed = _open_streams()
        self._kept += [nanoseconds, points, word_at, *state, *(words or ())]
        copies = [array.ctypes.data for array in (*state, *(words or ()))] + [None] * (0 if words else 2)
        self._native.lux_fields_exchange(
            self._key, rank(), ranks(), partitions.start, len(partitions), nanoseconds.ctypes.data, points.ctypes.data,
            word_at.ctypes.data, len(points) - 1, *copies, id_bytes, n_totals,
        )  # fmt: skip

    @property
    def offer_function(self) -> int:
        """Address of the function by which kernels offer values early, or 0 where there are no streams."""
        return (ctypes.cast(self._native.lux_exchange_offer, ctypes.c_void_p).value or 0) if self._streamed else 0

    def add_field(self, bytes_of_vertex: int, copies: Sequence[NDArray[Any]]) -> None:
        """Add a field that is read from neighbours: both copies, of all the graph's vertices."""
        self._kept += copies
        self._native.lux_exchange_field(self._key, bytes_of_vertex, *(copy.ctypes.data for copy in copies))

    def add_peer(
        self,
        row: int,
        partitions: range,
        sent: NDArray[np.uint32],
        received: NDArray[np.uint32],
        members: NDArray[np.uint64],
        *,
        knows: bool,
    ) -> None:
        """Add another process; in the order of their numbers.

        Parameters
        ----------
        row : int
            Its row of the state.
        partitions : range
            Its partitions.
        sent, received : np.ndarray, uint32
            This process's vertices that are read there, and its vertices that are read here: in rising order, counted
            from the owner's first vertex.
        members : np.ndarray, uint64
            Index of ``sent``, as in `lux.kernels.frontier.local_id`.
        knows : bool
            True if the other process has set the first values of what it reads itself.
        """
        self._kept += [sent, received, members]
        self._native.lux_exchange_peer(
            self._key, row, partitions.start, len(partitions),
            sent.ctypes.data, len(sent), received.ctypes.data, len(received), members.ctypes.data, knows,
        )  # fmt: skip


@functools.cache
def _open_streams() -> bool:
    """Connect this process with those of other nodes, and tell whether it is. All processes must call this.

    Streams use TCP, so they are opened where UCX does, too: it is faster elsewhere.
    """
    sockets = _connected(within_nodes=False)
    if len(sockets):
        mapper_library.functions().lux_open_streams(sockets.ctypes.data, len(sockets))
    return len(sockets) > 0


@functools.cache
def open_puts() -> bool:
    """Connect all processes for `lux.kernels.threads.put`, and tell whether they are. All processes must call this."""
    sockets = _connected(within_nodes=True)
    if len(sockets):
        mapper_library.functions().lux_open_puts(sockets.ctypes.data, len(sockets))
    return len(sockets) > 0


@functools.cache
def on_several_nodes() -> bool:
    """Tell whether this run has processes on several nodes, if there is a channel. All processes must call this."""
    return ranks() > 1 and channel.is_open() and len(set(channel.gathered(socket.gethostname().encode()))) > 1


def _connected(*, within_nodes: bool) -> NDArray[np.int64]:
    """Connect this process with others; returns sockets as `lux.runtime.channel.streams`."""
    if not channel.is_open():
        return np.empty(0, np.int64)
    devices, others = os.environ.get("UCX_NET_DEVICES", "all"), "RAPIDS_LIBUCX_PREFER_SYSTEM_LIBRARY" in os.environ
    addresses = [] if others else heartbeat.addresses(None if devices == "all" else devices.split(","))
    sockets = channel.streams(rank(), socket.gethostname(), addresses, within_nodes=within_nodes)
    return np.array(sockets, np.int64)


class BoardExchange(IterationExchange):
    """Exchange of boards: rows of words, one for each partition, with what it publishes in a round.

    A row begins with a head, whose first word counts the entries after it; an entry begins with a vertex. Other
    processes get the heads, and the entries of vertices that they read. After the rows a summary is written: the sums
    of the heads' words, their minima, the number of rows with entries, and these rows' numbers.

    Parameters
    ----------
    partitions_of : sequence of range
        Partitions of each process.
    first_vertex : int
        First of this process's vertices.
    members : sequence of np.ndarray, uint64
        For each process, this process's vertices that it reads, as in `lux.kernels.frontier.local_id`.
    at : np.ndarray of shape (parts + 1,), int64
        Where each partition's row begins, and where the last ends.
    boards : pair of np.ndarray, int64
        Both copies, with room for the summary: two heads, and a word for each partition and one.
    head_words, entry_words : int
        Words of a head and of an entry.
    """

    def __init__(
        self,
        partitions_of: Sequence[range],
        first_vertex: int,
        members: Sequence[NDArray[np.uint64]],
        at: NDArray[np.int64],
        boards: Sequence[NDArray[np.int64]],
        head_words: int,
        entry_words: int,
    ) -> None:
        super().__init__()
        me = rank()
        mine = partitions_of[me]
        check_size(int(at[-1]) + 1024 * ranks())
        self._kept += [at, *boards]
        self._native.lux_board_exchange(
            self._key, me, ranks(), mine.start, len(mine), len(at) - 1, first_vertex, at.ctypes.data,
            *(board.ctypes.data for board in boards), head_words, entry_words,
        )  # fmt: skip
        for peer, (partitions, read) in enumerate(zip(partitions_of, members, strict=True)):
            if peer != me:
                self._kept.append(read)
                self._native.lux_board_peer(self._key, partitions.start, len(partitions), read.ctypes.data)


class MessageExchange(IterationExchange):
    """Exchange of messages that kernels write and read: a row of words for each other process, in both directions.

    A row's first word counts its words, itself included.

    Parameters
    ----------
    partitions : int
        Number of this process's partitions.
    out_words, in_words : sequence of int
        The longest row to each other process, and from it; in the order of the processes.

    Attributes
    ----------
    out, arrived : np.ndarray, int64
        Rows to other processes, and from them.
    out_at, in_at : np.ndarray, int64
        Where each row begins, and where the last ends.
    """

    def __init__(self, partitions: int, out_words: Sequence[int], in_words: Sequence[int]) -> None:
        super().__init__()
        check_size(max(sum(out_words), sum(in_words)) + 1024 * ranks())
        self.out_at, self.in_at = (np.cumsum([0, *words]) for words in (out_words, in_words))
        self.out, self.arrived = (np.zeros(int(at[-1]), np.int64) for at in (self.out_at, self.in_at))
        self._native.lux_message_exchange(
            self._key, rank(), ranks(), partitions, self.out.ctypes.data, self.arrived.ctypes.data
        )
        rows = zip(self.out_at.tolist(), out_words, self.in_at.tolist(), in_words, strict=False)
        for row in rows:
            self._native.lux_message_peer(self._key, *row)

    def receive_puts(self, memory: NDArray[Any], flags: NDArray[np.int64]) -> None:
        """Set the words and the flags of this process that others write (`lux.kernels.threads.put`); see `open_puts`.

        Parameters
        ----------
        memory : np.ndarray of 64-bit words
            As long in all processes.
        flags : np.ndarray, int64
            All zero before a launch that waits for values from 1 on.
        """
        self._kept += [memory, flags]
        self._native.lux_receive_puts(self._key, memory.ctypes.data, flags.ctypes.data)


def check_size(words: int) -> None:
    """Refuse messages that are longer than an exchange can count."""
    if words > MOST_WORDS:
        raise ConfigurationError(
            f"this process would send or receive {8 * words:,} bytes in an iteration, and {8 * MOST_WORDS:,} is the "
            "most: start more processes"
        )
