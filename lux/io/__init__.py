# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graph files: one module per format.

Binary formats (.lux, .sg, .wsg) are opened and then read by slices, each by its own task. All others are read whole
into an `lux.graph.construction.edge_list.EdgeList`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from lux.checks import checked_path
from lux.errors import FileError, FormatError, ParameterError
from lux.graph.construction.edge_list import EdgeList
from lux.io.files.atomic import Pathname, atomic_output
from lux.io.files.folder import refuse_left, refuse_missing
from lux.io.formats.assemble import Options
from lux.io.formats.binary import BinaryGraph
from lux.io.formats.formats import FORMATS, Format, format_of
from lux.io.formats.gap import SgFile, SgWriter
from lux.io.formats.lux_format import LuxFile, LuxWriter
from lux.io.formats.matrix_market import write_mtx
from lux.io.formats.parquet import write_parquet

__all__ = [
    "FORMATS",
    "BinaryGraph",
    "Format",
    "LuxFile",
    "LuxWriter",
    "Options",
    "SgFile",
    "SgWriter",
    "atomic_output",
    "format_of",
    "open_binary",
    "open_graph_file",
    "read_edges",
    "write_mtx",
    "write_parquet",
]


def read_edges(
    path: Pathname,
    format: str | None = None,  # noqa: A002  # the option's name everywhere
    *,
    directed: bool | None = None,
    weighted: bool | None = None,
    header: bool | None = None,
    bipartite: bool = False,
    ids: str = "auto",
    properties: Sequence[str] | None = None,
) -> EdgeList:
    r"""Read a graph file that is not binary.

    Parameters
    ----------
    path : str or path
        Text formats may be compressed, with ``.gz`` at the end of the name.
    format : str, optional
        A name of `FORMATS`; by default the file's extension says it.
    directed : bool, optional
        By default METIS and symmetric Matrix Market files and bipartite graphs are undirected, all others directed.
        False: each line stands for both directions.
    weighted : bool, optional
        True: there must be a ``weight``; the first property becomes it where none has that name. False: leave weights
        out.
    header : bool, optional
        The first line names the columns; detected for CSV and TSV by default, False elsewhere.
    bipartite : bool
        Sources and destinations are two id spaces, written ``left:ID`` and ``right:ID``.
    ids : {"auto", "as-is", "strings"}
        "auto": the vertices are the ids that occur, integers where the first line has integers, else strings (a first
        line with a real number for an id is an error).
        "as-is": 0 to the largest id, isolated ones too. "strings": ids are names even if they look like integers.
    properties : sequence of str, optional
        The columns to read as edge properties, by default all beyond the first two.

    Returns
    -------
    EdgeList
        Integer properties are int32 where they fit, else int64; decimals are float64.

    Raises
    ------
    FileError
        The file is missing, a folder, or unreadable.
    FormatError
        The format is unknown, or contradicts the file's content or name.
    ParseError
        A line does not parse; the message has its number.
    GraphError
        There are no vertices (no edges, and none declared), or no weights and ``weighted=True``.
    ParameterError
        Options that contradict each other or the format.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.el"
    >>> _ = path.write_text("# toy\n1 2\n2 3\n")
    >>> edges = read_edges(path)
    >>> edges.n_vertices, edges.n_edges, edges.ids.labels(0, 3)
    (3, 2, array([1, 2, 3]))
    """
    found = format_of(_existing(path), format)
    if found.binary:
        raise ParameterError(f"{path} is {found.name}, a binary format: use open_graph_file")
    return _read(path, found, Options(directed, weighted, header, bipartite, ids, properties))


def _read(path: Pathname, found: Format, options: Options) -> EdgeList:
    edges: EdgeList = import_module(f"lux.io.formats.{found.module}").read(path, found.name, options)
    return edges


def open_binary(path: Pathname, format: str | None = None, *, weighted: bool | None = None) -> BinaryGraph:  # noqa: A002
    """Open a .lux, .sg or .wsg file: checks its header against its length and reads nothing else.

    Parameters
    ----------
    weighted : bool, optional
        Needed for a .lux file with as many vertices as edges; must agree with the others.

    Raises
    ------
    FileError
        The file is missing, a folder, or unreadable.
    FormatError
        The format is not binary, or the header and the length disagree.
    GraphError
        ``weighted=True`` and the file has no weights.
    """
    found = format_of(_existing(path), format)
    if found.name == "lux":
        return LuxFile(path, weighted=weighted)
    if not found.binary:
        raise FormatError(f"{path} is {found.name}, which is not binary: use read_edges")
    return SgFile(path, weighted=found.name == "wsg", want_weights=weighted)


def open_graph_file(
    path: Pathname,
    format: str | None = None,  # noqa: A002  # the option's name everywhere
    **asked: Any,
) -> BinaryGraph | EdgeList:
    """Open a graph file of any format by `open_binary` or `read_edges`, with their options and errors.

    Raises
    ------
    ParameterError
        A binary file with options of text files, or with a direction that contradicts the file.
    """
    found, options = format_of(_existing(path), format), Options(**asked)
    if not found.binary:
        return _read(path, found, options)
    options.only(found.name)
    graph = open_binary(path, format, weighted=options.weighted)
    directed = options.directed
    if directed is not None and directed != graph.directed:
        stored = "directed" if graph.directed else "undirected"
        raise ParameterError(f"directed={directed} contradicts {path}, which is {stored} as stored: leave it out")
    return graph


def _existing(path: Pathname) -> Pathname:
    place = Path(checked_path("path", path))
    if place.is_dir() and (place / "graph.json").exists():
        raise FileError(f"{path} is a prepared graph: load it with lux.load_graph")
    if place.is_dir():
        refuse_left(place)
        raise FileError(f"{path} is a folder: pass the name of a graph file")
    if not place.exists():
        refuse_missing(place)
        raise FileError(f"there is no file {path}: check the name")
    return path


from lux.io import graph_files  # noqa: E402  # which needs the names above

graph_files.register()
