# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs from arrays, and from the objects of SciPy and NetworkX; `lux.graph.to_objects` converts back."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lux import runtime
from lux.checks import described
from lux.errors import GraphError, ParameterError
from lux.graph.build import build
from lux.graph.construction.edge_list import EdgeList
from lux.graph.construction.matrix_entries import check_indices, of_matrix
from lux.graph.core.compact_ids import compact
from lux.graph.core.ids import Strings, VertexIds
from lux.graph.core.stored_graph import id_dtype
from lux.io.edge_columns import EdgeColumns
from lux.names import checked_call

if TYPE_CHECKING:
    from lux.graph.graph import Graph


@checked_call
@runtime.on_driver
def from_edges(
    sources: ArrayLike,
    destinations: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    directed: bool = True,
    n_vertices: int | None = None,
    vertices: ArrayLike | None = None,
    bipartite: bool = False,
    drop_loops: bool = False,
    drop_repeats: bool = False,
    sharded: bool = False,
    **properties: ArrayLike,
) -> Graph:
    """Build a graph from arrays: all that `numpy.asarray` takes, DLPack, Arrow arrays, and arrays of integers on a GPU.

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
    vertices : array of shape (k,), optional
        Ids of vertices, which the graph then has whether or not they have edges. They need not be all.
    bipartite : bool
        Sources and destinations are two id spaces, written ``left:ID`` and ``right:ID``.
    drop_loops : bool
        Leave out edges from a vertex to itself.
    drop_repeats : bool
        Keep only the first of edges with the same endpoints.
    sharded : bool
        Every process passes edges of its own, maybe none, and the graph has those of all, in the order of the
        processes. By default all pass the same arrays.
    **properties : array of shape (n_edges,)
        Further edge properties.

    Returns
    -------
    Graph

    Raises
    ------
    ParameterError
        Lengths that differ, ids of a wrong type or out of range, properties that are not numbers or whose name is
        nearly an argument's. If ``sharded``, kinds of ids, properties or ``n_vertices`` that differ between processes.
    GraphError
        No edges, and neither ``n_vertices`` nor ``vertices``.

    Examples
    --------
    >>> import lux
    >>> g = lux.from_edges([10, 20, 20], [20, 30, 30], weight=[1.5, 2.5, 9.0], drop_repeats=True)
    >>> g.n_vertices, g.n_edges, g.ids.labels(0, 3)
    (3, 2, array([10, 20, 30]))
    >>> list(lux.from_edges(["ada"], ["bob"], vertices=["cyd"]))
    ['ada', 'bob', 'cyd']
    """
    _refuse_misspelt(properties)
    given = ({} if weight is None else {"weight": weight}) | properties
    columns = EdgeColumns(
        sources, destinations, given, directed=directed, bipartite=bipartite, n_vertices=n_vertices, vertices=vertices
    )
    return build(columns.edges(sharded=sharded), drop_loops=drop_loops, drop_repeats=drop_repeats)


@checked_call
@runtime.on_driver
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
    if not hasattr(matrix, "tocoo"):
        raise ParameterError(
            f"from_scipy takes a SciPy sparse matrix or array, not {described(matrix)}: "
            "scipy.sparse.csr_array makes one of a NumPy array"
        )
    try:
        check_indices(matrix)
    except ValueError as error:
        raise ParameterError(f"the matrix is damaged: {error}") from error
    edges = of_matrix(matrix, "the matrix", directed=directed, bipartite=bipartite)
    return build(edges, drop_loops=drop_loops, drop_repeats=drop_repeats)


@checked_call
@runtime.on_driver
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
    if not (hasattr(graph, "edges") and hasattr(graph, "is_directed")):
        raise ParameterError(f"from_networkx takes a graph of NetworkX, not {described(graph)}")
    nodes = list(graph)
    if not nodes:
        raise GraphError("the NetworkX graph has no nodes, and a graph has at least one vertex")
    ids = _node_ids(nodes)
    place = dict(zip(sorted(nodes), range(len(nodes)), strict=True))
    listed = list(graph.edges(data=True))
    dtype = id_dtype(len(nodes))
    u = np.array([place[edge[0]] for edge in listed], dtype)
    v = np.array([place[edge[1]] for edge in listed], dtype)
    properties = {}
    for name in dict.fromkeys(key for edge in listed for key in edge[2]):
        values = [edge[2].get(name, 1 if name == "weight" else None) for edge in listed]
        numeric = [isinstance(value, (int, float, np.number)) for value in values]
        if all(numeric):
            properties[str(name)] = np.array(values)
        elif any(numeric) or name == "weight":
            odd = numeric.index(False)
            raise ParameterError(
                f"edge attribute {name!r} is no number on {listed[odd][:2]}: {values[odd]!r}; give it one, or "
                "to no edge"
            )
    edges = EdgeList(u, v, len(nodes), graph.is_directed(), ids, properties)
    return build(edges, drop_loops=drop_loops, drop_repeats=drop_repeats)


def _node_ids(nodes: list[Any]) -> VertexIds:
    if all(isinstance(node, str) for node in nodes):
        return Strings.of(sorted(nodes))
    if all(isinstance(node, (int, np.integer)) and not isinstance(node, bool) for node in nodes):
        numbers = np.array([int(node) for node in nodes])
        if numbers.dtype.kind in "iu":
            return compact(numbers, numbers)[2]
    strange = next((node for node in nodes if not isinstance(node, int)), nodes[0])
    raise ParameterError(
        f"nodes must be all 64-bit integers or all strings; one is {strange!r}: relabel them first "
        "(networkx.convert_node_labels_to_integers)"
    )


ARGUMENTS = ("weight", "directed", "n_vertices", "vertices", "bipartite", "drop_loops", "drop_repeats", "sharded")


def _refuse_misspelt(properties: Mapping[str, Any]) -> None:
    """Raise `ParameterError` for a property that is nearly an argument."""
    for name in properties:
        for argument in ARGUMENTS:
            near = difflib.SequenceMatcher(None, name, argument).ratio() >= 0.9
            if near or sorted(name) == sorted(argument):
                raise ParameterError(
                    f"from_edges was given an edge property {name!r}: pass {argument}=, or give it another name"
                )
