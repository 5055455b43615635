# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Settings of processors and placement for all calls inside a ``with`` block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from lux.errors import ParameterError

ALLOWED = {
    "device": ("auto", "cpu", "gpu", "gpu+cpu"),
    "placement": ("auto", "peer", "device", "zero-copy"),
    "loading": ("kernel", "cores", "auto"),
    "repartition": ("off", "local", "global"),
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
    config : None, "auto", path or perfmodel.Configuration
        The ``config`` of `pagerank`, `components`, `bfs`, `sssp` and `factorize` if they are given none; see
        `lux.autotune.tuning`. `betweenness` and `lux.run` ignore it.
    """

    device: str = "auto"
    cpu_share: float | None = None
    placement: str = "auto"
    loading: str = "kernel"
    repartition: str = "global"
    config: Any = None


_current: ContextVar[Settings] = ContextVar("lux_settings", default=Settings())  # noqa: B039  # the object is frozen


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
        See `Settings`.
    config : None, "auto", path or perfmodel.Configuration
        Likewise.

    Raises
    ------
    ParameterError
        The setting is unknown, or cannot have this value, or ``device="cpu"`` was passed with ``placement`` or
        ``loading``. (Where Legate was given no GPU, a call that these hold for gives a `lux.errors.LuxWarning`.)

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
    token = _current.set(replace(_current.get(), **changes))
    try:
        yield _current.get()
    finally:
        _current.reset(token)
