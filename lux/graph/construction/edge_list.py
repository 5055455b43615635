# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Edge sources: edges before Legion holds them, from generators, parsed files or arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from lux.checks import checked_flag
from lux.errors import ParameterError
from lux.graph.core.ids import Identity, VertexIds


class EdgeSourceInfo(Protocol):
    """Facts about edges that are known before any edge is read."""

    @property
    def n_vertices(self) -> int:
        """Number of vertices; their dense ids are 0 to n_vertices - 1."""

    @property
    def n_edges(self) -> int:
        """Number of edges as they are listed or stored."""

    @property
    def directed(self) -> bool:
        """False if an edge between two vertices stands for both directions."""

    @property
    def ids(self) -> VertexIds:
        """The user's name of every dense id."""

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """Edge properties and their types."""


class EdgeSource(EdgeSourceInfo, Protocol):
    """Edges by number: any slice can be produced on its own, so point tasks produce them in parallel.

    The edges of an undirected source are listed once; building the graph stores both directions.
    """

    def fill(
        self,
        lo: int,
        hi: int,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        properties: Mapping[str, NDArray[Any]],
    ) -> None:
        """Write edges lo to hi - 1 into arrays of length ``hi - lo`` (dense ids)."""


@dataclass(frozen=True)
class EdgeList:
    """Edges held in memory, by dense vertex id; an `EdgeSource`.

    Attributes
    ----------
    sources, destinations : np.ndarray of shape (n_edges,), uint32 or uint64
    n_vertices : int
    directed : bool
        False: each edge is listed once and stands for both directions.
    ids : VertexIds
        The user's name of every dense id.
    properties : mapping of name to np.ndarray of shape (n_edges,)
        Edge properties; algorithms look for ``weight``.

    Examples
    --------
    >>> e = EdgeList(np.array([0, 1], np.uint32), np.array([1, 2], np.uint32), 3, directed=True)
    >>> e.n_edges
    2
    """

    sources: NDArray[Any]
    destinations: NDArray[Any]
    n_vertices: int
    directed: bool
    ids: VertexIds = cast(VertexIds, None)  # noqa: RUF009  # filled in below: needs n_vertices
    properties: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "directed", checked_flag("directed", self.directed))
        if cast(VertexIds | None, self.ids) is None:
            object.__setattr__(self, "ids", Identity(self.n_vertices))
        numbers = {name: storable(name, values) for name, values in self.properties.items()}
        object.__setattr__(self, "properties", numbers)

    @property
    def n_edges(self) -> int:
        """Number of edges as they are listed."""
        return len(self.sources)

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """Edge properties and their types."""
        return {name: values.dtype for name, values in self.properties.items()}

    def fill(
        self,
        lo: int,
        hi: int,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        properties: Mapping[str, NDArray[Any]],
    ) -> None:
        """Copy edges lo to hi - 1 into arrays."""
        sources[:] = self.sources[lo:hi]
        destinations[:] = self.destinations[lo:hi]
        for name, out in properties.items():
            out[:] = self.properties[name][lo:hi]


def is_number(dtype: np.dtype[Any]) -> bool:
    """Return True if a type is one of numbers of at most 64 bits."""
    return dtype.kind in "biuf" and dtype.itemsize <= 8


def storable(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return an edge property in a type that Legate and kernels have: float32 for float16, the machine's byte order.

    Raises
    ------
    ParameterError
        The values are no numbers of at most 64 bits.

    Examples
    --------
    >>> storable("weight", np.array([1, 2], np.float16)), storable("weight", np.array([1, 2], ">i8"))
    (array([1., 2.], dtype=float32), array([1, 2]))
    """
    if not is_number(values.dtype):
        raise ParameterError(f"{name} holds {values.dtype}: pass numbers of at most 64 bits")
    native = np.dtype(np.float32) if values.dtype.itemsize == 2 and values.dtype.kind == "f" else values.dtype
    return values.astype(native.newbyteorder("="), copy=False)
