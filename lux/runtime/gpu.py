# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Index launches on GPUs: each point launches a CUDA kernel, without Python or waiting (``lux/mapper/gpu.cc``)."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux.errors import ConfigurationError, LuxError
from lux.runtime import placed
from lux.runtime.native import NativeLauncher
from lux.runtime.sharing import share, unshare
from lux.runtime.start import finish, gpus, ranks, start
from lux.runtime.stores import view

_COMPUTE_CAPABILITY = (75, 76)
"""Of ``CUdevice_attribute``: major and minor."""
_BLOCK_MEMORY = 97
"""Likewise: shared memory that a block may ask for."""
MOST_OVERFLOWING = 63
"""Points of a launch some of whose stores overflow into zero-copy memory, at most."""
LOOK = -1
"""Number of a launch whose points only look where they are, and get ready for those to come."""


def capability(device: int = 0) -> tuple[int, int]:
    """Compute capability of a GPU of this process, e.g. (9, 0)."""
    major, minor = (_attribute(device, attribute) for attribute in _COMPUTE_CAPABILITY)
    return major, minor


def block_memory(device: int = 0) -> int:
    """Bytes of shared memory that a block may have on a GPU of this process."""
    return _attribute(device, _BLOCK_MEMORY)


@functools.cache
def _attribute(device: int, attribute: int) -> int:
    cuda = ctypes.CDLL("libcuda.so.1")
    handle, found = ctypes.c_int(), ctypes.c_int()
    failed = cuda.cuInit(0) or cuda.cuDeviceGet(ctypes.byref(handle), device)
    failed = failed or cuda.cuDeviceGetAttribute(ctypes.byref(found), attribute, handle)
    if failed:
        raise ConfigurationError(f"the CUDA driver does not answer (error {failed}): look at nvidia-smi")
    return found.value


@functools.cache
def peer_access() -> bool:
    """Whether every GPU of this process reads the others' memory."""
    start()  # the driver answers only once it is in use
    cuda, count = ctypes.CDLL("libcuda.so.1"), legate_config.settings().gpus
    able = ctypes.c_int()
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    return all(not cuda.cuDeviceCanAccessPeer(ctypes.byref(able), i, j) and able.value for i, j in pairs)


@functools.cache
def apart(points: int) -> bool:
    """Whether the points of a launch run side by side: in this process, each on a GPU of its own."""
    import lux.mapper

    if ranks() > 1 or points > gpus():
        return False
    functions, key, plan = lux.mapper.functions(), share(None), _Plan()
    functions.lux_plan(key, ctypes.byref(plan), points)
    GpuLauncher("look")(points, key=key, number=LOOK)
    finish()
    found = functions.lux_contexts(key)
    functions.lux_forget_plan(key)
    unshare(key)
    return bool(found == points)


class Kernel:
    """A function of some machine code, loaded into each GPU that runs it.

    Parameters
    ----------
    code : bytes
        What `lux.kernels.cuda.build.cubin` returns.
    name : str
    threads : int
        Threads of a block; as many blocks are launched as are resident at once.
    shared_bytes : int
        Dynamic shared memory of a block.
    """

    def __init__(self, code: bytes, name: str, threads: int, shared_bytes: int = 0) -> None:
        import lux.mapper

        self.handle = lux.mapper.functions().lux_kernel(code, len(code), name.encode(), threads, shared_bytes)


def limit_blocks(most: int) -> None:
    """Launch so many blocks at most of kernels that have not run yet: for tools that make kernels slow.

    By default as many run as are resident at once, thousands on a large GPU, which meet many times in an iteration.
    """
    import lux.mapper

    lux.mapper.functions().lux_limit_blocks(most)


_PLAN = (
    "kernel", "as_struct", "n_words", "words", "number_word", "n_turns", "turns", "n_stores", "stores", "before",
    "n_kept", "kept", "keeps", "n_peers", "peers", "scratch", "n_scratch", "in_scratch", "scratch_at", "zeroed",
    "zeroed_always", "reported_at", "reported", "n_written", "written", "report_bytes", "n_copies", "copies",
)  # fmt: skip


class _Plan(ctypes.Structure):
    """``Plan`` of ``gpu.cc``: addresses and numbers, in this order."""

    _fields_ = tuple((name, ctypes.c_int64) for name in _PLAN)


