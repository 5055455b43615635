# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Text of ``LEGATE_CONFIG``: reading it, completing it, and checking it against the machine.

The user's flags are never changed; flags are only appended.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from legate_config.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from legate_config.machine import Machine

MIB = 1 << 20
SYSMEM_SHARE = 0.6
"""Share of the available memory. Legate reserves address space only: pages are taken as they are written."""
FBMEM_SHARE = 0.8
"""Share of a GPU's free memory. The rest holds the CUDA context, kernels, and task scratch space."""
ZCMEM_SHARE, ZCMEM_MAX = 1 / 8, 1 << 30
"""Zero-copy memory is pinned at start, so it is taken at once; each GiB costs half a second of start-up time."""
SMALL_MACHINE = 8
"""With at least this many cores, one is left to Legate's own threads and one to each GPU's."""
BESIDE_GPUS = 2
"""Cores of such a machine that are also left where there are GPUs: to Legate's background threads, which start the work
of GPUs and copy, and to the program's. Calls that take a millisecond took up to 0.4 ms longer without them."""
QUIET = "gpu=6,threads=6"
"""Silences "no GPU" and "cannot reserve a core" warnings (6: nothing is printed)."""

_COUNTS = ("--cpus", "--gpus", "--omps", "--ompthreads", "--utility")
_MEBIBYTES = ("--sysmem", "--numamem", "--fbmem", "--zcmem", "--regmem")


@dataclass(frozen=True)
class Settings:
    """Settings that Legate starts with, per process.

    Attributes
    ----------
    cpus, gpus
        Processors of either kind.
    sysmem_bytes, zcmem_bytes
        Memory of the host that Legate may fill, and zero-copy memory that the process's GPUs share.
    fbmem_bytes
        Memory of one GPU that Legate takes.
    utility
        Threads for Legate's own work.
    """

    cpus: int
    gpus: int
    sysmem_bytes: int
    fbmem_bytes: int
    zcmem_bytes: int
    utility: int = 1


def parse(text: str) -> dict[str, str]:
    """Split flags into ``{"--cpus": "2", "--profile": ""}``; of a repeated flag the last wins.

    Raises
    ------
    ConfigError
        A count or a size is not a non-negative whole number, or quotes do not match.
    """
    flags: dict[str, str] = {}
    last = None
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"LEGATE_CONFIG={text!r} cannot be split into flags ({error}): close every quote") from None
    for word in words:
        if word.startswith("--"):
            last, _, value = word.partition("=")
            flags[last] = value
        elif last is not None:
            flags[last] = f"{flags[last]} {word}".strip()
    for name in (*_COUNTS, *_MEBIBYTES):
        if name in flags and not flags[name].isdigit():
            unit = "MiB" if name in _MEBIBYTES else "processors"
            raise ConfigError(
                f"{name} {flags[name] or '(nothing)'}: a whole number of {unit} is needed, such as {name} 2"
            )
    return flags


def complete(text: str, machine: Machine, local_ranks: int, environ: Mapping[str, str]) -> str:
    """Append the missing flags to ``text``.

    Parameters
    ----------
    text
        Flags of the user or the launcher; may be empty.
    machine
        Resources of this process: its own cores, and the memory and the visible GPUs of the machine.
    local_ranks
        Processes that share the machine's memory.
    environ
        Environment; a variable that sets the same thing as a flag (``LEGATE_MIN_CPU_CHUNK``) keeps that flag out.

    Returns
    -------
    str
    """
    given = parse(text)
    gpus = int(given.get("--gpus", len(machine.gpus)))
    busy = (1 + gpus + BESIDE_GPUS * (gpus > 0)) * (machine.cores >= SMALL_MACHINE)
    host = machine.available_bytes // local_ranks
    device = min((gpu.free_bytes for gpu in machine.gpus[:gpus]), default=0)
    defaults = {
        "--cpus": max(1, machine.cores - busy),
        "--gpus": gpus,
        "--omps": 0,
        "--utility": 1,
        "--sysmem": int(host * SYSMEM_SHARE) // MIB,
        "--zcmem": min(int(host * ZCMEM_SHARE), ZCMEM_MAX) // MIB if gpus else 0,
        "--fbmem": int(device * FBMEM_SHARE) // MIB,
        "--min-cpu-chunk": 1,
        "--min-gpu-chunk": 1,
        "--logging": QUIET,
    }
    if not gpus:
        del defaults["--fbmem"]
    missing = {
        name: value
        for name, value in defaults.items()
        if name not in given and "LEGATE_" + name[2:].upper().replace("-", "_") not in environ
    }
    return " ".join([text.strip(), *(f"{name} {value}" for name, value in missing.items())]).strip()


def read(text: str) -> Settings:
    """Read a complete configuration; missing flags count as zero."""
    given = parse(text)
    cpus, gpus, sysmem, fbmem, zcmem = (
        int(given.get(name, 0)) for name in ("--cpus", "--gpus", "--sysmem", "--fbmem", "--zcmem")
    )
    return Settings(cpus, gpus, sysmem * MIB, fbmem * MIB, zcmem * MIB, int(given.get("--utility", 1)))


def check(asked: Settings, machine: Machine, local_ranks: int = 1) -> None:
    """Refuse a configuration that exceeds this machine.

    Raises
    ------
    ConfigError
    """
    if asked.cpus == 0:
        raise ConfigError(
            "--cpus 0: at least 1 is needed, also with GPUs (loading runs on CPU cores):"
            f" pass --cpus 1 to --cpus {machine.cores}"
        )
    if asked.utility == 0:
        raise ConfigError("--utility 0: Legate needs at least 1 thread of its own: pass --utility 1, or leave it out")
    if asked.gpus > len(machine.gpus):
        raise ConfigError(
            f"--gpus {asked.gpus}: this process sees {len(machine.gpus)} GPUs: pass --gpus {len(machine.gpus)}"
            " or less, and look at CUDA_VISIBLE_DEVICES and nvidia-smi"
        )
    allowed = machine.memory_bytes // local_ranks
    if asked.sysmem_bytes + asked.zcmem_bytes > allowed:
        raise ConfigError(
            f"--sysmem {asked.sysmem_bytes // MIB} and --zcmem {asked.zcmem_bytes // MIB} (MiB):"
            f" together they may be {allowed // MIB} for each of {local_ranks} process(es) here:"
            f" pass --sysmem {int(allowed * SYSMEM_SHARE) // MIB}, or leave both out"
        )
    device = min((gpu.memory_bytes for gpu in machine.gpus[: asked.gpus]), default=0)
    if asked.gpus and asked.fbmem_bytes > device:
        raise ConfigError(
            f"--fbmem {asked.fbmem_bytes // MIB} (MiB): a GPU here has {device // MIB}:"
            f" pass --fbmem {int(device * FBMEM_SHARE) // MIB}, or leave it out"
        )
