# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Conversion of edge lists to arrays, SciPy matrices, NetworkX graphs and pandas DataFrames.

Every function takes an `EdgeList`; an undirected one lists each edge once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.errors import GraphError
from lux.graph.construction.edge_list import EdgeList
from lux.graph.to_arrow import check_ends


def to_edges(edges: EdgeList) -> tuple[NDArray[Any], NDArray[Any], dict[str, NDArray[Any]]]:
    """Return the user's ids of sources and destinations, and the properties; each of shape (n_edges,).

    >>> import lux
    >>> to_edges(lux.from_edges([10], [20]).dense_edge_list())[:2]
    (array([10]), array([20]))
    """
    labels = edges.ids.labels(0, edges.n_vertices)
    return labels[edges.sources], labels[edges.destinations], dict(edges.properties)


def to_scipy(edges: EdgeList, weight: str | None = "weight") -> Any:
    """Return the adjacency matrix, SciPy CSR of shape (n_vertices, n_vertices), by dense id.

    An undirected edge is stored at (i, j) and (j, i); parallel edges are summed. Without the property ``weight`` all
    values are 1.

    >>> import lux
    >>> to_scipy(lux.from_edges([0], [1], directed=False).dense_edge_list()).toarray()
    array([[0, 1],
           [1, 0]])
    """
    from scipy import sparse

    u, v = edges.sources.astype(np.int64), edges.destinations.astype(np.int64)
    known = weight is not None and weight in edges.properties
    if not known and weight not in (None, "weight"):
        has = ", ".join(edges.properties) or "none"
        raise GraphError(f"to_scipy: weight={weight!r} was passed, and the edge properties are: {has}")
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
    """Return a NetworkX Graph or DiGraph, Multi if edges are parallel; nodes are the user's ids.

    >>> import lux
    >>> to_networkx(lux.from_edges(["a"], ["b"], weight=[2]).dense_edge_list()).edges["a", "b"]
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
    """Return a pandas DataFrame, one edge a row: the user's ids, then the properties.

    >>> import lux
    >>> list(to_pandas(lux.from_edges([1], [2], weight=[3]).dense_edge_list()).columns)
    ['source', 'target', 'weight']
    """
    import pandas as pd

    check_ends(edges.properties, source, target)
    u, v, properties = to_edges(edges)
    ends = [ends.astype(object) if ends.dtype.kind == "T" else ends for ends in (u, v)]
    return pd.DataFrame({source: ends[0], target: ends[1], **properties})
