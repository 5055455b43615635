# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Vertices that a caller names, and values for every vertex, by the user's ids or in the order of the ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux.checks import shown
from lux.errors import ParameterError
from lux.graph.values import Values

if TYPE_CHECKING:
    from lux.graph.core.ids import VertexIds
    from lux.graph.graph import Graph

ALLOWED = "a dict or a pandas object by vertex, values of a result of this graph, or an array in the order of graph.ids"


def checked_vertices(name: str, vertices: Any, ids: VertexIds) -> NDArray[np.int64]:
    """Return the dense ids of vertices given by the user's ids, in their order.

    >>> from lux.graph.core.ids import Offset
    >>> checked_vertices("sources", [12, 10], Offset(5, 10))
    array([2, 0])
    >>> checked_vertices("sources", 10, Offset(5, 10))
    Traceback (most recent call last):
        ...
    lux.errors.ParameterError: sources=10 was passed; allowed is a list of the graph's vertices
    """
    if isinstance(vertices, str) or not hasattr(vertices, "__iter__"):
        raise ParameterError(f"{name}={vertices!r} was passed; allowed is a list of the graph's vertices")
    return ids.dense_array(vertices if isinstance(vertices, np.ndarray) else list(vertices)).astype(np.int64)


def in_order_of_ids(name: str, values: Any, graph: Graph) -> Any:
    """Arrange values by vertex as an array with a row per vertex, in the order of the ids; arrays stay as they are.

    Raises
    ------
    GraphError
        A vertex is named that the graph does not have.
    ParameterError
        A vertex has no value, or two; or the values are those of another graph's vertices.

    Examples
    --------
    >>> import lux
    >>> in_order_of_ids("colour", {30: 3, 10: 1, 20: 2}, lux.from_edges([10, 20], [20, 30]))
    array([1, 2, 3])
    """
    if isinstance(values, Values):
        if values.graph is not graph and values.graph.ids != graph.ids:
            raise ParameterError(
                f"{name}: the values are of a graph with other vertices ({values.graph.ids.describe()}), and "
                f"{graph.ids.describe()}: pass {ALLOWED}"
            )
        return values.to_numpy()
    if isinstance(values, Mapping):
        return _placed(name, list(values), list(values.values()), graph.ids)
    if hasattr(values, "index") and hasattr(values, "to_numpy"):  # pandas
        return _placed(name, list(values.index), values.to_numpy(), graph.ids)
    return values


def _placed(name: str, vertices: list[Any], rows: Any, ids: VertexIds) -> Any:
    dense = ids.dense_array(vertices).astype(np.int64)
    counts = np.bincount(dense, minlength=len(ids))
    for wrong, what in ((counts > 1, "two values or more"), (counts == 0, "no value")):
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            raise ParameterError(
                f"{name}: {np.count_nonzero(wrong)} of {len(ids)} vertices have {what}, "
                f"{shown(ids.labels(first, first + 1).tolist()[0])} for one: pass one for each vertex, as in "
                "dict.fromkeys(graph.ids, 0) | values"
            )
    try:
        array = np.asarray(rows)
    except ValueError:  # rows of several lengths
        array = np.array([*rows, None], object)[:-1]
    out = np.empty_like(array)
    out[dense] = array
    return out
