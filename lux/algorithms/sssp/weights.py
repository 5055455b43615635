# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of a graph's edge property ``weight``: its range, and rows of edges sorted by it; made once a graph."""

from __future__ import annotations

import functools
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import GraphError, MemoryNeededError, WeightError
from lux.runtime import Launcher, Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph

_ranges: weakref.WeakKeyDictionary[Graph, WeightRange] = weakref.WeakKeyDictionary()
_by_weight: weakref.WeakKeyDictionary[Graph, ByWeight] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class WeightRange:
    """The smallest, the largest and the mean weight; zeros of a graph without edges."""

    least: Any
    most: Any
    mean: float


@dataclass(frozen=True)
class ByWeight:
    """In-edges of every vertex with weights ascending; ``offsets`` are the graph's.

    Attributes
    ----------
    sources, weights : Store of shape (n_edges,)
    least : Store of shape (n_vertices,)
        The least weight of each vertex's in-edges; anything where there are none.
    """

    sources: Store
    weights: Store
    least: Store


def weight_range(graph: Graph) -> WeightRange:
    """Find the range of the weights, which must be finite."""
    if graph not in _ranges:
        _ranges[graph] = _find_range(graph)
    return _ranges[graph]


def _find_range(graph: Graph) -> WeightRange:
    kind = graph.property_types["weight"]
    if not graph.n_edges:
        return WeightRange(kind.type(0).item(), kind.type(0).item(), 0.0)
    if runtime.gpus():
        from lux.graph.construction.gpu import weights as gpu_weights

        if (on_gpu := gpu_weights.weight_range(graph)) is not None:
            return WeightRange(*on_gpu)
    layout = graph.whole_layout()
    ends, of_parts = runtime.new_store(kind, 2 * layout.parts), runtime.new_store(np.float64, layout.parts)
    _find_weight_range(
        layout.parts,
        weights=graph.properties["weight"],
        ends=ends,
        means=of_parts,
        edges=layout.splits["edges"],
        pairs=layout.rows(2),
        ones=layout.rows(1),
    )
    filled = np.diff(layout.edge_points) > 0
    found = runtime.to_array(ends).reshape(-1, 2)[: layout.parts][filled]
    least, most = found[:, 0].min().item(), found[:, 1].max().item()  # NaN if one is
    if not (np.isfinite(least) and np.isfinite(most)):
        raise WeightError(
            "some weights are NaN or infinite, and paths need numbers: leave out those edges, or change their weights"
        )
    means, counts = runtime.to_array(of_parts)[: layout.parts][filled], np.diff(layout.edge_points)[filled]
    return WeightRange(least, most, float((means * (counts / graph.n_edges)).sum()))


def may_overflow(graph: Graph) -> bool:
    """Return True where the length of a path along floats may be larger than their type can hold."""
    kind, weights = graph.property_types["weight"], weight_range(graph)
    largest = max(abs(weights.least), abs(weights.most))
    return kind.kind == "f" and bool(float(largest) * graph.n_vertices >= float(np.finfo(kind).max) / 2)


def too_long(graph: Graph) -> WeightError:
    """Make the error of paths whose length is larger than distances can hold."""
    kind = graph.property_types["weight"]
    most = f"the largest {kind}" if kind.kind == "f" else "2^62"
    wider = "" if kind == np.float64 else ", or make them float64"
    return WeightError(f"sssp: some paths are longer than {most}: divide the weights{wider}")


