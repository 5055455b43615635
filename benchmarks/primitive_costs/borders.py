# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Borders between partitions, the quantities of the paper's Table I.

In the paper a processor has the edges out of its vertices, and sends updates of others' vertices. In Lux a partition
has the edges into its vertices, and reads the values of others' vertices. So ``sizes[i, j]`` is the paper's B_(j,i) if
graphs are undirected: the same border, seen from the other side, and with the same sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph


@dataclass(frozen=True)
class Borders:
    """Borders: sizes of partitions, and of the vertices that they share.

    Attributes
    ----------
    edges : np.ndarray of shape (parts,), int64
        |E_i|: edges into each partition.
    own : np.ndarray of shape (parts,), int64
        |L_i|: vertices of each.
    sizes : np.ndarray of shape (parts, parts), int64
        Entry (i, j): distinct vertices of partition i that partition j reads; 0 where i is j.
    """

    edges: NDArray[np.int64]
    own: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @property
    def parts(self) -> int:
        """Return the number of partitions."""
        return len(self.own)

    @property
    def present(self) -> NDArray[np.int64]:
        """Return |V_i|: own vertices, and others' that the partition reads (duplicate-1-hop), of shape (parts,)."""
        return np.asarray(self.own + self.sizes.sum(axis=0))

    @property
    def border(self) -> NDArray[np.int64]:
        """Return |B_i|: own vertices once for each partition that reads them, of shape (parts,)."""
        return np.asarray(self.sizes.sum(axis=1))


def borders(graph: Graph, parts: int) -> Borders:
    """Return the borders between ``parts`` partitions of a graph.

    Raises
    ------
    ParameterError
        There are fewer vertices than partitions.

    Examples
    --------
    >>> import lux
    >>> from benchmarks.primitive_costs import borders
    >>> b = borders(lux.toy.two_triangles().partitioned([0, 0, 1, 1, 1, 1, 0], parts=2), parts=2)
    >>> b.sizes.tolist(), b.own.tolist(), b.present.tolist(), b.edges.tolist()
    ([[0, 2], [1, 0]], [3, 4], [4, 6], [4, 8])
    """
    layout = graph.layout(parts)
    return Borders(np.diff(layout.edge_points), np.diff(layout.points), border_sizes(layout))


def border_sizes(layout: PartitionedGraph) -> NDArray[np.int64]:
    """Count the vertices of each partition that each other one reads, |ONS(i) & INS(j)|, of shape (parts, parts)."""
    sizes = np.diff(layout.members.first_of(layout.points), axis=1).T.copy()
    np.fill_diagonal(sizes, 0)
    return sizes
