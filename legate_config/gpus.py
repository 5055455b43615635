# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA GPUs that this process may use, queried from NVML, which starts no CUDA context."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Gpu:
    """GPU as NVML describes it.

    Attributes
    ----------
    index
        Its number among all GPUs of the machine, as ``nvidia-smi`` counts them.
    uuid
        Its ``GPU-...`` identifier.
    name
        Its product name.
    memory_bytes, free_bytes
        Device memory in all, and the part that no process has taken.
    """

    index: int
    uuid: str
    name: str
    memory_bytes: int
    free_bytes: int


def visible_gpus() -> tuple[Gpu, ...]:
    """Return the machine's GPUs, restricted and ordered by ``CUDA_VISIBLE_DEVICES``; empty without a driver."""
    return select(_nvml_gpus(), os.environ.get("CUDA_VISIBLE_DEVICES"))


def select(gpus: tuple[Gpu, ...], visible: str | None) -> tuple[Gpu, ...]:
    """Apply a ``CUDA_VISIBLE_DEVICES`` value as CUDA does: the list ends at the first unknown entry."""
    if visible is None:
        return gpus
    chosen: list[Gpu] = []
    for entry in (word.strip() for word in visible.split(",")):
        found = [gpu for gpu in gpus if _names(entry, gpu)]
        if len(found) != 1:
            break
        chosen += found
    return tuple(chosen)


def _names(entry: str, gpu: Gpu) -> bool:
    if entry.isdigit():
        return int(entry) == gpu.index
    return entry.startswith("GPU-") and gpu.uuid.startswith(entry)


def _nvml_gpus() -> tuple[Gpu, ...]:
    import ctypes

    class Memory(ctypes.Structure):
        _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))

    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return ()
    if nvml.nvmlInit_v2() != 0:
        return ()
    try:
        count = ctypes.c_uint()
        if nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
            return ()
        gpus = []
        for index in range(count.value):
            device, memory = ctypes.c_void_p(), Memory()
            name, uuid = ctypes.create_string_buffer(96), ctypes.create_string_buffer(96)
            failed = (
                nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device))
                or nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory))
                or nvml.nvmlDeviceGetName(device, name, 96)
                or nvml.nvmlDeviceGetUUID(device, uuid, 96)
            )
            if not failed:
                gpus.append(Gpu(index, uuid.value.decode(), name.value.decode(), memory.total, memory.free))
        return tuple(gpus)
    finally:
        nvml.nvmlShutdown()
