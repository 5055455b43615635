# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Write a graph to a file."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import io, runtime
from lux.checks import checked_path, warn
from lux.errors import FormatError
from lux.graph.construction.edge_list import EdgeList
from lux.graph.core.ids import Bipartite, Offset
from lux.graph.to_arrow import check_ends
from lux.io.files.sidecar import Sidecar, commit_with
from lux.io.formats.formats import format_to_write
from lux.io.formats.parquet import Chunk
from lux.io.formats.text_writer import DELIMITERS, write_text
from lux.io.saved.save import save
from lux.runtime import CheckedLauncher

if TYPE_CHECKING:
    from lux.graph.graph import Graph

EDGES_AT_ONCE = 1 << 22


def write(graph: Graph, path: str | PathLike[str], format: str | None) -> None:  # noqa: A002
    """Write a graph file; see `lux.graph.graph.Graph.write`."""
    form = format_to_write(checked_path("path", path), format).name
    if form == "lux":
        save(graph, path)
        return
    graph = graph.reordered("given")
    weight = graph.property_types.get("weight")
    others = sorted(set(graph.properties) - {"weight"})
    if others and form in ("sg", "wsg", "mtx", "el", "wel", "txt"):
        raise FormatError(
            f"{path}: {form} holds no edge property but weight, and this graph has {others}: use lux or parquet, or csv"
        )
    check_ends(graph.properties, "source", "target", "destination")
    for plain, weighted in (("sg", "wsg"), ("el", "wel")):
        if form in (plain, weighted) and (form == weighted) != (weight is not None):
            raise FormatError(
                f"{path}: .{weighted} is for graphs with weights and .{plain} for those without: use the other name"
            )
    if form in ("sg", "wsg"):
        _write_slices(graph, path, weight)
    else:
        edges = graph.dense_edge_list()
        if form == "mtx":
            _warn_of_repeats(path, edges)
        if form in DELIMITERS:
            _warn_of_loss(path, edges)
        runtime.on_first_rank(functools.partial(_write_chunks, graph, path, form, edges))


def _write_slices(graph: Graph, path: str | PathLike[str], weight: Any) -> None:
    """Have every partition write its slice of one file."""
    writer = io.SgWriter(path, graph.n_vertices, graph.n_edges, directed=graph.directed, weight=weight)
    runtime.on_first_rank(writer.create)
    try:
        _write_part(graph.reverse(), functools.partial(writer.write, part="out"))
        if graph.directed:
            _write_part(graph, functools.partial(writer.write, part="in"))
        beside = None if graph.ids.is_identity else Sidecar(graph.ids)
        runtime.on_first_rank(functools.partial(commit_with, path, beside))
    except BaseException:  # an interrupt too
        if runtime.rank() == 0:
            writer.discard()
        raise


def _write_part(graph: Graph, write: Callable[..., None]) -> None:
    layout = graph.whole_layout()
    weighted = "weight" in graph.properties
    more = {"weights": graph.properties["weight"]} if weighted else {}
    with runtime.registered((write, layout.points.tolist())) as key:
        _write_launcher(weighted)(
            layout.parts,
            in_offsets=graph.offsets,
            sources=graph.sources,
            offsets=layout.splits["offsets"],
            edges=layout.splits["edges"],
            key=key,
            **more,
        )


@functools.cache
def _write_launcher(weighted: bool) -> CheckedLauncher:
    def write_slice(point: int, in_offsets: NDArray[np.int64], sources: NDArray[Any], *rest: Any) -> None:
        write, points = runtime.context(rest[-1])
        write(points[point], in_offsets[1:], int(in_offsets[0]), sources, rest[0] if weighted else None)

    inputs: dict[str, str | None] = {"in_offsets": "offsets", "sources": "edges"}
    return CheckedLauncher(
        write_slice, inputs=inputs | ({"weights": "edges"} if weighted else {}), scalars={"key": int}
    )


def _named_by_edges(graph: Graph, edges: EdgeList) -> bool:
    """Return True if the columns of edges determine all vertices and their sides."""
    named = np.zeros(graph.n_vertices, np.bool_)
    named[edges.sources] = named[edges.destinations] = True
    return bool(named.all()) and not isinstance(graph.ids, Bipartite)


def _warn_of_loss(path: str | PathLike[str], edges: EdgeList) -> None:
    """Warn of what text does not hold: the direction, and vertices without edges."""
    named = np.zeros(edges.n_vertices, np.bool_)
    named[edges.sources] = named[edges.destinations] = True
    if lone := int(np.count_nonzero(~named)):
        warn(
            f"{path} has no room for vertices without edges ({lone:,} of {edges.n_vertices:,}), which its readers will "
            "not have: write .lux or .parquet to keep them"
        )
    if not edges.directed:
        warn(f"{path} lists each edge of an undirected graph once: read it with directed=False (--undirected)")


def _write_chunks(graph: Graph, path: str | PathLike[str], form: str, edges: EdgeList) -> None:
    parts = [slice(lo, lo + EDGES_AT_ONCE) for lo in range(0, max(edges.n_edges, 1), EDGES_AT_ONCE)]
    if form in DELIMITERS:
        write_text(path, form, _labelled(graph, edges, parts))
    elif form == "parquet":
        known = _named_by_edges(graph, edges) or isinstance(graph.ids, Offset)
        _write_parquet(graph, path, edges, parts, None if known else Sidecar(graph.ids))
    else:
        known = graph.ids == Offset(graph.n_vertices, 1)
        _write_mtx(graph, path, edges, parts, None if known else Sidecar(graph.ids))


def _write_parquet(
    graph: Graph, path: str | PathLike[str], edges: EdgeList, parts: list[slice], kept: Sidecar | None
) -> None:
    chunks = _labelled(graph, edges, parts)
    io.write_parquet(path, chunks, directed=graph.directed, ids=graph.ids, kept=kept)


def _labelled(graph: Graph, edges: EdgeList, parts: list[slice]) -> Iterator[Chunk]:
    """Iterate over slices of edges with the user's ids."""
    labels = graph.ids.labels(0, graph.n_vertices)
    for p in parts:
        yield labels[edges.sources[p]], labels[edges.destinations[p]], {n: v[p] for n, v in edges.properties.items()}


def _warn_of_repeats(path: str | PathLike[str], edges: EdgeList) -> None:
    """Warn of several edges at one place of a matrix."""
    u, v = edges.sources, edges.destinations
    repeated = np.count_nonzero((u[1:] == u[:-1]) & (v[1:] == v[:-1]))  # edges are sorted
    if repeated:
        warn(
            f"{path}: repeated edges ({repeated:,} more than once) become one in readers of .mtx files, with the sum "
            "of their weights: make the graph with drop_repeats=True, or write .parquet"
        )


def _write_mtx(
    graph: Graph, path: str | PathLike[str], edges: EdgeList, parts: list[slice], kept: Sidecar | None
) -> None:
    u, v, weights = edges.sources, edges.destinations, edges.properties.get("weight")
    io.write_mtx(
        path,
        ((u[p], v[p], None if weights is None else weights[p]) for p in parts),
        n_vertices=graph.n_vertices,
        n_edges=edges.n_edges,
        symmetric=not graph.directed,
        weight=None if weights is None else weights.dtype,
        kept=kept,
    )
