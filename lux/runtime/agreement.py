# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Agreement of ranks: errors, maxima and memory checks with one answer on every rank.

Where there is a channel between the processes (`lux.runtime.channel`) none of them is a launch.
"""

from __future__ import annotations

import functools
import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux.errors import FileError, LuxError, MemoryNeededError
from lux.runtime import channel, cuda_driver
from lux.runtime.launcher import CheckedLauncher, coded_error, internal, raise_coded, task, to_array
from lux.runtime.start import gpus, processors, rank, ranks
from lux.runtime.stores import live_bytes, new_store, ranges
from lux.runtime.task_context import context, register, unregister

T = TypeVar("T")
HEADROOM = 1.05
"""Factor on the bytes of stores: Legate keeps dropped stores for a while, and sums over partitions have a copy for each
processor.
"""
FILLED_BESIDE_OTHERS = 0.85
"""Fraction of a GPU's memory that is filled at most where other stores lie: what was dropped among them has left gaps,
and no store lies in two. Legion ends the process where it finds no room.
"""
SWITCH = "LUX_CHANNEL"
"""Environment variable: 0 in the first process opens no channel."""
_LONGEST = 4096


def raise_on_all_ranks(error: LuxError | None) -> None:
    """Raise an error that any rank passes, on every rank. All ranks must call this at the same place."""
    if ranks() == 1:
        if error is not None:
            raise error
        return
    if type(error) is FileError:
        error = FileError(
            f"{error} (process {rank()} of {ranks()}, on {socket.gethostname()}: all must see the same files)"
        )
    if channel.is_open():
        for coded in channel.gathered(None if error is None else coded_error(error)):
            if coded is not None:
                raise_coded(coded)
        return
    key = register(error)
    _agree_on(processors(), key=key)
    unregister(key)


def on_first_rank(action: Callable[[], object]) -> None:
    """Run an action on one rank, and raise its error on every rank. All ranks must call this at the same place."""
    first_rank_takes((), lambda _: action())


def first_rank_takes(pieces: Iterable[T], action: Callable[[Iterator[T]], object]) -> None:
    """Run an action on one rank, with pieces that all ranks make together; raise its error on every rank.

    Parameters
    ----------
    pieces : iterable
        Makes each piece by calls that all ranks must make alike: they go on to the last, whatever the action takes.
    action : callable
        Takes an iterator of the pieces.
    """
    coming, error = iter(pieces), None
    if rank() == 0:
        try:
            action(coming)
        except LuxError as raised:
            error = raised
    if ranks() > 1:
        for _ in coming:
            pass
    raise_on_all_ranks(error)


@internal
@task(CheckedLauncher, scalars={"key": int})
def _agree_on(_point: int, key: int) -> None:
    error = context(key)
    if error is not None:
        raise error


def allreduce_max(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the maximum over all ranks, element by element, on every rank. All ranks must call this at the same place.

    Parameters
    ----------
    values : np.ndarray of any shape, float64
        Values, of the same shape on all ranks.
    """
    if ranks() == 1:
        return values
    if channel.is_open() and values.nbytes * ranks() <= channel.MOST_BYTES:
        told = channel.gathered(np.ascontiguousarray(values).tobytes())
        rows = np.frombuffer(b"".join(each or b"" for each in told), np.float64)
        most: NDArray[np.float64] = rows.reshape(ranks(), *values.shape).max(axis=0)
        return most
    key, points = register(values), processors()
    out = new_store(np.float64, points * values.size)
    cuts = ranges(np.arange(points + 1, dtype=np.int64) * values.size)
    _write_values(points, out=out, rows=cuts, key=key)
    largest: NDArray[np.float64] = to_array(out)[: points * values.size].reshape(points, *values.shape).max(axis=0)
    unregister(key)
    return largest


def text_of_one(text: str) -> str:
    """Return, on every rank, the text of the one rank that has one; the others pass an empty one."""
    told = np.zeros(_LONGEST)
    raw = text.encode()[:_LONGEST]
    told[: len(raw)] = list(raw)
    return bytes(allreduce_max(told).astype(np.uint8)).rstrip(b"\0").decode()


def open_channel(addresses: Sequence[str]) -> None:
    """Open the channel between the processes. All ranks must call this at the same place, once, after the start.

    Where one cannot reach the first, all go on without a channel: then each agreement is a launch.

    Parameters
    ----------
    addresses : sequence of str
        This process's addresses, those by which others reach it first.
    """
    document, listener, token = "", None, ""
    if rank() == 0 and os.environ.get(SWITCH) != "0":
        with suppress(OSError):
            listener, token = channel.listen(ranks())
            document = json.dumps({"port": listener.getsockname()[1], "token": token, "addresses": addresses})
    if not (document := text_of_one(document)):
        return
    hub = json.loads(document)
    link = None if rank() == 0 else channel.connect(hub["addresses"], hub["port"], hub["token"], rank())
    links = [] if link is None else [link]
    if not allreduce_max(np.array([float(rank() > 0 and link is None)])).any():
        if listener is not None:
            links = channel.accept(listener, token, range(1, ranks()))
        failed = not links or (link is not None and not channel.welcomed(link))
        if not allreduce_max(np.array([float(failed)])).any():
            channel.begin(channel.Channel(links, first=rank() == 0))
            links = []
    for left in [*links, *filter(None, [listener])]:
        left.close()


