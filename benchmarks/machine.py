# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the times depend on: processor, GPUs, versions, commit."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import time
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import lux
from legate_config import Machine
from lux import runtime


def circumstances(packages: Iterable[str], threads: int | None = None) -> dict[str, Any]:
    """What each benchmark writes beside its figures; threads are those of Legate unless given."""
    return {
        "machine": machine(runtime.processors() if threads is None else threads),
        "versions": versions(packages),
        "commit": commit(),
    }


def since(began: float) -> dict[str, Any]:
    """When a benchmark began, by `time.time`, and how long it has taken."""
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
        "seconds": time.time() - began,
    }


def gpus() -> list[dict[str, Any]]:
    """The node's GPUs."""
    return [{"name": gpu.name, "memory_bytes": gpu.memory_bytes} for gpu in Machine.detect().gpus]


def machine(threads: int) -> dict[str, Any]:
    """Processor, cores, memory in bytes, and the threads in use."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "cores_allowed": len(os.sched_getaffinity(0)),
        "threads": threads,
        "processes": runtime.ranks(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _cpu_model() -> str:
    with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        return next(names, platform.processor())


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python, of Lux, and of the packages that are installed."""
    found = {"python": platform.python_version(), "lux": lux.__version__}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """The checked-out commit, with ``-dirty`` where tracked files were changed; else ``LUX_COMMIT``, or None."""
    given, git = os.environ.get("LUX_COMMIT"), shutil.which("git")
    if git is None:
        return given
    command = [git, "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12", "--match="]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or given
