# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Plans of GPU launches: kernels, their arguments, and reports of the points (``lux/runtime/mapper/gpu.cc``)."""

from __future__ import annotations

import ctypes
import itertools
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import LuxError
from lux.runtime import agreement, mapper_library
from lux.runtime.start import all_has_run, finish, launched
from lux.runtime.task_context import register, unregister

LONG = 0.02
"""Seconds after which a kernel is waited for without looking at the host's memory all the time."""


class Kernel:
    """A function of some machine code, loaded into each GPU that runs it.

    Parameters
    ----------
    code : bytes
        Machine code of `lux.codegen.cuda_build.cubin`.
    name : str
    threads : int
        Threads of a block; as many blocks are launched as are resident at once.
    shared_bytes : int
        Dynamic shared memory of a block.
    """

    def __init__(self, code: bytes, name: str, threads: int, shared_bytes: int = 0) -> None:
        self.handle = mapper_library.functions().lux_kernel(code, len(code), name.encode(), threads, shared_bytes)


def limit_blocks(most: int) -> None:
    """Limit the blocks of kernels that have not run yet: for tools that make kernels slow.

    By default all resident blocks run, thousands on a large GPU, and meet many times in an iteration.
    """
    mapper_library.functions().lux_limit_blocks(most)


_MEMBERS = (
    "kernel", "as_struct", "n_arguments", "arguments", "number_argument", "n_iteration_arguments",
    "iteration_arguments", "n_stores", "stores", "before", "n_kept", "kept", "keeps", "n_peers", "peers", "scratch",
    "n_scratch", "in_scratch", "scratch_at", "zeroed", "zeroed_always", "reported_at", "reported", "given",
    "given_at", "given_bytes", "n_written", "written", "report_bytes", "cleared", "blocks", "n_copies", "copies",
    "mapped",
)  # fmt: skip


class PlanStruct(ctypes.Structure):
    """``Plan`` of ``gpu.cc``: addresses and numbers, in this order."""

    _fields_ = tuple((name, ctypes.c_int64) for name in _MEMBERS)


def _offsets(points: int, places: Sequence[int | NDArray[np.int64]]) -> list[int]:
    """List offsets in scratch memory, point by point."""
    if points == 1:  # a call makes such a plan each time
        return [place if isinstance(place, int) else int(place.item()) for place in places]
    each = np.array([np.broadcast_to(place, points) for place in places], np.int64)
    return each.reshape(-1, points).T.ravel().tolist()


