# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading of a prepared graph: one ``.npy`` file for each store, and ``graph.json``, in a folder.

Loading sorts nothing again. Every point task reads its own slice, and checks that all edges and vertices that the slice
refers to exist. `lux.io.files.folder` replaces a folder as a whole.
"""

from __future__ import annotations

import functools
import os
import zlib
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lux import runtime
from lux.checks import checked_path
from lux.errors import FileError, FormatError, LuxError
from lux.graph.core.ids import VertexIds
from lux.graph.core.stored_graph import DEALT, Order, graph_bytes
from lux.graph.graph import Graph
from lux.io.files.archive import archive_of
from lux.io.files.atomic import followed, part_path
from lux.io.files.content import FileContent
from lux.io.files.folder import begin_folder, commit_folder, discard_folder, refuse_left, refuse_missing
from lux.io.files.room import cannot_write, check_room, reserve
from lux.io.files.sidecar import read_ids
from lux.io.formats.npy import Column, make_column
from lux.io.saved.columns import check_inverse, load_column, save_column
from lux.io.saved.document import NAME, ORDER, Document
from lux.names import checked_call
from lux.runtime import Store

if TYPE_CHECKING:
    from perfmodel import GraphSummary

IDS, SUMMARY = "ids.npz", "summary.json"
"""Files of the vertices' ids, and of the graph's summary for the performance model, if it was counted."""


def save(graph: Graph, path: str | PathLike[str]) -> None:
    """Save a graph, replacing a saved graph of that name; see `lux.graph.graph.Graph.save`."""
    target, document = followed(checked_path("path", path)), Document.of(graph)
    runtime.on_first_rank(functools.partial(_create, graph, document, target))
    try:
        for name, store in _stores(graph).items():
            save_column(store, document.columns[name], target, name)
        runtime.on_first_rank(functools.partial(_finish, document, target))
    except BaseException:  # an interrupt too
        if runtime.rank() == 0:
            discard_folder(target)
        raise


@checked_call
def load_graph(path: str | PathLike[str]) -> Graph:
    """Load a graph that `Graph.save` wrote; each process reads its part.

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    Graph
        The saved graph: its order, partitions, ids and edge properties.

    Raises
    ------
    FileError
        The folder or a file in it is missing, or the folder is left from an interrupted save.
    FormatError
        The folder is not a saved graph of this version, or a file in it is damaged or contradicts the others.

    Examples
    --------
    >>> import lux, tempfile
    >>> folder = tempfile.mkdtemp() + "/kite"
    >>> lux.toy.kite().save(folder)
    >>> lux.load_graph(folder).n_edges
    36
    """
    folder, opened, error = Path(checked_path("path", path)), None, None
    try:
        opened = _Folder(folder)
    except LuxError as raised:
        error = raised
    runtime.raise_on_all_ranks(error)
    assert opened is not None  # agree has raised otherwise
    opened.check_alike()
    document = opened.document
    n, m, types = document.n_vertices, document.n_edges, document.properties
    runtime.check_memory(graph_bytes(n, m, types), f"{path}, with {n:,} vertices and {m:,} edges,")
    most = {"offsets": m, "sources": n - 1} | dict.fromkeys(ORDER, n - 1)
    loaded = {}
    for name, (dtype, length) in document.columns.items():
        loaded[name] = runtime.new_store(dtype, length, of_graph=True)
        if length:
            load_column(loaded[name], opened.columns[name], most.get(name), rising=name == "offsets")
    order = None
    if document.order is not None:
        points = None if document.points is None else np.array(document.points, np.int64)
        vertices, places = (loaded[name] for name in ORDER)
        check_inverse(vertices, places, n, folder)
        ranges = DEALT if document.ranges is None else document.ranges
        order = Order(document.order, vertices, places, ranges=ranges, points=points)
    properties = {name: loaded[f"property-{k}"] for k, name in enumerate(types)}
    made = loaded["offsets"], loaded["sources"], properties, types, order, opened.summary
    return Graph(n, m, document.directed, opened.ids, *made)


def check_target(target: Path) -> None:
    """Raise FileError if the name belongs to anything but a saved graph."""
    if target.exists() and not (target / NAME).exists():
        raise FileError(f"{target} exists and is not a saved graph: choose another name")


class _Folder:
    """Folder of a saved graph with all files open: whatever happens to the folder, they are of one save.

    Attributes
    ----------
    document : Document
    columns : dict of name to Column
        Columns that have values.
    ids : VertexIds
    summary : GraphSummary or None
    """

    document: Document
    columns: dict[str, Column]
    ids: VertexIds
    summary: GraphSummary | None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        refuse_left(folder)
        refuse_missing(folder)
        if not folder.is_dir():
            what = "it is a file; lux.read_graph reads files" if folder.exists() else "there is none; check the name"
            raise FileError(f"{folder} is not the folder of a saved graph: {what} (graph.save(folder) makes one)")
        if not (folder / NAME).exists():
            raise FileError(f"{folder} is not a saved graph: it has no {NAME}; graph.save(folder) makes one")
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._open()
            if not (folder.exists() and os.path.samestat(os.fstat(handle), folder.stat())):
                raise FileError(f"{folder} was saved again while it was loaded: load it again")
        finally:
            os.close(handle)

    def _open(self) -> None:
        content = FileContent(self.folder / NAME)[:]
        try:
            self.document = Document.parse(content)
        except FormatError as error:
            raise FormatError(f"{self.folder} is not a saved graph: {NAME} is wrong: {error}") from None
        self.columns = {
            name: Column(FileContent(self.folder / f"{name}.npy"), dtype, length)
            for name, (dtype, length) in self.document.columns.items()
            if length
        }
        self.ids = read_ids(self.folder / IDS, self.document.n_vertices)
        self.summary = _read_summary(self.folder / SUMMARY, self.document)
        self._digest = zlib.crc32(content)

    def check_alike(self) -> None:
        """Raise FileError, on every rank, unless all ranks have opened the same save."""
        if runtime.ranks() == 1:
            return
        low, high = runtime.allreduce_max(np.array([-float(self._digest), float(self._digest)]))
        if -low != high:
            raise FileError(
                f"{self.folder} is not the same graph for every process: put it on a disk that all of them share; if "
                "it was saved again meanwhile, load it again"
            )


def _read_summary(path: Path, document: Document) -> GraphSummary | None:
    from perfmodel import GraphSummary, ModelError

    try:
        found = GraphSummary.read(path) if path.exists() else None
    except ModelError as error:
        raise FormatError(f"{error}; or delete the file") from None
    if found is not None and (found.n_vertices, found.n_edges) != (document.n_vertices, document.n_edges):
        raise FormatError(f"{path} is the summary of another graph: delete the file")
    return found


def _stores(graph: Graph) -> dict[str, Store]:
    stores = {"offsets": graph.offsets, "sources": graph.sources}
    if graph.order is not None:
        stores |= dict(zip(ORDER, (graph.order.vertices, graph.order.places), strict=True))
    return stores | {f"property-{k}": graph.properties[name] for k, name in enumerate(graph.property_types)}


def _create(graph: Graph, document: Document, target: Path) -> None:
    """Create all files but ``graph.json``, which comes last, with room for the point tasks' slices."""
    from perfmodel import ModelError

    check_target(target)
    part = begin_folder(target)
    ids = archive_of(graph.ids.to_arrays())
    needed = ids.nbytes + sum(length * dtype.itemsize for dtype, length in document.columns.values())
    try:
        check_room(target, needed)
        for name, (dtype, length) in document.columns.items():
            if length:
                make_column(part / f"{name}.npy", dtype, length)
        with (part / IDS).open("wb") as file:
            reserve(file.fileno(), ids.nbytes)
            file.write(ids)
        if graph.summary is not None:
            graph.summary.write(part / SUMMARY)
    except ModelError as error:
        discard_folder(target)
        raise FileError(str(error)) from error
    except OSError as error:
        discard_folder(target)
        raise cannot_write(target, error, needed) from error
    except BaseException:
        discard_folder(target)
        raise


def _finish(document: Document, target: Path) -> None:
    try:
        (part_path(target) / NAME).write_text(document.text(), encoding="utf-8")
    except OSError as error:
        raise cannot_write(target, error) from error
    commit_folder(target)
