# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""How fast bytes move into a GPU, by the CUDA runtime: gamma_l. Part of `perfmodel.calibrate`."""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass

from perfmodel.errors import ModelError

LIBRARY = "libcudart.so.12"
BYTES = 256 << 20
TRIALS = 5
ANY_DIRECTION = 4  # cudaMemcpyDefault


@dataclass(frozen=True)
class CopyRates:
    """Seconds per byte from pinned host memory, and from another GPU where there is one."""

    host: float
    peer: float | None


def rates(n_gpus: int) -> CopyRates:
    """Measure both on the first GPUs; raises `ModelError` where CUDA does not work."""
    try:
        cuda = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise ModelError(f"{LIBRARY} cannot be loaded ({error}): pip install nvidia-cuda-runtime-cu12") from None
    host, here, there = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    size = ctypes.c_size_t(BYTES)
    _call(cuda, "cudaSetDevice", 0)
    _call(cuda, "cudaMallocHost", ctypes.byref(host), size)
    _call(cuda, "cudaMalloc", ctypes.byref(here), size)
    peer = None
    if n_gpus > 1:
        _call(cuda, "cudaSetDevice", 1)
        _call(cuda, "cudaMalloc", ctypes.byref(there), size)
        cuda.cudaDeviceEnablePeerAccess(0, 0)  # fails harmlessly where it is enabled or there is no such way
        peer = _seconds(cuda, there, here) / BYTES
        _call(cuda, "cudaFree", there)
        _call(cuda, "cudaSetDevice", 0)
    found = CopyRates(_seconds(cuda, here, host) / BYTES, peer)
    _call(cuda, "cudaFree", here)
    _call(cuda, "cudaFreeHost", host)
    return found


def _seconds(cuda: ctypes.CDLL, target: ctypes.c_void_p, source: ctypes.c_void_p) -> float:
    """The fastest of some copies of `BYTES`; the first is not counted."""
    times = []
    for _ in range(TRIALS + 1):
        _call(cuda, "cudaDeviceSynchronize")
        began = time.perf_counter()
        _call(cuda, "cudaMemcpy", target, source, ctypes.c_size_t(BYTES), ANY_DIRECTION)
        _call(cuda, "cudaDeviceSynchronize")
        times.append(time.perf_counter() - began)
    return min(times[1:])


def _call(cuda: ctypes.CDLL, name: str, *arguments: object) -> None:
    code = getattr(cuda, name)(*arguments)
    if code:
        raise ModelError(f"{name} failed with CUDA error {code}: look at nvidia-smi and python -m legate_config doctor")
