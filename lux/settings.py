# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Where programs run: settings for all calls inside a ``with`` block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any

from lux.errors import ParameterError

ALLOWED = {
    "device": ("auto", "cpu", "gpu"),
    "placement": ("auto", "peer", "device", "zero-copy"),
    "repartition": ("off", "local", "global"),
}


@dataclass(frozen=True)
class Settings:
    """What `using` sets.

    Attributes
    ----------
    device : {"auto", "cpu", "gpu"}
        CPU cores or GPUs; ``auto`` takes GPUs where Legate was given any, the program has a kernel for them and the
        graph fits their memory.
    placement : {"auto", "peer", "device", "zero-copy"}
        Where vertex programs on GPUs keep what neighbours read. ``peer``: each GPU its own vertices, and gathers what
        its edges need from the others' memory. ``device``: each GPU all vertices, and Legion copies. ``zero-copy``:
        all GPUs of a process once, in memory of the host, from which each gathers what its edges need. ``auto`` takes
        the first of them that is possible and fits.
    repartition : {"off", "local", "global"}
        Whether programs on several partitions move split points while they run, where the measured seconds of the
        partitions say that this pays: never, between the processors of a node, or between nodes too. Answers stay the
        same.
    config : None, "auto", path or perfmodel.Configuration
        The ``config`` of `pagerank`, `components`, `bfs` and `sssp` where they are given none; see `lux.tuning`. There
        is no model of the time of `betweenness`, `factorize` and `lux.run`, which take no notice of it.
    """

    device: str = "auto"
    placement: str = "auto"
    repartition: str = "global"
    config: Any = None


_current: ContextVar[Settings] = ContextVar("lux_settings", default=Settings())  # noqa: B039  # it is frozen


def current() -> Settings:
    """The settings that hold now."""
    return _current.get()


def place(placement: str) -> None:
    """Set the placement until the innermost ``with using(...)`` block ends."""
    _current.set(replace(_current.get(), placement=placement))


@contextmanager
def using(**changes: Any) -> Iterator[Settings]:
    """Change settings for the calls inside a ``with`` block.

    Parameters
    ----------
    device : {"auto", "cpu", "gpu"}
    placement : {"auto", "peer", "device", "zero-copy"}
    repartition : {"off", "local", "global"}
        See `Settings`.
    config : None, "auto", path or perfmodel.Configuration
        Likewise.

    Raises
    ------
    ParameterError
        There is no such setting, or it cannot have this value.

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
    token = _current.set(replace(_current.get(), **changes))
    try:
        yield _current.get()
    finally:
        _current.reset(token)