def check_lengths(graph: Graph, name: str, algorithm: str) -> None:
    """Refuse an edge property that is missing, or is not positive and finite on every edge."""
    if name not in list(graph.property_types):
        has = ", ".join(graph.property_types) or "none"
        raise GraphError(f"{algorithm}: weight={name!r} was passed, and this graph's edge properties are: {has}")
    if not graph.n_edges:
        return
    try:
        lengths = weight_range(graph.with_weight(name))
        good = lengths.least > 0
    except WeightError:
        good = False
    if not good:
        layout, bad = graph.whole_layout(), runtime.new_scalar()
        _count_bad(layout.parts, lengths=graph.properties[name], edges=layout.splits["edges"], bad=bad)
        raise WeightError(
            f"{algorithm}: the edge property {name!r} is zero, negative, NaN or infinite on "
            f"{runtime.read_scalar(bad):,} stored edges; lengths must be positive and finite: change them, or pass "
            "weight=None"
        )
    longest = float(lengths.most) * graph.n_vertices
    if longest >= float(np.finfo(np.float64).max) / 2:
        raise WeightError(
            f"{algorithm}: the edge property {name!r} is so large that paths could be longer than the largest float64: "
            "divide it, or pass weight=None"
        )


@runtime.task(inputs={"lengths": "edges"}, sums={"bad": None})
def _count_bad(_point: int, lengths: NDArray[Any], bad: NDArray[np.int64]) -> None:
    bad[0] += np.count_nonzero(~(np.isfinite(lengths) & (lengths > 0)))


@runtime.task(inputs={"weights": "edges"}, outputs={"ends": "pairs", "means": "ones"})
def _find_weight_range(_point: int, weights: NDArray[Any], ends: NDArray[Any], means: NDArray[np.float64]) -> None:
    if len(weights):
        ends[:] = weights.min(), weights.max()
        with np.errstate(over="ignore"):
            total = weights.sum(dtype=np.float64)
        means[0] = total / len(weights) if np.isfinite(total) else (weights / len(weights)).sum()


def by_weight(graph: Graph) -> ByWeight | None:
    """Return in-edges by weight, sorted once, where no weight is negative; None where they do not fit the memory."""
    if graph not in _by_weight:
        kind, n, m = graph.property_types["weight"], graph.n_vertices, graph.n_edges
        needed = (graph.id_dtype.itemsize + kind.itemsize) * m + kind.itemsize * n
        try:
            runtime.check_memory(needed, "sorting edges by weight")
        except MemoryNeededError:
            return None
        _by_weight[graph] = _sort(graph)
    return _by_weight[graph]


def _sort(graph: Graph) -> ByWeight:
    if runtime.gpus():
        from lux.graph.construction.gpu import weights as gpu_weights

        if (on_gpu := gpu_weights.by_weight(graph, weight_range(graph).most)) is not None:
            return ByWeight(*on_gpu)
    layout, kind = graph.whole_layout(), graph.property_types["weight"]
    made = ByWeight(
        runtime.new_store(graph.id_dtype, graph.n_edges, of_graph=True),
        runtime.new_store(kind, graph.n_edges, of_graph=True),
        runtime.new_store(kind, graph.n_vertices, of_graph=True),
    )
    largest = int(np.array(weight_range(graph).most, kind).view(f"u{kind.itemsize}"))
    _sort_launcher()(
        layout.parts,
        in_offsets=graph.offsets,
        sources=graph.sources,
        weights=graph.properties["weight"],
        out_sources=made.sources,
        out_weights=made.weights,
        least=made.least,
        **{name: layout.splits[name] for name in ("offsets", "edges", "vertices")},
        digits=-(-largest.bit_length() // 8),
    )
    runtime.finish()
    return made


@functools.cache
def _sort_launcher() -> Launcher:
    from lux.algorithms.sssp.by_weight_kernels import sort_rows

    def sort_by_weight(
        _point: int,
        in_offsets: NDArray[np.int64],
        sources: NDArray[Any],
        weights: NDArray[Any],
        out_sources: NDArray[Any],
        out_weights: NDArray[Any],
        least: NDArray[Any],
        digits: int,
    ) -> None:
        keys = out_weights.view(f"u{out_weights.itemsize}")
        sort_rows(in_offsets, sources, weights, out_sources, out_weights, keys, digits, least)

    return Launcher(
        sort_by_weight,
        inputs={"in_offsets": "offsets", "sources": "edges", "weights": "edges"},
        outputs={"out_sources": "edges", "out_weights": "edges", "least": "vertices"},
        scalars={"digits": int},
    )
