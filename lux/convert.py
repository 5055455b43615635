# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge lists from arrays, SciPy, NetworkX and pandas, and back.

The way back takes an `EdgeList`: an undirected one lists each edge once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux.edges import EdgeList, id_dtype
from lux.errors import GraphError, ParameterError
from lux.ids import Bipartite, Identity, Strings, VertexIds, offset
from lux.numbering import compact


def from_edges(
    sources: ArrayLike,
    destinations: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    directed: bool = True,
    n_vertices: int | None = None,
    bipartite: bool = False,
    **properties: ArrayLike,
) -> EdgeList:
    """An edge list from arrays (anything that `numpy.asarray` takes, cuPyNumeric's too).

    Parameters
    ----------
    sources, destinations : array of shape (n_edges,)
        Integers or strings.
    weight : array of shape (n_edges,), optional
        The edge property ``weight``.
    n_vertices : int, optional
        The ids are 0 to n_vertices - 1, isolated ones too. By default the vertices are exactly the ids that occur.
    bipartite : bool
        Sources and destinations are two id spaces.
    **properties : array of shape (n_edges,)
        Further edge properties.

    Raises
    ------
    ParameterError
        Lengths that differ, ids of no allowed type or out of range, properties that are not numbers.
    GraphError
        No edges, and no ``n_vertices``.

    Examples
    --------
    >>> e = from_edges([10, 20], [20, 30], weight=[1.5, 2.5])
    >>> e.n_vertices, e.ids.labels(0, 3)
    (3, array([10, 20, 30]))
    """
    u, v = np.asarray(sources), np.asarray(destinations)
    if u.ndim != 1 or u.shape != v.shape:
        raise ParameterError(f"sources have shape {u.shape}, destinations {v.shape}: pass two arrays of one length")
    given = ({} if weight is None else {"weight": weight}) | properties
    numbers = {name: _numbers(name, values, len(u)) for name, values in given.items()}
    if n_vertices is None:
        if not len(u):
            raise GraphError("there are no edges: pass n_vertices for a graph without edges")
        dense_u, dense_v, ids = compact(u, v, bipartite=bipartite)
        return EdgeList(dense_u, dense_v, len(ids), directed, ids, numbers)
    if bipartite:
        raise ParameterError("n_vertices and bipartite=True contradict each other: leave one out")
    for name, values in (("sources", u), ("destinations", v)):
        if len(values) and (values.dtype.kind not in "iu" or values.min() < 0 or values.max() >= n_vertices):
            raise ParameterError(f"{name} must be integers from 0 to n_vertices - 1 = {n_vertices - 1}")
    dtype = id_dtype(n_vertices)
    return EdgeList(u.astype(dtype), v.astype(dtype), n_vertices, directed, Identity(n_vertices), numbers)


def from_scipy(
    matrix: Any,
    *,
    directed: bool | None = None,
    bipartite: bool = False,
    base: int = 0,
    name: str = "the matrix",
    listed_once: bool = False,
) -> EdgeList:
    """An edge list from a SciPy sparse matrix: stored entry (i, j) is the edge from i to j.

    Parameters
    ----------
    matrix : SciPy sparse matrix or array of shape (n, n)
        Values become ``weight``; booleans do not. Duplicate entries are summed, as SciPy does.
    directed : bool, optional
        Directed by default. False: entries (i, j) and (j, i) are one edge, and their values must agree.
    bipartite : bool
        Rows are the left and columns the right vertices; undirected by default. Only so may it be rectangular.
    base : int
        The user's id of row 0.
    listed_once : bool
        The matrix is one triangle of an undirected graph.

    Raises
    ------
    ParameterError
        A rectangular matrix that is not bipartite, or values that are not real numbers.
    GraphError
        ``directed=False``, and the values at (i, j) and (j, i) differ.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from_scipy(csr_array(np.array([[0, 7], [0, 0]]))).properties["weight"]
    array([7])
    """
    rows, columns = matrix.shape
    if rows != columns and not bipartite:
        raise ParameterError(f"{name} has shape {rows} x {columns}: pass a square one, or bipartite=True")
    entries = matrix.tocoo().copy()
    entries.sum_duplicates()
    if entries.data.dtype.kind not in "biuf":
        raise ParameterError(f"{name} holds {entries.data.dtype}: pass booleans, integers or reals")
    weights = {} if entries.data.dtype.kind == "b" else {"weight": entries.data}
    u, v = entries.row, entries.col
    side = [offset(n, base) for n in (rows, columns)]
    n_vertices = rows + columns if bipartite else rows
    dtype = id_dtype(n_vertices)
    ids: VertexIds = Bipartite(*side) if bipartite else side[0]
    if directed is None:
        directed = not bipartite
    if not directed and not bipartite and not listed_once:
        u, v, weights = _once(u, v, weights, name)
    dense = v.astype(dtype) + dtype.type(rows if bipartite else 0)
    return EdgeList(u.astype(dtype), dense, n_vertices, directed, ids, weights)