@functools.cache
def processes_share_gpus() -> bool:
    """Tell whether several processes were given the same GPU. All ranks must call this at the same place."""
    if ranks() == 1:
        return False
    mine = cuda_driver.identities()
    found = np.zeros((ranks(), gpus()))
    found[rank(), : len(mine)] = mine
    there = allreduce_max(found)
    there = there[there > 0]
    return len(np.unique(there)) < len(there)


@internal
@task(outputs={"out": "rows"}, scalars={"key": int})
def _write_values(_point: int, out: NDArray[np.float64], key: int) -> None:
    out[:] = context(key).ravel()


def check_gpu_memory(
    needed: int,
    what: str,
    held: int = 0,
    by: Callable[[], str] = str,
    otherwise: str = "with more GPUs, or use CPU cores (--device cpu)",
) -> None:
    """Refuse a demand that does not fit the memory that Legate was given on each GPU.

    Parameters
    ----------
    needed : int
        Bytes on the GPU that needs most.
    what : str
        Name of the demand, for the message.
    held : int
        Bytes that other stores take there.
    by : callable
        Returns a description of these stores, for the message.
    otherwise : str
        A way out, for the message.
    """
    _check_beside(needed, held, gpu_room(held), what, "on a GPU", by, "--fbmem", otherwise)


def gpu_room(held: int, filled: float = 1.0) -> int:
    """Return the bytes of a GPU's memory that may be filled, those that other stores take there (``held``) among them.

    ``filled`` is the fraction that may be filled at most.
    """
    return int(legate_config.settings().fbmem_bytes * (min(filled, FILLED_BESIDE_OTHERS) if held else filled))


def check_zero_copy_memory(needed: int, what: str, otherwise: str, held: int = 0, by: Callable[[], str] = str) -> None:
    """Refuse a demand that does not fit the zero-copy memory of each process; arguments as of `check_gpu_memory`."""
    given = legate_config.settings().zcmem_bytes
    _check_beside(needed, held, given, what, "of zero-copy memory", by, "--zcmem", f"or {otherwise}")


def _check_beside(
    needed: int, held: int, room: int, what: str, where: str, by: Callable[[], str], flag: str, otherwise: str
) -> None:
    error = None
    if needed + held > room:
        mib, all_mib = -(-needed // 2**20), -(-(needed + held) // 2**20)
        there = f"; {by()} hold some of it: drop what is needed no more (del), " if held else ": "
        error = MemoryNeededError(
            f"{what} needs {mib} MiB {where}, and may take {room // 2**20} MiB of what Legate was given{there}"
            f"start with {flag} {all_mib + all_mib // 5} (in MiB), {otherwise}"
        )
    raise_on_all_ranks(error)


def check_memory(needed: int, what: str) -> None:
    """Refuse a demand that does not fit the memory Legate was given, beside the stores there are.

    Parameters
    ----------
    needed : int
        Bytes of the stores to be made, over all processes.
    what : str
        Name of the demand, for the message.
    """
    given = legate_config.settings().sysmem_bytes
    error = None
    wanted = bytes_with_headroom(needed)
    if wanted > given:
        mib = -(-wanted // 2**20)
        error = MemoryNeededError(
            f"{what} needs {mib} MiB of Legate's memory in each process, with what it holds already, "
            f"and it was given {given // 2**20} MiB: start with --sysmem {mib + mib // 8} "
            "(in MiB; LEGATE_CONFIG without the launcher), or with more processes"
        )
    raise_on_all_ranks(error)


def bytes_with_headroom(needed: int) -> int:
    """Return the bytes of Legate's memory that each process has to have for so many more bytes of stores in all."""
    return int(HEADROOM * (needed + live_bytes())) // ranks()


def fits_memory(needed: int) -> bool:
    """Tell whether so many bytes of stores, over all processes, fit Legate's memory beside the stores there are.

    Unlike `check_memory`, this test has no headroom: the caller has an alternative. The answer is alike on all ranks,
    which drop stores at times of their own; all must call this at the same place.
    """
    lacks = (needed + live_bytes()) // ranks() > legate_config.settings().sysmem_bytes
    return not allreduce_max(np.array([lacks], np.float64)).any()
