# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Partitions' edges grouped by source on the GPUs that have them, as `lux.graph.indexes.csr_by_source` does on cores.

A GPU lists its edges row by row, sorts them by the position of their source among the members of INS, and writes a row
for each member. The order is stable, so destinations rise within a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.gpu import choice
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu.several_gpus import call_on_all, store_of_edges
from lux.graph.core.partitions import cut
from lux.graph.indexes.csr_by_source import CsrBySource
from lux.launch.call import NULL, kernel
from lux.launch.peer_call import Argument, Parts, PeerCall, Placed, place
from lux.partition.split_points import starts

if TYPE_CHECKING:
    from lux.graph.layout import PartitionedGraph
    from lux.runtime import Store

BITS = 32
"""Bits of a destination in a key."""


def made(layout: PartitionedGraph, names: tuple[str, ...]) -> CsrBySource | None:
    """Group every partition's edges by source, with the edge properties ``names``.

    Returns
    -------
    CsrBySource or None
        Without ``ins``, which kernels on GPUs do not read. None: the GPUs do not have one partition each with its local
        ids, or no room, or there are too few edges.
    """
    graph, sizes = layout.graph, np.diff(layout.edge_points)
    local = vars(layout.members).get("local_sources") if "members" in vars(layout) else None
    if local is None or not has_room(layout, names, int(layout.members.sizes.max())):
        return None
    members = layout.members.sizes
    columns = _listed(layout, local)
    at, points = starts(members + 1), layout.edge_points
    digits = max(1, (int(members.max()) - 1).bit_length())
    keys, of_keys = _sorted_by_source(columns, points, digits, payload=bool(names))
    del columns
    stores = {
        "offsets": Parts(runtime.new_store(np.int64, int(at[-1]), touched=False), at),
        "destinations": Parts(store_of_edges(np.uint32, graph.n_edges), points),
    }
    if names:
        stores["kept"] = Parts(store_of_edges(np.uint32, graph.n_edges), points)
    placed = place(layout.parts, {}, stores) | keys
    arguments: list[Argument] = [
        *(of_keys[0], of_keys[1], sizes, np.uint32(BITS), np.uint32(0), members, np.uint64(0), "offsets"),
        *("destinations", "kept" if names else NULL, "block_counts", "control"),
    ]
    call_on_all(kernel("sorted_edges.cu", "lux_write_edges", gpu_edges.THREADS), placed, arguments, "write_edges")
    del keys, placed
    kept = stores.pop("kept", None)
    properties = {name: _gathered(layout, graph.properties[name], kept) for name in names if kept is not None}
    cuts = {"by_offsets": cut(at)}
    return CsrBySource(None, stores["offsets"].store, stores["destinations"].store, properties, cuts)


def has_room(layout: PartitionedGraph, names: tuple[str, ...], members: int, beside: int = 0) -> bool:
    """Tell whether GPUs, with a partition each, can group edges by source, and it is worth it.

    Parameters
    ----------
    members : int
        Members of the largest INS.
    beside : int
        Bytes on each GPU of what is still to be made before: members and local ids.
    """
    largest = int(np.diff(layout.edge_points).max())
    if not gpu_edges.wanted(layout.graph.n_edges) or layout.parts == 1 or choice.several() != layout.parts:
        return False
    if names and largest >= gpu_edges.MOST_LISTED:
        return False
    # columns or what is made of them, two copies of the keys, and what comes with them
    properties = sum(layout.graph.property_types[name].itemsize for name in names)
    of_edge = 8 + 16 + properties + (12 if names else 0)
    return gpu_edges.has_room(beside + 2 * gpu_edges.COUNTS["counts"] + of_edge * largest + 8 * (members + 1))


def _listed(layout: PartitionedGraph, local: Store) -> Placed:
    """List each partition's edges: the position of the source, and the destination."""
    points, m = layout.edge_points, layout.graph.n_edges
    rows = np.append(layout.points[:-1], layout.graph.n_vertices + 1)  # as those that made the graph left them
    reads = {"offsets": Parts(layout.graph.offsets, rows), "local": Parts(local, points)}
    made = {name: Parts(store_of_edges(np.uint32, m), points) for name in ("positions", "destinations")}
    placed = place(layout.parts, reads, made)
    arguments: list[Argument] = [
        *("offsets", placed.from_start("local"), NULL, np.uint32(1), NULL, NULL, np.uint32(0), layout.points[:-1]),
        *(np.diff(layout.points), np.int64(m), points[:-1], points[1:], "positions", "destinations", NULL),
        *("block_counts", "control"),
    ]
    call_on_all(kernel("edges_of_rows.cu", "lux_list_rows", gpu_edges.THREADS), placed, arguments, "list_rows")
    kept = ("positions", "destinations")
    return Placed(layout.parts, made, {name: placed.addresses[name] for name in kept})


def _sorted_by_source(
    columns: Placed, points: NDArray[np.int64], digits: int, *, payload: bool
) -> tuple[Placed, tuple[Argument, Argument]]:
    """Sort each partition's edges by the position of the source; returns the memory, and where keys and numbers are."""
    pairs = [("keys", np.uint64), *([("indices", np.uint32)] if payload else [])]
    stores = {
        f"{name}_{k}": Parts(store_of_edges(kind, int(points[-1])), points) for name, kind in pairs for k in (0, 1)
    }
    memory = place(columns.gpus, {}, stores)
    arguments: list[Argument] = [
        *("destinations", "positions", np.uint32(0), np.uint32(0), np.uint32(BITS), np.diff(points)),
        *(np.uint32(BITS), np.uint32(BITS + digits), "keys_0", "keys_1"),
        *(("indices_0", "indices_1") if payload else (NULL, NULL)),
        *("counts", "control"),
    ]
    function = kernel("edge_sort.cu", "lux_sort_edges", gpu_edges.SORT_THREADS, PAYLOAD=int(payload))
    PeerCall(function, columns | memory, arguments, {"control": gpu_edges.REPORTED}, gpu_edges.COUNTS).run("sort_edges")
    last = (-(-digits // gpu_edges.DIGIT_BITS) - 1) % 2
    return memory, (f"keys_{last}", f"indices_{last}" if payload else NULL)


def _gathered(layout: PartitionedGraph, values: Store, kept: Parts) -> Store:
    """Take the values of each partition's edges in their new order."""
    kind, points = np.dtype(values.dtype), layout.edge_points
    after = store_of_edges(kind, layout.graph.n_edges)
    placed = place(layout.parts, {"before": Parts(values, points), "at": kept}, {"after": Parts(after, points)})
    arguments: list[Argument] = ["before", NULL, np.uint32(1), "at", "after", np.diff(points), "control"]
    value = gpu_edges.WORDS[kind.itemsize]
    function = kernel("sorted_edges.cu", "lux_gather_values", gpu_edges.THREADS, VALUE=value)
    call_on_all(function, placed, arguments, "gather_values")
    return after
