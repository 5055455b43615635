# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Assembly of edges from the columns of tables: by one process, which has all columns, or by all, with a share each.

Vertices are the ids that occur (or 0 to the largest, ``ids="as-is"``), or those that the file lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.checks import warn
from lux.errors import FormatError, GraphError
from lux.graph.construction import sharded
from lux.graph.construction.edge_list import EdgeList
from lux.graph.construction.sharded import ShardedEdges
from lux.graph.core.compact_ids import compact, placed
from lux.graph.core.ids import Bipartite, Identity, VertexIds
from lux.graph.core.stored_graph import id_dtype
from lux.io.files.sidecar import ids_path
from lux.io.formats.columns import Columns
from lux.io.formats.endpoint_columns import two_kinds
from lux.io.formats.options import MOST, settle_weight

Dense = tuple[NDArray[Any], NDArray[Any], VertexIds]
Bounds = Sequence[tuple[int, int] | None]
"""Smallest and largest id of the sources and of the destinations; None for strings, and where there are none."""


def assemble(columns: Columns) -> EdgeList:
    """Make the `EdgeList` of all columns."""
    options, dense = columns.options, None
    _check_edges(columns, len(columns))
    bounds = _bounds(columns)
    _warn_of_two_kinds(columns, bounds)
    kept = settle_weight(columns.path, dict(columns.properties), weighted=options.weighted)
    if columns.known is not None:
        dense = *placed(columns.sources, columns.destinations, columns.known), columns.known
    elif options.ids == "as-is":
        _check_integers(columns, bounds)
        dense = _as_is(columns, bounds)
    else:
        dense = compact(columns.sources, columns.destinations, bipartite=options.bipartite, in_place=True)
    _check_all_there(columns, len(dense[2]))
    return EdgeList(dense[0], dense[1], len(dense[2]), _directed(columns), dense[2], kept)


def assemble_shares(columns: Columns) -> ShardedEdges | EdgeList:
    """Join the edges of the shares of all processes, which all call this at the same place."""
    options = columns.options

    def own() -> tuple[Any, Bounds, dict[str, NDArray[Any]]]:
        kept = settle_weight(columns.path, dict(columns.properties), weighted=options.weighted)
        if columns.known is not None:
            return placed(columns.sources, columns.destinations, columns.known), (None, None), kept
        bounds = _bounds(columns)
        if options.ids == "as-is" and len(columns):
            _check_integers(columns, bounds)
        return (columns.sources, columns.destinations), bounds, kept

    (sources, destinations), bounds, kept = sharded.on_all_ranks(own)
    facts = sharded.all_facts({"edges": len(columns), "bounds": bounds, "directed": _directed(columns)})
    _check_edges(columns, sum(each["edges"] for each in facts))
    if len({each["directed"] for each in facts}) > 1:
        raise FormatError(f"{columns.path} has files of directed graphs and of undirected ones: read them apart")
    everywhere = [_joined([each["bounds"][side] for each in facts]) for side in (0, 1)]
    _warn_of_two_kinds(columns, everywhere)
    if columns.known is not None:
        dense: Dense = sources, destinations, columns.known
    elif options.ids == "as-is":
        dense = _as_is(columns, everywhere)
    else:
        dense = sharded.numbered(sources, destinations, bipartite=options.bipartite, in_place=True)
    _check_all_there(columns, len(dense[2]))
    return sharded.joined(*dense, kept, directed=_directed(columns))


def _directed(columns: Columns) -> bool:
    options = columns.options
    return options.directed if options.directed is not None else not options.bipartite


def _check_edges(columns: Columns, n_edges: int) -> None:
    if not n_edges and columns.known is None:
        raise GraphError(f"{columns.path} has no edges, so it has no vertices")


def _check_all_there(columns: Columns, n_vertices: int) -> None:
    if n_vertices < columns.least:
        raise FormatError(
            f"{columns.path} is of a graph with {columns.least} vertices, and {n_vertices} of them have edges: "
            f"{ids_path(columns.path)}, which names the others, is missing; put it beside the file"
        )


def _bounds(columns: Columns) -> Bounds:
    """Return the bounds of the ids, where a rule needs them."""
    if columns.options.ids != "as-is" and (columns.options.bipartite or not two_kinds(*columns.names)):
        return None, None
    ends = columns.sources, columns.destinations
    return [(int(c.min()), int(c.max())) if isinstance(c, np.ndarray) and len(c) else None for c in ends]


def _joined(found: list[Any]) -> tuple[int, int] | None:
    """Return the bounds of the ids of all processes."""
    having = [bounds for bounds in found if bounds is not None]
    return (min(low for low, _ in having), max(high for _, high in having)) if having else None


def _warn_of_two_kinds(columns: Columns, bounds: Bounds) -> None:
    """Warn if equal ids of what seem two kinds of vertices become one vertex."""
    (first, second), (one, two) = columns.names, bounds
    if columns.options.bipartite or not two_kinds(first, second) or one is None or two is None:
        return
    if max(one[0], two[0]) <= min(one[1], two[1]):
        warn(
            f"{columns.path}: equal ids in the columns {first!r} and {second!r} are read as one vertex. If these are "
            "two kinds of vertices, pass bipartite=True; if not, name the columns 'source' and 'target'"
        )


def _check_integers(columns: Columns, bounds: Bounds) -> None:
    for each in bounds:
        if each is None:
            raise FormatError(f"{columns.path}: ids='as-is' needs integer ids, and these are strings: leave it out")
        if each[0] < 0:
            raise FormatError(f"{columns.path}: ids='as-is' needs ids from 0 on, and one is {each[0]}: leave it out")


def _as_is(columns: Columns, bounds: Bounds) -> Dense:
    ends = [each[1] + 1 for each in bounds if each is not None]
    bipartite = columns.options.bipartite
    n = sum(ends) if bipartite else max(ends)
    if n > MOST:
        raise FormatError(f"{columns.path}: ids='as-is' makes vertices of all ids up to {max(ends) - 1}: leave it out")
    dtype = id_dtype(n)
    destinations = columns.destinations.astype(dtype) + dtype.type(ends[0] if bipartite else 0)
    names: VertexIds = Bipartite(Identity(ends[0]), Identity(ends[1])) if bipartite else Identity(n)
    return columns.sources.astype(dtype), destinations, names
