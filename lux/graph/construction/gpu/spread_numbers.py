# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of vertices, made on several GPUs, each of which has an equal share of the edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu.columns import spread_upload
from lux.graph.construction.gpu.spread import even_points
from lux.graph.core.ids import Integers, VertexIds, offset
from lux.launch.call import kernel
from lux.launch.peer_call import Argument, Parts, PeerCall, Placed, Table, place
from lux.runtime import Store

ENDS = ("sources", "destinations")


class SpreadIds:
    """Two columns of ids of one type, of the host, on several GPUs.

    Parameters
    ----------
    columns : sequence of two arrays of shape (n_edges,)
    ctype : str
        The C++ type of the ids.
    gpus : int
    """

    def __init__(self, columns: Sequence[NDArray[Any]], ctype: str, gpus: int) -> None:
        self._ctype, self._gpus, self._number = ctype, gpus, len(columns[0])
        self._at = even_points(self._number, gpus)
        self._stores = [spread_upload(column, gpus) for column in columns]
        given = {f"ids_of_{end}": Parts(store, self._at) for end, store in zip(ENDS, self._stores, strict=True)}
        self._given = place(gpus, given, {})
        self._arguments: list[Argument] = [*given, np.diff(self._at)]

    def range(self) -> tuple[int, int]:
        """Return the smallest and the largest id."""
        found = self._call("lux_id_range", self._given, ["control"], {"control": 24}, reported="control")
        least, most = found.view(np.int64)[np.diff(self._at) > 0, 1:].T
        return int(least.min()), int(most.max())

    def narrowed(self) -> list[Store]:
        """Return the ids as they are, with 32 bits each."""
        if self._are_narrow:
            return self._stores
        made, placed, to = self._columns()
        self._call("lux_narrow_ids", placed, [*to, "control"], {"control": 8})
        return made

    def numbered(self, least: int, span: int) -> tuple[list[Store], VertexIds]:
        """Return the number of each id among those that occur, and the ids."""
        words, gpus = -(-span // 32), self._gpus
        each = np.arange(gpus + 1, dtype=np.int64) * words
        names = ("marked", "present", "ranks")
        table = {name: runtime.new_store(np.uint32, gpus * words, touched=False) for name in names}
        tables = place(gpus, {}, {name: Parts(store, each) for name, store in table.items()})
        ids_from: list[Argument] = [np.int64(least), np.int64(words)]
        marked, present, ranks = (tables.addresses[name] for name in names)
        self._call("lux_mark_ids", self._given, [*ids_from, marked, "control"], {"control": 16})
        made, placed, to = self._columns()
        more: list[Argument] = [*ids_from, Table(np.tile(marked, (gpus, 1))), np.uint32(gpus), present, ranks]
        more += ["block_counts", *to, "control"]
        found = self._call("lux_number_marked", placed, more, {"control": 16}, reported="control")
        n = int(found.view(np.int64)[0, 1])
        if n == span:
            return made, offset(n, least)
        return made, Integers(self._listed(tables, words, least, n))

    def _listed(self, tables: Placed, words: int, least: int, n: int) -> NDArray[np.int64]:
        """Have the first GPU list the ids that occur."""
        ids, rows = runtime.new_store(np.int64, n, touched=False), np.full(self._gpus + 1, n, np.int64)
        rows[0] = 0
        placed, first = place(self._gpus, {}, {"ids": Parts(ids, rows)}), np.zeros(self._gpus, np.int64)
        first[0] = words
        arguments: list[Argument] = [tables.addresses["present"], tables.addresses["ranks"], first]
        arguments += [np.int64(least), "ids", "control"]
        function = kernel("vertex_numbers.cu", "lux_list_ids", gpu_edges.THREADS)
        PeerCall(function, placed, arguments, {"control": 8}).run("list_ids")
        return runtime.to_array(ids)

    @property
    def _are_narrow(self) -> bool:
        return all(np.dtype(store.dtype).itemsize == 4 for store in self._stores)

    def _columns(self) -> tuple[list[Store], Placed, list[str]]:
        """Make columns of dense ids, unless they fit where the ids are; returns also all that is placed, and names."""
        if self._are_narrow:
            return self._stores, self._given, list(self._given.parts)
        made = {end: runtime.new_store(np.uint32, self._number, touched=False) for end in ENDS}
        placed = place(self._gpus, {}, {end: Parts(store, self._at) for end, store in made.items()})
        return list(made.values()), self._given | placed, list(made)

    def _call(
        self,
        name: str,
        placed: Placed,
        more: Sequence[Argument],
        zeroed: dict[str, int],
        reported: str | None = None,
    ) -> NDArray[np.uint8]:
        function = kernel("vertex_numbers.cu", name, gpu_edges.THREADS, ID=self._ctype)
        others, arguments = {"block_counts": 4 * gpu_edges.MOST_BLOCKS}, [*self._arguments, *more]
        return PeerCall(function, placed, arguments, zeroed, others, reported).run(name.removeprefix("lux_"))
