# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of GPUs on CPU cores: pieces of it, and which parts of stores lie in them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.launch.memory import Scratch
from lux.runtime import GpuLauncher, Launcher, Store
from lux_on_cores.compiled import OnCoresError

GUARD = 4096
"""Bytes on either side of an array that nobody may write to."""
GAP = 512
"""The same between arrays in scratch memory."""


class GappedScratch(Scratch):
    """Scratch memory with something between its arrays that nobody may write to."""

    gaps_of: ClassVar[dict[int, list[int]]] = {}
    """Where they are, by the size of it all; a machine empties it."""

    def __init__(self, zeroed: dict[str, int], others: dict[str, int]) -> None:
        apart = {name: nbytes for other, size in others.items() for name, nbytes in ((f" {other}", GAP), (other, size))}
        super().__init__(zeroed, apart | {" end": GAP})
        self.gaps_of[self.nbytes] = [self.at.pop(name) for name in list(self.at) if name[0] == " "]


class Memory:
    """Bytes of which those on either side are guarded, and any contents.

    Attributes
    ----------
    data : np.ndarray of uint8
    address : int
        A multiple of 256.
    version : int
        Of the store of which this is a part.
    """

    def __init__(self, nbytes: int, random: np.random.Generator) -> None:
        everything = random.integers(0, 256, nbytes + 2 * GUARD + 256, np.uint8)
        first = GUARD - (everything.ctypes.data + GUARD) % 256 + 256
        self.data = everything[first : first + nbytes]
        gaps = [self.data[at : at + GAP] for at in GappedScratch.gaps_of.get(nbytes, [])]
        self._guards = [everything[:first], everything[first + nbytes :], *gaps]
        self._before = [guard.copy() for guard in self._guards]
        self.address, self.version = self.data.ctypes.data, -1

    def check(self, what: str) -> None:
        """Raise `OnCoresError` where a guard was written to."""
        for k, (guard, before) in enumerate(zip(self._guards, self._before, strict=True)):
            if (guard != before).any():
                where = ("before", "after")[k] if k < 2 else f"in the gap {k - 2} of"
                raise OnCoresError(f"something was written {where} {what}")


