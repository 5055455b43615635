# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""From a file, a generator or arrays to a graph."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from lux import build, convert, io, runtime, saved
from lux.checks import checked_path, described
from lux.edges import EdgeList, EdgeSource
from lux.errors import LuxError, ParameterError
from lux.generators import SPECS, parse_spec
from lux.graph import Graph
from lux.ids import VertexIds
from lux.io.beside import ids_beside
from lux.slices import Progress, load_slices
from lux.stored_edges import GraphEdges

if TYPE_CHECKING:
    from lux.io import BinaryGraph


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

    Binary files are read by slices, in parallel, and never whole by one process of several. Text, Parquet and
    SciPy files are read whole by every process: convert large ones to a binary file once.

    Parameters
    ----------
    path, format, directed, weighted, header, bipartite, ids, properties
        As in `lux.io.read_edges`. The folder of a prepared graph is loaded, as by `lux.load_graph`.
    drop_loops : bool
        Leave out edges from a vertex to itself.
    drop_repeats : bool
        Of edges with the same endpoints keep the first in the file's order.
    progress : callable, optional
        Called with the bytes read so far and in all, for binary files.

    Returns
    -------
    Graph

    Raises
    ------
    FileError, FormatError, ParseError, GraphError, ParameterError
        As `lux.io.read_edges`; on several ranks all raise what one of them found.
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
    given: dict[str, Any] = {
        "format": format,
        "directed": directed,
        "weighted": weighted,
        "header": header,
        "bipartite": bipartite,
    }
    given |= {"ids": ids, "properties": properties}
    if Path(checked_path("path", path), "graph.json").exists():
        return _load_prepared(path, given | {"drop_loops": drop_loops, "drop_repeats": drop_repeats})
    opened: BinaryGraph | EdgeList | None = None
    error = None
    try:
        opened = io.open_graph_file(path, **given)
        user_ids = _ids_of(path, opened)
    except LuxError as raised:
        error = raised
    runtime.agree(error)
    assert opened is not None  # agree has raised otherwise
    if isinstance(opened, EdgeList):
        return build.build(opened, drop_loops=drop_loops, drop_repeats=drop_repeats)
    graph = load_slices(opened, user_ids, progress)
    if drop_loops or drop_repeats:
        return build.build(GraphEdges(graph), drop_loops=drop_loops, drop_repeats=drop_repeats)
    return graph


def _load_prepared(path: str | PathLike[str], given: dict[str, Any]) -> Graph:
    """A prepared graph, of which nothing is read in another way."""
    defaults = {"bipartite": False, "ids": "auto", "drop_loops": False, "drop_repeats": False}
    for name, value in given.items():
        if value != defaults.get(name):
            raise ParameterError(
                f"{name}={value!r} says how to read a file, and {path} is a prepared graph: leave it out"
            )
    return saved.load_graph(path)


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
        class in `lux.generators`.
    seed : int
    weights : (int, int), optional
        Smallest and largest weight; weights are uniform integers between them.

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


def from_edges(
    sources: ArrayLike,
    destinations: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    directed: bool = True,
    n_vertices: int | None = None,
    bipartite: bool = False,
    drop_loops: bool = False,
    drop_repeats: bool = False,
    **properties: ArrayLike,
) -> Graph:
    """A graph from arrays (anything that `numpy.asarray` takes, cuPyNumeric's too).

    Parameters
    ----------
    sources, destinations : array of shape (n_edges,)
        Integers or strings.
    weight : array of shape (n_edges,), optional
        The edge property ``weight``.
    directed : bool
        False: each edge is listed once and stands for both directions.
    n_vertices : int, optional
        The ids are 0 to n_vertices - 1, isolated ones too. By default the vertices are exactly the ids that occur.
    bipartite : bool
        Sources and destinations are two id spaces, written ``left:ID`` and ``right:ID``.
    drop_loops : bool
        Leave out edges from a vertex to itself.
    drop_repeats : bool
        Of edges with the same endpoints keep the first.
    **properties : array of shape (n_edges,)
        Further edge properties.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        Lengths that differ, ids of no allowed type or out of range, properties that are not numbers or are named nearly
        as an argument.
    GraphError
        No edges, and no ``n_vertices``.

    Examples
    --------
    >>> import lux
    >>> g = lux.from_edges([10, 20, 20], [20, 30, 30], weight=[1.5, 2.5, 9.0], drop_repeats=True)
    >>> g.n_vertices, g.n_edges, g.ids.labels(0, 3)
    (3, 2, array([10, 20, 30]))
    """
    edges = convert.from_edges(
        sources, destinations, weight, directed=directed, n_vertices=n_vertices, bipartite=bipartite, **properties
    )
    return build.build(edges, drop_loops=drop_loops, drop_repeats=drop_repeats)


