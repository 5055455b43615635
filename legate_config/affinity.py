# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Core affinity: each process on a machine gets cores of its own.

Realm pins its processors to the first cores of the process's affinity mask. Launchers that bind nothing
(``legate`` calls ``mpirun --bind-to none``) thus put the first processor of every process on core 0. Dealing out
contiguous numbers would not do: many machines give the second threads of all cores the upper half of the numbers.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from legate_config.ranks import RankInfo

_cores: frozenset[int] | None = None


def rank_cores() -> frozenset[int]:
    """Return the logical CPUs of this process, over which a task's own threads may spread.

    A Legate CPU task runs pinned to one core; give this set to `os.sched_setaffinity` in the body of a task
    that starts threads.
    """
    return _cores if _cores is not None else frozenset(os.sched_getaffinity(0))


def bind_rank(info: RankInfo) -> None:
    """Restrict this process, and the threads it starts from now on, to its share of the machine's cores.

    Leaves the mask alone for a single process, and where the launcher has bound this process already.
    """
    global _cores
    mine = os.sched_getaffinity(0)
    if info.local_ranks > 1 and not _bound_by_launcher(mine):
        mine = share(by_core(mine), info.local_rank, info.local_ranks)
        os.sched_setaffinity(0, mine)
    _cores = frozenset(mine)


def share(cores: Sequence[tuple[int, ...]], local_rank: int, local_ranks: int) -> set[int]:
    """Return the logical CPUs of one process: a contiguous run of whole cores.

    With more processes than cores, cores are split; with more processes than logical CPUs, CPUs are shared.

    Parameters
    ----------
    cores
        Logical CPUs of each core, neighbouring cores side by side.
    local_rank, local_ranks
        Number of the process, and how many there are on this machine.

    Examples
    --------
    >>> [share([(0, 4), (1, 5), (2, 6)], rank, 2) for rank in range(2)]
    [{0, 4}, {1, 2, 5, 6}]
    >>> [share([(0,), (1,)], rank, 3) for rank in range(3)]
    [{0}, {1}, {0}]
    """
    if local_ranks > len(cores):
        cores = [(cpu,) for core in cores for cpu in core]
    if local_ranks > len(cores):
        return set(cores[local_rank % len(cores)])
    count = len(cores)
    mine = cores[count * local_rank // local_ranks : count * (local_rank + 1) // local_ranks]
    return {cpu for core in mine for cpu in core}


def by_core(cpu_ids: Iterable[int], root: Path = Path("/")) -> list[tuple[int, ...]]:
    """Group logical CPUs by core, the cores ordered by socket; without topology each CPU is a core."""
    groups: dict[tuple[int, int], list[int]] = {}
    for cpu in sorted(cpu_ids):
        topology = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
        try:
            socket, core = (int((topology / name).read_text()) for name in ("physical_package_id", "core_id"))
        except (OSError, ValueError):
            socket, core = 0, cpu
        groups.setdefault((socket, core), []).append(cpu)
    return [tuple(groups[key]) for key in sorted(groups)]


def _bound_by_launcher(mine: set[int]) -> bool:
    try:
        return mine < os.sched_getaffinity(os.getppid())
    except OSError:
        return False
