# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The compiled body of a run's launches, and the tables that it reads in its process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen import native_entry
from lux.codegen.compile import native_body
from lux.engine.run.program_launches import PartitionLaunches, TaskContext


def register_body(
    key: int,
    launches: PartitionLaunches,
    shared: TaskContext,
    module: str,
    kind: Callable[[str], Any],
    resident: Sequence[Mapping[str, NDArray[Any]]] = (),
    some: range | None = None,
) -> None:
    """Register the body of the launches with a key, until `lux.runtime.unregister_body`.

    Parameters
    ----------
    key : int
        Key of ``shared``, which keeps the tables that the body reads: launches go on after an interrupt.
    launches : PartitionLaunches
    shared : TaskContext
    module : str
        Module of the kernels.
    kind : callable
        Maps an argument to its `Kind`.
    resident : pair of mappings of name to np.ndarray
        Whole stores of launches of even and of odd number, for `PartitionLaunches.lean`.
    some : range, optional
        The partitions of a launch's points; by default all.
    """
    names, full = launches.arguments.names, launches.run.arrays
    parts = range(len(shared.points) - 1) if some is None else some
    given = launches.lean.arrays if resident else full
    kinds = {name: kind(name) for name in names}
    stores = {
        names[place]: native_entry.FromStore(given.index(full[store]), _itemsize(kinds[names[place]], view))
        for place, store, view, _ in launches.arguments.from_stores
        if full[store] in given
    }
    fixed = native_entry.table_names(names, stores)
    from_store = {names[place]: (full[store], view) for place, store, view, _ in launches.arguments.from_stores}

    def value(name: str, part: int, whole: Mapping[str, NDArray[Any]]) -> Any:
        if name not in from_store:
            return _value(shared, name, part)
        store, view = from_store[name]
        split = launches.run.split_of[store]
        array = whole[store] if split is None else whole[store][slice(*shared.cuts[split][part])]
        return array if view is None else array.view(kinds[name].dtype.name)

    tables = []
    for whole in resident or ({},):
        values = [native_entry.as_array(value(name, part, whole), kinds[name]) for part in parts for name in fixed]
        tables.append(np.array([[a.ctypes.data, len(a)] for a in values], np.int64))
        shared.tables += [*values, tables[-1]]
    body = native_body(native_entry.body_text(module, names, kinds, stores))
    runtime.register_body(key, body, (tables[0], tables[-1]), len(parts))


def _itemsize(kind: Any, view: str | None) -> int:
    """Return the bytes of an element of an argument's store, of which queues and totals are views."""
    return 8 if view is not None else int(kind.dtype.itemsize)


def _value(shared: TaskContext, name: str, part: int) -> Any:
    own = {"lo": shared.points[part], "hi": shared.points[part + 1], "part": part}
    return own.get(name, shared.values.get(name))
