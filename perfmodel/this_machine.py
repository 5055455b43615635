# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The machine that this process runs on: as a profile describes it, and how busy it is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import legate_config
from perfmodel.errors import ModelError
from perfmodel.profile import Machine


def this_machine(device: str) -> Machine:
    """This machine; raises `ModelError` where a GPU is asked for and there is none.

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
    """How busy this machine's cores are with other work, since this object was made.

    Parameters
    ----------
    together : callable, optional
        From this process's core seconds, those of all processes here that are no others.
    """

    def __init__(self, together: Callable[[float], float] = float) -> None:
        self._together = together
        self._began, self._others = time.perf_counter(), self._others_seconds()

    def cores(self) -> float:
        """Cores that others kept busy on average; time stolen by other virtual machines counts."""
        return max(0.0, self._others_seconds() - self._others) / (time.perf_counter() - self._began)

    def _others_seconds(self) -> float:
        """Core seconds since the start of the machine that were neither idle nor those of these processes."""
        own = os.times()
        known = self._together(own.user + own.system + own.children_user + own.children_system)
        with Path("/proc/stat").open(encoding="utf-8") as lines:
            user, nice, system, _idle, _waiting, *interrupts_and_stolen = map(int, next(lines).split()[1:9])
        ticks = user + nice + system + sum(interrupts_and_stolen)
        return ticks / os.sysconf("SC_CLK_TCK") - known
