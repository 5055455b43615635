# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Each partition's edges grouped by source: made by one point task a partition."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.edge_stores import GraphEdges, SortedEdges
from lux.graph.construction.one_process import in_one_process
from lux.graph.core.partitions import Partitions, cut, rectangles
from lux.graph.indexes import ins_sets
from lux.partition import split_points
from lux.runtime import Launcher, Store

EDGES_PER_SEARCH = 4
"""Edges for each search (of a vertex by a partition) from which on mirrored edges are grouped faster by searches."""


@dataclass(frozen=True)
class CsrBySource:
    """Each partition's in-edges grouped by source, for the push model.

    Attributes
    ----------
    ins : Store or None
        INS of each partition (`lux.kernels.vertex_set`); None where every vertex has a row.
    offsets, destinations, properties : Store
        A CSR over the members of INS.
    cuts : dict of str to np.ndarray of shape (parts, 2), int64
        ``ins_rows`` (with more than one partition) and ``by_offsets``: the part of each partition.
    """

    ins: Store | None
    offsets: Store
    destinations: Store
    properties: dict[str, Store]
    cuts: dict[str, NDArray[np.int64]]

    @cached_property
    def splits(self) -> dict[str, Store]:
        """``cuts`` as stores of rectangles."""
        return rectangles(self.cuts)


@functools.cache
def _group_launcher(names: tuple[str, ...], whole: bool) -> Launcher:
    from lux.graph.construction import sort_kernels

    n = len(names)

    def group(point: int, points: NDArray[np.int64], in_offsets: NDArray[np.int64], sources: Any, *rest: Any) -> None:
        values, ins, (offsets, destinations), outs = rest[:n], rest[n], rest[n + 1 : n + 3], rest[n + 3 :]
        order = sort_kernels.by_source(
            points[point], in_offsets, sources, ins[:0] if whole else ins, offsets, destinations, n > 0
        )
        for value, out in zip(values, outs, strict=True):
            np.take(value, order, out=out)

    return Launcher(
        group,
        inputs={"points_array": None, "in_offsets": "offsets", "sources": "edges"}
        | {f"in_edge_{name}": "edges" for name in names}
        | {"ins": None if whole else "ins_rows"},
        outputs={"out_offsets": "by_offsets", "destinations": "edges"}
        | {f"out_edge_{name}": "edges" for name in names},
    )


@functools.cache
def _mirrored_launcher(names: tuple[str, ...]) -> Launcher:
    from lux.graph.construction import sort_kernels

    n = len(names)

    def group(point: int, points: NDArray[np.int64], in_offsets: NDArray[np.int64], sources: Any, *rest: Any) -> None:
        values, (offsets, destinations), outs = rest[:n], rest[n : n + 2], rest[n + 2 :]
        lo, hi = points[point : point + 2]
        order = sort_kernels.by_source_of_mirrored(lo, hi, in_offsets, sources, offsets, destinations, n > 0)
        for value, out in zip(values, outs, strict=True):
            np.take(value, order, out=out)

    return Launcher(
        group,
        inputs=dict.fromkeys(["points_array", "in_offsets", "sources", *(f"in_edge_{name}" for name in names)]),
        outputs={"out_offsets": "by_offsets", "destinations": "edges"}
        | {f"out_edge_{name}": "edges" for name in names},
    )


def _on_gpu(source: GraphEdges) -> SortedEdges | None:
    if not runtime.gpus():
        return None
    from lux.graph.construction.gpu import choice

    return choice.sorted_edges(source, drop_loops=False, drop_repeats=False)


def make(layout: Partitions, names: tuple[str, ...], listed: bool) -> CsrBySource:
    """Group every partition's edges by source, with a row for each member of INS (``listed``) or each vertex."""
    graph, parts = layout.graph, layout.parts
    if not listed and not graph.directed:  # the edges by destination are the edges by source
        properties = {n: graph.properties[n] for n in names}
        return CsrBySource(None, graph.offsets, graph.sources, properties, {"by_offsets": layout.cuts["offsets"]})
    if not listed and runtime.ranks() == 1:
        turned = GraphEdges(graph, reverse=True, names=names)
        made = _on_gpu(turned) or in_one_process(turned, {n: graph.property_types[n] for n in names})
        whole = {"by_offsets": np.array([[0, graph.n_vertices + 1]])}
        return CsrBySource(None, made.offsets, made.sources, made.properties, whole)
    if not listed:
        ins, cuts = None, {}
        sizes = np.array([graph.n_vertices], np.int64)
    else:
        ins, rows, sizes = ins_sets.stored(layout)
        cuts = {"ins_rows": rows}
    at = split_points.starts(sizes + 1)
    cuts["by_offsets"] = cut(at)
    by_source = CsrBySource(
        ins,
        runtime.new_store(np.int64, int(at[-1]), of_graph=True),
        runtime.new_store(graph.id_dtype, graph.n_edges, of_graph=True),
        {n: runtime.new_store(graph.property_types[n], graph.n_edges, of_graph=True) for n in names},
        cuts,
    )
    given: dict[str, Any] = {
        "points_array": runtime.from_array(layout.points),
        "in_offsets": graph.offsets,
        "sources": graph.sources,
        "out_offsets": by_source.offsets,
        "destinations": by_source.destinations,
        "edges": layout.splits["edges"],
        "by_offsets": by_source.splits["by_offsets"],
        **{f"in_edge_{n}": graph.properties[n] for n in names},
        **{f"out_edge_{n}": p for n, p in by_source.properties.items()},
    }
    # Mirrored edges are found by two searches for each vertex and partition, and by reading all edges in each process.
    few = EDGES_PER_SEARCH * parts * graph.n_vertices <= graph.n_edges
    if listed and not graph.directed and runtime.ranks() == 1 and few:
        _mirrored_launcher(names)(parts, **given)
        return by_source
    ins_given = {"ins": runtime.from_array(np.zeros(1, np.uint64)) if ins is None else ins, **by_source.splits}
    _group_launcher(names, not listed)(parts, **(given | ins_given), offsets=layout.splits["offsets"])
    return by_source
