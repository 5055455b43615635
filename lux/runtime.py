# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Legate, started on first use: stores, index launches, and answers that every rank agrees on.

Nothing outside this file and ``lux/engine`` names a Legate type. Importing it starts nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import legate_config
import lux.errors
from lux.errors import ConfigurationError, LuxError, MemoryNeededError

Store = Any
"""A ``legate.core.LogicalStore``."""

_MESSAGE_BYTES = 2048


@functools.cache
def start() -> Any:
    """Start Legate once and return its runtime."""
    try:
        legate_config.prepare()
        import legate.core
    except legate_config.ConfigError as error:
        raise ConfigurationError(str(error)) from None
    return legate.core.get_legate_runtime()


def processors() -> int:
    """Number of processors (GPUs if there are any, else CPU cores) over all ranks."""
    return int(start().get_machine().count())


def ranks() -> int:
    """Number of processes, which Legion calls nodes."""
    return int(start().node_count)


def rank() -> int:
    """This process's number among `ranks`."""
    return int(start().node_id)


def finish() -> None:
    """Wait until everything launched so far has run."""
    start().issue_execution_fence(block=True)


def _legate_type(dtype: np.dtype[Any]) -> Any:
    import legate.core.types as ty

    return ty.bool_ if dtype == np.bool_ else getattr(ty, dtype.name)


def new_store(dtype: Any, length: int, fill: float | int | None = None) -> Store:
    """A store of one dimension.

    On one rank the whole store is allocated at once in the memory that all CPU cores share, so that every
    later task sees the same instance, whatever its partition: no copies between partitions of a process.
    """
    store = start().create_store(_legate_type(np.dtype(dtype)), (max(int(length), 1),))
    if ranks() == 1:
        _toucher()(1, x=store)
    if fill is not None:
        store.fill(np.dtype(dtype).type(fill))
    return store


def from_array(values: ArrayLike) -> Store:
    """A small store with the same values on every rank (copied)."""
    array = np.ascontiguousarray(values)
    if array.ndim == 0 or array.size == 0:
        array = np.zeros(1, array.dtype)
    return start().create_store_from_buffer(_legate_type(array.dtype), array.shape, array.copy(), True)


def ranges(points: NDArray[np.int64], extra: int = 0) -> Store:
    """Points ``[p_0, ..., p_P]`` as P rectangles ``[p_i, p_(i+1) - 1 + extra]``, for `image` constraints."""
    import legate.core.types as ty

    rect = ty.rect_type(1)
    rects = np.zeros(len(points) - 1, dtype=rect.to_numpy_dtype())
    rects["_0"], rects["_1"] = points[:-1], np.asarray(points[1:]) - 1 + extra
    return start().create_store_from_buffer(rect, (len(rects),), rects, True)


def rectangles(first: NDArray[np.int64], last: NDArray[np.int64]) -> Store:
    """Rectangles ``[first_i, last_i]`` (inclusive; empty where last < first), for `image` constraints."""
    import legate.core.types as ty

    rect = ty.rect_type(1)
    rects = np.zeros(len(first), dtype=rect.to_numpy_dtype())
    rects["_0"], rects["_1"] = first, last
    return start().create_store_from_buffer(rect, (len(rects),), rects, True)


def dtype_of(store: Store) -> np.dtype[Any]:
    """A store's element type."""
    return np.dtype(store.type.to_numpy_dtype())


_shared: dict[int, Any] = {}
_next_key = 0


def share(value: Any) -> int:
    """Keep a Python object where point tasks of this process find it; every rank shares its own, alike."""
    global _next_key
    _next_key += 1
    _shared[_next_key] = value
    return _next_key


def shared(key: int) -> Any:
    """The object of `share`."""
    return _shared[key]


def unshare(key: int) -> None:
    """Forget the object of `share`."""
    del _shared[key]


