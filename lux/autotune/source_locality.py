# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Locality of the sources that a graph's edges read: counted by point tasks, each on samples of its own edges."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.runtime import Launcher
from perfmodel.locality import GROUPS, SourceLocality, hottest

if TYPE_CHECKING:
    from lux.graph.graph import Graph

FIELDS = 2 * 25
"""Numbers for each size of line: `lux.autotune.cache_line_kernels` counts in 25 windows."""


def reads(graph: Graph) -> SourceLocality:
    """Count how edges read their sources, in the order in which the graph is stored.

    Examples
    --------
    >>> import lux
    >>> found = reads(lux.toy.star(8).symmetrized())  # half of the edges are the centre's
    >>> found.hottest
    (0.5, 0.5714285714285714, 0.7142857142857143, 1.0)
    >>> found.footprints[4][-1]  # 14 edges read both lines
    (14.0, 2.0)
    """
    degrees = runtime.to_array(graph.out_degree_store)
    ranges = graph.dealt_ranges
    if not graph.n_edges:
        return SourceLocality((), {}, ranges)
    layout = graph.whole_layout()
    counts = runtime.new_store(np.float64, len(GROUPS) * FIELDS * layout.parts)
    _launcher()(
        layout.parts,
        sources=graph.sources,
        counts=counts,
        edges=layout.splits["edges"],
        rows=layout.rows(len(GROUPS) * FIELDS),
        n_vertices=graph.n_vertices,
    )
    summed = runtime.to_array(counts).reshape(layout.parts, len(GROUPS), 2, FIELDS // 2).sum(axis=0)
    found = {}
    for group, (lines, windows) in zip(GROUPS, summed, strict=True):
        # The number of lines that are read at all follows from the degrees.
        whole = float(np.count_nonzero(np.add.reduceat(degrees, np.arange(0, len(degrees), group))))
        means = [(2.0**k, float(lines[k] / windows[k])) for k in np.flatnonzero(windows) if 2**k < graph.n_edges]
        rising = itertools.accumulate((min(mean, whole) for _, mean in means), max)
        points = [(edges, mean) for (edges, _), mean in zip(means, rising, strict=True)]
        found[group] = (*points, (float(graph.n_edges), whole))
    return SourceLocality(hottest(degrees), found, ranges)


@functools.cache
def _launcher() -> Launcher:
    from lux.autotune.cache_line_kernels import count_lines

    def count_reads(_point: int, sources: NDArray[Any], counts: NDArray[np.float64], n_vertices: int) -> None:
        counts[:] = 0.0
        for group, out in zip(GROUPS, counts.reshape(len(GROUPS), FIELDS), strict=True):
            if len(sources):
                count_lines(sources, group.bit_length() - 1, -(-n_vertices // group), out)

    return Launcher(count_reads, {"sources": "edges"}, {"counts": "rows"}, scalars={"n_vertices": int})
