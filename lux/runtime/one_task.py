# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Launches in one process: one task with whole stores, in which a team of threads does the work of all points.

All points would see the same instances. Legate keeps the partition of every store by rectangles that differ from
earlier ones, and Legion every sum of several points (in 26.1: 28 KiB, and the sum's bytes for each point). One task
makes neither.
"""

from __future__ import annotations

import functools
import queue
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.runtime import mapper_library
from lux.runtime.start import gpus
from lux.runtime.stores import HostCopy, Rectangles, Total, length_of
from lux.runtime.task_context import context, register, unregister
from lux.runtime.team import run_team, team_size

Cuts = list[tuple[int, int]]
COPIED = 1 << 18
"""Largest result in bytes that is copied for the driver: the copy takes a tenth of a launch at most."""
FOLDS = {"ADD": np.add, "MUL": np.multiply, "MIN": np.minimum, "MAX": np.maximum}
FOLDS |= {"OR": np.bitwise_or, "AND": np.bitwise_and, "XOR": np.bitwise_xor}


def identity(operation: str, dtype: np.dtype[Any]) -> Any:
    """Return the identity of a reduction: the value that leaves any other unchanged.

    >>> identity("MIN", np.dtype(np.float32)), identity("MAX", np.dtype(np.int8)), identity("AND", np.dtype(np.uint8))
    (inf, -128, 255)
    """
    if operation in ("ADD", "OR", "XOR"):
        return dtype.type(0).item()
    if operation == "MUL":
        return dtype.type(1).item()
    if operation == "AND":
        return (~dtype.type(0)).item()
    if dtype.kind == "f":
        return np.inf if operation == "MIN" else -np.inf
    limits = np.iinfo(dtype)
    return limits.max if operation == "MIN" else limits.min


def _fold(operation: str, into: NDArray[Any], values: NDArray[Any]) -> None:
    """Combine values into an array by a reduction.

    A sum of floats may be infinite or NaN; in a task a warning that is an error would be fatal.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        FOLDS[operation](into, values, out=into)


@dataclass
class _Work:
    """Work of a launch's task.

    Attributes
    ----------
    points : int
    cuts : list of (list of (int, int) or None)
        Each array's elements that a point sees (None: all).
    spare : dict of int to int
        Elements to leave out at the ends of arrays (`lux.runtime.stores.Store.spare`), by their numbers.
    scalars : list
    counts : dict of int to queue.SimpleQueue
        Queues of counts (`lux.runtime.stores.Total`), by the numbers of the arrays that points add them into.
    copies : dict of int to HostCopy
        Copies for the driver, by the numbers of the arrays.
    """

    points: int
    cuts: list[Cuts | None]
    spare: dict[int, int]
    scalars: list[Any]
    counts: dict[int, queue.SimpleQueue[int]]
    copies: dict[int, HostCopy]


@dataclass
class _Folded:
    """Values that a thread's points have reduced: one array, or each point's own part."""

    whole: dict[int, NDArray[Any]] = field(default_factory=dict)
    parts: list[tuple[int, int, int, NDArray[Any]]] = field(default_factory=list)


class OneTask:
    """The task of a launcher's body; parameters as of `lux.runtime.launcher.Launcher`.

    Parameters
    ----------
    stores : mapping of name to str
        Use of each store: "reads", "updates", "writes", or the operation by which values are reduced into it.
    split_of : mapping of name to str or None
    grouped : mapping of name to name
    scalars : sequence of str
    results : collection of str
    """

    def __init__(
        self,
        body: Callable[..., None],
        stores: Mapping[str, str],
        split_of: Mapping[str, str | None],
        grouped: Mapping[str, str],
        scalars: Sequence[str],
        results: Collection[str] = (),
    ) -> None:
        self._body, self._stores, self._split_of = body, dict(stores), split_of
        self._grouped, self._scalars = grouped, scalars
        self._results = {} if gpus() else {k: name for k, name in enumerate(self._stores) if name in results}
        self._tasks: dict[tuple[str, ...], Any] = {}
        self._folds = {k: used for k, used in enumerate(self._stores.values()) if used in FOLDS}

    def can(self, points: int, arguments: Mapping[str, Any]) -> bool:
        """Tell whether the task can do the work of so many points.

        A task that writes a whole store must write all of it, and one that shares a store with GPUs must not take more
        from them than its points would.
        """
        for name, used in self._stores.items():
            split = self._split_of[name]
            if split is None:
                continue
            for each in (split, self._grouped.get(split)):
                if each is not None and not isinstance(arguments[each], Rectangles):
                    return False
            rectangles = arguments[split]
            if len(arguments[self._grouped.get(split, split)].cuts) != points:
                return False
            if (used != "reads" or gpus()) and rectangles.end < length_of(arguments[name]):
                return False
        return True

    def issue(self, points: int, arguments: Mapping[str, Any]) -> None:
        """Hand the launch to Legate."""
        cuts = [self._cuts(split, arguments) for split in map(self._split_of.__getitem__, self._stores)]
        counts = {k: arguments[n].counts for k, n in enumerate(self._stores) if isinstance(arguments[n], Total)}
        names = tuple(n for k, n in enumerate(self._stores) if k not in counts)
        if names not in self._tasks:
            self._tasks[names] = self._task(names)
        spare = {k: s for k, n in enumerate(self._stores) if (s := arguments[n].spare)}
        copies = {k: HostCopy() for k, name in self._results.items() if arguments[name].nbytes <= COPIED}
        key = register(_Work(points, cuts, spare, [arguments[name] for name in self._scalars], counts, copies))
        given = [arguments[name].legate for name in self._in_order(names)]
        self._tasks[names](*given, key)
        for k, name in enumerate(self._stores):
            if k in counts:
                arguments[name].launched += 1
            if k in copies:
                arguments[name].host_copy = copies[k]

    def _in_order(self, names: Sequence[str]) -> list[str]:
        """Order the task's arguments: stores it reads, updated stores as they were, stores it writes or updates."""
        read = [name for name in names if self._stores[name] == "reads"]
        changed = [name for name in names if self._stores[name] not in ("reads", "writes")]
        return [*read, *changed, *(name for name in names if name not in read)]

    def _cuts(self, split: str | None, arguments: Mapping[str, Any]) -> Cuts | None:
        if split is None:
            return None
        cuts: Cuts = arguments[split].cuts
        if split not in self._grouped:
            return cuts
        spans = []
        for lo, hi in arguments[self._grouped[split]].cuts:
            some = [(first, end) for first, end in cuts[lo:hi] if end > first]
            spans.append((min(first for first, _ in some), max(end for _, end in some)) if some else (0, 0))
        return spans

    def _task(self, names: Sequence[str]) -> Any:
        """Return the task that is given the stores of these names."""
        from legate.core import VariantCode, broadcast
        from legate.core.task import InputStore, OutputStore, PyTask

        # Legate reads a task's parameter names and annotations, so each body needs a signature of its own.
        kinds: dict[str, Any] = {}
        view: dict[str, str] = {}
        before: dict[str, str] = {}
        for k, name in enumerate(self._in_order(names)):
            changes = self._stores[name] not in ("reads", "writes") and name not in before
            (before if changes else view)[name] = f"view(p{k})"
            kinds[f"p{k}"] = InputStore if changes or self._stores[name] == "reads" else OutputStore
        views = [f"({view[name]}, {before.get(name)})" for name in names]
        text = f"def task({', '.join([*kinds, 'key'])}):\n    run(key, [{', '.join(views)}])\n"
        space: dict[str, Any] = {"run": self._run, "view": np.asarray}
        exec(text, space)  # noqa: S102  # made of our names
        function = space["task"]
        function.__annotations__ = {**kinds, "key": int, "return": None}
        function.__name__ = function.__qualname__ = self._body.__name__
        return PyTask(
            func=function,
            variants=(VariantCode.CPU,),
            constraints=tuple(c for name in kinds for c in broadcast(name)),
            library=mapper_library.library(),
        )

    def _run(self, key: int, views: Sequence[tuple[NDArray[Any], NDArray[Any] | None]]) -> None:
        """Run the body for all points, in the task."""
        work: _Work = context(key)
        unregister(key)
        given = iter(views)
        arrays = [np.zeros(1, np.int64) if k in work.counts else next(given)[0] for k in range(len(work.cuts))]
        for array, before in views:
            if before is not None and array.ctypes.data != before.ctypes.data:  # one element that is in no instance
                array[:] = before
        for k, spare in work.spare.items():
            arrays[k] = arrays[k][:-spare]
        threads = min(work.points, team_size())
        folded = [_Folded() for _ in range(threads)]
        points = [range(k * work.points // threads, (k + 1) * work.points // threads) for k in range(threads)]
        run_team(
            [functools.partial(self._run_points, work, arrays, *each) for each in zip(points, folded, strict=True)]
        )
        for each in folded:
            for k, values in each.whole.items():
                _fold(self._folds[k], arrays[k], values)
            for k, lo, hi, values in each.parts:
                _fold(self._folds[k], arrays[k][lo:hi], values)
        for k, counts in work.counts.items():
            counts.put(int(arrays[k][0]))
        for k, copy in work.copies.items():
            copy.put(arrays[k].copy())

    def _run_points(self, work: _Work, arrays: list[NDArray[Any]], points: range, folded: _Folded) -> None:
        for point in points:
            given = []
            for array, cuts in zip(arrays, work.cuts, strict=True):
                lo, hi = (0, len(array)) if cuts is None else cuts[point]
                given.append(array[lo:hi])
            for k, operation in self._folds.items():
                given[k] = np.full(len(given[k]), identity(operation, given[k].dtype), given[k].dtype)
            self._body(point, *given, *work.scalars)
            for k, operation in self._folds.items():
                cuts = work.cuts[k]
                if cuts is not None:
                    folded.parts.append((k, *cuts[point], given[k]))
                elif k in folded.whole:
                    _fold(operation, folded.whole[k], given[k])
                else:
                    folded.whole[k] = given[k]
