# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Stores: Legion regions of one dimension, seen as NumPy arrays by tasks and, copied, by the caller."""

from __future__ import annotations

import ctypes
import functools
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux.errors import LuxError
from lux.runtime.start import driver, finish, gpus, launched, on_driver, processors, ranks

if TYPE_CHECKING:
    from lux.runtime.allocations import Placed

ROOM = 500
"""Most operations that Legion may have pending when stores are given back."""
OF_A_LAUNCH = 16
"""Operations of a launch, at most: itself, and making its partitions."""
SPARE_STORES, SPARE_BYTES = 16, 1 << 30
"""Stores that a GPU's process keeps for reuse, and their bytes, at most."""
AT_ONCE = 16
"""Most stores that one launch allocates or fills."""
SMALL = 1 << 20
"""Largest size in bytes of an array that is copied without a check of memory."""


class _Spare:
    """Dropped stores that lie on the only GPU, for new stores of the same type and length.

    A call then takes the stores of the call before: making three of them, and giving them back, takes Legate 0.1 ms.
    """

    def __init__(self) -> None:
        self._stores: list[tuple[tuple[Any, int], Any, int]] = []
        self.nbytes = 0

    def keep(self, kind: tuple[Any, int], legate: Any, nbytes: int) -> None:
        """Keep a store; the oldest go where there are too many."""
        self._stores.append((kind, legate, nbytes))
        self.nbytes += nbytes
        while self.nbytes > SPARE_BYTES or len(self._stores) > SPARE_STORES:
            self._pop(0)

    def take(self, kind: tuple[Any, int]) -> Any:
        """Return the latest store of a kind; None if there is none."""
        for k in range(len(self._stores) - 1, -1, -1):
            if self._stores[k][0] == kind:
                return self._pop(k)
        return None

    def _pop(self, k: int) -> Any:
        _, legate, nbytes = self._stores.pop(k)
        self.nbytes -= nbytes
        return legate

    def clear(self) -> None:
        """Give all stores back."""
        self._stores.clear()
        self.nbytes = 0


class _Held:
    """Legate stores, each kept until the driver gives it back after its `Store` is gone.

    Attributes
    ----------
    stores : dict of int to (legate.core.LogicalStore, int)
        Legate's store and its bytes, by `Store.key`.
    dropped : list of int
        Keys of stores whose `Store` is gone.
    live_bytes : int
    only_on_gpus : dict of int to int
        Bytes of stores that no cores have memory for, by `Store.key`.
    issued : int
        Operations that Legion may have pending.
    reusable : dict of int to (np.dtype, int)
        Type and length of stores that become `spare` when they are dropped, by `Store.key`.
    spare : _Spare
    """

    def __init__(self) -> None:
        self.stores: dict[int, tuple[Any, int]] = {}
        self.dropped: list[int] = []
        self.live_bytes = 0
        self.only_on_gpus: dict[int, int] = {}
        self.issued = 0
        self.reusable: dict[int, tuple[Any, int]] = {}
        self.spare = _Spare()

    def release(self) -> None:
        """Give back dropped stores, in the driver's thread, never in a task.

        Each is an operation for Legion, which takes about a thousand at a time and then waits for tasks, and tasks wait
        for the interpreter's lock, which the dropping thread holds. So pending launches finish first. (Not in several
        processes, which drop at times of their own.)
        """
        driver()
        while self.dropped:
            if self.issued >= ROOM and ranks() == 1:
                finish()
                self.issued = 0
            self.issued += 1
            key = self.dropped.pop()
            legate, nbytes = self.stores.pop(key)
            self.live_bytes -= nbytes
            self.only_on_gpus.pop(key, None)
            if (kind := self.reusable.pop(key, None)) and gpus() == 1:
                self.spare.keep(kind, legate, nbytes)

    def keep_for_good(self) -> None:
        """Keep Python from ever giving back the remaining stores: that would corrupt memory after Legate has ended."""
        for store in [*(store for store, _ in self.stores.values()), self.spare]:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(store))


_held = _Held()


class HostCopy:
    """Copy of all elements of a store, which the task that wrote them hands to the driver."""

    def __init__(self) -> None:
        self._there = threading.Event()

    def put(self, values: NDArray[Any]) -> None:
        """Hand the copy over, in the task."""
        self._values = values
        self._there.set()

    def get(self) -> NDArray[Any]:
        """Wait for the task, and return a copy of the copy."""
        self._there.wait()
        return self._values.copy()


