# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Parents that follow from distances, and cycles of negative length: launches over all edges."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph


def parents(graph: Graph, distance: Store, source: int, *, nearer: bool) -> tuple[Store, int]:
    """Find parents (places), and count the reached vertices that have none.

    Parameters
    ----------
    distance : Store of shape (n_vertices,)
        In the order of places; the largest number, or inf, where unreached.
    source : int
        The place of the source.
    nearer : bool
        Parents are the first of the nearer vertices before a vertex; otherwise only the source has one.
    """
    layout = graph.whole_layout()
    parent, left = runtime.new_store(graph.id_dtype, graph.n_vertices, of_graph=True), runtime.new_scalar()
    key = runtime.register((layout.points.tolist(), source, nearer))
    _parents_launcher()(layout.parts, **_edges(graph), distance=distance, parent=parent, left=left, key=key)
    orphans = runtime.read_scalar(left)
    runtime.unregister(key)
    return parent, orphans


def negative_cycle(graph: Graph, distance: Store) -> NDArray[np.int64]:
    """List the places of the vertices on a cycle of negative length, in its order; empty if distances show none.

    Each vertex points back to the vertex that gives it its least distance. Long after all paths without a cycle have
    been tried, following these links leads round a negative cycle. Each cycle is checked, so that no other is returned.
    """
    from lux.algorithms.sssp import path_edge_kernels

    layout = graph.whole_layout()
    wide = np.float64 if graph.property_types["weight"].kind == "f" else np.int64
    before = runtime.new_store(np.int64, graph.n_vertices, of_graph=True)
    through = runtime.new_store(wide, graph.n_vertices, of_graph=True)
    _best_launcher()(layout.parts, **_edges(graph), distance=distance, before=before, through=through)
    n = graph.n_vertices
    return path_edge_kernels.negative_cycle(runtime.to_array(before)[:n], runtime.to_array(through)[:n])  # type: ignore[no-any-return]


def leads_on(graph: Graph, distance: Store) -> bool:
    """Return True where an edge leads from a reached vertex to an unreached one."""
    return _finds(graph, distance, "leads_on", ("in_offsets", "sources"))


def overflows(graph: Graph, distance: Store) -> bool:
    """Return True where a vertex has no distance, or an infinite one, because a sum of floats is too large."""
    return _finds(graph, distance, "overflows", ("in_offsets", "sources", "weights"))


def _finds(graph: Graph, distance: Store, what: str, names: tuple[str, ...]) -> bool:
    """Return True where a kernel of `lux.algorithms.sssp.path_edge_kernels` returns True for some partition."""
    layout, found = graph.whole_layout(), runtime.new_scalar()
    key = runtime.register(layout.points.tolist())
    stores = {name: store for name, store in _edges(graph).items() if name in (*names, "offsets", "edges")}
    _finding_launcher(what, names)(layout.parts, **stores, distance=distance, found=found, key=key)
    answer = runtime.read_scalar(found) > 0
    runtime.unregister(key)
    return answer


def _edges(graph: Graph) -> dict[str, Store]:
    """Return the stores of the in-edges, and their splits."""
    stores = {"in_offsets": graph.offsets, "sources": graph.sources, "weights": graph.properties["weight"]}
    splits = graph.whole_layout().splits
    return stores | {name: splits[name] for name in ("offsets", "edges", "vertices")}


_INPUTS: dict[str, str | None] = {"in_offsets": "offsets", "sources": "edges", "weights": "edges", "distance": None}


@functools.cache
def _parents_launcher() -> Launcher:
    from lux.algorithms.sssp import path_edge_kernels

    def find_parents(
        point: int,
        in_offsets: NDArray[np.int64],
        sources: NDArray[Any],
        weights: NDArray[Any],
        distance: NDArray[Any],
        parent: NDArray[Any],
        left: NDArray[np.int64],
        key: int,
    ) -> None:
        points, source, nearer = runtime.context(key)
        found = path_edge_kernels.parents(points[point], source, nearer, in_offsets, sources, weights, distance, parent)
        left[0] += found

    return Launcher(
        find_parents, inputs=_INPUTS, outputs={"parent": "vertices"}, sums={"left": None}, scalars={"key": int}
    )


@functools.cache
def _best_launcher() -> Launcher:
    from lux.algorithms.sssp import path_edge_kernels

    def find_best_edges(_point: int, *values: Any) -> None:
        path_edge_kernels.best_edges(*values)

    return Launcher(find_best_edges, inputs=_INPUTS, outputs={"before": "vertices", "through": "vertices"})


@functools.cache
def _finding_launcher(what: str, names: tuple[str, ...]) -> Launcher:
    from lux.algorithms.sssp import path_edge_kernels

    kernel = getattr(path_edge_kernels, what)

    def find_edges(point: int, *values: Any) -> None:
        *given, found, key = values
        found[0] += kernel(runtime.context(key)[point], *given)

    inputs = {name: _INPUTS[name] for name in (*names, "distance")}
    return Launcher(find_edges, inputs=inputs, sums={"found": None}, scalars={"key": int})
