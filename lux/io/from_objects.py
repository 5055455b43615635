# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs from arrays, and from the objects of SciPy, NetworkX and pandas; `lux.graph.to_objects` converts back."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux import runtime
from lux.checks import checked_count, checked_flag, described
from lux.errors import GraphError, ParameterError
from lux.graph.build import build
from lux.graph.construction import sharded as shares
from lux.graph.construction.device_arrays import DeviceArray, device_array
from lux.graph.construction.edge_list import EdgeList
from lux.graph.construction.edge_stores import StoredEdges
from lux.graph.construction.matrix_entries import check_indices, is_number, of_matrix
from lux.graph.construction.sharded import ShardedEdges
from lux.graph.core.compact_ids import compact
from lux.graph.core.ids import Identity, Strings, VertexIds
from lux.graph.core.stored_graph import id_dtype
from lux.io.formats.endpoint_columns import named_endpoints
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
    sharded: bool = False,
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
        No edges, and no ``n_vertices``.

    Examples
    --------
    >>> import lux
    >>> g = lux.from_edges([10, 20, 20], [20, 30, 30], weight=[1.5, 2.5, 9.0], drop_repeats=True)
    >>> g.n_vertices, g.n_edges, g.ids.labels(0, 3)
    (3, 2, array([10, 20, 30]))
    """
    _refuse_misspelt(properties)
    given = ({} if weight is None else {"weight": weight}) | properties
    make = _shares if checked_flag("sharded", sharded) and runtime.ranks() > 1 else _edge_list
    edges = make(sources, destinations, given, directed=directed, bipartite=bipartite, n_vertices=n_vertices)
    return build(edges, drop_loops=drop_loops, drop_repeats=drop_repeats)


def _edge_list(
    sources: ArrayLike,
    destinations: ArrayLike,
    properties: Mapping[str, ArrayLike],
    *,
    directed: bool,
    bipartite: bool,
    n_vertices: int | None = None,
) -> EdgeList | StoredEdges:
    u, v, numbers = _columns(sources, destinations, properties)
    if len(u) and not bipartite and runtime.gpus():
        from lux.graph.construction.gpu.numbers import numbered

        number = None if n_vertices is None else checked_count("n_vertices", n_vertices)
        stored = numbered((u, v), numbers, directed=bool(checked_flag("directed", directed)), n_vertices=number)
        if stored is not None:
            return stored
    u, v = _on_host(u, v)
    if n_vertices is None:
        if not len(u):
            raise GraphError(
                "there are no edges, so there are no vertices: lux.from_edges([], [], n_vertices=N) makes a graph of N "
                "vertices without edges"
            )
        dense_u, dense_v, ids = compact(u, v, bipartite=bipartite)
        return EdgeList(dense_u, dense_v, len(ids), directed, ids, numbers)
    dense_u, dense_v, ids = _counted(u, v, n_vertices, bipartite=bipartite)
    return EdgeList(dense_u, dense_v, len(ids), directed, ids, numbers)


def _shares(
    sources: ArrayLike,
    destinations: ArrayLike,
    properties: Mapping[str, ArrayLike],
    *,
    directed: bool,
    bipartite: bool,
    n_vertices: int | None = None,
) -> ShardedEdges | EdgeList:
    """Join the edges of all processes, each of which passes its own."""

    def own() -> tuple[Any, Any, VertexIds | None, dict[str, NDArray[Any]]]:
        checked_flag("directed", directed)
        u, v, numbers = _columns(sources, destinations, properties)
        u, v = _on_host(u, v)
        if n_vertices is None:
            return u, v, None, numbers
        return *_counted(u, v, n_vertices, bipartite=bipartite), numbers

    u, v, ids, numbers = shares.on_all_ranks(own)
    told = shares.all_facts({"n_vertices": n_vertices, "directed": bool(directed), "bipartite": bool(bipartite)})
    for name in told[0]:
        if any(each[name] != told[0][name] for each in told):
            values = " and ".join(str(each[name]) for each in told)
            raise ParameterError(f"{name} is {values} in the processes: pass the same in all")
    if ids is None:
        u, v, ids = shares.numbered(u, v, bipartite=bipartite)
    return shares.joined(u, v, ids, numbers, directed=directed)


def _columns(
    sources: ArrayLike, destinations: ArrayLike, properties: Mapping[str, ArrayLike]
) -> tuple[Any, Any, dict[str, NDArray[Any]]]:
    """Convert the columns of an edge list to arrays of one length."""
    u, v = _ends_array(sources), _ends_array(destinations)
    if u.ndim != 1 or u.shape != v.shape:
        raise ParameterError(f"sources have shape {u.shape}, destinations {v.shape}: pass two arrays of one length")
    return u, v, {name: _numbers(name, values, len(u)) for name, values in properties.items()}


def _on_host(*columns: Any) -> Iterator[Any]:
    return (column.to_numpy() if isinstance(column, DeviceArray) else column for column in columns)


def _counted(u: Any, v: Any, n_vertices: int, *, bipartite: bool) -> tuple[NDArray[Any], NDArray[Any], VertexIds]:
    """Take ids from 0 to ``n_vertices - 1`` as dense ids."""
    n_vertices = checked_count("n_vertices", n_vertices)
    if bipartite:
        raise ParameterError("n_vertices and bipartite=True contradict each other: leave one out")
    for name, values in (("sources", u), ("destinations", v)):
        if len(values) and (values.dtype.kind not in "iu" or values.min() < 0 or values.max() >= n_vertices):
            has = values.dtype if values.dtype.kind not in "iu" else f"integers from {values.min()} to {values.max()}"
            raise ParameterError(f"{name} must be integers from 0 to n_vertices - 1 = {n_vertices - 1}, and are {has}")
    dtype = id_dtype(n_vertices)
    return u.astype(dtype), v.astype(dtype), Identity(n_vertices)


def _ends_array(ends: ArrayLike) -> NDArray[Any] | DeviceArray:
    """Convert ids to an array, without turning a list's numbers into strings; those on a GPU stay there."""
    if (on_gpu := device_array(ends)) is not None:
        return on_gpu
    array = np.asarray(ends)
    return np.asarray(ends, object) if array.dtype.kind == "U" and isinstance(ends, list | tuple) else array


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
    if not hasattr(frame, "columns"):
        raise ParameterError(f"from_pandas takes a pandas DataFrame, not {described(frame)}")
    source, target = _ends(list(frame.columns), source, target)
    for name in (source, target, *(edge_attr or ())):
        if name not in frame.columns:
            raise ParameterError(f"the DataFrame has no column {name!r}; it has {list(map(str, frame.columns))}")
    others = [name for name in frame.columns if name not in (source, target)]
    numeric = [name for name in others if getattr(frame[name].dtype, "kind", "O") in "iuf"]
    if edge_attr is None and "weight" in others and "weight" not in numeric:
        raise ParameterError(
            f"the column 'weight' holds {frame['weight'].dtype}: pass numbers, or edge_attr= with the columns to take"
        )
    u, v = (_plain(frame[name]) for name in (source, target))
    properties = {str(name): frame[name].to_numpy() for name in (numeric if edge_attr is None else edge_attr)}
    edges = _edge_list(u, v, properties, directed=directed, bipartite=bipartite)
    return build(edges, drop_loops=drop_loops, drop_repeats=drop_repeats)


