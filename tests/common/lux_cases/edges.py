# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge lists, from which graphs are made and as which files are read, their ids and conversions."""

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
    "to_edges",
    "to_networkx",
    "to_scipy",
]


def ids_of(sources, destinations):
    """Number the vertices that occur, as a graph does."""
    return lux.from_edges(sources, destinations).ids
