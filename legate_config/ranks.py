# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Rank of this process in the job, read before Legate starts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class RankInfo(NamedTuple):
    """Rank of this process in the job.

    Attributes
    ----------
    rank, ranks
        Number of this process, and how many the job has.
    local_rank, local_ranks
        Number of this process on this machine, and how many the machine has.
    """

    rank: int = 0
    ranks: int = 1
    local_rank: int = 0
    local_ranks: int = 1


# Each row: the variables that hold rank, ranks, local rank, local ranks. SLURM_STEP_NUM_TASKS, unlike
# SLURM_NTASKS, is set only in processes that srun started, not in the shell of an allocation.
_LAUNCHERS = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
    ("PMI_RANK", "PMI_SIZE", "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"),
)


def rank_info(environ: Mapping[str, str] | None = None) -> RankInfo:
    """Read the job's variables: Open MPI, MVAPICH, MPICH and its kin, SLURM.

    Parameters
    ----------
    environ
        The environment; that of this process by default.

    Returns
    -------
    RankInfo
        ``(0, 1, 0, 1)`` in a process that no launcher started.
    """
    env = os.environ if environ is None else environ
    for names in _LAUNCHERS:
        if all(name in env for name in names):
            return RankInfo(*(int(env[name]) for name in names))
    if all(name in env for name in ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_LOCALID")):
        counts = tasks_per_node(env.get("SLURM_STEP_TASKS_PER_NODE", env["SLURM_STEP_NUM_TASKS"]))
        node = min(int(env.get("SLURM_NODEID", "0")), len(counts) - 1)
        return RankInfo(
            int(env["SLURM_PROCID"]), int(env["SLURM_STEP_NUM_TASKS"]), int(env["SLURM_LOCALID"]), counts[node]
        )
    return RankInfo()


def tasks_per_node(text: str) -> list[int]:
    """Expand SLURM's run-length notation.

    >>> tasks_per_node("2(x3),1")
    [2, 2, 2, 1]
    """
    counts: list[int] = []
    for group in text.split(","):
        tasks, _, times = group.partition("(x")
        counts += [int(tasks)] * int(times.rstrip(")") or 1)
    return counts
