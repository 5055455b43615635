# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels and launches by the CUDA driver, which releases the GIL and converts nothing: a launch takes 3 us.

Called in the body of a GPU task, whose context is current there.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import LuxError

_DYNAMIC_SHARED_BYTES, _MULTIPROCESSORS, _MAJOR, _MINOR = 8, 16, 75, 76


@functools.cache
def _cuda() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _check(code: int, what: str) -> None:
    if code:
        name = ctypes.c_char_p()
        _cuda().cuGetErrorName(code, ctypes.byref(name))
        raise LuxError(f"CUDA: {what} failed with {(name.value or b'?').decode()}")


def capability(device: int = 0) -> tuple[int, int]:
    """Compute capability of a GPU, e.g. (9, 0); may be asked anywhere."""
    _check(_cuda().cuInit(0), "starting the driver")
    handle, found = ctypes.c_int(), []
    _check(_cuda().cuDeviceGet(ctypes.byref(handle), device), "looking for a GPU")
    for attribute in (_MAJOR, _MINOR):
        value = ctypes.c_int()
        _check(_cuda().cuDeviceGetAttribute(ctypes.byref(value), attribute, handle), "asking a GPU")
        found.append(value.value)
    return found[0], found[1]


class Kernel:
    """A function of some machine code, loaded into each GPU that runs it.

    Parameters
    ----------
    code : bytes
        What `lux.kernels.cuda.build.cubin` returns.
    name : str
    threads : int
        Threads of a block.
    shared_bytes : int
        Dynamic shared memory of a block.
    """

    def __init__(self, code: bytes, name: str, threads: int, shared_bytes: int = 0) -> None:
        self.code, self.name, self.threads, self.shared_bytes = code, name, threads, shared_bytes
        self._loaded: dict[int, tuple[ctypes.c_void_p, int]] = {}

    def _load(self) -> tuple[ctypes.c_void_p, int]:
        """The function in the current context, and the blocks that are resident at once."""
        cuda, context = _cuda(), ctypes.c_void_p()
        _check(cuda.cuCtxGetCurrent(ctypes.byref(context)), "asking for the context")
        key = context.value or 0
        if key not in self._loaded:
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            _check(cuda.cuModuleLoadData(ctypes.byref(module), self.code), f"loading {self.name}")
            _check(cuda.cuModuleGetFunction(ctypes.byref(function), module, self.name.encode()), f"finding {self.name}")
            size = ctypes.c_int(self.shared_bytes)
            _check(cuda.cuFuncSetAttribute(function, _DYNAMIC_SHARED_BYTES, size), "asking for shared memory")
            each, device, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
            _check(
                cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    ctypes.byref(each), function, self.threads, ctypes.c_size_t(self.shared_bytes)
                ),
                "asking for the occupancy",
            )
            _check(cuda.cuCtxGetDevice(ctypes.byref(device)), "asking for the GPU")
            _check(cuda.cuDeviceGetAttribute(ctypes.byref(count), _MULTIPROCESSORS, device), "asking a GPU")
            self._loaded[key] = function, each.value * count.value
        return self._loaded[key]

    def blocks(self) -> int:
        """Blocks that are resident at once on the current GPU."""
        return self._load()[1]

    def launch(self, stream: int, words: NDArray[np.int64], *, struct: bool = False) -> None:
        """Launch as many blocks as are resident at once.

        Parameters
        ----------
        stream : int
        words : np.ndarray of int64
            The arguments, each at the beginning of a word; with ``struct`` they are one struct.
        """
        function, blocks = self._load()
        first = words.ctypes.data
        addresses = [first] if struct else range(first, first + words.nbytes, words.itemsize)
        parameters = (ctypes.c_void_p * len(addresses))(*addresses)
        _check(
            _cuda().cuLaunchCooperativeKernel(
                function, blocks, 1, 1, self.threads, 1, 1, self.shared_bytes, ctypes.c_void_p(stream), parameters
            ),
            f"launching {self.name}",
        )


def clear(stream: int, address: int, nbytes: int) -> None:
    """Set device memory to zero."""
    _check(
        _cuda().cuMemsetD8Async(
            ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(nbytes), ctypes.c_void_p(stream)
        ),
        "clearing memory",
    )


def read(stream: int, address: int, out: NDArray[Any]) -> None:
    """Copy device memory into an array; waits for the stream."""
    _check(
        _cuda().cuMemcpyDtoHAsync_v2(
            ctypes.c_void_p(out.ctypes.data),
            ctypes.c_uint64(address),
            ctypes.c_size_t(out.nbytes),
            ctypes.c_void_p(stream),
        ),
        "copying from the GPU",
    )
    _check(_cuda().cuStreamSynchronize(ctypes.c_void_p(stream)), "a kernel")
