# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graph summaries for the performance model: counted by point tasks, and kept with the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.autotune.source_locality import reads
from lux.graph.sides import Sides, most_received
from perfmodel import Frontier, GraphSummary, Sizes
from perfmodel.ins_curve import degree_bins
from perfmodel.programs import program
from perfmodel.summary import DOUBLINGS, EXACT, SWEPT_K

if TYPE_CHECKING:
    from lux.graph.graph import Graph


def summarize(
    graph: Graph,
    parts: Iterable[int] = DOUBLINGS,
    *,
    symmetrized: bool = False,
    sides: NDArray[np.uint8] | None = None,
) -> GraphSummary:
    """Count the vertex sets of a graph's partitions.

    Parameters
    ----------
    graph : Graph
    parts : iterable of int
        Numbers of partitions. Those above 64, or above the number of vertices, are left out.
    symmetrized : bool
        True for a graph that has each edge of another one in both directions.
    sides : np.ndarray of shape (n_vertices,), uint8, optional
        The side of every vertex of a bipartite graph: what crosses between partitions in least squares is counted, too.

    Returns
    -------
    GraphSummary
        The graph's sizes; sizes that were counted before are kept.

    Examples
    --------
    >>> import lux
    >>> summarize(lux.toy.path(8).symmetrized(), [2]).sizes[2]
    Sizes(ins_total=10, ins_most=5, uds_total=2, uds_most=1, edges_most=7)
    """
    known = graph.summary
    sizes, swept = ({}, {}) if known is None else (dict(known.sizes), dict(known.swept))
    counted = sorted(n for n in {*parts} if n <= min(EXACT, graph.n_vertices))
    for n in counted:
        if n not in sizes:
            sizes[n] = exact_sizes(graph, n)
        if sides is not None and n not in swept:
            swept[n] = most_received(graph, sides, n, SWEPT_K)
    most = int(graph.dense_in_degrees().max(initial=0)) if known is None else known.most_in_edges
    degrees = tuple(degree_bins(graph.dense_out_degrees())) if known is None else known.degrees
    irregular = graph.layout(1).irregular if known is None else known.irregular
    frontiers = {} if known is None else known.frontiers
    how = reads(graph) if known is None or known.reads is None else known.reads
    numbers = graph.n_vertices, graph.n_edges, graph.directed, symmetrized, irregular, most, degrees, sizes, frontiers
    graph.summary = GraphSummary(*numbers, reads=how, swept=swept)
    return graph.summary


def summarize_for(name: str, graph: Graph, parts: Iterable[int]) -> tuple[Graph, GraphSummary]:
    """Summarize the graph that a program runs on, which may have both directions of each edge; returns it, too.

    Raises
    ------
    lux.GraphError
        The program factorizes, and nothing says which vertices are users and which are items.
    """
    of, sides = program(name), None
    if of.factors:
        sides = Sides(graph).of
    used = graph.symmetrized() if of.both else graph
    return used, summarize(used, parts, symmetrized=used is not graph, sides=sides)


def exact_sizes(graph: Graph, parts: int) -> Sizes:
    """Count the vertex sets of the partitions of a graph, by reading all edges."""
    layout = graph.layout(parts)
    sets = layout.vertex_sets(parts)
    edges = int(np.diff(layout.edge_points).max())
    ins, uds = sets.ins, sets.uds
    return Sizes(int(ins.sum()), int(ins.max()), int(uds.sum()), int(uds.max()), edges)


def summary_path(path: str | Path, *, symmetrized: bool = False) -> Path:
    """Name the file that keeps the summary of a graph file.

    >>> summary_path("web.lux").name, summary_path("web.lux", symmetrized=True).name
    ('web.lux.summary.json', 'web.lux.summary-both.json')
    """
    place = Path(path)
    return place.with_name(f"{place.name}.{'summary-both.json' if symmetrized else 'summary.json'}")


def measured(graph: Graph, name: str) -> GraphSummary:
    """Add the frontier of a run of a program, and the time of the program's own strategy, to the graph's summary.

    Programs with a source start at the vertex with the most out-edges. A program without a frontier is not run.
    """
    import lux

    summary, of = graph.summary or summarize(graph), program(name)
    if not of.frontier:
        return summary
    source = graph.out_degrees().top(1)[0][0]
    run: dict[str, Callable[..., Any]] = {
        "components": lambda **given: lux.components(graph, **given),
        "bfs": lambda **given: lux.bfs(graph, source, **given),
        "sssp": lambda **given: lux.sssp(graph, source, **given),
    }
    pushed = run[of.rates_of](model="push")
    run[of.rates_of]()  # builds the indexes that the graph keeps
    auto = min((run[of.rates_of]() for _ in range(3)), key=lambda r: r.seconds)
    e = max(graph.n_edges, 1)
    steps = list(pushed.statistics)
    frontier = Frontier(
        tuple(s.frontier / graph.n_vertices for s in steps),
        tuple(min(s.frontier_edges / e, 1.0) for s in steps),
        auto.seconds,
        max(auto.parts * auto.threads, 1),
    )
    graph.summary = replace(summary, frontiers={**summary.frontiers, of.rates_of: frontier})
    return graph.summary
