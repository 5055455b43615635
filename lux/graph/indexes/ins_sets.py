# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""INS of each partition, as a set (`lux.kernels.vertex_set`) or counted: by one point task a partition."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.core.partitions import Partitions, cut
from lux.partition import split_points
from lux.partition.split_points import VertexSets
from lux.runtime import Launcher, Store

_SIZES = 3
"""Numbers of a set that a task reports: members, those that the partition owns, and words."""


@functools.cache
def _maker() -> Launcher:
    from lux.kernels import vertex_set as kernels

    def make_sets(point: int, points: NDArray[np.int64], sources: Any, sizes: NDArray[np.int64], key: int) -> None:
        made = kernels.vertex_set(sources)
        kernels.sizes_of(made, points[point], points[point + 1], sizes)
        if (kept := runtime.context(key)) is not None:
            kept[point] = made

    return Launcher(
        make_sets,
        inputs={"points_array": None, "sources": "edges"},
        outputs={"sizes": "size_rows"},
        scalars={"key": int},
    )


@runtime.task(outputs={"ins": "ins_rows"}, scalars={"key": int})
def _keep(point: int, ins: NDArray[np.uint64], key: int) -> None:
    ins[:] = runtime.context(key).pop(point)


def _made(layout: Partitions, key: int) -> NDArray[np.int64]:
    """Make the sets and return their sizes, of shape (parts, `_SIZES`)."""
    sizes = runtime.new_store(np.int64, _SIZES * layout.parts)
    _maker()(
        layout.parts,
        points_array=runtime.from_array(layout.points),
        sources=layout.graph.sources,
        edges=layout.splits["edges"],
        sizes=sizes,
        size_rows=layout.rows(_SIZES),
        key=key,
    )
    return runtime.to_array(sizes).reshape(-1, _SIZES)


def stored(layout: Partitions) -> tuple[Store, NDArray[np.int64], NDArray[np.int64]]:
    """Store INS of every partition; returns the part of the store that each partition has, and the members of each."""
    made: dict[int, NDArray[np.uint64]] = {}
    with runtime.registered(made) as key:
        sizes = _made(layout, key)
        at = split_points.starts(sizes[:, 2])
        ins = runtime.new_store(np.uint64, int(at[-1]), of_graph=True)
        _keep(layout.parts, ins=ins, ins_rows=runtime.ranges(at), key=key)
        runtime.finish()
    return ins, cut(at), sizes[:, 0].copy()


def counted(layout: Partitions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count INS of every partition, and the members of each that the partition owns."""
    with runtime.registered(None) as key:
        sizes = _made(layout, key)
    return sizes[:, 0].copy(), sizes[:, 1].copy()


def vertex_sets(layout: Partitions, nodes: int) -> VertexSets:
    """Count INS and ONS of every partition, and UDS of every node: INS of all its edges but its own vertices."""
    ins, own = counted(layout)
    first = split_points.first_partitions(layout.parts, nodes)
    of_nodes = Partitions(layout.graph, layout.points[first])
    read, owned = (ins, own) if nodes == layout.parts else counted(of_nodes)
    return VertexSets(ins, np.diff(layout.points), read - owned)


def most_bytes(layout: Partitions) -> int:
    """Count the bytes, at most, of INS of all partitions and of offsets of their members."""
    members = np.minimum(np.diff(layout.edge_points), layout.graph.n_vertices)
    return int((np.minimum(8 * members, layout.graph.n_vertices // 4) + 8 * members + 64).sum())
