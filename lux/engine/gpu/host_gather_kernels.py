# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""The body of a launch that gathers values of vertices side by side (`lux.engine.gpu.host_gather`)."""

from __future__ import annotations

import numpy as np
from numba import carray, cfunc, types  # type: ignore[attr-defined]  # numba has it
from numba.extending import intrinsic

from lux.kernels import njit
from lux.kernels.deferred import prepare_numba

prepare_numba()  # `cfunc` is not deferred
_INTEGERS, _NUMBERS = types.CPointer(types.int64), types.CPointer(types.float64)
_ANY = 1 << 62
"""Length of an array whose end is not known here."""
WORDS = 2
"""Words of a point in the table, before the words of the fields."""
WORDS_OF_A_FIELD = 3


@intrinsic
def address(context, number):
    """Make a pointer from an integer."""

    def build(ctx, builder, signature, args):
        return builder.inttoptr(args[0], ctx.get_value_type(types.voidptr))

    return types.voidptr(types.int64), build


@njit(nogil=True, cache=True)
def _gather(members, values, out, width):
    if width == 1:
        for k in range(len(members)):
            out[k] = values[members[k]]
        return
    for k in range(len(members)):
        first = np.int64(members[k]) * width
        for j in range(width):
            out[k * width + j] = values[first + j]


@cfunc(types.int64(_INTEGERS, types.int64, _INTEGERS, types.int64, _NUMBERS), cache=True)
def gather(table, point, stores, n_stores, record):
    """Copy each field of some members.

    ``table[0]`` is the number of fields. Each point has the address of its members (uint32), their number, and for each
    field the address of vertex 0, the address to copy to, and the bytes of a vertex.
    """
    fields = table[0]
    at = 1 + point * (WORDS + WORDS_OF_A_FIELD * fields)
    members = carray(address(table[at]), (table[at + 1],), np.uint32)
    at += WORDS
    for _ in range(fields):
        values, out, nbytes = table[at], table[at + 1], table[at + 2]
        at += WORDS_OF_A_FIELD
        if nbytes % 8 == 0:
            wide = carray(address(values), (_ANY // 8,), np.uint64), carray(address(out), (_ANY // 8,), np.uint64)
            _gather(members, wide[0], wide[1], nbytes // 8)
        elif nbytes % 4 == 0:
            half = carray(address(values), (_ANY // 8,), np.uint32), carray(address(out), (_ANY // 8,), np.uint32)
            _gather(members, half[0], half[1], nbytes // 4)
        else:
            single = carray(address(values), (_ANY // 8,), np.uint8), carray(address(out), (_ANY // 8,), np.uint8)
            _gather(members, single[0], single[1], nbytes)
    return 0
