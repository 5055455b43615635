# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graph files: one module per format.

Saved graphs and binary formats (.lux, .sg, .wsg) are opened and then read by slices, each by its own task. Tables (edge
lists, CSV, Parquet) are read as columns, each process its share. All others are read whole into an
`lux.graph.construction.edge_list.EdgeList`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from lux import runtime
from lux.errors import FormatError, ParameterError
from lux.graph.construction.edge_list import EdgeList
from lux.io.files.atomic import Pathname, atomic_output
from lux.io.files.content import FileContent
from lux.io.files.named_files import named_files
from lux.io.formats.assemble import assemble
from lux.io.formats.binary import BinaryGraph
from lux.io.formats.columns import Columns, joined, shares
from lux.io.formats.formats import FORMATS, Format, format_of
from lux.io.formats.gap import SgFile, SgWriter
from lux.io.formats.lux_format import LuxFile
from lux.io.formats.matrix_market import write_mtx
from lux.io.formats.options import Options
from lux.io.formats.parquet import write_parquet
from lux.io.saved.save import SavedGraph, is_saved

__all__ = [
    "FORMATS",
    "BinaryGraph",
    "Columns",
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
) -> BinaryGraph | SavedGraph | EdgeList | Columns:
    r"""Open a graph file of any format; options and errors are those of `lux.read_graph`.

    Returns
    -------
    BinaryGraph, SavedGraph, EdgeList or Columns
        A .lux, .sg or .wsg file whose header agrees with its length, and nothing else of it is read (of a saved graph
        also its ids); or all edges of other files, but of tables in several processes this one's share. Integer
        properties are int32 where they fit, else int64; decimals are float64.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.el"
    >>> _ = path.write_text("# toy\n1 2\n2 3\n")
    >>> edges = open_graph_file(path)
    >>> edges.n_vertices, edges.n_edges, edges.ids.labels(0, 3)
    (3, 2, array([1, 2, 3]))
    """
    files, options = named_files(path), Options(**asked)
    found = format_of(files[0], format)
    if found.table:
        columns = _columns(path, files, format, options)
        return columns if runtime.ranks() > 1 else assemble(columns)
    if len(files) > 1:
        raise FormatError(f"{path} are {len(files)} files, and a graph in {found.name} is one file: pass its name")
    path = files[0]
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


def _columns(path: Pathname, files: list[Path], format: str | None, options: Options) -> Columns:  # noqa: A002
    """Read this process's share of tables."""
    forms = [format_of(file, format) for file in files]
    for file, form in zip(files, forms, strict=True):
        if form.name != forms[0].name:
            raise FormatError(
                f"{path} has files of two formats, {files[0].name} and {file.name}: pass a pattern, as 'FOLDER/*.csv'"
            )
    read = import_module(f"lux.io.formats.{forms[0].module}").read
    mine = shares([file.stat().st_size for file in files], runtime.rank(), runtime.ranks())
    return joined(path, [read(files[number], forms[0].name, options, share) for number, share in mine])


from lux.io import graph_files  # noqa: E402  # which needs the names above

graph_files.register()