def to_array(store: Store) -> NDArray[Any]:
    """A copy of a store's values; waits for the launches that write it. The mapping is not kept."""
    return np.array(store.get_physical_store())


def _points_scope(points: int) -> AbstractContextManager[Any]:
    from legate.core import ParallelPolicy, Scope

    return Scope(parallel_policy=ParallelPolicy(overdecompose_factor=-(-points // processors())))


class Launcher:
    """One kind of index launch: a Python body and how each argument is split over the points.

    Parameters
    ----------
    body : callable ``body(point, *arrays, *scalars)``
        Runs once per point with NumPy views of its part of each store, in the order of the next parameters.
        It must not raise: an exception in a task ends the process.
    inputs, outputs, updates, sums : mapping of name to split
        Stores that are read, written, read and written, or added into. The split is None (every point sees
        the whole store) or the name of the `ranges` store that says which part each point sees.
    scalars : mapping of name to int or float
        The types of the scalar arguments.
    grouped : mapping of name to name
        For a split with several rectangles a point, the `ranges` store that says which of them. A point then
        sees an array that spans them all, and only their elements are there.
    """

    def __init__(
        self,
        body: Callable[..., None],
        inputs: Mapping[str, str | None] = MappingProxyType({}),
        outputs: Mapping[str, str | None] = MappingProxyType({}),
        updates: Mapping[str, str | None] = MappingProxyType({}),
        sums: Mapping[str, str | None] = MappingProxyType({}),
        scalars: Mapping[str, type] = MappingProxyType({}),
        grouped: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        start()
        from legate.core import VariantCode, align, broadcast, image
        from legate.core.task import ADD, InputStore, OutputStore, PyTask, ReductionStore

        import lux.mapper

        used = dict.fromkeys(s for m in (inputs, outputs, updates, sums) for s in m.values() if s)
        splits = ["points", *used, *grouped.values()]
        before = [f"{name}_before" for name in updates]
        arrays = [*inputs, *outputs, *updates, *sums]
        annotations: dict[str, Any] = dict.fromkeys([*splits, *inputs, *before], InputStore)
        annotations |= dict.fromkeys([*outputs, *updates], OutputStore)
        annotations |= dict.fromkeys(sums, ReductionStore[ADD]) | dict(scalars)
        # Legate reads a task's parameter names and annotations, so each body needs a signature of its own.
        text = (
            f"def task({', '.join(annotations)}):\n"
            f"    body({', '.join(['points.domain.lo[0]', *(f'view({name})' for name in arrays), *scalars])})\n"
        )
        space: dict[str, Any] = {"body": body, "view": np.asarray}
        exec(text, space)  # noqa: S102  # made of the names above
        task = space["task"]
        task.__annotations__ = annotations | {"return": None}
        task.__name__ = task.__qualname__ = body.__name__
        constraints: list[Any] = [c for split in splits[1:] if split not in grouped for c in align("points", split)]
        constraints += [image(rows, split) for split, rows in grouped.items()]
        for name, split in [*inputs.items(), *outputs.items(), *updates.items(), *sums.items()]:
            for each in [name, f"{name}_before"] if name in updates else [name]:
                constraints.extend(broadcast(each) if split is None else [image(split, each)])
        self._arguments = [*splits[1:], *inputs, *updates, *outputs, *updates, *sums, *scalars]
        self._task = PyTask(
            func=task,
            variants=(VariantCode.CPU,),
            constraints=tuple(constraints),
            library=lux.mapper.library(),
        )

    def __call__(self, points: int, **arguments: Any) -> None:
        """Launch ``points`` points; ``arguments`` gives every store, every split and every scalar by name."""
        with _points_scope(points):
            self._task(_point_ids(points), *[arguments[name] for name in self._arguments])


class CheckedLauncher(Launcher):
    """A launch for set-up whose body may raise: every rank then raises the first point's error.

    The call waits for all points.
    """

    def __init__(self, body: Callable[..., None], outputs: Mapping[str, str | None] = MappingProxyType({}), **more: Any):
        n_scalars = len(more.get("scalars", {}))

        def checked(point: int, *values: Any) -> None:
            # Outputs come before scalars, and the message is the last output.
            end = len(values) - n_scalars
            message = values[end - 1]
            message[:] = 0
            try:
                body(point, *values[: end - 1], *values[end:])
            except Exception as error:  # noqa: BLE001  # it must not leave the task; the caller raises it
                text = f"{type(error).__name__}\0{error}".encode()[:_MESSAGE_BYTES]
                message[: len(text)] = np.frombuffer(text, np.uint8)

        checked.__name__ = body.__name__
        super().__init__(checked, outputs=dict(outputs) | {"message": "message_rows"}, **more)

    def __call__(self, points: int, **arguments: Any) -> None:
        """Launch, wait, and raise the error of the first point that had one."""
        message = new_store(np.uint8, points * _MESSAGE_BYTES)
        rows = ranges(np.arange(points + 1, dtype=np.int64) * _MESSAGE_BYTES)
        super().__call__(points, **arguments, message=message, message_rows=rows)
        for row in to_array(message).reshape(points, _MESSAGE_BYTES):
            if row[0]:
                name, _, text = row.tobytes().rstrip(b"\0").decode(errors="replace").partition("\0")
                kind = getattr(lux.errors, name, None)
                raise LuxError(text) if kind is None or name == "ParseError" else kind(text)


def agree(error: LuxError | None) -> None:
    """Raise an error that any rank passes, on every rank. All ranks must call it at the same place."""
    if ranks() == 1:
        if error is not None:
            raise error
        return
    key = share(error)
    _agreement()(processors(), key=key)
    unshare(key)


@functools.cache
def _agreement() -> CheckedLauncher:
    def agree_on(point: int, key: int) -> None:
        error = shared(key)
        if error is not None:
            raise error

    return CheckedLauncher(agree_on, scalars={"key": int})


def check_memory(needed: int, what: str) -> None:
    """Refuse to load what does not fit the memory Legate was given (per process, in bytes)."""
    given = legate_config.settings().sysmem_bytes
    error = None
    if needed / ranks() > given:
        mib = -(-int(needed / ranks()) // 2**20)
        error = MemoryNeededError(
            f"{what} needs {mib} MiB of Legate's memory in each process, and it was given {given // 2**20} MiB: "
            f"start with --sysmem {mib + mib // 8} (MiB), or with more processes"
        )
    agree(error)


@functools.lru_cache(64)
def _point_ids(points: int) -> Store:
    return ranges(np.arange(points + 1, dtype=np.int64))


@functools.cache
def _toucher() -> Launcher:
    def touch(point: int, x: NDArray[Any]) -> None:
        """Only makes Legion allocate ``x`` as one instance."""

    return Launcher(touch, outputs={"x": None})


@functools.lru_cache(1024)
def check_points(points: int) -> None:
    """Refuse to go on where a launch would not have the points asked for (a silent grouping)."""

    def count(point: int, total: NDArray[np.int64]) -> None:
        total[0] += 1

    total = new_scalar()
    Launcher(count, sums={"total": None})(points, total=total)
    seen = read_scalar(total)
    if seen != points:
        raise ConfigurationError(
            f"Legate launches {seen} point tasks where {points} partitions were asked for: start it with "
            "--min-cpu-chunk 1 --min-gpu-chunk 1 (without the legate launcher, Lux does so itself)"
        )


def new_scalar() -> Store:
    """A zero into which a launch adds int64 counts."""
    store = start().create_store(_legate_type(np.dtype(np.int64)), (1,), optimize_scalar=True)
    store.fill(0)
    return store


def read_scalar(store: Store) -> int:
    """Wait for the launch that adds into ``store``, and return the sum over all points of all ranks."""
    return int(np.asarray(store.get_physical_store())[0])
