# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of an installation, divided among the processes that compile (`lux.app.precompile`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lux.app.installation.calls import Call


def claimed(claims: Path, calls: Iterable[tuple[str, Call]]) -> Iterator[tuple[str, Call]]:
    """Yield the calls that this process claims, with their names, until all are claimed.

    Calls of a kind share functions, which each process compiles for itself. A process therefore stays with the kind of
    its last call, then begins a kind that no process has begun, and helps the others at the end.

    Parameters
    ----------
    claims : Path
        Folder of the processes: the first to make a file there with a call's name has claimed that call.
    calls : iterable of (str, callable)
        All calls by name, of which the first word is the kind; those that take longest first.
    """
    waiting, kind = dict(calls), ""
    while waiting:
        begun = {_kind(path.name) for path in claims.iterdir()}
        name = min(waiting, key=lambda name: (_kind(name) != kind, _kind(name) in begun))
        call = waiting.pop(name)
        try:
            (claims / name).touch(exist_ok=False)
        except FileExistsError:
            continue
        kind = _kind(name)
        yield name, call


def _kind(name: str) -> str:
    return name.partition(" ")[0]
