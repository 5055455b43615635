# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Settings of processors and placement for all calls inside a ``with`` block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

import legate_config
from lux.errors import ParameterError

ALLOWED = {
    "device": ("auto", "cpu", "gpu", "gpu+cpu"),
    "placement": ("auto", "peer", "device", "zero-copy"),
    "loading": ("kernel", "cores", "auto"),
    "repartition": ("off", "local", "global"),
    "exchange": ("selective", "broadcast"),
}
_ON_GPUS = {"placement": "auto", "loading": "kernel"}
"""Settings without meaning on CPU cores, and their defaults."""


@dataclass(frozen=True)
class Settings:
    """Settings that `using` changes.

    Attributes
    ----------
    device : {"auto", "cpu", "gpu", "gpu+cpu"}
        CPU cores or GPUs; ``auto`` takes GPUs where Legate was given any, the program has a kernel for them and the
        graph fits their memory. ``gpu+cpu``: vertex programs take both in each iteration, in one process; the first
        partitions are on GPUs, one on each, and the rest on CPU cores.
    cpu_share : None or float
        With ``gpu+cpu``: the part of the edges, from 0 to 1, that CPU cores take, for the whole run. By default, the
        larger of the part that does not fit the GPUs and the part that cores are estimated to finish in the GPUs' time;
        ``repartition`` then adapts it by measured seconds.
    placement : {"auto", "peer", "device", "zero-copy"}
        Memory in which vertex programs on GPUs keep the values that neighbours read. ``peer``: each GPU keeps its own
        vertices' values, and gathers the values that its edges need from the others' memory. ``device``: each GPU keeps
        all values, which Legion copies; between processes each GPU keeps its own, and sends the values that the others'
        edges need through NCCL. ``zero-copy``: the host's memory keeps all values of a process's GPUs, and
        each GPU gathers the values that its edges need. ``auto`` takes the possible and fitting placement with the
        least predicted exchange, by rates that are measured once on a machine
        (`lux.engine.gpu.placement.placement_selection`).
    loading : {"kernel", "cores", "auto"}
        Processor that gathers the values for a GPU's edges, with ``zero-copy`` placement: the GPU's kernel, or CPU
        cores, whose result is copied. ``auto`` measures both when a run begins and takes the faster; programs with a
        frontier take the kernel, which gathers active values only.
    repartition : {"off", "local", "global"}
        Dynamic repartitioning: programs on several partitions move split points while they run, if the partitions'
        measured seconds show that it pays: never, between the processors of a node, or between nodes too. Results do
        not change.
    exchange : {"selective", "broadcast"}
        What a process tells of its vertices to each other process, between CPU cores: those that the other reads
        (UDS, equation 9 of the Lux paper; with duplicate-1-hop, section III-C of Pan et al., "Multi-GPU graph
        analytics", 2017), or all (with duplicate-all), of which programs with a frontier tell those that changed.
        ``broadcast`` takes CPU cores: GPUs have placements for it. `bfs` by a published strategy has messages of its
        own. Results do not change.
    config : None, "auto", path or perfmodel.Configuration
        The ``config`` of `pagerank`, `components`, `bfs`, `sssp` and `factorize` if they are given none; see
        `lux.autotune.tuning`. `betweenness` and `lux.run` ignore it.
    checkpoint : None, str or path
        Folder in which runs keep checkpoints, one file for each run. A call that finds a checkpoint of the same run in
        it goes on from there: with the same graph, program and parameters, and any number of partitions, processes and
        devices. All processes need the folder. The files are removed when the ``with`` block ends without an exception,
        and stay if it is killed. Vertex programs, `pagerank`, `betweenness` and `factorize` keep checkpoints; of other
        algorithms only ``strategy="program"`` does. `factorize` keeps none on GPUs.
    every : float
        Seconds between two checkpoints of a run, at least. Where saving takes long they are farther apart, so that it
        takes 3 % of the time at most. 0 saves as often as possible.
    """

    device: str = "auto"
    cpu_share: float | None = None
    placement: str = "auto"
    loading: str = "kernel"
    repartition: str = "global"
    exchange: str = "selective"
    config: Any = None
    checkpoint: str | PathLike[str] | None = None
    every: float = 60.0


_current: ContextVar[Settings] = ContextVar("lux_settings", default=Settings())  # noqa: B039  # the object is frozen


_checkpoint_files: ContextVar[set[Path] | None] = ContextVar("lux_checkpoint_files", default=None)


