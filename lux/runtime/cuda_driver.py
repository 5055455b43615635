# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Facts about the GPUs of this process, from the CUDA driver."""

from __future__ import annotations

import ctypes
import functools
import hashlib

import legate_config
from lux.errors import ConfigurationError
from lux.runtime.start import driver

_COMPUTE_CAPABILITY = (75, 76)
"""Numbers of ``CUdevice_attribute``: major and minor compute capability."""
_BLOCK_MEMORY = 97
"""Number of ``CUdevice_attribute``: shared memory that a block may ask for."""


def capability(device: int = 0) -> tuple[int, int]:
    """Return the compute capability of a GPU of this process, e.g. (9, 0)."""
    major, minor = (_attribute(device, attribute) for attribute in _COMPUTE_CAPABILITY)
    return major, minor


def block_memory(device: int = 0) -> int:
    """Return the bytes of shared memory that a block may have on a GPU of this process."""
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


def identities() -> list[int]:
    """Return a number below 2^48 for each GPU of this process, which no other GPU has on any machine."""
    driver()  # CUDA's driver answers only once it is in use
    cuda, found = ctypes.CDLL("libcuda.so.1"), []
    for device in range(legate_config.settings().gpus):
        handle, uuid = ctypes.c_int(), ctypes.create_string_buffer(16)
        failed = cuda.cuInit(0) or cuda.cuDeviceGet(ctypes.byref(handle), device)
        failed = failed or cuda.cuDeviceGetUuid(uuid, handle)
        if failed:
            raise ConfigurationError(f"the CUDA driver does not answer (error {failed}): look at nvidia-smi")
        found.append(int.from_bytes(hashlib.sha256(uuid.raw).digest()[:6]))
    return found


@functools.cache
def peer_access() -> bool:
    """Tell whether every GPU of this process reads the others' memory."""
    driver()  # CUDA's driver answers only once it is in use
    cuda, count = ctypes.CDLL("libcuda.so.1"), legate_config.settings().gpus
    able = ctypes.c_int()
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    return all(not cuda.cuDeviceCanAccessPeer(ctypes.byref(able), i, j) and able.value for i, j in pairs)
