# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of vertices, made on one GPU: what `lux.graph.core.compact_ids.compact` does for integers on CPU cores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.device_arrays import DeviceArray
from lux.graph.construction.edge_stores import StoredEdges
from lux.graph.construction.gpu import choice
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu.columns import spread_upload
from lux.graph.construction.gpu.spread_numbers import SpreadIds
from lux.graph.core.compact_ids import widest_span
from lux.graph.core.ids import Integers, VertexIds, offset
from lux.launch.call import KernelCall, kernel
from lux.launch.memory import Scratch
from lux.runtime import Store

IDS = {"int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64"}
"""C++ types of ids, by the type of their array."""
RANGE_BYTES, COUNTED_BYTES = 24, 16
"""Bytes of ``Range`` and ``Counted`` of ``vertex_numbers.cu``."""

Column = NDArray[Any] | DeviceArray
"""Ids of edges, in the memory of the host or of a GPU."""


def numbered(
    columns: Sequence[Column], properties: Mapping[str, NDArray[Any]], *, directed: bool, n_vertices: int | None = None
) -> StoredEdges | None:
    """Number the vertices of an edge list on a GPU, if that is worth it, there is room, and the ids allow it.

    Parameters
    ----------
    columns : sequence of two arrays of shape (n_edges,)
        The user's ids of sources and destinations.
    properties : mapping of name to array of shape (n_edges,)
    directed : bool
    n_vertices : int, optional
        The ids are 0 to n_vertices - 1.

    Returns
    -------
    StoredEdges or None
        None: cores number them, or say what is wrong with them.
    """
    n, kinds = len(columns[0]), {column.dtype.name for column in columns}
    if len(kinds) > 1 or not kinds <= IDS.keys() or not gpu_edges.wanted(n):
        return None
    gpus, kind = _gpus(columns, properties, n_vertices), kinds.pop()
    if gpus is None:
        return None
    on_host = [column for column in columns if not isinstance(column, DeviceArray)]
    several = gpus > 1 and len(on_host) == len(columns)
    ids = SpreadIds(on_host, IDS[kind], gpus) if several else _Ids(columns, kind)
    least, most = ids.range()
    span = most - least + 1
    if least < 0 and (n_vertices is not None or kind == "uint64"):
        return None
    if span > widest_span(2 * n) if n_vertices is None else most >= n_vertices:
        return None
    names: VertexIds
    if n_vertices is not None:
        (sources, destinations), names = ids.narrowed(), offset(n_vertices, 0)
    else:
        (sources, destinations), names = ids.numbered(least, span)
    stored = {name: spread_upload(values, gpus if several else 1) for name, values in properties.items()}
    return StoredEdges(len(names), n, sources, destinations, stored, directed, names)


def _gpus(columns: Sequence[Column], properties: Mapping[str, NDArray[Any]], n_vertices: int | None) -> int | None:
    """Count the GPUs that are to make a graph of these edges; None if they have no room.

    Sorting takes more memory than ids in any form do. Vertices that are not counted yet are left out.
    """
    n, types = len(columns[0]), {name: values.dtype for name, values in properties.items()}
    found = choice.way(n_vertices or 0, n, 2 * n, types)
    return None if found is None else found.gpus


class _Ids:
    """Two columns of ids of one type on the GPU."""

    def __init__(self, columns: Sequence[Column], kind: str) -> None:
        self.number, self.kind = len(columns[0]), kind
        self._stores: dict[str, Store] = {}
        self._arguments: list[str | np.generic] = []
        for name, column in zip(("ids_of_sources", "ids_of_destinations"), columns, strict=True):
            if isinstance(column, DeviceArray):
                self._arguments.append(np.uint64(column.address))
            else:
                self._stores[name] = runtime.uploaded(column)
                self._arguments.append(name)

    def range(self) -> tuple[int, int]:
        """Return the smallest and the largest id."""

        def report(control: NDArray[np.uint8], _statistics: Any) -> tuple[int, int]:
            least, most = control.view(np.int64)[1:3].tolist()
            return least, most

        found: tuple[int, int] = self._call("lux_id_range", [], {}, Scratch({"control": RANGE_BYTES}, {}), report)
        return found

    def narrowed(self) -> list[Store]:
        """Return the ids as they are, with 32 bits each."""
        if len(self._stores) == 2 and np.dtype(self.kind).itemsize == 4:
            return list(self._stores.values())
        made = self._columns()
        self._call("lux_narrow_ids", [*made], made, Scratch({"control": 8}, {}), lambda *_: None)
        return list(made.values())

    def numbered(self, least: int, span: int) -> tuple[list[Store], VertexIds]:
        """Return the number of each id among those that occur, and the ids."""
        words, made = -(-span // 32), self._columns()
        table = {name: runtime.new_store(np.uint32, words, touched=False) for name in ("present", "ranks")}
        scratch = Scratch({"control": COUNTED_BYTES}, {"block_counts": 4 * gpu_edges.MOST_BLOCKS})
        more: list[str | np.generic] = [np.int64(least), np.int64(words), "present", "ranks", "block_counts", *made]
        outputs = {**made, **table}
        n: int = self._call("lux_number_vertices", more, outputs, scratch, lambda x, _: int(x.view(np.uint64)[1]))
        if n == span:
            return list(made.values()), offset(n, least)
        ids = runtime.new_store(np.int64, n, touched=False)
        gpu_edges.call(
            "vertex_numbers.cu",
            "lux_list_ids",
            ["present", "ranks", np.int64(words), np.int64(least), "ids", "control"],
            table,
            {"ids": ids},
            {},
        )
        return list(made.values()), Integers(runtime.to_array(ids)[:n])

    def _columns(self) -> dict[str, Store]:
        return {x: runtime.new_store(np.uint32, self.number, touched=False) for x in ("sources", "destinations")}

    def _call(
        self,
        name: str,
        more: Sequence[str | np.generic],
        outputs: Mapping[str, Store],
        scratch: Scratch,
        report: Callable[[NDArray[np.uint8], NDArray[np.uint8]], Any],
    ) -> Any:
        arguments = [*self._arguments, np.int64(self.number), *more, "control"]
        function = kernel("vertex_numbers.cu", name, gpu_edges.THREADS, ID=IDS[self.kind])
        call = KernelCall(function, arguments, self._stores, outputs, scratch, scratch.zeroed, 0, report)
        return call.run(name.removeprefix("lux_"))[0]
