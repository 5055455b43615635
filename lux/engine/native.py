# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The compiled body of a run's launches, and what it finds in its process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.step import Shared, Step
from lux.kernels import native
from lux.kernels.compile import native_body


def share_body(key: int, launches: Step, shared: Shared, module: str, kind: Callable[[str], Any]) -> None:
    """Make the body of the launches with a key known, until `lux.runtime.unshare_body`.

    Parameters
    ----------
    key : int
        Of ``shared``, which keeps what the body reads: launches go on where a run is interrupted.
    launches : Step
    shared : Shared
    module : str
        Where the kernels are.
    kind : callable
        From an argument to its Numba type.
    """
    names, parts = launches.arguments.names, len(shared.points) - 1
    kinds = {name: kind(name) for name in names}
    stores = {
        names[place]: native.FromStore(store, _itemsize(kinds[names[place]], view))
        for place, store, view, _ in launches.arguments.from_stores
    }
    fixed = native.table_names(names, stores)
    values = [_array(_value(shared, name, part), kinds[name]) for part in range(parts) for name in fixed]
    tables = np.array([[a.ctypes.data, len(a)] for a in values], np.int64)
    shared.tables += [*values, tables]
    body = native_body(native.body_text(module, names, kinds, stores))
    runtime.share_body(key, body, tables, parts)


def _itemsize(kind: Any, view: str | None) -> int:
    """Bytes of the elements of an argument's store, of which queues and totals are views."""
    return 8 if view is not None else int(np.dtype(str(kind.dtype)).itemsize)


def _value(shared: Shared, name: str, part: int) -> Any:
    own = {"lo": shared.points[part], "hi": shared.points[part + 1], "part": part}
    return own.get(name, shared.values.get(name))


def _array(value: Any, kind: Any) -> NDArray[Any]:
    """An array as it is, and a number as an array of one."""
    return value if isinstance(value, np.ndarray) else np.array([value], str(kind).replace("boolean", "bool"))
