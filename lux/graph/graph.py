# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A graph whose edges lie in Legion stores, grouped by destination."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux import runtime
from lux.errors import GraphError
from lux.graph import build, degrees, edge_queries, preview, to_objects
from lux.graph.construction.edge_list import EdgeList
from lux.graph.construction.edge_stores import GraphEdges
from lux.graph.core.degree_facts import degree_facts
from lux.graph.core.stored_graph import StoredGraph, graph_bytes, in_degrees
from lux.graph.ordering import in_dense_order, reordered
from lux.graph.partitioners import partitioned
from lux.graph.to_arrow import edge_table
from lux.graph.values import Values
from lux.names import Spelt
from lux.partition import split_points
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.construction.gpu.degrees import RowFacts
    from lux.graph.layout import PartitionedGraph

SMALL = 1 << 22
"""Graphs with fewer stored edges run as one partition unless the caller says otherwise.

An iteration over all such edges takes about 4 ms on one core, and a launch 0.3 ms; but most iterations of a search or
of label propagation touch only part of the edges, and one partition runs many iterations in a launch.
"""

HINT = "lux.pagerank(g), g.neighbors(vertex), g.out_degrees(), g.to_pandas()"
"""Next steps, in the preview of a graph."""

EDGES_PER_THREAD = 1 << 18
"""Stored edges that are worth a thread: about 0.2 ms of work, where a thread takes 0.02 ms to start."""


