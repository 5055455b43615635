# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graph files: one module per format.

Saved graphs and binary formats (.lux, .sg, .wsg) are opened and then read by slices, each by its own task. All others
are read whole into an `lux.graph.construction.edge_list.EdgeList`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from lux.checks import checked_path
from lux.errors import FileError, ParameterError
from lux.graph.construction.edge_list import EdgeList
from lux.io.files.atomic import Pathname, atomic_output
from lux.io.files.content import FileContent
from lux.io.formats.assemble import Options
from lux.io.formats.binary import BinaryGraph
from lux.io.formats.formats import FORMATS, Format, format_of
from lux.io.formats.gap import SgFile, SgWriter
from lux.io.formats.lux_format import LuxFile
from lux.io.formats.matrix_market import write_mtx
from lux.io.formats.parquet import write_parquet
from lux.io.saved.save import SavedGraph, is_saved

__all__ = [
    "FORMATS",
    "BinaryGraph",
    "Format",
    "LuxFile",
    "Options",
    "SavedGraph",
    "SgFile",
    "SgWriter",
    "atomic_output",
    "format_of",
    "open_graph_file",
    "write_mtx",
    "write_parquet",
]


def open_graph_file(
    path: Pathname,
    format: str | None = None,  # noqa: A002  # the option's name everywhere
    **asked: Any,
) -> BinaryGraph | SavedGraph | EdgeList:
    r"""Open a graph file of any format; options and errors are those of `lux.read_graph`.

    Returns
    -------
    BinaryGraph, SavedGraph or EdgeList
        A .lux, .sg or .wsg file whose header agrees with its length, and nothing else of it is read (of a saved graph
        also its ids); or all edges of other files. Integer properties are int32 where they fit, else int64; decimals
        are float64.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.el"
    >>> _ = path.write_text("# toy\n1 2\n2 3\n")
    >>> edges = open_graph_file(path)
    >>> edges.n_vertices, edges.n_edges, edges.ids.labels(0, 3)
    (3, 2, array([1, 2, 3]))
    """
    found, options = format_of(existing(path), format), Options(**asked)
    if not found.binary:
        edges: EdgeList = import_module(f"lux.io.formats.{found.module}").read(path, found.name, options)
        return edges
    if found.name == "lux" and is_saved(FileContent(path)):
        return SavedGraph(path, options)
    options.only(found.name)
    graph: BinaryGraph
    if found.name == "lux":
        graph = LuxFile(path, weighted=options.weighted)
    else:
        graph = SgFile(path, weighted=found.name == "wsg", want_weights=options.weighted)
    directed = options.directed
    if directed is not None and directed != graph.directed:
        stored = "directed" if graph.directed else "undirected"
        raise ParameterError(f"directed={directed} contradicts {path}, which is {stored} as stored: leave it out")
    return graph


def existing(path: Pathname) -> Pathname:
    """Return the name of a file; FileError if there is none."""
    place = Path(checked_path("path", path))
    if (place / "graph.json").exists():
        raise FileError(
            f"{path} is a folder that Lux 0.1 saved, and graphs are saved as one file now: load it with that Lux, "
            "write a .sg or .parquet file of it, and convert that (lux convert GRAPH.parquet GRAPH.lux)"
        )
    if place.is_dir():
        raise FileError(f"{path} is a folder: pass the name of a graph file")
    if not place.exists():
        raise FileError(f"there is no file {path}: check the name")
    return path


from lux.io import graph_files  # noqa: E402  # which needs the names above

graph_files.register()
