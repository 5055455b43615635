# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge lists, from which graphs are made and as which files are read, their ids and conversions."""

import numpy as np

import lux
from lux.graph.construction.edge_list import EdgeList
from lux.graph.core.ids import Bipartite, Identity, Integers, Offset, Strings
from lux.graph.to_objects import to_edges, to_networkx, to_scipy

__all__ = [
    "Bipartite",
    "EdgeList",
    "Identity",
    "Integers",
    "Offset",
    "Strings",
    "ids_of",
    "keep",
    "to_edges",
    "to_networkx",
    "to_scipy",
]


def ids_of(sources, destinations):
    """Number the vertices that occur, as a graph does."""
    return lux.from_edges(sources, destinations).ids


def keep(answers, name, graph):
    """Add all of a graph to a dictionary of arrays."""
    edges = graph.dense_edge_list()
    answers[f"{name}: sources"], answers[f"{name}: destinations"] = edges.sources, edges.destinations
    answers[f"{name}: ids"] = np.array(graph.ids.to_numpy().tolist())
    answers[f"{name}: facts"] = np.array([type(graph.ids).__name__, str(graph.ids.dtype), str(graph.directed)])
    for key, values in edges.properties.items():
        answers[f"{name}: {key}"] = values
