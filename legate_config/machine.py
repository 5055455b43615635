# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Resources of this machine, as far as this process may use them."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

from legate_config import cgroup
from legate_config.gpus import Gpu, visible_gpus

__all__ = ["Gpu", "Machine"]


@dataclass(frozen=True)
class Machine:
    """Machine, as far as one process may use it.

    Attributes
    ----------
    cpu_ids
        Logical CPUs in this process's affinity mask.
    cores
        Number of them that may be busy at once: fewer than ``cpu_ids`` if a control group sets a quota.
    memory_bytes
        Memory of the machine, or of the tightest control group if less.
    available_bytes
        Part of it that can be taken now without swapping.
    gpus
        GPUs that CUDA shows to this process.
    """

    cpu_ids: frozenset[int]
    cores: int
    memory_bytes: int
    available_bytes: int
    gpus: tuple[Gpu, ...]

    @classmethod
    def detect(cls, root: Path = Path("/")) -> Machine:
        """Detect the machine's resources.

        Parameters
        ----------
        root
            Folder that holds ``proc`` and ``sys``.

        Returns
        -------
        Machine
        """
        cpu_ids = frozenset(os.sched_getaffinity(0))
        quota = cgroup.cpu_quota(root)
        cores = len(cpu_ids) if quota == math.inf else max(1, min(len(cpu_ids), math.floor(quota + 1e-9)))
        total, available = _meminfo(root)
        limit, free = cgroup.memory_limit(root)
        return cls(cpu_ids, cores, int(min(total, limit)), int(min(available, free)), visible_gpus())


def _meminfo(root: Path) -> tuple[int, int]:
    kibibytes = {}
    for line in (root / "proc/meminfo").read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        kibibytes[name] = int(value.split()[0])
    total = kibibytes["MemTotal"]
    return total * 1024, kibibytes.get("MemAvailable", total) * 1024
