# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Local ids of a grid's blocks by degree: the vertices that are read most lie together, and isolated ones have no id.

Source: Ueno et al., "Efficient breadth-first search on massively parallel and distributed-memory machines", 2017,
section 4.2. Vertices stay in their blocks. The paper makes the ids in exchanges over rows and columns of processors;
here every process reads them all once, when edges are distributed.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.grid.two_dimensional_kernels import NONE
from lux.algorithms.bfs.distributed.processor_grid import Grid
from lux.graph.core.partitions import cut, rectangles
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph


def order(graph: Graph, grid: Grid) -> tuple[Grid, NDArray[np.uint32], Store]:
    """Number the vertices of every block, those with most edges first.

    Returns
    -------
    Grid
        The grid, with as many local ids as any block has vertices with edges.
    np.ndarray of shape (n_vertices,), uint32
        The local id of every place; `NONE` of isolated ones.
    Store of shape (parts * stride,), uint32
        The place of every local id of each block; `NONE` for unused ids.
    """
    parts, each = grid.parts, np.arange(grid.parts + 1, dtype=np.int64)
    splits = {"blocks": cut(grid.points), "offset_rows": cut(grid.points, extra=1), "bins": cut(each)}
    found = rectangles(splits)
    local, linked = runtime.new_store(np.uint32, graph.n_vertices), runtime.new_store(np.int64, parts)
    more = {"degrees": graph.out_degree_store} if graph.directed else {}
    _orderer(graph.directed)(parts, offsets=graph.offsets, **more, local=local, linked=linked, **found)
    grid = grid.with_stride(int(runtime.to_array(linked)[:parts].max()))
    names = runtime.new_store(np.uint32, parts * grid.stride)
    with runtime.registered(grid.points) as key:
        name_rows = runtime.ranges(each * grid.stride)
        _name_ids(parts, local=local, names=names, blocks=found["blocks"], name_rows=name_rows, key=key)
        ids = runtime.to_array(local)
    return grid, ids[: graph.n_vertices], names


@functools.cache
def _orderer(directed: bool) -> Launcher:
    def order_by_degree(_point: int, offsets: NDArray[np.int64], *rest: Any) -> None:
        local, linked = rest[-2:]
        degrees = np.diff(offsets) + (rest[0] if directed else 0)
        local[np.argsort(-degrees, kind="stable")] = np.arange(len(local), dtype=np.uint32)
        local[degrees == 0] = NONE
        linked[0] = np.count_nonzero(degrees)

    degrees: dict[str, str | None] = {"degrees": "blocks"} if directed else {}
    return Launcher(
        order_by_degree,
        inputs={"offsets": "offset_rows"} | degrees,
        outputs={"local": "blocks", "linked": "bins"},
    )


@runtime.task(inputs={"local": "blocks"}, outputs={"names": "name_rows"}, scalars={"key": int})
def _name_ids(point: int, local: NDArray[np.uint32], names: NDArray[np.uint32], key: int) -> None:
    linked = np.flatnonzero(local != NONE)
    names[:] = NONE
    names[local[linked]] = runtime.context(key)[point] + linked
