# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Each GPU's part of a graph on a grid, for `lux.algorithms.bfs.distributed.grid.gpu_search`."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.bfs.distributed.edge_distribution import Rule, by_row, distribute
from lux.algorithms.bfs.distributed.grid import by_degree
from lux.algorithms.bfs.distributed.grid.bitmap_rows import BitmapRows, compressed, transposed
from lux.algorithms.bfs.distributed.grid.gpu import scratch
from lux.algorithms.bfs.distributed.grid.two_dimensional_kernels import NONE
from lux.algorithms.bfs.distributed.processor_grid import Grid
from lux.algorithms.multi_gpu.id_order import list_bytes
from lux.graph.core.partitions import cut, rectangles
from lux.launch.memory import Scratch
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph


@dataclass(frozen=True)
class GridEdges:
    """Each processor's edges, in stores of Legion.

    Attributes
    ----------
    grid : Grid
    stores : dict of str to Store
        Stores that kernels read.
    splits : dict of str to str
        The rectangles of each store that kernels read.
    arguments : dict of str to str
        The store of each argument of the kernel that is an address.
    scratch : Scratch
    hybrid : bool
        The strategy is ``hybrid``, not ``two-dimensional``.
    cuts : dict of str to np.ndarray of shape (parts, 2), int64
        The rectangles: first element, and end.
    results_nbytes : int
        Bytes of a GPU's results, and of the lists that bring them into the order of ids, at most.
    numbers : dict of str to int
        Arguments that are numbers, alike for all.
    before : dict of str to np.ndarray of shape (parts,), int64
        Bytes by which an argument that is an address is moved back in each processor.
    """

    grid: Grid
    stores: dict[str, Store]
    splits: dict[str, str]
    arguments: dict[str, str]
    scratch: Scratch
    hybrid: bool
    cuts: dict[str, NDArray[np.int64]]
    results_nbytes: int
    numbers: dict[str, int] = field(default_factory=dict)
    before: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        """Bytes on the GPU that needs most: edges, answers and scratch memory."""
        each = np.zeros(self.grid.parts, np.int64)
        for name, split in self.splits.items():
            each += self._sizes[split] * np.dtype(self.stores[name].dtype).itemsize
        return int(each.max()) + self.results_nbytes + self.scratch.nbytes

    @property
    def _sizes(self) -> dict[str, NDArray[np.int64]]:
        return {name: np.diff(rows, axis=1).ravel() for name, rows in self.cuts.items()}


