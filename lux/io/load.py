# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Loading of graphs from files, and generating them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from lux import io, runtime
from lux.checks import checked_names, checked_path, described
from lux.errors import FileError, FormatError, LuxError, ParameterError
from lux.graph import build
from lux.graph.construction.edge_list import EdgeList, EdgeSource
from lux.graph.construction.edge_stores import GraphEdges
from lux.graph.construction.generators import SPECS, parse_spec
from lux.graph.core.ids import VertexIds
from lux.graph.graph import Graph
from lux.io.files.content import FileContent
from lux.io.files.named_files import named_files
from lux.io.files.slow_read import told_if_slow
from lux.io.formats.assemble import assemble_shares
from lux.io.formats.read_slices import Progress, load_slices
from lux.io.saved.save import SavedGraph, is_saved, load
from lux.names import checked_call

if TYPE_CHECKING:
    from lux.io import BinaryGraph


@checked_call
@runtime.on_driver
def read_graph(
    path: str | PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    directed: bool | None = None,
    weighted: bool | None = None,
    header: bool | None = None,
    bipartite: bool = False,
    ids: str = "auto",
    properties: Sequence[str] | None = None,
    drop_loops: bool = False,
    drop_repeats: bool = False,
    progress: Progress | None = None,
) -> Graph:
    r"""Read a graph file of any format in `lux.io.FORMATS`.

    Every process reads its share of saved graphs and other binary files (by slices), of edge lists and CSV (by bytes)
    and of Parquet files (by row groups). METIS, DIMACS, Matrix Market and SciPy files are read whole by every process:
    convert large ones to a binary file once. An error on one rank is raised on all.

    Parameters
    ----------
    path : str or path
        A file; for edge lists, CSV and Parquet also a folder of files, or a pattern like ``"part-*.csv"``, whose edges
        follow one another in the order of the names. Text may be compressed, with ``.gz`` or ``.zst`` at the end of the
        name; several processes share a compressed file, but each of them decompresses what comes before its share.
    format : str, optional
        A name of `lux.io.FORMATS`; by default the file's extension says it.
    directed : bool, optional
        By default METIS and symmetric Matrix Market files and bipartite graphs are undirected, all others directed.
        False: each line stands for both directions.
    weighted : bool, optional
        True: there must be a ``weight``; the first property becomes it where none has that name. False: leave weights
        out. A .lux file of the 2017 system with as many vertices as edges does not say it itself.
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
    drop_loops : bool
        Leave out edges from a vertex to itself.
    drop_repeats : bool
        Keep only the first, in the file's order, of edges with the same endpoints.
    progress : callable, optional
        Called with the bytes read so far and in all, for binary files.

    Returns
    -------
    Graph

    Raises
    ------
    FileError
        The file is missing or unreadable, or no file fits the pattern.
    FormatError
        The format is unknown, or contradicts the file's content or name.
    ParseError
        A line does not parse; the message has its number.
    GraphError
        There are no vertices (no edges, and none declared), or no weights and ``weighted=True``.
    ParameterError
        Options that contradict each other, the format, or the direction of a binary file.
    MemoryNeededError
        The graph needs more memory than Legate was given.

    Examples
    --------
    >>> import lux, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "g.el"
    >>> _ = path.write_text("10 20\n20 30\n")
    >>> lux.read_graph(path).ids.labels(0, 3)
    array([10, 20, 30])
    """
    options: dict[str, Any] = {"directed": directed, "weighted": weighted, "header": header}
    options |= {"bipartite": bipartite, "ids": ids, "properties": checked_names("properties", properties)}
    drop = {"drop_loops": drop_loops, "drop_repeats": drop_repeats}
    if progress is not None and sys.stderr is not None and sys.stderr.isatty():  # its caller says how far it is
        return _read(path, format, options, drop, progress)
    with told_if_slow(path):
        return _read(path, format, options, drop, progress)


