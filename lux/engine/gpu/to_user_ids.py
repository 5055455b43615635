# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""`lux.engine.to_user_ids.to_user_ids` on one GPU, or on several that each have a part of a run's results.

GPUs read the values of others where these are. Those of other processes put them into boxes before (`boxes`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen.cuda_expressions import extreme
from lux.codegen.cuda_functions import C_TYPES
from lux.engine.gpu import boxes
from lux.engine.gpu.placement import allocation_ledger, device_selection
from lux.graph.construction.gpu.spread import even_points
from lux.launch.call import NULL, KernelCall, kernel
from lux.launch.memory import FILLED, Scratch
from lux.launch.peer_call import Argument, Parts, PeerCall, Table, place, spread_table

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.launch.peer_memory import PeerMemory
    from lux.runtime import Kernel, Store

THREADS = 1024
KINDS = ("int32", "uint32", "int64", "uint64", "float32", "float64")
"""Types of values that may be "none"."""
LARGEST = 8
"""Bytes of a value, at most."""
ORDER_BYTES = 16
"""Bytes of a vertex, at most: its position, its id, and its out-degree if a run has read that."""


def fits(
    graph: Graph, store: Store, dtype: Any, fields: Collection[Store], points: NDArray[np.int64] | None = None
) -> bool:
    """Tell whether the GPUs that hold a result know its types and have room for the conversion.

    All processes must call this at the same place.

    Parameters
    ----------
    graph : Graph
    store : Store
        The result, in the stored order.
    dtype : type or None
        Type of the converted values.
    fields : collection of Store
        All results of the run: each lies on the GPU with its converted values, besides all edges.
    points : np.ndarray, optional
        Split points of the vertices among several GPUs: beside all that is there, they make the converted values.
    """
    known = dtype is None or (np.dtype(store.dtype).name in KINDS and np.dtype(dtype).name in KINDS)
    several = runtime.ranks() > 1
    if not known or device_selection.why_too_many(graph) or (several and points is None):
        return False
    if points is not None:
        each = LARGEST * store.nbytes // np.dtype(store.dtype).itemsize + ORDER_BYTES * graph.n_vertices
        room = allocation_ledger.room_for(each // (len(points) - 1) + ORDER_BYTES // 4 * graph.n_vertices, 0)
        return room and not (several and _boxes(graph, store, points) is None)
    properties = sum(t.itemsize for t in graph.property_types.values())
    results = sum(f.nbytes + LARGEST * f.nbytes // np.dtype(f.dtype).itemsize for f in fields)
    needed = device_selection.edges_bytes(graph, properties, both=True) + ORDER_BYTES * graph.n_vertices + results
    return allocation_ledger.fits(graph, needed, filled=FILLED)


def to_user_ids(
    graph: Graph,
    store: Store,
    dtype: Any,
    *,
    places: bool,
    length: int,
    points: NDArray[np.int64] | None = None,
) -> Store:
    """Convert a field on the GPUs that hold it; see `lux.engine.to_user_ids.to_user_ids` and `fits`."""
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
    function = kernel("to_user_ids.cu", "lux_take", THREADS, **macros)
    at = [name if name in inputs else NULL for name in ("at", "names")]
    if points is not None:
        _by_several(function, graph, inputs, after, at, points, length)
        return after
    arguments: list[str | np.generic] = [
        *("before", NULL, np.uint32(1), *at, "after"),
        *map(np.int64, (0, graph.n_vertices, length)),
        "control",
    ]
    scratch = Scratch({"control": 8}, {})
    KernelCall(function, arguments, inputs, {"after": after}, scratch, 0, 0, lambda *_: None).run("finish")
    return after


def _by_several(
    function: Kernel,
    graph: Graph,
    inputs: Mapping[str, Store],
    after: Store,
    at: Sequence[str | np.generic],
    points: NDArray[np.int64],
    length: int,
) -> None:
    """Let each of several GPUs, which have the values between ``points``, convert those of a share of the ids."""
    gpus = len(points) - 1
    ids = even_points(int(points[-1]), gpus)
    cuts = {"before": points * length, "at": ids, "names": None}
    given = {name: Parts(store, cuts[name]) for name, store in inputs.items()}
    placed = place(gpus, given, {"after": Parts(after, ids * length)})
    taken = _boxes(graph, inputs["before"], points) if runtime.ranks() > 1 else None
    if taken is None:
        table = spread_table(placed, "before")
    else:
        boxes.fill(taken, placed, "before")
        ends = np.broadcast_to(length * points[1:], taken.addresses.shape)
        size = np.dtype(inputs["before"].dtype).itemsize
        table = Table(np.concatenate([taken.addresses - size * length * points[:-1], ends], axis=1))
    spread: list[Argument] = [NULL, table, np.uint32(gpus), *at, "after"]
    spread += [ids[:-1], np.diff(ids), np.int64(length), "control"]
    PeerCall(function, placed, spread, {"control": 8}).run("finish", None if taken is None else taken.points)


def _boxes(graph: Graph, store: Store, points: NDArray[np.int64]) -> PeerMemory | None:
    """Return boxes for the largest part of a field; None if there is no room for them."""
    return boxes.take(graph, len(points) - 1, int(np.diff(points).max()) * (store.nbytes // graph.n_vertices))
