# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Build of a graph from edges in any order: groups them by destination.

Where there are several processes, each makes a share of the edges, sends every edge to the process of its destination,
and sorts those that it gets (`lux.graph.construction.shuffle`). No process holds the whole edge list unless it runs
alone: then all its threads group and sort the edges in one task (`lux.graph.construction.one_process`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lux import runtime
from lux.checks import checked_flag
from lux.errors import GraphError
from lux.graph.construction.edge_stores import GraphEdges, SortedEdges, StoredEdges
from lux.graph.construction.grouping import key_bytes
from lux.graph.construction.one_process import in_one_process
from lux.graph.construction.own_edges import AnyEdges
from lux.graph.construction.shuffle import PIECE, shuffled
from lux.graph.core.stored_graph import graph_bytes, id_dtype

if TYPE_CHECKING:
    from lux.graph.graph import Graph

_log = logging.getLogger(__name__)
WORTH_GIVING_BACK = 1 << 24
"""Bytes of a graph from which on what making it has freed is given back: that takes longer than to make a small one."""


class EdgeFacts(Protocol):
    """Facts about edges from which the memory for making a graph follows."""

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""

    @property
    def n_edges(self) -> int:
        """Number of edges as they are listed."""

    @property
    def directed(self) -> bool:
        """False if an edge between two vertices stands for both directions."""

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """Edge properties and their types."""


def build(source: AnyEdges, *, drop_loops: bool = False, drop_repeats: bool = False) -> Graph:
    """Make a graph of an edge source.

    Parameters
    ----------
    source : EdgeSource or StoredEdges or GraphEdges
        Undirected edges are stored in both directions, a self-loop once.
    drop_loops : bool
        Leave out edges from a vertex to itself.
    drop_repeats : bool
        Keep the first of edges with equal endpoints, in the source's order.

    Raises
    ------
    GraphError
        There are no vertices.
    MemoryNeededError
        Making the graph needs more memory than Legate was given (of another graph's edges this is not asked).

    Examples
    --------
    >>> from lux.graph.construction.generators import Grid
    >>> build(Grid(3, 4)).n_edges
    34
    """
    from lux.graph.graph import Graph

    checked_flag("drop_loops", drop_loops)
    checked_flag("drop_repeats", drop_repeats)
    if source.n_vertices == 0:
        raise GraphError("the graph is empty: it has no vertices, and a graph has at least one")
    types, began = dict(source.property_types), time.perf_counter()
    made = _on_gpu(source, drop_loops=drop_loops, drop_repeats=drop_repeats)
    if made is None:
        made = _on_cores(source, types, drop_loops=drop_loops, drop_repeats=drop_repeats)
    if graph_bytes(source.n_vertices, made.n_edges, types) >= WORTH_GIVING_BACK:
        runtime.give_back_freed()
    took = time.perf_counter() - began
    _log.info("graph of %d vertices and %d stored edges made in %.3g s", source.n_vertices, made.n_edges, took)
    return Graph(
        n_vertices=source.n_vertices,
        n_edges=made.n_edges,
        directed=source.directed,
        ids=source.ids,
        order=source.graph.order if isinstance(source, GraphEdges) and source.places is None else None,
        offsets=made.offsets,
        sources=made.sources,
        properties=made.properties,
        property_types=types,
        points=made.points,
        edge_points=made.edge_points,
    )


def _on_gpu(source: AnyEdges, *, drop_loops: bool, drop_repeats: bool) -> SortedEdges | None:
    """Make a graph's edges of a source on a GPU, if there is one with room and it is worth it."""
    if not runtime.gpus():
        return None
    from lux.graph.construction.gpu import choice

    return choice.sorted_edges(source, drop_loops=drop_loops, drop_repeats=drop_repeats)


def _on_cores(
    source: AnyEdges, types: Mapping[str, np.dtype[Any]], *, drop_loops: bool, drop_repeats: bool
) -> SortedEdges:
    if not isinstance(source, GraphEdges):
        stored = source.n_edges * (1 if source.directed else 2)
        needed = graph_bytes(source.n_vertices, stored, types)
        what = f"making a graph of {source.n_vertices:,} vertices"
        runtime.check_memory(needed, f"{what} and {stored:,} edges")
        runtime.check_process_memory(process_bytes(source) + needed // runtime.ranks(), what)
    make = in_one_process if runtime.ranks() == 1 else shuffled
    return make(source, types, drop_loops=drop_loops, drop_repeats=drop_repeats)


def process_bytes(source: EdgeFacts) -> int:
    """Compute the bytes that each process needs beside Legate's memory while a graph is made of edges.

    They are the edges' keys, and numbers and values of edges with properties; of one process also the edges as listed,
    and of several the messages with pieces of them, and each block's offsets.
    """
    ranks, n, types = runtime.ranks(), source.n_vertices, dict(source.property_types)
    twice = source.mirror if isinstance(source, GraphEdges) else not source.directed
    stored = source.n_edges * (1 + twice) // ranks
    values = sum(np.dtype(kind).itemsize for kind in types.values())
    found = stored * (key_bytes(-(-n // ranks), n) + (4 + values if types and ranks > 1 else 4 * bool(types)))
    if ranks > 1:
        listed = 2 * id_dtype(n).itemsize + values
        messages = 4 * (1 + twice) * listed * min(PIECE * runtime.team_size(), source.n_edges)
        return found + messages + 8 * n // ranks
    return found + listed_bytes(source)


def listed_bytes(source: EdgeFacts) -> int:
    """Compute the bytes of the edges as listed, which one process frees while it writes the graph."""
    if runtime.ranks() > 1 or isinstance(source, GraphEdges | StoredEdges):
        return 0
    values = sum(np.dtype(kind).itemsize for kind in source.property_types.values())
    return (2 * id_dtype(source.n_vertices).itemsize + values) * source.n_edges
