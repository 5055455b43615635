# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Machine that this process runs on, as a profile describes it, and its load by other processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import legate_config
from perfmodel.errors import ModelError
from perfmodel.profile import Machine


def this_machine(device: str) -> Machine:
    """Describe this machine; raises `ModelError` if a GPU is asked for and there is none.

    >>> this_machine("cpu").workers() >= 1
    True
    """
    found = legate_config.shared_machine()
    if device == "cpu":
        return Machine("cpu", _cpu_name(), found.cores, len(found.gpus), found.memory_bytes, 0)
    if not found.gpus:
        raise ModelError("device gpu was asked for, and this machine has none: pass --device cpu")
    gpu = found.gpus[0]
    return Machine("gpu", gpu.name, found.cores, len(found.gpus), found.memory_bytes, gpu.memory_bytes)


def _cpu_name() -> str:
    with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


class OtherProcesses:
    """Other processes' load on this machine's cores since the object was made.

    Parameters
    ----------
    together : callable, optional
        From this process's core seconds, the core seconds of all processes of this run on the machine.
    """

    def __init__(self, together: Callable[[float], float] = float) -> None:
        self._together = together
        self._began, self._others = time.perf_counter(), self._others_seconds()

    def cores(self) -> float:
        """Return the cores that others kept busy on average, time stolen by other virtual machines included."""
        return max(0.0, self._others_seconds() - self._others) / (time.perf_counter() - self._began)

    def _others_seconds(self) -> float:
        """Return the core seconds since boot that were neither idle nor this run's."""
        own = os.times()
        known = self._together(own.user + own.system + own.children_user + own.children_system)
        with Path("/proc/stat").open(encoding="utf-8") as lines:
            user, nice, system, _idle, _waiting, *interrupts_and_stolen = map(int, next(lines).split()[1:9])
        ticks = user + nice + system + sum(interrupts_and_stolen)
        return ticks / os.sysconf("SC_CLK_TCK") - known
