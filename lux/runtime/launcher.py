# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Index launches: one Python body, run by as many point tasks as there are partitions, or in one task for all."""

from __future__ import annotations

import functools
import queue
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

import lux.errors
from lux.errors import ConfigurationError, LuxError
from lux.runtime import mapper_library
from lux.runtime.one_task import OneTask
from lux.runtime.start import driver, finish, gpus, launched, on_driver, processors, ranks
from lux.runtime.stores import Store, new_scalar, new_store, ranges, read_scalar, release_dropped
from lux.runtime.task_context import context, register, unregister

_MESSAGE_BYTES = 2048


def _points_scope(points: int, available: int) -> AbstractContextManager[Any]:
    from legate.core import ParallelPolicy, Scope

    return Scope(parallel_policy=ParallelPolicy(overdecompose_factor=-(-points // available)))


def _part(store: Any, split: Any) -> NDArray[Any]:
    """Return the part of a whole store that a split of one rectangle selects."""
    low, high = np.asarray(split).view(np.int64).ravel()[:2].tolist()
    return np.asarray(store)[low : high + 1]


def reduces_by(operation: str) -> str:
    """Describe the use of a store into which a launch reduces values.

    >>> reduces_by("OR")
    'reduces by OR into'
    """
    return f"reduces by {operation} into"


class LaunchKind(ABC):
    """One kind of index launch: a name, and how each argument is used and split.

    Attributes
    ----------
    internal : bool
        True for launches that make, copy, read or count, and belong to no algorithm: `lux.explain` only counts them.
    """

    internal = False

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, str | None],
        outputs: Mapping[str, str | None],
        updates: Mapping[str, str | None],
        sums: Mapping[str, str | None],
        reductions: Mapping[str, Mapping[str, str | None]] = MappingProxyType({}),
        *,
        gpu: bool = False,
    ) -> None:
        self._name = name
        self._gpu, self._available = gpu, gpus() if gpu else processors()
        self._kinds = {"reads": inputs, "writes": outputs, "updates": updates, "adds into": sums}
        self._kinds |= {reduces_by(operation): names for operation, names in reductions.items()}
        self._written = [name for kind, names in self._kinds.items() if kind != "reads" for name in names]
        self._shown = self._kinds

    def __call__(self, points: int, **arguments: Any) -> None:
        """Launch ``points`` points; ``arguments`` gives every store, every split and every scalar by name."""
        driver()
        release_dropped()
        if _recording is not None:
            _recording.append(self._launch(points, arguments))
        for name in self._written:
            arguments[name].written()
        if not self._gpu and gpus():
            for names in self._kinds.values():
                for name in names:
                    arguments[name].note_on_cores()
        try:
            if points <= self._available or self._is_one_task(points, arguments):  # a scope costs as much as a store
                self._issue(points, arguments)
                return
            with _points_scope(points, self._available):
                self._issue(points, arguments)
        finally:
            launched()  # not before: what is done for a launch may wait for those before it

    def _is_one_task(self, _points: int, _arguments: Mapping[str, Any]) -> bool:
        """Tell whether one task does the work of all points."""
        return False

    @abstractmethod
    def _issue(self, points: int, arguments: Mapping[str, Any]) -> None:
        """Hand the launch to Legate."""

    def _launch(self, points: int, arguments: Mapping[str, Any]) -> Launch:
        stores = [
            (kind, name, split, arguments[name].nbytes)
            for kind, names in self._shown.items()
            for name, split in names.items()
        ]
        return Launch(self._name, points, tuple(stores), self.internal)


class Launcher(LaunchKind):
    """One kind of index launch: a Python body and how each argument is split over the points.

    Parameters
    ----------
    body : callable ``body(point, *arrays, *scalars)``
        Runs once per point with NumPy views of its part of each store, in the order of the next parameters.
        It must not raise: an exception in a task ends the process.
    inputs, outputs, updates, sums : mapping of name to split
        Stores that are read, written, read and written, or added into. The split is None (every point sees the whole
        store) or the name of the `ranges` store with the part of each point.
    scalars : mapping of name to int or float
        The types of the scalar arguments.
    reductions : mapping of operation to mapping of name to split
        Stores into which values are folded by other operations than addition, each by its name in
        ``legate.core.ReductionOpKind``: ``{"OR": {"mask": None}}``. A point's view begins as the operation's identity
        (0 for OR), and is reduced into the values before. The body gets them after ``sums``.
    grouped : mapping of name to name
        For a split with several rectangles a point, the `ranges` store that selects them. A point then sees an array
        that spans its rectangles, and only their elements exist.
    one_task : bool
        In one process, one task may run the body for all points (`lux.runtime.one_task`).
    results : collection of str
        Stores of which that task hands the driver a copy if they are small, so that `to_array` needs no launch. Nothing
        but launches that name a store may write it afterwards.
    """

    def __init__(
        self,
        body: Callable[..., None],
        inputs: Mapping[str, str | None] = MappingProxyType({}),
        outputs: Mapping[str, str | None] = MappingProxyType({}),
        updates: Mapping[str, str | None] = MappingProxyType({}),
        sums: Mapping[str, str | None] = MappingProxyType({}),
        scalars: Mapping[str, type] = MappingProxyType({}),
        reductions: Mapping[str, Mapping[str, str | None]] = MappingProxyType({}),
        grouped: Mapping[str, str] = MappingProxyType({}),
        *,
        one_task: bool = True,
        results: Collection[str] = (),
    ) -> None:
        driver()
        super().__init__(body.__name__, inputs, outputs, updates, sums, reductions)
        self._body, self._scalars, self._reductions, self._grouped = body, scalars, {"ADD": sums, **reductions}, grouped
        used = {name: operation for operation, names in self._reductions.items() for name in names}
        stores = dict.fromkeys(inputs, "reads") | dict.fromkeys(outputs, "writes") | dict.fromkeys(updates, "updates")
        self._split_of = {n: s for m in self._kinds.values() for n, s in m.items()}
        self._one_task = None
        if one_task and ranks() == 1:
            self._one_task = OneTask(body, stores | used, self._split_of, grouped, tuple(scalars), results)

    @functools.cached_property
    def _tasks(self) -> tuple[Any, Any, list[str]]:
        """Legate's tasks for several points and for one, and the names of their arguments."""
        from legate.core import ReductionOpKind, VariantCode, align, broadcast, image
        from legate.core.task import InputStore, OutputStore, PyTask, ReductionStore

        body, scalars, grouped = self._body, self._scalars, self._grouped
        inputs, outputs, updates = (self._kinds[kind] for kind in ("reads", "writes", "updates"))
        operation = {name: ReductionOpKind[op] for op, names in self._reductions.items() for name in names}
        split_of = self._split_of
        splits = ["points", *dict.fromkeys(s for s in split_of.values() if s), *grouped.values()]
        # Legate reads a task's parameter names and annotations, so each body needs a signature of its own.
        parameter = {name: f"p{k}" for k, name in enumerate([*splits, *split_of, *scalars])}
        before = {name: f"{parameter[name]}_before" for name in updates}
        kinds: dict[str, Any] = {parameter[n]: InputStore for n in [*splits, *inputs]}
        kinds |= dict.fromkeys(before.values(), InputStore)
        kinds |= {parameter[n]: OutputStore for n in [*outputs, *updates]}
        kinds |= {parameter[n]: ReductionStore[op] for n, op in operation.items()}  # type: ignore[valid-type]  # a value
        kinds |= {parameter[n]: t for n, t in scalars.items()}
        constraints: list[Any] = [
            c for split in splits[1:] if split not in grouped for c in align("p0", parameter[split])
        ]
        constraints += [image(parameter[rows], parameter[split]) for split, rows in grouped.items()]
        for name, split in split_of.items():
            for each in [parameter[name], before[name]] if name in before else [parameter[name]]:
                constraints.extend(broadcast(each) if split is None else [image(parameter[split], each)])

        def task(views: list[str]) -> Any:
            given = ["p0.domain.lo[0]", *views, *(parameter[n] for n in scalars)]
            space: dict[str, Any] = {"body": body, "view": np.asarray, "part": _part}
            exec(f"def task({', '.join(kinds)}):\n    body({', '.join(given)})\n", space)  # noqa: S102  # made of our names
            function = space["task"]
            function.__annotations__ = kinds | {"return": None}
            function.__name__ = function.__qualname__ = body.__name__
            return PyTask(
                func=function,
                variants=(VariantCode.CPU,),
                constraints=tuple(constraints),
                library=mapper_library.library(),
            )

        order = [*inputs, *outputs, *updates, *operation]
        several = task([f"view({parameter[n]})" for n in order])
        # Legate does not split a launch of one point, so its body takes the parts out of whole stores.
        alone = task(
            [
                f"part({parameter[n]}, {parameter[split]})"
                if split and split not in grouped
                else f"view({parameter[n]})"
                for n, split in ((n, split_of[n]) for n in order)
            ]
        )
        return several, alone, [*splits[1:], *inputs, *updates, *outputs, *updates, *operation, *scalars]

    def _is_one_task(self, points: int, arguments: Mapping[str, Any]) -> bool:
        return self._one_task is not None and self._one_task.can(points, arguments)

    def _issue(self, points: int, arguments: Mapping[str, Any]) -> None:
        if self._one_task is not None and self._one_task.can(points, arguments):
            self._one_task.issue(points, arguments)
            return
        several, alone, names = self._tasks
        task = alone if points == 1 else several
        task(point_ids(points).legate, *[self._given(arguments[name], name) for name in names])

    def _given(self, argument: Any, name: str) -> Any:
        """Return what Legate gets of an argument: bodies see what their split covers, or all but spare elements."""
        if not isinstance(argument, Store):
            return argument
        return argument.legate if self._split_of.get(name) else argument.without_spare


class Task:
    """Launch by the body of a task; its `Launcher` is made at the first launch, which starts Legate."""

    def __init__(self, body: Callable[..., None], kind: type[Launcher], how: Mapping[str, Any]) -> None:
        self._body, self._kind, self._how = body, kind, how
        self.internal = False

    @functools.cached_property
    def _launcher(self) -> Launcher:
        made = self._kind(self._body, **self._how)
        made.internal = self.internal
        return made

    def __call__(self, points: int, **arguments: Any) -> None:
        """Launch ``points`` points; ``arguments`` gives every store, every split and every scalar by name."""
        self._launcher(points, **arguments)


def task(kind: type[Launcher] = Launcher, /, **how: Any) -> Callable[[Callable[..., None]], Task]:
    """Make the function below the body of a task, and its name the launch; parameters are those of ``kind``."""

    def decorate(body: Callable[..., None]) -> Task:
        body.__name__ = body.__name__.lstrip("_")
        return Task(body, kind, how)

    return decorate


@dataclass(frozen=True)
class Launch:
    """Record of one launch.

    Attributes
    ----------
    task : str
        Name of the body.
    points : int
        Point tasks.
    stores : tuple of (str, str, str or None, int)
        Use of each store (reads, writes, updates, adds into, or as `reduces_by` says), its name, its split (None: every
        point sees all of it) and its bytes.
    internal : bool
        See `LaunchKind`.
    """

    task: str
    points: int
    stores: tuple[tuple[str, str, str | None, int], ...]
    internal: bool = False


Kind = TypeVar("Kind", bound="LaunchKind | Task")

_recording: list[Launch] | None = None


@contextmanager
def recorded() -> Iterator[list[Launch]]:
    """Collect the launches inside a ``with`` block."""
    global _recording
    before, _recording = _recording, []
    try:
        yield _recording
    finally:
        _recording = before


def record(task: str, points: int, stores: Iterable[tuple[str, str, str | None, int]]) -> None:
    """Record a launch that is not made by a `Launcher`; parameters as in `Launch`."""
    if _recording is not None:
        _recording.append(Launch(task, points, tuple(stores)))


def internal(launcher: Kind) -> Kind:
    """Mark a launcher as `LaunchKind.internal`."""
    launcher.internal = True
    return launcher


@on_driver
def to_array(store: Store) -> NDArray[Any]:
    """Copy a store's values to every rank; waits for the launches that write it.

    A task makes the copy. Mapping the store into the driver instead would make every later launch that takes the store
    slower (0.3 to 0.7 ms), because the store stays mapped. In one process on CPU cores the task hands the copy over by
    a queue, like a `lux.runtime.stores.Total`; with GPUs or other processes by a fence, which waits for all launches.
    What GPUs have written threads copy from their memory (`lux.runtime.host_copies`).
    """
    if store.host_copy is not None:
        return store.host_copy.get()
    if store.lies_on_gpus and ranks() == 1:
        from lux.runtime.host_copies import downloaded

        return downloaded(store, store.gpu_rows)
    alone = ranks() == 1 and not gpus()
    copies: queue.SimpleQueue[NDArray[Any]] = queue.SimpleQueue()
    key = register((copies, [None]))
    _read(1 if alone else processors(), values=store, key=key)
    if not alone:
        finish()
    copied = copies.get()
    unregister(key)
    return copied


@on_driver
def slice_to_array(store: Store, lo: int, hi: int) -> NDArray[Any]:
    """Copy elements lo to hi - 1 of a store to every rank; see `to_array`."""
    if hi <= lo:
        return np.empty(0, store.dtype)
    copy = new_store(store.dtype, hi - lo)
    # The second point is empty: a launch of one point would see the whole store.
    piece, rows = (ranges(np.array(points, np.int64)) for points in ([lo, hi, hi], [0, hi - lo, hi - lo]))
    _copy_slice(2, values=store, copy=copy, piece=piece, rows=rows)
    return to_array(copy)[: hi - lo]


@internal
@task(inputs={"values": "piece"}, outputs={"copy": "rows"})
def _copy_slice(_point: int, values: NDArray[Any], copy: NDArray[Any]) -> None:
    copy[:] = values


@internal
@task(inputs={"values": None}, scalars={"key": int})
def _read(_point: int, values: NDArray[Any], key: int) -> None:
    copies, turns = context(key)
    with suppress(IndexError):  # one point of each process copies
        turns.pop()
        copies.put(values.copy())


class CheckedLauncher(Launcher):
    """Launch for set-up whose body may raise: every rank then raises the first point's error.

    The call waits for all points.
    """

    def __init__(
        self, body: Callable[..., None], outputs: Mapping[str, str | None] = MappingProxyType({}), **more: Any
    ) -> None:
        n_scalars = len(more.get("scalars", {}))

        def checked(point: int, *values: Any) -> None:
            # Outputs come before scalars, and the message is the last output.
            end = len(values) - n_scalars
            message = values[end - 1]
            message[:] = 0
            try:
                body(point, *values[: end - 1], *values[end:])
            except Exception as error:  # noqa: BLE001  # it must not leave the task; the caller raises it
                text = coded_error(error)
                message[: len(text)] = np.frombuffer(text, np.uint8)

        checked.__name__ = body.__name__
        super().__init__(checked, outputs=dict(outputs) | {"message": "message_rows"}, **more)

    def __call__(self, points: int, **arguments: Any) -> None:
        """Launch, wait, and raise the error of the first point that had one."""
        message = new_store(np.uint8, points * _MESSAGE_BYTES, written_whole=points == 1)
        rows = ranges(np.arange(points + 1, dtype=np.int64) * _MESSAGE_BYTES)
        super().__call__(points, **arguments, message=message, message_rows=rows)
        for row in to_array(message).reshape(points, _MESSAGE_BYTES):
            if row[0]:
                raise_coded(row.tobytes())


def coded_error(error: Exception) -> bytes:
    """Return an error's class and message, from which `raise_coded` makes it anew in another process."""
    return f"{type(error).__name__}\0{error}".encode()[:_MESSAGE_BYTES]


def raise_coded(coded: bytes) -> NoReturn:
    """Raise an error of `coded_error`, which zeros may follow."""
    name, _, text = coded.rstrip(b"\0").decode(errors="replace").partition("\0")
    kind = getattr(lux.errors, name, None)
    raise LuxError(text) if kind is None or name == "ParseError" else kind(text)


def point_ids(points: int) -> Store:
    """Make a rectangle for each point, which has its number."""
    return ranges(np.arange(points + 1, dtype=np.int64))


@functools.lru_cache(1024)
def check_points(points: int) -> None:
    """Raise an error if a launch would not have the points asked for (a silent grouping)."""

    def count(_point: int, total: NDArray[np.int64]) -> None:
        total[0] += 1

    total = new_scalar()
    internal(Launcher(count, sums={"total": None}, one_task=False))(points, total=total)
    seen = read_scalar(total)
    if seen != points:
        raise ConfigurationError(
            f"Legate launches {seen} point tasks where {points} partitions were asked for: start it with "
            "--min-cpu-chunk 1 --min-gpu-chunk 1 (without the legate launcher, Lux does so itself)"
        )