class Stores:
    """Which parts of Legate's stores GPUs have, and what is in them.

    A GPU has memory of its own for each part of a store that it is given, and all have the same for those in zero-copy
    memory. It stays where it is, as kernels use addresses of launches before. What kernels wrote is given to Legate
    before CPU cores are given the store.
    """

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._stores: dict[int, Store] = {}  # by their ids, as all below; none is dropped
        self._placed: dict[int, dict[tuple[int | None, int, int], Memory]] = {}
        self._written: dict[int, dict[tuple[int, int], Memory]] = {}
        self._known: dict[int, NDArray[np.uint8]] = {}  # what Legate holds
        self._versions: dict[int, int] = {}
        self._rectangles: dict[int, list[tuple[int, int]]] = {}
        self._on_cores: set[int] = set()  # those that CPU cores have written, and may write again by their addresses
        self._busy = False

    def address(self, launcher: GpuLauncher, array: int, point: int, arguments: Mapping[str, Any]) -> int:
        """Where a point of a launch finds its part of a store; what it reads is there then."""
        name = launcher.arrays[array].removesuffix(" before")
        if name not in launcher.split_of:
            return 0  # rectangles, or the points' numbers
        store, split, kinds = arguments[name], launcher.split_of[name], launcher._kinds
        size, n = store.dtype.itemsize, self._bytes(store) // store.dtype.itemsize
        if split in launcher._grouped:
            return self._spanned(
                store, self._rectangles_of(arguments[split]), launcher._grouped[split], point, arguments
            )
        lo, hi = self._rectangles_of(arguments[split])[point] if split in launcher._splits else (0, n)
        is_shared = bool(launcher.zero_copy_mask >> array & 1)
        place = (None, 0, n) if is_shared else (point, lo, hi)
        placed = self._placed.setdefault(id(store), {})
        if place not in placed:
            placed[place] = Memory((place[2] - place[1]) * size, self._random)
        memory, version = placed[place], self._versions.setdefault(id(store), 0)
        if (name in kinds["reads"] or name in kinds["updates"]) and memory.version != version:
            memory.data[:] = self._values(store)[place[1] * size : place[2] * size]
            memory.version = version
        if name in kinds["writes"] or name in kinds["updates"]:
            self._has_written(store, place[1:], memory)
        return memory.address + (lo * size if is_shared else 0) if hi > lo else 0

    def _spanned(
        self, store: Store, rectangles: list[tuple[int, int]], of: str, point: int, arguments: Mapping[str, Any]
    ) -> int:
        """The same where it has several rectangles, which are read; what lies between them is anything."""
        first, end = self._rectangles_of(arguments[of])[point]
        own = [(lo, hi) for lo, hi in rectangles[first:end] if hi > lo]
        if not own:
            return 0
        begin, size = min(lo for lo, _ in own), store.dtype.itemsize
        place = (point, begin, max(hi for _, hi in own))
        placed = self._placed.setdefault(id(store), {})
        placed[place] = memory = Memory((place[2] - begin) * size, self._random)
        self._stores[id(store)] = store
        values = self._values(store)
        for lo, hi in own:
            memory.data[(lo - begin) * size : (hi - begin) * size] = values[lo * size : hi * size]
        return memory.address

    def _rectangles_of(self, store: Store) -> list[tuple[int, int]]:
        """First element of each rectangle, and the one after its last."""
        if id(store) not in self._rectangles:
            self._stores[id(store)] = store
            held = np.asarray(store.legate.get_physical_store()).tobytes()
            pairs = np.frombuffer(held, np.int64).reshape(-1, 2).tolist()
            self._rectangles[id(store)] = [(first, max(last + 1, first)) for first, last in pairs]
        return self._rectangles[id(store)]

    def _bytes(self, store: Store) -> int:
        return store.nbytes or len(self._values(store))  # stores made of arrays do not say

    def _has_written(self, store: Store, part: tuple[int, int], memory: Memory) -> None:
        """A part is where its writer has it; parts of other split points hold nothing new any more."""
        parts = self._written.get(id(store), {})
        if any(max(lo, part[0]) < min(hi, part[1]) and (lo, hi) != part for lo, hi in parts):
            self._give(store, self._values(store))
            parts = {}
        self._stores[id(store)], self._written[id(store)] = store, {**parts, part: memory}
        self._versions[id(store)] += 1
        memory.version = self._versions[id(store)]

    def _values(self, store: Store) -> NDArray[np.uint8]:
        """All of a store: what kernels have written and, for the rest, what Legate holds."""
        parts, size = self._written.get(id(store), {}), store.dtype.itemsize
        covered = sum(hi - lo for lo, hi in parts) * size
        if parts and covered >= store.nbytes:
            values = np.zeros(store.nbytes, np.uint8)
        else:
            if id(store) not in self._known or id(store) in self._on_cores:
                self._busy = True
                self._stores[id(store)] = store
                self._known[id(store)] = runtime.to_array(store).copy().view(np.uint8)
                self._busy = False
            values = self._known[id(store)].copy()
        for (lo, hi), memory in parts.items():
            values[lo * size : hi * size] = memory.data
        return values

    def flush(self, stores: Iterable[Any] | None = None) -> None:
        """Give Legate what kernels have written to some stores, by default to all."""
        for key in list(self._written) if stores is None else {id(store) for store in stores} & self._written.keys():
            store = self._stores[key]
            covered = sum(hi - lo for lo, hi in self._written[key]) * store.dtype.itemsize
            if covered < store.nbytes and key not in self._on_cores:
                continue  # scratch memory of some of the points
            values = self._values(store)
            if key not in self._known or (values != self._known[key]).any():
                self._give(store, values)

    def touch(self, stores: Iterable[Store]) -> None:
        """Legion allocates them, with any contents."""
        for store in stores:
            self._give(store, self._random.integers(0, 256, store.nbytes, np.uint8))
            self._forget(store)

    def before_cores(self, launcher: Launcher, arguments: Mapping[str, Any]) -> None:
        """CPU cores are about to run something."""
        if self._busy:
            return
        self.flush(arguments.values())
        for kind, names in launcher._kinds.items():
            for name in names if kind != "reads" else ():
                self._forget(arguments[name])
                self._on_cores.add(id(arguments[name]))

    def _forget(self, store: Store) -> None:
        """It is written to elsewhere."""
        self._known.pop(id(store), None)
        self._written.pop(id(store), None)
        self._versions[id(store)] = self._versions.get(id(store), 0) + 1

    def _give(self, store: Store, values: NDArray[np.uint8]) -> None:
        key = runtime.register(values)
        self._busy = True
        _writer()(1, x=store, key=key)
        runtime.finish()
        self._busy = False
        runtime.unregister(key)
        self._stores[id(store)], self._known[id(store)] = store, values

    def check(self) -> None:
        """Raise `OnCoresError` if something was written beside a part."""
        for placed in self._placed.values():
            for (_, lo, hi), memory in placed.items():
                memory.check(f"elements {lo} to {hi} of a store")


@functools.cache
def _writer() -> Launcher:
    def write(_point: int, x: NDArray[Any], key: int) -> None:
        x[:] = runtime.context(key).view(x.dtype)

    return Launcher(write, outputs={"x": None}, scalars={"key": int})