class Store:
    """A ``legate.core.LogicalStore`` that is used, and given back to Legate, by the driver only.

    Python's garbage collector may run inside a task or another thread, where giving a store back ends the process. So a
    collected Store is only recorded, and the driver's next new store or launch gives the Legate store back.

    Attributes
    ----------
    key : int
        Number of the store while it is alive.
    dtype : np.dtype or None
        Type of the elements; None for rectangles.
    nbytes : int
        Bytes of all elements.
    spare : int
        Elements that Legate's store has behind them (`new_store`).
    spans : bytes
        For rectangles: the first elements and the last ones, as int64.
    placed : Placed or None
        Allocations by launches on GPUs (`lux.runtime.allocations`).
    on_gpu : bool
        True if a launch of one point on a GPU wrote it last, all of it in the GPU's own memory.
    gpu_rows : Rectangles or None
        The rectangles in which a launch on several GPUs wrote it last, all of it in the GPUs' own memory.
    host_copy : HostCopy or None
        A copy from the launch that wrote it last, where that launch makes one (`lux.runtime.launcher.Launcher`).
    taken_by_cores : bool
        True if a launch on CPU cores has ever taken it, for which Legion allocates it in their memory, too.
    """

    __slots__ = (
        "__weakref__",
        "_handle",
        "_legate",
        "dtype",
        "gpu_rows",
        "host_copy",
        "key",
        "nbytes",
        "on_gpu",
        "placed",
        "spans",
        "spare",
        "taken_by_cores",
    )

    placed: Placed | None
    on_gpu: bool
    gpu_rows: Rectangles | None
    host_copy: HostCopy | None
    taken_by_cores: bool

    def __init__(self, legate: Any, dtype: np.dtype[Any] | None = None, nbytes: int = 0, spare: int = 0) -> None:
        self.dtype, self.nbytes, self.spare, self.spans, self.placed = dtype, nbytes, spare, b"", None
        self.written()
        self._hold(legate)

    def _hold(self, legate: Any) -> None:
        self._legate, self.key, self._handle, self.taken_by_cores = legate, id(legate), 0, False
        allocated = self.nbytes + (self.spare * self.dtype.itemsize if self.dtype else 0)
        _held.stores[self.key] = legate, allocated
        _held.live_bytes += allocated
        _held.issued += 1

    @property
    def legate(self) -> Any:
        """The ``legate.core.LogicalStore``; another thread than the driver's gets a `LuxError`."""
        driver()
        return self._legate

    @property
    def handle(self) -> int:
        """The address of C++'s ``legate::LogicalStore``, valid for as long as the store is alive."""
        made = self.legate
        if not self._handle:
            self._handle = made.raw_handle
        return self._handle

    @property
    def lies_on_gpus(self) -> bool:
        """True if GPUs wrote all of it last, in their own memory."""
        return self.on_gpu or self.gpu_rows is not None

    def written(self) -> None:
        """Note that the elements change."""
        self.on_gpu, self.gpu_rows, self.host_copy = False, None, None

    def note_on_cores(self) -> None:
        """Note that a launch on CPU cores takes it."""
        if not self.taken_by_cores:
            self.taken_by_cores = True
            _held.only_on_gpus.pop(self.key, None)

    def note_on_gpus(self) -> None:
        """Note that a launch has written all of it in the memory of GPUs."""
        if not self.taken_by_cores:
            _held.only_on_gpus[self.key] = _held.stores[self.key][1]

    def fill(self, value: float) -> None:
        """Have Legate set all elements."""
        assert self.dtype is not None
        self.written()
        self.legate.fill(self.dtype.type(value))
        launched()

    @property
    def without_spare(self) -> Any:
        """The ``legate.core.LogicalStore`` of the elements alone."""
        return self.legate.slice(0, slice(0, length_of(self))) if self.spare else self.legate

    def __del__(self, drop: Callable[[int], None] = _held.dropped.append) -> None:
        if self.key:
            drop(self.key)

    def __reduce__(self) -> NoReturn:
        raise LuxError(
            "what Legion holds cannot be pickled or copied: pass on result.to_pandas() or .to_numpy(), "
            "or save a graph with graph.save('NAME.lux')"
        )


