# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Where programs run: settings for all calls inside a ``with`` block."""

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
"""Settings that have no meaning on CPU cores, and what they are by default."""


@dataclass(frozen=True)
class Settings:
    """What `using` sets.

    Attributes
    ----------
    device : {"auto", "cpu", "gpu", "gpu+cpu"}
        CPU cores or GPUs; ``auto`` takes GPUs where Legate was given any, the program has a kernel for them and the
        graph fits their memory. ``gpu+cpu``: vertex programs take both in each iteration, in one process; the first
        partitions are on GPUs, one on each, and the rest on CPU cores.
    cpu_share : None or float
        With ``gpu+cpu``: the part of the edges, from 0 to 1, that CPU cores take, for the whole run. By default it is
        what GPUs have no room for, or what cores are estimated to do while GPUs do the rest, if that is more; and then
        what ``repartition`` makes of it by measured seconds.
    placement : {"auto", "peer", "device", "zero-copy"}
        Where vertex programs on GPUs keep what neighbours read. ``peer``: each GPU its own vertices, and gathers what
        its edges need from the others' memory. ``device``: each GPU all vertices, and Legion copies; between processes
        each GPU its own, and Legion copies messages with what the others' edges need. ``zero-copy``: all GPUs of a
        process once, in memory of the host, from which each gathers what its edges need. Of those that are possible
        and fit, ``auto`` takes the one whose exchange is predicted to take least, by rates that are measured once on a
        machine (`lux.engine.gpu.placement.placement_selection`).
    loading : {"kernel", "cores", "auto"}
        Who gathers, with ``zero-copy`` placement, what the edges on a GPU need: its own kernel, or CPU cores, from
        which it is copied. ``auto`` measures both when a run begins and takes the faster; programs with a frontier,
        of which kernels gather what is active only, take the kernel.
    repartition : {"off", "local", "global"}
        Whether programs on several partitions move split points while they run, where the measured seconds of the
        partitions say that this pays: never, between the processors of a node, or between nodes too. Answers stay the
        same.
    config : None, "auto", path or perfmodel.Configuration
        The ``config`` of `pagerank`, `components`, `bfs`, `sssp` and `factorize` where they are given none; see
        `lux.autotune.tuning`. There is no model of the time of `betweenness` and `lux.run`, which take no notice of it.
    """

    device: str = "auto"
    cpu_share: float | None = None
    placement: str = "auto"
    loading: str = "kernel"
    repartition: str = "global"
    config: Any = None


_current: ContextVar[Settings] = ContextVar("lux_settings", default=Settings())  # noqa: B039  # it is frozen


def asked_of_gpus(given: Mapping[str, Any]) -> str:
    """What settings ask of GPUs alone, for messages; empty if they ask nothing.

    >>> asked_of_gpus({"placement": "peer", "loading": "kernel"})
    "placement='peer'"
    """
    asked = {name: given.get(name, default) for name, default in _ON_GPUS.items()}
    return " and ".join(f"{name}={value!r}" for name, value in asked.items() if value != _ON_GPUS[name])


def current() -> Settings:
    """The settings that hold now."""
    return _current.get()


def place(**changes: Any) -> None:
    """Set where programs run, until the innermost ``with using(...)`` block ends."""
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
        There is no such setting, or it cannot have this value, or ``device="cpu"`` was passed with ``placement`` or
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
