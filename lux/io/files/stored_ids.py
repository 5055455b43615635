# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Stored ids of vertices: arrays in files, checked before ids are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import FormatError
from lux.graph.core.ids import Bipartite, Identity, Integers, Offset, Strings, VertexIds

Arrays = Mapping[str, NDArray[Any]]


def from_arrays(arrays: Arrays) -> VertexIds:
    """Build the ids that `VertexIds.to_arrays` saved, and check all that methods of `VertexIds` rely on.

    Raises
    ------
    FormatError
        An array is missing, or has another type or shape, or the ids are not distinct and in ascending order.

    Examples
    --------
    >>> from_arrays(Offset(3, 1).to_arrays()) == Offset(3, 1)
    True
    >>> from_arrays({"kind": np.array("integers"), "values": np.array([3, 3])})
    Traceback (most recent call last):
        ...
    lux.errors.FormatError: the ids of vertices are not in ascending order: 3 follows 3
    """
    kind = str(_array(arrays, "kind", "U", 0))
    if kind == Bipartite.kind:
        return Bipartite(*(_one_space(_side(arrays, side)) for side in ("left", "right")))
    return _one_space(arrays)


def _side(arrays: Arrays, side: str) -> Arrays:
    return {key.removeprefix(f"{side}."): value for key, value in arrays.items() if key.startswith(f"{side}.")}


def _one_space(arrays: Arrays) -> VertexIds:
    kind = str(_array(arrays, "kind", "U", 0))
    if kind in (Identity.kind, Offset.kind):
        return _offset(arrays, kind)
    if kind == Integers.kind:
        return _integers(_array(arrays, "values", "iu", 1))
    if kind == Strings.kind:
        return _strings(_array(arrays, "text", "u", 1), _array(arrays, "offsets", "iu", 1))
    raise FormatError(f"{kind[:60]!r} is no kind of vertex ids")


def _array(arrays: Arrays, key: str, kinds: str, dimensions: int) -> NDArray[Any]:
    found = arrays.get(key)
    if found is None:
        raise FormatError(f"the array {key!r} of vertex ids is missing")
    if found.dtype.kind not in kinds or found.ndim != dimensions:
        raise FormatError(f"the array {key!r} of vertex ids has type {found.dtype} and shape {found.shape}")
    return found


def _offset(arrays: Arrays, kind: str) -> VertexIds:
    n = int(_array(arrays, "n", "iu", 0))
    base = 0 if kind == Identity.kind else int(_array(arrays, "base", "iu", 0))
    if not 0 <= n < 2**63 or not (-(2**63) <= base <= base + n <= (2**63 if base < 0 else 2**64)):
        raise FormatError(f"{n} consecutive ids of vertices from {base} on are no integers of 64 bits")
    return Identity(n) if kind == Identity.kind else Offset(n, base)


def _integers(values: NDArray[Any]) -> VertexIds:
    falling = np.flatnonzero(values[1:] <= values[:-1])
    if len(falling):
        before, after = values[falling[0]], values[falling[0] + 1]
        raise FormatError(f"the ids of vertices are not in ascending order: {after} follows {before}")
    return Integers(values)


def _strings(text: NDArray[Any], offsets: NDArray[Any]) -> VertexIds:
    import pyarrow as pa
    import pyarrow.compute as pc

    if text.dtype != np.uint8 or offsets.dtype != np.int64:
        raise FormatError(f"names of vertices are uint8 with offsets of int64, not {text.dtype} and {offsets.dtype}")
    text, offsets = np.ascontiguousarray(text), np.ascontiguousarray(offsets)
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(text) or np.any(offsets[1:] < offsets[:-1]):
        raise FormatError(f"offsets of vertices' names do not ascend from 0 to the {len(text)} bytes of the text")
    names = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(text))
    try:
        names.validate(full=True)
    except pa.ArrowInvalid:
        raise FormatError("names of vertices are not UTF-8") from None
    rising = pc.less(names[:-1], names[1:]).to_numpy(zero_copy_only=False)
    if not rising.all():
        at = int(np.argmin(rising))
        before, after = names[at].as_py()[:60], names[at + 1].as_py()[:60]
        raise FormatError(f"the names of vertices are not in ascending order: {after!r} follows {before!r}")
    return Strings(text, offsets)
