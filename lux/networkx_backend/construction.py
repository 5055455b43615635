# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs of Lux that functions of NetworkX make, without a graph of NetworkX."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from lux.graph.core.stored_graph import id_dtype
from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import answer


def why_not(
    df: Any,
    source: Any = "source",
    target: Any = "target",
    edge_attr: Any = None,
    create_using: Any = None,
    edge_key: Any = None,
) -> str:
    """Say why a table is left to NetworkX; empty if it is not."""
    if edge_key is not None or create_using not in (None, nx.Graph, nx.DiGraph):
        return "Lux makes a Graph or a DiGraph of a table, without keys of edges"
    if isinstance(edge_attr, list | tuple):
        names = list(edge_attr)
    else:
        names = [c for c in df.columns if c not in (source, target)] if edge_attr is True else [edge_attr]
    for name in () if edge_attr is None else names:
        if name not in df.columns or getattr(df[name].dtype, "kind", "O") not in "iuf":
            return f"the column {name!r} is no number of a fixed size, or not there"
    if edge_attr is not None and not names:
        return "there are no columns for edge attributes"
    return ""


def from_pandas_edgelist(
    df: Any,
    source: Any = "source",
    target: Any = "target",
    edge_attr: Any = None,
    create_using: Any = None,
    edge_key: Any = None,
) -> LuxGraph:
    """Graph of a table with a row for each edge; of repeated edges the last attributes are kept."""
    if why := why_not(df, source, target, edge_attr, create_using, edge_key):
        raise NotImplementedError(why)
    directed = create_using is nx.DiGraph
    names = [] if edge_attr is None else list(edge_attr) if isinstance(edge_attr, list | tuple) else [edge_attr]
    if edge_attr is True:
        names = [c for c in df.columns if c not in (source, target)]
    nodes, u, v = _numbered(df[source], df[target])
    key = (u.astype(np.int64) * len(nodes) + v) if directed else (
        np.minimum(u, v).astype(np.int64) * len(nodes) + np.maximum(u, v)
    )  # fmt: skip
    first, last = _first_and_last(key) if names else (_first(key), None)
    values = {name: df[name].to_numpy()[last] for name in names}
    return LuxGraph(nodes, (u[first], v[first]), values, directed=directed, multigraph=False)


def _numbered(sources: Any, targets: Any) -> tuple[list[Any], NDArray[Any], NDArray[Any]]:
    """Number the nodes in the order in which the rows name them, a source before its target."""
    import pandas as pd

    ends = [np.asarray(column) for column in (sources, targets)]
    plain = ends[0].dtype == ends[1].dtype and ends[0].dtype.kind in "iu"
    both = np.empty(2 * len(ends[0]), ends[0].dtype if plain else object)
    both[::2], both[1::2] = ends
    codes, nodes = pd.factorize(both)
    if (codes < 0).any():
        raise NotImplementedError("an end of an edge is missing")
    codes = codes.astype(id_dtype(max(len(nodes), 1)))
    return nodes.tolist(), codes[::2].copy(), codes[1::2].copy()


def _first(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first place of each value."""
    import pandas as pd

    return np.flatnonzero(~pd.Series(key).duplicated().to_numpy())


def _first_and_last(key: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the last place of each value, in the order of the first."""
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(key[order]) != 0)) if len(key) else np.empty(0, np.int64)
    ends = np.append(starts[1:], len(key)) - 1 if len(key) else starts
    first, last = order[starts], order[ends]
    arranged = np.argsort(first)
    return first[arranged], last[arranged]


@answer
def relabel_nodes(graph: LuxGraph, mapping: Any, copy: bool = True) -> Any:
    """Graph with other nodes; a graph of NetworkX where attributes must be kept, or nodes are merged."""
    if not copy:
        raise NotImplementedError("relabel_nodes: Lux does not modify graphs, as copy=False asks for")
    find = mapping if callable(mapping) else lambda node: mapping.get(node, node)
    nodes = [find(node) for node in graph]
    if graph.origin is not None or len(set(nodes)) < len(nodes):
        return nx.relabel_nodes.orig_func(graph.to_networkx(), mapping, copy)  # type: ignore[attr-defined]
    return graph.renamed(nodes)


@answer
def convert_node_labels_to_integers(
    graph: LuxGraph, first_label: int = 0, ordering: str = "default", label_attribute: Any = None
) -> Any:
    """Graph with whole numbers as nodes; a graph of NetworkX where attributes must be kept."""
    if ordering not in ("default", "sorted"):
        raise NotImplementedError(f"convert_node_labels_to_integers: Lux does not order nodes by {ordering!r}")
    nodes = sorted(graph) if ordering == "sorted" else list(graph)
    names = dict(zip(nodes, range(first_label, first_label + len(graph)), strict=True))
    if graph.origin is None and label_attribute is None:
        return graph.renamed([names[node] for node in graph])
    found = nx.relabel_nodes.orig_func(graph.to_networkx(), names, True)  # type: ignore[attr-defined]
    if label_attribute is not None:
        for node, name in names.items():
            found.nodes[name][label_attribute] = node
    return found
