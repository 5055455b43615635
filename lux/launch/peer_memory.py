# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of GPUs that the GPUs of other processes on this host read and write (``mapper/peer_memory.cc``)."""

from __future__ import annotations

import ctypes
import functools
import weakref
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lux.errors import LuxError, MemoryNeededError
from lux.runtime import agreement, mapper_library
from lux.runtime.exchange import summed
from lux.runtime.gpu import WARM_UP, GpuLauncher, on_distinct_gpus
from lux.runtime.gpu_plan import PlanStruct
from lux.runtime.start import finish, gpus, ranks
from lux.runtime.task_context import register, unregister

_HANDLE_BYTES = 64
"""Bytes of a ``CUipcMemHandle``."""


@dataclass
class _Taken:
    """Memory of some points, as long as any process uses it."""

    alive: bool = True
    own: list[tuple[int, int]] = field(default_factory=list)
    opened: list[tuple[int, int]] = field(default_factory=list)

    def drop(self) -> None:
        self.alive = False

    def close(self) -> None:
        """Close the memory of other processes, before these free it."""
        for context, address in self.opened:
            mapper_library.functions().lux_close_memory(context, address)

    def free(self) -> None:
        """Free this process's memory."""
        for context, address in self.own:
            mapper_library.functions().lux_free_memory(context, address)


_taken: list[_Taken] = []
"""All that has been taken, in an order that is alike on every process."""


class PeerMemory:
    """Equally much zeroed memory on the GPU of each point of a launch, which kernels of all points read and write.

    It lies outside the memory that Legate was given. It lasts until all processes have dropped it; then the next such
    memory is taken in its place. All processes must make it at the same place.

    Parameters
    ----------
    key : int
        Key of a plan whose points have looked (`lux.runtime.gpu.WARM_UP`).
    points : int
    nbytes : int
        Bytes of each point.

    Attributes
    ----------
    addresses : np.ndarray of shape (points, points), int64
        Where the GPU of each point of this process (row) sees each point's memory; rows of others are zero.
    nbytes : int

    Raises
    ------
    LuxError
        On every process: a GPU has no room, or does not see the memory of another one.
    """

    def __init__(self, key: int, points: int, nbytes: int) -> None:
        _reclaim()
        functions = mapper_library.functions()
        contexts = [functions.lux_point_context(key, point) or 0 for point in range(points)]
        self._contexts = [(point, context) for point, context in enumerate(contexts) if context]
        self.addresses, self.nbytes = np.zeros((points, points), np.int64), nbytes
        taken, failed = _Taken(), ""
        handles = np.zeros((points, _HANDLE_BYTES), np.int64)
        for point, context in self._contexts:
            address, handle = ctypes.c_uint64(), ctypes.create_string_buffer(_HANDLE_BYTES)
            why = functions.lux_take_memory(context, nbytes, ctypes.byref(address), handle)
            failed = failed or _text(why)
            if address.value:
                taken.own.append((context, address.value))
            self.addresses[:, point] = address.value
            handles[point] = np.frombuffer(handle.raw, np.uint8)
        _taken.append(taken)
        self._finalizer = weakref.finalize(self, taken.drop)
        self._finalizer.atexit = False
        room = f"{-(-nbytes // 2**20)} MiB of each GPU beside --fbmem were to be taken: "
        agreement.raise_on_all_ranks(MemoryNeededError(f"{room}{failed}; start with less --fbmem") if failed else None)
        given = summed(handles.ravel()).reshape(handles.shape).astype(np.uint8)
        for _, context in self._contexts:
            for _, other in self._contexts:
                if other != context:
                    failed = failed or _text(functions.lux_see_context(context, other))
        for point, context in self._contexts:
            for other in set(range(points)) - {own for own, _ in self._contexts}:
                address = ctypes.c_uint64()
                why = functions.lux_open_memory(context, given[other].tobytes(), ctypes.byref(address))
                failed = failed or _text(why)
                if address.value:
                    taken.opened.append((context, address.value))
                self.addresses[point, other] = address.value
        for other in set(range(points)) - {point for point, _ in self._contexts}:
            self.addresses[other] = 0
        agreement.raise_on_all_ranks(LuxError(failed) if failed else None)

    @classmethod
    def on_gpus(cls, points: int, nbytes: int) -> PeerMemory:
        """Make such memory for launches of so many points, one on each GPU of all processes."""
        functions, plan = mapper_library.functions(), PlanStruct()
        key = register(None)
        functions.lux_plan(key, ctypes.byref(plan), points)
        try:
            GpuLauncher("look")(points, key=key, number=WARM_UP)
            finish()
            return cls(key, points, nbytes)
        finally:
            functions.lux_forget_plan(key)
            unregister(key)

    @property
    def points(self) -> list[int]:
        """The points of this process."""
        return [point for point, _ in self._contexts]

    def read(self, point: int, at: int, nbytes: int) -> NDArray[np.uint8]:
        """Copy bytes of a point's memory, any process's, when all that was launched has ended on all processes."""
        mine, context = self._contexts[0]
        found = np.empty(nbytes, np.uint8)
        address = int(self.addresses[mine, point]) + at
        if why := _text(mapper_library.functions().lux_read_memory(context, address, found.ctypes.data, nbytes)):
            raise LuxError(why)
        return found


def _text(why: bytes | None) -> str:
    return why.decode() if why else ""


def _reclaim() -> None:
    """Free what no process uses any more."""
    if not _taken:
        return
    users = summed(np.array([taken.alive for taken in _taken], np.int64))
    gone = [taken for taken, count in zip(_taken, users, strict=True) if not count]
    for taken in gone:
        taken.close()
    summed(users)  # every process has closed what others are about to free
    for taken in gone:
        taken.free()
        _taken.remove(taken)


@functools.cache
def why_gpus_do_not_share() -> str:
    """Say why the GPUs of all processes cannot read one another's memory; empty if they can.

    All processes must call this at the same place.
    """
    if agreement.processes_share_gpus():
        return "processes share a GPU"
    points = gpus()
    if points < ranks() or not on_distinct_gpus(points):
        return "Legate does not put a partition on each GPU: start it with --min-gpu-chunk 1 and GPUs in each process"
    try:
        PeerMemory.on_gpus(points, 256)
    except LuxError as error:
        return f"their GPUs cannot read one another's memory ({error})"
    return ""
