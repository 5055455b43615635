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
from lux.graph import edge_queries
from lux.graph.core.ids import Bipartite, Offset
from lux.graph.edge_queries import EdgeSlice, ListedEdges
from lux.graph.to_arrow import check_ends
from lux.io.files.sidecar import Sidecar, commit_with
from lux.io.formats.formats import format_to_write
from lux.io.formats.parquet import Chunk
from lux.io.formats.text_writer import DELIMITERS, write_text
from lux.io.saved.save import save
from lux.runtime import CheckedLauncher

if TYPE_CHECKING:
    from lux.graph.graph import Graph


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
        listed = edge_queries.listed_edges(graph)
        if form == "mtx":
            _warn_of_repeats(path, listed)
        if form in DELIMITERS:
            _warn_of_loss(path, graph, listed)
        runtime.first_rank_takes(
            edge_queries.edge_slices(graph), functools.partial(_write_chunks, graph, path, form, listed)
        )


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


def _named_by_edges(graph: Graph, listed: ListedEdges) -> bool:
    """Return True if the columns of edges determine all vertices and their sides."""
    return not listed.alone and not isinstance(graph.ids, Bipartite)


def _warn_of_loss(path: str | PathLike[str], graph: Graph, listed: ListedEdges) -> None:
    """Warn of what text does not hold: the direction, and vertices without edges."""
    if listed.alone:
        warn(
            f"{path} has no room for vertices without edges ({listed.alone:,} of {graph.n_vertices:,}), which its "
            "readers will not have: write .lux or .parquet to keep them"
        )
    if not graph.directed:
        warn(f"{path} lists each edge of an undirected graph once: read it with directed=False (--undirected)")


def _warn_of_repeats(path: str | PathLike[str], listed: ListedEdges) -> None:
    """Warn of several edges at one place of a matrix."""
    if listed.repeats:
        warn(
            f"{path}: repeated edges ({listed.repeats:,} more than once) become one in readers of .mtx files, with the "
            "sum of their weights: make the graph with drop_repeats=True, or write .parquet"
        )


def _write_chunks(
    graph: Graph, path: str | PathLike[str], form: str, listed: ListedEdges, slices: Iterator[EdgeSlice]
) -> None:
    if form in DELIMITERS:
        write_text(path, form, _labelled(graph, slices))
    elif form == "parquet":
        known = _named_by_edges(graph, listed) or isinstance(graph.ids, Offset)
        kept = None if known else Sidecar(graph.ids)
        io.write_parquet(path, _labelled(graph, slices), directed=graph.directed, ids=graph.ids, kept=kept)
    else:
        weight = graph.property_types.get("weight")
        io.write_mtx(
            path,
            ((u, v, properties.get("weight")) for u, v, properties in slices),
            n_vertices=graph.n_vertices,
            n_edges=listed.n_edges,
            symmetric=not graph.directed,
            weight=weight,
            kept=None if graph.ids == Offset(graph.n_vertices, 1) else Sidecar(graph.ids),
        )


def _labelled(graph: Graph, slices: Iterator[EdgeSlice]) -> Iterator[Chunk]:
    """Iterate over slices of edges with the user's ids."""
    ids = graph.ids
    label = ids.some if isinstance(ids, Offset) else ids.labels(0, graph.n_vertices).__getitem__
    for u, v, properties in slices:
        yield label(u), label(v), properties
