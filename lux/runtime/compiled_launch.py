# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Index launches whose body is compiled code: nothing of Python runs in the point tasks.

Points neither wait for the interpreter's lock nor make views of stores, which saves a third to a half of the time
between two launches of which one waits for the other.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import LuxError
from lux.runtime import mapper_library
from lux.runtime.launcher import LaunchKind, point_ids
from lux.runtime.start import driver
from lux.runtime.stores import Rectangles, Store, length_of

SPLIT, READ, WRITE, ADD = range(4)
WORDS_OF_A_PART = 5
"""Uses of a store, and the words of a ``Part`` in ``mapper/launches.h``."""


class NativeLauncher(LaunchKind):
    """One kind of index launch of a body that is passed to `register_body`.

    Parameters
    ----------
    name : str
        Name in `lux.explain`.
    inputs, outputs, updates, sums
        As in `Launcher`.
    single_point : bool
        True for launches of one point, which sees whole stores: rectangles would only make the launch slower.
    grouped : mapping of name to name
        As in `Launcher`.
    zero_copy : collection of str
        Stores that are placed in zero-copy memory; there is such memory only where there are GPUs.
    instead_of : NativeLauncher, optional
        The launch with the same effect that passes all stores it uses; `lux.explain` shows it.

    Attributes
    ----------
    split_of : dict of str to str or None
        The split of each store.
    arrays : list of str
        The stores in the order in which the body gets them; the first entries are split points. Updated stores are
        there twice, first as ``NAME before``.
    """

    task = 0
    """Number of the task in Lux's library (``lux/runtime/mapper/call.cc``)."""

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, str | None] = MappingProxyType({}),
        outputs: Mapping[str, str | None] = MappingProxyType({}),
        updates: Mapping[str, str | None] = MappingProxyType({}),
        sums: Mapping[str, str | None] = MappingProxyType({}),
        *,
        gpu: bool = False,
        single_point: bool = False,
        grouped: Mapping[str, str] = MappingProxyType({}),
        zero_copy: Collection[str] = (),
        instead_of: NativeLauncher | None = None,
    ) -> None:
        driver()
        super().__init__(name, inputs, outputs, updates, sums, gpu=gpu)
        self._shown = self._kinds if instead_of is None else instead_of._kinds  # noqa: SLF001  # of its own class
        self.split_of = {n: s for m in self._kinds.values() for n, s in m.items()}
        plain = [s for s in self.split_of.values() if s and s not in grouped]
        splits = dict.fromkeys([*plain, *grouped.values(), *grouped])
        self._splits, self._grouped = [] if single_point else list(splits), grouped
        before = [f"{n} before" for n in updates]
        # The first array's domain is the point's number: any store with one element per point will do.
        first = [f"split {s}" for s in self._splits] or ["point ids"]
        self.arrays = [*first, *inputs, *before, *outputs, *updates, *sums]
        self.zero_copy_mask = self._set_of(zero_copy)
        self._whole = (*inputs, *updates), (*outputs, *updates)
        in_order = {READ: self._whole[0], WRITE: self._whole[1], ADD: (*sums,)}
        self._uses = [(use, name) for use, names in in_order.items() for name in names]

    def _set_of(self, names: Collection[str]) -> int:
        wanted = {*names, *(f"{n} before" for n in names)}
        return sum(1 << k for k, n in enumerate(self.arrays) if n in wanted)

    def _issue(self, points: int, arguments: Mapping[str, Any]) -> None:
        if points == 1 and not self._splits and not self._kinds["adds into"]:
            self._issue_whole(arguments)
        else:
            self._issue_parts(points, arguments)

    def _issue_parts(self, points: int, arguments: Mapping[str, Any]) -> None:
        # Without rectangles, too, the first store says the point's number.
        rectangles = {split: arguments[split] for split in self._splits} or {"": point_ids(points)}
        at = {split: k for k, split in enumerate(rectangles)}
        words: list[int] = []
        for split, store in rectangles.items():
            words += store.handle, SPLIT, at[self._grouped[split]] if split in self._grouped else -1, 0, 0
        seen: set[int] = set()
        for use, name in self._uses:
            store, by = arguments[name], self.split_of[name]
            width = self._tile(points, arguments[by], store) if by in at else 0
            # A store that is read a second time would have the parts of the first.
            again = name in self._kinds["reads"] and id(store) in seen
            seen.add(id(store))
            words += store.handle, use, -1 if by is None else at.get(by, -1), width, again
        self._issue_native("lux_launch_parts", words, [len(words) // WORDS_OF_A_PART], arguments)

    def _issue_whole(self, arguments: Mapping[str, Any]) -> None:
        """Issue a launch of one point that sees whole stores: Legate has no partitions to choose, which saves time."""
        read, written = self._whole
        stores = [_first_point().handle, *[arguments[name].handle for name in (*read, *written)]]
        self._issue_native("lux_launch_whole", stores, [1 + len(read), len(stores)], arguments)

    def _issue_native(self, function: str, words: list[int], sizes: list[int], arguments: Mapping[str, Any]) -> None:
        mapper_library.library()
        scalars = self._scalars(arguments)
        wrong = getattr(mapper_library.functions(), function)(
            self.task,
            (ctypes.c_int64 * len(words))(*words),
            *sizes,
            (ctypes.c_int64 * len(scalars))(*scalars),
            len(scalars),
        )
        if wrong:
            raise LuxError(f"Legate refused a launch of {self._name}: {wrong.decode()}")

    @staticmethod
    def _tile(points: int, split: Store, store: Store) -> int:
        """Return how many elements each point sees if all see equally many, one after the other; else 0."""
        if not isinstance(split, Rectangles) or len(split.cuts) != points or points == 1:
            return 0
        return split.width if length_of(store) + store.spare == points * split.width else 0

    def _scalars(self, arguments: Mapping[str, Any]) -> list[int]:
        """Collect the scalars that the task is given."""
        return [arguments["key"], arguments.get("number", 0), self.zero_copy_mask]


@functools.cache
def _first_point() -> Store:
    """Make the store that gives the only point of a launch its number."""
    return point_ids(1)


def register_body(key: int, body: int, tables: Sequence[NDArray[np.int64]], points: int) -> None:
    """Have the launches with this key, in this process, call the function at an address.

    Parameters
    ----------
    key : int
        Key of `lux.runtime.register`.
    body : int
        Address of a function that takes the address of a table, the point, the address of an address and a size for
        each store, the number of stores, and the address of a record of four float64 to fill; it returns how many
        numbers of the record it wrote, and must not raise.
    tables : pair of np.ndarray
        Tables for all calls in launches of even, and of odd ``number`` (0 by default); kept by the caller.
    points : int
        Points of each launch; further points do nothing.
    """
    even, odd = tables
    mapper_library.functions().lux_share(key, body, even.ctypes.data, odd.ctypes.data, points)


def records(key: int, point: int) -> NDArray[np.float64]:
    """Return all records of a point that ran in this process, in order; for the driver, after `finish`.

    A Python task must not call this function: Legate drops a task's thread state without being its owner, and ends the
    process where ctypes has left something in it.
    """
    size = ctypes.c_int64()
    data = mapper_library.functions().lux_records(key, point, ctypes.byref(size))
    return np.ctypeslib.as_array(data, (size.value,)).copy() if size.value else np.empty(0)


def forget_records(key: int) -> None:
    """Drop the records that `records` returns; for the driver, after `finish`."""
    mapper_library.functions().lux_forget_records(key)


def unregister_body(key: int) -> None:
    """Drop the body of `register_body`, and the records."""
    mapper_library.functions().lux_unshare(key)