def _once(
    u: NDArray[Any], v: NDArray[Any], weights: dict[str, NDArray[Any]], name: str
) -> tuple[NDArray[Any], NDArray[Any], dict[str, NDArray[Any]]]:
    """Each unordered pair once."""
    low, high = np.minimum(u, v), np.maximum(u, v)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    first = np.ones(len(low), np.bool_)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    kept = {key: values[order][first] for key, values in weights.items()}
    for values in weights.values():
        differ = np.flatnonzero(~first & (values[order] != np.roll(values[order], 1)))
        if len(differ):
            i, j = int(low[differ[0]]), int(high[differ[0]])
            raise GraphError(f"{name} is to be undirected, but its values at ({i}, {j}) and ({j}, {i}) differ")
    return low[first], high[first], kept


def from_networkx(graph: Any) -> EdgeList:
    """An edge list from a NetworkX graph of any kind; nodes without edges are kept.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Nodes are integers or strings. Edge attributes that are numbers become properties; an edge without ``weight``
        has weight 1 where others have one.

    Raises
    ------
    ParameterError
        Nodes that are neither all integers nor all strings, or an attribute that only some edges have as a number.
    GraphError
        The graph has no nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> from_networkx(nx.path_graph(3)).directed
    False
    """
    nodes = list(graph)
    if not nodes:
        raise GraphError("the NetworkX graph has no nodes")
    ids = _node_ids(nodes)
    place = dict(zip(sorted(nodes), range(len(nodes)), strict=True))
    edges = list(graph.edges(data=True))
    dtype = id_dtype(len(nodes))
    u = np.array([place[edge[0]] for edge in edges], dtype)
    v = np.array([place[edge[1]] for edge in edges], dtype)
    properties = {}
    for name in dict.fromkeys(key for edge in edges for key in edge[2]):
        values = [edge[2].get(name, 1 if name == "weight" else None) for edge in edges]
        numeric = [isinstance(value, (int, float, np.number)) for value in values]
        if all(numeric):
            properties[str(name)] = np.array(values)
        elif any(numeric):
            missing = edges[numeric.index(False)][:2]
            raise ParameterError(f"edge attribute {name!r} is a number on some edges only, not on {missing}")
    return EdgeList(u, v, len(nodes), graph.is_directed(), ids, properties)


def _node_ids(nodes: list[Any]) -> VertexIds:
    if all(isinstance(node, str) for node in nodes):
        return Strings.of(sorted(nodes))
    if all(isinstance(node, (int, np.integer)) and not isinstance(node, bool) for node in nodes):
        numbers = np.array([int(node) for node in nodes])
        if numbers.dtype.kind in "iu":
            return compact(numbers, numbers)[2]
    strange = next((node for node in nodes if not isinstance(node, int)), nodes[0])
    raise ParameterError(f"nodes must be all 64-bit integers or all strings; one is {strange!r}: relabel them first")


def from_pandas(
    frame: Any,
    source: str = "source",
    target: str = "target",
    *,
    directed: bool = True,
    edge_attr: Sequence[str] | None = None,
    bipartite: bool = False,
) -> EdgeList:
    """An edge list from a pandas DataFrame, one edge a row.

    Parameters
    ----------
    source, target : str
        The columns of the edges' ends.
    edge_attr : sequence of str, optional
        The columns that become properties, by default all numeric ones.

    Raises
    ------
    ParameterError
        A column is missing, or is asked for and not numeric.

    Examples
    --------
    >>> import pandas as pd
    >>> from_pandas(pd.DataFrame({"source": [1, 2], "target": [2, 3], "weight": [4, 5]})).n_edges
    2
    """
    for name in (source, target, *(edge_attr or ())):
        if name not in frame.columns:
            raise ParameterError(f"the DataFrame has no column {name!r}; it has {list(map(str, frame.columns))}")
    others = [name for name in frame.columns if name not in (source, target)]
    numeric = [name for name in others if getattr(frame[name].dtype, "kind", "O") in "iuf"]
    ends = [_plain(frame[name]) for name in (source, target)]
    properties = {str(name): frame[name].to_numpy() for name in (numeric if edge_attr is None else edge_attr)}
    edges = from_edges(ends[0], ends[1], directed=directed, bipartite=bipartite)
    numbers = {name: _numbers(name, values, len(frame)) for name, values in properties.items()}
    return replace(edges, properties=numbers)


