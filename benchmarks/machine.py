# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Circumstances of a measurement: processor, GPUs, versions, commit.

Functions about Lux and Legate import them inside, so that programs without them can use the rest.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from legate_config import Machine


def circumstances(packages: Iterable[str], threads: int | None = None) -> dict[str, Any]:
    """Return the header of each benchmark's JSON; threads are Legate's unless passed."""
    from lux import runtime

    return {
        "machine": machine(runtime.processors() if threads is None else threads, runtime.ranks()),
        "versions": versions(packages),
        "commit": commit(),
    }


def since(began: float) -> dict[str, Any]:
    """Return the start of a benchmark, by `time.time`, and its duration."""
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
        "seconds": time.time() - began,
    }


def gpus() -> list[dict[str, Any]]:
    """Return the node's GPUs."""
    return [{"name": gpu.name, "memory_bytes": gpu.memory_bytes} for gpu in Machine.detect().gpus]


def driver() -> str | None:
    """Return the version of the GPUs' driver; None if there is none."""
    command = shutil.which("nvidia-smi")
    if command is None:
        return None
    asked = [command, "--query-gpu=driver_version", "--format=csv,noheader"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split("\n")[0] or None


def machine(threads: int, processes: int = 1) -> dict[str, Any]:
    """Return processor, cores, memory in bytes, and the threads and processes in use."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "cores_allowed": len(os.sched_getaffinity(0)),
        "threads": threads,
        "processes": processes,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _cpu_model() -> str:
    with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        return next(names, platform.processor())


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of Python, of Lux, and of the installed packages."""
    import lux

    return {"python": platform.python_version(), "lux": lux.__version__, **installed(packages)}


def installed(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of the installed packages."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """Return ``LUX_COMMIT``, else the checked-out commit, with ``-dirty`` if tracked files were changed, or None."""
    given, git = os.environ.get("LUX_COMMIT"), shutil.which("git")
    if given or git is None:
        return given
    command = [git, "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12", "--match="]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def clean_commit() -> str:
    """Return the commit that is measured.

    Raises
    ------
    SystemExit
        The commit is not known, or tracked files were changed: the measured code would not be published.
    """
    found = commit()
    if found is None or found.endswith("-dirty"):
        why = "tracked files were changed" if found else "there is no repository here"
        sys.exit(f"results name a commit, and {why}: commit first, or name the commit in LUX_COMMIT")
    return found
