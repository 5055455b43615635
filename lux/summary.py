# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the performance model needs of a graph: counted by point tasks, and kept with the graph."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perfmodel import GraphSummary, Sizes
from perfmodel.curve import degree_bins
from perfmodel.summary import DOUBLINGS, EXACT

if TYPE_CHECKING:
    from lux.graph import Graph


def summarize(graph: Graph, parts: Iterable[int] = DOUBLINGS, *, symmetrized: bool = False) -> GraphSummary:
    """Count the vertex sets of a graph's partitions.

    Parameters
    ----------
    graph : Graph
    parts : iterable of int
        Numbers of partitions. Those above 64, or above the number of vertices, are left out.
    symmetrized : bool
        Whether the graph is another one with each edge in both directions.

    Returns
    -------
    GraphSummary
        Sizes that were counted before are kept.

    Examples
    --------
    >>> import lux
    >>> summarize(lux.toy.path(8).symmetrized(), [2]).sizes[2]
    Sizes(ins_total=10, ins_most=5, uds_total=2, uds_most=1, edges_most=7)
    """
    known = graph.summary
    sizes = {} if known is None else dict(known.sizes)
    for n in sorted({*parts} - {*sizes}):
        if n <= min(EXACT, graph.n_vertices):
            sizes[n] = _sizes(graph, n)
    degrees = tuple(degree_bins(graph.out_degrees())) if known is None else known.degrees
    frontiers = {} if known is None else known.frontiers
    graph.summary = GraphSummary(
        graph.n_vertices, graph.n_edges, graph.directed, symmetrized, degrees, sizes, frontiers
    )
    return graph.summary


def _sizes(graph: Graph, parts: int) -> Sizes:
    layout = graph.layout(parts)
    sets = layout.vertex_sets(parts)
    edges = int(np.diff(layout.edge_points).max())
    ins, uds = sets.ins, sets.uds
    return Sizes(int(ins.sum()), int(ins.max()), int(uds.sum()), int(uds.max()), edges)


def beside(path: str | Path, *, symmetrized: bool = False) -> Path:
    """Where the summary of a graph file, or of a prepared graph's folder, is kept.

    >>> beside("web.lux").name, beside("web.lux", symmetrized=True).name
    ('web.lux.summary.json', 'web.lux.summary-both.json')
    """
    name = "summary-both.json" if symmetrized else "summary.json"
    folder = Path(path)
    return folder / name if folder.is_dir() else folder.with_name(f"{folder.name}.{name}")
