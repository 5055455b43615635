# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Limits that control groups (versions 1 and 2) put on this process.

A process obeys the tightest limit on the path from its own group up to the root, so every level is read.
Inside a container ``/proc/self/cgroup`` may name a path that exists only outside: missing levels are skipped.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UNLIMITED_V1 = 1 << 60
"""Values from here on mean "no limit": version 1 writes 2**63 rounded down to a page."""


def cpu_quota(root: Path) -> float:
    """Return the number of CPUs that the quotas allow, ``math.inf`` if there is none.

    Parameters
    ----------
    root
        The folder that holds ``proc`` and ``sys``; ``/`` on a running system.
    """
    quota = math.inf
    for level in _levels_v2(root):
        words = _read(level / "cpu.max").split()
        if len(words) == 2 and words[0] != "max":
            quota = min(quota, int(words[0]) / int(words[1]))
    for level in _levels_v1(root, "cpu"):
        microseconds, period = _number(level / "cpu.cfs_quota_us"), _number(level / "cpu.cfs_period_us")
        if microseconds is not None and period is not None and microseconds > 0 and period > 0:
            quota = min(quota, microseconds / period)
    return quota


def memory_limit(root: Path) -> tuple[float, float]:
    """Return the bytes of memory that the groups allow, and the bytes still free under the tightest group.

    File pages that the kernel can drop at once (``inactive_file``) count as free. Both are ``math.inf`` without a
    limit.
    """
    limit = free = math.inf
    levels = [(level, "memory.max", "memory.current", "inactive_file") for level in _levels_v2(root)]
    levels += [
        (level, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        for level in _levels_v1(root, "memory")
    ]
    for level, limit_name, usage_name, droppable_name in levels:
        allowed = _number(level / limit_name)
        if allowed is None or allowed >= UNLIMITED_V1:
            continue
        used = (_number(level / usage_name) or 0) - _statistic(level / "memory.stat", droppable_name)
        limit = min(limit, allowed)
        free = min(free, max(allowed - max(used, 0), 0))
    return limit, free


def _levels_v2(root: Path) -> Iterator[Path]:
    for _, controllers, path in _groups(root):
        if not controllers:
            for mount in ("sys/fs/cgroup", "sys/fs/cgroup/unified"):
                yield from _climb(root / mount, path)


def _levels_v1(root: Path, controller: str) -> Iterator[Path]:
    for _, controllers, path in _groups(root):
        if controller in controllers.split(","):
            for name in dict.fromkeys((controllers, controller)):
                yield from _climb(root / "sys/fs/cgroup" / name, path)


def _groups(root: Path) -> Iterator[tuple[str, str, str]]:
    for line in _read(root / "proc/self/cgroup").splitlines():
        words = line.split(":", 2)
        if len(words) == 3:
            yield words[0], words[1], words[2]


def _climb(mount: Path, path: str) -> Iterator[Path]:
    parts = [part for part in path.split("/") if part not in {"", ".."}]
    for depth in range(len(parts), -1, -1):
        level = mount.joinpath(*parts[:depth])
        if level.is_dir():
            yield level


def _statistic(path: Path, name: str) -> int:
    for line in _read(path).splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


def _number(path: Path) -> int | None:
    text = _read(path).strip()
    return int(text) if text.lstrip("-").isdigit() else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