def _plain(column: Any) -> NDArray[Any]:
    values: NDArray[Any] = column.to_numpy()
    return values if values.dtype.kind in "iu" else values.astype(object)


def to_edges(edges: EdgeList) -> tuple[NDArray[Any], NDArray[Any], dict[str, NDArray[Any]]]:
    """The user's ids of sources and destinations, and the properties; each of shape (n_edges,).

    >>> to_edges(from_edges([10], [20]))[:2]
    (array([10]), array([20]))
    """
    labels = edges.ids.labels(0, edges.n_vertices)
    return labels[edges.sources], labels[edges.destinations], dict(edges.properties)


def to_scipy(edges: EdgeList, weight: str | None = "weight") -> Any:
    """The adjacency matrix, SciPy CSR of shape (n_vertices, n_vertices), by dense id.

    An undirected edge stands at (i, j) and (j, i); parallel edges are summed. Without the property ``weight`` all
    values are 1.

    >>> to_scipy(from_edges([0], [1], directed=False)).toarray()
    array([[0, 1],
           [1, 0]])
    """
    from scipy import sparse

    u, v = edges.sources.astype(np.int64), edges.destinations.astype(np.int64)
    known = weight is not None and weight in edges.properties
    values = edges.properties[weight] if known and weight is not None else np.ones(len(u), np.int64)
    if not edges.directed:
        other = u != v
        u, v, values = (
            np.concatenate([u, v[other]]),
            np.concatenate([v, u[other]]),
            np.concatenate([values, values[other]]),
        )
    return sparse.csr_array((values, (u, v)), shape=(edges.n_vertices, edges.n_vertices))


def to_networkx(edges: EdgeList) -> Any:
    """A NetworkX Graph or DiGraph, Multi where edges are parallel; nodes are the user's ids.

    >>> to_networkx(from_edges(["a"], ["b"], weight=[2])).edges["a", "b"]
    {'weight': 2}
    """
    import networkx as nx

    u, v = edges.sources.astype(np.int64), edges.destinations.astype(np.int64)
    ends = (u, v) if edges.directed else (np.minimum(u, v), np.maximum(u, v))
    parallel = len(np.unique(np.stack(ends), axis=1).T) < len(u)
    kinds = {(True, True): nx.MultiDiGraph, (True, False): nx.DiGraph, (False, True): nx.MultiGraph}
    graph = kinds.get((edges.directed, parallel), nx.Graph)()
    names = edges.ids.labels(0, edges.n_vertices).tolist()
    graph.add_nodes_from(names)
    columns = [values.tolist() for values in edges.properties.values()]
    attributes = [dict(zip(edges.properties, row, strict=True)) for row in zip(*columns, strict=True)]
    for i, (a, b) in enumerate(zip(u.tolist(), v.tolist(), strict=True)):
        graph.add_edge(names[a], names[b], **(attributes[i] if columns else {}))
    return graph


def to_pandas(edges: EdgeList, source: str = "source", target: str = "target") -> Any:
    """A pandas DataFrame, one edge a row: the user's ids, then the properties.

    >>> list(to_pandas(from_edges([1], [2], weight=[3])).columns)
    ['source', 'target', 'weight']
    """
    import pandas as pd

    u, v, properties = to_edges(edges)
    ends = [ends.astype(object) if ends.dtype.kind == "T" else ends for ends in (u, v)]
    return pd.DataFrame({source: ends[0], target: ends[1], **properties})


def _numbers(name: str, values: ArrayLike, n_edges: int) -> NDArray[Any]:
    numbers = np.asarray(values)
    if numbers.shape != (n_edges,):
        raise ParameterError(f"{name} has shape {numbers.shape}: pass one value for each of the {n_edges} edges")
    if numbers.dtype.kind not in "biuf":
        raise ParameterError(f"{name} holds {numbers.dtype}: pass numbers")
    return numbers
