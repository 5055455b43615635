# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Making of a graph's edges by one process that runs alone: all its threads group and sort them in one task."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.construction import first_kernel
from lux.graph.construction.edge_list import EdgeList, EdgeSource
from lux.graph.construction.edge_stores import GraphEdges, SortedEdges, StoredEdges
from lux.graph.construction.grouping import Grouped, Slice, group, shares
from lux.graph.construction.own_edges import AnyEdges, graph_slice
from lux.graph.core.stored_graph import id_dtype
from lux.partition import split_points
from lux.runtime import CheckedLauncher, Launcher, Store

CHUNK = 1 << 16
"""Edges that are made of a graph's at a time: few enough for a core's cache."""


class _Making:
    """Making of edges, as two launches share it: the grouped edges, and values of edges that are in no store."""

    def __init__(self, source: AnyEdges, cuts: NDArray[np.int64], drop_loops: bool, drop_repeats: bool) -> None:
        self.source, self.cuts = source, cuts
        self.drops = {"drop_loops": drop_loops, "drop_repeats": drop_repeats}
        self.values: dict[str, NDArray[Any]] = {}
        self.grouped: Grouped

    def group(self, given: tuple[Any, ...], offsets: NDArray[np.int64]) -> None:
        """Group the edges; ``given`` are those of a source in stores."""
        source, threads = self.source, runtime.team_size()
        mirror = source.mirror if isinstance(source, GraphEdges) else not source.directed
        numbered = len(source.property_types) > 0
        n = source.n_vertices
        slices = self._slices(given, threads)
        self.grouped = group(slices, 0, n, n, offsets, mirror=mirror, numbered=numbered, threads=threads, **self.drops)

    def _slices(self, given: tuple[Any, ...], threads: int) -> list[Slice]:
        source, cuts = self.source, self.cuts
        pieces = [slice(lo, hi) for lo, hi in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]
        if isinstance(source, GraphEdges):
            return [functools.partial(_chunks, source, piece, *given[:3]) for piece in pieces]
        ends: tuple[Any, ...]
        if isinstance(source, StoredEdges):
            ends = given[:2]
        elif isinstance(source, EdgeList):
            ends, self.values = (source.sources, source.destinations), dict(source.properties)
        else:
            ids = id_dtype(source.n_vertices)
            ends = np.empty(source.n_edges, ids), np.empty(source.n_edges, ids)
            self.values = {n: np.empty(source.n_edges, t) for n, t in source.property_types.items()}
            self._fill(source, ends, pieces, threads)
        return [functools.partial(_piece, ends, piece) for piece in pieces]

    def _fill(self, source: EdgeSource, ends: tuple[Any, ...], pieces: list[slice], threads: int) -> None:
        def fill(k: int) -> None:
            piece = pieces[k]
            properties = {n: values[piece] for n, values in self.values.items()}
            source.fill(piece.start, piece.stop, ends[0][piece], ends[1][piece], properties)

        runtime.run_team(shares(len(pieces), threads, fill))


def _piece(ends: tuple[Any, ...], piece: slice) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    return [(ends[0][piece], ends[1][piece])]


def _chunks(
    source: GraphEdges, piece: slice, offsets: NDArray[np.int64], places: NDArray[Any], neighbours: NDArray[Any]
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield the edges of some of a graph's vertices, few at a time."""
    ends, lo = offsets[piece.start : piece.stop + 1], 0
    while lo < len(ends) - 1:
        hi = max(int(np.searchsorted(ends, ends[lo] + CHUNK, side="right")) - 1, lo + 1)
        own = ends[lo : hi + 1]
        yield graph_slice(source, piece.start + lo, own, places, neighbours[own[0] : own[-1]])
        lo = hi


def _given(source: AnyEdges, slices: int) -> tuple[dict[str, Store], NDArray[np.int64]]:
    """Return the stores that hold edges (none of an `EdgeSource`), and where slices begin: at edges, or vertices."""
    if isinstance(source, GraphEdges):
        graph, cuts = source.graph, split_points.balanced_points(runtime.to_array(source.graph.offsets), slices)
        places = runtime.from_array(np.zeros(1, np.uint32)) if source.places is None else source.places
        stores = {"in_offsets": graph.offsets, "places": places, "in_sources": graph.sources}
        return stores | {f"in_edge_{n}": graph.properties[n] for n in source.property_types}, cuts
    cuts = np.linspace(0, source.n_edges, slices + 1).astype(np.int64)
    if not isinstance(source, StoredEdges):
        return {}, cuts
    stores = {"in_sources": source.sources, "in_destinations": source.destinations}
    return stores | {f"in_edge_{n}": source.properties[n] for n in source.property_types}, cuts


def in_one_process(
    source: AnyEdges, types: Mapping[str, np.dtype[Any]], *, drop_loops: bool = False, drop_repeats: bool = False
) -> SortedEdges:
    """Make a graph's edges of a source, whose properties have these types."""
    first_kernel.load()
    n = source.n_vertices
    offsets = runtime.new_store(np.int64, n + 1, written_whole=True, of_graph=True)
    given, cuts = _given(source, min(runtime.team_size(), n))
    making = _Making(source, cuts, drop_loops, drop_repeats)
    names = tuple(types)
    with runtime.registered(making) as key:
        _group_launcher(tuple(given))(1, **given, offsets=offsets, key=key)
        n_edges = making.grouped.n_edges
        sources = runtime.new_store(id_dtype(n), n_edges, written_whole=True, of_graph=True)
        properties = {
            name: runtime.new_store(t, n_edges, written_whole=True, of_graph=True) for name, t in types.items()
        }
        values = {name: store for name, store in given.items() if name.startswith("in_edge_")}
        out = {f"out_edge_{name}": store for name, store in properties.items()}
        _place_launcher(names, tuple(values))(1, **values, offsets=offsets, sources=sources, **out, key=key)
    return SortedEdges(n_edges, offsets, sources, properties)


@functools.cache
def _group_launcher(taken: tuple[str, ...]) -> CheckedLauncher:
    def group(_point: int, *values: Any) -> None:
        *given, offsets, key = values
        runtime.context(key).group(tuple(given), offsets)

    return CheckedLauncher(group, inputs=dict.fromkeys(taken), outputs={"offsets": None}, scalars={"key": int})


@functools.cache
def _place_launcher(names: tuple[str, ...], stored: tuple[str, ...]) -> Launcher:
    def place(_point: int, *values: Any) -> None:
        given, outs = values[: len(stored)], values[len(stored) + 1 : -2]
        sources, offsets = values[len(stored)], values[-2]
        making = runtime.context(values[-1])
        making.grouped.place(sources[: making.grouped.n_edges], offsets)
        for k, name in enumerate(names):
            making.grouped.place_values(given[k] if stored else making.values[name], outs[k])

    return Launcher(
        place,
        inputs=dict.fromkeys(stored),
        outputs={"sources": None} | {f"out_edge_{name}": None for name in names},
        updates={"offsets": None},
        scalars={"key": int},
    )
