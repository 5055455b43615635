# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Sums over the edges of every vertex: degrees and weights, in the order in which a graph's vertices are stored.

`lux.graph.graph.Graph` has them in the order of the ids.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph


LOWERED, RAISED, NOTHING = -100, 600, -5000
"""Exponents with which sums of the largest floats are finite; no tiny float is denormal; no float is left."""
TINY = 2.0**-900
"""Bound of lowered sums: smaller ones have no addend above 2^-800."""


def out_degrees(graph: Graph) -> Store:
    """Count out-degrees by position, a store of shape (n_vertices,) and the graph's ``degree_dtype``."""
    if runtime.gpus():
        from lux.graph.construction.gpu import degrees as on_gpu

        if (made := on_gpu.out_degrees(graph, graph.degree_dtype)) is not None:
            return made
    if graph.directed:
        return _sums_over_sources(graph, graph.degree_dtype, {})
    store, layout = runtime.new_store(graph.degree_dtype, graph.n_vertices, of_graph=True), graph.whole_layout()
    splits = {name: layout.splits[name] for name in ("offsets", "vertices")}
    _lengths(layout.parts, in_offsets=graph.offsets, degrees=store, **splits)
    return store


def out_sums(graph: Graph, values: Store) -> Store:
    """Sum ``values``, one for each stored edge, over the out-edges of every position, into a store of float64."""
    return _sums_over_sources(graph, np.float64, {"values": values})


def scaled(graph: Graph, values: Store) -> Store:
    """Scale ``values`` by a power of two for each source, so that its out-edges sum to between 1/2 and 1.

    Values may be any floats that are finite and not negative: no sum overflows, and only addends that make no
    difference to a sum are lost.

    Returns
    -------
    Store of shape (n_edges,), float64
    """
    runtime.check_memory(24 * graph.n_edges, "scaling weights whose sums are very large or small")

    def sums(exponents: NDArray[np.int64]) -> NDArray[np.float64]:
        return runtime.to_array(out_sums(graph, _times_powers(graph, values, exponents)))[: graph.n_vertices]

    exponents = np.full(graph.n_vertices, LOWERED)
    found = sums(exponents)
    tiny = found < TINY
    if tiny.any():
        exponents[tiny] = RAISED
        found[tiny] = sums(np.where(tiny, RAISED, NOTHING))[tiny]
    return _times_powers(graph, values, exponents - np.frexp(found)[1])


def _times_powers(graph: Graph, values: Store, exponents: NDArray[np.int64]) -> Store:
    """Multiply values of edges by 2 to the power of their source's exponent, into a store of float64."""
    made, layout = runtime.new_store(np.float64, graph.n_edges, of_graph=True), graph.whole_layout()
    stores = {"sources": graph.sources, "values": values, "exponents": runtime.from_array(exponents), "scaled": made}
    _scale_by_source(layout.parts, **stores, edges=layout.splits["edges"])
    return made


def _sums_over_sources(graph: Graph, dtype: Any, values: dict[str, Store]) -> Store:
    store, layout = runtime.new_store(dtype, graph.n_vertices, 0), graph.whole_layout()
    launcher = _degree_launcher(bool(values))
    launcher(layout.parts, sources=graph.sources, degrees=store, edges=layout.splits["edges"], **values)
    return store


def bad_values(graph: Graph, values: Store) -> int:
    """Count the stored edges (one at least) on which ``values`` is negative, infinite or NaN."""
    layout, bad = graph.whole_layout(), runtime.new_scalar()
    _count_bad(layout.parts, values=values, edges=layout.splits["edges"], bad=bad)
    return int(runtime.read_scalar(bad))


@runtime.task(inputs={"in_offsets": "offsets"}, outputs={"degrees": "vertices"})
def _lengths(_point: int, in_offsets: NDArray[np.int64], degrees: NDArray[Any]) -> None:
    np.subtract(in_offsets[1:], in_offsets[:-1], out=degrees, casting="unsafe")


@functools.cache
def _degree_launcher(weighted: bool) -> Launcher:
    from lux.graph.construction import sort_kernels

    def degrees(_point: int, sources: NDArray[Any], out: NDArray[Any]) -> None:
        sort_kernels.add_degrees(sources, out)

    def weights(_point: int, sources: NDArray[Any], values: NDArray[Any], out: NDArray[np.float64]) -> None:
        sort_kernels.add_values(sources, values, out)

    inputs: dict[str, str | None] = {"sources": "edges"}
    if weighted:
        return Launcher(weights, inputs=inputs | {"values": "edges"}, sums={"degrees": None})
    return Launcher(degrees, inputs=inputs, sums={"degrees": None})


@runtime.task(inputs={"sources": "edges", "values": "edges", "exponents": None}, outputs={"scaled": "edges"})
def _scale_by_source(
    _point: int,
    sources: NDArray[Any],
    values: NDArray[Any],
    exponents: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    np.ldexp(values.astype(np.float64), exponents[sources], out=out)


@runtime.task(inputs={"values": "edges"}, sums={"bad": None})
def _count_bad(_point: int, values: NDArray[Any], bad: NDArray[np.int64]) -> None:
    bad[0] += int((~(np.isfinite(values) & (values >= 0))).sum())