def _read(
    path: str | PathLike[str],
    format: str | None,  # noqa: A002
    options: dict[str, Any],
    drop: dict[str, bool],
    progress: Progress | None,
) -> Graph:
    opened: BinaryGraph | SavedGraph | EdgeList | io.Columns | None = None
    user_ids: VertexIds | None = None
    error = None
    try:
        opened = io.open_graph_file(checked_path("path", path), format, **options)
        if not isinstance(opened, io.Columns):
            user_ids = opened.ids
    except LuxError as raised:
        error = raised
    runtime.raise_on_all_ranks(error)
    assert opened is not None  # agree has raised otherwise
    if isinstance(opened, io.Columns):
        edges = assemble_shares(opened)
        del opened  # columns that were not overwritten
        return build.build(edges, **drop)
    if isinstance(opened, EdgeList):
        return build.build(opened, **drop)
    assert user_ids is not None
    _check_alike(opened)
    graph = load(opened, progress) if isinstance(opened, SavedGraph) else load_slices(opened, user_ids, progress)
    if any(drop.values()):
        return build.build(GraphEdges(graph), **drop)
    return graph


@checked_call
@runtime.on_driver
def load_graph(path: str | PathLike[str]) -> Graph:
    """Load a graph that `Graph.save` wrote; each process reads its part, and checks its bytes.

    Parameters
    ----------
    path : str or path
        A .lux file of version 2. `lux.read_graph` reads it, too, and all other files.

    Returns
    -------
    Graph
        The saved graph: its order, partitions, ids and edge properties.

    Raises
    ------
    FileError
        The file is missing or unreadable.
    FormatError
        The file is no saved graph of this version, or is damaged; the message names the section.

    Examples
    --------
    >>> import lux, tempfile
    >>> path = tempfile.mkdtemp() + "/kite.lux"
    >>> lux.toy.kite().save(path)
    >>> lux.load_graph(path).n_edges
    36
    """
    error = None
    try:
        files = named_files(path)
        if len(files) > 1 or not is_saved(FileContent(files[0])):
            raise FormatError(
                f"{path} is no saved graph: it does not begin as one; lux.read_graph reads other files, "
                "and graph.save('NAME.lux') saves a graph"
            )
    except LuxError as raised:
        error = raised
    runtime.raise_on_all_ranks(error)
    return read_graph(path, "lux")


def _check_alike(opened: BinaryGraph | SavedGraph) -> None:
    """Raise FileError, on every rank, unless all ranks have opened the same file."""
    number = opened.file.header.number if isinstance(opened, SavedGraph) else 0
    facts = np.array([number >> 32, number & 0xFFFFFFFF, opened.n_vertices, opened.n_edges], np.float64)
    low, high = runtime.allreduce_max(np.array([-facts, facts]))
    if np.any(-low != high):
        raise FileError(
            f"{opened.path} is not the same graph for every process: put it on a disk that all of them share; if it "
            "was written again meanwhile, read it again"
        )


@checked_call
@runtime.on_driver
def generate(
    what: str | EdgeSource,
    *,
    seed: int = 1,
    weights: tuple[int, int] | None = None,
    drop_loops: bool = True,
    drop_repeats: bool = True,
) -> Graph:
    """Generate a graph, in parallel and the same for the same seed whatever the number of processes.

    Parameters
    ----------
    what : str or EdgeSource
        ``kronecker:SCALE[,EDGE_FACTOR]``, ``rmat:...``, ``uniform:...``, ``grid:ROWSxCOLUMNS``, or an object of a
        class in `lux.graph.construction.generators`.
    seed : int
    weights : (int, int), optional
        Smallest and largest weight; weights are uniform integers between them, int32.
    drop_loops, drop_repeats : bool
        Leave out edges from a vertex to itself, and all but the first of edges with the same endpoints.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        The text names no generator, or has numbers that it does not take.
    MemoryNeededError
        The graph needs more memory than Legate was given.

    Examples
    --------
    >>> import lux
    >>> g = lux.generate("grid:3x4")
    >>> g.n_vertices, g.n_edges
    (12, 34)
    """
    source = parse_spec(what, seed=seed, weights=weights) if isinstance(what, str) else what
    if not hasattr(source, "fill"):
        raise ParameterError(f"lux.generate takes a text, one of {SPECS}, not {described(what)}")
    return build.build(source, drop_loops=drop_loops, drop_repeats=drop_repeats)
