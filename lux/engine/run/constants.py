# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Constant fields of a run: values that the caller gives for every vertex, checked."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.checks import described
from lux.errors import GraphError, ParameterError
from lux.graph.by_vertex import ALLOWED, in_order_of_ids
from lux.graph.ordering import in_places
from lux.program.fields import PLACE
from lux.program.spec import Spec
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph.graph import Graph


class Constants:
    """Values of a program's constant fields; the program's edge properties are checked, too.

    Raises
    ------
    GraphError
        The graph lacks an edge property that the program reads, or a vertex that is named.
    ParameterError
        A field has no values, or they are not what it can hold.

    Examples
    --------
    >>> import lux
    >>> class Sums(lux.Program):
    ...     sum = lux.field(float, reduce=lux.ADD)
    ...     begin = lux.field(float, constant=True)
    ...     def start(v, params):
    ...         v.sum = v.begin
    ...     def compute(v, u, edge, params):
    ...         return u.sum
    ...     def update(v, old, params):
    ...         v.sum += v.begin
    >>> Constants(Sums.spec, lux.toy.path(3), {"begin": [1, 2, 3]}).for_one_task()
    ({}, {'begin': array([1., 2., 3.])})
    """

    def __init__(self, spec: Spec, graph: Graph, given: Mapping[str, Any]) -> None:
        if not isinstance(given, Mapping):
            raise ParameterError(f"constants maps constant fields' names to arrays, and {described(given)} was passed")
        wanted = [f.name for f in spec.fields.values() if f.constant]
        if set(wanted) != set(given):
            raise ParameterError(
                f"{spec.name} needs values for its constant fields {sorted(wanted)}; got {sorted(given)}"
            )
        for name in spec.edge_properties:
            if name not in graph.property_types:
                has = ", ".join(graph.property_types) or "none"
                raise GraphError(f"{spec.name} reads the edge property {name!r}; this graph has {has}")
        self._lengths, self._graph = spec.lengths, graph
        self._stores: dict[str, Store] = {}
        self._arrays: dict[str, NDArray[Any]] = {}
        for name in wanted:
            if isinstance(given[name], Store):
                self._stores[name] = given[name]
            else:
                self._arrays[name] = self._array(spec, name, given[name])

    def _array(self, spec: Spec, name: str, values: Any) -> NDArray[Any]:
        """Return a copy of a field's values, of one dimension, in the order of ids."""
        field, graph, length = spec.fields[name], self._graph, spec.lengths.get(name)
        shape = (graph.n_vertices,) if length is None else (graph.n_vertices, length)
        array = in_order_of_ids(name, values, graph)
        if field.holds_vertices:
            array = _vertices(array, graph, by_place=field.dtype == PLACE)
        return _given_array(name, array, field.numpy_dtype(graph.id_dtype), shape).reshape(-1)

    @functools.cached_property
    def stores(self) -> dict[str, Store]:
        """Stores of all fields, in the stored order of the vertices; made on first use, in the place of the arrays."""
        made = self._stores | dict(zip(self._arrays, runtime.from_arrays([*self._arrays.values()]), strict=True))
        self._arrays = {}
        return {name: in_places(self._graph, store, self._lengths.get(name) or 1) for name, store in made.items()}

    def for_one_task(self) -> tuple[dict[str, Store], dict[str, NDArray[Any]]]:
        """Return stores of some fields, and arrays of the others, for a task of this process that takes whole fields.

        A store for an array would take a launch of its own. There are arrays only where vertices are stored in the
        order of their ids, as a launch puts values into another order, and where nothing has asked for stores before.
        """
        in_arrays = self._graph.order is None and "stores" not in vars(self)
        return (self._stores, self._arrays) if in_arrays else (self.stores, {})


def _vertices(values: Any, graph: Graph, *, by_place: bool) -> NDArray[Any]:
    """Translate vertices, given by the user's ids, to the values of a program's fields."""
    dense = graph.ids.dense_array(values)
    return graph.order.places_array[dense] if by_place and graph.order is not None else dense


def _given_array(name: str, values: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Copy values of a constant field, in its type; `ParameterError` unless they are numbers that it can hold."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # of lists of several lengths
        array = np.array(None)
    if array.dtype.kind not in "biuf":
        raise ParameterError(f"{name}: {described(values)} was passed; allowed are numbers of shape {shape}: {ALLOWED}")
    if array.shape != shape:
        raise ParameterError(f"{name} has shape {array.shape}; allowed is {shape}")
    with np.errstate(invalid="ignore"):  # values that are refused below
        held = array.astype(dtype, "C")
    lost = held != array if dtype.kind in "iu" and array.dtype != dtype else np.zeros(1, bool)
    if lost.any():
        raise ParameterError(
            f"{name} has values that {dtype} cannot hold, {array[lost][0]} for one: give its field another type"
        )
    return held