def _even(graph: Graph, parts: int) -> tuple[Grid, int]:
    """Return the grid, and the edges of a processor if they were shared out evenly."""
    return Grid.over(graph.n_vertices, parts), -(-graph.n_edges // parts)


def _results_bytes(graph: Graph, grid: Grid) -> int:
    return 8 * max(grid.block, -(-graph.n_vertices // grid.parts)) + list_bytes(graph, grid.parts, grid.block)


def two_dimensional_bytes(graph: Graph, parts: int) -> int:
    """Estimate the bytes on a GPU for the strategy ``two-dimensional``, at least."""
    grid, edges = _even(graph, parts)
    work = scratch(graph, grid, edges, hybrid=False, both=False)
    return 8 * (grid.local_columns + 1) + 4 * edges + _results_bytes(graph, grid) + work.nbytes


def hybrid_bytes(graph: Graph, parts: int) -> int:
    """Estimate bytes on a GPU for the strategy ``hybrid``, at least, as if processors had all rows of their blocks."""
    grid, edges = _even(graph, parts)
    work = scratch(graph, grid, edges, hybrid=True, both=not graph.directed)
    sides = [grid.local_columns] if graph.directed or parts == 1 else [grid.local_columns, grid.local_rows]
    index = sum(8 * (rows // 64 * 2 + rows + 2) for rows in sides)
    ids = 4 * (grid.local_columns + grid.stride)
    return index + 4 * edges * len(sides) + ids + _results_bytes(graph, grid) + work.nbytes


def two_dimensional(graph: Graph, parts: int, rule: Rule) -> GridEdges:
    """Distribute the edges to the processors, by local column.

    Where a grid has one row and the graph no directions, they are the graph's own rows, and no edges are distributed.
    """
    grid = Grid.over(graph.n_vertices, parts)
    before: dict[str, NDArray[np.int64]] = {}
    if are_own_rows(graph, grid):
        edge_points = graph.offsets_at(grid.points)
        offsets, columns = graph.offsets, graph.sources
        cuts = {"offset_rows": cut(grid.points, extra=1), "column_rows": cut(edge_points)}
        before = {"columns_of": np.multiply(edge_points[:-1], 4)}
    else:
        runtime.check_memory(8 * parts * (grid.local_columns + 1) + 20 * graph.n_edges, "strategy='two-dimensional'")
        rows = by_row(distribute(graph, parts, rule), np.full(parts, grid.local_columns))
        offsets, columns = rows.offsets, rows.columns
        cuts = {"offset_rows": rows.cuts["offsets"], "column_rows": rows.cuts["columns"]}
    most = int(np.diff(cuts["column_rows"], axis=1).max())
    return GridEdges(
        grid,
        {"offsets": offsets, "columns": columns},
        {"offsets": "offset_rows", "columns": "column_rows"},
        {"offsets": "offsets", "columns_of": "columns"},
        scratch(graph, grid, most, hybrid=False, both=False),
        hybrid=False,
        before=before,
        cuts=cuts,
        results_nbytes=_results_bytes(graph, grid),
    )


def are_own_rows(graph: Graph, grid: Grid) -> bool:
    """Return True where a processor's edges are the graph's rows of its own vertices, with places as local rows."""
    places = grid.columns == 1 or grid.stride == grid.block
    return not graph.directed and graph.id_dtype == np.uint32 and grid.rows == 1 and places


def hybrid(graph: Graph, parts: int, rule: Any) -> GridEdges:
    """Distribute edges by local column and, where there are no directions, by local row: bitmap-based CSR.

    With one processor both are the same. ``rule(grid, local)`` is the function of
    `lux.algorithms.bfs.distributed.grid.two_dimensional`.
    """
    grid = Grid.over(graph.n_vertices, parts)
    ids = 8 * parts * (grid.local_columns + grid.local_rows)
    runtime.check_memory(28 * graph.n_edges + 3 * ids + 12 * graph.n_vertices, "strategy='hybrid'")
    grid, local, names = by_degree.order(graph, grid)
    rows = by_row(distribute(graph, parts, rule(grid, local)), np.full(parts, grid.local_columns))
    found = {}
    if not graph.directed:
        found["by_row"] = compressed(transposed(rows, grid.local_rows))
    if graph.directed or parts > 1:
        found["by_source"] = compressed(rows)
    stores: dict[str, Store] = {"names": names, "degrees": _degrees(graph, grid, names)}
    each, blocks = np.arange(parts, dtype=np.int64), np.arange(parts + 1, dtype=np.int64) * grid.stride
    first = each // grid.rows * grid.local_columns
    cuts = {"name_rows": np.column_stack([first, first + grid.local_columns]), "degree_rows": cut(blocks)}
    splits = {"names": "name_rows", "degrees": "degree_rows"}
    for side, edges in found.items():
        stores |= {f"{side}_index": edges.index, f"{side}_edges": edges.columns}
        cuts |= {f"{side}_index_rows": edges.cuts["index"], f"{side}_edge_rows": edges.cuts["columns"]}
        splits |= {f"{side}_index": f"{side}_index_rows", f"{side}_edges": f"{side}_edge_rows"}
    source: BitmapRows = found.get("by_source") or found["by_row"]
    from_side = "by_source" if "by_source" in found else "by_row"
    arguments = {"names": "names", "degrees": "degrees"}
    arguments |= {"by_source": f"{from_side}_index", "source_edges": f"{from_side}_edges"}
    numbers = {"source_words": source.words}
    if "by_row" in found:
        arguments |= {"by_row": "by_row_index", "row_edges": "by_row_edges"}
        numbers["row_words"] = found["by_row"].words
    most = int(np.diff(source.cuts["columns"], axis=1).max())
    return GridEdges(
        grid,
        stores,
        splits,
        arguments,
        scratch(graph, grid, most, hybrid=True, both=not graph.directed),
        hybrid=True,
        numbers=numbers,
        cuts=cuts,
        results_nbytes=_results_bytes(graph, grid),
    )


def _degrees(graph: Graph, grid: Grid, names: Store) -> Store:
    """Count the out-edges of every local id of each block; shape (parts * stride,), uint32."""
    each = np.arange(grid.parts + 1, dtype=np.int64)
    out, key = runtime.new_store(np.uint32, grid.parts * grid.stride), runtime.register(grid.points)
    splits = rectangles({"blocks": cut(grid.points), "name_rows": cut(each * grid.stride)})
    _degree_writer()(grid.parts, degrees=graph.out_degree_store, names=names, out=out, **splits, key=key)
    runtime.finish()
    runtime.unregister(key)
    return out


@functools.cache
def _degree_writer() -> Launcher:
    def write_degrees(point: int, degrees: NDArray[Any], names: NDArray[np.uint32], out: Any, key: int) -> None:
        out[:] = 0
        used = names != NONE
        out[used] = degrees[names[used] - runtime.context(key)[point]]

    return Launcher(
        write_degrees,
        inputs={"degrees": "blocks", "names": "name_rows"},
        outputs={"out": "name_rows"},
        scalars={"key": int},
    )
