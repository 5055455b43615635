# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The compiled body of a launch of ``run``, as text: from addresses to a kernel's arguments (`lux.runtime.native`).

What is the same in every launch lies in a table: for each partition an address and a length for each argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from lux.kernels.frontier import STATISTICS_COLUMNS
from lux.kernels.vertices import block


class FromStore(NamedTuple):
    """An argument that is a store: its number, and the bytes of its elements."""

    store: int
    itemsize: int


@intrinsic
def address(context, number):
    """A pointer from an integer."""

    def build(ctx, builder, signature, args):
        return builder.inttoptr(args[0], ctx.get_value_type(types.voidptr))

    return types.voidptr(types.int64), build


def body_text(module: str, names: Sequence[str], kinds: Mapping[str, Any], stores: Mapping[str, FromStore]) -> str:
    """The module of the body.

    Parameters
    ----------
    module : str
        Where ``run`` is.
    names : sequence of str
        Arguments of ``run``.
    kinds : mapping of name to numba type
    stores : mapping of name to FromStore
        The arguments that are stores. The record is ``statistics``, and all others are in the table.
    """
    fixed = table_names(names, stores)
    lines = [f"at = point * {2 * len(fixed)}", f"statistics = carray(record, ({STATISTICS_COLUMNS},))"]
    for k, name in enumerate(fixed):
        place, length = f"address(tables[at + {2 * k}])", f"tables[at + {2 * k + 1}]"
        array = isinstance(kinds[name], types.Array)
        dtype = _dtype(kinds[name].dtype if array else kinds[name])
        lines.append(f"{name} = carray({place}, ({length},), {dtype})" + ("" if array else "[0]"))
    for name, (store, itemsize) in stores.items():
        dtype = kinds[name].dtype
        size = f"stores[{2 * store + 1}] * {itemsize} // {np.dtype(str(dtype)).itemsize}"
        lines.append(f"{name} = carray(address(stores[{2 * store}]), ({size},), {_dtype(dtype)})")
    lines += [
        f"ran = run({', '.join(names)})",
        f"return np.int64({STATISTICS_COLUMNS} * ran)",
    ]
    return "\n".join(
        [
            '"""The body of a launch, written by lux.kernels.native."""',
            "import numpy as np",
            "from numba import carray, cfunc, types",
            "from lux.kernels.native import address",
            f"from {module} import run",
            "INTEGERS, NUMBERS = types.CPointer(types.int64), types.CPointer(types.float64)",
            "@cfunc(types.int64(INTEGERS, types.int64, INTEGERS, types.int64, NUMBERS), cache=True)",
            "def body(tables, point, stores, n_stores, record):",
            block(lines, 1),
            "",
        ]
    )


def _dtype(kind: Any) -> str:
    return "np.bool_" if str(kind) in ("bool", "boolean") else f"np.{kind}"


def table_names(names: Sequence[str], stores: Mapping[str, FromStore]) -> list[str]:
    """The arguments that are in the table, in order."""
    return [n for n in names if n not in stores and n != "statistics"]