class Rectangles(Store):
    """A store of rectangles, which Legate gets when a launch first needs it; launches of one task never do.

    Legate (26.1) never takes apart the partition that it makes of a store and of rectangles, 28 KiB for three points,
    so equal rectangles are one store (`rectangles`).

    Attributes
    ----------
    cuts : list of (int, int)
        First element and end of each rectangle.
    end : int
        End of the elements from 0 on that the rectangles cover in order; -1 if they are not in order.
    width : int
        Elements of each rectangle if all follow one another from 0 and have equally many; else 0.
    """

    __slots__ = ("cuts", "end", "width")

    def __init__(self, spans: bytes) -> None:
        self.dtype, self.nbytes, self.spare, self.spans, self.placed = None, 0, 0, spans, None
        self.written()
        self._legate, self.key, self.taken_by_cores = None, 0, True
        first, last = np.frombuffer(spans, np.int64).reshape(2, -1)
        self.cuts: list[tuple[int, int]] = list(zip(first.tolist(), np.maximum(last + 1, first).tolist(), strict=True))
        self.end = 0
        for lo, hi in self.cuts:
            if hi > lo:
                self.end = max(self.end, hi) if 0 <= lo <= self.end else -1
            if self.end < 0:
                break
        width = self.cuts[0][1]
        tiles = all(cut == (k * width, (k + 1) * width) for k, cut in enumerate(self.cuts))
        self.width = width if tiles else 0

    @property
    def legate(self) -> Any:
        """The ``legate.core.LogicalStore``, made on first use."""
        driver()
        if self._legate is None:
            import legate.core.types as ty

            rect = ty.rect_type(1)
            rects = np.zeros(len(self.cuts), dtype=rect.to_numpy_dtype())
            rects["_0"], rects["_1"] = np.frombuffer(self.spans, np.int64).reshape(2, -1)
            self._hold(driver().create_store_from_buffer(rect, (len(rects),), rects, True))
        return self._legate


class Total(Store):
    """A sum of one process, which tasks of all points hand to the driver without Legate.

    Each time the driver waits for one of Legate's values, Realm keeps events, and takes another 82 MiB for 65,536 of
    them (in Legate 26.1). Legate gets the store only where points are tasks of their own.

    Attributes
    ----------
    counts : queue.SimpleQueue of int
        Counts of the launches.
    launched : int
        Launches whose counts the driver has not taken.
    """

    __slots__ = ("_counted", "counts", "launched")

    def __init__(self) -> None:
        self.dtype, self.nbytes, self.spare, self.spans, self.placed = np.dtype(np.int64), 0, 0, b"", None
        self.written()
        self._legate, self.key, self.taken_by_cores = None, 0, True
        self.counts: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.launched, self._counted = 0, 0

    @property
    def made(self) -> bool:
        """True if Legate has the store."""
        return self._legate is not None

    @property
    def legate(self) -> Any:
        """The ``legate.core.LogicalStore``, made on first use."""
        driver()
        if self._legate is None:
            self._hold(_new_total())
        return self._legate

    def collect(self) -> int:
        """Wait for the tasks that count, and return the sum of all so far."""
        for _ in range(self.launched):
            self._counted += self.counts.get()
        self.launched = 0
        return self._counted


def release_dropped() -> None:
    """Give back, before a launch, the stores that nobody holds any more. The driver calls this, never a task."""
    _held.release()
    _held.issued += OF_A_LAUNCH


def close() -> None:
    """Give back dropped stores before Legate shuts down, and none afterwards."""
    _held.release()
    _held.spare.clear()
    _held.keep_for_good()


def not_reusable(store: Store) -> None:
    """Note that a store lies elsewhere than on the only GPU alone, so that no new store takes its place."""
    _held.reusable.pop(store.key, None)


def spare_bytes() -> int:
    """Sum the bytes of dropped stores that lie on the only GPU for reuse."""
    _held.release()
    return _held.spare.nbytes


def give_spare_back() -> None:
    """Give back the dropped stores that are kept for reuse, where their memory is needed."""
    _held.release()
    _held.spare.clear()


def live_bytes() -> int:
    """Sum the bytes of the stores that are alive, over all processes, but for those that lie on GPUs alone."""
    _held.release()
    return _held.live_bytes - sum(_held.only_on_gpus.values())