@dataclass(eq=False)
class Graph(StoredGraph, Spelt):
    """A directed or undirected graph with optional edge properties; it never changes.

    Make one with `lux.read_graph`, `lux.generate` or `lux.from_edges` and the other ``from_`` functions. A graph may
    have no edges, but it has a vertex: these functions raise `GraphError` for input without vertices. (NetworkX makes
    such graphs, and its algorithms return an empty dict or raise.)

    Attributes
    ----------
    n_vertices : int
    n_edges : int
        Stored in-edges: an undirected edge between two vertices counts twice, a self-loop once.
    directed : bool
    ids : VertexIds
        The user's id of every vertex; results come back in these.
    order : Order or None
        The order in which vertices and the stores below are kept, if not that of the ids.
    offsets : Store of shape (n_vertices + 1,), int64
        The in-edges of vertex v are ``offsets[v]`` to ``offsets[v + 1] - 1``.
    sources : Store of shape (n_edges,), uint32 (uint64 above 2^32 vertices)
        Their sources, ascending within a vertex.
    properties : dict of str to Store of shape (n_edges,)
        Edge properties, in the same order.
    summary : GraphSummary or None
        Counts for the performance model, if they were made; see `lux.autotune.summarize`.

    Examples
    --------
    >>> import lux
    >>> g = lux.toy.path(3)
    >>> g.n_vertices, g.n_edges, g.directed
    (3, 2, True)
    >>> len(g), 1 in g, list(g), g.neighbors(1)
    (3, True, [0, 1, 2], array([2]))
    """

    _known: ClassVar[Mapping[str, str]] = {
        "nodes": "ids", "vertices": "ids", "vs": "ids", "edges": "edge_arrays", "es": "edge_arrays",
        "degrees": "out_degrees", "has_edge": "has_edges", "number_of_nodes": "n_vertices", "vcount": "n_vertices",
        "number_of_edges": "n_edges", "ecount": "n_edges", "is_directed": "directed", "to_undirected": "symmetrized",
        "view_edge_list": "to_pandas", "induced_subgraph": "subgraph", "transpose": "reverse",
        "successors": "neighbors", "adj": "neighbors",
    }  # fmt: skip

    _layouts: dict[int, PartitionedGraph] = field(default_factory=dict, repr=False)
    _reweighted: dict[str, Graph] = field(default_factory=dict, repr=False)

    @property
    def signed_dtype(self) -> np.dtype[Any]:
        """The smallest signed type that holds every dense id, and -1."""
        return np.dtype(np.int32 if self.n_vertices < 2**31 else np.int64)

    def __post_init__(self) -> None:
        _alive.add(self)

    def __len__(self) -> int:
        return self.n_vertices

    def __contains__(self, vertex: object) -> bool:
        """Tell whether there is a vertex with this id."""
        return vertex in self.ids

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the user's ids of all vertices in ascending order."""
        return iter(self.ids)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        properties = f", with {', '.join(self.properties)}" if self.properties else ""
        title = f"<Graph: {kind}, {self.n_vertices:,} vertices, {self.n_edges:,} stored edges{properties}>"
        return preview.as_text(title, preview.edge_rows(self), self.n_edges - preview.HEAD, HINT)

    def _repr_html_(self) -> str:
        facts = [
            ("vertices", f"{self.n_vertices:,}; {self.ids.describe()}"),
            ("stored edges", f"{self.n_edges:,}{'' if self.directed else ', two for each edge between two vertices'}"),
            ("edge properties", ", ".join(f"{n} ({kind})" for n, kind in self.property_types.items()) or "none"),
            ("memory", f"{self.memory_needed() / 1e6:,.1f} MB"),
        ]
        title = f"<Graph: {'directed' if self.directed else 'undirected'}>"
        return preview.as_html(title, facts, preview.edge_rows(self), self.n_edges - preview.HEAD, HINT)

    def place_of(self, vertex: Any) -> int:
        """Return the position of the vertex with the user's id: its dense id, unless the graph was reordered."""
        dense = self.ids.dense(vertex)
        if self.order is None:
            return dense
        return int(self.order.places_array[dense])

    @cached_property
    @runtime.on_driver
    def first_place_without_in_edges(self) -> int:
        """The number of positions up to the last that has in-edges."""
        if self._row_facts is not None:
            return self._row_facts.filled
        return degree_facts(self).end_of_in_edges

    @cached_property
    @runtime.on_driver
    def most_in_edges(self) -> int:
        """The largest in-degree."""
        if self._row_facts is not None:
            return self._row_facts.longest
        return degree_facts(self).most

    @cached_property
    @runtime.on_driver
    def _row_facts(self) -> RowFacts | None:
        """Facts that a GPU has found out about the rows; None where cores are to look."""
        if not runtime.gpus():
            return None
        from lux.graph.construction.gpu import degrees as on_gpu

        return on_gpu.row_facts(self)

    @property
    def degree_dtype(self) -> np.dtype[Any]:
        """Type of a degree: int32 where every degree fits."""
        return np.dtype(np.int32 if self.n_edges < 2**31 else np.int64)

    @cached_property
    @runtime.on_driver
    def out_degree_store(self) -> Store:
        """Out-degrees of all vertices, in the order in which they are stored."""
        return degrees.out_degrees(self)

    @runtime.on_driver
    def out_degrees(self) -> Values:
        """Return the out-degree of every vertex, by the user's ids: int32, or int64 from 2^31 edges on.

        >>> import lux
        >>> lux.from_edges([10, 20, 20], [20, 30, 10]).out_degrees().to_dict()
        {10: 1, 20: 2, 30: 0}
        """
        return self._values(self.dense_out_degrees(), "out_degree")

    @runtime.on_driver
    def dense_out_degrees(self) -> NDArray[Any]:
        """Return the out-degree of every vertex by dense id, of shape (n_vertices,).

        >>> import lux
        >>> lux.toy.star(4).dense_out_degrees()
        array([0, 1, 1, 1], dtype=int32)
        """
        return runtime.to_array(in_dense_order(self, self.out_degree_store))

    @runtime.on_driver
    def in_degrees(self) -> Values:
        """Return the in-degree of every vertex, by the user's ids, int64.

        >>> import lux
        >>> lux.from_edges([10, 20, 20], [20, 30, 10]).in_degrees().to_dict()
        {10: 1, 20: 1, 30: 1}
        """
        return self._values(self.dense_in_degrees(), "in_degree")

    @runtime.on_driver
    def dense_in_degrees(self) -> NDArray[np.int64]:
        """Return the in-degree of every vertex by dense id, of shape (n_vertices,).

        >>> import lux
        >>> lux.toy.path(3).dense_in_degrees()
        array([0, 1, 1])
        """
        stored = in_degrees(self)
        return stored if self.order is None else stored[runtime.to_array(self.order.places)]

    @runtime.on_driver
    def out_weights(self, name: str = "weight") -> Values:
        """Sum an edge property over the out-edges of every vertex, by the user's ids, float64.

        Numbers are added up in float64: a sum is inf where it is larger than float64 can hold, and sums of integers
        above 2^53 are rounded.

        Raises
        ------
        GraphError
            The graph has no such property.

        Examples
        --------
        >>> import lux
        >>> lux.from_edges([10, 10, 20], [20, 30, 30], weight=[1.5, 2.0, 4.0]).out_weights()[10]
        3.5
        """
        return self._values(self.dense_out_weights(name), f"out_{name}")

    @runtime.on_driver
    def dense_out_weights(self, name: str = "weight") -> NDArray[np.float64]:
        """Sum an edge property over the out-edges of every vertex by dense id, of shape (n_vertices,).

        >>> import lux
        >>> lux.from_edges([0, 0, 1], [1, 2, 2], weight=[1.5, 2.0, 4.0]).dense_out_weights()
        array([3.5, 4. , 0. ])
        """
        return runtime.to_array(in_dense_order(self, degrees.out_sums(self, self._property(name))))

    @runtime.on_driver
    def neighbors(self, vertex: Any) -> NDArray[Any]:
        """Return the vertices to which edges lead from a vertex, each once, as the user's ids in ascending order.

        The first call on a directed graph makes the graph with every edge turned round, which `reverse` keeps. All
        ranks must ask.

        Parameters
        ----------
        vertex : object
            The user's id of a vertex.

        Returns
        -------
        np.ndarray

        Raises
        ------
        GraphError
            There is no such vertex.

        Examples
        --------
        >>> import lux
        >>> lux.from_edges(["a", "a", "b"], ["b", "c", "c"]).neighbors("a").tolist()
        ['b', 'c']
        """
        return edge_queries.predecessors(self.reverse(), vertex)

    @runtime.on_driver
    def predecessors(self, vertex: Any) -> NDArray[Any]:
        """Return the vertices from which edges lead to a vertex; see `neighbors`.

        >>> import lux
        >>> lux.from_edges(["a", "a", "b"], ["b", "c", "c"]).predecessors("c").tolist()
        ['a', 'b']
        """
        return edge_queries.predecessors(self, vertex)

    @runtime.on_driver
    def degree(self, vertex: Any) -> int:
        """Count the ends of edges at a vertex, as NetworkX does: in-edges and out-edges; a self-loop counts twice.

        `in_degrees` and `out_degrees` have those of all vertices.

        Raises
        ------
        GraphError
            There is no such vertex.

        Examples
        --------
        >>> import lux
        >>> lux.toy.path(3).degree(1), lux.toy.star(5).degree(0)
        (2, 4)
        """
        stored = edge_queries.sources_of(self, vertex)
        if self.directed:
            return len(stored) + len(edge_queries.sources_of(self.reverse(), vertex))
        return len(stored) + int(np.count_nonzero(stored == self.place_of(vertex)))

    def _values(self, array: NDArray[Any], name: str) -> Values:
        """Return numbers by dense id as values, in a store of their own."""
        return Values(self, runtime.from_array(array), name=name)

    @runtime.on_driver
    def weights_ok(self, name: str = "weight") -> bool:
        """Tell whether an edge property is finite and not negative on every edge.

        Raises
        ------
        GraphError
            The graph has no such property.

        Examples
        --------
        >>> import lux
        >>> lux.from_edges([0, 1], [1, 2], weight=[1, -1]).weights_ok()
        False
        """
        if not self.n_edges:
            return name in self.properties or self._property(name) is not None
        return degrees.bad_values(self, self._property(name)) == 0

    def _property(self, name: str) -> Store:
        if name not in self.properties:
            has = ", ".join(self.properties) or "none"
            raise GraphError(f"this graph has no edge property {name!r}; it has {has}")
        return self.properties[name]

    @runtime.on_driver
    def whole_layout(self) -> PartitionedGraph:
        """Return a layout that keeps every processor busy."""
        return self.layout(min(runtime.processors(), self.n_vertices, split_points.MAX_PARTITIONS))

    def memory_needed(self) -> int:
        """Compute the bytes of the graph in Legate's memory, over all processes.

        >>> import lux
        >>> lux.toy.path(3).memory_needed()
        52
        """
        return graph_bytes(self.n_vertices, self.n_edges, self.property_types)

    @runtime.on_driver
    def reverse(self) -> Graph:
        """Return the graph with every edge turned round; made once. An undirected graph is its own reverse.

        >>> import lux
        >>> lux.toy.path(3).reverse().in_degrees().to_numpy()
        array([1, 1, 0])
        """
        return self._reversed if self.directed else self

    @cached_property
    def _reversed(self) -> Graph:
        return build.build(GraphEdges(self, reverse=True))

    @runtime.on_driver
    def symmetrized(self) -> Graph:
        """Return the undirected graph that has each edge in both directions (a self-loop once); made once.

        >>> import lux
        >>> lux.toy.path(3).symmetrized().n_edges
        4
        """
        return self._symmetrized if self.directed else self

    @cached_property
    def _symmetrized(self) -> Graph:
        return build.build(GraphEdges(self, mirror=True))

    def with_weight(self, name: str) -> Graph:
        """Return the graph with the edge property ``name`` as its ``weight``.

        Raises
        ------
        GraphError
            The graph has no such property.

        Examples
        --------
        >>> import lux
        >>> lux.from_edges([0, 1], [1, 2], length=[3, 4]).with_weight("length").out_weights().to_numpy()
        array([3., 4., 0.])
        """
        if name == "weight":
            return self
        if name not in self._reweighted:
            self._reweighted[name] = self.with_weights(self._property(name), self.property_types[name])
        return self._reweighted[name]

    def with_weights(self, values: Store, kind: np.dtype[Any]) -> Graph:
        """Return the graph with ``values`` of type ``kind``, one per stored edge in their order, as its ``weight``."""
        return self.with_property("weight", values, kind)

    def with_property(self, name: str, values: Store, kind: np.dtype[Any]) -> Graph:
        """Return the graph with ``values`` of type ``kind``, one per stored edge in their order, as a property."""
        same = copy.copy(self)
        for made in ("_reversed", "_symmetrized"):
            vars(same).pop(made, None)
        same._layouts, same._reweighted = {}, {}  # noqa: SLF001  # of a copy of this very graph
        same.properties = self.properties | {name: values}
        same.property_types = self.property_types | {name: kind}
        return same

    @runtime.on_driver
    def reordered(self, order: str = "auto") -> Graph:
        """Return the same graph with its vertices stored in another order; answers stay as they are.

        Parameters
        ----------
        order : {"auto", "degree", "given"}
            ``degree`` stores the vertices with the most edges first (in each of 16 ranges), which makes gathers on
            power-law graphs faster, and on road networks and web crawls slower. ``auto`` takes it where a simulated
            cache misses at least a quarter less often with it, and else leaves the graph as it is; ``given`` goes back
            to the order of the ids.

        Returns
        -------
        Graph
            A graph whose ``order`` has the chosen order, and how long it took.

        Examples
        --------
        >>> import lux
        >>> g = lux.toy.star(5).reordered("degree")
        >>> g.order.name, lux.pagerank(g).top(1)[0][0]
        ('degree', 0)
        """
        return reordered(self, order)

    @runtime.on_driver
    def partitioned(self, partitioner: str | ArrayLike, parts: int, *, seed: int = 0) -> Graph:
        """Return the same graph with the vertices of each partition chosen otherwise; answers stay as they are.

        Runs with ``parts=parts`` then have these partitions (until they move any: see ``repartition`` in
        `lux.settings`); with other numbers, ranges of the stored order.

        Parameters
        ----------
        partitioner : {"contiguous", "random", "biased-random", "metis"}, or a partition for each vertex
            See `lux.graph.partitioners`. The partition of each vertex, 0 to ``parts - 1``: a dict or a pandas Series by
            the user's ids, `Values` of a result of this graph, or an array of shape (n_vertices,) in the order of the
            ids. On several processes all pass the same.
        parts : int
        seed : int
            Partitions are the same for the same seed, whatever the number of processors and processes.

        Returns
        -------
        Graph
            A graph whose ``order`` has the split points, and how long it took; None with ``contiguous``.

        Raises
        ------
        ParameterError, GraphError
        ConfigurationError
            ``metis``, and PyMetis is not installed.

        Examples
        --------
        >>> import lux
        >>> g = lux.toy.two_triangles().partitioned([1, 1, 1, 0, 0, 0, 0], parts=2)
        >>> g.layout(2).points.tolist(), lux.components(g, parts=2).labels.to_numpy().tolist()
        ([0, 4, 7], [0, 0, 0, 3, 3, 3, 6])
        """
        return partitioned(self, partitioner, parts, seed)

    @runtime.on_driver
    def subgraph(self, vertices: Iterable[Any]) -> Graph:
        """Return the graph of some vertices (the user's ids) and the edges between them.

        Every process looks at all edges once.

        >>> import lux
        >>> lux.toy.kite().subgraph([7, 8, 9]).n_edges
        4
        """
        return edge_queries.subgraph(self, vertices)

    @runtime.on_driver
    def edge_arrays(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return sources and destinations (the user's ids) of all stored edges, ordered by destination, then source.

        Both have shape (n_edges,). An undirected edge between two vertices is listed in both directions; `to_pandas`
        lists it once, and has the properties too.

        >>> import lux
        >>> lux.from_edges([10, 20], [20, 30]).edge_arrays()
        (array([10, 20]), array([20, 30]))
        """
        labels = self.ids.labels(0, self.n_vertices)
        u, v = self.dense_edge_arrays()
        return labels[u], labels[v]

    @runtime.on_driver
    def dense_edge_arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return sources and destinations of all stored edges, by dense id.

        >>> import lux
        >>> lux.from_edges([10, 20], [20, 30]).dense_edge_arrays()
        (array([0, 1]), array([1, 2]))
        """
        return edge_queries.dense_edge_arrays(self)

    @runtime.on_driver
    def has_edges(self, sources: ArrayLike, destinations: ArrayLike) -> NDArray[np.bool_]:
        """Tell whether there is an edge from each source to the destination beside it (the user's ids).

        Parameters
        ----------
        sources, destinations : array of shape (n,), or a list
            One of them may be a single id, which then stands for n of them.

        Returns
        -------
        np.ndarray of shape (n,), bool

        Raises
        ------
        GraphError
            There is no vertex with one of the ids.
        ParameterError
            Lengths differ, or ids are neither integers nor strings.

        Notes
        -----
        Every pair is looked up where its destination's edges lie. A call takes some launches: ask of many pairs in one.

        Examples
        --------
        >>> import lux
        >>> lux.from_edges([10, 20], [20, 30]).has_edges([10, 20], [20, 10])
        array([ True, False])
        """
        return edge_queries.has_edges(self, sources, destinations)

    @runtime.on_driver
    def has_dense_edges(self, sources: ArrayLike, destinations: ArrayLike) -> NDArray[np.bool_]:
        """Tell whether there is an edge from each source to the destination beside it, by dense ids of shape (n,).

        >>> import lux
        >>> lux.from_edges([10, 20], [20, 30]).has_dense_edges([0, 1], [1, 0])
        array([ True, False])
        """
        return edge_queries.has_dense_edges(self, sources, destinations)

    @runtime.on_driver
    def dense_edge_list(self) -> EdgeList:
        """Copy all edges into memory, by dense id, with their properties; an undirected graph lists each once.

        >>> import lux
        >>> edges = lux.from_edges([10, 20], [20, 30]).dense_edge_list()
        >>> edges.sources, edges.destinations
        (array([0, 1], dtype=uint32), array([1, 2], dtype=uint32))
        """
        return edge_queries.dense_edge_list(self)

    def to_scipy(self, weight: str | None = "weight") -> Any:
        """Return a SciPy CSR array of shape (n_vertices, n_vertices), rows and columns by ascending ids.

        Row i and column j belong to the vertices ``ids[i]`` and ``ids[j]`` of ``ids = g.ids.to_numpy()``. The entry is
        the weight of the edge from the first to the second, or 1 where there are no weights.

        >>> import lux
        >>> lux.toy.path(3).to_scipy().toarray()
        array([[0, 1, 0],
               [0, 0, 1],
               [0, 0, 0]])
        """
        return to_objects.to_scipy(self.dense_edge_list(), weight)

    def to_networkx(self) -> Any:
        """Return a NetworkX graph with the user's ids.

        >>> import lux
        >>> sorted(lux.toy.path(3).to_networkx().edges)
        [(0, 1), (1, 2)]
        """
        return to_objects.to_networkx(self.dense_edge_list())

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame of the edges with the user's ids.

        >>> import lux
        >>> lux.toy.path(3).to_pandas()
           source  target
        0       0       1
        1       1       2
        """
        return to_objects.to_pandas(self.dense_edge_list())

    def to_arrow(self) -> Any:
        """Return a pyarrow Table of the edges with the user's ids: ``source``, ``target``, then the properties.

        Whatever reads Arrow streams takes the graph itself: ``polars.DataFrame(graph)``. An undirected edge is listed
        once.

        >>> import lux
        >>> lux.toy.path(3).to_arrow().to_pydict()
        {'source': [0, 1], 'target': [1, 2]}
        """
        return edge_table(self.dense_edge_list())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    @runtime.on_driver
    def write(self, path: str | PathLike[str], format: str | None = None) -> None:  # noqa: A002
        """Write a graph file; an existing file is replaced when all is written.

        Formats are .lux, .sg, .wsg, .mtx, .parquet, .csv, .tsv, .el, .wel and .txt.
        A .lux file has all of a graph, as `save` says. Beside other files a sidecar ``FILE.ids.npz`` has the facts that
        the format cannot hold (ids that are not 0 to n - 1, or 1 to n in a .mtx file). `lux.read_graph` reads both, and
        refuses a sidecar that was written with another file. A process that is killed leaves both files as they were,
        or both new. .mtx and .parquet files are not read without their sidecar; .sg and .wsg files cannot tell that it
        is missing.

        Warns
        -----
        LuxWarning
            A .mtx file was written of a graph with repeated edges, of which its readers make one, with the sum of
            their weights. Or text (.csv, .el, ...) was written of an undirected graph, or of one that has vertices
            without edges, neither of which the file says.

        Raises
        ------
        FileError, FormatError
            The file cannot be written, or the format is unknown, is only read, or cannot hold this graph.

        Examples
        --------
        >>> import lux, tempfile
        >>> path = tempfile.mkdtemp() + "/kite.sg"
        >>> lux.toy.kite().write(path)
        >>> lux.read_graph(path).directed
        False
        """
        _files().write(self, path, format)

    @runtime.on_driver
    def save(self, path: str | PathLike[str]) -> None:
        """Save the prepared graph to a .lux file, which has all of it and is read without sorting anything again.

        The file has the direction, all ids and properties, the order and the partitions of the vertices, and checksums.
        All processes write it at once. It is replaced as a whole, once all is on the disk. Leftovers of a process that
        is killed meanwhile have a name of their own (``.FILE.part``), and the next save removes them.

        Raises
        ------
        FileError
            The file cannot be made, or the disk is full.
        FormatError
            The name does not end in ``.lux``.

        Examples
        --------
        >>> import lux, tempfile
        >>> path = tempfile.mkdtemp() + "/kite.lux"
        >>> lux.toy.kite().reordered("degree").save(path)
        >>> lux.load_graph(path).order.name
        'degree'
        """
        _files().save(self, path)

    @runtime.on_driver
    def default_parts(self) -> int:
        """Count one partition for each processor; one in all for a small graph."""
        if self.n_edges < SMALL and runtime.ranks() == 1:
            return 1
        return min(runtime.processors(), self.n_vertices, split_points.MAX_PARTITIONS)

    @runtime.on_driver
    def default_threads(self) -> int:
        """Return the threads of one task that holds the whole graph: few enough that each has something to do."""
        return max(1, min(runtime.team_size(), self.n_vertices, self.n_edges // EDGES_PER_THREAD))

    @runtime.on_driver
    def layout(self, parts: int | None = None) -> PartitionedGraph:
        """Return the graph cut into ``parts`` ranges: a partitioner's, or with about equally many in-edges each."""
        from lux.graph.layout import PartitionedGraph

        parts = self.default_parts() if parts is None else split_points.check_parts(parts, self.n_vertices)
        if parts not in self._layouts:
            # Without the reference back there is no cycle, and stores are given back as soon as the graph is dropped.
            alone = copy.copy(self)
            alone._layouts, alone._reweighted = {}, {}  # noqa: SLF001  # of a copy of this very graph
            self._layouts[parts] = PartitionedGraph(alone, self.points_for(parts))
        return self._layouts[parts]


class GraphFiles(Protocol):
    """Writers of graphs; `lux.io` registers them, because it knows graphs and graphs know no files."""

    def write(self, graph: Graph, path: str | PathLike[str], format: str | None) -> None:  # noqa: A002
        """Write one file."""

    def save(self, graph: Graph, path: str | PathLike[str]) -> None:
        """Save the prepared graph to a .lux file."""


_registered: list[GraphFiles] = []


def register_files(files: GraphFiles) -> None:
    """Take the writers that `Graph.write` and `Graph.save` call."""
    _registered[:] = [files]


def _files() -> GraphFiles:
    return _registered[0]


_alive: weakref.WeakSet[Graph] = weakref.WeakSet()


def graphs() -> list[Graph]:
    """List all graphs that are alive; not the copies that layouts refer to."""
    return list(_alive)
