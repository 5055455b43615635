# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge lists from arrays, SciPy, NetworkX and pandas; `lux.graph.to_objects` converts back."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux.checks import checked_count, described
from lux.errors import GraphError, ParameterError
from lux.graph.construction.edge_list import EdgeList
from lux.graph.construction.endpoint_columns import named_endpoints
from lux.graph.construction.matrix_entries import Entries, summed
from lux.graph.core.compact_ids import compact
from lux.graph.core.ids import Bipartite, Identity, Strings, VertexIds, offset
from lux.graph.core.stored_graph import id_dtype

MOST = 1 << 62  # vertices: leaves headroom in int64


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
    """Build an edge list like `lux.from_edges`.

    >>> e = from_edges([10, 20], [20, 30], weight=[1.5, 2.5])
    >>> e.n_vertices, e.ids.labels(0, 3)
    (3, array([10, 20, 30]))
    """
    _refuse_misspelt(properties)
    u, v = _ends_array(sources), _ends_array(destinations)
    if u.ndim != 1 or u.shape != v.shape:
        raise ParameterError(f"sources have shape {u.shape}, destinations {v.shape}: pass two arrays of one length")
    given = ({} if weight is None else {"weight": weight}) | properties
    numbers = {name: _numbers(name, values, len(u)) for name, values in given.items()}
    if n_vertices is None:
        if not len(u):
            raise GraphError(
                "there are no edges, so there are no vertices: lux.from_edges([], [], n_vertices=N) makes a graph of N "
                "vertices without edges"
            )
        dense_u, dense_v, ids = compact(u, v, bipartite=bipartite)
        return EdgeList(dense_u, dense_v, len(ids), directed, ids, numbers)
    n_vertices = checked_count("n_vertices", n_vertices)
    if bipartite:
        raise ParameterError("n_vertices and bipartite=True contradict each other: leave one out")
    for name, values in (("sources", u), ("destinations", v)):
        if len(values) and (values.dtype.kind not in "iu" or values.min() < 0 or values.max() >= n_vertices):
            has = values.dtype if values.dtype.kind not in "iu" else f"integers from {values.min()} to {values.max()}"
            raise ParameterError(f"{name} must be integers from 0 to n_vertices - 1 = {n_vertices - 1}, and are {has}")
    dtype = id_dtype(n_vertices)
    return EdgeList(u.astype(dtype), v.astype(dtype), n_vertices, directed, Identity(n_vertices), numbers)


def _ends_array(ends: ArrayLike) -> NDArray[Any]:
    """Convert ids to an array, without turning a list's numbers into strings."""
    array = np.asarray(ends)
    return np.asarray(ends, object) if array.dtype.kind == "U" and isinstance(ends, list | tuple) else array


def from_scipy(matrix: Any, *, directed: bool | None = None, bipartite: bool = False) -> EdgeList:
    """Build an edge list like `lux.from_scipy`.

    >>> from scipy.sparse import csr_array
    >>> from_scipy(csr_array(np.array([[0, 7], [0, 0]]))).properties["weight"]
    array([7])
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
    return of_matrix(matrix, "the matrix", directed=directed, bipartite=bipartite)


def of_matrix(
    matrix: Any,
    name: str,
    *,
    directed: bool | None = None,
    bipartite: bool = False,
) -> EdgeList:
    """Build an edge list like `lux.from_scipy`, of a matrix of checked indices; messages show the name."""
    if matrix.ndim != 2:
        raise ParameterError(f"{name} has shape {matrix.shape}: pass a matrix, which has two dimensions")
    if not _is_number(matrix.dtype):
        raise ParameterError(f"{name} holds {matrix.dtype}: pass booleans, integers or reals of at most 64 bits")
    entries = matrix.tocoo()
    values = None if entries.data.dtype.kind == "b" else entries.data
    found = entries.row, entries.col, values
    return of_entries(found, matrix.shape, name, directed=directed, bipartite=bipartite)


def check_indices(matrix: Any) -> None:
    """Raise ValueError if indices of a matrix are out of bounds: SciPy's conversions would write where they say."""
    starts = getattr(matrix, "indptr", None)
    # SciPy looks at the order of the pointers only where the last is not 0.
    if starts is not None and (not len(starts) or starts[0] != 0 or (starts[1:] < starts[:-1]).any()):
        raise ValueError("its index pointers do not grow from 0")
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)


def of_entries(
    entries: Entries,
    shape: tuple[int, int],
    name: str,
    *,
    directed: bool | None = None,
    bipartite: bool = False,
    base: int = 0,
    listed_once: bool = False,
) -> EdgeList:
    """Build the edges of a matrix from rows, columns and values, or None for no weights.

    Parameters
    ----------
    name : str
        Name of the matrix, for messages.
    base : int
        The user's id of row 0.
    listed_once : bool
        The matrix has one triangle of an undirected graph.
    """
    rows, columns = shape
    if rows != columns and not bipartite:
        raise ParameterError(f"{name} has shape {rows} x {columns}: pass a square one, or bipartite=True")
    if rows + columns > MOST:
        raise ParameterError(f"{name} has shape {rows} x {columns}: Lux takes at most {MOST} rows and columns together")
    u, v, values = summed(name, *entries)
    weights = {} if values is None else {"weight": values}
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
    """Keep each unordered pair once."""
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
    """Build an edge list like `lux.from_networkx`.

    >>> import networkx as nx
    >>> from_networkx(nx.path_graph(3)).directed
    False
    """
    if not (hasattr(graph, "edges") and hasattr(graph, "is_directed")):
        raise ParameterError(f"from_networkx takes a graph of NetworkX, not {described(graph)}")
    nodes = list(graph)
    if not nodes:
        raise GraphError("the NetworkX graph has no nodes, and a graph has at least one vertex")
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
        elif any(numeric) or name == "weight":
            odd = numeric.index(False)
            raise ParameterError(
                f"edge attribute {name!r} is no number on {edges[odd][:2]}: {values[odd]!r}; give it one, or to no edge"
            )
    return EdgeList(u, v, len(nodes), graph.is_directed(), ids, properties)


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


def from_pandas(
    frame: Any,
    source: str | None = None,
    target: str | None = None,
    *,
    directed: bool = True,
    edge_attr: Sequence[str] | None = None,
    bipartite: bool = False,
) -> EdgeList:
    """Build an edge list like `lux.from_pandas`.

    >>> import pandas as pd
    >>> from_pandas(pd.DataFrame({"source": [1, 2], "target": [2, 3], "weight": [4, 5]})).n_edges
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
    ends = [_plain(frame[name]) for name in (source, target)]
    properties = {str(name): frame[name].to_numpy() for name in (numeric if edge_attr is None else edge_attr)}
    edges = from_edges(ends[0], ends[1], directed=directed, bipartite=bipartite)
    numbers = {name: _numbers(name, values, len(frame)) for name, values in properties.items()}
    return replace(edges, properties=numbers)


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


ARGUMENTS = ("weight", "directed", "n_vertices", "bipartite", "drop_loops", "drop_repeats")


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
    if not _is_number(numbers.dtype):
        raise ParameterError(f"{name} holds {numbers.dtype}: pass numbers of at most 64 bits")
    return numbers


def _is_number(dtype: np.dtype[Any]) -> bool:
    """Return True if Legate has stores of a type."""
    return dtype.kind in "biuf" and dtype.itemsize <= 8