class GpuPlan:
    """What the points of a launch do, and what they report.

    Parameters
    ----------
    kernel : Kernel
    words : np.ndarray of shape (points, n_arguments), int64
        The kernel's arguments, each at the beginning of a word.
    struct : bool
        They are one struct.
    stores : sequence of (int, int)
        Arguments that are addresses of stores, and the stores' places in `NativeLauncher.arrays`; or ``~place`` for
        those of the run's first launch, if its addresses are kept.
    odd_stores : sequence of (int, int), optional
        The same for launches of odd number, where two copies swap their roles.
    before : np.ndarray of shape (points, len(stores)), int64, optional
        Bytes by which a point's address is moved back, so that all points count from the first element of the store.
    kept : np.ndarray of shape (points, arrays), int64, optional
        Where the addresses of all arrays of a run's first launch are kept; all plans of a run have the same.
    keeps : bool
        This is the plan of the first launch.
    peers : sequence of (int, int)
        Arguments from which on a launch has all points' addresses of a store, and its position in ``stores``, which is
        one of the first launch's. All points run in one process.
    scratch : int
        The scratch memory, as in ``stores``.
    in_scratch : sequence of (int, int or np.ndarray of shape (points,))
        Arguments that lie in it, and where (in each point).
    zeroed, zeroed_always : int
        Bytes at its beginning that are zero before the first launch, and before every launch.
    reported : (int, int)
        Place and size of what is copied from it to the beginning of the report.
    written : sequence of (int, int)
        Arguments that lie in the report, which the kernel writes to itself, and where.
    report_bytes : int
    number : int
        The argument that is the launch's number in its run; -1 if none is.
    turns : sequence of int
        Arguments that say how many iterations a launch has, which a launch with `numbered` says itself.
    """

    def __init__(
        self,
        kernel: Kernel,
        words: NDArray[np.int64],
        *,
        struct: bool = False,
        stores: Sequence[tuple[int, int]] = (),
        odd_stores: Sequence[tuple[int, int]] | None = None,
        before: NDArray[np.int64] | None = None,
        kept: NDArray[np.int64] | None = None,
        keeps: bool = False,
        peers: Sequence[tuple[int, int]] = (),
        scratch: int = 0,
        in_scratch: Sequence[tuple[int, int | NDArray[np.int64]]] = (),
        zeroed: int = 0,
        zeroed_always: int = 0,
        reported: tuple[int, int] = (0, 0),
        written: Sequence[tuple[int, int]] = (),
        report_bytes: int = 0,
        number: int = -1,
        turns: Sequence[int] = (),
    ) -> None:
        self.points, self.report_bytes, self._words = len(words), report_bytes, words
        if before is None:
            before = np.zeros((self.points, len(stores)), np.int64)
        both = [*stores, *(stores if odd_stores is None else odd_stores)]
        # The task reads these arrays, so they live as long as the plan.
        pairs = [np.array(list(p) or [(0, 0)], np.int64).ravel() for p in (both, written, peers)]
        taken = np.array([argument for argument, _ in in_scratch] or [0], np.int64)
        several = np.array([*turns] or [0], np.int64)
        scratch_at = np.zeros((self.points, len(taken)), np.int64)
        for k, (_, place) in enumerate(in_scratch):
            scratch_at[:, k] = place
        kept = np.zeros((self.points, 1), np.int64) if kept is None else kept
        self._keep = [kept, kernel, words, before, *pairs, taken, scratch_at, several]
        at = [a.ctypes.data for a in pairs]
        self._plan = _Plan(
            kernel=kernel.handle,
            as_struct=struct,
            n_words=words.shape[1],
            words=words.ctypes.data,
            number_word=number,
            n_turns=len(turns),
            turns=several.ctypes.data,
            n_stores=len(stores),
            stores=at[0],
            before=before.ctypes.data,
            n_kept=kept.shape[1],
            kept=kept.ctypes.data,
            keeps=keeps,
            n_peers=len(peers),
            peers=at[2],
            scratch=scratch,
            n_scratch=len(in_scratch),
            in_scratch=taken.ctypes.data,
            scratch_at=scratch_at.ctypes.data,
            zeroed=zeroed,
            zeroed_always=zeroed_always,
            reported_at=reported[0],
            reported=reported[1],
            n_written=len(written),
            written=at[1],
            report_bytes=report_bytes,
        )

    def change(self, arguments: Sequence[int], value: int) -> None:
        """Change arguments of launches to come, in all points; nothing may be under way."""
        self._words[:, list(arguments)] = value

    def share(self, key: int) -> None:
        """Make it known to the launches with a key of `lux.runtime.share`."""
        import lux.mapper

        lux.mapper.functions().lux_plan(key, ctypes.byref(self._plan), self.points)

    def report(self, key: int, point: int = 0, nbytes: int | None = None) -> NDArray[np.uint8]:
        """What a point has reported (of shape (report_bytes,), or the first so many); a copy.

        What is copied to the report is there when the launches have ended, what kernels write even before. Empty where
        the point runs in another process, or has not run yet.
        Raises `LuxError` where a launch has failed.
        """
        import lux.mapper

        error = ctypes.c_char_p()
        data = lux.mapper.functions().lux_report(key, point, ctypes.byref(error))
        if error.value:
            raise LuxError(error.value.decode())
        size = self.report_bytes if nbytes is None else nbytes
        return np.frombuffer(ctypes.string_at(data, size) if data else b"", np.uint8)

    def forget(self, key: int) -> None:
        """Take it back."""
        import lux.mapper

        lux.mapper.functions().lux_forget_plan(key)


