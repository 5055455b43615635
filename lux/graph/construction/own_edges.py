# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A process's share of the edges that a graph is made of, in pieces that are made when they are asked for."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction.edge_list import EdgeSource
from lux.graph.construction.edge_stores import GraphEdges, StoredEdges
from lux.graph.construction.sharded import ShardedEdges
from lux.graph.core.partitions import Partitions
from lux.graph.core.stored_graph import id_dtype
from lux.partition import split_points
from lux.runtime import Launcher, Store

AnyEdges = EdgeSource | StoredEdges | GraphEdges
"""Edges that graphs are made of."""
Piece = tuple[NDArray[Any], NDArray[Any], dict[str, NDArray[Any]]]
"""Sources, destinations and properties of some edges."""


class OwnEdges(ABC):
    """A process's share of edges.

    Attributes
    ----------
    pieces : sequence
        What `piece` makes each of.
    mirror : bool
        Each edge stands for both directions.
    """

    pieces: Sequence[Any]
    mirror: bool

    @abstractmethod
    def piece(self, k: int, names: tuple[str, ...]) -> Piece:
        """Return the edges of piece k, with the properties ``names``. Any thread may call it."""


def own_edges(source: AnyEdges, most: int) -> OwnEdges:
    """Return this process's share of edges, in pieces of at most so many (but a vertex's in-edges stay together).

    All processes must call this at the same place. In the order of the processes, shares are in the order of the edges.
    """
    if isinstance(source, GraphEdges):
        return _OfGraph(source, most)
    return _OfStores(source, most) if isinstance(source, StoredEdges) else _OfSource(source, most)


def _cut(lo: int, hi: int, most: int) -> list[tuple[int, int]]:
    return [(at, min(at + most, hi)) for at in range(lo, hi, most)]


class _OfSource(OwnEdges):
    """Edges that are in no store: those of this process, or an equal share of those that every process can make."""

    def __init__(self, source: EdgeSource, most: int) -> None:
        self._source, self.mirror = source, not source.directed
        rank, ranks = runtime.rank(), runtime.ranks()
        if isinstance(source, ShardedEdges):
            lo, hi = split_points.starts(source.counts)[rank : rank + 2].tolist()
        else:
            lo, hi = source.n_edges * rank // ranks, source.n_edges * (rank + 1) // ranks
        self.pieces = _cut(lo, hi, most)

    def piece(self, k: int, names: tuple[str, ...]) -> Piece:
        (lo, hi), ids, types = self.pieces[k], id_dtype(self._source.n_vertices), self._source.property_types
        sources, destinations = np.empty(hi - lo, ids), np.empty(hi - lo, ids)
        properties = {name: np.empty(hi - lo, types[name]) for name in names}
        self._source.fill(lo, hi, sources, destinations, properties)
        return sources, destinations, properties


class _OfStores(OwnEdges):
    """Edges in stores, in any order."""

    def __init__(self, source: StoredEdges, most: int) -> None:
        self.mirror = not source.directed
        points = runtime.processors()
        stores = {"in_sources": source.sources, "in_destinations": source.destinations}
        stores |= {f"in_edge_{name}": store for name, store in source.properties.items()}
        edges = runtime.ranges(np.linspace(0, source.n_edges, points + 1).astype(np.int64))
        self._found = _located(points, stores, dict.fromkeys(stores, "edges"), {"edges": edges})
        self.pieces = [
            (point, *piece) for point, here in self._found.items() for piece in _cut(0, len(here["in_sources"]), most)
        ]

    def piece(self, k: int, names: tuple[str, ...]) -> Piece:
        point, lo, hi = self.pieces[k]
        here = self._found[point]
        properties = {name: here[f"in_edge_{name}"][lo:hi] for name in names}
        return here["in_sources"][lo:hi], here["in_destinations"][lo:hi], properties


class _OfGraph(OwnEdges):
    """Edges of a graph."""

    def __init__(self, source: GraphEdges, most: int) -> None:
        self._source, self.mirror = source, source.mirror
        graph, parts = source.graph, min(runtime.processors(), source.n_vertices, split_points.MAX_PARTITIONS)
        layout = Partitions(graph, graph.points_for(parts))
        stores = {"in_offsets": graph.offsets, "in_sources": graph.sources}
        stores |= {f"in_edge_{name}": graph.properties[name] for name in source.property_types}
        splits: dict[str, str | None] = {**dict.fromkeys(stores, "edges"), "in_offsets": "offsets"}
        if source.places is not None:
            stores["places"], splits["places"] = source.places, None
        self._points = layout.points
        self._found = _located(parts, stores, splits, {n: layout.splits[n] for n in ("offsets", "edges")})
        self.pieces = []
        for point, here in self._found.items():
            ends, lo = here["in_offsets"], 0
            while lo < len(ends) - 1:
                hi = max(int(np.searchsorted(ends, ends[lo] + most, side="right")) - 1, lo + 1)
                self.pieces.append((point, lo, hi))
                lo = hi

    def piece(self, k: int, names: tuple[str, ...]) -> Piece:
        point, lo, hi = self.pieces[k]
        here, offsets = self._found[point], self._found[point]["in_offsets"]
        edges = slice(offsets[lo] - offsets[0], offsets[hi] - offsets[0])
        first = int(self._points[point]) + lo
        ends = graph_slice(self._source, first, offsets[lo : hi + 1], here.get("places"), here["in_sources"][edges])
        return *ends, {name: here[f"in_edge_{name}"][edges] for name in names}


def graph_slice(
    source: GraphEdges, lo: int, offsets: NDArray[np.int64], places: NDArray[Any] | None, sources: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return sources and destinations of the edges of some of a graph's vertices, from ``lo`` on."""
    from lux.graph.construction import sort_kernels

    destinations = sort_kernels.row_numbers(offsets, lo, np.empty_like(sources))
    if source.places is not None:
        assert places is not None
        sources, destinations = places[sources], places[destinations]
    return (destinations, sources) if source.reverse else (sources, destinations)


def _located(
    points: int, stores: dict[str, Store], split_of: dict[str, str | None], splits: dict[str, Store]
) -> dict[int, dict[str, NDArray[Any]]]:
    """Find the parts of stores that the point tasks of this process get, where they stay while the stores live."""
    found: dict[int, dict[str, NDArray[Any]]] = {}
    with runtime.registered(found) as key:
        _locator(tuple(split_of.items()))(points, **stores, **splits, key=key)
    return {point: found[point] for point in sorted(found)}


@functools.cache
def _locator(split_of: tuple[tuple[str, str | None], ...]) -> Launcher:
    names = [name for name, _ in split_of]

    def note(name: str, array: NDArray[Any]) -> NDArray[Any]:
        """View an array beyond the task; one that all points see may be Legion's copy for this task."""
        if name == "places" or not array.size:
            return array.copy()
        return runtime.view(array.ctypes.data, array.size, array.dtype)

    def locate_edges(point: int, *values: Any) -> None:
        *arrays, key = values
        runtime.context(key)[point] = {name: note(name, array) for name, array in zip(names, arrays, strict=True)}

    return Launcher(locate_edges, inputs=dict(split_of), scalars={"key": int})