@functools.cache  # names of NumPy's types take long
def _legate_type(dtype: np.dtype[Any]) -> Any:
    import legate.core.types as ty

    return ty.bool_ if dtype == np.bool_ else getattr(ty, dtype.name)


def new_store(
    dtype: Any,
    length: int,
    fill: float | None = None,
    *,
    touched: bool = True,
    written_whole: bool = False,
    of_graph: bool = False,
) -> Store:
    """Make a store of one dimension.

    On one rank the whole store is allocated at once in the memory that all CPU cores share, so that every later task
    sees the same instance, whatever its partition: no copies between partitions of a process. Unless ``touched``, it is
    allocated by the first task that takes it, where that task runs. So is a store that is ``written_whole`` by one task
    next, if there are only CPU cores.

    With one GPU in one process such a store may take the place of one that was dropped (`_Spare`).

    A store ``of_graph`` has a length that the graph's edges decide, and may have `spare` elements: Legion reuses the
    memory of a dropped store for stores of the same length, and takes new memory for others as long as there is some.
    """
    release_dropped()
    dtype = np.dtype(dtype)
    touched = touched and (length < 1 or gpus() > 0 or not written_whole)
    if length < 1 and ranks() > 1:
        fill = 0  # a launch of one point reads the element that a store of none has
    length = max(int(length), 1)
    spare = rounded_length(length) - length if of_graph and ranks() == 1 and not gpus() else 0
    reusable = not touched and gpus() == 1 and ranks() == 1
    made = _held.spare.take((dtype, length)) if reusable else None
    if made is None:
        made = driver().create_store(_legate_type(dtype), (length + spare,))
    store = Store(made, dtype, length * dtype.itemsize, spare)
    if reusable:
        _held.reusable[store.key] = dtype, length
    if touched and ranks() == 1:
        _touch(store, at_once=fill is not None)
    if fill is not None and ranks() > 1:
        # On several ranks Legate's own fill (26.1) hangs now and then, after some dozens of stores.
        points = processors()
        _filler()(points, x=store, rows=even_ranges(length, points), bits=_bits(dtype.type(fill)))
    elif fill is not None:
        store.fill(fill)
    return store


_together: list[Store] | None = None


@contextmanager
def touched_together() -> Iterator[None]:
    """Allocate the new stores of a ``with`` block by one launch at its end: a launch for each takes 0.2 to 0.3 ms.

    No launch inside the block may take such a store.
    """
    global _together
    if _together is not None:
        yield
        return
    _together = []
    try:
        yield
        made = _together
    finally:
        _together = None
    for k in range(0, len(made), AT_ONCE):
        some = made[k : k + AT_ONCE]
        _toucher(len(some))(1, **_numbered(some))


def _touch(store: Store, *, at_once: bool) -> None:
    """Have a store allocated, unless the block of `touched_together` does so at its end."""
    if _together is None or at_once:
        _toucher(1)(1, **_numbered([store]))
    else:
        _together.append(store)


