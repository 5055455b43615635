# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A graph whose vertices of many edges are delegates, distributed to processors as four subgraphs each.

Every processor has a copy of all delegates, and owns a range of places. The edge distributor (section III-B of Pan,
Pearce and Owens, "Scalable breadth-first search on a GPU cluster", 2018) gives the edges of normal vertices to their
owners, edges from delegates to normal vertices to the owners of the latter, and edges between delegates to the owner of
the one with fewer edges. So only nn edges lead to another processor.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux.algorithms.bfs.distributed.degree_separated import build_kernels as kernels
from lux.algorithms.bfs.distributed.degree_separated.state_kernels import Subgraphs
from lux.algorithms.bfs.distributed.message_buffers import PairBuffers
from lux.algorithms.bfs.distributed.packed_arrays import Sections
from lux.runtime import Store


@dataclass(frozen=True)
class StorageBytes:
    """Bytes of a separated graph, over all processors, beside those of other representations.

    Attributes
    ----------
    subgraphs : int
        Row offsets and columns of nn, nd, dn and dd, as measured.
    masks : int
        The bits of rows that are not empty.
    delegates : int
        The delegates' places, of which each processor has a copy.
    far : int
        Lists of the vertices of others that nn edges lead to.
    paper : int
        8n + 8dp + 4m + 4|nn| (Table I), for ``subgraphs``. Its columns of nn edges have 64 bits; here they have 32,
        and ``far`` says which vertices they stand for.
    csr : int
        8n + 8m.
    edge_list : int
        16m.
    """

    subgraphs: int
    masks: int
    delegates: int
    far: int
    paper: int
    csr: int
    edge_list: int

    @property
    def measured(self) -> int:
        """Bytes of all parts of the separated graph."""
        return self.subgraphs + self.masks + self.delegates + self.far


@dataclass(frozen=True)
class DegreeSeparatedGraph:
    """The graph as four subgraphs on every processor.

    Attributes
    ----------
    points : np.ndarray of shape (parts + 1,), int64
        Split points of the places.
    vertices : Store
        The rectangle of each processor's places.
    n_edges : int
    threshold : int
        Delegates have more out-edges.
    places : np.ndarray of shape (n_delegates,), uint32
        The delegates' places, in rising order; a delegate's number is its position.
    edges : np.ndarray of shape (parts, 4), int64
        Edges of each processor by kind: nn, nd, dn, dd.
    far : np.ndarray of shape (parts, parts), int64
        Number of nn destinations of each processor (row) that each other one (column) owns. A message from p to q names
        vertices by their numbers among ``far[p, q]``.
    far_places : PairBuffers
        Places of these destinations, in rising order.
    sections : Sections
        The arrays of `lux.algorithms.bfs.distributed.degree_separated.state_kernels.Subgraphs`. (The paper has a list
        of the rows of nd that are not empty: on CPU cores a mask, of which 64 vertices are skipped at a time, is
        shorter and as quick.)
    store : Store
        The store of all ``sections``.
    """

    points: NDArray[np.int64]
    vertices: Store
    n_edges: int
    threshold: int
    places: NDArray[np.uint32]
    edges: NDArray[np.int64]
    far: NDArray[np.int64]
    far_places: PairBuffers
    sections: Sections
    store: Store

    @property
    def parts(self) -> int:
        """Number of processors."""
        return len(self.points) - 1

    @property
    def n_delegates(self) -> int:
        """Number of delegates."""
        return len(self.places)

    @property
    def mask_words(self) -> int:
        """Words of a mask of all delegates."""
        return -(-self.n_delegates // 64)

    @cached_property
    def own_delegates(self) -> NDArray[np.int64]:
        """Number of the first delegate of each processor, and of all."""
        return np.searchsorted(self.places, self.points).astype(np.int64)

    def delegate(self, place: int) -> int:
        """Return the number of the delegate at a place, or -1."""
        j = int(np.searchsorted(self.places, self.places.dtype.type(place)))  # an int would have all places copied
        return j if j < len(self.places) and int(self.places[j]) == place else -1

    def subgraphs(self, point: int, given: NDArray[np.uint32]) -> Subgraphs:
        """Return a processor's subgraphs, from its part ``given`` of ``store``."""
        return Subgraphs(*self.sections.views(point, given))

    @property
    def bytes(self) -> StorageBytes:
        """Count the bytes of this form, and estimate those of other representations."""
        measured = self.sections.nbytes_of
        n, m, d, nn = int(self.points[-1]), self.n_edges, self.n_delegates, int(self.edges[:, kernels.NN].sum())
        return StorageBytes(
            subgraphs=measured(*OFFSETS, *COLUMNS),
            masks=measured("nd_rows", "dn_rows", "dd_rows"),
            delegates=measured("delegates"),
            far=4 * int(self.far.sum()),
            paper=8 * n + 8 * d * self.parts + 4 * m + 4 * nn,
            csr=8 * n + 8 * m,
            edge_list=16 * m,
        )


OFFSETS = ("nn_offsets", "nd_offsets", "dn_offsets", "dd_offsets")
COLUMNS = ("nn", "nd", "dn", "dd")


def words(bits: Any) -> Any:
    """Return the number of 64-bit words for so many bits."""
    return -(-bits // 64)


def starts_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the beginning of each row's pieces, and the end of its last.

    >>> starts_of(np.array([[0, 2], [3, 4]])).tolist()
    [[0, 0, 2], [0, 3, 7]]
    """
    return np.column_stack([np.zeros(len(sizes), np.int64), np.cumsum(sizes, axis=1)])
