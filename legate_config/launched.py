# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""End of a process with its launcher, ``legate`` or ``mpirun``, however the launcher ends.

A launcher killed by SIGKILL cannot end its processes, which would run on at full load. A process without a launcher
goes on without its parent, as under ``nohup``. Of several processes, helpers end all (`lux.runtime.heartbeat`).
"""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

LAUNCHERS = frozenset({"legate", "mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "hydra_pmi_proxy"})
"""Names of launchers. (SLURM ends the processes of ``srun`` itself.)"""
LOOK_S = 1.0
"""Seconds between two checks of the launchers."""
GRACE_S = 3.0
"""Seconds for a process to end by SIGTERM before it is killed."""

_watching = False
_others_watch = False


def end_with_launcher() -> None:
    """End this process by SIGTERM once a launcher among its ancestors has ended; without one, do nothing."""
    global _watching
    line = line_to_launcher(os.getpid())
    if line and not _watching:
        _watching = True
        threading.Thread(target=_watch, args=(line,), name="lux-launcher", daemon=True).start()


def leave_launchers_to_others() -> None:
    """Leave the watch of the launchers to another process, which ends this one once they have ended."""
    global _others_watch
    _others_watch = True


def line_to_launcher(process: int, root: Path = Path("/")) -> list[int]:
    """Return this process's ancestors, parent first, up to the outermost launcher; empty without one."""
    ancestors: list[int] = []
    launched = 0
    while (found := _parent(process, root)) is not None and found > 1:
        process = found
        ancestors.append(process)
        if _name(process, root) in LAUNCHERS:
            launched = len(ancestors)
    return ancestors[:launched]


def nearest_launchers(process: int, root: Path = Path("/")) -> dict[int, str]:
    """Return the launcher that started a process, and those that started it at once, and their names.

    Without a launcher there are none. Where a machine plays several, as in tests, ancestors further up may belong to
    another one.
    """
    found = dict[int, str]()
    for ancestor in line_to_launcher(process, root):
        if (name := _name(ancestor, root)) in LAUNCHERS:
            found[ancestor] = name
        elif found:
            break
    return found


def _watch(line: list[int]) -> None:
    # When a process ends, its children get another parent at once, though its own parent may not have noticed yet.
    links = list(zip([os.getpid(), *line], line, strict=False))
    while all(_parent(child, Path("/")) == parent for child, parent in links):
        time.sleep(LOOK_S)
        if _others_watch:
            return
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    os.kill(os.getpid(), signal.SIGKILL)


def _parent(process: int, root: Path) -> int | None:
    """Return the number of a process's parent; None once the process has gone."""
    try:
        # The name, in parentheses, may have spaces.
        return int((root / f"proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None


def _name(process: int, root: Path) -> str:
    """Return the name of a process's program; of a script its own name, not the interpreter's."""
    try:
        name = (root / f"proc/{process}/comm").read_text(errors="replace").strip()
        words = (root / f"proc/{process}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return ""
    script = Path(words[1]).name if name.startswith("python") and len(words) > 1 else name
    return script if script in LAUNCHERS else name