class GpuPlan:
    """The kernel, the arguments and the report of each point of a launch.

    Parameters
    ----------
    kernel : Kernel
    arguments : np.ndarray of shape (points, n_arguments), int64
        The kernel's arguments, each at the beginning of a word.
    struct : bool
        True if the arguments are one struct.
    stores : sequence of (int, int)
        Arguments that are addresses of stores, and the stores' places in `NativeLauncher.arrays`; or ``~place`` for
        those of the run's first launch, if its addresses are kept.
    odd_stores : sequence of (int, int), optional
        The stores of launches of odd number, in which two copies swap their roles.
    before : np.ndarray of shape (points, len(stores)), int64, optional
        Bytes by which a point's address is moved back, so that all points count from the first element of the store.
    kept : np.ndarray of shape (points, arrays), int64, optional
        Addresses of all arrays of a run's first launch; all plans of a run share this array.
    keeps : bool
        True for the plan of the first launch.
    peers : sequence of (int, int)
        Arguments from which on a launch has all points' addresses of a store, and its position in ``stores``, which is
        one of the first launch's.
    mapped : np.ndarray of shape (points, points), int64, optional
        Where each point (row) sees each one's memory, instead of its own address in the first launch: points of several
        processes (`lux.launch.peer_memory.PeerMemory`).
    scratch : int
        The scratch memory, as in ``stores``.
    in_scratch : sequence of (int, int or np.ndarray of shape (points,))
        Arguments that lie in the scratch memory, and their offsets (in each point).
    zeroed, zeroed_always : int
        Bytes at the beginning of scratch memory that are zero before the first launch, and before every launch.
    reported : (int, int)
        Offset and size of the scratch memory that is copied to the beginning of the report.
    given : np.ndarray of shape (points, bytes), uint8, optional
        What the first launch copies into each point's scratch memory, at the offset ``given_at``.
    written : sequence of (int, int)
        Arguments that lie in the report, which the kernel itself writes, and their offsets.
    report_bytes : int
    cleared : int, optional
        Bytes at the beginning of a new report that are zero; all of them unless the kernel writes what is read.
    number : int
        The argument that is the launch's number in its run; -1 if none is.
    blocks : int
        Blocks of a launch at most; 0: as many as are resident at once. Fewer blocks meet sooner.
    iteration_arguments : sequence of int
        Arguments with the number of iterations of a launch, which `encode_launch` overrides.
    """

    def __init__(
        self,
        kernel: Kernel,
        arguments: NDArray[np.int64],
        *,
        struct: bool = False,
        stores: Sequence[tuple[int, int]] = (),
        odd_stores: Sequence[tuple[int, int]] | None = None,
        before: NDArray[np.int64] | None = None,
        kept: NDArray[np.int64] | None = None,
        keeps: bool = False,
        peers: Sequence[tuple[int, int]] = (),
        mapped: NDArray[np.int64] | None = None,
        scratch: int = 0,
        in_scratch: Sequence[tuple[int, int | NDArray[np.int64]]] = (),
        zeroed: int = 0,
        zeroed_always: int = 0,
        reported: tuple[int, int] = (0, 0),
        given: NDArray[np.uint8] | None = None,
        given_at: int = 0,
        written: Sequence[tuple[int, int]] = (),
        report_bytes: int = 0,
        cleared: int | None = None,
        blocks: int = 0,
        number: int = -1,
        iteration_arguments: Sequence[int] = (),
    ) -> None:
        self.points, self.report_bytes, self._arguments = len(arguments), report_bytes, arguments
        both = [*stores, *(stores if odd_stores is None else odd_stores)]
        # The task reads these arrays, so they live as long as the plan.
        pairs = [array("q", itertools.chain.from_iterable(p)) for p in (both, written, peers)]
        taken = array("q", [argument for argument, _ in in_scratch])
        if arguments[:, [*taken, *(argument for argument, _ in (*both, *written))]].any():
            raise ValueError("an argument is a number and an address: two have one name")
        scratch_at = array("q", _offsets(self.points, [place for _, place in in_scratch]))
        several = array("q", iteration_arguments)
        if before is None:
            before = np.zeros((self.points, len(stores)), np.int64)
        kept = np.zeros((self.points, 1), np.int64) if kept is None else kept
        self._keep = [kept, given, kernel, arguments, before, mapped, *pairs, taken, scratch_at, several]
        at = [a.buffer_info()[0] for a in (*pairs, taken, scratch_at, several)]
        self.struct = PlanStruct(
            kernel=kernel.handle,
            as_struct=struct,
            n_arguments=arguments.shape[1],
            arguments=_address(arguments),
            number_argument=number,
            n_iteration_arguments=len(iteration_arguments),
            iteration_arguments=at[5],
            n_stores=len(stores),
            stores=at[0],
            before=_address(before),
            n_kept=kept.shape[1],
            kept=_address(kept),
            keeps=keeps,
            n_peers=len(peers),
            peers=at[2],
            scratch=scratch,
            n_scratch=len(in_scratch),
            in_scratch=at[3],
            scratch_at=at[4],
            zeroed=zeroed,
            zeroed_always=zeroed_always,
            reported_at=reported[0],
            reported=reported[1],
            given=0 if given is None else _address(given),
            given_at=given_at,
            given_bytes=0 if given is None else given.shape[1],
            n_written=len(written),
            written=at[1],
            report_bytes=report_bytes,
            cleared=report_bytes if cleared is None else cleared,
            blocks=blocks,
            mapped=0 if mapped is None else _address(mapped),
        )

    def change(self, arguments: Sequence[int], value: int | NDArray[np.int64]) -> None:
        """Change arguments of launches to come, in all points, to one value or one each; no launch may be under way."""
        self._arguments[:, list(arguments)] = value

    def register(self, key: int) -> None:
        """Register the plan for the launches with a key of `lux.runtime.register`."""
        mapper_library.functions().lux_plan(key, ctypes.byref(self.struct), self.points)

    def report(self, key: int, point: int = 0, nbytes: int | None = None) -> NDArray[np.uint8]:
        """Copy the report of a point (of shape (report_bytes,), or the first so many).

        Copied parts of the report are there when the launches have ended, parts that kernels write even before. The
        report is empty if the point runs in another process, or has not run yet. Raises `LuxError` where a launch has
        failed.
        """
        error = ctypes.c_char_p()
        data = mapper_library.functions().lux_report(key, point, ctypes.byref(error))
        if error.value:
            raise LuxError(error.value.decode())
        size = self.report_bytes if nbytes is None else nbytes
        return np.frombuffer(ctypes.string_at(data, size) if data else b"", np.uint8)

    def wait(self, key: int) -> None:
        """Wait for the latest launch of a plan of this process: it has ended, with its reports, or has failed.

        The kernel's end is seen in the host's memory, sooner than Legion says it; for a long kernel, Legion does. Each
        launch is to be waited for.
        """
        ended, most = mapper_library.functions().lux_ended, time.perf_counter() + LONG
        for point in range(self.points):
            while not ended(key, point):
                if time.perf_counter() > most:
                    finish()
                    ended(key, point)
                    break

    def wait_on_all_ranks(self, key: int, points: Iterable[int]) -> None:
        """Wait as `wait` does for these points, all of this process, and for those of others; raises any failure.

        Nothing else was launched since `finish`, and the plan has a report, behind which the end is marked. A long
        kernel is looked at now and then: Legion is no help, as all processes would have to ask it.
        """
        ended, most = mapper_library.functions().lux_ended, time.perf_counter() + LONG
        for point in points:
            while not ended(key, point):
                if time.perf_counter() > most:
                    time.sleep(LONG / 10)
        error = None
        try:
            self.report(key, nbytes=0)
        except LuxError as failed:
            error = failed
        all_has_run()
        try:
            agreement.raise_on_all_ranks(error)
        except LuxError:  # on all processes: kernels of other GPUs may still run
            launched()
            raise

    def unregister(self, key: int) -> None:
        """Unregister the plan."""
        mapper_library.functions().lux_forget_plan(key)


