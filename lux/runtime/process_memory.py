# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of this process: what the system says of it, and the refusal of what does not fit."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from pathlib import Path

import legate_config
from lux.errors import MemoryNeededError

UNASKED = 1 << 26
"""Bytes beside Legate's memory that are taken without a check, which is a launch where there are several processes."""
COMPILED = 24 << 20
"""Bytes that compiled kernels take; Numba and LLVM, where a kernel has yet to be compiled, take 170 MB besides."""
COMPILED_ON_GPUS = 40 << 20
"""Bytes that the driver of GPUs takes, which loads their kernels."""


class _Started:
    """Resident memory once Legate had started."""

    nbytes = 0


def note_start() -> None:
    """Note the memory of this process, in which Legate has just started."""
    _Started.nbytes = resident_bytes()


def started_bytes() -> int:
    """Return the bytes of this process when Legate had started, and of Numba and the kernels that follow."""
    return _Started.nbytes + (COMPILED_ON_GPUS if legate_config.settings().fbmem_bytes else COMPILED)


def peak_bytes() -> int:
    """Return the largest resident memory of this process since its start, or since `forget_peak`, in bytes."""
    return _status("VmHWM")


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes."""
    return _status("VmRSS")


def forget_peak() -> None:
    """Let `peak_bytes` count from now on, where the system allows it."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def give_back_freed() -> None:
    """Have the C library give memory that has been freed back to the system, which it else keeps for itself.

    It keeps pieces of up to 32 MiB, of which making a graph takes many. Costs milliseconds.
    """
    with suppress(AttributeError):  # only the C library of GNU has it
        ctypes.CDLL(None).malloc_trim(0)


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:"))


def available_bytes() -> int:
    """Return this process's share of the memory that the node has left."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    return free // max(legate_config.rank_info().local_ranks, 1)


def check_process_memory(needed: int, what: str) -> None:
    """Refuse what does not fit a node's memory. All processes must call this at the same place, alike.

    Parameters
    ----------
    needed : int
        Bytes of each process that it has not taken yet.
    what : str
        Name of the demand, for the message.
    """
    from lux.runtime.agreement import raise_on_all_ranks

    if needed < UNASKED:
        return
    there, error = available_bytes(), None
    if needed > there:
        error = MemoryNeededError(
            f"{what} needs {needed >> 20} MiB of its node's memory in each process, and its share of what is left "
            f"there is {there >> 20} MiB: start fewer processes on a node, or use more nodes"
        )
    raise_on_all_ranks(error)
