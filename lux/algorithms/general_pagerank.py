# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""PageRank with weights of edges, or with distributions of the caller's: the programs, and their constant fields."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import lux
from lux.algorithms.pagerank import PageRank
from lux.errors import ParameterError, WeightError

if TYPE_CHECKING:
    from lux.graph import Graph


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

    @lux.total
    def dangling(v, old, params):
        return v.rank if v.inverse == 0 else 0.0


class GeneralPageRank32(GeneralPageRank):
    """The same in float32."""

    rank = lux.field(np.float32)
    share = lux.field(np.float32, reduce=lux.ADD)


class WeightedPageRank(GeneralPageRank):
    """Shares in proportion to the edges' weights."""

    def compute(v, u, edge, params):
        return u.share * edge.weight


class WeightedPageRank32(WeightedPageRank):
    """The same in float32."""

    rank = lux.field(np.float32)
    share = lux.field(np.float32, reduce=lux.ADD)


def given(
    graph: Graph,
    weight: str | None,
    personalization: Mapping[Any, float] | None,
    nstart: Mapping[Any, float] | None,
    dangling: Mapping[Any, float] | None,
) -> dict[str, NDArray[np.float64]]:
    """The constant fields of `GeneralPageRank`."""
    uniform = np.full(graph.n_vertices, 1.0 / graph.n_vertices)
    teleport = distribution(graph, "personalization", personalization, uniform)
    sums = graph.dense_out_degrees().astype(np.float64)
    if weight is not None:
        if not graph.weights_ok(weight):
            raise WeightError(
                f"pagerank: the edge property {weight!r} has negative, NaN or infinite values; "
                "pass weight=None to ignore it"
            )
        sums = graph.dense_out_weights(weight)
    return {
        "teleport": teleport,
        "to_dangling": distribution(graph, "dangling", dangling, teleport),
        "first": distribution(graph, "nstart", nstart, uniform),
        "inverse": np.divide(1.0, sums, out=np.zeros_like(sums), where=sums != 0),
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
    array[dense] = list(given_values.values())
    if not np.isfinite(array).all() or (array < 0).any() or array.sum() == 0:
        raise ParameterError(f"{name}: its values must be finite, not negative, and not all zero")
    return np.asarray(array / array.sum())
