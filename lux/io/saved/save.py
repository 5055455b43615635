# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading of a graph: a .lux file of version 2, written and read by all processes at once.

Loading sorts nothing again. Every point task reads its own slice, and checks its bytes against their checksums, and
that all edges and vertices that the slice refers to exist.
"""

from __future__ import annotations

import functools
import secrets
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.checks import checked_path
from lux.errors import FormatError, GraphError, ParameterError
from lux.graph.core.ids import VertexIds
from lux.graph.core.stored_graph import Order, graph_bytes
from lux.graph.graph import Graph
from lux.io.files.atomic import Pathname
from lux.io.files.content import FileContent
from lux.io.files.stored_ids import from_arrays
from lux.io.formats.options import Options
from lux.io.formats.read_slices import Progress
from lux.io.saved.document import DOCUMENT, IDS, ORDER, Document, check_sections, columns_of
from lux.io.saved.header import MAGIC, Header, arrange
from lux.io.saved.sections import SavedFile, check_inverse, read_section, write_file
from lux.partition.split_points import MAX_PARTITIONS, balanced_points
from lux.runtime import Store

if TYPE_CHECKING:
    from perfmodel import GraphSummary


def save(graph: Graph, path: str | PathLike[str]) -> None:
    """Save a graph, replacing a file of that name; see `lux.graph.graph.Graph.save`."""
    document = np.frombuffer(Document.of(graph).text().encode(), np.uint8)
    ids = {f"{IDS}{key}": values for key, values in graph.ids.to_arrays().items() if values.ndim}
    sections = arrange(columns_of(graph, document.tobytes(), ids))
    header = Header(graph.n_vertices, graph.n_edges, graph.directed, secrets.randbits(63), sections)
    write_file(checked_path("path", path), header, _stores(graph), {DOCUMENT: document} | ids)


def _stores(graph: Graph) -> dict[str, Store]:
    stores = {"offsets": graph.offsets, "sources": graph.sources}
    if graph.order is not None:
        stores |= dict(zip(ORDER, (graph.order.vertices, graph.order.places), strict=True))
    return stores | {f"property-{k}": graph.properties[name] for k, name in enumerate(graph.property_types)}


class SavedGraph:
    """Saved graph, open: its header, document and ids are read and checked, and its edges are not.

    Attributes
    ----------
    n_vertices, n_edges : int
    directed : bool
    ids : VertexIds
    property_types : dict of str to np.dtype
        The properties that are asked for.
    summary : GraphSummary or None
    """

    def __init__(self, path: Pathname, options: Options) -> None:
        self.path, self.file = path, SavedFile(FileContent(path))
        header = self.file.header
        self.n_vertices, self.n_edges, self.directed = header.n_vertices, header.n_edges, header.directed
        try:
            self.document = Document.parse(self._document(), self.n_vertices)
            check_sections(header, self.document)
            self.ids = self._ids()
            self.summary = self._summary()
        except FormatError as error:
            raise FormatError(f"{path} is no saved graph: {error}") from None
        self.numbers = self._chosen(options)
        self.property_types = {name: header.sections[f"property-{k}"].dtype for name, k in self.numbers.items()}

    def _document(self) -> bytes:
        if DOCUMENT not in self.file.header.sections:
            raise FormatError(f"it has no section {DOCUMENT!r}")
        return self.file.values(DOCUMENT).tobytes()

    def _ids(self) -> VertexIds:
        arrays = {key: np.array(value) for key, value in self.document.ids.items()}
        arrays |= {n.removeprefix(IDS): self.file.values(n) for n in self.file.header.sections if n.startswith(IDS)}
        ids = from_arrays(arrays)
        if len(ids) != self.n_vertices:
            raise FormatError(f"it names {len(ids)} vertices, and has {self.n_vertices}")
        return ids

    def _summary(self) -> GraphSummary | None:
        from perfmodel import GraphSummary

        if self.document.summary is None:
            return None
        try:
            found = GraphSummary.of_json(dict(self.document.summary))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"its summary is wrong ({error})") from None
        if (found.n_vertices, found.n_edges) != (self.n_vertices, self.n_edges):
            raise FormatError("its summary is of another graph")
        return found

    def _chosen(self, options: Options) -> dict[str, int]:
        """Return the number of each property that is asked for; the first is ``weight`` if that is asked for."""
        options.only("a saved graph", "properties")
        if options.directed is not None and options.directed != self.directed:
            stored = "directed" if self.directed else "undirected"
            raise ParameterError(
                f"directed={options.directed} contradicts {self.path}, which is {stored} as stored: leave it out"
            )
        names = self.document.properties
        missing = sorted(set(options.properties or ()) - set(names))
        if missing:
            raise GraphError(f"{self.path} has no property {missing[0]!r}; its properties are {names}")
        if options.weighted and "weight" not in names:
            raise GraphError(f"{self.path} has no property 'weight': leave out weighted=True (it has {names})")
        wanted = set(names if options.properties is None else options.properties)
        wanted -= {"weight"} if options.weighted is False else set()
        return {name: k for k, name in enumerate(names) if name in wanted}


def is_saved(content: FileContent) -> bool:
    """Tell whether a .lux file is of version 2 or later."""
    return content[: len(MAGIC)] == MAGIC


def load(opened: SavedGraph, progress: Progress | None = None) -> Graph:
    """Load an open saved graph; calls ``progress`` with the bytes read so far and in all."""
    n, m, types = opened.n_vertices, opened.n_edges, opened.property_types
    file, document, needed = opened.file, opened.document, graph_bytes(n, m, types)
    runtime.check_memory(needed, f"{opened.path}, with {n:,} vertices and {m:,} edges,")
    done = 0

    def loaded(name: str, cuts: NDArray[np.int64] | None = None, check: Any = None) -> Store:
        nonlocal done
        section = file.header.sections[name]
        store = runtime.new_store(section.dtype, section.length, of_graph=True)
        read_section(file, name, store, cuts, check)
        done += section.nbytes
        if progress is not None:
            progress(min(done, needed), needed)
        return store

    offsets, below = loaded("offsets"), functools.partial(_are_below, n)
    cuts = _cuts(opened, offsets)
    sources = loaded("sources", cuts, below)
    properties = {name: loaded(f"property-{k}", cuts) for name, k in opened.numbers.items()}
    order = None
    if document.order is not None and document.ranges is not None:
        points = None if document.points is None else np.array(document.points, np.int64)
        vertices, places = (loaded(name, check=below) for name in ORDER)
        check_inverse(vertices, places, n, opened.path)
        order = Order(document.order, vertices, places, ranges=document.ranges, points=points)
    summary = opened.summary if len(types) == len(document.properties) else None
    return Graph(n, m, opened.directed, opened.ids, offsets, sources, properties, types, order, summary)


def _cuts(opened: SavedGraph, offsets: Store) -> NDArray[np.int64]:
    """Return the first edges of the partitions that most runs have, so that no edge moves to another process later.

    FormatError unless offsets ascend from 0 to the number of edges.
    """
    n, points = opened.n_vertices, opened.document.points
    found = runtime.to_array(offsets)[: n + 1]
    if found[0] != 0 or found[-1] != opened.n_edges or np.any(found[1:] < found[:-1]):
        raise FormatError(f"{opened.path}: section 'offsets' names edges that are not there: save the graph again")
    parts = min(runtime.processors(), n, MAX_PARTITIONS)
    as_saved = points is not None and len(points) == parts + 1
    return found[np.array(points) if as_saved else balanced_points(found, parts)]


def _are_below(n: int, values: NDArray[Any]) -> bool:
    return bool(values.max() < n)
