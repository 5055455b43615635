# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The order by degree, made on one GPU: the same as `lux.graph.ordering` makes on CPU cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lux import runtime
from lux.graph.construction.gpu import edges as gpu_edges
from lux.launch.call import NULL
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.core.stored_graph import StoredGraph


KEY_BITS = 64
"""Bits of a key: a degree and a vertex. Cores order graphs that need more."""


def by_degree(graph: StoredGraph, out_degrees: Store | None, ranges: int) -> tuple[Store, Store] | None:
    """Deal vertices out to ranges in the order of falling degree, if a GPU should and has room.

    ``out_degrees`` by position, int32 or int64, count besides in-degrees.

    Returns
    -------
    vertices, places : Store of shape (n_vertices,), uint32
        As in `lux.graph.core.stored_graph.Order`.
    """
    n = graph.n_vertices
    needed = 32 * n + 12 * n + gpu_edges.bytes_needed(0, 0, 0, {})
    if not gpu_edges.wanted(graph.n_edges) or n >= gpu_edges.MOST_VERTICES or not gpu_edges.has_room(needed):
        return None
    inputs, most, kind = {"offsets": graph.offsets}, graph.n_edges, "int32"
    if out_degrees is not None:
        inputs["out_degrees"], most, kind = out_degrees, 2 * most, np.dtype(out_degrees.dtype).name
    bits = max(1, (n - 1).bit_length())
    if bits + most.bit_length() > KEY_BITS:
        return None
    source: list[str | np.generic] = ["offsets", "out_degrees" if out_degrees is not None else NULL, np.uint64(most)]
    by = {"FROM_DEGREES": 1, "DEGREE": gpu_edges.DEGREES[kind]}
    keys, _, _, _ = gpu_edges.sort(inputs, source, n, bits, (bits, bits + most.bit_length()), macros=by)
    made = {name: runtime.new_store(np.uint32, n, touched=False) for name in ("vertices", "places")}
    arguments: list[str | np.generic] = [
        *("keys", np.int64(n), np.uint32(bits), np.int64(ranges), "vertices", "places", "control")
    ]
    gpu_edges.call("sorted_edges.cu", "lux_deal_vertices", arguments, {"keys": keys}, made, {})
    return made["vertices"], made["places"]
