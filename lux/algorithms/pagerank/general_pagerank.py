# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""PageRank with weights of edges, or with distributions of the caller's: the programs, and their constant fields."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux.algorithms.pagerank.pagerank import PageRank
from lux.errors import ParameterError, WeightError
from lux.graph import degrees

if TYPE_CHECKING:
    from lux.graph.graph import Graph

SUMS = {"float32": (2.0**-60, 2.0**60), "float64": (2.0**-900, 2.0**900)}
"""Sums of a vertex's out-weights that leave ranks room in these types when they are divided by them."""
KEPT = 1 << 16
"""Most vertices of graphs whose sums of out-weights are kept: two launches take longer than such a run."""
_kept_sums: weakref.WeakKeyDictionary[Graph, NDArray[np.float64]] = weakref.WeakKeyDictionary()


class GeneralPageRank(PageRank):
    """With teleport, dangling and starting distributions, and inverse out-weights."""

    teleport = lux.field(np.float64, constant=True)
    to_dangling = lux.field(np.float64, constant=True)
    first = lux.field(np.float64, constant=True)
    inverse = lux.field(np.float64, constant=True)

    def start(v, params):
        v.rank = v.first
        v.share = v.rank * v.inverse

    def update(v, old, params):
        given = (1.0 - params.alpha) * v.teleport + params.alpha * params.dangling * v.to_dangling
        v.rank = given + params.alpha * v.share
        v.share = v.rank * v.inverse

    @lux.aggregate
    def dangling(v, old, params):
        return v.rank if v.inverse == 0 else 0.0


class WeightedPageRank(GeneralPageRank):
    """Shares in proportion to the edges' weights."""

    def compute(v, u, edge, params):
        return u.share * edge.weight


GeneralPageRank32 = GeneralPageRank.typed("GeneralPageRank32", rank=np.float32, share=np.float32)
WeightedPageRank32 = WeightedPageRank.typed("WeightedPageRank32", rank=np.float32, share=np.float32)


def shares(graph: Graph, weight: str | None, dtype: np.dtype[Any]) -> tuple[Graph, NDArray[np.float64]]:
    """Return the graph with the weights to run on, and the inverse sums of every vertex's out-weights, of shape (n,).

    Without ``weight`` the sums are out-degrees. Weights whose sums lie beyond `SUMS` are scaled.
    """
    if weight is None:
        sums = graph.dense_out_degrees().astype(np.float64)
    else:
        graph, sums = _out_weights(graph, weight)
        least, most = SUMS[dtype.name]
        if not ((sums == 0) | ((least <= sums) & (sums <= most))).all():
            graph = graph.with_weights(degrees.scaled(graph, graph.properties["weight"]), np.dtype(np.float64))
            graph.directed = True  # an edge now has one weight from each of its ends
            sums = graph.dense_out_weights()
    return graph, np.divide(1.0, sums, out=np.zeros_like(sums), where=sums != 0)


def _out_weights(graph: Graph, weight: str) -> tuple[Graph, NDArray[np.float64]]:
    """Return the graph with these weights, and every vertex's sum of out-weights, which small graphs keep."""
    weighted = graph.with_weight(weight)
    if weighted in _kept_sums:
        return weighted, _kept_sums[weighted]
    if not graph.weights_ok(weight):
        raise WeightError(
            f"pagerank: the edge property {weight!r} has negative, NaN or infinite values; "
            "pass weight=None to ignore it"
        )
    sums = weighted.dense_out_weights()
    if graph.n_vertices <= KEPT:
        _kept_sums[weighted] = sums
    return weighted, sums


def distributions(
    graph: Graph,
    personalization: Mapping[Any, float] | None,
    nstart: Mapping[Any, float] | None,
    dangling: Mapping[Any, float] | None,
) -> dict[str, NDArray[np.float64]]:
    """Return the constant fields of `GeneralPageRank` but for ``inverse``, of shape (n_vertices,)."""
    uniform = np.full(graph.n_vertices, 1.0 / graph.n_vertices)
    teleport = distribution(graph, "personalization", personalization, uniform)
    return {
        "teleport": teleport,
        "to_dangling": distribution(graph, "dangling", dangling, teleport),
        "first": distribution(graph, "nstart", nstart, uniform),
    }


def distribution(
    graph: Graph, name: str, values: Mapping[Any, float] | None, default: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Numbers of vertices, scaled to sum to one, of shape (n_vertices,); ``default`` where none were passed."""
    if values is None:
        return default
    if not hasattr(values, "items"):
        raise ParameterError(f"{name}={values!r} was passed; allowed is a dict from vertices to numbers")
    array, given_values = np.zeros(graph.n_vertices), dict(values.items())
    dense = graph.ids.dense_array(list(given_values))
    for vertex, value in given_values.items():
        if not isinstance(value, Real):
            raise ParameterError(f"{name}: its values must be numbers, and that of {vertex!r} is {value!r}")
    try:
        array[dense] = list(given_values.values())
    except OverflowError:
        raise ParameterError(f"{name}: its values must be finite, and one is an integer beyond 1.8e308") from None
    if not np.isfinite(array).all() or (array < 0).any() or not array.any():
        raise ParameterError(f"{name}: its values must be finite, not negative, and not all zero")
    _, exponent = np.frexp(array.max())
    array = np.ldexp(array, -exponent)  # so that the sum is finite
    return np.asarray(array / array.sum())
