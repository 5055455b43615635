# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Bandwidths between the memories of this machine's GPUs: measured once, and kept beside machine code."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import lux
from legate_config import Machine
from lux import runtime
from lux.codegen.compile import cache_folder
from lux.engine.gpu.placement import bandwidth_probe
from lux.errors import FileError
from lux.io.files.atomic import write_text

VERSION = 2
"""Version of the measurement."""


@dataclass(frozen=True)
class Rates:
    """Times of values that cross between memories, of the slowest GPU while all do the same at once.

    Attributes
    ----------
    peer : float or None
        Seconds a byte that a kernel gathers from the others' memory; None if it cannot.
    zero_copy : float
        Seconds a byte that a kernel gathers from zero-copy memory.
    device : float
        Seconds a byte that Legion copies to a GPU from the others, launches included.
    between : float
        Seconds a byte that Legion copies between the zero-copy memories of processes; 0 with one process.
    launch, device_launch : float
        Seconds of an iteration's launch, with values in zero-copy memory and in the GPUs' own.
    """

    peer: float | None
    zero_copy: float
    device: float
    between: float
    launch: float
    device_launch: float

    def gigabytes(self, placement: str) -> float | None:
        """Return gigabytes a second that reach a GPU; None if copies were too fast to measure."""
        rate = {"peer": self.peer, "device": self.device, "zero-copy": self.zero_copy}[placement]
        return 1e-9 / rate if rate else None


known: dict[tuple[int, int], Rates] = {}
"""Rates by the numbers of GPUs and of processes."""


def rates(has_room: Callable[[], bool]) -> Rates | None:
    """Return the rates of the GPUs that Legate was given; alike on every process, which must all ask.

    Parameters
    ----------
    has_room : callable
        Tells whether there is memory to measure in (`lux.engine.gpu.placement.bandwidth_probe.room`); called if no
        rates are kept. Without room the result is None.
    """
    key = runtime.gpus(), runtime.ranks()
    if key not in known:
        described = of()
        path = path_of(described)
        found = agreed(load(path, described) if runtime.rank() == 0 else None)
        if found is None:
            if not has_room():
                return None
            found = measured()
            if runtime.rank() == 0:
                keep(path, described, found)
        known[key] = found
    return known[key]


def of() -> dict[str, Any]:
    """Describe the machine that the rates belong to."""
    from importlib import metadata

    names = [gpu.name for gpu in Machine.detect().gpus]
    where = {"names": names, "gpus": runtime.gpus(), "processes": runtime.ranks(), "peers": bandwidth_probe.peers()}
    return where | {"version": VERSION, "lux": lux.__version__, "legate": metadata.version("legate")}


def path_of(described: dict[str, Any]) -> Path:
    """Return the file of the rates of a machine."""
    key = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:24]
    return cache_folder() / f"rates_{key}.json"


def load(path: Path, described: dict[str, Any]) -> Rates | None:
    """Load rates from a file; None if there is no such file, or its content is something else."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        right, kept = found["of"] == described, Rates(**found["rates"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
    numbers = [x for name, x in asdict(kept).items() if (name, x) != ("peer", None)]
    right = right and all(isinstance(x, float | int) and math.isfinite(x) and x >= 0 for x in numbers)
    return kept if right else None


def keep(path: Path, described: dict[str, Any], found: Rates) -> None:
    """Write a file whole; do nothing if that is impossible, or another process is writing it."""
    with suppress(FileError):
        write_text(path, json.dumps({"of": described, "rates": asdict(found)}, indent=1) + "\n")


def agreed(found: Rates | None) -> Rates | None:
    """Agree on the rates that one process has found; of several, the slowest."""
    numbers = np.zeros(len(Rates.__dataclass_fields__))
    if found is not None:
        numbers[:] = [x or 0.0 for x in asdict(found).values()]
    peer, *others = runtime.allreduce_max(numbers).tolist()
    return Rates(peer or None, *others) if any(others) else None


def measured() -> Rates:
    """Measure the rates."""
    device_launch, device = bandwidth_probe.copied(bandwidth_probe.VALUES, runtime.gpus(), zero_copy=False)
    launch, between = bandwidth_probe.copied(bandwidth_probe.SHARED_VALUES, runtime.ranks(), zero_copy=True)
    peer, zero_copy = bandwidth_probe.gathered()
    found = agreed(Rates(peer, zero_copy, device, between, launch, device_launch))
    assert found is not None
    return found
