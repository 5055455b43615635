# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`lux.engine.to_user_ids.to_user_ids` on one GPU, for the results of runs on GPUs."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from lux import runtime
from lux.codegen.cuda_expressions import extreme
from lux.codegen.cuda_functions import C_TYPES
from lux.engine.gpu.placement import allocation_ledger, device_selection
from lux.launch.call import NULL, KernelCall, kernel
from lux.launch.memory import FILLED, Scratch

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.runtime import Store

THREADS = 1024
KINDS = ("int32", "uint32", "int64", "uint64", "float32", "float64")
"""Types of values that may be "none"."""
LARGEST = 8
"""Bytes of a value, at most."""
ORDER_BYTES = 16
"""Bytes of a vertex, at most: its position, its id, and its out-degree if a run has read that."""


def fits(graph: Graph, store: Store, dtype: Any, fields: Collection[Store]) -> bool:
    """Tell whether the GPU that holds a result knows its types and has room for the conversion.

    Parameters
    ----------
    graph : Graph
    store : Store
        The result, in the stored order.
    dtype : type or None
        Type of the converted values.
    fields : collection of Store
        All results of the run: each lies on the GPU with its converted values, besides all edges.
    """
    known = dtype is None or (np.dtype(store.dtype).name in KINDS and np.dtype(dtype).name in KINDS)
    if not known or runtime.ranks() > 1 or device_selection.why_too_many(graph):
        return False
    properties = sum(t.itemsize for t in graph.property_types.values())
    results = sum(f.nbytes + LARGEST * f.nbytes // np.dtype(f.dtype).itemsize for f in fields)
    needed = device_selection.edges_bytes(graph, properties, both=True) + ORDER_BYTES * graph.n_vertices + results
    return allocation_ledger.fits(graph, needed, filled=FILLED)


def to_user_ids(graph: Graph, store: Store, dtype: Any, *, places: bool, length: int) -> Store:
    """Convert a field on the GPU that holds it; see `lux.engine.to_user_ids.to_user_ids`."""
    order, kind = graph.order, np.dtype(store.dtype)
    inputs = {"before": store}
    if order is not None:
        inputs |= {"at": order.places} | ({"names": order.vertices} if places else {})
    after = runtime.new_store(kind if dtype is None else dtype, graph.n_vertices * length, touched=False)
    if dtype is None:
        macros: dict[str, Any] = dict.fromkeys(("BEFORE", "AFTER"), C_TYPES[f"uint{8 * kind.itemsize}"]) | {"SIGNED": 0}
    else:
        types = {"BEFORE": C_TYPES[kind.name], "AFTER": C_TYPES[np.dtype(dtype).name]}
        macros = types | {"SIGNED": 1, "NONE_BEFORE": extreme(kind, largest=True)}
    arguments: list[str | np.generic] = [
        *(name if name in inputs else NULL for name in ("before", "at", "names")),
        "after",
        np.int64(graph.n_vertices),
        np.int64(length),
        "control",
    ]
    function = kernel("to_user_ids.cu", "lux_take", THREADS, **macros)
    scratch = Scratch({"control": 8}, {})
    KernelCall(function, arguments, inputs, {"after": after}, scratch, 0, 0, lambda *_: None).run("finish")
    return after