def from_scipy(
    matrix: Any,
    *,
    directed: bool | None = None,
    bipartite: bool = False,
    drop_loops: bool = False,
    drop_repeats: bool = False,
) -> Graph:
    """A graph from a SciPy sparse matrix: stored entry (i, j) is the edge from i to j.

    Parameters
    ----------
    matrix : SciPy sparse matrix or array of shape (n, n)
        Values become ``weight``; booleans do not. Duplicate entries are summed, as SciPy does.
    directed : bool, optional
        Directed by default. False: entries (i, j) and (j, i) are one edge, and their values must agree.
    bipartite : bool
        Rows are the left and columns the right vertices; undirected by default. Only so may it be rectangular.
    drop_loops, drop_repeats : bool
        As in `from_edges`.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        Something else than a sparse matrix, a rectangular one that is not bipartite, or values that are not real.
    GraphError
        ``directed=False``, and the values at (i, j) and (j, i) differ.

    Examples
    --------
    >>> import lux, scipy
    >>> lux.from_scipy(scipy.sparse.csr_array([[0, 7], [0, 0]])).to_scipy().toarray()
    array([[0, 7],
           [0, 0]])
    """
    edges = convert.from_scipy(matrix, directed=directed, bipartite=bipartite)
    return build.build(edges, drop_loops=drop_loops, drop_repeats=drop_repeats)


def from_networkx(graph: Any, *, drop_loops: bool = False, drop_repeats: bool = False) -> Graph:
    """A graph from one of NetworkX, of any kind; nodes without edges are kept.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Nodes are integers or strings. Edge attributes that are numbers become properties; an edge without ``weight``
        has weight 1 where others have one.
    drop_loops, drop_repeats : bool
        As in `from_edges`.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        Nodes that are neither all integers nor all strings, or an attribute that only some edges have as a number.
    GraphError
        The graph has no nodes.

    Examples
    --------
    >>> import lux, networkx as nx
    >>> g = lux.from_networkx(nx.path_graph(3))
    >>> g.directed, g.n_edges
    (False, 4)
    """
    return build.build(convert.from_networkx(graph), drop_loops=drop_loops, drop_repeats=drop_repeats)


def from_pandas(
    frame: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    directed: bool = True,
    edge_attr: Sequence[str] | None = None,
    bipartite: bool = False,
    drop_loops: bool = False,
    drop_repeats: bool = False,
) -> Graph:
    """A graph from a pandas DataFrame, one edge a row.

    Parameters
    ----------
    frame : pandas.DataFrame
    source, target : str, optional
        The columns of the edges' ends; by default ``source`` and ``target``, or as files have them: ``destination``,
        src/dst, from/to, u/v.
    directed : bool
        False: each row stands for both directions.
    edge_attr : sequence of str, optional
        The columns that become properties, by default all numeric ones.
    bipartite, drop_loops, drop_repeats : bool
        As in `from_edges`.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        A column is missing, or is asked for and not numeric.

    Examples
    --------
    >>> import lux, pandas as pd
    >>> lux.from_pandas(pd.DataFrame({"source": [1, 2], "target": [2, 3], "weight": [4, 5]})).n_edges
    2
    """
    edges = convert.from_pandas(frame, source, target, directed=directed, edge_attr=edge_attr, bipartite=bipartite)
    return build.build(edges, drop_loops=drop_loops, drop_repeats=drop_repeats)


def _ids_of(path: str | PathLike[str], opened: BinaryGraph | EdgeList) -> VertexIds:
    """The user's ids kept beside a binary file, if there are any."""
    if isinstance(opened, EdgeList):
        return opened.ids
    return ids_beside(path, opened.n_vertices) or opened.ids
