# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Choice of the GPUs that make a graph: one where it is as fast, several, and in pieces where they have no room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from lux import runtime
from lux.graph.construction.edge_stores import GraphEdges, SortedEdges, StoredEdges
from lux.graph.construction.gpu import edges as gpu_edges
from lux.graph.construction.gpu.columns import columns_of
from lux.graph.construction.gpu.several_gpus import MOST_PIECES, sorted_in_pieces
from lux.runtime import allocations

if TYPE_CHECKING:
    from lux.graph.construction.own_edges import AnyEdges

WORTH_SEVERAL = 1 << 30
"""Edges, in both directions where they have none, from which on several GPUs make a graph sooner than one."""
MOST_GPUS = 16
"""GPUs, at most; ``send_edges.cu`` has the same."""


class Way(NamedTuple):
    """GPUs that make a graph, and the pieces in which each makes its part."""

    gpus: int
    pieces: int


def several() -> int:
    """Count the GPUs of this process that may use one another's memory; 1 if they may not."""
    count = min(runtime.gpus(), MOST_GPUS)
    return count if count > 1 and runtime.peer_access() and runtime.on_distinct_gpus(count) else 1


def way(
    n_vertices: int,
    listed: int,
    candidates: int,
    types: Mapping[str, Any],
    *,
    there: int = 0,
    drop_repeats: bool = True,
) -> Way | None:
    """Choose GPUs and pieces.

    Parameters
    ----------
    n_vertices, listed, candidates : int
        Vertices, edges, and edges in all directions.
    types : mapping of name to dtype
        Properties of edges.
    there : int
        Bytes of the edges that are in each GPU's memory already.
    drop_repeats : bool
        The number of edges to be stored is not known before they are sorted, so that pieces are joined.

    Returns
    -------
    Way or None
        None: the GPUs have no room.
    """
    most = several() if candidates >= WORTH_SEVERAL else 1

    def fits(found: Way) -> bool:
        needed = gpu_edges.bytes_needed(n_vertices, listed, candidates, types, *found, joined=drop_repeats)
        return gpu_edges.has_room(needed - there)

    if fits(Way(most, 1)):
        return Way(most, 1)
    pieces = 1
    while pieces <= MOST_PIECES:
        if fits(found := Way(several(), pieces)):
            return found
        pieces *= 2
    return None


def way_for(source: AnyEdges, *, drop_repeats: bool = True) -> Way | None:
    """Choose GPUs and pieces for the edges of a source; None if cores are to make the graph."""
    mirror = mirrored(source)
    listed = source.graph.n_edges if isinstance(source, GraphEdges) else source.n_edges
    types, n = dict(source.property_types), source.n_vertices
    candidates = 2 * listed if mirror else listed
    most_vertices, most_listed = gpu_edges.MOST_VERTICES, gpu_edges.MOST_LISTED
    if not gpu_edges.wanted(candidates) or n >= most_vertices or (types and listed >= most_listed):
        return None
    there = 0
    if isinstance(source, StoredEdges):
        there = int(allocations.placed([source.sources, source.destinations, *source.properties.values()])[0].min())
    return way(n, listed, candidates, types, there=there, drop_repeats=drop_repeats)


def mirrored(source: AnyEdges) -> bool:
    """Tell whether each edge of a source stands for both directions."""
    return source.mirror if isinstance(source, GraphEdges) else not source.directed


def sorted_edges(source: AnyEdges, *, drop_loops: bool, drop_repeats: bool) -> SortedEdges | None:
    """Sort the edges of a source on GPUs, if that is worth it and there is room; see `lux.graph.build.build`."""
    found = way_for(source, drop_repeats=drop_repeats)
    if found is None:
        return None
    columns, n = columns_of(source, found.gpus, mirror=mirrored(source)), source.n_vertices
    if found == (1, 1):
        return gpu_edges.sorted_alone(columns, n, drop_loops=drop_loops, drop_repeats=drop_repeats)
    return sorted_in_pieces(columns, n, *found, drop_loops=drop_loops, drop_repeats=drop_repeats)