def checkpoint_files() -> set[Path]:
    """Return the files of runs that keep checkpoints inside the innermost ``with using(checkpoint=...)`` block."""
    found = _checkpoint_files.get()
    return set() if found is None else found


def asked_of_gpus(given: Mapping[str, Any]) -> str:
    """Return the settings that concern GPUs alone, for messages; empty if there are none.

    >>> asked_of_gpus({"placement": "peer", "loading": "kernel"})
    "placement='peer'"
    """
    asked = {name: given.get(name, default) for name, default in _ON_GPUS.items()}
    return " and ".join(f"{name}={value!r}" for name, value in asked.items() if value != _ON_GPUS[name])


def current() -> Settings:
    """Return the settings in effect."""
    return _current.get()


def place(**changes: Any) -> None:
    """Set the processors of programs, until the innermost ``with using(...)`` block ends."""
    _current.set(replace(_current.get(), **changes))


@contextmanager
def using(**changes: Any) -> Iterator[Settings]:
    """Change settings for the calls inside a ``with`` block.

    Parameters
    ----------
    device : {"auto", "cpu", "gpu", "gpu+cpu"}
    cpu_share : None or float
    placement : {"auto", "peer", "device", "zero-copy"}
    loading : {"kernel", "cores", "auto"}
    repartition : {"off", "local", "global"}
    exchange : {"selective", "broadcast"}
        See `Settings`.
    config : None, "auto", path or perfmodel.Configuration
    checkpoint : None, str or path
    every : float
        Likewise.

    Raises
    ------
    ParameterError
        The setting is unknown, or cannot have this value, or ``device="cpu"`` was passed with ``placement`` or
        ``loading``, or GPUs are asked for with ``exchange="broadcast"``. (Where Legate was given no GPU, a call with
        settings for GPUs gives a `lux.errors.LuxWarning`.)

    Examples
    --------
    >>> import lux
    >>> with lux.using(device="cpu"):
    ...     lux.bfs(lux.toy.path(3), source=0).distances.to_numpy()
    array([0, 1, 2], dtype=int32)
    """
    names = [f.name for f in fields(Settings)]
    for name, value in changes.items():
        if name not in names:
            raise ParameterError(f"using({name}=...): there is no such setting; allowed are {', '.join(names)}")
        if name in ALLOWED and value not in ALLOWED[name]:
            raise ParameterError(f"{name}={value!r} was passed; allowed are {', '.join(ALLOWED[name])}")
    if changes.get("device") == "cpu" and (asked := asked_of_gpus(changes)):
        raise ParameterError(f"device='cpu' was passed with {asked}, which is for GPUs: leave one out")
    share = changes.get("cpu_share")
    number = isinstance(share, int | float | np.number) and not isinstance(share, bool)
    if share is not None and not (number and 0 <= share <= 1):
        raise ParameterError(f"cpu_share={share!r} was passed; allowed are None and numbers from 0 to 1")
    _check_checkpoint(changes)
    token = _current.set(_on_cores_to_broadcast(replace(_current.get(), **changes)))
    files: set[Path] = set()
    outer = _checkpoint_files.set(files) if "checkpoint" in changes else None
    try:
        yield _current.get()
    finally:
        _current.reset(token)
        if outer is not None:
            _checkpoint_files.reset(outer)
    if files and legate_config.rank_info().rank == 0:
        for path in files:
            path.unlink(missing_ok=True)


def _on_cores_to_broadcast(wanted: Settings) -> Settings:
    """Take CPU cores where processes broadcast, and refuse GPUs."""
    if wanted.exchange == "selective" or wanted.device == "cpu":
        return wanted
    if wanted.device != "auto":
        raise ParameterError(
            f"exchange='broadcast' was passed with device={wanted.device!r}, but it is for CPU cores: leave one out; "
            f"placement='device' has all values on each GPU of a process"
        )
    return replace(wanted, device="cpu")


def _check_checkpoint(changes: Mapping[str, Any]) -> None:
    """Refuse a folder of checkpoints that is no path, and a wrong number of seconds between them."""
    folder, every = changes.get("checkpoint"), changes.get("every", 1.0)
    if not (folder is None or (isinstance(folder, str | PathLike) and str(folder))):
        raise ParameterError(f"checkpoint={folder!r} was passed; allowed are None and the name of a folder")
    number = isinstance(every, int | float | np.number) and not isinstance(every, bool)
    if not (number and 0 <= every < float("inf")):
        raise ParameterError(f"every={every!r} was passed; allowed are seconds, numbers from 0")
