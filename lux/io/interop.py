# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs from arrays, and from the objects of SciPy, NetworkX and pandas.

`lux.graph.construction.from_objects` builds the edge lists; `lux.graph.graph.Graph.to_scipy` and its like convert back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from lux.graph import build
from lux.graph.construction import from_objects
from lux.names import checked_call

if TYPE_CHECKING:
    from lux.graph.graph import Graph


@checked_call
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
    """Build a graph from arrays (anything that `numpy.asarray` takes, cuPyNumeric's too).

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
        Keep only the first of edges with the same endpoints.
    **properties : array of shape (n_edges,)
        Further edge properties.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        Lengths that differ, ids of a wrong type or out of range, properties that are not numbers or whose name is
        nearly an argument's.
    GraphError
        No edges, and no ``n_vertices``.

    Examples
    --------
    >>> import lux
    >>> g = lux.from_edges([10, 20, 20], [20, 30, 30], weight=[1.5, 2.5, 9.0], drop_repeats=True)
    >>> g.n_vertices, g.n_edges, g.ids.labels(0, 3)
    (3, 2, array([10, 20, 30]))
    """
    edges = from_objects.from_edges(
        sources, destinations, weight, directed=directed, n_vertices=n_vertices, bipartite=bipartite, **properties
    )
    return build.build(edges, drop_loops=drop_loops, drop_repeats=drop_repeats)


@checked_call
def from_scipy(
    matrix: Any,
    *,
    directed: bool | None = None,
    bipartite: bool = False,
    drop_loops: bool = False,
    drop_repeats: bool = False,
) -> Graph:
    """Build a graph from a SciPy sparse matrix: stored entry (i, j) is the edge from i to j.

    Parameters
    ----------
    matrix : SciPy sparse matrix or array of shape (n, n)
        Values become ``weight``; booleans do not. Duplicate entries are summed, as SciPy does.
    directed : bool, optional
        Directed by default. False: entries (i, j) and (j, i) are one edge, and their values must agree.
    bipartite : bool
        Rows are the left and columns the right vertices; undirected by default. Needed for rectangular matrices.
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
    edges = from_objects.from_scipy(matrix, directed=directed, bipartite=bipartite)
    return build.build(edges, drop_loops=drop_loops, drop_repeats=drop_repeats)


@checked_call
def from_networkx(graph: Any, *, drop_loops: bool = False, drop_repeats: bool = False) -> Graph:
    """Build a graph from a NetworkX graph of any kind; nodes without edges are kept.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Nodes are integers or strings. Edge attributes that are numbers become properties; an edge without ``weight``
        has weight 1 if others have one.
    drop_loops, drop_repeats : bool
        As in `from_edges`.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        Nodes that are neither all integers nor all strings, an attribute that is a number on some edges only, or a
        ``weight`` that is no number.
    GraphError
        The graph has no nodes.

    Examples
    --------
    >>> import lux, networkx as nx
    >>> g = lux.from_networkx(nx.path_graph(3))
    >>> g.directed, g.n_edges
    (False, 4)
    """
    return build.build(from_objects.from_networkx(graph), drop_loops=drop_loops, drop_repeats=drop_repeats)


@checked_call
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
    """Build a graph from a pandas DataFrame, one edge a row.

    Parameters
    ----------
    frame : pandas.DataFrame
    source, target : str, optional
        Columns of the edges' ends; by default ``source`` and ``target``, or the names used in files: ``destination``,
        src/dst, from/to, u/v.
    directed : bool
        False: each row stands for both directions.
    edge_attr : sequence of str, optional
        Columns that become properties, by default all numeric ones.
    bipartite, drop_loops, drop_repeats : bool
        As in `from_edges`.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        A column is missing; or a requested column, or ``weight``, is not numeric.

    Examples
    --------
    >>> import lux, pandas as pd
    >>> lux.from_pandas(pd.DataFrame({"source": [1, 2], "target": [2, 3], "weight": [4, 5]})).n_edges
    2
    """
    edges = from_objects.from_pandas(frame, source, target, directed=directed, edge_attr=edge_attr, bipartite=bipartite)
    return build.build(edges, drop_loops=drop_loops, drop_repeats=drop_repeats)
