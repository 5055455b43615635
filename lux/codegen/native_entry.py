# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The compiled body of a launch of ``run``, as text: from addresses to a kernel's arguments (`compiled_launch`).

A table has the arguments that are the same in every launch: an address and a length for each, per partition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux.codegen.cpu_vertex import block
from lux.kernels.deferred import Deferred, arrayobj, intrinsic
from lux.kernels.frontier import STATISTICS_COLUMNS
from lux.kernels.kinds import Kind, array


class FromStore(NamedTuple):
    """An argument that is a store: its number, and the bytes of its elements."""

    store: int
    itemsize: int


def _numbas_carray() -> Any:
    from numba import carray  # type: ignore[attr-defined]  # numba has it

    return carray


carray = Deferred(_numbas_carray)
"""`numba.carray`, in compiled functions."""


def array_of(name: str) -> Any:
    """Make an array in a kernel from ``(words, at, itemsize)``, with its address and its length there.

    ``words[at + 1]`` counts elements of ``itemsize`` bytes. (`numba.carray` does the same, and takes several times as
    long to compile, forty times in a body.)
    """

    @intrinsic
    def made(context, words, at, itemsize):
        kind = array(name).numba()

        def build(ctx, builder, signature, args):
            first, at, itemsize = args
            address, count = (builder.load(builder.gep(first, [builder.add(at, at.type(k))])) for k in (0, 1))
            bytes_of_one = ctx.get_abi_sizeof(ctx.get_data_type(kind.dtype))
            width = at.type(bytes_of_one)
            length = builder.sdiv(builder.mul(count, itemsize), width)
            view = ctx.make_array(kind)(ctx, builder)
            data = builder.inttoptr(address, view.data.type)
            arrayobj.populate_array(view, data, [length], [width], width, None)
            return view._getvalue()  # noqa: SLF001  # that is how Numba spells it

        return kind(words, at, itemsize), build

    return made


def body_text(
    module: str,
    names: Sequence[str],
    kinds: Mapping[str, Kind],
    stores: Mapping[str, FromStore],
    *,
    recorded: bool = True,
) -> str:
    """Write the module of the body.

    Parameters
    ----------
    module : str
        Name of the module of ``run``.
    names : sequence of str
        Arguments of ``run``.
    kinds : mapping of name to Kind
    stores : mapping of name to FromStore
        The arguments that are stores; all others are in the table.
    recorded : bool
        True if ``statistics`` is the record of one iteration, and not in the table.
    """
    fixed = table_names(names, stores, recorded=recorded)
    dtypes = {kinds[name].dtype.name for name in (*fixed, *stores)}
    lines = [f"_row = _point * {2 * len(fixed)}"]
    lines += [f"statistics = carray(_record, ({STATISTICS_COLUMNS},))"] if recorded else []
    for k, name in enumerate(fixed):
        dtype = kinds[name].dtype
        element = "" if kinds[name].ndim else "[0]"
        lines.append(f"{name} = {dtype.name}s(_tables, _row + {2 * k}, {dtype.itemsize}){element}")
    for name, (store, itemsize) in stores.items():
        lines.append(f"{name} = {kinds[name].dtype.name}s(_stores, {2 * store}, {itemsize})")
    lines += [
        f"_ran = run({', '.join(names)})",
        f"return np.int64({STATISTICS_COLUMNS} * _ran)",
    ]
    return "\n".join(
        [
            '"""The body of a launch, written by lux.codegen.native_entry."""',
            "import numpy as np",
            "from lux.codegen.native_entry import array_of, carray",
            "from lux.kernels.native_body import NativeBody",
            f"from {module} import run",
            *(f"{dtype}s = array_of('{dtype}')" for dtype in sorted(dtypes)),
            "@NativeBody",
            "def body(_tables, _point, _stores, _n_stores, _record):",
            block(lines, 1),
            "",
        ]
    )


def as_array(value: Any, kind: Kind) -> NDArray[Any]:
    """Return an array as it is, and a number as an array of one."""
    return value if isinstance(value, np.ndarray) else np.array([value], kind.dtype)


def table_names(names: Sequence[str], stores: Mapping[str, FromStore], *, recorded: bool = True) -> list[str]:
    """List the arguments that are in the table, in order."""
    return [n for n in names if n not in stores and not (recorded and n == "statistics")]