@contextmanager
def addresses_kept(kept: NDArray[np.int64]) -> Iterator[int]:
    """Have warm-up launches write their arrays' addresses, of shape (points, arrays); yields the launches' key."""
    functions, key = mapper_library.functions(), register(kept)
    plan = PlanStruct(keeps=1, n_kept=kept.shape[1], kept=kept.ctypes.data)
    functions.lux_plan(key, ctypes.byref(plan), len(kept))
    try:
        yield key
    finally:
        functions.lux_forget_plan(key)
        unregister(key)


def _address(numbers: NDArray[Any]) -> int:
    """Return the address of an array; ``numbers.ctypes`` takes several times as long."""
    found: int = numbers.__array_interface__["data"][0]
    return found


def register_copies(key: int, copies: NDArray[np.int64]) -> None:
    """Have launches with a key copy from the host's memory, as each point's rows describe, until `unregister_copies`.

    Parameters
    ----------
    key : int
        Key of `lux.runtime.register`, which keeps the array.
    copies : np.ndarray of shape (points, copies, 3), int64
        Address in the GPU's memory, address in the host's, and bytes, for each copy.
    """
    plan = PlanStruct(number_argument=-1, n_copies=copies.shape[1], copies=copies.ctypes.data)
    mapper_library.functions().lux_plan(key, ctypes.byref(plan), len(copies))


def unregister_copies(key: int) -> None:
    """Undo `register_copies`."""
    mapper_library.functions().lux_forget_plan(key)
