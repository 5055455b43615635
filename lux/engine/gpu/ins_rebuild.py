# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""INS on GPUs: its members, and the edges' sources as positions among them, as `lux.graph.indexes.ins_index` has them.

They are made by two launches: INS as bits, and its size, for which the host waits; and the lists (``members.cu``).
Those of moved partitions are made from the lists of the previous ones: a launch before lists the edges' sources as
vertices on these, and Legion copies them from GPU to GPU for the new split points. Kernels of the previous partitions
may go on side by side with all three launches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.gpu.single import MOST_BLOCKS
from lux.graph.indexes.ins_index import InsIndex
from lux.launch.call import kernel
from lux.launch.memory import Scratch, bitmap_bytes
from lux.launch.part_calls import REPORT, PartCalls, Wait, until_finished
from lux.runtime import Kernel, Store

if TYPE_CHECKING:
    from lux.graph.layout import PartitionedGraph

THREADS = 1024
BYTES_OF_AN_EDGE = 8
"""Bytes of an edge: its source as a vertex, on the GPU that had it and on the one that has it now."""


NAMES = ("lux_places", "lux_set", "lux_positions")


def kernels() -> dict[str, Kernel]:
    """Return the kernels of the three launches, compiled or loaded from disk."""
    return {name: kernel("members.cu", name, THREADS, THREADS=THREADS) for name in NAMES}


def memory_bytes(largest_edges: int, n_vertices: int) -> int:
    """Count the bytes in a GPU's memory for a partition of so many edges, until `members` has returned."""
    return BYTES_OF_AN_EDGE * largest_edges + _scratch(n_vertices).nbytes


def _scratch(n_vertices: int) -> Scratch:
    others = {"totals": 4 * MOST_BLOCKS, "bits": bitmap_bytes(n_vertices), "before": bitmap_bytes(n_vertices)}
    return Scratch({"arrived": 4}, others)


def report_bytes(n_wanted: int) -> int:
    """Count the bytes of the second launch's report: its counts, and a word that is 1 when they are written."""
    return 8 * (2 + n_wanted)


class Relocation(PartCalls):
    """`members` in steps, while the host does something else."""

    def make(
        self, before: PartitionedGraph, after: PartitionedGraph, wanted: NDArray[np.int64], wait: Wait
    ) -> tuple[InsIndex, NDArray[np.int64]]:
        """Make the lists as `members`; launches may use the results at once."""
        graph, old = after.graph, before.members
        sources = runtime.new_store(np.uint32, graph.n_edges, touched=False)
        self._issue(
            "lux_places",
            ["local", np.diff(before.edge_points), "members", "sources"],
            {"local": old.local_sources, "members": old.places},
            {"sources": sources},
            {"local": "edges", "members": "member_rows", "sources": "edges"},
            {"edges": before.splits["edges"], "member_rows": old.rows},
        )
        return self.of_sources(sources, after, wanted, wait)

    def of_sources(
        self, sources: Store, layout: PartitionedGraph, wanted: NDArray[np.int64], wait: Wait
    ) -> tuple[InsIndex, NDArray[np.int64]]:
        """Make the lists from the edges' sources, by position; see `make`."""
        graph, parts = layout.graph, layout.parts
        n, count = graph.n_vertices, np.diff(layout.edge_points)
        scratch = _scratch(n)
        memory = runtime.new_store(np.uint8, parts * scratch.nbytes, touched=False)
        rows = {"edges": layout.splits["edges"], "scratch_rows": layout.rows(scratch.nbytes)}
        splits: dict[str, str | None] = {"sources": "edges", "scratch": "scratch_rows", "wanted": None}
        nbytes = report_bytes(len(wanted))
        self._issue(
            "lux_set",
            ["sources", count, n, "wanted", len(wanted), "arrived", "totals", "bits", "before", REPORT],
            {"sources": sources, "wanted": runtime.from_array(wanted.astype(np.int64))},
            {"scratch": memory},
            splits,
            rows,
            scratch=scratch,
            report_bytes=nbytes,
        )
        counted = self.reported(parts, nbytes // 8, wait)
        found = InsIndex(
            layout, runtime.new_store(np.uint32, int(counted[:, 0].sum()), touched=False), counted[:, 0].copy()
        )
        local = runtime.new_store(np.uint32, graph.n_edges, touched=False)
        self._issue(
            "lux_positions",
            ["sources", count, n, "bits", "before", "members", "local"],
            {"sources": sources, "scratch": memory},
            {"members": found.places, "local": local},
            {"sources": "edges", "scratch": "scratch_rows", "members": "member_rows", "local": "edges"},
            rows | {"member_rows": found.rows},
            scratch=scratch,
        )
        vars(found)["local_sources"] = local
        return found, counted[:, 1:-1]

    def _issue(self, name: str, *arguments: Any, **more: Any) -> None:
        self.issue(kernels()[name], name.removeprefix("lux_"), *arguments, **more)


def made(layout: PartitionedGraph, wanted: NDArray[np.int64]) -> InsIndex:
    """Make `lux.graph.indexes.ins_index.make` of a layout on GPUs, and `InsIndex.first_of` of ``wanted`` with it."""
    with Relocation() as relocation:
        found, first = relocation.of_sources(layout.graph.sources, layout, wanted, until_finished)
        found.firsts[tuple(wanted.tolist())] = first
        return found


def members(
    before: PartitionedGraph, after: PartitionedGraph, wanted: NDArray[np.int64]
) -> tuple[InsIndex, NDArray[np.int64]]:
    """Make `lux.graph.indexes.ins_index.make` of ``after`` on GPUs, and `InsIndex.first_of` of ``wanted``.

    Parameters
    ----------
    before : PartitionedGraph
        The layout before, of a graph with edges; its INS index exists.
    after : PartitionedGraph
        The layout after, with as many partitions.
    wanted : np.ndarray of shape (k,), int64
        Vertices, by position.

    Returns
    -------
    InsIndex The index with its ``local_sources``.
    np.ndarray of shape (parts, k), int64
    """
    with Relocation() as relocation:
        return relocation.make(before, after, wanted, until_finished)
