# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A bound of the vertices that partitions read of others, from a sample that is taken where the edges lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen.cuda_functions import C_TYPES
from lux.launch.call import kernel
from lux.launch.part_calls import REPORT, PartCalls, until_finished

if TYPE_CHECKING:
    from lux.graph.layout import PartitionedGraph
    from lux.runtime import Kernel

SAMPLES = 1 << 16
"""Sampled edges, and rows, of a partition; up to twice as many."""
THREADS = 1024
NUMBERS = 3
"""Numbers of a partition's report: sampled edges from elsewhere, sampled rows with edges, and 1 when it is written."""


def read_of_others(layout: PartitionedGraph) -> int:
    """Bound the vertices that a partition reads and does not own, but for chance.

    There are no more than edges from elsewhere, nor than vertices elsewhere (in undirected graphs: vertices with
    edges). A sample estimates both.

    >>> import lux
    >>> grid = lux.generate("grid:30x10")
    >>> read_of_others(grid.layout(2)), read_of_others(lux.toy.star(9).layout(2))
    (10, 8)
    """
    graph, sizes = layout.graph, np.stack([np.diff(layout.edge_points), np.diff(layout.points)], axis=1)
    steps = np.maximum(sizes // SAMPLES, 1)
    counts = on_gpus(layout, sizes, steps) if graph.sources.lies_on_gpus else _on_cores(layout, steps)
    edges, with_edges = np.ceil(sizes * counts / np.maximum(-(-sizes // steps), 1)).T
    there = np.diff(layout.points) if graph.directed else with_edges
    return int(np.minimum(edges, there.sum() - there).max())


def sampling(itemsize: int) -> Kernel:
    """Return the kernel for sources of that size, compiled or loaded from disk."""
    return kernel("remote_reads.cu", "lux_sample_remote_reads", THREADS, SOURCE=C_TYPES[f"uint{8 * itemsize}"])


def on_gpus(layout: PartitionedGraph, sizes: NDArray[np.int64], steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count sampled edges from elsewhere and sampled rows with edges, on the GPUs that have them.

    Parameters
    ----------
    layout : PartitionedGraph
    sizes, steps : np.ndarray of shape (parts, 2), int64
        Edges and rows of each partition, and of how many of them one is taken.

    Returns
    -------
    np.ndarray of shape (parts, 2), int64
    """
    graph, points = layout.graph, layout.points
    with PartCalls() as calls:
        calls.issue(
            sampling(np.dtype(graph.sources.dtype).itemsize),
            "sample_remote_reads",
            [
                *("sources", sizes[:, 0], steps[:, 0], "offsets", sizes[:, 1], steps[:, 1]),
                *(points[:-1], points[1:], REPORT),
            ],
            {"sources": graph.sources, "offsets": graph.offsets},
            {},
            {"sources": "edge_rows", "offsets": "offset_rows"},
            {"edge_rows": layout.splits["edges"], "offset_rows": layout.splits["offsets"]},
            report_bytes=8 * NUMBERS,
        )
        return calls.reported(layout.parts, NUMBERS, until_finished)[:, :2]


def _on_cores(layout: PartitionedGraph, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    found = runtime.new_store(np.int64, 2 * layout.parts)
    splits = {name: layout.splits[name] for name in ("offsets", "edges")} | {"found_rows": layout.rows(2)}
    stores = {"in_offsets": layout.graph.offsets, "sources": layout.graph.sources, "found": found}
    with runtime.registered((layout.points.tolist(), steps.tolist())) as key:
        _sample(layout.parts, **stores, **splits, key=key)
    return runtime.to_array(found)[: 2 * layout.parts].reshape(-1, 2)


@runtime.internal
@runtime.task(
    inputs={"in_offsets": "offsets", "sources": "edges"}, outputs={"found": "found_rows"}, scalars={"key": int}
)
def _sample(
    point: int, in_offsets: NDArray[np.int64], sources: NDArray[Any], found: NDArray[np.int64], key: int
) -> None:
    points, steps = runtime.context(key)
    edge_step, row_step = steps[point]
    few = sources[::edge_step]
    found[0] = np.count_nonzero((few < points[point]) | (few >= points[point + 1]))
    found[1] = np.count_nonzero(in_offsets[1::row_step] > in_offsets[:-1:row_step])
