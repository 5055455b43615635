# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A process that ``legate`` or ``mpirun`` started ends when they do, however they end.

Killed by SIGKILL they cannot end what they started, which would run on at full load. A process that neither of them
started goes on without its parent, as under ``nohup``.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

LAUNCHERS = frozenset({"legate", "mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "hydra_pmi_proxy"})
"""Names of programs that start processes. (What SLURM's ``srun`` started, SLURM ends.)"""
LOOK_S = 1.0
"""Seconds between two looks at whether they are there."""
GRACE_S = 3.0
"""Seconds that a process has to end by SIGTERM before it is killed."""

_watching = False


def end_with_launcher() -> None:
    """End this process by SIGTERM once a launcher among its ancestors has ended; without one, do nothing."""
    global _watching
    line = line_to_launcher(os.getpid())
    if line and not _watching:
        _watching = True
        threading.Thread(target=_watch, args=(line,), name="lux-launcher", daemon=True).start()


def line_to_launcher(process: int, root: Path = Path("/")) -> list[int]:
    """The ancestors of a process, its parent first, up to the outermost that is a launcher; empty without one."""
    ancestors: list[int] = []
    launched = 0
    while (found := _parent(process, root)) is not None and found > 1:
        process = found
        ancestors.append(process)
        if _name(process, root) in LAUNCHERS:
            launched = len(ancestors)
    return ancestors[:launched]


def _watch(line: list[int]) -> None:
    # When a process ends, its children get another parent at once, though its own parent may not have noticed yet.
    links = list(zip([os.getpid(), *line], line, strict=False))
    while all(_parent(child, Path("/")) == parent for child, parent in links):
        time.sleep(LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    os.kill(os.getpid(), signal.SIGKILL)


def _parent(process: int, root: Path) -> int | None:
    """Number of a process's parent; None once the process has gone."""
    try:
        # The name, in parentheses, may have spaces.
        return int((root / f"proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None


def _name(process: int, root: Path) -> str:
    """Name of a process's program; of a script, its own, and not the interpreter's."""
    try:
        name = (root / f"proc/{process}/comm").read_text(errors="replace").strip()
        words = (root / f"proc/{process}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return ""
    script = Path(words[1]).name if name.startswith("python") and len(words) > 1 else name
    return script if script in LAUNCHERS else name
