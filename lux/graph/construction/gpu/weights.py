# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The range of weights, and edges by weight, made on one GPU: as `lux.algorithms.sssp.weights` makes them on cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu.columns import rows_of
from lux.launch.call import KernelCall, kernel
from lux.launch.memory import Scratch
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.core.stored_graph import StoredGraph

TYPES = {"float32": "float", "int32": "i32", "uint32": "u32"}
"""C++ types of weights that have 32 bits."""
SHARES, SHARE = 256, np.dtype([("least", "f8"), ("most", "f8"), ("sum", "f8"), ("state", "u8")])
"""``Share`` of ``weights.cu``; the state is 0 where no block was, and 2 where a weight is NaN or infinite."""
BAD = 2


def weight_range(graph: StoredGraph) -> tuple[Any, Any, float] | None:
    """Find the smallest, the largest and the mean weight; None where cores look, or find what is wrong."""
    kind, m = graph.property_types["weight"], graph.n_edges
    if kind.name not in TYPES or not gpu_edges.wanted(m) or not gpu_edges.has_room(4 * m):
        return None
    function = kernel("weights.cu", "lux_weight_range", gpu_edges.THREADS, WEIGHT=TYPES[kind.name])
    nbytes, weights = SHARES * SHARE.itemsize, {"weights": graph.properties["weight"]}

    def read(control: NDArray[np.uint8], _statistics: Any) -> NDArray[Any]:
        found = control.view(SHARE)
        return found[found["state"] > 0].copy()

    scratch = Scratch({"control": nbytes}, {})
    shares = KernelCall(function, ["weights", np.int64(m), "control"], weights, {}, scratch, nbytes, 0, read).run(
        "weight_range"
    )[0]
    if (shares["state"] == BAD).any():
        return None
    least, most = (kind.type(x).item() for x in (shares["least"].min(), shares["most"].max()))
    return least, most, float(shares["sum"].sum() / m)


def by_weight(graph: StoredGraph, most: Any) -> tuple[Store, Store, Store] | None:
    """Sort the in-edges of every vertex by weight: sources, weights, and the least weight of every vertex.

    ``most`` is the largest weight, and none is negative. None where cores sort.
    """
    kind, n, m = graph.property_types["weight"], graph.n_vertices, graph.n_edges
    if kind.name not in TYPES or not gpu_edges.wanted(m) or max(n, m) >= gpu_edges.MOST_LISTED:
        return None
    if not gpu_edges.has_room(gpu_edges.bytes_needed(n, m, m, {"weight": kind})):
        return None
    bits = max(1, int(np.array(most, kind).view(np.uint32)).bit_length())
    rows = {"rows": rows_of(graph), "weights": graph.properties["weight"]}
    macros = {"FROM_WEIGHTS": 1, "WEIGHT": TYPES[kind.name]}
    whole = (0, bits + max(1, (n - 1).bit_length()))
    keys, indices, _, _ = gpu_edges.sort(rows, ["rows", "weights"], m, bits, whole, payload=True, macros=macros)
    assert indices is not None
    made = {"out_sources": np.dtype(np.uint32), "out_weights": kind, "least": kind}
    outputs = {name: runtime.new_store(t, n if name == "least" else m, touched=False) for name, t in made.items()}
    inputs = {"keys": keys, "indices": indices, "sources": graph.sources, "offsets": graph.offsets}
    arguments: list[str | np.generic] = [*inputs, np.int64(m), np.int64(n), np.uint32(bits), *outputs, "control"]
    gpu_edges.call("weights.cu", "lux_write_by_weight", arguments, inputs, outputs, {}, WEIGHT=TYPES[kind.name])
    return outputs["out_sources"], outputs["out_weights"], outputs["least"]
