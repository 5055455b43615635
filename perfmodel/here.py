# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The machine that this process runs on, as a profile describes it."""

from __future__ import annotations

from pathlib import Path

import legate_config
from perfmodel.errors import ModelError
from perfmodel.profile import Machine


def this_machine(device: str) -> Machine:
    """This machine; raises `ModelError` where a GPU is asked for and there is none.

    >>> this_machine("cpu").workers() >= 1
    True
    """
    found = legate_config.Machine.detect()
    if device == "cpu":
        return Machine("cpu", _cpu_name(), found.cores, len(found.gpus), found.memory_bytes, 0)
    if not found.gpus:
        raise ModelError("device gpu was asked for, and this machine has none: pass --device cpu")
    gpu = found.gpus[0]
    return Machine("gpu", gpu.name, found.cores, len(found.gpus), found.memory_bytes, gpu.memory_bytes)


def _cpu_name() -> str:
    with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
