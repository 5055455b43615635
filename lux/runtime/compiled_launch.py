# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Index launches whose body is compiled code: nothing of Python runs in the point tasks.

Points neither wait for the interpreter's lock nor make views of stores, which saves a third to a half of the time
between two launches of which one waits for the other.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
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

    def _set_of(self, names: Collection[str]) -> int:
        wanted = {*names, *(f"{n} before" for n in names)}
        return sum(1 << k for k, n in enumerate(self.arrays) if n in wanted)

    def _issue(self, points: int, arguments: Mapping[str, Any]) -> None:
        if points == 1 and not self._splits and not self._kinds["adds into"]:
            self._issue_whole(arguments)
        else:
            self._issue_parts(points, arguments)

    def _issue_parts(self, points: int, arguments: Mapping[str, Any]) -> None:
        from legate.core import ReductionOpKind, align, broadcast, get_legate_runtime, image, scale, types

        task = get_legate_runtime().create_auto_task(mapper_library.library(), self.task)
        if not self._splits:
            task.add_input(point_ids(points).legate)
        variables = {split: task.add_input(arguments[split].legate) for split in self._splits}
        for before, after in itertools.pairwise(v for split, v in variables.items() if split not in self._grouped):
            task.add_constraint(align(before, after))
        for several, rows in self._grouped.items():
            task.add_constraint(image(variables[rows], variables[several]))

        def constrain(variable: Any, split: str | None, store: Store) -> None:
            if split not in variables:
                task.add_constraint(broadcast(variable))
            elif width := self._tile(points, arguments[split], store):
                # An image that is written costs 0.1 KiB each time, as long as its rectangles live (Legate 26.1).
                task.add_constraint(scale((width,), variables[split], variable))
            else:
                task.add_constraint(image(variables[split], variable))

        reads, writes = self._kinds["reads"], self._kinds["writes"]
        updates, sums = self._kinds["updates"], self._kinds["adds into"]
        seen: set[int] = set()
        for name, split in reads.items():
            store = arguments[name]
            # A store that is passed a second time would have the parts of the first.
            own = task.declare_partition() if id(store) in seen else None
            constrain(task.add_input(store.legate, own), split, store)
            seen.add(id(store))
        for name, split in updates.items():
            constrain(task.add_input(arguments[name].legate), split, arguments[name])
        for name, split in [*writes.items(), *updates.items()]:
            constrain(task.add_output(arguments[name].legate), split, arguments[name])
        for name, split in sums.items():
            constrain(task.add_reduction(arguments[name].legate, ReductionOpKind.ADD), split, arguments[name])
        for value in self._scalars(arguments):
            task.add_scalar_arg(value, types.int64)
        task.execute()

    def _issue_whole(self, arguments: Mapping[str, Any]) -> None:
        """Issue a launch of one point that sees whole stores: Legate has no partitions to choose, which saves time."""
        mapper_library.library()
        read, written = self._whole
        stores = (ctypes.c_void_p * (1 + len(read) + len(written)))(
            _first_point().handle, *[arguments[name].handle for name in (*read, *written)]
        )
        scalars = self._scalars(arguments)
        wrong = mapper_library.functions().lux_launch_whole(
            self.task, stores, 1 + len(read), len(stores), (ctypes.c_int64 * len(scalars))(*scalars), len(scalars)
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