def rounded_length(length: int) -> int:
    """Round a length up to one of 32 for each power of two; lengths of 2^24 and more are kept, to save memory.

    >>> rounded_length(63), rounded_length(1000), rounded_length(70000), rounded_length(2**24 + 1)
    (63, 1008, 71680, 16777217)
    """
    step = 1 << max(length.bit_length() - 6, 0)
    return length if length >= 2**24 else -(-length // step) * step


def _bits(value: Any) -> int:
    """Encode a scalar of at most eight bytes as an integer."""
    return int.from_bytes(value.tobytes().ljust(8, b"\0"), "little", signed=True)


@on_driver
def from_array(values: ArrayLike) -> Store:
    """Make a small store with the same values on every rank (copied)."""
    return from_arrays([values])[0]


def from_arrays(values: Sequence[ArrayLike]) -> list[Store]:
    """Make stores as `from_array` does, by one launch for `AT_ONCE` of them."""
    if ranks() > 1:
        return list(map(attached, values))
    # Legate keeps 3 KiB (in 26.1) of every buffer that it was given, and nothing of a launch.
    from lux.runtime.agreement import check_memory
    from lux.runtime.task_context import register

    arrays = list(map(_flat, values))
    if (total := sum(array.nbytes for array in arrays)) > SMALL:
        check_memory(total, f"a copy of {sum(array.size for array in arrays):,} given values")
    stores = [new_store(array.dtype, array.size, touched=False) for array in arrays]
    for k in range(0, len(stores), AT_ONCE):
        some = stores[k : k + AT_ONCE]
        _copier(len(some))(1, **_numbered(some), key=register(arrays[k : k + AT_ONCE]))
    return stores


def _numbered(stores: Sequence[Store]) -> dict[str, Store]:
    return {f"x{k}": store for k, store in enumerate(stores)}


def attached(values: ArrayLike) -> Store:
    """Make a store as `from_array` does, for good: the copy is not in Legate's memory, which `live_bytes` counts."""
    array = _flat(values)
    made = driver().create_store_from_buffer(_legate_type(array.dtype), array.shape, array, True)
    return Store(made, array.dtype)


def _flat(values: ArrayLike) -> NDArray[Any]:
    """Copy values into one dimension, of an element at least."""
    array = np.array(values).ravel()
    return array if array.size else np.zeros(1, array.dtype)


def ranges(points: NDArray[np.int64], extra: int = 0) -> Rectangles:
    """Make a store of P rectangles ``[p_i, p_(i+1) - 1 + extra]`` from ``[p_0, ..., p_P]``, for `image` constraints."""
    return rectangles(points[:-1], np.asarray(points[1:]) - 1 + extra)


def even_ranges(length: int, points: int) -> Rectangles:
    """Make ranges of about equal length: point i's begins at ``i * length // points``."""
    return ranges(np.array([point * length // points for point in range(points + 1)], np.int64))


def rectangles(first: NDArray[np.int64], last: NDArray[np.int64]) -> Rectangles:
    """Make a store of rectangles ``[first_i, last_i]`` (inclusive; empty if last < first), for `image` constraints.

    The most recently used rectangles are cached.
    """
    return _rectangles(np.array([first, last], np.int64).tobytes())


@functools.lru_cache(1024)
def _rectangles(spans: bytes) -> Rectangles:
    return Rectangles(spans)


def length_of(store: Store) -> int:
    """Count the elements of a store."""
    return store.nbytes // store.dtype.itemsize if store.nbytes and store.dtype else int(store.legate.shape[0])


def view(address: int, size: int, dtype: Any) -> NDArray[Any]:
    """View the elements of a store from this address on, for as long as they exist."""
    return np.frombuffer((ctypes.c_char * (size * dtype.itemsize)).from_address(address), dtype)


def new_scalar() -> Store:
    """Make a zero into which a launch adds int64 counts."""
    if ranks() == 1:
        return Total()
    return Store(_new_total(), np.dtype(np.int64))


def _new_total() -> Any:
    made = driver().create_store(_legate_type(np.dtype(np.int64)), (1,), optimize_scalar=True)
    made.fill(0)
    launched()
    return made


def read_scalar(store: Store) -> int:
    """Wait for the launches that add into ``store``, and return the sum over all points of all ranks."""
    driver()
    counted = store.collect() if isinstance(store, Total) else 0
    if isinstance(store, Total) and not store.made:
        return counted
    return counted + int(np.asarray(store.legate.get_physical_store())[0])


@functools.cache
def _filler() -> Any:
    from lux.runtime.launcher import Launcher, internal

    def fill(_point: int, x: NDArray[Any], bits: int) -> None:
        x[:] = np.array([bits]).view(np.uint8)[: x.itemsize].view(x.dtype)

    return internal(Launcher(fill, outputs={"x": "rows"}, scalars={"bits": int}))


@functools.cache
def _copier(stores: int) -> Any:
    from lux.runtime.launcher import Launcher, internal
    from lux.runtime.task_context import context, unregister

    def copy(_point: int, *values: Any) -> None:
        *stores, key = values
        for store, array in zip(stores, context(key), strict=True):
            store[:] = array
        unregister(key)

    return internal(Launcher(copy, outputs={f"x{k}": None for k in range(stores)}, scalars={"key": int}))


@functools.cache
def _toucher(stores: int) -> Any:
    from lux.runtime.launcher import Launcher, internal

    def touch(_point: int, *_: NDArray[Any]) -> None:
        """Make Legion allocate each store as one instance; does nothing else."""

    return internal(Launcher(touch, outputs={f"x{k}": None for k in range(stores)}))
