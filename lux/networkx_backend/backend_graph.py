# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX as Lux holds them."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import lux
from lux.graph.core.stored_graph import id_dtype

Adjacency = tuple[NDArray[np.int64], NDArray[Any]]
"""Offsets of shape (n + 1,), and neighbours: each node's in the order in which NetworkX has them."""


class NoNodeError(Exception):
    """A node that is not in the graph: NetworkX's own code then says so."""


class LuxGraph:
    """A graph that is never modified: nodes of any kind, and their edges in Lux.

    What functions of Lux do not answer is asked of a frozen copy in NetworkX, which is made when first needed; so
    ``graph.degree`` and the like work, and ``networkx.Graph(graph)`` is a copy that can be modified.

    Attributes
    ----------
    nodes_in_order : list
        The nodes; a node's place in it is its vertex in Lux.
    sources, destinations : array of shape (n_edges,)
        Edges by places; those of undirected graphs are listed once.
    values : dict of str to array of shape (n_edges,)
        Edge attributes that have been converted.
    """

    __networkx_backend__ = "lux"
    __networkx_cache__ = None

    def __init__(
        self,
        nodes: list[Any],
        edges: tuple[NDArray[Any], NDArray[Any]],
        values: Mapping[Any, NDArray[Any]],
        *,
        directed: bool,
        multigraph: bool,
        adjacency: Adjacency | None = None,
        origin: Any = None,
    ) -> None:
        self.nodes_in_order = nodes
        self.sources, self.destinations = edges
        self.values = dict(values)
        self._directed, self._multigraph = directed, multigraph
        self._adjacency = adjacency
        self._origin = weakref.ref(origin) if origin is not None else None
        self._graphs: dict[Any, lux.Graph] = {}
        self._kept: dict[Any, Any] = {}

    def is_directed(self) -> bool:
        """Tell whether edges have a direction."""
        return self._directed

    def is_multigraph(self) -> bool:
        """Tell whether there may be several edges between two nodes."""
        return self._multigraph

    def number_of_nodes(self) -> int:
        """Count the nodes."""
        return len(self.nodes_in_order)

    def number_of_edges(self, u: Any = None, v: Any = None) -> int:
        """Count the edges, or those between two nodes."""
        found: int = len(self.sources) if u is None else self.to_networkx().number_of_edges(u, v)
        return found

    def __len__(self) -> int:
        return len(self.nodes_in_order)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes_in_order)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self._places
        except TypeError:
            return False

    def __getitem__(self, node: Any) -> Any:
        return self.to_networkx()[node]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and name not in ("_adj", "_node", "_succ", "_pred"):
            raise AttributeError(name)
        return getattr(self.to_networkx(), name)

    def __repr__(self) -> str:
        kind = f"{'Multi' if self._multigraph else ''}{'Di' if self._directed else ''}Graph"
        return f"<{kind} in Lux: {len(self)} nodes, {len(self.sources)} edges>"

    @cached_property
    def _places(self) -> dict[Any, int]:
        return dict(zip(self.nodes_in_order, range(len(self)), strict=True))

    def place(self, node: Any) -> int:
        """Return a node's place; `NoNodeError` if there is no such node."""
        if node not in self:
            raise NoNodeError(node)
        return self._places[node]

    def places(self, nodes: Iterable[Any]) -> NDArray[np.int64]:
        """Return the places of nodes; `NoNodeError` if one is not there."""
        return np.array([self.place(node) for node in nodes], np.int64)

    def by_node(self, array: NDArray[Any]) -> dict[Any, Any]:
        """Return the values of all nodes as NetworkX does."""
        return dict(zip(self.nodes_in_order, array.tolist(), strict=True))

    def named(self, places: NDArray[Any]) -> list[Any]:
        """Return the nodes at some places."""
        return list(map(self.nodes_in_order.__getitem__, places.tolist()))

    def all_nodes(self) -> set[Any]:
        """Return a new set of all nodes."""
        return set(self._places)

    def edge_values(self, name: Any) -> NDArray[Any]:
        """Return an edge attribute of every edge; 1 where edges have none."""
        if name not in self.values:
            origin = self.origin
            if origin is None:
                self.values[name] = np.ones(len(self.sources), np.int64)
            else:
                from lux.networkx_backend.conversion import read_values

                self.values[name] = read_values(origin, name, self)
        found: NDArray[Any] = self.values[name]
        return found

    @property
    def origin(self) -> Any:
        """The graph of NetworkX that this one was converted from; None if there is none any more."""
        return self._origin() if self._origin is not None else None

    def lux(self, weight: Any = None, *, simple: bool = False) -> lux.Graph:
        """Return the graph in Lux, with an edge attribute as its ``weight``; ``simple`` without parallel edges."""
        simple = simple and self._multigraph
        if weight is None and not simple and self._graphs:  # a weight that is not asked for is not read
            return next(graph for key, graph in self._graphs.items() if not key[1])
        if (weight, simple) not in self._graphs:
            values = None if weight is None else self.edge_values(weight)
            self._graphs[weight, simple] = lux.from_edges(
                self.sources, self.destinations, values, n_vertices=len(self), directed=self._directed,
                drop_repeats=simple,
            )  # fmt: skip
        return self._graphs[weight, simple]

    def kept(self, name: object, make: Callable[[], Any]) -> Any:
        """Return what is made once of the graph, and kept under a name."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    @property
    def has_adjacency(self) -> bool:
        """True if `adjacency_arrays` need not be made."""
        return self._adjacency is not None

    def adjacency_arrays(self, *, reverse: bool = False) -> Adjacency:
        """Return the neighbours of every node (``reverse``: the predecessors), in NetworkX's order."""
        if reverse and self._directed:
            return self._predecessors
        if self._adjacency is None:
            u, v = self.sources, self.destinations
            if not self._directed:
                other = u != v
                place = np.arange(len(u))
                order = np.argsort(np.append(2 * place, 2 * place[other] + 1), kind="stable")
                u, v = np.append(u, v[other])[order], np.append(v, self.sources[other])[order]
            self._adjacency = rows_of(u, v, len(self))
        return self._adjacency

    @cached_property
    def _predecessors(self) -> Adjacency:
        origin = self.origin
        if origin is None:
            return rows_of(self.destinations, self.sources, len(self))
        from lux.networkx_backend.conversion import read_rows

        return read_rows(origin.pred, self.nodes_in_order, self._places)

    def renamed(self, nodes: list[Any]) -> LuxGraph:
        """Return the graph with other nodes, in the order of these; all else is shared."""
        same = LuxGraph(
            nodes, (self.sources, self.destinations), self.values, directed=self._directed, multigraph=self._multigraph
        )
        same._adjacency, same._graphs = self._adjacency, self._graphs
        return same

    def degrees(self, *, inward: bool = True, outward: bool = True) -> NDArray[np.int64]:
        """Count the edges of every node; of undirected graphs, loops twice."""
        found = np.zeros(len(self), np.int64)
        for ends, wanted in ((self.sources, outward), (self.destinations, inward)):
            if wanted or not self._directed:
                found += np.bincount(ends, minlength=len(self))
        return found

    def to_networkx(self) -> Any:
        """Return the graph of NetworkX that this one was made of, or else a frozen one with the same edges."""
        return self.origin if self.origin is not None else self._frozen

    @cached_property
    def _frozen(self) -> Any:
        kinds = {(False, False): nx.Graph, (True, False): nx.DiGraph, (False, True): nx.MultiGraph}
        graph: Any = kinds.get((self._directed, self._multigraph), nx.MultiDiGraph)()
        graph.add_nodes_from(self.nodes_in_order)
        ends = self.named(self.sources), self.named(self.destinations)
        names = list(self.values)
        columns = [self.values[name].tolist() for name in names]
        if names:
            attributes = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
            graph.add_edges_from(zip(*ends, attributes, strict=True))
        else:
            graph.add_edges_from(zip(*ends, strict=True))
        return nx.freeze(graph)


def rows_of(u: NDArray[Any], v: NDArray[Any], n: int) -> Adjacency:
    """Group edges by their first end, each group in the order of the edges; parallel ones once."""
    order = np.argsort(u, kind="stable")
    u, v = u[order], v[order]
    first = np.sort(np.unique(u.astype(np.int64) * n + v, return_index=True)[1])
    u, v = u[first], v[first]
    return np.append(0, np.cumsum(np.bincount(u, minlength=n))), v.astype(id_dtype(n))