def _ends(names: list[Any], source: str | None, target: str | None) -> tuple[Any, Any]:
    """Return the columns of the edges' ends: the ones passed, or else the ones with names of ends."""
    found = named_endpoints(names)
    if found is None and (source is None or target is None):
        missing = next((name for name in ("source", "target") if name not in names), "target")
        raise ParameterError(
            f"the DataFrame has no column {missing!r}, nor other names of edges' ends as src and dst; it has "
            f"{list(map(str, names))}: pass source= and target="
        )
    guess = (None, None) if found is None else (names[found[0]], names[found[1]])
    return guess[0] if source is None else source, guess[1] if target is None else target


def _plain(column: Any) -> NDArray[Any]:
    values: NDArray[Any] = column.to_numpy()
    return values if values.dtype.kind in "iuf" else values.astype(object)


ARGUMENTS = ("weight", "directed", "n_vertices", "bipartite", "drop_loops", "drop_repeats", "sharded")


def _refuse_misspelt(properties: Mapping[str, Any]) -> None:
    """Raise `ParameterError` for a property that is nearly an argument."""
    for name in properties:
        for argument in ARGUMENTS:
            near = difflib.SequenceMatcher(None, name, argument).ratio() >= 0.9
            if near or sorted(name) == sorted(argument):
                raise ParameterError(
                    f"from_edges was given an edge property {name!r}: pass {argument}=, or give it another name"
                )


def _numbers(name: str, values: ArrayLike, n_edges: int) -> NDArray[Any]:
    numbers = np.asarray(values)
    if numbers.shape != (n_edges,):
        raise ParameterError(f"{name} has shape {numbers.shape}: pass one value for each of the {n_edges} edges")
    if not is_number(numbers.dtype):
        raise ParameterError(f"{name} holds {numbers.dtype}: pass numbers of at most 64 bits")
    return numbers