def numbered(number: int, turns: int = 0) -> int:
    """The number of a launch that has so many iterations; 0: as many as its plan says.

    >>> numbered(3), numbered(3, 4) == 3 + (4 << 32)
    (3, True)
    """
    return number + (turns << 32)


def share_copies(key: int, copies: NDArray[np.int64]) -> None:
    """Have launches with a key copy from the host's memory, in each point what its rows say; until `forget_copies`.

    Parameters
    ----------
    key : int
        Of `lux.runtime.share`, which keeps the array.
    copies : np.ndarray of shape (points, copies, 3), int64
        Address in the GPU's memory, address in the host's, and bytes.
    """
    import lux.mapper

    plan = _Plan(number_word=-1, n_copies=copies.shape[1], copies=copies.ctypes.data)
    lux.mapper.functions().lux_plan(key, ctypes.byref(plan), len(copies))


def forget_copies(key: int) -> None:
    """Take `share_copies` back."""
    import lux.mapper

    lux.mapper.functions().lux_forget_plan(key)


class GpuLauncher(NativeLauncher):
    """One kind of launch on GPUs; ``key`` says which plan, ``number`` the how manieth launch of a run it is.

    Stores named in ``zero_copy`` are placed in zero-copy memory, as are those named in ``overflow`` in the points of
    the bit set ``overflowing`` (of at most `MOST_OVERFLOWING`), and all others in the GPU's own.
    """

    task = 1

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, str | None] = MappingProxyType({}),
        outputs: Mapping[str, str | None] = MappingProxyType({}),
        updates: Mapping[str, str | None] = MappingProxyType({}),
        zero_copy: Collection[str] = (),
        alone: bool = False,
        overflow: Collection[str] = (),
        overflowing: int = 0,
    ) -> None:
        super().__init__(name, inputs, outputs, updates, gpu=True, alone=alone, zero_copy=zero_copy)
        self._overflow, self._overflowing = self._set_of(overflow), overflowing
        self._in_zero_copy, self._overflows = frozenset(zero_copy), frozenset(overflow)

    def __call__(self, points: int, **arguments: Any) -> None:
        """As of every launch; what it places is noted."""
        super().__call__(points, **arguments)
        if gpus():
            stores = {name: arguments[name] for name in self.split_of}
            # A launch of one point may be given no rectangles, and sees whole stores.
            splits = {n: arguments.get(split) if split and points > 1 else None for n, split in self.split_of.items()}
            placed.note(points, stores, splits, self._in_zero_copy, self._overflows, self._overflowing)

    def _scalars(self, arguments: Mapping[str, Any]) -> list[int]:
        return [arguments["key"], arguments["number"], self._zero_copy, self._overflow, self._overflowing]


def zero_copy_arrays(stores: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Views of whole stores of `new_store` that have an instance in this process's zero-copy memory.

    They hold for as long as the stores live, and nothing but compiled bodies and kernels writes them.
    """
    import lux.mapper

    if not stores:
        return {}
    launcher = GpuLauncher("note_addresses", dict.fromkeys(stores), zero_copy=stores, alone=True)
    kept = np.zeros(len(launcher.arrays), np.int64)
    plan = _Plan(keeps=1, n_kept=len(kept), kept=kept.ctypes.data)
    functions, key = lux.mapper.functions(), share(kept)
    functions.lux_plan(key, ctypes.byref(plan), 1)
    launcher(1, **stores, key=key, number=LOOK)
    finish()
    functions.lux_forget_plan(key)
    unshare(key)
    at = dict(zip(launcher.arrays, kept.tolist(), strict=True))
    return {name: view(at[name], store.nbytes // store.dtype.itemsize, store.dtype) for name, store in stores.items()}
