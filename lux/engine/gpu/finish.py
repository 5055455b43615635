# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`lux.engine.finish.finished` on one GPU, for the results of runs on GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import legate_config
from lux import runtime
from lux.engine.gpu import place
from lux.engine.gpu.call import NULL, Call, kernel
from lux.engine.gpu.memory import Scratch

if TYPE_CHECKING:
    from lux.graph import Graph
    from lux.runtime import Store

THREADS = 1024
TYPES = {
    "int32": ("i32", "0x7fffffff"),
    "uint32": ("u32", "0xffffffffu"),
    "int64": ("i64", "0x7fffffffffffffffll"),
    "uint64": ("u64", "0xffffffffffffffffull"),
    "float32": ("float", "__int_as_float(0x7f800000)"),
    "float64": ("double", "__longlong_as_double(0x7ff0000000000000ll)"),
}
"""Of values that may be "none", in CUDA C++, and their largest value."""
MOVED = {1: "unsigned char", 2: "unsigned short", 4: "u32", 8: "u64"}
"""Of values that are only moved, by their bytes."""


def fits(graph: Graph, store: Store, dtype: Any, length: int) -> bool:
    """Whether the GPU that holds a result has room for it twice, beside all edges; and whether it knows the types."""
    kind = np.dtype(store.dtype)
    known = dtype is None or (kind.name in TYPES and np.dtype(dtype).name in TYPES)
    vertex = (kind.itemsize + 8) * length + 8
    properties = sum(t.itemsize for t in graph.property_types.values())
    needed = place.edges_bytes(graph, properties, both=True) + vertex * graph.n_vertices
    given = legate_config.settings().fbmem_bytes
    return known and runtime.ranks() == 1 and graph.n_vertices < place.MOST_VERTICES and needed <= given


def finished(graph: Graph, store: Store, dtype: Any, *, places: bool, length: int) -> Store:
    """See `lux.engine.finish.finished`; there is something to do."""
    order, kind = graph.order, np.dtype(store.dtype)
    inputs = {"before": store}
    if order is not None:
        inputs |= {"at": order.places} | ({"names": order.vertices} if places else {})
    after = runtime.new_store(kind if dtype is None else dtype, graph.n_vertices * length, touched=False)
    if dtype is None:
        macros: dict[str, Any] = dict.fromkeys(("BEFORE", "AFTER"), MOVED[kind.itemsize]) | {"SIGNED": 0}
    else:
        before, none = TYPES[kind.name]
        macros = {"BEFORE": before, "AFTER": TYPES[np.dtype(dtype).name][0], "SIGNED": 1, "NONE_BEFORE": none}
    arguments: list[str | np.generic] = [
        *(name if name in inputs else NULL for name in ("before", "at", "names")),
        "after",
        np.int64(graph.n_vertices),
        np.int64(length),
        "control",
    ]
    function = kernel("take.cu", "lux_take", THREADS, **macros)
    scratch = Scratch({"control": 8}, {})
    Call(function, arguments, inputs, {"after": after}, scratch, 0, 0, lambda *_: None).run("finish")
    return after
