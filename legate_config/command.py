# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command line that runs a program on x nodes with y processors each."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from legate_config.errors import ConfigError

LAUNCHERS = ("mpirun", "srun")


@dataclass(frozen=True)
class Layout:
    """Layout of a job's processes.

    Attributes
    ----------
    nodes
        Machines.
    cpus, gpus
        Processors of either kind on each machine, divided evenly among its processes.
    ranks_per_node
        Processes on each machine. One is best, unless the machine has several memory domains.
    launcher
        ``mpirun`` or ``srun``; unused for a single process.
    hosts
        Names of the machines, for ``mpirun`` outside a batch system.
    fbmem, zcmem
        MiB of each GPU's memory and, in each process, of zero-copy memory; None for `legate_config.flags`' defaults.
    """

    nodes: int = 1
    cpus: int | None = None
    gpus: int | None = None
    ranks_per_node: int = 1
    launcher: str = "mpirun"
    hosts: tuple[str, ...] = ()
    fbmem: int | None = None
    zcmem: int | None = None

    def __post_init__(self) -> None:
        if self.nodes < 1 or self.ranks_per_node < 1:
            raise ConfigError(f"--nodes {self.nodes} --ranks-per-node {self.ranks_per_node}: both must be at least 1")
        if self.launcher not in LAUNCHERS:
            raise ConfigError(f"--launcher {self.launcher}: choose one of {', '.join(LAUNCHERS)}")
        if self.hosts and len(self.hosts) != self.nodes:
            raise ConfigError(f"--hosts names {len(self.hosts)} machines and --nodes is {self.nodes}: make them agree")
        for name, count in (("cpus", self.cpus), ("gpus", self.gpus)):
            if count is not None and (count < 0 or count % self.ranks_per_node):
                raise ConfigError(
                    f"--{name} {count} cannot be shared out among {self.ranks_per_node} processes on each node:"
                    f" pass a multiple of {self.ranks_per_node}"
                )

    @classmethod
    def of_file(cls, path: Path, launcher: str = "mpirun", hosts: tuple[str, ...] = ()) -> Layout:
        """Read the nodes and processors of a configuration that ``lux autotune`` wrote."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))["launch"]
            given = {name: found.get(name) for name in ("cpus", "gpus", "fbmem", "zcmem")}
            return cls(found["nodes"], **given, launcher=launcher, hosts=hosts)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(
                f"--config {path}: no configuration can be read there ({error}): lux autotune GRAPH --program NAME "
                "--output FILE writes one"
            ) from None

    @property
    def ranks(self) -> int:
        """Number of processes of the whole job."""
        return self.nodes * self.ranks_per_node


def command(layout: Layout, program: list[str], *, as_root: bool | None = None) -> str:
    """Return the shell command for a program under ``legate``.

    Parameters
    ----------
    layout
        Machines, processes and processors.
    program
        The program and its arguments.
    as_root
        True if the superuser will run it, which Open MPI refuses without two flags; by default, True if this process is
        the superuser's.

    Examples
    --------
    >>> print(command(Layout(cpus=8), ["apps/pagerank.py", "graph.lux"]))
    legate --cpus 8 apps/pagerank.py graph.lux
    >>> print(command(Layout(nodes=2, gpus=4, launcher="srun"), ["apps/bfs.py", "graph.lux"]))
    legate --launcher srun --launcher-extra=--mpi=pmix --nodes 2 --ranks-per-node 1 --gpus 4 apps/bfs.py graph.lux
    >>> print(command(Layout(cpus=8, gpus=1, fbmem=40000, zcmem=9000), ["apps/bfs.py", "graph.lux"]))
    legate --cpus 8 --gpus 1 --fbmem 40000 --zcmem 9000 apps/bfs.py graph.lux
    """
    words = ["legate"]
    if layout.ranks > 1:
        words += ["--launcher", layout.launcher]
        if layout.launcher == "srun":
            words += ["--launcher-extra=--mpi=pmix"]
        elif layout.hosts:
            hosts = ",".join(f"{host}:{layout.ranks_per_node}" for host in layout.hosts)
            words += [f"--launcher-extra=--host {hosts}"]
        words += ["--nodes", str(layout.nodes), "--ranks-per-node", str(layout.ranks_per_node)]
    for flag, count in (("--cpus", layout.cpus), ("--gpus", layout.gpus)):
        if count is not None:
            words += [flag, str(count // layout.ranks_per_node)]
    if layout.gpus and layout.ranks_per_node > 1:
        each = layout.gpus // layout.ranks_per_node
        groups = (range(rank * each, (rank + 1) * each) for rank in range(layout.ranks_per_node))
        words += ["--gpu-bind", "/".join(",".join(map(str, group)) for group in groups)]
    for flag, mebibytes in (("--fbmem", layout.fbmem), ("--zcmem", layout.zcmem)):
        if mebibytes is not None:
            words += [flag, str(mebibytes)]
    root = os.geteuid() == 0 if as_root is None else as_root
    prefix = []
    if root and layout.ranks > 1 and layout.launcher == "mpirun":
        prefix = ["OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"]
    return shlex.join([*prefix, *words, *program])
