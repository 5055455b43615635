# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sums over the edges of every vertex: degrees and weights, in the order in which a graph's vertices are stored.

`lux.graph.Graph` has them in the order of the ids.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph import Graph


def in_degrees(graph: Graph) -> NDArray[np.int64]:
    """In-degrees by place, of shape (n_vertices,), int64.

    Examples
    --------
    >>> import lux
    >>> in_degrees(lux.toy.path(3))
    array([0, 1, 1])
    """
    return np.diff(runtime.to_array(graph.offsets)[: graph.n_vertices + 1])


def out_degrees(graph: Graph) -> Store:
    """Out-degrees by place, a store of shape (n_vertices,) and the graph's ``degree_dtype``."""
    if graph.directed:
        return _sums_over_sources(graph, graph.degree_dtype, {})
    store, layout = runtime.new_store(graph.degree_dtype, graph.n_vertices), graph.whole_layout()
    splits = {name: layout.splits[name] for name in ("offsets", "vertices")}
    _length_launcher()(layout.parts, in_offsets=graph.offsets, degrees=store, **splits)
    return store


def out_sums(graph: Graph, values: Store) -> Store:
    """Sums of ``values``, one for each stored edge, over the out-edges of every place, a store of float64."""
    return _sums_over_sources(graph, np.float64, {"values": values})


def _sums_over_sources(graph: Graph, dtype: Any, values: dict[str, Store]) -> Store:
    store, layout = runtime.new_store(dtype, graph.n_vertices, 0), graph.whole_layout()
    launcher = _degree_launcher(bool(values))
    launcher(layout.parts, sources=graph.sources, degrees=store, edges=layout.splits["edges"], **values)
    return store


def bad_values(graph: Graph, values: Store) -> int:
    """On how many of the stored edges (one at least) ``values`` is negative, infinite or NaN."""
    layout, bad = graph.whole_layout(), runtime.new_scalar()
    _bad_launcher()(layout.parts, values=values, edges=layout.splits["edges"], bad=bad)
    return int(runtime.read_scalar(bad))


@functools.cache
def _length_launcher() -> Launcher:
    def lengths(_point: int, in_offsets: NDArray[np.int64], degrees: NDArray[Any]) -> None:
        np.subtract(in_offsets[1:], in_offsets[:-1], out=degrees, casting="unsafe")

    return Launcher(lengths, inputs={"in_offsets": "offsets"}, outputs={"degrees": "vertices"})


@functools.cache
def _degree_launcher(weighted: bool) -> Launcher:
    from lux.kernels import grouping

    def degrees(_point: int, sources: NDArray[Any], out: NDArray[Any]) -> None:
        grouping.add_degrees(sources, out)

    def weights(_point: int, sources: NDArray[Any], values: NDArray[Any], out: NDArray[np.float64]) -> None:
        grouping.add_values(sources, values, out)

    inputs: dict[str, str | None] = {"sources": "edges"}
    if weighted:
        return Launcher(weights, inputs=inputs | {"values": "edges"}, sums={"degrees": None})
    return Launcher(degrees, inputs=inputs, sums={"degrees": None})


@functools.cache
def _bad_launcher() -> Launcher:
    def count_bad(_point: int, values: NDArray[Any], bad: NDArray[np.int64]) -> None:
        bad[0] += int((~(np.isfinite(values) & (values >= 0))).sum())

    return Launcher(count_bad, inputs={"values": "edges"}, sums={"bad": None})
